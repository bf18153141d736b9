"""A daemon that is killed at any moment, whose disk is full, whose journal is damaged; and one that works for long."""
import concurrent.futures
import os
import random
import signal
import subprocess
import threading
import time
import unittest

import h2
from daemon import Daemon
from h2 import number, string
from program import FIXTURES, Case

C1 = (FIXTURES / "sectors" / "porep-2k" / "c1.json").read_bytes()
COMPLETED, FAILED, NOT_FOUND = 1, 2, 5


def porep(request_id, c1):
    return (string(1, request_id) + number(2, 1) + number(3, 2048) + number(4, 5) + string(10, c1) + number(20, 7)
            + number(21, 1000))


def content(n):
    """A C1 with a tail of its own, which is spooled; or a few bytes, kept in a row (null devices decode neither)."""
    return C1 + b" " * (1 + n % 1000) if n % 3 == 0 else b"{" + b" " * (n % 500) + b"}"


class Load:
    """Submits and awaits until the daemon is gone, and keeps what was acknowledged and answered."""

    def __init__(self, daemon, first, threads=4):
        self.lock, self.accepted, self.answers = threading.Lock(), {}, {}
        self.threads = [threading.Thread(target=self.work, args=(daemon, first + 100000 * t)) for t in range(threads)]
        for thread in self.threads:
            thread.start()

    def work(self, daemon, n):
        connection = None
        try:
            connection = h2.Connection(daemon.socket)
            while True:
                done = connection.call("SubmitProof", porep(f"crash-{n}", content(n)))
                if done.code != 0:
                    raise AssertionError(f"refused: {done.text}")
                job = done.fields[1][0]
                with self.lock:
                    self.accepted[job] = n
                if n % 2 == 0:
                    result = connection.call("AwaitProof", string(1, job)).fields
                    with self.lock:
                        self.answers[job] = (result[2][0], result.get(3, [b""])[0])
                n += 1
        except (OSError, EOFError, ValueError, KeyError, IndexError, AttributeError):
            pass  # the daemon was killed in the middle of this
        finally:
            if connection is not None:
                connection.close()

    def join(self):
        for thread in self.threads:
            thread.join(60)


class Killed(Case):
    def check(self, daemon, accepted, answers):
        """Every accepted job is answered, by one job, with what was answered before."""
        connection = h2.Connection(daemon.socket)
        self.addCleanup(connection.close)
        for job, n in accepted.items():
            result = connection.call("AwaitProof", string(1, job))
            if result.code == NOT_FOUND:
                self.assertIn(job, answers, f"job {job} (content {n}) was accepted and is lost")
                continue  # collected before
            self.assertEqual(result.code, 0, result.text)
            answer = (result.fields[2][0], result.fields.get(3, [b""])[0])
            self.assertEqual((answer[0], len(answer[1])), (COMPLETED, 192), f"{n}: {result.fields.get(4)}")
            if job in answers:
                self.assertEqual(answer, answers[job])
            again = connection.call("SubmitProof", porep(f"crash-{n}", content(n)))
            self.assertEqual(again.fields[1][0], job, "the same request is the same job")

    def test_every_accepted_job_is_answered_once(self):
        seed = int(os.environ.get("CUZK_TEST_SEED", time.time_ns() % 2**32))
        print(f"seed: {seed}", flush=True)
        chance, total, cut = random.Random(seed), 0, 0
        jobs = {}
        for round_ in range(int(os.environ.get("CUZK_TEST_KILLS", 12))):
            daemon = Daemon(self.folder, device="null:msm=2ms").start()
            self.addCleanup(daemon.stop, signal.SIGKILL)
            load = Load(daemon, 1000000 * round_)
            time.sleep(chance.uniform(0.02, 0.4))
            daemon.stop(signal.SIGKILL)
            load.join()
            daemon.start()
            self.check(daemon, load.accepted, load.answers)
            for job, n in load.accepted.items():
                self.assertEqual(jobs.setdefault(job, n), n, "an id was given twice")
            total += len(load.accepted)
            cut += len(load.accepted) - len(load.answers)
            daemon.stop(signal.SIGKILL)
        print(f"{total} jobs accepted, {cut} of them not answered when the daemon was killed", flush=True)
        self.assertGreater(cut, 0)


def frames(log, size):
    """Where the pages of a write-ahead log begin that belong to its newest round, and their numbers."""
    salt, at, found = log[16:24], 32, []
    while at + 24 + size <= len(log) and log[at + 8 : at + 16] == salt:
        found.append((at + 24, int.from_bytes(log[at : at + 4], "big")))
        at += 24 + size
    return found


def damage(data, page):
    """The rows of a page, from where its first byte lies."""
    content = page + int.from_bytes(data[page + 5 : page + 7], "big")
    for at in range(content, content + 100):
        data[at] ^= 0x55


class Damaged(Case):
    def corrupt(self, state):
        """A page of the database that holds rows and is not in the log, and one in the middle of the log."""
        database, log = (state / name for name in ("journal.sqlite", "journal.sqlite-wal"))
        data, logged = bytearray(database.read_bytes()), bytearray(log.read_bytes())
        size = int.from_bytes(data[16:18], "big")
        newest = frames(logged, size)
        anew = {number for _, number in newest}
        rows = [at for at in range(size, len(data), size)
                if data[at] == 13 and data[at + 3 : at + 5] != b"\0\0" and at // size + 1 not in anew]
        self.assertTrue(rows or newest)
        if rows:
            damage(data, rows[len(rows) // 2])
            database.write_bytes(data)
        if newest:
            damage(logged, newest[len(newest) // 2][0])
            log.write_bytes(logged)
        print(f"{len(rows)} pages of rows in the database, {len(newest)} pages in the log", flush=True)

    def test_a_corrupt_page_is_survived(self):
        daemon = Daemon(self.folder, device="null:msm=1ms").start()
        self.addCleanup(daemon.stop, signal.SIGKILL)
        load = Load(daemon, 0)
        time.sleep(1)
        daemon.stop(signal.SIGKILL)
        load.join()
        self.corrupt(daemon.state)
        daemon.start()
        self.assertIn("damaged", daemon.said())
        connection = h2.Connection(daemon.socket)
        lost = 0
        for job in load.accepted:
            result = connection.call("AwaitProof", string(1, job))
            if result.code == NOT_FOUND:
                lost += job not in load.answers
                continue
            self.assertIn(result.fields[2][0], (COMPLETED, FAILED))  # failed: its request was on the page
        self.assertLess(lost, 25)
        done = connection.call("SubmitProof", porep("after", C1))
        self.assertEqual(connection.call("AwaitProof", string(1, done.fields[1][0])).fields[2][0], COMPLETED)
        connection.close()

    def test_a_full_disk_is_survived(self):
        state = self.folder / "state"
        state.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", state], capture_output=True).returncode:
            self.skipTest("no tmpfs can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", state], check=True)
        daemon = Daemon(self.folder, device="null:msm=1ms").start()
        self.addCleanup(daemon.stop, signal.SIGKILL)
        filler = state / "filler"
        with open(filler, "wb", buffering=0) as file, self.assertRaises(OSError):
            while True:
                file.write(bytes(4096))
        connection = h2.Connection(daemon.socket)
        self.addCleanup(connection.close)
        refused = connection.call("SubmitProof", porep("full", C1))
        self.assertNotEqual(refused.code, 0)
        self.assertEqual(connection.call("GetStatus", b"").code, 0)
        filler.unlink()
        done = connection.call("SubmitProof", porep("full", C1))
        self.assertEqual(done.code, 0, done.text)
        self.assertEqual(connection.call("AwaitProof", string(1, done.fields[1][0])).fields[2][0], COMPLETED)


class Soak(Case):
    """Many jobs through the service: memory and descriptors where they were."""

    def run_jobs(self, daemon, first, count):
        def some(t):
            connection = h2.Connection(daemon.socket)
            for n in range(first + t, first + count, 8):
                done = connection.call("Prove", string(1, porep(f"soak-{n}", content(n))))
                self.assertEqual(done.code, 0, done.text)
            connection.close()

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(some, range(8)))

    def test_ten_thousand_jobs(self):
        daemon = Daemon(self.folder, device="null").start()
        self.addCleanup(daemon.stop)
        jobs = int(os.environ.get("CUZK_TEST_JOBS", 10000))
        self.run_jobs(daemon, 0, jobs // 2)
        time.sleep(1)
        before = daemon.status_line("VmRSS"), daemon.descriptors()
        self.run_jobs(daemon, jobs // 2, jobs // 2)
        time.sleep(1)
        after = daemon.status_line("VmRSS"), daemon.descriptors()
        print(f"after {jobs // 2} jobs {before[0]} KiB, {before[1]} descriptors; after {jobs} {after[0]} KiB, {after[1]}",
              flush=True)
        self.assertLess(after[0], before[0] * 1.1 + 4096)
        self.assertLessEqual(after[1], before[1] + 2)


if __name__ == "__main__":
    unittest.main()
