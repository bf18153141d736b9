"""WinningPoSt and WindowPoSt from vanilla proofs to verified proofs, and what may not be proved."""
import json

from program import FIXTURES, Case, run

SECTORS = FIXTURES / "sectors"


class Post(Case):
    def params(self, circuit):
        folder = self.folder / "params"
        self.expect(0, "setup", circuit, "--out", folder, "--backend", "cpu", "--quiet")
        return ["--params-dir", folder]

    def files(self, name):
        return sorted((SECTORS / name).glob("vanilla-*.bin"))

    def test_winning(self):
        params = self.params("winning-2k")
        request, proof = SECTORS / "winning-2k" / "post.json", self.folder / "proof.bin"
        report = self.expect(0, "prove", "winning", "--request", request, "--in", *self.files("winning-2k"), *params,
                             "--out", proof, "--backend", "cpu", "--json").json()
        self.assertEqual((report["kind"], report["circuit"], report["verified"]), ("winning", "winning-2k", True))
        self.assertEqual(proof.stat().st_size, 192)
        against = ["--proof", proof, *params]
        self.expect(0, "verify", "winning", "--request", request, *against)
        other = json.loads(request.read_text())
        other["randomness"] = "00" + other["randomness"][2:]
        self.expect(1, "verify", "winning", "--request", self.write("other.json", json.dumps(other)), *against)
        # the top bits of randomness do not count, its length does
        top = json.loads(request.read_text())
        top["randomness"] = top["randomness"][:-2] + "%02x" % (int(top["randomness"][-2:], 16) | 0xc0)
        self.expect(0, "verify", "winning", "--request", self.write("top.json", json.dumps(top)), *against)
        top["randomness"] += "00"
        result = self.expect(3, "verify", "winning", "--request", self.write("long.json", json.dumps(top)), *against)
        self.assertIn("randomness", result.err)
        self.expect(2, "verify", "winning", *against)

    def test_window(self):
        params = self.params("wpost-2k")
        proofs = {}
        for name, partitions in (("window-2k", 1), ("window-2k-pad", 1), ("window-2k-3", 2), ("window-2k-3-v1", 2)):
            request, proof = SECTORS / name / "post.json", self.folder / name
            self.expect(0, "prove", "wpost", "--request", request, "--out", proof, "--backend", "cpu", *params,
                        *reversed(self.files(name)))
            self.assertEqual(proof.stat().st_size, 192 * partitions)
            self.expect(0, "verify", "wpost", "--request", request, "--proof", proof, *params)
            proofs[name] = proof
        vk = next((self.folder / "params").glob("*.vk"))
        public = SECTORS / "window-2k-3" / "public_inputs.json"
        self.expect(0, "verify", "wpost", "--public", public, "--vk", vk, "--proof", proofs["window-2k-3"])
        self.expect(1, "verify", "wpost", "--request", SECTORS / "window-2k-3-v1" / "post.json", "--proof",
                    proofs["window-2k-3"], *params)
        whole = proofs["window-2k-3"].read_bytes()
        swapped = self.write("swapped", whole[192:] + whole[:192])
        self.expect(1, "verify", "wpost", "--request", SECTORS / "window-2k-3" / "post.json", "--proof", swapped, *params)

        # one partition of the two
        request = json.loads((SECTORS / "window-2k-3-v1" / "post.json").read_text())
        request["partition_index"] = 1
        second = self.write("second.json", json.dumps(request))
        self.expect(0, "prove", "wpost", "--request", second, "--in", SECTORS / "window-2k-3-v1" / "vanilla-42.bin",
                    "--out", self.folder / "second", "--backend", "cpu", *params)
        self.expect(0, "verify", "wpost", "--request", second, "--proof", self.folder / "second", *params)

    def test_own_sectors(self):
        params = self.params("wpost-2k")
        for number in (9, 4):
            self.expect(0, "seal", "--sector-size", "2KiB", "--sector-id", number, "--out", self.folder / str(number))
        made = self.folder / "made"
        self.expect(0, "vanilla", "wpost", "--sector", self.folder / "9", "--sector", self.folder / "4", "--randomness",
                    "ff" * 32, "--out", made)
        self.expect(0, "synth", "wpost", "--sector-size", "2KiB", "--sectors", 3, "--seed", 1, "--out", self.folder / "synth")
        for folder, partitions in ((made, 1), (self.folder / "synth", 2)):
            request, proof = folder / "post.json", folder / "proof"
            self.expect(0, "prove", "wpost", "--request", request, "--out", proof, "--backend", "cpu", *params,
                        *sorted(folder.glob("vanilla-*.bin")))
            self.assertEqual(proof.stat().st_size, 192 * partitions)
            self.expect(0, "verify", "wpost", "--request", request, "--proof", proof, *params)
        self.expect(3, "vanilla", "wpost", "--sector", self.folder / "9", "--sector", self.folder / "9", "--randomness",
                    "00" * 32, "--out", self.folder / "twice")
        self.assertFalse((self.folder / "twice" / "post.json").exists())

    def test_refused(self):
        request, first = SECTORS / "window-2k" / "post.json", SECTORS / "window-2k" / "vanilla-1.bin"
        wpost = ["prove", "wpost", "--backend", "cpu", "--params-dir", self.folder]
        cases = (
            (3, [request, first], "sector 2"),
            (3, [request, first, first], "twice"),
            (1, [request, first, SECTORS / "window-2k-3" / "vanilla-2.bin"], "sector 2: challenge"),
            (3, [request, *self.files("window-2k-3")], "sector 42"),
            (3, [SECTORS / "winning-2k" / "post.json", first], "registered_proof"),
            (3, [request, first, self.write("cut", first.read_bytes()[:-1])], "comm_r_last"),
            (3, [request, first, self.write("more", first.read_bytes() + b"x")], "more"),
            (2, [request], "--in"),
        )
        for code, (given, *files), named in cases:
            result = run(*wpost, "--request", given, *files)
            self.assertEqual(result.code, code, result.err)
            self.assertIn(named, result.err)
            self.assertNotIn("parameters", result.err.split("\n")[0])
        missing = run("prove", "winning", "--backend", "cpu", "--params-dir", self.folder, "--request",
                      SECTORS / "winning-2k" / "post.json", *self.files("winning-2k"))
        self.assertEqual(missing.code, 4)
