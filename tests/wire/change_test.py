"""A hundred changes at 1 Hz under load: nothing numbered is lost or reordered, and nothing waits for a change."""
import os
import statistics
import sys
import time

import harness
from harness import WireCase
from lab import process, sojournd, traffic
from numbered import Numbered

CHANGES, PERIOD_S = 100, 1.0
RATE_MBIT = 100
MOST_ADDED_MS = 1.0  # of a change
WINDOW_S = 0.05  # after a change, in which it could be felt
# Every kind of change that leaves a flow its own queue, to and fro; `flows` and `hash` re-home all packets.
STEPS = {"rate": ("95mbit", "100mbit"), "flows": ("4096", "1024"), "target": ("8ms", "5ms"), "quantum": ("3028b", "1514b"),
         "limit": ("5000", "10240"), "ecn": ("off", "on"), "overhead": ("24b", "0b"), "interval": ("60ms", "100ms"),
         "hash": ("outer", "inner"), "memory": ("20mb", "32mb")}


class Change(WireCase):
    def sojourn(self, *arguments):
        return process.run(sojournd.SOJOURN, *arguments, "--socket", self.daemon.socket)

    def change_often(self):
        """Makes the changes; when each was begun and ended."""
        times = []
        due = time.monotonic() + 2
        for i in range(CHANGES):
            time.sleep(max(0, due - time.monotonic()))
            due += PERIOD_S
            key, values = list(STEPS.items())[i % len(STEPS)]
            value = values[i // len(STEPS) % 2]
            begun = time.time_ns()
            said = self.sojourn("set", "egress", key, value)
            times.append((begun, time.time_ns()))
            self.assertIn("is in force", said)
        return times

    def worst_ms(self, probe, windows):
        """The largest delay in each window of time."""
        worst, came = [], sorted((sent, delay) for _, sent, delay in probe.came)
        for begin, end in windows:
            inside = [delay for sent, delay in came if begin <= sent <= end]
            if inside:
                worst.append(max(inside))
        return worst

    # CASES LQ-1
    def test_a_hundred_changes_are_not_felt(self):
        self.start({"rate": f"{RATE_MBIT}mbit"})
        bulk = traffic.Bulk(harness.pair, 8, "cubic")
        bulk.start(CHANGES * PERIOD_S + 10)
        for end in (bulk.client, bulk.server):
            self.addCleanup(process.stop, end, 0)
        probe = Numbered(harness.pair)
        probe.start()
        self.addCleanup(lambda: probe.is_running and probe.stop())
        times = self.change_often()
        time.sleep(1)
        goodput = egress_mbit(self.daemon)
        probe.stop()
        numbers = [number for number, _, _ in probe.came]
        self.assertEqual(numbers, sorted(numbers), "reordered")
        self.assertEqual(len(numbers), probe.sent, "lost or doubled")
        ns = int(WINDOW_S * 1e9)
        felt = self.worst_ms(probe, [(begun - ns // 10, ended + ns) for begun, ended in times])
        quiet = self.worst_ms(probe, [(begun - 6 * ns, begun - 5 * ns + (ended - begun)) for begun, ended in times])
        added = statistics.median(felt) - statistics.median(quiet)
        print(f"  {len(times)} changes, {probe.sent} numbered packets, none lost; worst delay near a change: median "
              f"{statistics.median(felt):.2f} ms, away from one {statistics.median(quiet):.2f} ms; egress {goodput:.1f} Mbit/s; "
              f"set took {statistics.median((e - b) / 1e6 for b, e in times):.1f} ms", flush=True)
        self.assertLessEqual(added, MOST_ADDED_MS)
        self.assertGreater(goodput, 0.8 * RATE_MBIT)
        self.assertEqual(sojournd.egress(self.daemon.stats())["over_rate_alarms"], 0)  # CASES DN-3
        self.assertIn(f"configuration {CHANGES + 1}, in force in every worker", self.sojourn("show", "config"))
        self.assert_conserved(self.daemon.stats())

    def test_a_file_is_applied_and_a_wrong_one_refused(self):
        self.start({"rate": "40mbit"})
        path = self.daemon.config
        self.assertIn("nothing has changed", self.sojourn("apply", path))
        write(path, self.daemon.text.replace('"40mbit"', '"38mbit"'))
        self.assertIn('demo].egress.rate: "40mbit" -> "38mbit"', self.sojourn("apply", "--dry-run", path))
        self.assertEqual(sojournd.egress(self.daemon.stats())["rate_bps"], 40_000_000)
        self.assertIn("configuration 2 is in force", self.sojourn("apply", path))
        self.assertEqual(sojournd.egress(self.daemon.stats())["rate_bps"], 38_000_000)
        for wrong in ('"38mbt"', '"38mbit"; rx = 5'):
            write(path, self.daemon.text.replace('"40mbit"', wrong))
            with self.assertRaises(process.CommandFailed) as refused:
                self.sojourn("apply", path)
            self.assertIn("stays", str(refused.exception))
        write(path, self.daemon.text.replace("inside = \"inside\"", "inside = \"outside\"").replace(
            "outside = \"outside\"", "outside = \"inside\""))
        with self.assertRaises(process.CommandFailed) as refused:
            self.sojourn("apply", path)
        self.assertEqual(sojournd.egress(self.daemon.stats())["rate_bps"], 38_000_000)

    def test_a_value_is_written_back_and_sighup_reads_the_file(self):
        self.start({"rate": "40mbit"})
        self.assertIn("written to", self.sojourn("set", "egress", "rate", "39mbit", "--persist"))
        with open(self.daemon.config, encoding="utf-8") as f:
            self.assertEqual(f.read(), self.daemon.text.replace('"40mbit"', '"39mbit"'))
        write(self.daemon.config, self.daemon.text.replace('"40mbit"', '"37mbit"'))
        os.kill(self.daemon.child.pid, 1)
        is_in_force = lambda: sojournd.egress(self.daemon.stats())["rate_bps"] == 37_000_000
        self.assertTrue(process.wait_until(is_in_force, 5, period=0.1))
        write(self.daemon.config, "rubbish")
        os.kill(self.daemon.child.pid, 1)
        said = lambda: "SIGHUP: refused; the configuration in force stays" in self.daemon.all_words()
        self.assertTrue(process.wait_until(said, 5, period=0.1))
        self.assertTrue(is_in_force())


def egress_mbit(daemon, seconds=1.0):
    first = daemon.stats()
    time.sleep(seconds)
    second = daemon.stats()
    sent = sojournd.egress(second)["sent_bytes"] - sojournd.egress(first)["sent_bytes"]
    return sent * 8e3 / (second["time_ns"] - first["time_ns"])


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    sys.exit(harness.main())
