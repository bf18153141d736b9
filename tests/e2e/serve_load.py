"""What the daemon must reach: large requests durable in time and memory, small ones at a rate, flat resources."""
import os
import pathlib
import shutil
import statistics
import tempfile
import threading
import time
import unittest

import h2
from daemon import Daemon
from serve import Served, porep


def middle(order):
    return order[len(order) // 2] * 1e3


def high(order):
    return order[len(order) * 99 // 100] * 1e3


def busy():
    """What a busy machine adds is the machine's: its processors are waited for."""
    return max(1, os.getloadavg()[0] / os.cpu_count())


class Load(Served):
    device = "null:msm=1ms"

    def test_sixty_megabytes(self):
        c = self.connect()
        body = os.urandom(60_000_000)
        times = []
        idle = self.daemon.status_line("VmHWM")
        for i in range(5):
            begin = time.monotonic()
            self.assertEqual(c.call("SubmitProof", porep(f"big{i}", c1=body)).code, 0)
            times.append(time.monotonic() - begin)
        grown = (self.daemon.status_line("VmHWM") - idle) * 1024
        print(f"60 MB: median {statistics.median(times) * 1e3:.0f} ms, peak grew by {grown / len(body):.2f} of it")
        self.assertLessEqual(statistics.median(times), 0.45 * busy())
        self.assertLessEqual(grown, 1.2 * len(body))
        end = time.monotonic() + 30  # soon it is the system's again
        while (self.daemon.status_line("VmRSS") - idle) * 1024 > 0.2 * len(body):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.2)

    def submits_at_a_rate(self, daemon, rate=1000, seconds=3, clients=4):
        """Latencies of so many submits a second of less than 1 KiB, sorted."""
        times, lock = [], threading.Lock()

        def client(which):
            c = h2.Connection(daemon.socket)
            own, start = [], time.monotonic()
            for i in range(rate * seconds // clients):
                due = start + i * clients / rate
                time.sleep(max(0, due - time.monotonic()))
                begin = time.monotonic()
                answer = c.call("SubmitProof", porep(f"{which}-{i}", c1=b"x" * 900))
                own.append((time.monotonic() - begin, answer.code))
            with lock:
                times.extend(own)
            c.close()

        threads = [threading.Thread(target=client, args=(k,)) for k in range(clients)]
        begin = time.monotonic()
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        took = time.monotonic() - begin
        self.assertEqual({code for _, code in times}, {0})
        self.assertLessEqual(took, 2 * seconds)
        return sorted(t for t, _ in times)

    def test_small_submits_at_a_rate(self):
        """On the disk, with a lone sync beside it; and on memory, where the service alone is measured."""
        sync = []
        with open(self.folder / "sync", "wb", buffering=0) as file:
            for _ in range(200):
                file.write(b"x" * 4096)
                begin = time.monotonic()
                os.fdatasync(file.fileno())
                sync.append(time.monotonic() - begin)
        sync.sort()
        disk = self.submits_at_a_rate(self.daemon)
        print(f"load {os.getloadavg()[0]:.1f}; 1,000 submits/s, durable: median {middle(disk):.2f} ms, p99 {high(disk):.2f} "
              f"ms; a sync of 4 KiB: median {middle(sync):.2f} ms, p99 {high(sync):.2f} ms", flush=True)
        if os.path.isdir("/dev/shm"):
            folder = pathlib.Path(tempfile.mkdtemp(prefix="cuzk-e2e-", dir="/dev/shm"))
            self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
            daemon = Daemon(folder, device=self.device).start()
            self.addCleanup(daemon.stop)
            memory = self.submits_at_a_rate(daemon)
            print(f"load {os.getloadavg()[0]:.1f}; the same with its state in memory: median {middle(memory):.2f} ms, p99 "
                  f"{high(memory):.2f} ms", flush=True)
            self.assertLessEqual(high(memory), 5 * busy())


if __name__ == "__main__":
    unittest.main()
