"""sojournd ends when it is told to, under load or not, with exit code 0, and leaves nothing behind."""
import os
import sys
import time

import harness
from harness import WireCase
from lab import namespaces, sojournd, traffic


class Shutdown(WireCase):
    def assert_nothing_left(self):
        self.assertFalse(os.path.exists(self.daemon.socket), "the control socket is still there")
        self.assertFalse(os.path.exists(f"{namespaces.EAL_RUN}/sojourn-{self.daemon.child.pid}"),
                         "DPDK's run directory is still there")
        for port in (harness.pair.client.port, harness.pair.server.port):
            self.assertNotIn("xdp", harness.process.run("ip", "link", "show", "dev", port), "an XDP program is still there")

    def test_idle_it_ends_at_once(self):
        self.start({"rate": "10mbit"})
        began = time.monotonic()
        self.stop()
        self.assertLess(time.monotonic() - began, 5)
        self.assert_nothing_left()

    def test_after_a_load_every_packet_is_accounted_for_and_every_buffer_is_back(self):
        self.start({"rate": "40mbit"})
        bulk = traffic.Bulk(harness.pair, 4, "cubic")
        bulk.start(5)
        goodput = bulk.goodput_mbit(5, 2)
        self.assertGreater(goodput, 30)
        self.assert_at_rest()

    def test_under_load_it_ends_with_0(self):
        self.start({"rate": "40mbit"})
        bulk = traffic.Bulk(harness.pair, 4, "cubic")
        bulk.start(30)
        self.addCleanup(harness.process.stop, bulk.client, 0)
        self.addCleanup(harness.process.stop, bulk.server, 0)
        time.sleep(3)
        self.assertGreater(sojournd.egress(self.daemon.stats())["sent_packets"], 1000)
        self.stop()
        self.assert_nothing_left()

    def test_a_second_start_on_the_same_ports_works(self):
        for _ in range(2):
            self.start({"rate": "10mbit"})
            harness.pair.client.run("ping", "-c", "1", "-W", "5", harness.pair.server.ipv4)
            self.stop()


if __name__ == "__main__":
    sys.exit(harness.main())
