"""The damaged C1 outputs of fixtures/sectors/malformed: each ends as its record says, and never in a proof."""
import copy
import hashlib
import json

from program import FIXTURES, Case, fixture, run, test_key

CASES = [json.loads(line) for line in fixture("sectors/malformed/malformed.jsonl").splitlines()]
POREP = [case for case in CASES if case["base"].startswith("porep-")]
OTHERS = [case for case in CASES if not case["base"].startswith("porep-")]


def walk(value, path):
    for step in path:
        value = value[step]
    return value


def edit(document, case):
    """The operations on parsed JSON."""
    op, path = case["op"], case.get("path", [])
    if op == "reverse-keys":
        return dict(reversed(list(document.items())))
    if op in ("swap", "copy"):
        source = case["path2"] if op == "swap" else case["from"]
        one, other = copy.deepcopy(walk(document, path)), copy.deepcopy(walk(document, source))
        walk(document, path[:-1])[path[-1]] = other
        if op == "swap":
            walk(document, source[:-1])[source[-1]] = one
        return document
    parent = walk(document, path[:-1])
    if op == "set":
        parent[path[-1]] = case["value"]
    elif op == "xor":
        parent[path[-1]] ^= case["value"]
    elif op == "delete":
        del parent[path[-1]]
    elif op == "pop":
        parent[path[-1]].pop()
    elif op == "append-copy":
        parent[path[-1]].append(copy.deepcopy(parent[path[-1]][-1]))
    else:
        raise AssertionError(op)
    return document


def build(case):
    data = bytearray(fixture("sectors/" + case["base"]))
    op = case["op"]
    if op == "empty":
        data = bytearray()
    elif op == "set-byte":
        data[case["offset"]] = case["value"]
    elif op == "xor-byte":
        data[case["offset"]] ^= case["value"]
    elif op == "set-bytes":
        patch = bytes.fromhex(case["hex"])
        data[case["offset"]:case["offset"] + len(patch)] = patch
    elif op == "truncate":
        del data[case["length"]:]
    elif op == "append":
        data += bytes.fromhex(case["hex"])
    elif op == "prepend":
        data[:0] = bytes.fromhex(case["hex"]) * case.get("times", 1)
    elif op == "replace-string":
        data = bytearray(data.decode().replace(case["find"], case["with"], 1).encode())
    elif op == "insert-key-nested":
        at = data.index(b"{") + 1
        data[at:at] = b'"x":' + b"[" * case["depth"] + b"]" * case["depth"] + b","
    elif op == "pretty":
        data = bytearray(json.dumps(json.loads(data), indent=2).encode())
    elif op != "none":
        data = bytearray(json.dumps(edit(json.loads(data), case), separators=(",", ":")).encode())
    return bytes(data)


class Malformed(Case):
    def owner(self, case):
        sector = json.loads(fixture("sectors/" + case["base"].split("/")[0] + "/sector.json"))
        given = dict(sector, **case.get("args", {}))
        return ["--prover-id", given["prover_id"], "--sector-number", given["sector_id"]]

    def test_there_are_as_many_cases_as_promised(self):
        self.assertGreaterEqual(len(POREP), 80)

    def test_every_case(self):
        for case in POREP:
            with self.subTest(case=case["name"]):
                data = build(case)
                self.assertEqual(len(data), case["result_len"])
                self.assertEqual(hashlib.sha256(data).hexdigest(), case["result_sha256"])
                c1, out = self.write("c1.json", data), self.folder / "proof.bin"
                owner = self.owner(case)
                if case["expect"] == "valid":
                    result = run("inspect", c1, *owner)
                    self.assertIn(result.code, (0, 1, 3) if case.get("lenient") else (0,), result.err)
                    continue
                if case.get("lenient"):  # either answer is right; a crash or a hang is not
                    run("inspect", c1, *owner)
                    continue
                result = run("prove", "porep", "--c1", c1, "--params-dir", test_key(), "--out", out, *owner)
                allowed = {"parse-error": (3,), "invalid-proof-data": (3, 1), "must-not-verify": (1, 3)}[case["expect"]]
                self.assertIn(result.code, allowed, result.err)
                self.assertRegex(result.err, r"(?m)^cuzk: \S+c1\.json: .+")
                self.assertFalse(out.exists())


class Vanilla(Case):
    """The same of PoSt and update vanilla proofs. No key is there: what is bad must be refused before one is wanted."""

    def command(self, case, vanilla):
        folder = FIXTURES / "sectors" / case["base"].split("/")[0]
        kind = folder.name.split("-")[0]
        if kind == "update":
            return ["prove", "snap", "--request", folder / "update.json", "--in", vanilla]
        beside = [folder / "vanilla-2.bin"] if kind == "window" else []
        return ["prove", "wpost" if kind == "window" else kind, "--request", folder / "post.json", "--in", vanilla, *beside]

    def test_every_case(self):
        self.assertGreaterEqual(len(OTHERS), 24)
        for case in OTHERS:
            with self.subTest(case=case["name"]):
                data = build(case)
                self.assertEqual(hashlib.sha256(data).hexdigest(), case["result_sha256"])
                vanilla = self.write("vanilla.bin", data)
                result = run(*self.command(case, vanilla), "--params-dir", self.folder)
                seen = run("inspect", vanilla)
                if case["expect"] == "valid":
                    self.assertEqual((result.code, seen.code), (4, 0), result.err + seen.err)  # only the key is missing
                    continue
                allowed = {"parse-error": (3, ), "invalid-proof-data": (3, 1), "must-not-verify": (1, 3)}[case["expect"]]
                self.assertIn(result.code, allowed, result.err)
                self.assertNotIn("parameters", result.err.split("\n")[0])
                self.assertIn(seen.code, (3, ) if case["expect"] == "parse-error" else (0, 1, 3), seen.err)
