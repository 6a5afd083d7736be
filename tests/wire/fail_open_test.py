"""Unshaped, on demand or because it cannot be shaped: it forwards, and says so loudly."""
import subprocess
import sys

import harness
from harness import WireCase
from lab import process, sojournd, traffic

MEMORY_BYTES = 3 << 30  # enough for any wire, too little for the queues that are asked for
WIRE = 'on_error = "wire";\n'


class FailOpen(WireCase):
    def sojourn(self, *arguments):
        return process.run(sojournd.SOJOURN, *arguments, "--socket", self.daemon.socket)

    def goodput_mbit(self):
        bulk = traffic.Bulk(harness.pair, 4, "cubic")
        bulk.start(4)
        try:
            return bulk.goodput_mbit(4, 1)
        finally:
            for end in (bulk.client, bulk.server):
                process.stop(end, 0)

    def assert_forwards_unshaped(self, why, directions=("egress",)):
        harness.pair.client.run("ping", "-c", "3", "-i", "0.2", "-W", "5", harness.pair.server.ipv4)
        for direction in directions:
            for what in ("stats", "config"):
                said = [line for line in self.sojourn("show", what).splitlines() if "UNSHAPED" in line and direction in line]
                self.assertEqual(len(said), 1, f"show {what} does not say it")
                self.assertIn(why, said[0])
            self.assertIn(f"UNSHAPED: wires[demo].{direction}", self.daemon.all_words())
        print(f"  {said[0]}", flush=True)

    def test_shaping_off_and_on_while_running(self):
        self.start({"rate": "10mbit"})
        self.assertNotIn("UNSHAPED", self.sojourn("show", "stats"))
        shaped = self.goodput_mbit()
        self.assertIn("is in force", self.sojourn("set", "egress", "shaping", "off"))
        self.assert_forwards_unshaped("shaping is off")
        unshaped = self.goodput_mbit()
        self.sojourn("set", "egress", "shaping", "on")
        again = self.goodput_mbit()
        print(f"  goodput at 10 Mbit/s {shaped:.1f}, off {unshaped:.1f}, on {again:.1f} Mbit/s", flush=True)
        self.assertLess(shaped, 10.5)
        self.assertGreater(unshaped, 30)
        self.assertLess(again, 10.5)
        stats = self.daemon.stats()
        self.assertEqual(sojournd.egress(stats)["over_rate_alarms"], 0)
        self.assertTrue(sojournd.egress(stats)["shaping"])
        self.assert_at_rest()

    def test_a_wrong_direction_is_a_wire(self):
        self.start({"rate": "10 bananas"}, more=WIRE, ingress={"rate": "20mbit"})
        self.assert_forwards_unshaped("error: wires[demo].egress.rate: ")
        wire = self.daemon.stats()["wires"][0]
        self.assertEqual(wire["ingress"]["rate_bps"], 20_000_000)
        self.assertIn("bananas", wire["egress"]["fault"])
        # A good file puts it right.
        with open(self.daemon.config, "w", encoding="utf-8") as f:
            f.write(self.daemon.text.replace("10 bananas", "10mbit"))
        self.assertIn("shaping: false -> true", self.sojourn("apply", self.daemon.config))
        self.assertNotIn("UNSHAPED", self.sojourn("show", "stats"))
        self.assertEqual(sojournd.egress(self.daemon.stats())["rate_bps"], 10_000_000)

    def test_another_value_does_not_hide_the_reason(self):
        self.start({"rate": "10 bananas"}, more=WIRE, ingress={"rate": "20mbit"})
        self.sojourn("set", "ingress", "rate", "21mbit")
        self.assert_forwards_unshaped("error: wires[demo].egress.rate: ")

    def test_shaping_that_cannot_be_set_up_is_a_wire(self):
        limited = lambda command: ["prlimit", f"--as={MEMORY_BYTES}", "--", *command]
        self.start({"rate": "10mbit", "limit": 4194304, "memory": "64gb"}, more=WIRE, wrap=limited)
        self.assert_forwards_unshaped("memory", ("egress", "ingress"))

    def test_without_ports_there_is_no_wire(self):
        for text in (self.text().replace(harness.pair.server.port, "nosuchport"),
                     self.text().replace("inside = \"inside\"", "inside = \"outside\"")):
            daemon = sojournd.Sojournd(harness.pair, text)
            with self.assertRaisesRegex(sojournd.SojourndFailed, "exit code 1"):
                daemon.start()
            self.assertRegex(daemon.last_words(), "nosuchport|already")

    def test_the_checker_still_says_what_is_wrong(self):
        path = f"{harness.pair.directory}/wrong.conf"
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.text().replace("10mbit", "10 bananas"))
        checked = subprocess.run([sojournd.SOJOURN, "check", path], capture_output=True, text=True, check=False, timeout=10)
        self.assertEqual(checked.returncode, 1)
        self.assertIn("bananas", checked.stderr)

    @staticmethod
    def text():
        return sojournd.configuration(harness.pair, "af_packet", {"rate": "10mbit"}) + WIRE


if __name__ == "__main__":
    sys.exit(harness.main())
