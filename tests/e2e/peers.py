"""Proofs judged by other people's implementations (tests/peers). Needs Node >= 20.19 and the npm registry once."""
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from program import BUILD, FIXTURES, Case, kept_key, run, test_key

PEERS = pathlib.Path(__file__).parent.parent / "peers"
C1 = FIXTURES / "sectors" / "porep-2k" / "c1.json"
PUBLIC = FIXTURES / "sectors" / "porep-2k" / "public_inputs.json"
REQUIRED = os.environ.get("CUZK_REQUIRE_PEERS") == "1"


def node_version():
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return None
    found = re.match(r"v(\d+)\.(\d+)", subprocess.run([node, "--version"], capture_output=True, text=True).stdout)
    return (int(found[1]), int(found[2])) if found else None


def installed():
    """The folder of the peers with their packages, made once for a build; a reason in its place where that fails."""
    if (node_version() or (0, 0)) < (20, 19):
        return None, "Node >= 20.19 with npm is not here"
    with open(BUILD / "peers.lock", "w") as lock:  # the dashboard's test may want it at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        return install(BUILD / "peers", (PEERS / "package.json").read_text())


def install(folder, wanted):
    if not (folder / "done").exists() or (folder / "done").read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(PEERS, folder)
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=folder, capture_output=True,
                              text=True)
        if done.returncode != 0:
            return None, "npm install failed: " + done.stderr[-300:]
        (folder / "done").write_text(wanted)
    return folder, None


class Peers(Case):
    @classmethod
    def setUpClass(cls):
        cls.peers, reason = installed()
        if cls.peers is None:
            raise AssertionError("the peer tests cannot run here: " + reason)

    def node(self, script, *arguments):
        return subprocess.run(["node", script, *map(str, arguments)], cwd=self.peers, capture_output=True, text=True,
                              timeout=120)

    def test_noble_accepts_our_porep_proof_and_refuses_a_changed_input(self):
        proof = self.folder / "proof.bin"
        self.expect(0, "prove", "porep", "--c1", C1, "--params-dir", test_key(), "--out", proof, "--quiet")
        vk = next(test_key().glob("*.vk")).resolve()
        good = self.node("verify_bytes.mjs", vk, proof, PUBLIC)
        self.assertEqual(good.returncode, 0, good.stdout + good.stderr)
        changed = json.loads(PUBLIC.read_text())
        changed["inputs"][0] = changed["inputs"][1]
        other = self.write("public.json", json.dumps(changed))
        self.assertEqual(self.node("verify_bytes.mjs", vk, proof, other).returncode, 1)
        self.expect(1, "verify", "porep", "--public", other, "--proof", proof, "--vk", vk)

    def noble_judges(self, kind, vk, proof, public):
        """Noble accepts a proof against recorded public inputs, and refuses it with one of them changed; so do we."""
        against = ["verify", kind, "--proof", proof, "--vk", vk, "--public"]
        self.expect(0, *against, public)
        good = self.node("verify_bytes.mjs", vk, proof, public)
        self.assertEqual(good.returncode, 0, good.stdout + good.stderr)
        lines = [json.loads(line) for line in public.read_text().splitlines()]
        lines[-1]["inputs"][1] = lines[-1]["inputs"][0]
        other = self.write("other.json", "\n".join(json.dumps(line) for line in lines))
        self.assertEqual(self.node("verify_bytes.mjs", vk, proof, other).returncode, 1)
        self.expect(1, *against, other)

    def test_post_proofs(self):
        sectors, params = FIXTURES / "sectors", self.folder / "params"
        for kind in ("winning", "wpost"):
            self.expect(0, "setup", kind + "-2k", "--out", params / kind, "--backend", "cpu", "--quiet")
        for kind, name in (("winning", "winning-2k"), ("wpost", "window-2k"), ("wpost", "window-2k-pad"),
                           ("wpost", "window-2k-3"), ("wpost", "window-2k-3-v1")):
            with self.subTest(sectors=name):
                proof = self.folder / name
                self.expect(0, "prove", kind, "--request", sectors / name / "post.json", "--params-dir", params / kind,
                            "--backend", "cpu", "--out", proof, *sorted((sectors / name).glob("vanilla-*.bin")))
                self.noble_judges(kind, next((params / kind).glob("*.vk")), proof, sectors / name / "public_inputs.json")

    def test_update_proof(self):
        update, proof = FIXTURES / "sectors" / "update-2k", self.folder / "proof.bin"
        self.expect(0, "prove", "snap", "--request", update / "update.json", "--in", update / "partition-0.bin",
                    "--params-dir", kept_key("snap-2k"), "--backend", "cpu", "--out", proof, "--quiet")
        self.noble_judges("snap", next(kept_key("snap-2k").glob("*.vk")), proof, update / "public_inputs.json")

    def circom_proof(self, name):
        """A folder with our proof and public signals of a circom fixture, and snarkjs' verification key."""
        source = FIXTURES / "circom" / name
        out = self.folder / name
        out.mkdir()
        self.expect(0, "r1cs", "prove", "--zkey", source / f"{name}.zkey", "--wtns", source / f"{name}.wtns", "--proof",
                    out / "proof.json", "--public", out / "public.json")
        shutil.copy(source / "vkey.json", out / "vkey.json")
        return out

    def test_snarkjs_noble_and_mcl_accept_our_circom_proofs(self):
        for name in ("mul", "mimc"):
            with self.subTest(circuit=name):
                out = self.circom_proof(name)
                snarkjs = self.node("node_modules/snarkjs/build/cli.cjs", "groth16", "verify", out / "vkey.json",
                                    out / "public.json", out / "proof.json")
                self.assertEqual(snarkjs.returncode, 0, snarkjs.stdout + snarkjs.stderr)
                self.assertIn("OK", snarkjs.stdout)
                for script in ("verify_noble.mjs", "verify_mcl.cjs"):
                    verdict = self.node(script, out)
                    self.assertEqual(verdict.returncode, 0, script + verdict.stdout + verdict.stderr)
                    self.assertRegex(verdict.stdout, r"(?m)^verify true")
                    self.assertRegex(verdict.stdout, r"(?m)^wrong public.*: false")

    def test_peers_refuse_a_changed_signal(self):
        out = self.circom_proof("mul")
        signals = json.loads((out / "public.json").read_text())
        signals[0] = str(int(signals[0]) + 1)
        (out / "public.json").write_text(json.dumps(signals))
        snarkjs = self.node("node_modules/snarkjs/build/cli.cjs", "groth16", "verify", out / "vkey.json",
                            out / "public.json", out / "proof.json")
        self.assertNotEqual(snarkjs.returncode, 0)
        for script in ("verify_noble.mjs", "verify_mcl.cjs"):
            self.assertRegex(self.node(script, out).stdout, r"(?m)^verify false")

    def test_snarkjs_proves_with_our_key(self):
        source = FIXTURES / "circom" / "mimc"
        zkey, vkey = self.folder / "own.zkey", self.folder / "vkey.json"
        proof, public = self.folder / "proof.json", self.folder / "public.json"
        self.expect(0, "r1cs", "setup", "--r1cs", source / "mimc.r1cs", "--zkey", zkey, "--vkey", vkey)
        made = self.node("node_modules/snarkjs/build/cli.cjs", "groth16", "prove", zkey, source / "mimc.wtns", proof,
                         public)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        self.expect(0, "r1cs", "verify", "--vkey", vkey, "--proof", proof, "--public", public)


def main():
    """With --skips only names the tests that cannot run here; 77 where none can."""
    folder, reason = installed() if "--skips" not in sys.argv else (None, None)
    if "--skips" in sys.argv and (node_version() or (0, 0)) < (20, 19):
        reason = "Node >= 20.19 with npm is not here"
    if folder is None and reason is not None and not REQUIRED:
        for name in unittest.TestLoader().getTestCaseNames(Peers):
            print(f"SKIP {name}: {reason}")
        return 77
    if "--skips" in sys.argv:
        return 0
    return 0 if unittest.main(verbosity=2, exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
