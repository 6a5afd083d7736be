"""A wire that is not full changes nothing: every frame comes out as it went in, byte for byte, once, in both directions."""
import sys

import frames
import harness
from harness import Tap, WireCase

BATCH = 32


class Transparency(WireCase):
    def setUp(self):
        self.start({"preset": "gateway", "rate": "100mbit"})
        self.taps = {"egress": (Tap(harness.pair.client), Tap(harness.pair.server)),
                     "ingress": (Tap(harness.pair.server), Tap(harness.pair.client))}
        for sender, _ in self.taps.values():
            self.addCleanup(sender.close)
        self.addCleanup(lambda: [receiver.close() for _, receiver in self.taps.values()])

    def carry(self, named_frames):
        """Sends and compares. The kernel's own frames are none of ours: they bear other addresses."""
        named_frames = list(named_frames)
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
        for frame in sent:
            sender.send(frame)
        arrived = receiver.receive_all(lambda frame: frame[6:12] == source, len(sent), seconds=5)
        self.assertEqual([frame[-4:] for frame in arrived], [frame[-4:] for frame in sent])


if __name__ == "__main__":
    sys.exit(harness.main())
