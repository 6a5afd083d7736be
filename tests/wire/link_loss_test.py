"""Link-loss forwarding: who is at one end sees that the other end's link is lost, and sees it come back."""
import sys
import time

import harness
from harness import WireCase
from lab import process, sojournd

TOLD_WITHIN_S = 1.0
DRIVERS = [[driver] for driver in sojournd.DRIVERS]


class LinkLoss(WireCase):
    def ends(self):
        return harness.pair.client, harness.pair.server

    def setUp(self):
        self.addCleanup(lambda: [set_link(end, "up") for end in self.ends()])

    def start_and_settle(self, driver):
        try:
            self.start({"rate": "100mbit"}, drivers=driver)
        except sojournd.SojourndFailed as error:
            self.skipTest(f"not with {driver[0]}: {error}")
        for end in self.ends():
            self.assertTrue(process.wait_until(lambda end=end: has_carrier(end), 5))
        self.assertTrue(process.wait_until(self.is_forwarding, 10))
        time.sleep(0.5)  # a link is settled when it has been up for 0.3 s

    def is_forwarding(self):
        try:
            harness.pair.client.run("ping", "-c", "1", "-W", "1", harness.pair.server.ipv4)
            return True
        except process.CommandFailed:
            return False

    def wire(self):
        return self.daemon.stats()["wires"][0]

    def lose_and_regain(self, lost, told):
        began = time.monotonic()
        set_link(lost, "down")
        self.assertTrue(process.wait_until(lambda: not has_carrier(told), 5), "the other end is not told")
        took = time.monotonic() - began
        self.assertLess(took, TOLD_WITHIN_S)
        side = "outside" if told is harness.pair.server else "inside"
        self.assertEqual(self.wire()["link_loss_forwarding"]["held_down"], side)
        self.assertIn("HELD DOWN", process.run(sojournd.SOJOURN, "show", "stats", "--socket", self.daemon.socket))
        time.sleep(1)
        self.assertFalse(has_carrier(told))
        began = time.monotonic()
        set_link(lost, "up")
        self.assertTrue(process.wait_until(lambda: has_carrier(told), 5), "the other end's link does not come back")
        back = time.monotonic() - began
        self.assertTrue(process.wait_until(self.is_forwarding, 10), "nothing is forwarded after both are back")
        self.assertIsNone(self.wire()["link_loss_forwarding"]["held_down"])
        print(f"  {self.driver}: {lost.interface} of {lost.name} lost: told after {took:.2f} s, back after {back:.2f} s",
              flush=True)
        time.sleep(0.5)

    def test_either_end_is_told_and_traffic_flows_again(self):
        for driver in DRIVERS:
            with self.subTest(driver=driver):
                self.start_and_settle(driver)
                client, server = self.ends()
                for lost, told in ((client, server), (server, client), (client, server)):
                    self.lose_and_regain(lost, told)
                self.stop()

    def test_both_lost_at_once_come_back_whatever_the_order(self):
        self.start_and_settle(list(sojournd.DRIVERS))
        for first, second in (self.ends(), reversed(self.ends())):
            for end in self.ends():
                set_link(end, "down")
            time.sleep(0.6)
            set_link(first, "up")
            time.sleep(0.6)
            set_link(second, "up")
            self.assertTrue(process.wait_until(self.is_forwarding, 20), "it does not come back")
            time.sleep(0.5)

    def test_off_nothing_happens_and_off_gives_back(self):
        self.start_and_settle(list(sojournd.DRIVERS))
        client, server = self.ends()
        off = self.daemon.text.replace('name = "demo";', 'name = "demo"; link_loss_forwarding = false;')
        set_link(client, "down")
        self.assertTrue(process.wait_until(lambda: not has_carrier(server), 5))
        self.apply(off)
        self.assertTrue(process.wait_until(lambda: has_carrier(server), 1), "what was held down is not given back")
        time.sleep(1.5)
        self.assertTrue(has_carrier(server))
        self.assertFalse(self.wire()["link_loss_forwarding"]["is_on"])
        set_link(client, "up")
        self.assertTrue(process.wait_until(self.is_forwarding, 10))

    def test_the_end_gives_back_what_is_held_down(self):
        self.start_and_settle(list(sojournd.DRIVERS))
        client, server = self.ends()
        set_link(client, "down")
        self.assertTrue(process.wait_until(lambda: not has_carrier(server), 5))
        self.stop()
        self.assertTrue(process.wait_until(lambda: has_carrier(server), 5))

    def test_a_port_that_a_killed_predecessor_left_down_is_taken_up(self):
        self.start_and_settle(list(sojournd.DRIVERS))
        client, server = self.ends()
        set_link(client, "down")
        self.assertTrue(process.wait_until(lambda: not has_carrier(server), 5))
        self.daemon.child.kill()
        self.daemon.child.wait()
        set_link(client, "up")
        self.assertFalse(has_carrier(server))
        self.daemon.stop = lambda: 0  # it has been
        self.start_and_settle([self.driver])

    def apply(self, text):
        with open(self.daemon.config, "w", encoding="utf-8") as f:
            f.write(text)
        process.run(sojournd.SOJOURN, "apply", self.daemon.config, "--socket", self.daemon.socket)


def set_link(end, state):
    end.run("ip", "link", "set", end.interface, state)


def has_carrier(end):
    said = end.run("ip", "-o", "link", "show", "dev", end.interface)
    return "LOWER_UP" in said


if __name__ == "__main__":
    sys.exit(harness.main())
