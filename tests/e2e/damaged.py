"""Truncated, oversized, empty, swapped and bit-flipped files: an error that says where, in seconds, never a proof."""
import os
import shutil

from program import FIXTURES, Case, fixture, key_file, run

C1 = FIXTURES / "sectors" / "porep-2k" / "c1.json"


class Keys(Case):
    """The real key of porep-2k, damaged."""

    def setUp(self):
        super().setUp()
        self.params = self.folder / key_file(".params").name
        self.vk = self.folder / key_file(".vk").name
        shutil.copy(key_file(".vk"), self.vk)
        shutil.copy(key_file(".test.json"), self.folder)

    def link(self):
        os.symlink(key_file(".params").resolve(), self.params)

    def head(self, n, size=None):
        """The first n bytes of the real file, perhaps in a file that is larger and else empty."""
        with open(key_file(".params"), "rb") as source, open(self.params, "wb") as out:
            out.write(source.read(n))
            if size is not None:
                out.truncate(size)

    def prove(self, code=3):
        out = self.folder / "proof.bin"
        result = self.expect(code, "prove", "porep", "--c1", C1, "--params-dir", self.folder, "--out", out, "--quiet",
                             timeout=120)
        self.assertFalse(out.exists())
        return result.err

    def test_truncated(self):
        whole = key_file(".params").stat().st_size
        for n, field in ((0, "alpha"), (100, "beta"), (868, "ic"), (5000, "h")):
            with self.subTest(length=n):
                self.head(n)
                self.assertRegex(self.prove(), r"\.params: .*" + field + r".*expected \d+ .*found \d+")
        self.head(5000, whole - 1)
        self.assertRegex(self.prove(), r"\.params: .*(expected|found)")

    def test_oversized(self):
        self.head(5000, key_file(".params").stat().st_size + 1)
        self.prove()

    def test_huge_count_allocates_nothing(self):
        self.head(864)
        with open(self.params, "ab") as out:
            out.write(b"\xff\xff\xff\xff" + b"\0" * 96)
        self.assertIn("expected", self.prove())

    def test_swapped(self):
        shutil.copy(self.vk, self.params)
        self.prove()
        shutil.copy(FIXTURES / "groth16" / "toy" / "cubic.params", self.params)
        self.assertRegex(self.prove(), r"ic: expected 40 .*found")
        shutil.copy(C1, self.params)
        self.prove()

    def test_points_flipped(self):
        """One bit in the first, a middle and the last section. The head is as it was, so the error comes from use."""
        with open(key_file(".params"), "rb") as source:
            size = os.fstat(source.fileno()).st_size
            for at in (868 + 40 * 96 + 4 + 96 * 1000 + 50, size - 60):
                with self.subTest(offset=at):
                    shutil.copy(key_file(".params"), self.params)
                    with open(self.params, "r+b") as out:
                        out.seek(at)
                        byte = out.read(1)[0]
                        out.seek(at)
                        out.write(bytes([byte ^ 1]))
                    self.assertRegex(self.prove(), r"\.params: (h|b_g2)\b.*(curve|point)")
                    self.params.unlink()

    def test_points_exchanged(self):
        """Every point is good, two are in each other's place: only the proof that does not verify gives it away."""
        shutil.copy(key_file(".params"), self.params)
        at = 868 + 40 * 96 + 4
        with open(self.params, "r+b") as file:
            file.seek(at)
            points = file.read(2 * 96)
            file.seek(at)
            file.write(points[96:] + points[:96])
        self.assertRegex(self.prove(), r"\.params: .*does not verify.*damaged")

    def test_verifying_key(self):
        proof = self.write("proof.bin", bytes.fromhex((FIXTURES / "circom" / "mul" / "proof.bin.hex").read_text().strip()))
        good = self.vk.read_bytes()
        verify = ["verify", "porep", "--c1", C1, "--proof", proof, "--vk", self.vk]
        self.assertEqual(run(*verify).code, 1)  # a proof, but not of this
        for name, data in (("empty", b""), ("truncated", good[:-1]), ("oversized", good + b"\0"),
                           ("flipped", good[:200] + bytes([good[200] ^ 4]) + good[201:])):
            with self.subTest(damage=name):
                self.vk.write_bytes(data)
                self.assertIn(self.vk.name, self.expect(3, *verify).err)


class Snarkjs(Case):
    def check(self, name, data, command, code=(3,)):
        path = self.write(name, data)
        arguments = [path if a == "@" else a for a in command]
        result = run(*arguments, timeout=60)
        self.assertIn(result.code, code, f"{arguments}: {result.out} {result.err}")
        self.assertRegex(result.err, r"(?m)^cuzk: \S*" + name.replace(".", r"\."))

    def test_every_kind_damaged(self):
        circom = FIXTURES / "circom" / "mul"
        out = self.folder / "out.json"
        commands = {
            "r1cs": ["r1cs", "setup", "--r1cs", "@", "--zkey", self.folder / "new.zkey"],
            "wtns": ["r1cs", "prove", "--zkey", circom / "mul.zkey", "--wtns", "@", "--proof", out],
            "zkey": ["r1cs", "prove", "--zkey", "@", "--wtns", circom / "mul.wtns", "--proof", out],
        }
        for kind, command in commands.items():
            good = (circom / f"mul.{kind}").read_bytes()
            with self.subTest(kind=kind, damage="empty"):
                self.check("x." + kind, b"", command)
            for n in range(1, len(good), max(1, len(good) // 40)):
                with self.subTest(kind=kind, truncated=n):
                    self.check("x." + kind, good[:n], command)
            with self.subTest(kind=kind, damage="oversized"):
                self.check("x." + kind, good + b"\0", command)
            for other in commands:
                if other != kind:
                    with self.subTest(kind=kind, swapped=other):
                        self.check("x." + kind, (circom / f"mul.{other}").read_bytes(), command)
        self.assertFalse(out.exists())
        self.assertFalse((self.folder / "new.zkey").exists())

    def test_flipped_bits_never_crash_and_never_prove(self):
        circom = FIXTURES / "circom" / "mul"
        out = self.folder / "out.json"
        good = (circom / "mul.zkey").read_bytes()
        for at in range(0, len(good), max(1, len(good) // 60)):
            with self.subTest(offset=at):
                key = self.write("x.zkey", good[:at] + bytes([good[at] ^ 0x10]) + good[at + 1:])
                result = run("r1cs", "prove", "--zkey", key, "--wtns", circom / "mul.wtns", "--proof", out, timeout=60)
                if result.code == 0:  # the bit plays no part: then the proof must be a proof
                    check = run("r1cs", "verify", "--vkey", circom / "vkey.json", "--proof", out, "--public",
                                circom / "public.json")
                    self.assertEqual(check.code, 0)
                    out.unlink()
                self.assertFalse(out.exists())

    def test_c1_truncated_everywhere(self):
        good = fixture("sectors/porep-2k/c1.json")
        for n in range(0, len(good), len(good) // 60):
            with self.subTest(length=n):
                result = self.expect(3, "inspect", self.write("c1.json", good[:n]))
                self.assertIn("c1.json", result.err)
