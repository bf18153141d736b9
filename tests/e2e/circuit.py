"""`cuzk circuit` against the reference's fingerprints of its circuits."""
import json

from program import Case, fixture

SIZES = {"2KiB": "2k", "4KiB": "4k", "16KiB": "16k", "32KiB": "32k", "8MiB": "8m", "512MiB": "512m", "32GiB": "32g",
         "64GiB": "64g"}
REFERENCE = {c["name"]: c for c in json.loads(fixture("circuits/circuits.json"))["circuits"]}
COMPARED = ("inputs", "aux", "constraints", "qap_rows", "log2_domain", "nnz", "density", "sha256", "checkpoint_every",
            "checkpoints")


KINDS = {"porep": "porep", "winning": "winning", "window": "wpost", "update": "snap", "update-poseidon": "snapp"}


class Checks(Case):
    def check_whole(self, kind, size, timeout=280):
        want = REFERENCE[f"{kind}-{size}"]
        got = self.expect(0, "circuit", "digest", f"{KINDS[kind]}-{SIZES[size]}", "--checkpoints", "--every",
                          want["checkpoint_every"], "--json", "--quiet", timeout=timeout).json()
        for member in COMPARED:
            self.assertEqual(got[member], want[member], f"{kind}-{size}: {member}")
        self.assertEqual(got["parameter_name"] + ".params", want["params_file"])


# What `make check` has the program digest; tests/circuit compares all small circuits without it.
QUICK = {"porep": ("2KiB", "8MiB"), "winning": ("2KiB", "32GiB", "64GiB"), "window": ("2KiB", "16KiB", "512MiB"),
         "update": ("2KiB", ), "update-poseidon": ("2KiB", "8MiB")}


class Small(Checks):
    def test_quick_ones(self):
        for kind, sizes in QUICK.items():
            for size in sizes:
                self.check_whole(kind, size)

    def test_list_has_every_circuit(self):
        listed = {c["circuit"]: c for c in self.expect(0, "circuit", "list", "--json").json()["circuits"]}
        for kind, own in KINDS.items():
            for size, short in SIZES.items():
                want, got = REFERENCE[f"{kind}-{size}"], listed[f"{own}-{short}"]
                self.assertEqual((got["inputs"], got["aux"]), (want["inputs"], want["aux"]))

    def check_tree(self, kind):
        rows = fixture(f"circuits/tree/{kind}-2KiB.tsv").decode().splitlines()
        names = rows[0].split("\t")
        want = {}
        for row in rows[1:]:
            cells = dict(zip(names, row.split("\t")))
            want.setdefault(cells.pop("path"), []).append({k: int(v) for k, v in cells.items()})
        got = {}
        tree = self.expect(0, "circuit", "tree", KINDS[kind] + "-2k", "--depth", "4", "--json").json()
        for node in tree["namespaces"]:
            got.setdefault(node.pop("path"), []).append(node)
        self.assertEqual([path for path, ranges in want.items() if got.get(path) != ranges], [])

    def test_trees_of_2k_equal_the_reference(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.check_tree(kind)

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
    """Every other circuit whole: up to half a minute each, WindowPoSt two."""

    def check_kind(self, kind):
        for size in SIZES:
            if size not in QUICK[kind]:
                self.check_whole(kind, size, timeout=900)

    def test_porep(self):
        self.check_kind("porep")

    def test_winning(self):
        self.check_kind("winning")

    def test_wpost(self):
        self.check_kind("window")

    def test_snap(self):
        self.check_kind("update")

    def test_snapp(self):
        self.check_kind("update-poseidon")
