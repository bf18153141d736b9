#!/usr/bin/env python3
"""Makes the test key of porep-2k that the heavy tests share, unless a run before left it.

usage: test_key.py CUZK FOLDER
"""
import pathlib
import subprocess
import sys

SEED = "7e57" * 16


def main():
    cuzk, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    manifests = list(folder.glob("*.test.json"))
    if manifests and SEED in manifests[0].read_text():
        print("the key of an earlier run is kept")
        return 0
    for left in folder.glob("v28-*"):
        left.unlink()
    return subprocess.run([cuzk, "setup", "porep-2k", "--out", folder, "--seed", SEED, "--quiet"]).returncode


if __name__ == "__main__":
    sys.exit(main())
