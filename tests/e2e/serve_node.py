"""An ordinary Node client of the daemon (tests/peers/grpc_client.mjs), with the .proto file and with reflection.

Its packages are in the repository (tests/peers/vendor): it needs Node and nothing else.
"""
import base64
import hashlib
import json
import pathlib
import shutil
import subprocess
import tarfile
import unittest

from program import FIXTURES
from serve import Served

PEERS = FIXTURES.parent / "peers"
PROTO = FIXTURES.parent.parent / "proto"


def unpack(folder):
    """The packages as Node looks for them, each with the digest that its registry has published."""
    for name, facts in json.loads((PEERS / "vendor" / "packages.json").read_text()).items():
        content = (PEERS / "vendor" / name).read_bytes()
        found = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
        if found != facts["integrity"]:
            raise AssertionError(f"{name}: {found} is not the published digest")
        place = folder / "node_modules" / facts["package"]
        with tarfile.open(PEERS / "vendor" / name) as archive:
            for member in archive.getmembers():
                path = pathlib.PurePosixPath(member.name)
                if member.isfile() and ".." not in path.parts:
                    target = place.joinpath(*path.parts[1:])  # the first is the archive's own folder
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(archive.extractfile(member).read())


@unittest.skipIf(shutil.which("node") is None, "Node is not here")
class Node(Served):
    def test_proto_and_reflection(self):
        unpack(self.folder)
        shutil.copy(PEERS / "grpc_client.mjs", self.folder)
        proof = self.folder / "proof.bin"
        protos = shutil.copytree(PROTO, self.folder / "proto")
        v1 = protos / "grpc" / "reflection" / "v1" / "reflection.proto"  # v1alpha is the same under another package
        v1alpha = protos / "grpc" / "reflection" / "v1alpha" / "reflection.proto"
        v1alpha.parent.mkdir()
        v1alpha.write_text(v1.read_text().replace("package grpc.reflection.v1;", "package grpc.reflection.v1alpha;"))
        done = subprocess.run(["node", "grpc_client.mjs", self.daemon.address, protos,
                               FIXTURES / "sectors" / "porep-2k" / "c1.json", proof], cwd=self.folder, capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("reflection v1 and v1alpha", done.stdout)
        self.assertEqual(proof.stat().st_size, 192)
