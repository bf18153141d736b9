"""Every kind of proof from a sector that the program sealed itself: seal, vanilla proofs, proof, verification."""
import json
import time
import unittest

from program import FIXTURES, Case, kept_key


class Journey(Case):
    """One sector's whole life at a size; `keys(circuit)` is the folder of a circuit's key."""
    size = suffix = None

    def timed(self, what, *arguments):
        begin = time.monotonic()
        result = self.expect(0, *arguments, timeout=1800)
        print(f"{self.suffix} {what}: {time.monotonic() - begin:.1f} s", flush=True)
        return result

    def keys(self, circuit):
        folder = self.folder / "keys" / circuit
        if not folder.exists():
            self.timed("setup " + circuit, "setup", f"{circuit}-{self.suffix}", "--out", folder, "--quiet")
        return folder

    def seal(self, number):
        folder = self.folder / f"sealed-{number}"
        self.timed("seal", "seal", "--sector-size", self.size, "--sector-id", number, "--seed", "%064x" % number, "--out",
                   folder, "--quiet")
        return folder

    def prove(self, kind, request, files):
        """Proves and verifies; the proof's bytes."""
        proof, params = self.folder / (kind + ".proof"), ["--params-dir", self.keys(kind)]
        self.timed("prove " + kind, "prove", kind, *request, *files, *params, "--out", proof, "--quiet", "--backend", "cpu")
        self.expect(0, "verify", kind, *request, "--proof", proof, *params)
        return proof.read_bytes()

    def post(self, kind, *sectors):
        folder = self.folder / ("vanilla-" + kind)
        self.timed("vanilla " + kind, "vanilla", kind, *[word for s in sectors for word in ("--sector", s)], "--randomness",
                   "5a" * 32, "--out", folder)
        return self.prove(kind, ["--request", folder / "post.json"], ["--in", *sorted(folder.glob("vanilla-*.bin"))])

    def update(self, sector):
        folder = self.folder / "updated"
        self.timed("vanilla snap", "vanilla", "snap", "--sector", sector, "--seed", "77" * 32, "--out", folder)
        parts = sorted(folder.glob("partition-*.bin"))
        proof = self.prove("snap", ["--request", folder / "update.json"], [w for p in parts for w in ("--in", p)])
        self.assertEqual(len(proof), 192 * len(parts))
        return folder


class Small(Journey):
    size, suffix = "2KiB", "2k"

    def keys(self, circuit):
        return kept_key("snap-2k") if circuit == "snap" else super().keys(circuit)

    def test_post_and_update(self):
        sealed, other = self.seal(7), self.seal(3)
        self.post("winning", sealed)
        updated = self.update(sealed)
        against = ["--proof", self.folder / "snap.proof", "--params-dir", self.keys("snap")]
        request = json.loads((updated / "update.json").read_text())
        request["comm_d_new"] = "01" + request["comm_d_new"][2:]
        self.expect(1, "verify", "snap", "--request", self.write("other.json", json.dumps(request)), *against)
        self.expect(2, "verify", "snap", *against)
        # the sector's new replica is what the network asks for from now on
        self.post("wpost", updated, other)
        request = json.loads((self.folder / "vanilla-wpost" / "post.json").read_text())
        comm_r = {s["sector_id"]: s["comm_r"] for s in request["sectors"]}
        self.assertEqual(comm_r[7], json.loads((updated / "update.json").read_text())["comm_r_new"])

    def test_update_equals_the_reference(self):
        """The recorded sector with the recorded data becomes the recorded update, byte for byte."""
        update, out = FIXTURES / "sectors" / "update-2k", self.folder / "updated"
        self.expect(0, "vanilla", "snap", "--sector", FIXTURES / "sectors" / "porep-2k", "--piece", update / "piece.bin",
                    "--out", out)
        for name in ("partition-0.bin", "replica_new.bin", "data.bin"):
            self.assertEqual((out / name).read_bytes(), (update / name).read_bytes(), name)
        got, want = (json.loads((folder / "update.json").read_text()) for folder in (out, update))
        for name in ("sector_size", "comm_r_old", "comm_r_new", "comm_d_new"):
            self.assertEqual(got[name], want[name])
        self.expect(4, "vanilla", "snap", "--sector", FIXTURES / "sectors" / "porep-2k", "--out", out)

    def test_synthetic_update_is_reproducible(self):
        for name in ("one", "two"):
            self.expect(0, "synth", "snap", "--sector-size", "8MiB", "--seed", 5, "--out", self.folder / name)
        for file in (self.folder / "one").iterdir():
            self.assertEqual(file.read_bytes(), (self.folder / "two" / file.name).read_bytes())
        self.assertEqual(len(list((self.folder / "one").iterdir())), 5)

    def test_what_cannot_be_updated(self):
        sealed = self.seal(1)
        big = self.write("big", b"x" * 2033)
        result = self.expect(2, "vanilla", "snap", "--sector", sealed, "--piece", big, "--out", self.folder / "out")
        self.assertIn("piece", result.err)
        replica = bytearray((sealed / "sealed.bin").read_bytes())
        replica[95] = 0xff
        (sealed / "sealed.bin").write_bytes(replica)
        result = self.expect(3, "vanilla", "snap", "--sector", sealed, "--out", self.folder / "out")
        self.assertIn("node 2", result.err)
        (sealed / "sealed.bin").write_bytes(replica[:-1])
        self.expect(3, "vanilla", "snap", "--sector", sealed, "--out", self.folder / "out")
        self.assertFalse((self.folder / "out").exists())


class Large(Journey):
    size, suffix = "8MiB", "8m"

    def test_every_kind(self):
        sealed = self.seal(7)
        self.post("winning", sealed)
        updated = self.update(sealed)
        self.post("wpost", updated, self.seal(3))
        self.prove("porep", ["--c1", sealed / "c1.json"], [])


if __name__ == "__main__":
    unittest.main()
