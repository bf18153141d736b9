"""Runs the program under test and looks at what it says. Every test module starts from here."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

CUZK = os.environ.get("CUZK", "build/cuzk")
BUILD = pathlib.Path(os.environ.get("CUZK_BUILD", "build"))
FIXTURES = pathlib.Path(os.environ.get("CUZK_FIXTURES", pathlib.Path(__file__).parent.parent / "fixtures"))


class Result:
    def __init__(self, done, arguments):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.arguments = [str(a) for a in arguments]

    def json(self):
        """The one JSON object on standard output; anything else there is a failure."""
        value = json.loads(self.out)
        if not isinstance(value, dict):
            raise AssertionError(f"{self.arguments}: not an object")
        return value


def run(*arguments, stdin=b"", environment=None, timeout=280, text=True):
    """Runs cuzk; a signal (a crash) is always a failure."""
    env = dict(os.environ, **(environment or {}))
    done = subprocess.run([CUZK, *map(str, arguments)], input=stdin, capture_output=True, env=env, timeout=timeout)
    if text:
        done.stdout = done.stdout.decode()
        done.stderr = done.stderr.decode(errors="replace")
    result = Result(done, arguments)
    if result.code < 0 or result.code > 5:
        raise AssertionError(f"{result.arguments} ended with {result.code}: {result.err[-2000:]}")
    return result


def fixture(path):
    """Bytes of a fixture, decompressed where it is stored as .zst."""
    plain = FIXTURES / path
    if plain.exists():
        return plain.read_bytes()
    packed = FIXTURES / (str(path) + ".zst")
    return subprocess.run(["zstd", "-dcq", packed], check=True, capture_output=True).stdout


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cuzk-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.environ["XDG_CACHE_HOME"] = str(self.folder / "cache")

    def expect(self, code, *arguments, **options):
        result = run(*arguments, **options)
        self.assertEqual(result.code, code, f"{result.arguments}\nstdout: {result.out[-800:]}\nstderr: {result.err[-800:]}")
        if code >= 2:
            self.assertRegex(result.err, r"(?m)^cuzk: .+", f"{result.arguments} explained nothing")
        return result

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path


def kept_key(circuit):
    """Folder with the key of a circuit that tests/oracle made and left, under the fixtures' toxic waste."""
    return BUILD / "keys" / circuit


def test_key():
    """The same of porep-2k (tests/e2e/test_key.py)."""
    return kept_key("porep-2k")


def key_file(suffix):
    return next(test_key().glob("*" + suffix))
