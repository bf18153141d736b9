"""The daemon's end, whatever is going on at that moment: soon, by itself, and without a word of the sanitizers."""
import os
import random
import signal
import socket
import threading
import time
import unittest

import h2
from daemon import Daemon, free_port
from h2 import number, string
from program import Case
from serve import porep

SOON = 12  # seconds, on a busy machine and under sanitizers; what runs here would take minutes
COMPLETED = 1
COMPLAINTS = ("Sanitizer", "runtime error")


class Ends(Case):
    def start(self, *options, **more):
        daemon = Daemon(self.folder, *options, **more).start()
        self.addCleanup(daemon.stop, signal.SIGKILL)
        return daemon

    def ends(self, daemon, signals=1):
        begin = time.monotonic()
        for _ in range(signals - 1):
            daemon.process.send_signal(signal.SIGTERM)
            time.sleep(0.05)
        code = daemon.stop(seconds=60)
        for words in COMPLAINTS:
            self.assertNotIn(words, daemon.said())
        self.assertEqual(code, 0, daemon.said()[-2000:])
        self.assertLess(time.monotonic() - begin, SOON)

    def test_while_a_key_is_loaded_that_a_client_wants(self):
        daemon = self.start(device="null:load=120s")
        client = h2.Connection(daemon.socket)
        self.addCleanup(client.close)
        client.send_call("PreloadSRS", string(1, "porep-2k"))
        time.sleep(0.2)
        self.ends(daemon)

    def test_while_keys_of_a_reload_are_loaded(self):
        config = self.folder / "cuzk.toml"
        config.write_text("[engine]\n")
        daemon = self.start("--config", config, device="null:load=120s")
        config.write_text('[engine]\npreload = ["porep-2k", "porep-8m"]\n')
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for("reload: 1 differ")
        self.ends(daemon)

    def test_while_keys_of_the_start_are_loaded(self):
        daemon = Daemon(self.folder, "--preload", "porep-2k", device="null:load=120s").start(wait=False)
        self.addCleanup(daemon.stop, signal.SIGKILL)
        while not daemon.socket.exists():
            time.sleep(0.02)
        self.ends(daemon)

    def test_a_job_whose_key_or_stage_was_cut_short_goes_on(self):
        for device in ("null:load=120s", "null:msm=120s"):
            with self.subTest(device=device):
                folder = self.folder / device[-8:-5]
                folder.mkdir()
                daemon = Daemon(folder, "--failures-most", "1", device=device).start()
                self.addCleanup(daemon.stop, signal.SIGKILL)
                client = h2.Connection(daemon.socket)
                job = client.call("SubmitProof", porep("a")).fields[1][0]
                client.send_call("AwaitProof", string(1, job))
                time.sleep(0.2)
                self.ends(daemon, signals=2)
                client.close()
                daemon = Daemon(folder).start()
                self.addCleanup(daemon.stop, signal.SIGKILL)
                client = h2.Connection(daemon.socket)
                self.addCleanup(client.close)
                self.assertEqual(client.call("AwaitProof", string(1, job)).fields[2][0], COMPLETED)
                self.ends(daemon)

    def test_while_clients_say_half_of_what_they_mean(self):
        port = free_port()
        daemon = self.start(http=f"127.0.0.1:{port}", device="null:msm=120s")
        kept = []
        for i in range(8):
            client = h2.Connection(daemon.socket)
            kept.append(client)
            stream = client.open("SubmitProof")
            if i % 2:
                client.send(stream, b"\0\0\0\x10\0" + b"x" * 100)  # of 4 KiB
            half = client.open("AwaitProof")
            client.frame(h2.DATA, 0, half, b"\0\0")
            client.socket.sendall(b"\0\0\x40\x00")  # of a frame's head
        for i in range(8):
            web = socket.create_connection(("127.0.0.1", port))
            kept.append(web)
            web.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n" + (b"\r\n" if i % 2 else b"X-"))
        time.sleep(0.2)
        self.ends(daemon)
        for each in kept:
            each.close()

    def test_while_results_are_awaited_for_hours(self):
        """And given up at once, as they end, or never."""
        daemon = self.start(device="null:msm=300us")
        until = time.monotonic() + 1.5

        def use(seed):
            draw = random.Random(seed)
            client = h2.Connection(daemon.socket)
            while time.monotonic() < until:
                job = client.call("SubmitProof", porep(f"{seed}-{draw.random()}")).fields[1][0]
                stream = client.send_call("AwaitProof", string(1, job) + number(2, 10000000))
                if draw.random() < 0.5:
                    client.frame(h2.RST_STREAM, 0, stream, b"\0\0\0\x08")
                else:
                    client.wait(stream)
            client.close()

        threads = [threading.Thread(target=use, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.ends(daemon)


class AnyMoment(Case):
    """Started, used and ended at random moments; CUZK_TEST_ENDS rounds."""

    def use(self, daemon, seed, stop):
        draw = random.Random(seed)
        try:
            client = h2.Connection(daemon.socket)
            jobs = []
            while not stop.is_set():
                what = draw.randrange(10)
                if what < 5 or not jobs:
                    done = client.call("SubmitProof", porep(f"{seed}-{draw.random()}"))
                    jobs += done.fields[1] if done.code == 0 else []
                elif what < 7:
                    client.send_call("AwaitProof", string(1, draw.choice(jobs)) + number(2, draw.choice([0, 1, 10**9])))
                elif what == 7:
                    client.call("CancelProof", string(1, draw.choice(jobs)))
                elif what == 8:
                    client.send_call(draw.choice(["PreloadSRS", "EvictSRS"]), string(1, draw.choice(["porep-2k", "porep-8m"])))
                else:
                    client.send_call("GetStatus", b"")
        except (OSError, EOFError, ValueError, KeyError, IndexError):
            pass  # it has ended

    def test_any_moment(self):
        draw = random.Random(os.environ.get("CUZK_TEST_SEED", "any moment"))
        for turn in range(int(os.environ.get("CUZK_TEST_ENDS", "4"))):
            device = draw.choice(["null:msm=1ms", "null:load=50ms:witness=2ms:msm=5ms", "null:msm=2ms:lost_every=7",
                                  "null:quotient=120s", "null:release=20ms:fail_every=5"])
            port = free_port()
            daemon = Daemon(self.folder, "--grace", draw.choice(["1ms", "50ms", "5s"]), device=device,
                            http=f"127.0.0.1:{port}").start(wait=False)
            self.addCleanup(daemon.stop, signal.SIGKILL)
            stop = threading.Event()
            threads = []
            if draw.random() < 0.85:
                while not daemon.socket.exists() and daemon.process.poll() is None:
                    time.sleep(0.005)
                threads = [threading.Thread(target=self.use, args=(daemon, f"{turn}.{i}", stop)) for i in range(3)]
                for thread in threads:
                    thread.start()
            time.sleep(draw.random() * draw.choice([0.02, 0.3]))
            begin = time.monotonic()
            code = daemon.stop(seconds=60)
            took = time.monotonic() - begin
            stop.set()
            for thread in threads:
                thread.join(70)
            for words in COMPLAINTS:
                self.assertNotIn(words, daemon.said(), f"turn {turn}")
            # a signal before the daemon listens for it ends the process as signals do
            self.assertIn(code, (0, -signal.SIGTERM), f"turn {turn}: {daemon.said()[-2000:]}")
            self.assertLess(took, SOON + 5, f"turn {turn}, {device}")


if __name__ == "__main__":
    unittest.main()
