"""A daemon under test: started on a socket and state of its own, ended, looked at."""
import os
import pathlib
import signal
import socket
import subprocess
import time

from program import CUZK


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Daemon:
    def __init__(self, folder, *options, device="null", environment=None, http="off"):
        self.folder = pathlib.Path(folder)
        self.socket = self.folder / "cuzk.sock"
        self.state = self.folder / "state"
        self.options = ["--listen", f"unix:{self.socket}", "--state-dir", str(self.state), "--http", http,
                        "--device", device, *map(str, options)]
        self.environment = dict(os.environ, **(environment or {}))
        self.process = None

    def start(self, wait=True):
        self.log = open(self.folder / "daemon.log", "wb")
        self.process = subprocess.Popen([CUZK, "serve", *self.options], stdout=subprocess.DEVNULL, stderr=self.log,
                                        env=self.environment)
        if wait:
            self.wait_for("ready:")
        return self

    def said(self):
        return (self.folder / "daemon.log").read_text(errors="replace")

    def wait_for(self, words, seconds=60):
        end = time.monotonic() + seconds
        while words not in self.said():
            if self.process.poll() is not None:
                raise AssertionError(f"the daemon ended with {self.process.returncode}: {self.said()[-2000:]}")
            if time.monotonic() > end:
                raise AssertionError(f"no '{words}' within {seconds} s: {self.said()[-2000:]}")
            time.sleep(0.02)

    @property
    def address(self):
        return f"unix:{self.socket}"

    def status_line(self, name):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
        raise KeyError(name)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def stop(self, how=signal.SIGTERM, seconds=60):
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"the daemon did not end: {self.said()[-2000:]}") from None
        self.log.close()
        code, self.process = self.process.returncode, None
        return code
