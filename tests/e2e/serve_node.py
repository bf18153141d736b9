"""An ordinary Node client of the daemon (tests/peers/grpc_client.mjs), with the .proto file and with reflection."""
import subprocess
import unittest

from peers import installed
from program import FIXTURES
from serve import Served

PROTO = FIXTURES.parent.parent / "proto"
PEERS, REASON = installed()


@unittest.skipIf(PEERS is None, f"no Node client here: {REASON}")
class Node(Served):
    def test_proto_and_reflection(self):
        proof = self.folder / "proof.bin"
        done = subprocess.run(["node", "grpc_client.mjs", self.daemon.address, PROTO,
                               FIXTURES / "sectors" / "porep-2k" / "c1.json", proof], cwd=PEERS, capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(proof.stat().st_size, 192)
