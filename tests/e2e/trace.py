"""Timelines of the engine: drawn, listed, summed up, and the way from a running daemon to them."""
import json
import re
import socket
import urllib.request

import h2
from daemon import Daemon
from program import Case
from serve import porep

NULL = "null:witness=8ms:upload=1ms:quotient=5ms:msm=4ms"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def counters(url):
    """Samples of a daemon's counters and histograms."""
    with urllib.request.urlopen(url, timeout=20) as answer:
        lines = answer.read().decode().splitlines()
    samples = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in samples.items() if re.match(r"\w+_(total|bucket|count|sum)\b", name)}


class Trace(Case):
    def recorded(self):
        timeline = self.folder / "t.json"
        self.expect(0, "bench", "load", "--count", 3, "--in-flight", 2, "--null", NULL, "--circuit", "porep-32g", "--preset",
                    "phase-8", "--timeline", timeline, "--quiet")
        return timeline

    def test_sums_up_lanes_jobs_and_where_the_time_went(self):
        timeline = self.recorded()
        report = self.expect(0, "trace", timeline, "--json").json()
        self.assertEqual(report["jobs"], 3)
        self.assertGreaterEqual(report["marks"], 6)  # accepted and done of each
        lanes = {lane["lane"]: lane for lane in report["lanes"]}
        self.assertTrue({"gpu0", "gpu0.1", "witness 0"} <= set(lanes))
        self.assertAlmostEqual(sum(report["device_parts"].values()), 1, places=2)
        kernels = lanes["gpu0"]["kernels_ms"] + lanes["gpu0.1"]["kernels_ms"]
        self.assertGreaterEqual(kernels, 30 * 9)  # 30 partitions, 9 ms each
        # what is shared out is the time that stages took, which on a busy machine is more than their kernels' 9 ms
        took = sum(event["end_ns"] - event["begin_ns"] for event in json.loads(timeline.read_text())["events"]
                   if event["stage"] in ("quotient", "msm")) / 1e6
        self.assertAlmostEqual(report["device_parts"]["kernels"], took / report["span_ms"], delta=0.05)
        self.assertGreater(report["device_held"], report["device_busy"])
        text = self.expect(0, "trace", timeline).out
        self.assertIn("where the device's time went", text)
        # an hour without a job is nothing that the device lost
        recorded, hour = json.loads(timeline.read_text()), 3600 * 10**9
        later = [dict(event, job="%016x" % (int(event["job"], 16) + 10**6), begin_ns=event["begin_ns"] + hour,
                      end_ns=event["end_ns"] + hour) for event in recorded["events"] if "job" in event]
        recorded["events"] += later
        twice = self.expect(0, "trace", self.write("twice.json", json.dumps(recorded)), "--json").json()
        self.assertAlmostEqual(twice["idle_ms"], 3600e3 - report["span_ms"], delta=1)
        for part, share in report["device_parts"].items():
            if part not in ("fill", "drain", "synthesis"):
                self.assertAlmostEqual(twice["device_parts"][part], share, places=2)
        self.assertLess(twice["device_parts"]["synthesis"], 0.1 + report["device_parts"]["synthesis"])

    def test_prints_the_lines_of_the_reference(self):
        timeline = self.recorded()
        lines = self.expect(0, "trace", timeline, "--lines").out.splitlines()
        for line in lines:
            self.assertRegex(line, r"^TIMELINE,\d+,[A-Z_]+,[0-9a-f]{16},lane=\S.*$")
        names = {line.split(",")[2] for line in lines}
        self.assertTrue({"ACCEPTED", "WITNESS", "UPLOAD", "QUOTIENT", "MSM", "VERIFY", "DONE"} <= names)
        self.assertEqual(len(lines), len(json.loads(timeline.read_text())["events"]))

    def test_prints_the_events_of_the_reference(self):
        lines = self.expect(0, "trace", self.recorded(), "--reference-lines").out.splitlines()
        self.assertEqual(len(lines), 6 * 30)  # three proofs of ten partitions
        offsets, seen = [], {}
        for line in lines:
            self.assertRegex(line, r"^TIMELINE,\d+,(SYNTH_START|SYNTH_END|CHAN_SEND|GPU_PICKUP|GPU_START|GPU_END),[0-9a-f]{16},\S*$")
            _, offset, event, job, detail = line.split(",", 4)
            detail = dict(word.split("=") for word in detail.split(","))
            offsets.append(int(offset))
            seen.setdefault((job, int(detail["partition"])), []).append((event, detail))
        self.assertEqual(offsets, sorted(offsets))
        self.assertEqual(len(seen), 30)
        for moments in seen.values():
            self.assertEqual([event for event, _ in moments],
                             ["SYNTH_START", "SYNTH_END", "CHAN_SEND", "GPU_PICKUP", "GPU_START", "GPU_END"])
            details = dict(moments)
            self.assertGreaterEqual(int(details["SYNTH_END"]["synth_ms"]), 8)
            self.assertGreaterEqual(int(details["GPU_END"]["gpu_ms"]), 10)
            self.assertEqual(details["GPU_END"]["worker"], details["GPU_PICKUP"]["worker"])
            self.assertIn(details["GPU_END"]["worker"], "01")

    def test_draws_every_form(self):
        timeline = self.recorded()
        svg, page, trace = (self.folder / name for name in ("t.svg", "t.html", "trace.json"))
        self.expect(0, "trace", timeline, "--svg", svg, "--html", page, "--perfetto", trace, "--quiet")
        self.assertIn("gpu0.1", svg.read_text())
        self.assertRegex(svg.read_text(), r"msm, partition 9, job [0-9a-f]{16}")
        self.assertNotIn("{{", page.read_text())
        self.assertNotRegex(page.read_text(), r"(?:src|href)=")  # alone it is whole
        events = json.loads(trace.read_text())["traceEvents"]
        names = {e["args"]["name"]: e["tid"] for e in events if e["ph"] == "M"}
        for event in events:
            if event["ph"] == "X":
                self.assertIn(event["tid"], names.values())
                self.assertRegex(event["args"]["job"], "^[0-9a-f]{16}$")
        instants = [e["name"] for e in events if e["ph"] == "i"]
        self.assertEqual(instants.count("done"), 3)

    def test_takes_the_timeline_of_a_daemon_and_its_metrics_and_log_agree(self):
        port = free_port()
        daemon = Daemon(self.folder, "--verbose", device=NULL, http=f"127.0.0.1:{port}").start()
        self.addCleanup(daemon.stop)
        before = counters(f"http://127.0.0.1:{port}/metrics")
        connection = h2.Connection(daemon.socket)
        self.assertEqual(connection.call("Prove", h2.string(1, porep("one", size=1 << 35, registered=8))).code, 0)
        connection.close()
        after = counters(f"http://127.0.0.1:{port}/metrics")
        for sample, value in before.items():
            self.assertGreaterEqual(after[sample], value, sample)
        self.assertEqual(after['cuzk_jobs_total{kind="porep_c2",outcome="completed"}'], 1)
        self.assertEqual(after["cuzk_partitions_total"], 10)
        self.assertEqual(after['cuzk_stage_duration_seconds_count{stage="msm"}'], 10)
        self.assertGreaterEqual(after['cuzk_device_busy_seconds_total{device="0"}'], 0.09)
        self.assertGreaterEqual(after['cuzk_device_held_seconds_total{device="0"}'],
                                after['cuzk_device_busy_seconds_total{device="0"}'])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/timeline", timeout=20) as answer:
            timeline = self.write("engine.json", answer.read())
        report = self.expect(0, "trace", timeline, "--json").json()
        self.assertEqual(report["jobs"], 1)
        self.assertIn("gpu0", {lane["lane"] for lane in report["lanes"]})
        self.assertEqual(len(re.findall(r"TIMELINE,\d+,MSM,[0-9a-f]{16},lane=gpu0", daemon.said())), 10)
