"""A real proof of a real sector, and what may not be proved."""
import json
import re
import signal
import subprocess
import time

from program import CUZK, FIXTURES, Case, fixture, run, test_key

C1 = FIXTURES / "sectors" / "porep-2k" / "c1.json"
PUBLIC = FIXTURES / "sectors" / "porep-2k" / "public_inputs.json"


class Prove(Case):
    def test_prove_and_verify(self):
        proof, timeline = self.folder / "proof.bin", self.folder / "timeline.json"
        result = self.expect(0, "prove", "porep", "--c1", C1, "--params-dir", test_key(), "--out", proof, "--timeline",
                             timeline, "--json", "--miner-id", 1000, "--sector-number", 1)
        report = result.json()
        self.assertIn("TEST PARAMETERS", result.err)
        self.assertEqual(report["parameters"], "test")
        self.assertEqual((report["kind"], report["circuit"], report["verified"]), ("porep", "porep-2k", True))
        self.assertEqual(bytes.fromhex(report["proof_hex"]), proof.read_bytes())
        self.assertEqual(report["proof_bytes"], 192)
        self.assertEqual(len(report["partitions"]), 1)
        for member in ("index", "witness_ms", "queue_ms", "upload_ms", "eval_ms", "ntt_ms", "msm_h_ms", "msm_l_ms",
                       "msm_a_ms", "msm_b1_ms", "msm_b2_ms", "finish_ms"):
            self.assertIn(member, report["partitions"][0])
        for member in ("backend", "device", "total_ms", "setup_ms", "peak_rss_bytes", "peak_vram_bytes"):
            self.assertIn(member, report)
        self.assertLessEqual(report["peak_allocated_bytes"], 700 << 20)
        self.assertLessEqual(report["peak_rss_bytes"], 1536 << 20)

        against = ["--proof", proof, "--params-dir", test_key()]
        self.expect(0, "verify", "porep", "--c1", C1, *against)
        self.expect(0, "verify", "porep", "--c1", C1, *against, "--miner-id", 1000, "--sector-number", 1)
        self.expect(1, "verify", "porep", "--c1", C1, *against, "--miner-id", 1000, "--sector-number", 2)
        vk = next(test_key().glob("*.vk"))
        self.expect(0, "verify", "porep", "--public", PUBLIC, "--proof", proof, "--vk", vk)
        changed = json.loads(PUBLIC.read_text())
        changed["inputs"][5] = "01" + changed["inputs"][5][2:]
        other = self.write("public.json", json.dumps(changed))
        verdict = self.expect(1, "verify", "porep", "--public", other, "--proof", proof, "--vk", vk, "--json").json()
        self.assertFalse(verdict["valid"])
        short = self.write("short.json", json.dumps({"inputs": changed["inputs"][:-1]}))
        self.expect(3, "verify", "porep", "--public", short, "--proof", proof, "--vk", vk)
        self.expect(2, "verify", "porep", "--public", PUBLIC, "--proof", proof)
        self.expect(2, "verify", "porep", "--proof", proof)
        hex_proof = self.write("proof.hex", report["proof_hex"] + "\n")
        self.expect(0, "verify", "porep", "--c1", C1, "--proof", hex_proof, "--params-dir", test_key())

        svg = self.folder / "waterfall.svg"
        self.expect(0, "trace", timeline, "--svg", svg, "--html", self.folder / "w.html", "--perfetto",
                    self.folder / "w.json")
        self.assertIn("msm h", svg.read_text())
        stages = {e["name"] for e in json.loads((self.folder / "w.json").read_text())["traceEvents"]}
        self.assertTrue({"witness", "ntt", "msm h", "msm b2", "finish"} <= stages)

    def test_wrapped_from_standard_input_twice(self):
        wrapped = fixture("sectors/porep-2k/c1_wrapped.json")
        given = ("prove", "porep", "--c1", "-", "--params-dir", test_key(), "--quiet")
        timeline = self.folder / "timeline.json"
        result = self.expect(0, *given, stdin=wrapped)
        # the second through the engine's pipeline, whose batches of this phase wait half a minute for another proof
        again = self.expect(0, *given, "--preset", "phase-3", "--set", "finalize=async", "--host-mem", "4GiB",
                            "--timeline", timeline, "--json", stdin=wrapped).json()
        self.assertNotEqual(result.out.strip(), again["proof_hex"])  # r and s are fresh each time
        self.assertEqual((again["preset"], again["backend"], again["verified"]), ("phase-3", "cpu", True))
        self.assertLess(again["total_ms"], 30000)
        (partition,) = again["partitions"]
        for stage in ("witness_ms", "eval_ms", "ntt_ms", "msm_h_ms", "msm_l_ms", "msm_a_ms", "msm_b1_ms", "msm_b2_ms",
                      "finish_ms"):
            self.assertGreater(partition[stage], 0, stage)
        self.assertLessEqual(partition["total_ms"], again["total_ms"])
        stages = {e["stage"] for e in json.loads(timeline.read_text())["events"]}
        self.assertTrue({"decode C1", "witness", "quotient", "msm", "verify"} <= stages, stages)
        self.expect(0, "verify", "porep", "--c1", C1, "--proof", self.write("again.hex", again["proof_hex"]),
                    "--params-dir", test_key())
        proof = self.write("proof.hex", result.out)
        self.expect(0, "verify", "porep", "--c1", C1, "--proof", proof, "--params-dir", test_key())

    def test_limit_of_device_memory(self):
        arguments = ("prove", "porep", "--c1", C1, "--params-dir", test_key(), "--json", "--backend", "cuda")
        devices = self.expect(0, "doctor", "--params-dir", test_key(), "--json").json().get("devices", [])
        if not devices:
            self.skipTest("no CUDA device")
        refused = run(*arguments, "--vram-limit", "64MiB")
        self.assertNotEqual(refused.code, 0)
        least = int(re.search(r"takes (\d+) MiB of device memory at least", refused.err).group(1))
        for limit in (least + 8, least + 64, least + 256):  # most of the key passes through, some of it, less
            report = self.expect(0, *arguments, "--vram-limit", f"{limit}MiB").json()
            self.assertTrue(report["verified"])
            self.assertLessEqual(report["peak_vram_bytes"], limit << 20)

    def test_pipeline_that_does_not_fit_is_refused_with_the_sum(self):
        given = ("prove", "porep", "--c1", C1, "--params-dir", test_key())
        self.assertRegex(self.expect(4, *given, "--host-mem", "300MiB").err, r"GiB of key \+ .* = .* the budget is 0\.293 GiB")
        self.assertIn("split needs workers_per_device",
                      self.expect(2, *given, "--preset", "phase-10", "--set", "workers_per_device=1").err)

    def test_it_stops_on_request_and_leaves_nothing(self):
        def stop(folder, more):
            process = subprocess.Popen([CUZK, "prove", "porep", "--c1", C1, "--params-dir", test_key(), "--out",
                                        folder / "proof.bin", *more], stderr=subprocess.PIPE, text=True)
            time.sleep(1)
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=100)
            self.assertEqual(process.returncode, 4, said)
            self.assertEqual(said.splitlines()[-1], "cuzk: stopped on request")
            self.assertEqual(list(folder.iterdir()), [])
            return time.monotonic() - begin

        for more in ((), ("--preset", "phase-12")):
            with self.subTest(options=more):
                folder = self.folder / ("out" + "-".join(more))
                folder.mkdir()
                # a proof takes longer; others may keep the machine busy
                self.assertTrue(any(stop(folder, more) < 2.5 for _ in range(4)))

    def test_wrong_owner_is_refused_before_proving(self):
        out = self.folder / "proof.bin"
        result = run("prove", "porep", "--c1", C1, "--params-dir", test_key(), "--out", out, "--miner-id", 1000,
                     "--sector-number", 2)
        self.assertEqual(result.code, 1)
        self.assertRegex(result.err, r"cuzk: .*replica")
        self.assertFalse(out.exists())

    def test_doctor_knows_the_key(self):
        report = self.expect(0, "doctor", "--params-dir", test_key(), "--json").json()
        states = {p["circuit"]: p["state"] for p in report["parameters"]}
        self.assertEqual((states["porep-2k"], states["porep-32g"]), ("test", "missing"))
        plans = next(p["plans"] for p in report["parameters"] if p["circuit"] == "porep-2k")
        self.assertTrue(all(plan["fits"] and plan["key_host_bytes"] > 0 for plan in plans) and plans)
        self.assertIn("TEST PARAMETERS", self.expect(0, "doctor", "--params-dir", test_key()).out)
        broken = self.write(next(test_key().glob("*.params")).name, b"x" * 1000)
        report = self.expect(0, "doctor", "--params-dir", self.folder, "--json").json()
        found = next(p for p in report["parameters"] if p["file"] == str(broken))
        self.assertEqual(found["state"], "damaged")
        self.assertIn("alpha", found["problem"])
