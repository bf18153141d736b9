"""What the program says of files: verifier cases, inspection, refusals, names of what is wrong."""
import json

from program import FIXTURES, Case, fixture, run

SECTORS = FIXTURES / "sectors"


def json_lines(path):
    return [json.loads(line) for line in fixture(path).splitlines() if line.strip()]


class VerifierCases(Case):
    """fixtures/groth16/verify through the binary."""

    def build_key(self, case):
        key = bytearray(fixture("groth16/" + case["vk"]))
        for offset, data in case.get("vk_set", []):
            data = bytes.fromhex(data)
            key[offset:offset + len(data)] = data
        if "vk_truncate" in case:
            del key[case["vk_truncate"]:]
        return bytes(key) + bytes.fromhex(case.get("vk_append", ""))

    def test_cases(self):
        codes = {"accept": {0}, "reject": {1}, "parse-error": {3}}
        for case in json_lines("groth16/verify/cases.jsonl"):
            with self.subTest(case=case["name"]):
                key = self.write("case.vk", self.build_key(case))
                public = self.write("case.json", json.dumps({"inputs": case["inputs"]}))
                proof = self.write("case.bin", bytes.fromhex(case["proof"]))
                allowed = set(codes[case["expected"]])
                if case["expected"] == "reject" and "malformed verifying key" in case["why"]:
                    allowed = {3}  # a wrong count of inputs is bad input, not an invalid proof
                if "stricter" in case.get("note", ""):
                    allowed.add(3)
                result = run("verify", "porep", "--vk", key, "--public", public, "--proof", proof)
                self.assertIn(result.code, allowed, result.err + result.out)
                if result.code == 3:
                    self.assertRegex(result.err, r"cuzk: \S+case\.(vk|json|bin): ")

    def test_several_partitions(self):
        for case in json_lines("groth16/verify/multi.jsonl"):
            with self.subTest(case=case["name"]):
                key = self.write("case.vk", fixture("groth16/" + case["vk"]))
                public = self.write("case.json", "\n".join(json.dumps({"inputs": i}) for i in case["inputs"]))
                proof = self.write("case.bin", bytes.fromhex(case["proofs"]))
                code = run("verify", "porep", "--vk", key, "--public", public, "--proof", proof).code
                if case["expected"] == "accept":
                    self.assertEqual(code, 0)
                else:
                    self.assertIn(code, (1, 2, 3))


class Inspect(Case):
    def test_kinds(self):
        circom = FIXTURES / "circom" / "mimc"
        for path, kind in ((SECTORS / "porep-2k" / "c1.json", "C1 output"),
                           (SECTORS / "porep-2k" / "c1_wrapped.json", "C1 output"),
                           (SECTORS / "porep-2k" / "public_inputs.json", "public inputs"),
                           (FIXTURES / "groth16" / "porep-2k" / "vk.bin", "verifying key"),
                           (FIXTURES / "groth16" / "toy" / "cubic.params", "parameters"),
                           (circom / "mimc.r1cs", "r1cs"), (circom / "mimc.wtns", "wtns"), (circom / "mimc.zkey", "zkey"),
                           (circom / "vkey.json", "snarkjs verification key"), (circom / "proof.json", "snarkjs proof"),
                           (circom / "proof.bin.hex", "proof"),
                           (SECTORS / "winning-2k" / "vanilla-42.bin", "PoSt vanilla proof"),
                           (SECTORS / "window-32k" / "vanilla-13.bin", "PoSt vanilla proof"),
                           (SECTORS / "update-32k" / "partition-1.bin", "update vanilla proof"),
                           (SECTORS / "winning-2k" / "post.json", "PoSt request"),
                           (SECTORS / "window-2k-3-v1" / "post.json", "PoSt request"),
                           (SECTORS / "update-2k" / "update.json", "update request")):
            with self.subTest(file=str(path)):
                report = self.expect(0, "inspect", path, "--json").json()
                self.assertEqual((report["kind"], report["whole"], report["valid"]), (kind, True, True))

    def test_vanilla_proofs_say_what_they_are_of(self):
        post = self.expect(0, "inspect", SECTORS / "winning-2k" / "vanilla-42.bin", "--json").json()
        self.assertEqual((post["circuit"], post["sector_id"], post["challenges"]), ("winning-2k", 42, 66))
        update = self.expect(0, "inspect", SECTORS / "update-32k" / "partition-1.bin", "--json").json()
        self.assertEqual((update["circuit"], update["partition"], update["partitions"]), ("snap-32k", 1, 2))
        want = json.loads((SECTORS / "update-32k" / "update.json").read_text())
        for name in ("comm_c", "comm_r_old", "comm_r_new", "comm_d_new"):
            self.assertEqual(update[name], want[name])
        for folder, name, at, words in (("window-2k", "vanilla-1.bin", 140, ("sector 1", "challenge 0")),
                                        ("update-32k", "partition-1.bin", 4200, ("partition 1", "challenge 0"))):
            data = bytearray((SECTORS / folder / name).read_bytes())
            data[at] ^= 1
            broken = self.expect(1, "inspect", self.write(name, bytes(data)), "--json").json()
            self.assertFalse(broken["valid"])
            for word in words:
                self.assertIn(word, broken["reason"])
            self.assertIn("offset", self.expect(3, "inspect", self.write(name, bytes(data[:-1]))).err)

    def test_requests_are_read_whole(self):
        for folder, name in (("window-2k", "post.json"), ("update-2k", "update.json")):
            request = json.loads((SECTORS / folder / name).read_text())
            result = self.expect(3, "inspect", self.write(name, json.dumps(dict(request, sector_size=3))))
            self.assertIn("sector_size", result.err)
            del request["sector_size"]
            self.assertIn("sector_size", self.expect(3, "inspect", self.write(name, json.dumps(request))).err)

    def test_owner_is_checked(self):
        sector = json.loads(fixture("sectors/porep-2k/sector.json"))
        c1 = SECTORS / "porep-2k" / "c1.json"
        own = ["--prover-id", sector["prover_id"], "--sector-number", sector["sector_id"]]
        self.expect(0, "inspect", c1, *own)
        self.expect(0, "inspect", c1, "--miner-id", 1000, "--sector-number", 1)
        self.assertEqual(run("inspect", c1, "--miner-id", 1001, "--sector-number", 1).code, 1)
        wrong = self.expect(1, "inspect", c1, "--miner-id", 1000, "--sector-number", 2, "--json").json()
        self.assertIn("replica", wrong["reason"])
        self.expect(2, "inspect", c1, "--miner-id", 1000)
        self.expect(0, "inspect", SECTORS / "porep-2k" / "c1_wrapped.json", "--miner-id", 1000)

    def test_unregistered_size_warns_without_facts(self):
        for size in ("4k", "16k", "32k"):
            sector = json.loads(fixture(f"sectors/porep-{size}/sector.json"))
            c1 = self.write("c1.json", fixture(f"sectors/porep-{size}/c1.json"))
            self.assertIn("warning", self.expect(0, "inspect", c1).err)
            known = self.expect(0, "inspect", c1, "--porep-id", sector["porep_id"], "--api", sector["api_version"],
                                "--prover-id", sector["prover_id"], "--sector-number", sector["sector_id"])
            self.assertNotIn("warning", known.err)
            wrong = "ff" * 31 + "3f"
            self.assertEqual(run("inspect", c1, "--porep-id", wrong).code, 1)

    def test_every_registered_variant(self):
        for name in ("porep-2k-b", "porep-2k-v1", "porep-2k-synth", "porep-2k-ni"):
            sector = json.loads(fixture(f"sectors/{name}/sector.json"))
            c1 = self.write("c1.json", fixture(f"sectors/{name}/c1.json"))
            report = self.expect(0, "inspect", c1, "--prover-id", sector["prover_id"], "--sector-number",
                                 sector["sector_id"], "--json").json()
            self.assertEqual(report["registered_proof"], sector["registered_proof"])
            self.assertEqual(report["partitions"], sector["partitions"])

    def test_invalid_names_partition_challenge_and_step(self):
        c1 = json.loads(fixture("sectors/porep-2k/c1.json"))
        proof = c1["vanilla_proofs"]["StackedDrg2KiBV1"][0][1]
        proof["labeling_proofs"][0]["parents"][0][0] ^= 1
        result = self.expect(1, "inspect", self.write("c1.json", json.dumps(c1)), "--json")
        self.assertRegex(result.json()["reason"], r"partition 0.*challenge 1")

    def test_not_a_file_of_ours(self):
        self.expect(3, "inspect", self.write("x", b""))
        self.expect(3, "inspect", self.write("x", b"hello, world\n"))
        self.expect(3, "inspect", self.folder)
        missing = self.expect(4, "inspect", self.folder / "none")
        self.assertIn("cannot be opened", missing.err)


class Sealing(Case):
    def reseal(self, name, *options):
        sector = json.loads(fixture(f"sectors/{name}/sector.json"))
        out = self.folder / name
        pieces = []
        names = [p for p in sorted((FIXTURES / "sectors" / name).glob("piece*"))]
        for k, path in enumerate(names):
            pieces += ["--piece", self.write(f"piece-{k}", fixture(path.relative_to(FIXTURES)))]
        self.expect(0, "seal", "--sector-size", sector["sector_size"], "--out", out, *pieces, "--ticket",
                    sector["ticket"], "--interactive-seed", sector["seed"], "--prover-id", sector["prover_id"],
                    "--sector-id", sector["sector_id"], *options)
        return sector, out

    def test_fixture_sectors_byte_for_byte(self):
        for name, options in (("porep-2k", ["--proof", "StackedDrg2KiBV1_1"]), ("porep-2k-v1", ["--api", "1.0.0"]),
                              ("porep-2k-synth", ["--feature", "synthetic"]), ("porep-2k-ni", ["--feature", "ni"])):
            if not list((FIXTURES / "sectors" / name).glob("piece*")):
                continue
            with self.subTest(sector=name):
                sector, out = self.reseal(name, *options)
                self.assertEqual((out / "c1.json").read_bytes(), fixture(f"sectors/{name}/c1.json"))
                written = json.loads((out / "sector.json").read_text())
                for member in ("comm_d", "comm_r", "replica_id"):
                    self.assertEqual(written[member], sector[member])

    def test_seed_makes_the_same_sector(self):
        seed = "11" * 32
        for k in range(2):
            self.expect(0, "seal", "--sector-size", "2KiB", "--seed", seed, "--out", self.folder / str(k))
        self.expect(0, "seal", "--sector-size", "2KiB", "--out", self.folder / "other")
        one, two, other = ((self.folder / k / "c1.json").read_bytes() for k in ("0", "1", "other"))
        self.assertEqual(one, two)
        self.assertNotEqual(one, other)
        self.expect(0, "inspect", self.folder / "0" / "c1.json", "--miner-id", 1000, "--sector-number", 1)

    def test_nothing_is_replaced(self):
        out = self.folder / "sector"
        self.expect(0, "seal", "--sector-size", "2KiB", "--out", out)
        self.expect(4, "seal", "--sector-size", "2KiB", "--out", out)

    def test_usage(self):
        out = self.folder / "sector"
        self.expect(2, "seal", "--sector-size", "3KiB", "--out", out)
        self.assertIn("`cuzk synth porep`", self.expect(2, "seal", "--sector-size", "32GiB", "--out", out).err)
        self.expect(2, "seal", "--sector-size", "2KiB", "--proof", "StackedDrg8MiBV1_1", "--out", out)
        self.expect(2, "seal", "--sector-size", "2KiB", "--proof", "Nothing", "--out", out)
        self.expect(4, "seal", "--sector-size", "2KiB", "--piece", self.folder / "none", "--out", out)
        self.assertFalse(out.exists())


class Outputs(Case):
    """An output that cannot be written is noticed before anything is read or computed."""

    def test_before_the_work(self):
        sealed, updated = self.folder / "sealed", self.folder / "updated"
        self.expect(0, "seal", "--sector-size", "2KiB", "--out", sealed, "--quiet")
        self.expect(0, "vanilla", "snap", "--sector", sealed, "--out", updated, "--quiet")
        (sealed / "sealed.bin").write_bytes(b"short")  # reading it would be bad input
        missing, folder = self.folder / "no such folder" / "file", self.write("file", "")
        work = (("vanilla", "snap", "--sector", sealed, "--out", updated), ("seal", "--sector-size", "2KiB", "--out", sealed),
                ("seal", "--sector-size", "2KiB", "--out", folder), ("vanilla", "snap", "--sector", sealed, "--out", folder),
                ("synth", "snap", "--sector-size", "32GiB", "--seed", 1, "--out", folder),
                ("synth", "wpost", "--sector-size", "32GiB", "--seed", 1, "--out", folder),
                ("synth", "porep", "--sector-size", "32GiB", "--seed", 1, "--out", missing),
                ("bench", "load", "--circuit", "porep-32g", "--svg", missing),
                ("bench", "load", "--circuit", "porep-32g", "--timeline", missing),
                ("bench", "phases", "--model", "/dev/null", "--svg", missing),
                ("bench", "phases", "--html", missing), ("bench", "phases", "--waterfall", missing),
                ("trace", "/dev/null", "--svg", missing), ("trace", "/dev/null", "--html", missing),
                ("trace", "/dev/null", "--perfetto", missing),
                ("prove", "porep", "--c1", "/dev/null", "--out", missing),
                ("prove", "porep", "--c1", "/dev/null", "--timeline", missing))
        for command in work:
            with self.subTest(command=command):
                self.assertRegex(self.expect(4, *command, timeout=20).err,
                                 r"cuzk: .*(already exists|cannot be created|not a directory|No such file)")


class Synthetic(Case):
    def test_small_sizes_hold(self):
        for size in ("2KiB", "4KiB", "16KiB", "32KiB", "8MiB"):
            out = self.folder / "c1.json"
            self.expect(0, "synth", "porep", "--sector-size", size, "--seed", 7, "--out", out)
            self.expect(0, "inspect", out)

    def test_32_gib_in_seconds(self):
        out = self.folder / "c1.json"
        self.expect(0, "synth", "porep", "--sector-size", "32GiB", "--seed", 1, "--out", out)
        report = self.expect(0, "inspect", out, "--json").json()
        self.assertEqual((report["partitions"], report["circuit"]), (10, "porep-32g"))

    def test_standard_output(self):
        result = self.expect(0, "synth", "porep", "--sector-size", "2KiB", "--seed", 7, "--out", "-")
        self.assertEqual(self.expect(0, "inspect", "-", stdin=result.out.encode()).code, 0)


class Parameters(Case):
    def test_missing_says_which_where_and_how(self):
        c1 = SECTORS / "porep-2k" / "c1.json"
        for command in (["prove", "porep", "--c1", c1], ["verify", "porep", "--c1", c1, "--proof", c1]):
            for where, given in ((self.folder, ["--params-dir", self.folder]), (self.folder, [])):
                with self.subTest(command=command[0], given=bool(given)):
                    result = self.expect(4, *command, *given,
                                         environment={"FIL_PROOFS_PARAMETER_CACHE": str(self.folder)})
                    self.assertIn("v28-stacked-proof-of-replication-", result.err)
                    self.assertIn(str(where), result.err)
                    self.assertRegex(result.err, r"hint: .*cuzk setup porep-2k --out")

    def test_setup_refuses_the_production_directory(self):
        result = self.expect(2, "setup", "porep-2k", "--out", self.folder,
                             environment={"FIL_PROOFS_PARAMETER_CACHE": str(self.folder)})
        self.assertIn("--force", result.err)
        self.assertEqual(list(self.folder.glob("v28*")), [])

    def test_setup_refuses_to_replace(self):
        name = next(c for c in self.expect(0, "circuit", "list", "--json").json()["circuits"]
                    if c["circuit"] == "porep-2k")["parameter_name"]
        existing = self.write(name + ".vk", b"mine")
        self.expect(4, "setup", "porep-2k", "--out", self.folder)
        self.assertEqual(existing.read_bytes(), b"mine")
        self.assertEqual([p.name for p in self.folder.iterdir()], [existing.name])
