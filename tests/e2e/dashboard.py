"""The dashboard in a real browser: a load runs on a null device, and its bars appear. Skipped by name without Chromium."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import threading
import unittest
import urllib.request

import h2
from daemon import Daemon
from peers import PEERS, installed
from program import Case
from serve import porep

GIB = 1 << 30
NULL = "null:witness=90ms:upload=12ms:quotient=48ms:msm=32ms:finish=3ms:verify=2ms:key=47GiB:fail_every=60:memory=80GiB"
PICTURES = os.environ.get("CUZK_DASHBOARD_PICTURES")  # a folder that keeps them: how docs/ gets its own


def chromium():
    return next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser(Case):
    """Skips where there is no browser, or nothing to drive it with."""

    def setUp(self):
        super().setUp()
        self.browser = chromium()
        if self.browser is None:
            self.skipTest("no Chromium here (apt-get install chromium)")
        self.peers, reason = installed()
        if self.peers is None:
            self.skipTest(reason)

    def look(self, script, *arguments):
        shutil.copy(PEERS / script, self.peers)  # the folder may have been made before it was changed
        done = subprocess.run(["node", script, self.browser, *map(str, arguments)], cwd=self.peers, capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-4000:])
        answer = json.loads(done.stdout)
        self.assertEqual(answer["complaints"], [])
        return answer


class Trace(Browser):
    def test_the_page_zooms_and_says_what_a_bar_is(self):
        timeline, page = self.folder / "t.json", self.folder / "t.html"
        self.expect(0, "bench", "load", "--count", 6, "--in-flight", 4, "--null", "null:witness=8ms:quotient=5ms:msm=4ms",
                    "--circuit", "porep-32g", "--preset", "phase-8", "--timeline", timeline, "--quiet")
        self.expect(0, "trace", timeline, "--html", page)
        answer = self.look("trace.mjs", page, self.folder / "trace.png")
        self.assertGreater(answer["bars"], 200)
        self.assertLess(answer["zoomed"], answer["bars"] / 3)
        self.assertGreater(answer["zoomed"], 0)
        self.assertEqual(answer["again"], answer["bars"])
        self.assertRegex(answer["tip"], r"partition \d, job [0-9a-f]{16}: [\d.]+ ms")
        if PICTURES:
            shutil.copy(self.folder / "trace.png", PICTURES)


class Dashboard(Browser):
    def setUp(self):
        super().setUp()
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/"
        self.daemon = Daemon(self.folder, "--set", "partition_workers=6", "--host-mem", "200GiB", device=NULL,
                             http=f"127.0.0.1:{port}").start()
        self.addCleanup(self.daemon.stop)
        self.ended = threading.Event()
        self.load = threading.Thread(target=self.submit_all)
        self.load.start()
        self.addCleanup(self.load.join)
        self.addCleanup(self.ended.set)

    def submit_all(self):
        """A few proofs of ten partitions in flight all the time, now and then an urgent one."""
        connection = h2.Connection(self.daemon.socket)
        for i in range(300):
            if self.ended.is_set():
                break
            urgent = i % 4 == 3
            connection.call("SubmitProof", porep(f"sector-{i}", size=32 * GIB, registered=8, priority=4 if urgent else 0))
            self.ended.wait(0.8)
        connection.close()

    def test_bars_appear_under_load_and_the_page_keeps_to_its_policy(self):
        answer = self.look("dashboard.mjs", self.url, self.folder, 11000 if PICTURES else 3000)
        for name in ("wide", "phone"):
            with self.subTest(size=name):
                seen = answer["seen"][name]
                self.assertGreater(seen["bars"], 20)
                self.assertGreaterEqual(seen["lanes"], 3)
                for colour in (0x56b4e9, 0xf2c14e, 0x66c2a5):  # witness, quotient, msm
                    self.assertIn(colour, seen["colours"])
                self.assertTrue(seen["moved"], "the numbers stand still")
                self.assertFalse(seen["scrolls_sideways"])
                self.assertIn("% of the time", seen["label"])
                self.assertIn("running", seen["title"])
                for words in ("ready", "porep-c2", "critical", "null"):
                    self.assertIn(words, seen["text"])
        plain = answer["seen"]["plain"]["html"]
        self.assertIn("porep-c2", plain)
        self.assertIn('http-equiv="refresh"', plain)
        for name in ("wide", "phone"):
            self.assertGreater((self.folder / f"{name}.png").stat().st_size, 10000)
            if PICTURES:
                shutil.copy(self.folder / f"{name}.png", pathlib.Path(PICTURES) / f"{name}.png")

    def test_what_is_served_is_what_clients_are_told(self):
        with urllib.request.urlopen(self.url + "status", timeout=20) as answer:
            status = json.load(answer)
        self.assertEqual(status["devices"][0]["backend"], "null")
        with urllib.request.urlopen(self.url + "metrics", timeout=20) as answer:
            text = answer.read().decode()
        self.assertIn('cuzk_device_up{device="0"} 1', text)


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=2)
    if not program.result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if program.result.skipped and len(program.result.skipped) == program.result.testsRun else 0)
