"""What the engine must reach on null devices: time and memory a partition, devices kept busy, many queued jobs, nothing that grows."""
import json
import os
import pathlib
import subprocess
import unittest

from program import BUILD

MIB = 1 << 20


def busy():
    """What a busy machine adds is the machine's: its processors are waited for."""
    return max(1, os.getloadavg()[0] / os.cpu_count())


def measure(what):
    """Lines of tests/engine/engine_bench.c."""
    program = pathlib.Path(BUILD) / "tests" / "engine" / "engine_bench"
    done = subprocess.run([program, what], capture_output=True, text=True, timeout=200, check=True)
    print(f"load {os.getloadavg()[0]:.1f}\n{done.stdout}", end="", flush=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Bounds(unittest.TestCase):
    def test_overhead_of_a_partition(self):
        for line in measure("overhead"):
            with self.subTest(preset=line["preset"]):
                self.assertLessEqual(line["cpu_us"], 200)
                self.assertLessEqual(line["wall_us"], 200 * busy())
                self.assertLessEqual(line["peak_bytes_per_partition"], 64 << 10)
                self.assertLessEqual(line["kept_bytes_per_partition"], 1 << 10)

    def test_devices_are_kept_busy(self):
        """Host stages are shorter than the device's; where a worker at a time has the device, held shows against busy."""
        for line in measure("busy"):
            with self.subTest(preset=line["preset"], change=line["change"]):
                self.assertLessEqual(line["working"], line["held"] + 0.001)
                if line["preset"] == "phase-7" or "=1" in line["change"]:
                    self.assertLess(line["held"], 0.9)
                else:
                    self.assertGreaterEqual(line["working"], 1 - 0.01 * busy())

    def test_a_hundred_thousand_queued_jobs(self):
        queued, = measure("queued")
        self.assertEqual(queued["jobs"], 100000)
        self.assertLessEqual(queued["mib_all"], 100)

    def test_ten_thousand_jobs_leave_nothing(self):
        lines = {line["jobs"]: line for line in measure("flat")}
        first, last = lines[3000], lines[10000]
        self.assertLessEqual(last["rss_kib"], first["rss_kib"] + 1024)
        self.assertLessEqual(last["allocated"], first["allocated"] + MIB // 4)
        self.assertEqual(last["files"], first["files"])


if __name__ == "__main__":
    unittest.main()
