"""Updates (SnapDeals) that may not be proved. kinds.py and peers.py prove some."""
import json

from program import FIXTURES, Case

UPDATE = FIXTURES / "sectors" / "update-2k"
REQUEST = UPDATE / "update.json"


class Snap(Case):
    def refused(self, code, request, proof, *words):
        result = self.expect(code, "prove", "snap", "--request", request, "--in", proof, "--params-dir", self.folder)
        for word in words:
            self.assertIn(word, result.err)

    def test_what_does_not_hold_is_named(self):
        good, whole = json.loads(REQUEST.read_text()), (UPDATE / "partition-0.bin").read_bytes()
        partition = UPDATE / "partition-0.bin"
        self.refused(1, self.write("new.json", json.dumps(dict(good, comm_r_new=good["comm_r_old"]))), partition,
                     "comm_r_new")
        self.refused(3, self.write("size.json", json.dumps(dict(good, sector_size=4096 * 4))), partition,
                     "vanilla_proofs")
        self.refused(3, self.write("missing.json", json.dumps({"sector_size": 2048})), partition, "comm_r_old")
        self.refused(3, REQUEST, self.write("short.bin", whole[:-1]), "vanilla_proofs[0]", "challenge 9")
        self.refused(3, REQUEST, self.write("long.bin", whole + b"\0"), "vanilla_proofs[0]")
        self.refused(1, REQUEST, self.write("flip.bin", whole[:-9] + b"\1" + whole[-8:]), "challenge 9")
        self.expect(2, "prove", "snap", "--request", REQUEST, "--params-dir", self.folder)
        # further files may follow as arguments, as for PoSt: two are one too many for this size
        self.assertIn("vanilla_proofs", self.expect(3, "prove", "snap", "--request", REQUEST, "--params-dir", self.folder,
                                                    "--in", partition, partition).err)
