"""An overloaded wire passes its rate: within half a per cent over ten seconds, by sojourn's counters and at the receiver."""
import subprocess
import sys
import time

import harness
from harness import WireCase
from lab import process, sojournd

SECONDS = 10
WARM_UP = 2
TOLERANCE = 0.005
OVERLOAD = 1.25
PAYLOAD = 1472
FRAME = PAYLOAD + 42


def received_packets(namespace):
    """UDP datagrams that reached the namespace's IP layer, whether or not a program kept up with them."""
    lines = [line.split()[1:] for line in namespace.run("cat", "/proc/net/snmp").splitlines() if line.startswith("Udp: ")]
    counters = dict(zip(lines[0], map(int, lines[1])))
    return counters["InDatagrams"] + counters["InErrors"] + counters["NoPorts"]


class Rate(WireCase):
    def overload(self, rate_bps):
        """iperf3 in UDP: a control connection in TCP, the rest is full frames."""
        server = harness.pair.server.spawn("iperf3", "-s", "-1", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.stop, server, 0)
        process.wait_until(lambda: ":5201 " in harness.pair.server.run("ss", "-Hltn"), 5)
        client = harness.pair.client.spawn(
            "iperf3", "-u", "-c", harness.pair.server.ipv4, "-l", str(PAYLOAD), "-t", str(SECONDS + 30),
            "-b", str(int(rate_bps * OVERLOAD * PAYLOAD / FRAME)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.stop, client, 0)
        time.sleep(WARM_UP)
        self.assertIsNone(client.poll(), "iperf3 did not start")

    def measure(self, rate_bps):
        self.start({"rate": f"{rate_bps // 1000}kbit"})
        self.overload(rate_bps)
        def sample():
            before = time.monotonic()
            sent = sojournd.egress(self.daemon.stats())["sent_bytes"]
            between = time.monotonic()
            received = received_packets(harness.pair.server) * FRAME
            return (before + between) / 2, sent, (between + time.monotonic()) / 2, received
        first = sample()
        time.sleep(SECONDS)
        last = sample()
        sent = (last[1] - first[1]) * 8 / (last[0] - first[0])
        received = (last[3] - first[3]) * 8 / (last[2] - first[2])
        queued = sojournd.egress(self.daemon.stats())["queued_packets"]
        print(f"  {rate_bps / 1e6:g} Mbit/s ({self.driver}): sent {sent / rate_bps:.4%}, received {received / rate_bps:.4%}",
              flush=True)
        self.assertGreater(queued, 0, "the load was too small to fill the wire")
        self.assertAlmostEqual(sent / rate_bps, 1, delta=TOLERANCE)
        self.assertAlmostEqual(received / rate_bps, 1, delta=TOLERANCE)
        self.assert_conserved(self.daemon.stats())

    def test_1_mbit(self):
        self.measure(1_000_000)

    def test_10_mbit(self):
        self.measure(10_000_000)

    def test_40_mbit(self):
        self.measure(40_000_000)

    def test_400_mbit(self):
        self.measure(400_000_000)


if __name__ == "__main__":
    sys.exit(harness.main())
