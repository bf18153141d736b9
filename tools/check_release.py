#!/usr/bin/env python3
"""check_release.py PROGRAM ARCHITECTURE...: whether a released program needs glibc alone, has code for every GPU named,
and runs. ARCHITECTURE is a compute capability without its dot: 75, 90, 120."""

import os
import re
import struct
import subprocess
import sys

GLIBC = re.compile(r"(libc|libm|libpthread|libdl|librt)\.so\.\d+|ld-linux-x86-64\.so\.2")
FATBIN_MAGIC = struct.pack("<IHH", 0xBA55ED50, 1, 16)  # magic, version, length of the header


def needed(program):
    """Shared libraries that the dynamic section names."""
    text = subprocess.run(["readelf", "-dW", program], check=True, capture_output=True, text=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def architectures(program):
    """Pairs (kind, compute capability) of the device code: kind "ELF" is machine code, "PTX" is compiled when run."""
    data = open(program, "rb").read()
    found = set()
    at = data.find(FATBIN_MAGIC)
    while at >= 0:
        (length,) = struct.unpack_from("<Q", data, at + 8)
        entry, end = at + 16, at + 16 + length
        while entry + 64 <= end:
            kind, _, header, size = struct.unpack_from("<HHIQ", data, entry)
            (capability,) = struct.unpack_from("<I", data, entry + 28)
            found.add(({1: "PTX", 2: "ELF"}.get(kind, str(kind)), capability))
            entry += header + size
        at = data.find(FATBIN_MAGIC, at + 16)
    return found


def main(program, wanted):
    problems = [f"needs {name}" for name in needed(program) if not GLIBC.fullmatch(name)]
    found = architectures(program)
    problems += [f"has no machine code for sm_{w}" for w in wanted if ("ELF", w) not in found]
    if wanted and ("PTX", max(wanted)) not in found:
        problems.append(f"has no PTX of compute_{max(wanted)} for later devices")
    empty = {"PATH": os.environ["PATH"]}
    for arguments in (["--version"], ["bench", "field"], ["doctor"]):
        ran = subprocess.run([program, *arguments], env=empty, capture_output=True, text=True, timeout=300, check=False)
        if ran.returncode != 0 and arguments != ["doctor"] or ran.returncode < 0:
            problems.append(f"{' '.join(arguments)} ended with {ran.returncode}: {ran.stderr.strip()}")
    for problem in problems:
        print(f"{program}: {problem}", file=sys.stderr)
    if not problems:
        names = " ".join(f"sm_{c}" for kind, c in sorted(found) if kind == "ELF")
        print(f"{program}: {os.path.getsize(program) / 1e6:.1f} MB, needs {' '.join(needed(program))}; {names}")
    return bool(problems)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], [int(a) for a in sys.argv[2:]]))
