#!/usr/bin/env python3
"""Writes a C file that holds the bytes of a file: const unsigned char NAME[] and const unsigned long NAME_length.

usage: embed.py FILE NAME OUT.c
"""
import pathlib
import sys


def main():
    source, name, out = sys.argv[1:]
    data = pathlib.Path(source).read_bytes()
    lines = (",".join(map(str, data[i : i + 32])) for i in range(0, len(data), 32))
    pathlib.Path(out).write_text(
        f"extern const unsigned char {name}[];\nextern const unsigned long {name}_length;\n"
        f"const unsigned char {name}[] = {{\n" + ",\n".join(lines) + f"\n}};\nconst unsigned long {name}_length = {len(data)};\n"
    )


if __name__ == "__main__":
    main()
