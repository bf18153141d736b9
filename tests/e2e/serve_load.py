"""What the daemon must reach: large requests durable in time and memory, small ones at a rate, flat resources."""
import os
import statistics
import threading
import time
import unittest

import h2
from serve import Served, porep


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
        self.assertLessEqual(statistics.median(times), 1.0)  # 0.36 s on a quiet machine
        self.assertLessEqual(grown, 1.3 * len(body))

    def test_small_submits_at_a_rate(self):
        rate, seconds, clients = 1000, 3, 4
        times, lock = [], threading.Lock()

        def client(which):
            c = h2.Connection(self.daemon.socket)
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
        order = sorted(t for t, _ in times)
        print(f"{len(order)} submits in {took:.2f} s: median {order[len(order) // 2] * 1e3:.2f} ms, "
              f"p99 {order[len(order) * 99 // 100] * 1e3:.2f} ms")
        self.assertLessEqual(took, 2 * seconds)


if __name__ == "__main__":
    unittest.main()
