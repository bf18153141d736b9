"""What the daemon may use ends: descriptors, sizes of files, addresses. It says so, and serves on where it can."""
import resource
import signal
import socket
import subprocess
import time
import unittest

import h2
from daemon import Daemon, free_port
from h2 import string
from program import CUZK, Case
from serve import porep

COMPLETED, UNAVAILABLE, IO = 1, 14, 4


class Limited(Case):
    def start(self, limit, value, *options, wait=True, **more):
        daemon = Daemon(self.folder, *options, **more)
        daemon.log = open(self.folder / "daemon.log", "wb")
        daemon.process = subprocess.Popen([CUZK, "serve", *daemon.options], stdout=subprocess.DEVNULL, stderr=daemon.log,
                                          preexec_fn=lambda: resource.setrlimit(limit, (value, value)))
        self.addCleanup(daemon.stop, signal.SIGKILL)
        if wait:
            daemon.wait_for("ready:")
        return daemon

    def prove(self, client, name, size):
        """The code of an answer; a job that is accepted is answered."""
        done = client.call("SubmitProof", porep(name, b"{" + b" " * size + b"}"))
        if done.code == 0:
            self.assertEqual(client.call("AwaitProof", string(1, done.fields[1][0])).fields[2][0], COMPLETED)
        return done.code

    def test_descriptors_run_out_and_come_back(self):
        port = free_port()
        daemon = self.start(resource.RLIMIT_NOFILE, 128, http=f"127.0.0.1:{port}")
        first = h2.Connection(daemon.socket)
        self.addCleanup(first.close)
        self.assertEqual(first.call("GetStatus", b"").code, 0)
        crowd = []
        refused = 0
        for _ in range(150):
            web = socket.create_connection(("127.0.0.1", port), timeout=10)
            crowd.append(web)
            try:
                client = h2.Connection(daemon.socket, timeout=10)
                crowd.append(client)
                client.call("GetStatus", b"")
            except OSError:
                refused += 1
        self.assertGreater(refused, 50)
        self.assertLessEqual(daemon.descriptors(), 128)
        daemon.wait_for("connections are refused")
        # who is in is served as ever, with requests that need files of their own
        self.assertEqual(self.prove(first, "small", 10), 0)
        self.assertEqual(self.prove(first, "large", 3000000), 0)
        for each in crowd:
            each.close()
        end = time.monotonic() + 30
        while True:
            try:
                last = h2.Connection(daemon.socket, timeout=10)
                self.assertEqual(last.call("GetStatus", b"").code, 0)
                break
            except OSError:
                self.assertLess(time.monotonic(), end, "nobody is let in any more")
                time.sleep(0.05)
        last.close()

    def test_too_few_descriptors_are_refused(self):
        daemon = self.start(resource.RLIMIT_NOFILE, 100, wait=False)
        self.assertEqual(daemon.process.wait(60), IO)
        self.assertIn("may open 100 descriptors; the daemon needs 128", daemon.said())

    def test_a_limit_of_file_sizes_is_like_a_full_disk(self):
        daemon = self.start(resource.RLIMIT_FSIZE, 4 << 20)
        client = h2.Connection(daemon.socket)
        self.addCleanup(client.close)
        self.assertEqual(self.prove(client, "small", 10), 0)
        self.assertEqual(self.prove(client, "large", 6000000), UNAVAILABLE)
        self.assertEqual(self.prove(client, "next", 20), 0)
        self.assertEqual(list((daemon.state / "spool").iterdir()), [])
        self.assertEqual(daemon.stop(), 0)

    def test_an_address_that_is_taken_undoes_the_others(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            for options, http in ((["--listen", f"127.0.0.1:{port}"], "off"), ([], f"127.0.0.1:{port}")):
                daemon = Daemon(self.folder, *options, http=http).start(wait=False)
                self.addCleanup(daemon.stop, signal.SIGKILL)
                self.assertEqual(daemon.process.wait(60), IO, daemon.said())
                self.assertIn(f"{port}", daemon.said().splitlines()[-1])
                self.assertFalse(daemon.socket.exists())


if __name__ == "__main__":
    unittest.main()
