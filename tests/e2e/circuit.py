"""`cuzk circuit` against the reference's fingerprints of its circuits."""
import json

from program import Case, fixture

SIZES = {"2KiB": "2k", "4KiB": "4k", "16KiB": "16k", "32KiB": "32k", "8MiB": "8m", "512MiB": "512m", "32GiB": "32g",
         "64GiB": "64g"}
REFERENCE = {c["name"]: c for c in json.loads(fixture("circuits/circuits.json"))["circuits"]}
COMPARED = ("inputs", "aux", "constraints", "qap_rows", "log2_domain", "nnz", "density", "sha256", "checkpoint_every",
            "checkpoints")


class Checks(Case):
    def check_whole(self, size, timeout=280):
        want = REFERENCE["porep-" + size]
        got = self.expect(0, "circuit", "digest", "porep-" + SIZES[size], "--checkpoints", "--json", "--quiet",
                          timeout=timeout).json()
        for member in COMPARED:
            self.assertEqual(got[member], want[member], f"porep-{size}: {member}")
        self.assertEqual(got["parameter_name"] + ".params", want["params_file"])


class Small(Checks):
    def test_2k(self):
        self.check_whole("2KiB")

    def test_4k(self):
        self.check_whole("4KiB")

    def test_16k(self):
        self.check_whole("16KiB")

    def test_32k(self):
        self.check_whole("32KiB")

    def test_8m(self):
        self.check_whole("8MiB")

    def test_512m(self):
        self.check_whole("512MiB")

    def test_list_has_every_size(self):
        listed = self.expect(0, "circuit", "list", "--json").json()["circuits"]
        for size, short in SIZES.items():
            want = REFERENCE["porep-" + size]
            got = next(c for c in listed if c["circuit"] == "porep-" + short)
            self.assertEqual((got["inputs"], got["aux"]), (want["inputs"], want["aux"]))

    def test_tree_of_2k_equals_the_reference(self):
        rows = fixture("circuits/tree/porep-2KiB.tsv").decode().splitlines()
        names = rows[0].split("\t")
        want = {}
        for row in rows[1:]:
            cells = dict(zip(names, row.split("\t")))
            want.setdefault(cells.pop("path"), []).append({k: int(v) for k, v in cells.items()})
        got = {}
        for node in self.expect(0, "circuit", "tree", "porep-2k", "--depth", "4", "--json").json()["namespaces"]:
            got.setdefault(node.pop("path"), []).append(node)
        missing = [path for path, ranges in want.items() if got.get(path) != ranges]
        self.assertEqual(missing, [])

    def test_every_moves_checkpoints(self):
        coarse = self.expect(0, "circuit", "digest", "porep-2k", "--every", "1000000", "--json").json()
        self.assertEqual(len(coarse["checkpoints"]), 2)


class Prefix(Checks):
    """The first eight checkpoints of the big circuits, without recording all of them."""

    def check_prefix(self, size):
        want = REFERENCE["porep-" + size]
        got = self.expect(0, "circuit", "digest", "porep-" + SIZES[size], "--checkpoints", "--stop-after", "8", "--json",
                          "--quiet").json()
        self.assertEqual(got["checkpoint_every"], want["checkpoint_every"])
        self.assertEqual(got["checkpoints"], want["checkpoints"][:8])

    def test_32g(self):
        self.check_prefix("32GiB")

    def test_64g(self):
        self.check_prefix("64GiB")


class Large(Checks):
    def test_32g(self):
        self.check_whole("32GiB", timeout=900)

    def test_64g(self):
        self.check_whole("64GiB", timeout=900)
