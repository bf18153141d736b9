"""cuzk config: what is in force and where it came from; the sample and the manual; bench load and phases on null devices."""
import pathlib

from program import Case

ROOT = pathlib.Path(__file__).parent.parent.parent


class Config(Case):
    def show(self, *arguments, **options):
        report = self.expect(0, "config", "show", "--json", *arguments, **options).json()
        self.assertGreater(len(report["options"]), 20)
        return ({o["key"]: (o["value"], o["source"]) for o in report["options"]},
                {k["knob"]: k for k in report["knobs"]}, report)

    def test_sources(self):
        file = self.write("cuzk.toml", '[log]\nlevel = "debug"\nformat = "json"\n[knobs]\nbatch.wait = 5\n')
        options, knobs, report = self.show("--config", file, "--preset", "phase-9", "--set", "workers_per_device=1",
                                           environment={"CUZK_LOG_FORMAT": "logfmt"})
        self.assertEqual(options["log.level"], ('"debug"', f"{file}:2"))
        self.assertEqual(options["log.format"], ('"logfmt"', "CUZK_LOG_FORMAT"))
        self.assertEqual(options["pipeline.preset"], ('"phase-9"', "--preset"))
        self.assertEqual(options["queue.aging"], ('"5m"', "default"))
        self.assertEqual((knobs["batch.wait"]["value"], knobs["batch.wait"]["source"]), ("5", f"{file}:5"))
        self.assertEqual(knobs["workers_per_device"]["source"], "--set")
        self.assertEqual(knobs["staging"]["source"], "preset phase-9")
        self.assertIsNone(report["problem"])

    def test_a_knob_that_means_nothing_says_so(self):
        _, knobs, report = self.show("--device", "cpu")
        self.assertEqual(report["backend"], "cpu")
        self.assertIn("means_nothing", knobs["msm.sync"])
        self.assertNotIn("means_nothing", knobs["overlap"])
        text = self.expect(0, "config", "show", "--device", "cpu").out
        self.assertIn("means nothing on cpu: operations are done when their call returns", text)
        # nor does a value that the backend takes for another
        self.assertIn("same as pce-cpu on cpu: the device is the host", text)
        self.assertEqual(self.show("--device", "cuda", "--preset", "phase-5")[1]["synthesis"]["same_as"], "compact-device")
        self.assertNotIn("same_as", self.show("--device", "cuda", "--preset", "phase-4")[1]["synthesis"])

    def test_where_what_is_derived_is_kept(self):
        options, _, report = self.show("--cache-dir", "off", "--params-dir", self.folder)
        self.assertEqual(options["engine.cache_dir"], ('"off"', "--cache-dir"))
        self.assertEqual(report["circuits"], [])
        options, _, _ = self.show(environment={"CUZK_CACHE_DIR": "/var/cache/cuzk"})
        self.assertEqual(options["engine.cache_dir"], ('"/var/cache/cuzk"', "CUZK_CACHE_DIR"))

    def test_file_named_by_the_environment(self):
        file = self.write("other.toml", "[queue]\njobs_most = 7\n")
        options, _, _ = self.show(environment={"CUZK_CONFIG": str(file)})
        self.assertEqual(options["queue.jobs_most"], ("7", f"{file}:2"))

    def test_mistakes(self):
        file = self.write("bad.toml", '[log]\nlevle = "info"\n')
        result = self.expect(3, "config", "check", "--config", file)
        self.assertIn(f"{file}:2:9: log.levle: unknown key; did you mean log.level?", result.err)
        self.expect(4, "config", "check", "--config", self.folder / "none.toml")
        self.expect(2, "config", "check", "--listen", "10.0.0.1:9820")
        self.expect(2, "config", "check", "--preset", "phase-77")
        self.expect(2, "config", "check", "--log-level", "loud")
        self.expect(0, "config", "check")

    def test_committed_documents(self):
        self.assertEqual(self.expect(0, "config", "sample").out, (ROOT / "packaging/cuzk.toml").read_text())
        self.assertEqual(self.expect(0, "config", "docs").out, (ROOT / "docs/config.md").read_text())
        self.expect(0, "config", "check", "--config", ROOT / "packaging/cuzk.toml")


class Load(Case):
    NULL = "null:witness=1ms:quotient=2ms:msm=2ms"

    def test_load_reports_each_metric_under_its_name(self):
        svg = self.folder / "load.svg"
        report = self.expect(0, "bench", "load", "--count", "4", "--in-flight", "2", "--null", self.NULL, "--circuit",
                             "porep-32g", "--svg", svg, "--json").json()
        for name in ("batch_wall_per_proof_s", "steady_per_proof_s", "latency_p50_s", "latency_p90_s", "latency_p99_s",
                     "device_calls_per_proof_s", "device_busy", "device_held"):
            self.assertGreater(report[name], 0, name)
        self.assertEqual(report["partitions"], 40)
        self.assertEqual(len(report["latency_samples_s"]), 4)
        self.assertAlmostEqual(sum(report["parts_s_per_proof"].values()), report["batch_wall_per_proof_s"], places=4)
        self.assertTrue(report["commit"] and report["machine"]["cpu"])
        self.assertIn("<svg", svg.read_text())

    def test_load_refuses(self):
        self.expect(2, "bench", "load", "--null", "null:frob=1ms")
        self.expect(2, "bench", "load", "--null", self.NULL, "--circuit", "porep-3k")
        self.expect(4, "bench", "load", "--count", "1", "--preset", "phase-10", "--circuit", "porep-32g", "--null",
                    self.NULL + ":memory=16GiB:unit=12GiB")
        self.expect(4, "bench", "load", "--count", "1", "--params-dir", self.folder)

    def test_models_that_are_built_in(self):
        small = ("--seeds", "1", "--proofs", "3", "--in-flight", "2", "--json", "--quiet")
        report = self.expect(0, "bench", "phases", "--model", "historical", *small).json()
        self.assertIn("Threadripper", report["model"])
        self.assertEqual(len(report["published"]), 101)
        changed = self.expect(0, "bench", "phases", "--model", "historical", "--set", "device_memory=24", *small).json()
        self.assertNotIn("published", changed)
        self.assertIn("H200", self.expect(0, "bench", "phases", "--model", "h200", *small).json()["model"])
        self.assertIn("historic: machine model cannot be opened",
                      self.expect(4, "bench", "phases", "--model", "historic", *small).err)

    def test_phases_measured(self):
        page = self.folder / "phases.html"
        report = self.expect(0, "bench", "phases", "--null", self.NULL, "--circuit", "porep-2k", "--proofs", "3",
                             "--in-flight", "3", "--workers", "3", "--knob", "batch.wait=20", "--html", page, "--json", "--quiet").json()
        self.assertEqual(len(report["phases"]), 14)
        for phase in report["phases"]:
            self.assertTrue(phase["runs"], phase["preset"])
            parts = phase["loaded"]["parts_s_per_proof"]
            self.assertAlmostEqual(sum(parts.values()), phase["loaded"]["per_proof_s"], places=2)
        self.assertIn("cannot tell it from", report["phases"][1]["note"])
        one = self.expect(0, "bench", "phases", "--null", "null", "--proofs", "2", "--in-flight", "1", "--workers", "1", "--knob",
                          "batch.wait=0", "--json").json()
        self.assertEqual(one["memory"]["per_worker_gib"], 0)  # no line goes through one point
        self.assertIn("Diminishing returns", page.read_text())
