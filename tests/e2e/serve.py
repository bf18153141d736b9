"""The daemon over its socket: clients of this project, clients made by hand from the field numbers, and rude ones."""
import os
import resource
import signal
import socket
import stat
import struct
import subprocess
import threading
import time

import h2
from daemon import Daemon
from h2 import number, string
from program import CUZK, FIXTURES, Case

POREP, SNAP, WINDOW, WINNING = 1, 2, 3, 4
INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, RESOURCE_EXHAUSTED, FAILED_PRECONDITION, UNIMPLEMENTED = 3, 4, 5, 8, 9, 12
C1 = FIXTURES / "sectors" / "porep-2k" / "c1.json"


def porep(request_id="", c1=b"{}", size=2048, registered=5, priority=0, more=b""):
    return (string(1, request_id) + number(2, POREP) + number(3, size) + number(4, registered) + number(5, priority)
            + string(10, c1) + number(20, 1) + number(21, 1000) + more)


class Served(Case):
    device = "null:msm=1ms"
    options = ()

    def setUp(self):
        super().setUp()
        self.daemon = Daemon(self.folder, *self.options, device=self.device).start()
        self.addCleanup(self.daemon.stop)

    def connect(self, **options):
        connection = h2.Connection(self.daemon.socket, **options)
        self.addCleanup(connection.close)
        return connection

    def cuzk(self, code, *arguments, **options):
        return self.expect(code, *arguments, "--addr", self.daemon.address, **options)

    def alive(self):
        self.assertEqual(self.connect().call("GetStatus", b"").code, 0)


class Commands(Served):
    def test_submit_await_status_metrics_cancel(self):
        job = self.cuzk(0, "submit", "porep", "--c1", C1, "--json").json()
        self.assertRegex(job["job_id"], "^[0-9a-f]{16}$")
        result = self.cuzk(0, "await", job["job_id"], "--json").json()
        self.assertEqual((result["job_id"], result["proof_bytes"]), (job["job_id"], 192))
        self.assertEqual(len(bytes.fromhex(result["proof_hex"])), 192)
        status = self.cuzk(0, "status", "--json").json()
        self.assertEqual([q["proof_kind"] for q in status["queues"]],
                         ["porep-c2", "snap-update", "window-post", "winning-post"])
        self.assertEqual(status["total_proofs_completed"], 1)
        self.assertIn("cuzk_", self.cuzk(0, "metrics").out)
        self.cuzk(4, "await", "00000000000000aa")
        self.cuzk(4, "cancel", "00000000000000aa")
        self.cuzk(2, "submit", "porep")
        self.cuzk(2, "submit", "nothing")
        out = self.folder / "proof.bin"
        self.cuzk(0, "submit", "porep", "--c1", C1, "--request-id", "second", "--out", out)
        self.assertEqual(out.stat().st_size, 192)

    def test_submit_of_other_sectors_than_the_request_names(self):
        folder = FIXTURES / "sectors" / "window-2k-3"
        files = sorted(folder.glob("vanilla-*.bin"))
        post = ("submit", "wpost", "--request", folder / "post.json", "--out", self.folder / "out", "--in")
        missing = self.cuzk(3, *post, *files[1:])
        self.assertRegex(missing.err, "post.json: sectors: no vanilla proof of sector [0-9]+")
        self.assertRegex(self.cuzk(3, *post, *files[:2], "--partition-index", "1").err, "sectors: ")
        self.assertIn("partition_index: expected at most 1", self.cuzk(3, *post, *files, "--partition-index", "2").err)
        self.cuzk(3, *post, *files[1:], self.write("short.bin", "short"))
        self.assertEqual(self.cuzk(0, "status", "--json").json()["total_proofs_completed"], 0)
        self.cuzk(0, *post, *files[2:], "--partition-index", "1")
        self.cuzk(0, "submit", "wpost", "--request", "-", "--partition-index", "0", "--wait", "--in", *files[:2],
                  stdin=(folder / "post.json").read_bytes())

    def test_bench_load(self):
        figures = self.cuzk(0, "bench", "load", "--count", "30", "--in-flight", "7", "--json").json()
        self.assertEqual((figures["proofs"], figures["in_flight"], len(figures["latency_samples_s"])), (30, 7, 30))
        self.assertGreater(figures["latency_p50_s"], figures["submit_p50_s"])
        self.assertGreaterEqual(figures["latency_p99_s"], figures["latency_p90_s"])
        self.assertGreaterEqual(figures["batch_wall_s"] * 7, sum(figures["latency_samples_s"]) * 0.99)
        self.assertEqual(self.cuzk(0, "status", "--json").json()["total_proofs_completed"], 30)
        self.cuzk(2, "bench", "load", "--null", "null")
        self.cuzk(2, "bench", "load", "--in-flight", "2000")

    def test_no_daemon_is_explained(self):
        result = self.expect(4, "status", "--addr", f"unix:{self.folder}/none.sock")
        self.assertIn("hint: is the daemon running?", result.err)
        # but not where something else is wrong, and files are named
        empty = self.write("empty", "")
        for code, named, command in ((3, str(empty), ("submit", "porep", "--c1", empty)), (2, "--c1", ("submit", "porep")),
                                     (2, "--addr", ("status", "--addr", "nonsense"))):
            result = self.expect(code, *command)
            self.assertRegex(result.err, f"^cuzk: {named}: ")
            self.assertNotIn("is the daemon running", result.err)

    def test_a_daemon_that_greets_late_is_there(self):
        self.daemon.process.send_signal(signal.SIGSTOP)
        later = threading.Timer(0.7, self.daemon.process.send_signal, (signal.SIGCONT,))
        later.start()
        self.addCleanup(later.join)
        self.cuzk(0, "status")

    def test_await_time_is_over(self):
        self.daemon.stop()
        self.daemon = Daemon(self.folder, device="null:msm=30s").start()
        self.addCleanup(self.daemon.stop, signal.SIGKILL)
        job = self.cuzk(0, "submit", "porep", "--c1", C1).out.strip()
        self.assertIn("goes on", self.cuzk(4, "await", job, "--timeout", "300ms").err)
        self.assertTrue(self.cuzk(0, "cancel", job, "--json").json()["was_running"])
        self.assertIn("cancelled", self.cuzk(4, "await", job).err)


class Socket(Case):
    def answers(self, daemon):
        connection = h2.Connection(daemon.socket)
        self.assertEqual(connection.call("GetStatus", b"").code, 0)
        connection.close()

    def test_mode_lock_and_leftovers(self):
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        for mask in (0, 0o777):
            os.umask(mask)
            daemon = Daemon(self.folder).start() if mask == 0 else None
            if daemon is None:
                folder = self.folder / "masked"
                os.mkdir(folder)
                os.chmod(folder, 0o700)
                os.umask(0o177)
                daemon = Daemon(folder).start()
            self.assertEqual(stat.S_IMODE(os.stat(daemon.socket).st_mode), 0o660)
            self.assertEqual(stat.S_IMODE(os.stat(daemon.state).st_mode), 0o700)
            second = Daemon(daemon.folder)
            second.options[3] = str(self.folder / "other-state")
            done = subprocess.run([CUZK, "serve", *second.options], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("another daemon", done.stderr)
            self.answers(daemon)
            daemon.stop(signal.SIGKILL)
            self.assertTrue(daemon.socket.exists())
            daemon.start()
            self.answers(daemon)
            self.assertEqual(daemon.stop(), 0)
            self.assertFalse(daemon.socket.exists())

    def test_a_folder_that_is_missing_is_made(self):
        folder = self.folder / "run"
        daemon = Daemon(folder)
        for listen, code in ((folder / "cuzk.sock", 0), (self.folder / "none" / "none" / "cuzk.sock", 4)):
            daemon.options[1] = f"unix:{listen}"
            daemon.folder = self.folder  # of its log
            if code == 0:
                daemon.start()
                self.answers(daemon)
                self.assertEqual(daemon.stop(), 0)
            else:
                done = subprocess.run([CUZK, "serve", *daemon.options], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn("none/none: cannot be made", done.stderr)

    def test_a_file_in_the_way_stays(self):
        (self.folder / "cuzk.sock").write_text("mine")
        daemon = Daemon(self.folder)
        done = subprocess.run([CUZK, "serve", *daemon.options], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual((self.folder / "cuzk.sock").read_text(), "mine")

    def test_a_device_that_is_not_there_is_told_once(self):
        daemon = Daemon(self.folder, device="cuda:99")
        done = subprocess.run([CUZK, "serve", *daemon.options], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(done.stderr.count("cuzk: "), 1, done.stderr)

    def test_a_folder_that_cannot_be_made_is_named(self):
        daemon = Daemon(self.folder)
        daemon.options[1] = f"unix:{self.folder}/none/below/cuzk.sock"
        done = subprocess.run([CUZK, "serve", *daemon.options], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(f"cuzk: {self.folder}/none/below: cannot be made, for the socket", done.stderr)

    def test_tcp_off_the_loopback_needs_certificates(self):
        done = subprocess.run([CUZK, "serve", "--listen", "0.0.0.0:19820", "--state-dir", self.folder / "s", "--http",
                               "off", "--device", "null"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)


class FieldNumbers(Served):
    """A client that knows nothing but formats.md."""

    def test_submit_await_prove(self):
        c = self.connect()
        submitted = c.call("SubmitProof", porep("porep-1000-7", c1=C1.read_bytes()))
        self.assertEqual(submitted.code, 0, submitted.text)
        job = submitted.fields[1][0]
        again = c.call("SubmitProof", porep("porep-1000-7", c1=C1.read_bytes()))
        self.assertEqual(again.fields[1][0], job)
        other = c.call("SubmitProof", porep("porep-1000-7", c1=C1.read_bytes() + b" "))
        self.assertNotEqual(other.fields[1][0], job)
        result = c.call("AwaitProof", string(1, job)).fields
        self.assertEqual((result[1][0], result[2][0], len(result[3][0])), (job, 1, 192))
        self.assertEqual(result[14][0] >= 1, True)
        proved = c.call("Prove", string(1, porep("third", c1=C1.read_bytes())))
        self.assertEqual(h2.fields(proved.fields[1][0])[2][0], 1)

    def test_unknown_fields_are_skipped_and_unknown_methods_refused(self):
        c = self.connect()
        self.assertEqual(c.call("SubmitProof", porep("u", more=number(99, 3) + string(100, b"x" * 100000))).code, 0)
        self.assertEqual(c.call("Nothing", b"").code, UNIMPLEMENTED)
        self.assertEqual(c.call("/other.Service/Method", b"").code, UNIMPLEMENTED)

    def test_await_of_nothing(self):
        c = self.connect()
        self.assertEqual(c.call("AwaitProof", string(1, "00000000000000aa")).code, NOT_FOUND)
        self.assertEqual(c.call("AwaitProof", b"").code, INVALID_ARGUMENT)
        self.assertEqual(c.call("CancelProof", string(1, "00000000000000aa")).code, NOT_FOUND)

    def test_health_and_reflection(self):
        c = self.connect()
        health = "/grpc.health.v1.Health/Check"
        self.assertEqual(c.call(health, b"").fields[1][0], 1)
        self.assertEqual(c.call(health, string(1, "cuzk.v1.ProvingEngine")).fields[1][0], 1)
        self.assertEqual(c.call(health, string(1, "nobody")).code, NOT_FOUND)
        for version in ("v1", "v1alpha"):
            method = f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"
            answer = c.call(method, string(7, ""))
            self.assertEqual(answer.code, 0, answer.text)
            listed = [h2.fields(s)[1][0] for s in h2.fields(answer.fields[6][0])[1]]
            self.assertIn(b"cuzk.v1.ProvingEngine", listed)
            for symbol in ("cuzk.v1.ProvingEngine", "cuzk.v1.ProvingEngine.SubmitProof", "cuzk.v1.SRSStatus.Tier",
                           "cuzk.v1.SubmitProofRequest.comm_d_new", "cuzk.v1.WINNING_POST"):
                found = c.call(method, string(4, symbol)).fields[4][0]
                file = h2.fields(found)[1][0]
                self.assertEqual(h2.fields(file)[1][0], b"cuzk/v1/proving.proto", symbol)
            self.assertEqual(h2.fields(c.call(method, string(4, "cuzk.v1.Nothing")).fields[7][0])[1][0], NOT_FOUND)
            self.assertIn(4, c.call(method, string(3, "grpc/health/v1/health.proto")).fields)


class Malformed(Served):
    def test_every_field_is_named(self):
        good = {1: string(1, "m"), 2: number(2, POREP), 3: number(3, 2048), 4: number(4, 5), 10: string(10, b"{}")}
        cases = [
            ("request_id", 1, string(1, b"\xff\xfe")),
            ("request_id", 1, string(1, b"a\0b")),
            ("request_id", 1, string(1, "x" * 257)),
            ("request_id", 1, number(1, 5)),
            ("proof_kind", 2, b""),
            ("proof_kind", 2, number(2, 9)),
            ("sector_size", 3, b""),
            ("sector_size", 3, string(3, "2048")),
            ("registered_proof", 4, number(4, 8)),
            ("registered_proof", 4, number(4, 20)),
            ("priority", 5, number(5, 77)),
            ("vanilla_proof", 10, number(10, 4)),
            ("vanilla_proofs", 11, number(11, 4)),
            ("partition_index", 23, number(23, 1 << 33)),
            ("comm_r_old", 30, string(30, b"x" * 31)),
            ("comm_r_new", 31, string(31, b"x" * 40)),
            ("comm_d_new", 32, string(32, bytes.fromhex("0182e20381e80220") + b"x" * 32)),
            ("comm_d_new", 32, string(32, b"x" * 39)),
            ("field 10", 10, h2.varint(10 << 3 | 2) + h2.varint(1 << 40)),
            ("tag", 10, b"\x00"),
            ("field 3", 3, h2.varint(3 << 3) + b"\xff" * 10),
            ("field 9", 9, h2.varint(9 << 3 | 3)),
        ]
        c = self.connect()
        for name, field, raw in cases:
            with self.subTest(field=name, raw=raw[:20]):
                message = b"".join(v for k, v in good.items() if k != field) + raw
                answer = c.call("SubmitProof", message)
                self.assertEqual(answer.code, INVALID_ARGUMENT, answer.text)
                self.assertIn(name, answer.text)
        self.alive()

    def test_commitments_in_both_forms_are_one_job(self):
        c = self.connect()
        sealed, unsealed = bytes.fromhex("0182e20381e80220"), bytes.fromhex("0181e203922020")
        base = string(1, "s") + number(2, SNAP) + number(3, 2048) + number(4, 0) + string(11, b"v")
        raw = base + string(30, b"a" * 32) + string(31, b"b" * 32) + string(32, b"c" * 32)
        cid = base + string(30, sealed + b"a" * 32) + string(31, sealed + b"b" * 32) + string(32, unsealed + b"c" * 32)
        one, other = c.call("SubmitProof", raw), c.call("SubmitProof", cid)
        self.assertEqual((one.code, other.code), (0, 0), one.text + other.text)
        self.assertEqual(one.fields[1], other.fields[1])

    def test_prove_without_submit(self):
        c = self.connect()
        self.assertIn("submit", c.call("Prove", b"").text)
        self.assertEqual(c.call("Prove", string(1, porep()) * 2).code, INVALID_ARGUMENT)

    def test_compressed_and_garbage(self):
        c = self.connect()
        stream = c.open("SubmitProof", [("grpc-encoding", "gzip")])
        c.send(stream, b"\x01" + struct.pack(">I", 3) + b"abc", end=True)
        self.assertIn(c.wait(stream).code, (UNIMPLEMENTED, 13))
        raw = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        raw.connect(str(self.daemon.socket))
        raw.sendall(os.urandom(4096))
        raw.close()
        self.alive()


class Rude(Served):
    device = "null:msm=200ms"

    def test_half_open_clients(self):
        keep = []
        for _ in range(20):
            c = self.connect()
            stream = c.open("SubmitProof")
            c.send(stream, b"\0" + struct.pack(">I", 1 << 20) + b"x" * 1000)
            keep.append(c)
        self.alive()
        self.assertEqual(self.connect().call("SubmitProof", porep("after")).code, 0)

    def test_slow_reader(self):
        slow = self.connect(window=1)
        streams = [slow.open("GetMetrics") for _ in range(50)]
        for stream in streams:
            slow.send(stream, b"\0\0\0\0\0", end=True)
        self.alive()

    def test_one_gibibyte_is_refused(self):
        c = self.connect()
        stream, block, sent = c.open("SubmitProof"), b"x" * (1 << 22), 0
        c.send(stream, b"\0" + struct.pack(">I", 1 << 30))
        while sent < 1 << 30 and stream not in c.closed:
            sent += c.send(stream, block)
        refused = c.wait(stream)
        self.assertEqual(refused.code, RESOURCE_EXHAUSTED, refused.text)
        self.assertIn("larger than max", refused.text)
        self.assertLess(self.daemon.status_line("VmHWM"), 1600 << 10)
        self.alive()

    def test_client_that_vanishes_while_it_waits(self):
        c = self.connect()
        job = c.call("SubmitProof", porep("v")).fields[1][0]
        for _ in range(20):
            gone = h2.Connection(self.daemon.socket)
            stream = gone.open("AwaitProof")
            message = string(1, job)
            gone.send(stream, b"\0" + struct.pack(">I", len(message)) + message, end=True)
            gone.close()
        self.assertEqual(c.call("AwaitProof", string(1, job)).fields[2][0], 1)

    def test_deadline_and_timeout(self):
        c = self.connect()
        job = c.call("SubmitProof", porep("d")).fields[1][0]
        begin = time.monotonic()
        late = c.call("AwaitProof", string(1, job), more=[("grpc-timeout", "50m")])
        self.assertEqual(late.code if late.reset is None else DEADLINE_EXCEEDED, DEADLINE_EXCEEDED)
        self.assertLess(time.monotonic() - begin, 2)
        self.assertEqual(c.call("AwaitProof", string(1, job) + number(2, 20)).fields[2][0], 4)
        self.assertEqual(c.call("AwaitProof", string(1, job)).fields[2][0], 1)

    def test_ten_thousand_idle_connections(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        many = min(10000, hard - 200 if hard > 0 else 10000)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 12000) if hard > 0 else 12000, hard))
        before = self.daemon.status_line("VmRSS")
        idle = []
        try:
            for _ in range(many):
                s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                s.connect(str(self.daemon.socket))  # waits where the daemon has not accepted the others yet
                s.settimeout(20)
                s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0")
                idle.append(s)
            self.alive()
            print(f"{len(idle)} idle connections: {(self.daemon.status_line('VmRSS') - before) / len(idle):.1f} KiB each")
        finally:
            for s in idle:
                s.close()
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        self.alive()


class Busy(Served):
    device = "null:msm=3s"  # the daemon ends when the stage does
    options = ("--jobs-most", "5", "--grace", "1s")

    def test_too_much_work_says_when_to_come_back(self):
        c = self.connect()
        for i in range(5):
            self.assertEqual(c.call("SubmitProof", porep(f"b{i}")).code, 0)
        refused = c.call("SubmitProof", porep("one more"))
        self.assertEqual(refused.code, RESOURCE_EXHAUSTED)
        self.assertGreaterEqual(int(refused.headers["retry-after"]), 1)
        self.assertGreaterEqual(int(refused.headers["grpc-retry-pushback-ms"]), 1)
        self.assertIn("come back", refused.text)
        queues = [h2.fields(q) for q in c.call("GetStatus", b"").fields[3]]
        self.assertEqual(sum(q.get(2, [0])[0] + q.get(3, [0])[0] for q in queues), 5)


class Ending(Served):
    device = "null:msm=300ms"

    def test_sigterm_drains(self):
        c = self.connect()
        job = c.call("SubmitProof", porep("e")).fields[1][0]
        stream = c.open("AwaitProof")
        message = string(1, job)
        c.send(stream, b"\0" + struct.pack(">I", len(message)) + message, end=True)
        self.daemon.process.send_signal(signal.SIGTERM)
        self.daemon.wait_for("draining")
        self.assertEqual(c.wait(stream).fields[2][0], 1)
        self.assertEqual(self.daemon.stop(), 0)

    def test_second_signal_stops(self):
        self.daemon.stop()
        self.daemon = Daemon(self.folder, device="null:msm=500ms").start()
        self.addCleanup(self.daemon.stop, signal.SIGKILL)
        c = self.connect()
        for i in range(100):
            self.assertEqual(c.call("SubmitProof", porep(f"e{i}")).code, 0)
        self.daemon.process.send_signal(signal.SIGTERM)
        self.daemon.wait_for("draining")
        begin = time.monotonic()
        self.assertEqual(self.daemon.stop(), 0)
        self.assertLess(time.monotonic() - begin, 20)
