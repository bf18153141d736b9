#!/usr/bin/env python3
"""Fails when a source file includes a header of a layer above its own.

usage: check_layers.py [SRC]          check every C and CUDA source and header under SRC (default: src)
       check_layers.py --self-test    prove that an upward include is noticed

The order is that of ARCHITECTURE.md. Layers on one line may not include each other, except where ALSO says so.
"""
import pathlib
import re
import sys
import tempfile

ORDER = [
    {"base"},
    {"field"},
    {"hash", "curve"},
    {"poly", "msm", "pairing"},
    {"r1cs"},
    {"backend"},
    {"groth16"},
    {"circuit"},
    {"filecoin"},
    {"srs", "engine"},
    {"capi", "server", "cli", "bench"},
]
# (from, to): a neighbour on the same line that may be used.
ALSO = {("engine", "srs"), ("server", "bench"), ("cli", "bench"), ("cli", "server"), ("msm", "poly"), ("pairing", "msm")}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
RANK = {layer: rank for rank, layers in enumerate(ORDER) for layer in layers}


def violations(root):
    """Yields one line of text for every include that looks up or sideways, and for every unknown layer."""
    for path in sorted(p for p in root.rglob("*") if p.suffix in {".c", ".h", ".cu", ".cuh", ".cpp"}):
        layer = path.relative_to(root).parts[0]
        if layer not in RANK:
            yield f"{path}: layer '{layer}' is not in the order"
            continue
        for header in INCLUDE.findall(path.read_text(errors="replace")):
            target = header.split("/")[0] if "/" in header else None
            if target is None or target not in RANK or target == layer:
                continue
            if RANK[target] > RANK[layer]:
                yield f"{path}: {layer} includes {header}, which lies above it"
            elif RANK[target] == RANK[layer] and (layer, target) not in ALSO:
                yield f"{path}: {layer} includes {header}, which lies beside it"


def self_test():
    """The check must fail on an upward and on a sideways include, and pass on a downward one."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "field").mkdir()
        (root / "hash").mkdir()
        source = root / "field" / "x.c"
        source.write_text('#include "base/error.h"\n#include <groth16/vk.h>\n#include "fp.h"\n')
        assert not list(violations(root)), "a downward include was refused"
        source.write_text('#include "groth16/vk.h"\n')
        assert len(list(violations(root))) == 1, "an upward include was not noticed"
        source.write_text("")
        (root / "hash" / "y.h").write_text('  #  include "curve/g1.h"\n')
        assert len(list(violations(root))) == 1, "a sideways include was not noticed"
        (root / "attic").mkdir()
        (root / "attic" / "z.c").write_text("")
        assert len(list(violations(root))) == 2, "an unknown layer was not noticed"
    print("check_layers: self-test passed")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "src")
    found = list(violations(root))
    print("\n".join(found) if found else f"check_layers: every include in {root} looks down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
