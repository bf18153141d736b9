"""Every kind of proof through the daemon: in its own process and in a child's, by priority, and --remote.

CUZK_E2E_DEVICE is the device that proves (cpu unless it says another, as cuda:0), CUZK_E2E_SAVE a folder where timelines are left.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

import h2
from daemon import Daemon, free_port
from h2 import string
from program import CUZK, FIXTURES, Case, kept_key, run, test_key
from serve import porep

SECTORS = FIXTURES / "sectors"
SETUP = ("winning-2k", "wpost-2k")  # keys that are made in a second or two
DEVICE = os.environ.get("CUZK_E2E_DEVICE", "cpu")


def fixture_folder(kind, name=None):
    return SECTORS / (name or {"porep": "porep-2k", "snap": "update-2k", "wpost": "window-2k-3",
                               "winning": "winning-2k"}[kind])


def inputs(kind, name=None):
    """A kind's fixture as the commands take it: (options, partitions)."""
    folder = fixture_folder(kind, name)
    if kind == "porep":
        return ["--c1", folder / "c1.json"], 1
    if kind == "snap":
        return ["--request", folder / "update.json", "--in", folder / "partition-0.bin"], 1
    request = json.loads((folder / "post.json").read_text())
    return ["--request", folder / "post.json", "--in", *sorted(folder.glob("vanilla-*.bin"), reverse=True)], \
        request["partitions"]


class Kinds(Case):
    kinds = ()

    @classmethod
    def setUpClass(cls):
        """Keys for all tests of the class: PoSt ones made here, those that take long shared by the whole suite."""
        made = pathlib.Path(tempfile.mkdtemp(prefix="cuzk-e2e-keys-"))
        cls.addClassCleanup(shutil.rmtree, made, ignore_errors=True)
        cls.keys = made / "all"
        cls.keys.mkdir()
        cls.folders = {"porep": test_key(), "snap": kept_key("snap-2k")}
        there = {kind for kind in cls.kinds if any(cls.folders[kind].glob("v28-*"))}
        for circuit in (*SETUP, *(kind + "-2k" for kind in cls.kinds if kind not in there)):
            cls.folders[circuit[:-3]] = cls.make_key(circuit, made / circuit)
        for kind in ("winning", "wpost", *cls.kinds):
            for file in cls.folders[kind].glob("v28-*"):
                os.symlink(file.resolve(), cls.keys / file.name)

    @classmethod
    def make_key(cls, circuit, folder):
        result = run("setup", circuit, "--out", folder, "--backend", DEVICE.partition(":")[0], "--quiet")
        if result.code != 0:
            raise AssertionError(f"no key of {circuit}: {result.err}")
        return folder

    def serve(self, isolation="thread", device=DEVICE, *options):
        self.port = free_port()
        folder = self.folder / f"daemon-{isolation}-{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        keys = [] if "--params-dir" in options else ["--params-dir", self.keys]
        self.daemon = Daemon(folder, *keys, "--isolation", isolation, *options, device=device,
                             http=f"127.0.0.1:{self.port}").start()
        self.addCleanup(self.daemon.stop)
        return self.daemon

    def events(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/timeline", timeout=30) as page:
            return json.load(page)["events"]

    def save(self, name, what):
        if "CUZK_E2E_SAVE" in os.environ:
            (pathlib.Path(os.environ["CUZK_E2E_SAVE"]) / (name + ".json")).write_text(json.dumps(what))

    def verify(self, kind, proof, name=None):
        self.expect(0, "verify", kind, "--public", fixture_folder(kind, name) / "public_inputs.json", "--proof", proof,
                    "--vk", next(self.folders[kind].glob("*.vk")))

    def remote(self, kind, name=None, code=0, *more):
        given, partitions = inputs(kind, name)
        proof = self.folder / f"{kind}-{name}.proof"
        report = self.expect(code, "prove", kind, *given, "--remote", "--addr", self.daemon.address, "--params-dir",
                             self.keys, "--out", proof, "--json", *more).json()
        if code == 0:
            self.assertEqual((report["kind"], report["circuit"], report["verified"], report["backend"]),
                             (kind, kind + "-2k", True, "remote"))
            self.assertEqual([p["index"] for p in report["partitions"]], list(range(partitions)))
            for partition in report["partitions"]:
                for stage in ("witness_ms", "eval_ms", "ntt_ms", "msm_h_ms", "msm_l_ms", "msm_a_ms", "msm_b1_ms",
                              "msm_b2_ms", "finish_ms", "total_ms"):
                    self.assertGreater(partition[stage], 0, stage)
                self.assertGreaterEqual(partition["queue_ms"], 0)
            self.assertEqual(report["proof_bytes"], 192 * partitions)
            self.assertEqual(bytes.fromhex(report["proof_hex"]), proof.read_bytes())
            self.verify(kind, proof, name)
        else:
            self.assertFalse(proof.exists())
        return report


class Posts(Kinds):
    """The kinds with small keys, in the daemon's process and in a child's."""

    def prove_all(self, isolation):
        self.serve(isolation)
        self.remote("winning")
        for name in ("window-2k-3", "window-2k-3-v1", "window-2k-pad"):
            self.remote("wpost", name)
        if isolation == "process":
            return
        # a job by hand, for one partition
        request = json.loads((SECTORS / "window-2k" / "post.json").read_text())
        self.assertEqual(request["partitions"], 1)
        given, _ = inputs("wpost", "window-2k")
        proof = self.folder / "submitted.proof"
        self.expect(0, "submit", "wpost", *given, "--out", proof, "--addr", self.daemon.address)
        self.verify("wpost", proof, "window-2k")

    def test_in_the_daemon(self):
        self.prove_all("thread")

    def test_in_a_child(self):
        self.prove_all("process")

    def test_bad_input_is_refused_before_it_is_sent(self):
        self.serve()
        vanilla = bytearray(next((SECTORS / "winning-2k").glob("vanilla-*.bin")).read_bytes())
        vanilla[-9] ^= 1
        bad = self.write("bad.bin", bytes(vanilla))
        result = self.expect(1, "prove", "winning", "--request", SECTORS / "winning-2k" / "post.json", "--in", bad,
                             "--remote", "--addr", self.daemon.address, "--params-dir", self.keys)
        self.assertIn("sector 42", result.err)
        status = self.expect(0, "status", "--json", "--addr", self.daemon.address).json()
        self.assertEqual((status["total_proofs_completed"], status["total_proofs_failed"]), (0, 0))

    def test_a_proof_of_other_parameters_is_not_written(self):
        self.serve()
        self.remote("winning")
        others = self.folder / "others"
        self.expect(0, "setup", "winning-2k", "--out", others, "--backend", "cpu", "--quiet")
        given, _ = inputs("winning")
        out = self.folder / "none.proof"
        result = self.expect(1, "prove", "winning", *given, "--remote", "--addr", self.daemon.address, "--params-dir",
                             others, "--out", out)
        self.assertIn("does not verify", result.err)
        self.assertFalse(out.exists())

    def test_a_key_that_is_damaged_and_mended_under_the_daemon(self):
        """Jobs fail with the reason while it is damaged; none needs a restart, nor somebody who evicts it.

        A GPU has points of its own and rightly proves on with them: there the key is evicted, so that it is read again.
        """
        whole = next(self.folders["wpost"].glob("*.params"))
        for isolation in ("thread", "process"):
            with self.subTest(isolation=isolation):
                ours = self.folder / f"keys-{isolation}"
                shutil.copytree(self.folders["wpost"], ours)
                params = ours / whole.name
                self.serve(isolation, DEVICE, "--params-dir", ours)
                self.remote("wpost", "window-2k-3")
                size = params.stat().st_size
                if isolation == "thread":
                    os.truncate(params, size // 2)
                else:
                    with open(params, "r+b") as file:
                        file.seek(size // 3)
                        file.write(os.urandom(size // 10))
                if DEVICE.startswith("cuda"):
                    self.remote("wpost", "window-2k-3")
                    self.expect(0, "evict", "wpost-2k", "--addr", self.daemon.address)
                given, _ = inputs("wpost", "window-2k")
                failed = self.expect(3, "submit", "wpost", *given, "--out", self.folder / "none", "--addr",
                                     self.daemon.address, "--request-id", "while damaged")
                self.assertIn("BLAKE2b digest", failed.err)
                shutil.copy(whole, ours / "mended")
                os.replace(ours / "mended", params)
                self.remote("wpost", "window-2k-3-v1")
                self.assertEqual(self.daemon.stop(), 0)

    def test_without_a_key_here_or_a_daemon_there(self):
        self.serve()
        given, _ = inputs("winning")
        at = ["--remote", "--addr", self.daemon.address]
        empty = self.folder / "empty"
        empty.mkdir()
        self.expect(4, "prove", "winning", *given, *at, "--params-dir", empty)
        self.expect(2, "prove", "winning", *given, *at, "--params-dir", self.keys, "--timeline", self.folder / "t")
        self.daemon.stop()
        result = self.expect(4, "prove", "winning", *given, *at, "--params-dir", self.keys)
        self.assertIn("is the daemon running", result.err)

    def test_standard_input(self):
        self.serve()
        folder = SECTORS / "winning-2k"
        request = (folder / "post.json").read_bytes()
        result = self.expect(0, "prove", "winning", "--request", "-", "--in", next(folder.glob("vanilla-*.bin")), "--remote",
                             "--addr", self.daemon.address, "--params-dir", self.keys, stdin=request)
        self.verify("winning", self.write("hex.proof", result.out))

    def test_interrupt_cancels_the_job(self):
        self.serve("thread", "null:msm=30s")
        given, _ = inputs("wpost")
        out = self.folder / "none.proof"
        client = subprocess.Popen([CUZK, "prove", "wpost", *map(str, given), "--remote", "--addr", self.daemon.address,
                                   "--params-dir", str(self.keys), "--out", str(out)], stderr=subprocess.PIPE, text=True)
        self.addCleanup(client.kill)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            queues = self.expect(0, "status", "--json", "--addr", self.daemon.address).json()["queues"]
            if sum(q["pending"] + q["in_progress"] for q in queues) == 2:
                break
            time.sleep(0.05)
        client.send_signal(signal.SIGINT)
        _, said = client.communicate(timeout=30)
        self.assertEqual(client.returncode, 4, said)
        self.assertEqual(said.count(": cancelled\n"), 2, said)
        self.assertFalse(out.exists())
        end = time.monotonic() + 10
        while time.monotonic() < end:
            queues = self.expect(0, "status", "--json", "--addr", self.daemon.address).json()["queues"]
            left = sum(q["pending"] + q["in_progress"] for q in queues)
            if left == 0:
                break
            time.sleep(0.05)
        self.assertEqual(left, 0)


class AllKinds(Kinds):
    """All four kinds at once, the least urgent first: the device takes them by priority."""
    kinds = ("porep", "snap")
    jobs = (("snap", "low"), ("porep", "normal"), ("wpost", "high"), ("winning", "critical"))
    before = 1 if DEVICE == "cpu" else 60  # proofs that keep the device at work until all of these are submitted

    def submit(self, kind, priority, name, *more):
        given, _ = inputs(kind, {"wpost": "window-2k"}.get(kind))
        return self.expect(0, "submit", kind, *given, "--priority", priority, "--request-id", name, "--addr",
                           self.daemon.address, *more, "--json").json()["job_id"]

    def mixed(self, isolation):
        self.serve(isolation, DEVICE, "--preload", "snap-2k", "--preload", "porep-2k", "--preload", "wpost-2k", "--preload",
                   "winning-2k")
        c = h2.Connection(self.daemon.socket)
        self.addCleanup(c.close)
        c1 = (fixture_folder("porep") / "c1.json").read_bytes()
        blockers = [c.call("SubmitProof", porep(f"first {i}", c1=c1)).fields[1][0].decode() for i in range(self.before)]
        end = time.monotonic() + 60
        while not any(e["stage"] == "setup" and e["job"] in blockers for e in self.events()):
            self.assertLess(time.monotonic(), end, "nothing begins")
            time.sleep(0.05)
        made = [self.submit(kind, priority, kind) for kind, priority in self.jobs]
        for (kind, _), job in zip(self.jobs, made):
            proof = self.folder / f"{kind}-{isolation}"
            self.expect(0, "await", job, "--out", proof, "--addr", self.daemon.address)
            self.verify(kind, proof, {"wpost": "window-2k"}.get(kind))
        for job in blockers:
            answer = c.call("AwaitProof", string(1, job)).fields
            self.assertEqual(answer[2][0], 1)
        self.verify("porep", self.write("first", answer[3][0]))
        events = self.events()
        self.save(f"all-kinds-{isolation}", events)
        accepted = next(e["begin_ns"] for e in events if e["stage"] == "accepted" and e["job"] == made[-1])
        picks = [job for begin, job in sorted((e["begin_ns"], e["job"]) for e in events if e["stage"] == "setup")
                 if begin > accepted and job not in blockers]
        urgent_first = [job for job in reversed(made) if job in picks]
        # one may have been on its way when the urgent ones came; from then on strictly by priority
        self.assertIn(picks, (urgent_first, *[[job] + [j for j in urgent_first if j != job] for job in urgent_first]))
        self.assertGreaterEqual(len(picks), 3)
        self.assertLessEqual(picks.index(made[-1]), 1)

    def test_in_the_daemon(self):
        self.mixed("thread")

    def test_in_a_child(self):
        self.mixed("process")

    def test_remote_proving(self):
        self.serve()
        for kind in ("snap", "porep"):
            self.remote(kind)

@unittest.skipUnless(DEVICE.startswith("cuda"), "needs a GPU: CUZK_E2E_DEVICE=cuda:0")
class WinningUnderLoad(Kinds):
    """WinningPoSt of 32 GiB sectors while the other kinds keep the device at work."""
    kinds = ("porep", "snap")
    proofs, bound_s = 20, 0.25

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folders["winning"] = cls.make_key("winning-32g", cls.keys.parent / "winning-32g")
        for file in cls.folders["winning"].glob("v28-*"):
            os.symlink(file.resolve(), cls.keys / file.name)
        cls.post = cls.keys.parent / "post"
        if run("synth", "winning", "--sector-size", "32GiB", "--seed", 7, "--out", cls.post).code != 0:
            raise AssertionError("no vanilla proof of winning-32g")

    def load(self, kind):
        """Keeps four jobs of a kind in the queue until told to stop; how many were proved."""
        given, _ = inputs(kind, {"wpost": "window-2k"}.get(kind))
        count, own = 0, threading.get_ident()
        while not self.enough.is_set():
            jobs = [self.expect(0, "submit", kind, *given, "--request-id", f"{kind} {own} {count} {i}", "--addr",
                                self.daemon.address, "--json").json()["job_id"] for i in range(4)]
            for job in jobs:
                self.expect(0, "await", job, "--addr", self.daemon.address, "--json")
            count += len(jobs)
        self.loaded.append((kind, count))

    def test_within_its_time(self):
        self.serve("process", DEVICE, "--preload", "snap-2k", "--preload", "porep-2k", "--preload", "wpost-2k", "--preload",
                   "winning-32g")
        self.enough, self.loaded = threading.Event(), []
        threads = [threading.Thread(target=self.load, args=(kind,)) for kind in ("porep", "snap", "wpost") for _ in range(2)]
        for thread in threads:
            thread.start()
        jobs = []
        try:
            for i in range(self.proofs):
                time.sleep(0.1)
                proof = self.folder / f"winning {i}"
                jobs.append(self.expect(0, "submit", "winning", "--request", self.post / "post.json", "--in",
                                        self.post / "vanilla-1.bin", "--priority", "critical", "--request-id", f"winning {i}",
                                        "--addr", self.daemon.address, "--json").json()["job_id"])
                self.expect(0, "await", jobs[-1], "--out", proof, "--addr", self.daemon.address)
                self.expect(0, "verify", "winning", "--request", self.post / "post.json", "--proof", proof, "--vk",
                            next(self.folders["winning"].glob("*.vk")))
        finally:
            self.enough.set()
            for thread in threads:
                thread.join()
        events = self.events()
        self.save("winning-under-load", events)
        at = {(e["job"], e["stage"]): e["begin_ns"] for e in events if e["stage"] in ("accepted", "done")}
        print("beside them", sorted(self.loaded))
        self.assertGreater(sum(count for _, count in self.loaded), self.proofs)
        times = sorted((at[job, "done"] - at[job, "accepted"]) / 1e9 for job in jobs)
        print(f"accepted to verified: {', '.join(f'{t * 1e3:.0f}' for t in times)} ms")
        self.assertEqual(len(times), self.proofs)
        self.assertLessEqual(times[-1], self.bound_s)
