#!/usr/bin/env python3
"""Makes the seeds of every fuzz target from the fixtures.

usage: seeds.py FIXTURES OUT    writes OUT/TARGET/NAME
"""
import hashlib
import json
import pathlib
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile


def read(path):
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout
    return path.read_bytes()


def json_lines(path):
    return [json.loads(line) for line in read(path).splitlines() if line.strip()]


def request_form(blobs, proofs):
    """A request at rest (engine/request_form.h), without its digest."""
    return (b"cuzkreq1" + struct.pack("<4I4Q", 1, 2, 0, len(proofs), 2048, 0, 7, 1000)
            + b"".join(struct.pack("<Q", len(x)) for x in blobs + proofs) + b"".join(blobs + proofs))


def submit_request(cut, kind, registered, *blobs):
    """A byte that says how it is cut, and a SubmitProofRequest (proto/cuzk/v1/proving.proto)."""
    def varint(value):
        return bytes([value & 0x7F | 0x80]) + varint(value >> 7) if value > 0x7F else bytes([value])

    def number(field, value):
        return varint(field << 3) + varint(value)

    def string(field, value):
        return varint(field << 3 | 2) + varint(len(value)) + value

    return (bytes([cut]) + string(1, b"porep-1000-7") + number(2, kind) + number(3, 2048) + number(4, registered)
            + number(5, 4) + b"".join(string(field, value) for field, value in blobs) + number(20, 7) + number(21, 1000)
            + number(23, 3) + string(99, b"unknown"))


def journal_row(job, state, result):
    """A job of the journal (engine/journal_row.h)."""
    row = (b"cuzkjob1" + struct.pack("<2Q", job, job) + bytes(64) + struct.pack("<4I3Q2I", 1, 2, state, 0, 2048, 1, 2, 5,
                                                                               len(result)) + b"porep" + result)
    return row + hashlib.sha256(row).digest()[:16]


def journal_files(rows):
    """A database with half of the rows, and its log with the others; as fuzz_journal_pages takes them."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "journal"
        database = sqlite3.connect(path, isolation_level=None)
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        database.execute("CREATE TABLE job (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
        for half in (0, 1):
            for job in range(half, len(rows), 2):
                database.execute("INSERT INTO job VALUES (?, ?)", (job + 1, rows[job]))
            if half == 0:
                database.execute("PRAGMA journal_mode = WAL")
        files = path.read_bytes(), pathlib.Path(f"{path}-wal").read_bytes()
        database.close()
    split = min(255, -(-len(files[0]) * 255 // len(files[0] + files[1])))
    return bytes([split]) + files[0] + files[1]


def compact_circuit(window):
    """Head and one part of two rows, copied twice (circuit/pce.h)."""
    order = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001
    aux = 1 << 31
    words = [0, 1, 3, 0, aux, aux + 2, 0, 1, 0] + [0, 1, 2, aux + 1, 1, 1, 0]  # rows, variables, coefficients of A, B
    body = (b"cuzk-pce" + struct.pack("<2IQ32s12I", 1, 1, 2048, b"0.1.0 unknown", 1, 2, 1, 1, 2, 1, 2, 0, window, 2, 3, 2)
            + (1).to_bytes(32, "little") + (order - 1).to_bytes(32, "little")
            + struct.pack(f"<{len(words)}I", *words) + (struct.pack("<2I", 0, 1) if window else b""))
    return body + hashlib.blake2b(body, digest_size=32).digest()


def derived_key(inputs, bitmap):
    """Domain of two, one aux variable; its points are not looked at (groth16/derived.h)."""
    body = (b"cuzk-drv" + struct.pack("<4I", 1, 1, inputs, 1) + b"p" * 16 + b"c" * 32
            + struct.pack(f"<{len(bitmap)}Q", *bitmap) + b"\x01" * 96 * (3 + sum(word.bit_count() for word in bitmap)))
    table = hashlib.blake2b(body, digest_size=32).digest()
    return body + table + hashlib.blake2b(table, digest_size=32).digest()


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
    for name in ("update-2k/partition-0.bin", "update-32k/partition-1.bin", "update-2k/update.json"):
        yield "update", name.replace("/", "-"), read(fixtures / "sectors" / name)
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
    yield "pce", "plain", compact_circuit(0)
    yield "pce", "window", compact_circuit(1)
    yield "derived", "small", derived_key(2, [3])
    yield "derived", "two-words", derived_key(70, [1 << 63, 1 << 5])
    yield "request", "porep", request_form([b"vanilla", b"", b"", b"", b""], [])
    yield "request", "post", request_form([b"", b"r" * 32, b"", b"", b""], [b"one", b"", b"three"])
    yield "request", "snap", request_form([b"", b"", b"o" * 32, b"n" * 32, b"d" * 39], [b"p" * 500])
    yield "submit", "porep", submit_request(1, 1, 5, (10, b"{}" * 40))
    yield "submit", "snap", submit_request(2, 2, 0, (11, b"one"), (11, b""), (30, b"o" * 32), (31, b"n" * 32),
                                           (32, bytes.fromhex("0181e203922020") + b"d" * 32))
    yield "submit", "window", submit_request(3, 3, 10, (11, b"v" * 300), (22, b"r" * 32))
    yield "submit", "twice", submit_request(4, 4, 0, (22, b"r" * 32), (22, b"s" * 32), (10, b"a"), (10, b"bc"))
    for state, result in enumerate((b"", b"p" * 192, b"constraint 7", b"")):
        yield "journal_row", f"state-{state}", journal_row(9, state, result)
    mark = b"cuzkmark" + struct.pack("<2Q", 3, 1024)
    yield "journal_row", "mark", mark + hashlib.sha256(mark).digest()[:16]
    yield "journal_pages", "small", journal_files([journal_row(job, 1, b"p" * 192) for job in range(1, 7)])
    yield "journal_pages", "overflow", journal_files([journal_row(1, 1, b"p" * 9000), journal_row(2, 2, b"e")])


def main():
    fixtures, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    shutil.rmtree(out, ignore_errors=True)
    for target, name, data in seeds(fixtures):
        folder = out / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
