"""Help, usage errors, exit codes, the shape of --json."""
import re

from program import Case, run


class Usage(Case):
    def commands(self):
        listed = self.expect(0, "--help").out.split("commands:\n", 1)[1].split("\n\n", 1)[0]
        return [name for name in re.findall(r"^  (\S+(?: \S+)?)  +\S", listed, re.MULTILINE)]

    def test_list_is_not_empty(self):
        self.assertGreaterEqual(len(self.commands()), 6)

    def test_every_command_has_help_with_an_example(self):
        for name in self.commands():
            with self.subTest(command=name):
                help_text = self.expect(0, *name.split(), "--help").out
                self.assertIn("usage: cuzk " + name, help_text)
                self.assertIn("example:\n  cuzk ", help_text)
                self.assertIn("--json", help_text)

    def test_no_command_is_usage(self):
        self.assertEqual(run().code, 2)

    def test_unknown_command_suggests(self):
        result = self.expect(2, "docter")
        self.assertIn("cuzk: docter: no such command", result.err)
        self.assertIn("hint: did you mean `cuzk doctor`?", result.err)
        self.expect(2, "bench", "feild")
        self.assertEqual(run("circuit").code, 2)
        self.assertEqual(run("circuit", "--help").code, 0)

    def test_unknown_option_suggests(self):
        for name in self.commands():
            with self.subTest(command=name):
                result = self.expect(2, *name.split(), "--jsno")
                self.assertIn("did you mean --json?", result.err)
                self.assertIn(f"hint: `cuzk {name} --help`", result.err)

    def test_help_of_a_command_by_its_name(self):
        self.assertEqual(self.expect(0, "help", "prove", "porep").out, self.expect(0, "prove", "porep", "--help").out)
        self.assertEqual(self.expect(0, "help", "prove").out, self.expect(0, "prove", "--help").out)
        self.assertEqual(self.expect(0, "help").out, self.expect(0, "--help").out)
        self.assertIn("did you mean `cuzk doctor`?", self.expect(2, "help", "docter").err)

    def test_options_that_would_say_nothing_are_refused(self):
        porep = ("prove", "porep", "--c1", "/nowhere")
        for option, value in (("backend", "cpu"), ("preset", "auto"), ("set", "srs=per-proof"), ("host-mem", "1GiB"),
                              ("vram-limit", "1GiB"), ("timeline", "/tmp/none")):
            with self.subTest(option=option):
                self.assertIn(f"--{option}: with --remote", self.expect(2, *porep, "--remote", f"--{option}", value).err)
        for option, value in (("priority", "high"), ("addr", "unix:/none"), ("tls-key", "none")):
            with self.subTest(option=option):
                self.assertIn(f"--{option}: says nothing without --remote",
                              self.expect(2, *porep, f"--{option}={value}").err)
        self.assertIn("phase-12", self.expect(2, *porep, "--preset", "phase-13").err)
        self.assertIn("batch.max", self.expect(2, *porep, "--set", "batch.most=2").err)
        self.assertIn("1 to 8", self.expect(2, *porep, "--set", "batch.max=9").err)

    def test_json_error_is_one_object(self):
        result = self.expect(2, "circuit", "digest", "porep-3k", "--json")
        error = result.json()["error"]
        self.assertEqual(error["exit_code"], 2)
        self.assertEqual(error["status"], "bad argument")
        self.assertIn("porep-3k", error["message"])

    def test_version(self):
        for words in (("--version",), ("version",)):
            self.assertRegex(self.expect(0, *words).out, r"^cuzk \d+\.\d+\.\d+ \(\S+\)\n$")
        self.assertRegex(self.expect(0, "--version", "--json").json()["version"], r"^\d+\.\d+\.\d+$")

    def test_short_help(self):
        for words in (("-h",), ("prove", "-h"), ("prove", "porep", "-h")):
            self.assertIn("usage: cuzk", self.expect(0, *words).out)

    def test_full_output_device_is_an_error(self):
        with open("/dev/full", "wb") as full:
            import subprocess
            from program import CUZK
            done = subprocess.run([CUZK, "doctor", "--json"], stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 4, done.stderr)

    def test_answer_that_cannot_be_written_is_an_error(self):
        import subprocess
        from program import CUZK
        for command in (("circuit", "list"), ("circuit", "list", "--json"), ("--version",)):
            with self.subTest(command=command):
                with open("/dev/full", "wb") as full:
                    done = subprocess.run([CUZK, *command], stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn(b"cuzk: standard output: ", done.stderr)

    def test_closed_standard_output_is_not_taken_by_a_file(self):
        import subprocess
        from program import CUZK
        out = self.folder / "c1.json"
        command = 'exec "$0" synth porep --sector-size 2KiB --seed 1 --out "$1"'
        subprocess.run(["sh", "-c", command, CUZK, out], check=True, stdout=subprocess.DEVNULL)
        good = out.read_bytes()
        subprocess.run(["sh", "-c", command + " >&-", CUZK, out], stderr=subprocess.DEVNULL)
        self.assertEqual(out.read_bytes(), good)

    def test_group_without_command_answers_in_json(self):
        self.assertEqual(self.expect(2, "prove", "--json").json()["error"]["exit_code"], 2)

    def test_doctor_reports_the_machine(self):
        report = self.expect(0, "doctor", "--json").json()
        self.assertGreaterEqual(report["machine"]["processors"], 1)
        self.assertIn(report["machine"]["level"], ("portable", "adx", "ifma"))
        self.assertIsInstance(report["devices"], list)
        forced = self.expect(0, "doctor", "--json", environment={"CUZK_CPU": "portable"}).json()
        self.assertEqual(forced["machine"]["level"], "portable")

    def test_a_level_that_cannot_be_had_is_said_to_be_ignored(self):
        self.assertIn("CUZK_CPU=neon", self.expect(0, "doctor", environment={"CUZK_CPU": "neon"}).err)
        self.assertNotIn("CUZK_CPU", self.expect(0, "doctor", environment={"CUZK_CPU": "portable"}).err)

    def test_bench_json_has_machine_commit_samples_median(self):
        report = self.expect(0, "bench", "field", "--json").json()
        self.assertTrue(report["commit"])
        self.assertTrue(report["machine"]["cpu"])
        for case in report["cases"]:
            samples = sorted(case["samples_ns"])
            self.assertGreaterEqual(len(samples), 3)
            self.assertLessEqual(samples[0], case["median_ns"])
            self.assertLessEqual(case["median_ns"], samples[-1])
