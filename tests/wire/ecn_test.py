"""Real TCP through a full wire: with ECN it is marked and loses nothing, without it is dropped and never marked."""
import sys

import harness
from harness import WireCase
from lab import sojournd, traffic

SECONDS = 6


def ce_packets():
    with harness.pair.server.proc_net("netstat") as f:
        lines = [line.split()[1:] for line in f.read().splitlines() if line.startswith("IpExt: ")]
    return int(dict(zip(*lines))["InCEPkts"])


class Ecn(WireCase):
    def upload(self, ecn):
        for namespace in (harness.pair.client, harness.pair.server):
            namespace.run("sysctl", "-qw", f"net.ipv4.tcp_ecn={ecn}")
        self.start({"preset": "gateway", "rate": "10mbit"})
        before = ce_packets()
        bulk = traffic.Bulk(harness.pair, 4, "cubic")
        bulk.start(SECONDS)
        bulk.goodput_mbit(SECONDS, 1)
        self.assert_at_rest()
        return sojournd.egress(self.daemon.stats()), ce_packets() - before

    def test_with_ecn_packets_are_marked_and_arrive_marked(self):
        egress, ce = self.upload(ecn=1)
        self.assertGreater(egress["marks"]["ecn"], 10)
        self.assertEqual(ce, egress["marks"]["ecn"])
        self.assertEqual(egress["drops"]["aqm"], 0)

    def test_without_ecn_packets_are_dropped_and_none_is_marked(self):
        egress, ce = self.upload(ecn=0)
        self.assertGreater(egress["drops"]["aqm"], 10)
        self.assertEqual(egress["marks"]["ecn"], 0)
        self.assertEqual(ce, 0)


if __name__ == "__main__":
    sys.exit(harness.main())
