"""A wire that is not full changes nothing: every frame comes out as it went in, byte for byte, once, in both directions."""
import sys

import frames
import harness
from harness import Tap, WireCase
from lab import sojournd

BATCH = 32
# What DPDK's net_af_packet changes before sojournd sees it: it has the kernel put fragments together, and of the outer
# tag that the kernel has taken out it hands on the number but not the type.
NOT_WITH_AF_PACKET = {"IPv4 first fragment", "IPv4 later fragment", "QinQ 88a8", "QinQ 9100", "802.1ad on ARP"}


class Transparency:
    def setUp(self):
        try:
            self.start({"preset": "gateway", "rate": "100mbit"}, drivers=[self.wanted])
        except sojournd.SojourndFailed as error:
            self.skipTest(str(error))
        self.taps = {"egress": (Tap(harness.pair.client), Tap(harness.pair.server)),
                     "ingress": (Tap(harness.pair.server), Tap(harness.pair.client))}
        for sender, _ in self.taps.values():
            self.addCleanup(sender.close)
        self.addCleanup(lambda: [receiver.close() for _, receiver in self.taps.values()])

    def carry(self, named_frames):
        """Sends and compares. The kernel's own frames are none of ours: they bear other addresses."""
        named_frames = [(name, frame) for name, frame in named_frames
                        if self.wanted != "af_packet" or name not in NOT_WITH_AF_PACKET]
        for direction, (sender, receiver) in self.taps.items():
            for start in range(0, len(named_frames), BATCH):
                batch = [(name, frame if direction == "egress" else frames.turned(frame))
                         for name, frame in named_frames[start:start + BATCH]]
                self.carry_batch(direction, sender, receiver, batch)
        self.assert_at_rest()

    def carry_batch(self, direction, sender, receiver, batch):
        source = frames.CLIENT_MAC if direction == "egress" else frames.SERVER_MAC
        for _, frame in batch:
            sender.send(frame)
        arrived = receiver.receive_all(lambda frame: frame[6:12] == source, len(batch))
        names = {frame: name for name, frame in batch}
        for frame in arrived:
            self.assertIn(frame, names, f"{direction}: came out, and never went in: {frame[:64].hex()}")
        missing = [name for name, frame in batch if frame not in arrived]
        self.assertEqual(missing, [], f"{direction}: did not come out as they went in")
        self.assertEqual(len(arrived), len(batch), f"{direction}: something came out twice")

    def test_link_local_multicast_passes(self):
        self.carry(frames.link_local())

    def test_arp_and_neighbour_discovery_pass(self):
        self.carry(frames.neighbours())

    def test_vlan_tags_pass(self):
        self.carry(frames.vlans())

    def test_malformed_packets_pass(self):
        self.carry(frames.malformed())

    def test_every_size_from_runt_to_mtu_passes(self):
        self.carry(frames.sizes())

    def test_frames_of_one_flow_keep_their_order(self):
        source = frames.CLIENT_MAC
        sender, receiver = self.taps["egress"]
        sent = [frames.ethernet(0x0800, frames.ipv4(17, frames.udp(frames.SIGNATURE + n.to_bytes(4, "big"))))
                for n in range(2000)]
        arrived = []
        for start in range(0, len(sent), 100):
            for frame in sent[start:start + 100]:
                sender.send(frame)
            arrived += receiver.receive_all(lambda frame: frame[6:12] == source, 100, linger=0)
        self.assertEqual([frame[-4:] for frame in arrived], [frame[-4:] for frame in sent])


class OverAfXdp(Transparency, WireCase):
    wanted = "af_xdp"


class OverAfPacket(Transparency, WireCase):
    wanted = "af_packet"


if __name__ == "__main__":
    sys.exit(harness.main())
