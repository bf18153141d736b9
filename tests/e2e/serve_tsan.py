"""The daemon under ThreadSanitizer (make tsan-daemon): everything at once, and no report.

Reports inside libraries that were built without it are left out by tests/tsan.supp, which says why of each.
"""
import concurrent.futures
import contextlib
import os
import pathlib
import signal
import socket
import time
import unittest
import urllib.request

import h2
from daemon import Daemon, free_port
from h2 import number, string
from program import Case
from serve import WINNING, porep

SUPPRESSIONS = pathlib.Path(__file__).parent.parent / "tsan.supp"
SECONDS = int(os.environ.get("CUZK_TEST_SECONDS", 20))


class Load(Case):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.config = self.write("cuzk.toml", '[queue]\nresult_keep = "1s"\n')
        self.proved = []

    def serve(self, device, *options):
        options_text = f"suppressions={SUPPRESSIONS} log_path={self.folder}/report exitcode=66 second_deadlock_stack=1"
        self.daemon = Daemon(self.folder, "--config", self.config, *options, device=device, http=f"127.0.0.1:{self.port}",
                             environment={"TSAN_OPTIONS": options_text}).start()
        self.addCleanup(self.daemon.stop, signal.SIGKILL)

    def clean(self):
        code = self.daemon.stop(seconds=120)
        reports = "".join(path.read_text() for path in self.folder.glob("report*"))
        if reports:
            self.fail(f"{reports.count('WARNING: ThreadSanitizer')} reports\n{reports[:20000]}")
        self.assertEqual(code, 0)

    # each runs until the time is over, on a connection of its own

    def until(self, what, *arguments):
        done = 0
        c = h2.Connection(self.daemon.socket)
        while time.monotonic() < self.end:
            what(c, done, *arguments)
            done += 1
        c.close()
        return done

    def prove(self, c, n, who):
        kind = n % 4
        extra = (b"", string(11, b"v" * 50) + string(22, b"r" * 32))[kind == 3]
        message = porep(f"{who}-{n}", c1=b"{}" * (1 + n % 3000), priority=n % 5) if kind != 3 else (
            string(1, f"{who}-{n}") + number(2, WINNING) + number(3, 2048) + number(4, 0) + extra)
        answer = c.call("Prove", string(1, message))
        self.assertIn(answer.code, (0, 8), answer.text)
        if answer.code == 0:
            self.proved.append(h2.fields(answer.fields[1][0])[2][0])  # most are COMPLETED, wrong devices fail some

    def submit_and_cancel(self, c, n, who):
        large = porep(f"{who}-{n}", size=32 << 30, registered=8, priority=1)  # ten partitions
        job = c.call("SubmitProof", large)
        if job.code != 0:
            return
        waiting = c.send_call("AwaitProof", string(1, job.fields[1][0]))
        time.sleep(0.001 * (n % 20))
        c.call("CancelProof", string(1, job.fields[1][0]))
        c.wait(waiting)

    def vanish(self, _, n, who):
        gone = h2.Connection(self.daemon.socket)
        job = gone.call("SubmitProof", porep(f"{who}-{n}"))
        if job.code == 0:
            gone.send_call("AwaitProof", string(1, job.fields[1][0]) + number(2, n % 7))
        gone.send(gone.open("SubmitProof"), b"\0\0\0\1\0abc")
        gone.close()
        time.sleep(0.02)  # what it leaves behind must not be all that the devices do

    def look(self, c, n, _):
        for method in ("GetStatus", "GetMetrics", "/grpc.health.v1.Health/Check", "Nothing"):
            c.call(method, b"")
        self.assertNotEqual(c.call("SubmitProof", porep("bad", size=4096)).code, 0)
        c.call("PreloadSRS" if n % 2 == 0 else "EvictSRS", string(1, "porep-2k"))
        for path in ("metrics", "status", "timeline", ""):
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=30) as page:
                page.read()

    def listen(self, _, n, who):
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as events:
            events.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % self.port)
            with contextlib.suppress(TimeoutError):
                for _ in range(5):
                    events.recv(4096)

    def reload(self, _, n, who):
        level = ("info", "debug")[n % 2]
        self.config.write_text(f'[queue]\njobs_most = {1000 + n}\nresult_keep = "1s"\n[log]\nlevel = "{level}"\n')
        self.daemon.process.send_signal(signal.SIGHUP)
        time.sleep(0.2)

    def everything(self, proofs=4):
        self.end = time.monotonic() + SECONDS
        tasks = [(self.prove, f"p{i}") for i in range(proofs)] + [
            (self.submit_and_cancel, "c"), (self.vanish, "v"), (self.look, "l"), (self.listen, "e"), (self.reload, "r")]
        watcher = h2.Connection(self.daemon.socket)
        watcher.send_call("/grpc.health.v1.Health/Watch", b"")
        with concurrent.futures.ThreadPoolExecutor(len(tasks)) as pool:
            running = [pool.submit(self.until, what, who) for what, who in tasks]
            done = [f"{what.__name__}: {each.result()}" for (what, _), each in zip(tasks, running)]
            print(f"{self.proved.count(1)} proved,", done, flush=True)
        watcher.close()
        self.assertGreater(self.proved.count(1), 2 * SECONDS)

    def test_null_devices_in_the_daemon(self):
        self.serve("null:witness=1ms:upload=200us:quotient=1ms:msm=1ms:fail_every=50:lost_every=200", "--preset", "phase-12",
                   "--jobs-most", "2000")
        self.everything()
        self.clean()

    def test_two_devices_in_children(self):
        self.serve("null:msm=1ms", "--device", "null:quotient=1ms", "--isolation", "process")
        self.everything()
        self.clean()

    def test_drain_and_restart_under_load(self):
        self.config.write_text("")
        self.serve("null:msm=20ms")
        c = h2.Connection(self.daemon.socket)
        jobs = [c.call("SubmitProof", porep(f"d{i}")).fields[1][0] for i in range(200)]
        waiting = [c.send_call("AwaitProof", string(1, job)) for job in jobs[:50]]
        self.daemon.process.send_signal(signal.SIGTERM)
        self.daemon.wait_for("draining")
        self.assertEqual(c.wait(waiting[0]).fields[2][0], 1)
        self.clean()  # the second signal: jobs stop
        c.close()
        self.daemon.start()
        c = h2.Connection(self.daemon.socket)
        for job in jobs:
            self.assertEqual(c.call("AwaitProof", string(1, job)).fields[2][0], 1)
        c.close()
        self.clean()


if __name__ == "__main__":
    unittest.main()
