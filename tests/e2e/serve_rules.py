"""What the service promises: cancelling at any stage, waiting through a restart, who is let in, what health says."""
import json
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
import unittest

import h2
from daemon import Daemon, free_port
from h2 import string
from program import BUILD, CUZK, Case
from serve import C1, Served, porep

COMPLETED, CANCELLED = 1, 3
SERVING, NOT_SERVING = 1, 2


class Cancel(Case):
    """Wherever a job is, it ends at once, and the device is free for the next."""
    stages = ("witness", "setup", "prepare", "pin", "upload", "quotient", "msm", "unpin", "finish", "verify", "release")

    def test_at_each_stage(self):
        for stage in self.stages:
            with self.subTest(stage=stage):
                folder = self.folder / stage
                folder.mkdir()
                pinned = ["--preset", "phase-9"] if "pin" in stage else []  # where there is such a stage
                daemon = Daemon(folder, *pinned, device=f"null:{stage}=1s").start()
                try:
                    self.cancel(daemon, stage)
                finally:
                    daemon.stop(signal.SIGKILL)

    def cancel(self, daemon, stage):
        c = h2.Connection(daemon.socket)
        job = c.call("SubmitProof", porep("a")).fields[1][0]
        waiting = c.send_call("AwaitProof", string(1, job))
        time.sleep(0.2)
        begin = time.monotonic()
        cancelled = c.call("CancelProof", string(1, job))
        self.assertEqual(cancelled.code, 0, cancelled.text)
        result = c.wait(waiting)
        if stage == "release":  # the proof is out by then
            self.assertEqual((cancelled.fields.get(1, [0])[0], result.fields[2][0]), (0, COMPLETED))
        else:
            self.assertEqual((cancelled.fields[1][0], result.fields[2][0]), (1, CANCELLED))
        self.assertLess(time.monotonic() - begin, 0.7)  # the stage itself goes on for longer
        # cancelled once more, or asked again: the same answer
        self.assertEqual(c.call("CancelProof", string(1, job)).fields.get(1, [0])[0], 0)
        self.assertEqual(c.call("AwaitProof", string(1, job)).fields[2][0], result.fields[2][0])
        # another job goes through, the same request anew where it was cancelled
        again = c.call("SubmitProof", porep("a")).fields[1][0]
        self.assertEqual(again == job, stage == "release")
        self.assertEqual(c.call("AwaitProof", string(1, again)).fields[2][0], COMPLETED)
        c.close()

    def test_while_queued(self):
        daemon = Daemon(self.folder, device="null:msm=1s").start()
        self.addCleanup(daemon.stop, signal.SIGKILL)
        c = h2.Connection(daemon.socket)
        self.addCleanup(c.close)
        jobs = [c.call("SubmitProof", porep(f"q{i}")).fields[1][0] for i in range(20)]
        begin = time.monotonic()
        for job in jobs[5:]:
            self.assertEqual(c.call("CancelProof", string(1, job)).fields[1][0], 1)
            self.assertEqual(c.call("AwaitProof", string(1, job)).fields[2][0], CANCELLED)
        self.assertLess(time.monotonic() - begin, 1)
        self.assertEqual(c.call("AwaitProof", string(1, jobs[0])).fields[2][0], COMPLETED)


class Restart(Case):
    def test_await_goes_on_across_a_restart(self):
        for how in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(signal=how.name):
                folder = self.folder / how.name
                folder.mkdir()
                daemon = Daemon(folder, "--grace", "1ms", device="null:msm=1500ms").start()
                self.addCleanup(daemon.stop, signal.SIGKILL)
                self.expect(0, "submit", "porep", "--c1", C1, "--request-id", "before it", "--addr", daemon.address)
                job = self.expect(0, "submit", "porep", "--c1", C1, "--addr", daemon.address).out.strip()
                out = folder / "proof"
                client = subprocess.Popen([CUZK, "await", job, "--out", str(out), "--addr", daemon.address],
                                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                self.addCleanup(client.kill)
                time.sleep(0.3)
                daemon.stop(how)
                self.assertIsNone(client.poll())
                time.sleep(0.3)
                daemon.start()
                _, said = client.communicate(timeout=60)
                self.assertEqual(client.returncode, 0, said)
                self.assertEqual(out.stat().st_size, 192)
                # the same request still is that job, by any client
                self.assertEqual(self.expect(0, "submit", "porep", "--c1", C1, "--addr", daemon.address).out.strip(), job)


def openssl(folder, *arguments):
    subprocess.run(["openssl", *map(str, arguments)], cwd=folder, check=True, capture_output=True, timeout=60)


def authority(folder, name):
    """A certificate authority: name.key, name.pem."""
    openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key",
            "-out", f"{name}.pem", "-days", "2", "-subj", f"/CN={name}")


def certificate(folder, name, signer):
    """name.key and name.pem, for 127.0.0.1 and localhost, signed by an authority."""
    openssl(folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key", "-out",
            f"{name}.csr", "-subj", f"/CN={name}")
    (folder / "san").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", f"{signer}.pem", "-CAkey", f"{signer}.key", "-CAcreateserial",
            "-days", "2", "-extfile", "san", "-out", f"{name}.pem")


class Certified(Case):
    """Certificates, and clients that show them."""

    def serve(self, listen):
        daemon = Daemon(self.folder, "--listen", listen, "--tls-certificate", self.folder / "server.pem", "--tls-key",
                        self.folder / "server.key", "--tls-client-ca", self.folder / "ca.pem", device="null:msm=1ms").start()
        self.addCleanup(daemon.stop)
        return daemon

    def client(self, code, name, *more, ca="ca"):
        files = ["--tls-certificate", self.folder / f"{name}.pem", "--tls-key", self.folder / f"{name}.key"] if name else []
        return self.expect(code, "status", "--json", "--addr", self.address, *files, "--tls-ca", self.folder / f"{ca}.pem",
                           *more)

    def setUp(self):
        super().setUp()
        for name in ("ca", "stranger"):
            authority(self.folder, name)
        certificate(self.folder, "server", "ca")
        certificate(self.folder, "client", "ca")
        certificate(self.folder, "other", "stranger")

    def greeted(self, port, name):
        """Whether HTTP/2 begins over TLS by Python's library."""
        context = ssl.create_default_context(cafile=self.folder / "ca.pem")
        context.set_alpn_protocols(["h2"])
        if name:
            context.load_cert_chain(self.folder / f"{name}.pem", self.folder / f"{name}.key")
        with socket.create_connection(("127.0.0.1", port), timeout=30) as plain:
            try:
                with context.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
                    secure.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0")
                    return secure.recv(9)[3:4] == b"\4"  # SETTINGS
            except OSError:
                return False


class Tls(Certified):
    """TCP with mutual TLS: only clients with a certificate of the authority come in."""

    def test_who_comes_in(self):
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        daemon = self.serve(self.address)
        self.assertEqual(len(self.client(0, "client").json()["queues"]), 4)
        out = self.folder / "proof"
        self.expect(0, "submit", "porep", "--c1", C1, "--out", out, "--addr", self.address, "--tls-certificate",
                    self.folder / "client.pem", "--tls-key", self.folder / "client.key", "--tls-ca", self.folder / "ca.pem")
        self.assertEqual(out.stat().st_size, 192)
        self.assertEqual(self.greeted(port, "client"), True)
        self.assertEqual(self.greeted(port, None), False)   # no certificate
        self.assertEqual(self.greeted(port, "other"), False)
        self.client(4, "other")                             # one of another authority
        self.client(4, "client", ca="stranger")             # the daemon is not who it should be
        self.expect(4, "status", "--addr", self.address)  # no TLS at all
        with socket.create_connection(("127.0.0.1", port)) as plain:  # nor by hand
            plain.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0")
            plain.settimeout(30)
            try:
                while (got := plain.recv(4096)) != b"":
                    self.assertNotIn(b"\0\0\0\x04\1", got)  # no SETTINGS are acknowledged
            except ConnectionResetError:
                pass
        # the unix socket is for local users as before
        self.expect(0, "status", "--addr", daemon.address)

    def test_off_the_loopback(self):
        port = free_port()
        refused = subprocess.run([CUZK, "serve", "--listen", f"0.0.0.0:{port}", "--state-dir", self.folder / "s", "--http", "off",
                                  "--device", "null"], capture_output=True, text=True, timeout=60)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("tls", refused.stderr.lower())
        self.address = f"127.0.0.1:{port}"
        self.serve(f"0.0.0.0:{port}")
        self.client(0, "client")
        self.assertEqual(self.greeted(port, None), False)

    def test_damaged_certificates_are_named(self):
        (self.folder / "server.pem").write_text("nothing\n")
        daemon = Daemon(self.folder, "--listen", f"127.0.0.1:{free_port()}", "--tls-certificate", self.folder / "server.pem",
                        "--tls-key", self.folder / "server.key", "--tls-client-ca", self.folder / "ca.pem")
        done = subprocess.run([CUZK, "serve", *daemon.options], capture_output=True, text=True, timeout=60)
        self.assertIn(done.returncode, (2, 3, 4), done.stderr)
        self.assertIn("server.pem", done.stderr)


class Health(Served):
    device = "null:msm=500ms"

    def test_watch_tells_changes(self):
        c = self.connect()
        job = c.call("SubmitProof", porep("h")).fields[1][0]
        watch = c.send_call("/grpc.health.v1.Health/Watch", string(1, "cuzk.v1.ProvingEngine"))
        nobody = c.send_call("/grpc.health.v1.Health/Watch", string(1, "nobody"))

        def said(stream):
            return [h2.fields(m).get(1, [0])[0] for m in c.answers[stream].messages]

        while not said(watch) or not said(nobody):
            c.step()
        self.assertEqual((said(watch), said(nobody)), ([SERVING], [3]))  # 3: SERVICE_UNKNOWN
        self.daemon.process.send_signal(signal.SIGTERM)
        while len(said(watch)) < 2:
            c.step()
        self.assertEqual(said(watch), [SERVING, NOT_SERVING])
        # what was accepted is still proved and answered
        self.assertEqual(c.call("AwaitProof", string(1, job)).fields[2][0], COMPLETED)
        self.assertEqual(self.daemon.stop(), 0)

    def test_not_serving_before_it_is_ready(self):
        self.daemon.stop()
        self.daemon = Daemon(self.folder, "--preload", "porep-2k", device="null:load=1s").start(wait=False)
        self.addCleanup(self.daemon.stop, signal.SIGKILL)
        end = time.monotonic() + 30
        while True:
            if self.daemon.socket.exists():
                c = self.connect()
                break
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        self.assertEqual(c.call("/grpc.health.v1.Health/Check", b"").fields[1][0], NOT_SERVING)
        self.assertEqual(c.call("SubmitProof", porep("early")).code, 0)
        self.daemon.wait_for("ready:")
        self.assertEqual(c.call("/grpc.health.v1.Health/Check", b"").fields[1][0], SERVING)


class Log(Case):
    def test_failures_name_their_job_in_every_form(self):
        for form in ("logfmt", "json"):
            with self.subTest(format=form):
                folder = self.folder / form
                folder.mkdir()
                daemon = Daemon(folder, "--failures-most", "2", "--log-repeat", "0s", "--log-format", form,
                                device="null:fail_every=1").start()
                self.addCleanup(daemon.stop)
                failed = self.expect(3, "submit", "porep", "--c1", C1, "--wait", "--addr", daemon.address)
                job = re.search(r"job ([0-9a-f]{16}): failed", failed.err).group(1)
                daemon.wait_for(f"job {job}: failed")
                lines = [line for line in daemon.said().splitlines() if job in line]
                self.assertGreaterEqual(len(lines), 2)  # an attempt, and the end
                self.assertTrue(any(" on gpu0: null device" in line for line in lines), lines)
                for line in lines:
                    if form == "json":
                        self.assertEqual((json.loads(line)["job"], json.loads(line)["level"]), (job, "warning"))
                    else:
                        self.assertRegex(line, f"level=warning job={job} msg=")


class Unit(Case):
    @unittest.skipIf(shutil.which("systemd-analyze") is None, "systemd-analyze is not here")
    def test_service_manager_takes_the_unit(self):
        text = (BUILD / "cuzk.service").read_text()
        start = re.search(r"(?m)^ExecStart=(\S+)", text).group(1)
        unit = self.write("cuzk.service", text.replace(start, CUZK))
        done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # a private /var/tmp would hide the parameters
        self.assertIn("BindReadOnlyPaths=-/var/tmp/filecoin-proof-parameters\n", text)
        # the daemon's own grace ends before the service manager's patience
        grace, patience = re.search(r"--grace (\d+)s", text).group(1), re.search(r"TimeoutStopSec=(\d+)min", text).group(1)
        self.assertLess(int(grace), 60 * int(patience))


class Reload(Certified):
    """SIGHUP: what a running daemon can take is in force at once, the rest is named."""

    def reload(self, text):
        said = len(self.daemon.said())
        self.file.write_text(text + "\n[log]\nrepeat = \"0s\"\n" if "[log]" not in text else text)
        self.daemon.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 30
        while "differ from the start" not in self.daemon.said()[said:] and "nothing was changed" not in self.daemon.said()[said:]:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        return self.daemon.said()[said:]

    def test_certificates(self):
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        self.file = self.write("cuzk.toml", "")
        self.daemon = Daemon(self.folder, "--config", self.file, "--listen", self.address, "--tls-certificate",
                             self.folder / "server.pem", "--tls-key", self.folder / "server.key", "--tls-client-ca",
                             self.folder / "ca.pem", device="null:msm=1ms").start()
        self.addCleanup(self.daemon.stop)
        self.client(0, "client")
        (self.folder / "ca.pem").rename(self.folder / "before.pem")
        authority(self.folder, "ca")  # another, and a certificate of it
        certificate(self.folder, "server", "ca")
        certificate(self.folder, "fresh", "ca")
        self.client(0, "client", ca="before")  # nothing has changed yet
        self.reload("")
        self.client(0, "fresh")
        self.client(4, "client")
        self.client(4, "client", ca="before")
        # damaged files change nothing
        (self.folder / "server.pem").write_text("nothing\n")
        self.assertIn("nothing was changed", self.reload('[log]\nlevel = "debug"\nrepeat = "0s"\n'))
        self.client(0, "fresh")
        # so does a key that is another's, on both sides
        certificate(self.folder, "server", "ca")
        (self.folder / "server.key").write_bytes((self.folder / "fresh.key").read_bytes())
        said = self.reload("")
        self.assertIn("nothing was changed", said)
        self.assertRegex(said, r"server\.key: is not the private key of the certificate \S*server\.pem")
        self.client(0, "fresh")
        self.assertIn("is not the private key", self.expect(3, "status", "--addr", self.address, "--tls-certificate",
                      self.folder / "client.pem", "--tls-key", self.folder / "fresh.key", "--tls-ca",
                      self.folder / "ca.pem").err)

    def test_bounds_preloads_and_the_log(self):
        self.file = self.write("cuzk.toml", '[queue]\njobs_most = 50\n[log]\nrepeat = "0s"\n')
        self.daemon = Daemon(self.folder, "--config", self.file, device="null:msm=300ms:load=10ms").start()
        self.addCleanup(self.daemon.stop, signal.SIGKILL)
        c = h2.Connection(self.daemon.socket)
        self.addCleanup(c.close)
        jobs = [c.call("SubmitProof", porep(f"r{i}")) for i in range(4)]
        self.assertEqual([j.code for j in jobs], [0] * 4)
        said = self.reload('[queue]\njobs_most = 4\n[engine]\npreload = ["porep-32g"]\n[log]\nlevel = "debug"\nrepeat = "0s"\n')
        self.assertIn("queue.jobs_most is 4, was 50", said)
        self.assertEqual(c.call("SubmitProof", porep("one more")).code, 8)
        self.daemon.wait_for("porep-32g is hot on every device")
        self.daemon.wait_for("TIMELINE,")
        end = time.monotonic() + 30
        about = []
        while len(about) < 4:  # the first such line may be the key's
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
            about = [line for line in self.daemon.said().splitlines()
                     if any(j.fields[1][0].decode() in line for j in jobs)]
        self.assertEqual([line for line in about if " job=" not in line], [])  # each line names its job as a member
        said = self.reload('[queue]\njobs_most = 60\n[listen]\nmessage_most = "128MiB"\n')
        self.assertIn("queue.jobs_most: 50 is what there was room made for", said)
        self.assertIn("needs a restart; \\\"256MiB\\\" stays in force", said)
        self.assertEqual(c.call("SubmitProof", porep("one more")).code, 0)
        self.assertIn("nothing was changed", self.reload("[queue]\njobs_most = 0\n"))

    def test_config_show_says_what_is_taken(self):
        rows = self.expect(0, "config", "show", "--json").json()["options"]
        taken = {row["key"] for row in rows if row["reload"]}
        self.assertEqual(taken, {"log.level", "log.format", "log.repeat", "engine.preload", "queue.jobs_most",
                                 "queue.failures_most", "queue.aging", "queue.result_keep", "tls.certificate", "tls.key",
                                 "tls.client_ca"})
        self.assertIn("SIGHUP takes a change", self.expect(0, "config", "show").out)
