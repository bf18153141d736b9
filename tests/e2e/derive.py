"""Derived keys as people meet them: made, used where they are, left alone where they are damaged or not wanted."""
import json
import signal
import subprocess
import time

from program import CUZK, Case


class Derived(Case):
    def prove(self, **environment):
        """Whether a proof, which is verified, was made with the derived key."""
        timeline, proof = self.folder / "timeline.json", self.folder / "proof"
        self.expect(0, "prove", "winning", "--request", self.post / "post.json", "--in", *self.post.glob("vanilla-*.bin"),
                    "--params-dir", self.keys, "--backend", "cpu", "--out", proof, "--timeline", timeline, "--quiet",
                    environment=environment)
        self.expect(0, "verify", "winning", "--request", self.post / "post.json", "--proof", proof, "--params-dir", self.keys)
        stages = [event["stage"] for event in json.loads(timeline.read_text())["events"]]
        for path in (timeline, proof):
            path.unlink()
        return "check derived key" in stages

    def test_used_where_it_is_good(self):
        self.keys, self.post = self.folder / "keys", self.folder / "post"
        self.expect(0, "setup", "winning-2k", "--out", self.keys, "--derived", "--quiet")
        self.expect(0, "synth", "winning", "--sector-size", "2KiB", "--seed", "5", "--out", self.post, "--quiet")
        self.assertTrue(self.prove())
        self.assertFalse(self.prove(CUZK_DERIVED_KEY="off"))
        answer = self.expect(0, "derive", "winning-2k", "--params-dir", self.keys, "--json").json()
        self.assertFalse(answer["made"])
        derived = next(self.keys.glob("*.derived"))
        self.assertEqual(answer["derived_key"], str(derived))
        facts = self.expect(0, "inspect", derived, "--json").json()
        self.assertEqual(facts["log2_domain"], 17)

        data = bytearray(derived.read_bytes())
        data[len(data) // 2] ^= 1
        derived.write_bytes(data)
        self.assertIn("damaged", self.expect(3, "inspect", derived).err)
        self.assertFalse(self.prove())  # the parameters do without
        self.expect(2, "derive", "nothing-2k", "--params-dir", self.keys)
        self.expect(4, "derive", "winning-4k", "--params-dir", self.keys)

    def test_it_stops_on_request_and_leaves_nothing(self):
        self.expect(0, "setup", "winning-2k", "--out", self.folder, "--quiet")
        before = sorted(self.folder.iterdir())
        process = subprocess.Popen([CUZK, "derive", "winning-2k", "--params-dir", self.folder, "--backend", "cpu"],
                                   stderr=subprocess.PIPE, text=True)
        while not any(".derived" in path.name for path in self.folder.iterdir()):  # under a temporary name
            self.assertIsNone(process.poll())
            time.sleep(0.1)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 4, said)
        self.assertEqual(said.splitlines()[-1], "cuzk: stopped on request")
        self.assertEqual(sorted(self.folder.iterdir()), before)
