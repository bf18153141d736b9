#!/usr/bin/env python3
"""Makes the seeds of every fuzz target from the fixtures.

usage: seeds.py FIXTURES OUT    writes OUT/TARGET/NAME
"""
import json
import pathlib
import random
import shutil
import subprocess
import sys


def read(path):
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout
    return path.read_bytes()


def json_lines(path):
    return [json.loads(line) for line in read(path).splitlines() if line.strip()]


def seeds(fixtures):
    """Yields (target, name, bytes)."""
    groth16, circom = fixtures / "groth16", fixtures / "circom"
    timeline = {"cuzk_timeline": 1, "title": "t", "events": [
        {"lane": "cpu", "stage": "witness", "partition": 0, "begin_ns": 0, "end_ns": 5},
        {"lane": "cpu", "stage": "msm h", "partition": None, "begin_ns": 5, "end_ns": 9}]}
    yield "timeline", "two", json.dumps(timeline).encode()
    yield "json", "values", b'{"a":[1,-2.5e3,true,false,null,"x\\u0041\\n"],"b":{}}'
    for circuit in ("mul", "mimc"):
        for name in ("vkey.json", "proof.json", "public.json"):
            yield "json", f"{circuit}-{name}", read(circom / circuit / name)
            yield "snarkjs_json", f"{circuit}-{name}", read(circom / circuit / name)
        for kind in ("r1cs", "wtns", "zkey"):
            data = read(circom / circuit / f"{circuit}.{kind}")
            if len(data) < 1 << 20:
                yield kind, circuit, data
    for path in sorted((groth16 / "toy").glob("*")):
        data = read(path)
        if len(data) > 1 << 20:
            continue
        if path.suffix == ".vk":
            yield "vk", path.stem, data
            for k, at in enumerate((0, 192, 868)):
                yield "points", f"{path.stem}-raw-{k}", data[at:at + 192]
        elif path.suffix == ".params":
            yield "params", path.stem, data
        elif ".r1cs" in path.suffixes:
            yield "stream", path.name.split(".")[0], data
    cases = json_lines(groth16 / "verify" / "cases.jsonl")
    for case in cases:
        proof = case["proof"]
        if isinstance(proof, str) and len(proof) % 2 == 0:
            yield "proof", case["name"].replace("/", "_").replace(" ", "_"), bytes.fromhex(proof)
            if len(proof) >= 384:
                yield "points", case["name"].replace("/", "_").replace(" ", "_") + "-g1", bytes.fromhex(proof[:96])
                yield "points", case["name"].replace("/", "_").replace(" ", "_") + "-g2", bytes.fromhex(proof[96:288])
    for folder in ("winning-2k", "window-2k", "window-32k"):
        for path in sorted((fixtures / "sectors" / folder).glob("vanilla-*.bin"))[:1]:
            yield "post", f"{folder}-vanilla", read(path)
        yield "post", f"{folder}-public", read(fixtures / "sectors" / folder / "post.json")
    inputs = json.dumps({"inputs": cases[0]["inputs"]})
    yield "public", "object", inputs.encode()
    yield "public", "lines", (inputs + "\n" + inputs + "\n").encode()
    yield "public", "arrays", json.dumps([cases[0]["inputs"], cases[0]["inputs"]]).encode()
    yield "public", "empty-list", b'{"inputs": []}'
    for folder in ("porep-2k", "porep-2k-v1", "porep-4k", "porep-32k"):
        for name in ("c1.json", "c1.json.zst", "c1_wrapped.json", "c1_wrapped.json.zst"):
            path = fixtures / "sectors" / folder / name
            if path.exists():
                yield "c1", f"{folder}-{name}", read(path)
    for number in range(14):  # one per preset: a configuration, then events
        events = random.Random(number)
        yield "sched", f"preset-{number}", bytes([number]) + events.randbytes(11 + 4 * 200)
    for offset in (4, 8, 12, 16, 20, 24, 32, 40, 800, 4900):  # fields of a device's message, and texts without end
        yield "device_wire", f"at-{offset}", offset.to_bytes(4, "little") + b"\xff" * 4200


def main():
    fixtures, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    shutil.rmtree(out, ignore_errors=True)
    for target, name, data in seeds(fixtures):
        folder = out / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
