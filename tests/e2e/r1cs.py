"""Circom circuits: snarkjs' files in, snarkjs' files out."""
import json
import shutil

from program import FIXTURES, Case, run

CIRCOM = FIXTURES / "circom"


class Circom(Case):
    def test_keys_of_snarkjs_prove(self):
        for name in ("mul", "mimc"):
            with self.subTest(circuit=name):
                source, proof, public = CIRCOM / name, self.folder / "proof.json", self.folder / "public.json"
                report = self.expect(0, "r1cs", "prove", "--zkey", source / f"{name}.zkey", "--wtns",
                                     source / f"{name}.wtns", "--r1cs", source / f"{name}.r1cs", "--proof", proof,
                                     "--public", public, "--json").json()
                self.assertTrue(report["verified"])
                self.assertEqual(json.loads(public.read_text()), json.loads((source / "public.json").read_text()))
                self.expect(0, "r1cs", "verify", "--vkey", source / "vkey.json", "--proof", proof, "--public", public)
                proof.unlink()

    def test_proofs_of_snarkjs_verify(self):
        for name in ("mul", "mimc"):
            source = CIRCOM / name
            self.expect(0, "r1cs", "verify", "--vkey", source / "vkey.json", "--proof", source / "proof.json",
                        "--public", source / "public.json")

    def test_changed_public_signal_is_invalid(self):
        source = CIRCOM / "mul"
        signals = json.loads((source / "public.json").read_text())
        signals[0] = str(int(signals[0]) + 1)
        public = self.write("public.json", json.dumps(signals))
        verdict = self.expect(1, "r1cs", "verify", "--vkey", source / "vkey.json", "--proof", source / "proof.json",
                              "--public", public, "--json").json()
        self.assertFalse(verdict["valid"])
        longer = self.write("longer.json", json.dumps(signals + ["1"]))
        self.expect(3, "r1cs", "verify", "--vkey", source / "vkey.json", "--proof", source / "proof.json", "--public",
                    longer)

    def test_own_setup_proves(self):
        source = CIRCOM / "mimc"
        zkey, vkey = self.folder / "own.zkey", self.folder / "vkey.json"
        proof, public = self.folder / "proof.json", self.folder / "public.json"
        result = self.expect(0, "r1cs", "setup", "--r1cs", source / "mimc.r1cs", "--zkey", zkey, "--vkey", vkey)
        self.assertIn("TEST PARAMETERS", result.err)
        self.expect(0, "r1cs", "prove", "--zkey", zkey, "--wtns", source / "mimc.wtns", "--proof", proof, "--public",
                    public)
        self.expect(0, "r1cs", "verify", "--vkey", vkey, "--proof", proof, "--public", public)
        self.expect(1, "r1cs", "verify", "--vkey", source / "vkey.json", "--proof", proof, "--public", public)
        self.expect(4, "r1cs", "setup", "--r1cs", source / "mimc.r1cs", "--zkey", zkey)

    def test_unsatisfied_witness_names_the_constraint(self):
        source, out = CIRCOM / "mimc", self.folder / "proof.json"
        witness = bytearray((source / "mimc.wtns").read_bytes())
        witness[-32] ^= 1  # the last wire's value
        bad = self.write("bad.wtns", bytes(witness))
        command = ["r1cs", "prove", "--zkey", source / "mimc.zkey", "--wtns", bad, "--proof", out]
        named = self.expect(3, *command, "--r1cs", source / "mimc.r1cs")
        self.assertRegex(named.err, r"constraint \d+")
        unnamed = self.expect(3, *command)
        self.assertIn("hint: give --r1cs", unnamed.err)
        self.assertFalse(out.exists())

    def test_outputs_are_checked_before_the_work(self):
        source, proof = CIRCOM / "mul", self.folder / "proof.json"
        prove = ("r1cs", "prove", "--zkey", source / "mul.zkey", "--wtns", source / "mul.wtns")
        self.assertIn("--public: ", self.expect(4, *prove, "--proof", proof, "--public", self.folder / "no" / "x").err)
        self.assertIn("directory", self.expect(2, *prove, "--proof", self.folder).err)
        self.assertEqual(self.expect(2, *prove, "--proof", "-", "--json").json()["error"]["exit_code"], 2)
        key = self.folder / "mul.zkey"
        self.expect(4, "r1cs", "setup", "--r1cs", source / "mul.r1cs", "--zkey", key, "--vkey", self.folder / "no" / "x")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_endless_input_is_refused(self):
        result = self.expect(3, "r1cs", "prove", "--zkey", CIRCOM / "mul" / "mul.zkey", "--wtns", "/dev/zero", "--proof",
                             self.folder / "proof.json")
        self.assertIn("/dev/zero: expected at most 1073741824 bytes, found more", result.err)

    def test_files_of_other_circuits_are_refused(self):
        out = self.folder / "proof.json"
        self.expect(3, "r1cs", "prove", "--zkey", CIRCOM / "mul" / "mul.zkey", "--wtns", CIRCOM / "mimc" / "mimc.wtns",
                    "--proof", out)
        self.expect(3, "r1cs", "prove", "--zkey", CIRCOM / "mul" / "mul.zkey", "--wtns", CIRCOM / "mul" / "mul.wtns",
                    "--r1cs", CIRCOM / "mimc" / "mimc.r1cs", "--proof", out)
        self.assertFalse(out.exists())
