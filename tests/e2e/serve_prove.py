"""Real proofs through the daemon: the fixture's sector, proved by the CPU, verified outside."""
import json
import time
import urllib.request

import h2
from daemon import Daemon, free_port
from h2 import string
from program import FIXTURES, Case, key_file, test_key
from serve import porep

SECTOR = FIXTURES / "sectors" / "porep-2k"


class Proved(Case):
    def setUp(self):
        super().setUp()
        self.daemon = Daemon(self.folder, "--params-dir", test_key(), "--preload", "porep-2k", device="cpu").start()
        self.addCleanup(self.daemon.stop)

    def test_sector_raw_and_wrapped(self):
        for name in ("c1.json", "c1_wrapped.json"):
            with self.subTest(file=name):
                proof = self.folder / (name + ".proof")
                self.expect(0, "submit", "porep", "--c1", SECTOR / name, "--request-id", name, "--out", proof, "--addr",
                            self.daemon.address)
                self.expect(0, "verify", "porep", "--public", SECTOR / "public_inputs.json", "--proof", proof, "--vk",
                            key_file(".vk"))
        status = self.expect(0, "status", "--json", "--addr", self.daemon.address).json()
        self.assertEqual((status["total_proofs_completed"], status["total_proofs_failed"]), (2, 0))
        self.assertEqual([(s["circuit_id"], s["tier"]) for s in status["loaded_srs"]], [("porep-2k", "hot")])
        self.assertTrue(self.expect(0, "preload", "porep-2k", "--json", "--addr", self.daemon.address).json()
                        ["already_loaded"])
        self.assertTrue(self.expect(0, "evict", "porep-2k", "--json", "--addr", self.daemon.address).json()["was_loaded"])

    def test_proof_by_field_numbers(self):
        c = h2.Connection(self.daemon.socket)
        self.addCleanup(c.close)
        answer = c.call("Prove", string(1, porep("by hand", c1=(SECTOR / "c1.json").read_bytes())))
        result = h2.fields(answer.fields[1][0])
        self.assertEqual(result[2][0], 1, result)
        proof = self.write("proof.bin", result[3][0])
        self.expect(0, "verify", "porep", "--public", SECTOR / "public_inputs.json", "--proof", proof, "--vk",
                    key_file(".vk"))

    def test_a_damaged_sector_fails_and_the_daemon_goes_on(self):
        c1 = json.loads((SECTOR / "c1.json").read_text())
        c1["replica_id"][0] ^= 1
        bad = self.write("bad.json", json.dumps(c1))
        result = self.expect(3, "submit", "porep", "--c1", bad, "--wait", "--addr", self.daemon.address)
        self.assertIn("failed:", result.err)
        self.test_proof_by_field_numbers()


class Priorities(Case):
    def test_critical_overtakes_at_the_next_partition(self):
        port = free_port()
        daemon = Daemon(self.folder, device="null:msm=100ms", http=f"127.0.0.1:{port}").start()
        self.addCleanup(daemon.stop)
        c = h2.Connection(daemon.socket)
        self.addCleanup(c.close)
        jobs = [c.call("SubmitProof", porep(f"low {i}", priority=1)).fields[1][0] for i in range(12)]
        time.sleep(0.25)
        critical = c.call("SubmitProof", porep("critical", priority=4)).fields[1][0]
        for job in [*jobs, critical]:
            self.assertEqual(c.call("AwaitProof", string(1, job)).fields[2][0], 1)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/timeline", timeout=30) as page:
            events = json.load(page)["events"]
        critical = critical.decode()
        accepted = next(e["begin_ns"] for e in events if e["stage"] == "accepted" and e["job"] == critical)
        picks = sorted((e["begin_ns"], e["job"]) for e in events if e["stage"] == "setup")
        self.assertEqual(len(picks), 13)
        taken = next(begin for begin, job in picks if job == critical)
        # what a device took in the moment of acceptance does not count: it takes one in 100 ms
        before = [job for begin, job in picks if accepted + 2e7 < begin < taken]
        self.assertEqual(before, [], "a device picked other partitions first")
        self.assertGreaterEqual(sum(begin > taken for begin, job in picks), 5, "there was nobody to overtake")

    def test_critical_overtakes_between_the_partitions_of_a_job(self):
        port = free_port()
        daemon = Daemon(self.folder, device="null:msm=100ms", http=f"127.0.0.1:{port}").start()
        self.addCleanup(daemon.stop)
        c = h2.Connection(daemon.socket)
        self.addCleanup(c.close)
        large = c.call("SubmitProof", porep("32 GiB", size=32 << 30, registered=8, priority=1)).fields[1][0]
        time.sleep(0.25)
        critical = c.call("SubmitProof", porep("critical", priority=4)).fields[1][0]
        answers = [c.send_call("AwaitProof", string(1, job)) for job in (large, critical)]
        self.assertEqual(len(c.wait(answers[1]).fields[3][0]), 192)
        self.assertNotIn(answers[0], c.closed, "the large job was to be overtaken")
        self.assertEqual(len(c.wait(answers[0]).fields[3][0]), 1920)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/timeline", timeout=30) as page:
            events = json.load(page)["events"]
        accepted = next(e["begin_ns"] for e in events if e["stage"] == "accepted" and e["job"] == critical.decode())
        picks = sorted((e["begin_ns"], e["job"], e["partition"]) for e in events if e["stage"] == "setup")
        self.assertEqual(sorted(p for _, job, p in picks if job == large.decode()), list(range(10)))
        after = [job for begin, job, _ in picks if begin > accepted]
        self.assertLessEqual(after.index(critical.decode()), 1, "more than the next partition went first")
        self.assertGreaterEqual(len(after), 5, "there was nothing to overtake")
