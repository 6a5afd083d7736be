"""Where the ports allow jumbo frames the wire carries them; where a driver cannot, sojournd says so in one sentence."""
import sys

import frames
import harness
from harness import Tap, WireCase
from lab import sojournd

MTU = 9000
LESS_THAN_A_PAGE = 3000  # AF_XDP carries what fits a page: MTUs up to 3542, less on veth
# net_af_packet's frames are of 2048 bytes unless told otherwise; 32 of each are its own. A frame a
# block: their number must come out even.
DEVICE_ARGUMENTS = {"af_packet": ",framesz=9056,blocksz=12288", "af_xdp": ""}


class Jumbo(WireCase):
    def test_jumbo_frames_pass_or_are_refused_at_start(self):
        for driver in sojournd.DRIVERS:
            with self.subTest(driver=driver):
                try:
                    self.start({"rate": "unlimited"}, drivers=[driver], device_arguments=DEVICE_ARGUMENTS[driver])
                except sojournd.SojourndFailed as refusal:
                    print(f"  refused: {refusal}", flush=True)
                    self.assertRegex(str(refusal), r"exit code 1: sojournd: .*port (inside|outside)")
                    continue
                self.carry(MTU)
                self.stop()

    def test_frames_of_less_than_a_page_pass_through_af_xdp(self):
        for namespace in (harness.pair.client, harness.pair.server):
            namespace.set_mtu(LESS_THAN_A_PAGE)
            self.addCleanup(namespace.set_mtu, MTU)
        try:
            self.start({"rate": "unlimited"}, drivers=["af_xdp"])
        except sojournd.SojourndFailed as refusal:
            self.assertNotRegex(str(refusal), "MTU|[Ff]rame size|one array")
            self.skipTest(f"AF_XDP does not work here: {refusal}")
        self.carry(LESS_THAN_A_PAGE)
        self.assert_at_rest()

    def carry(self, mtu):
        """Frames of all sizes up to the MTU's, and a full one in a VLAN tag, arrive byte for byte in both directions."""
        batch = [(name, frame) for name, frame in frames.sizes(mtu + 14)]
        batch.append(("a full frame in a tag", frames.tagged(batch[-1][1], (0x8100, 7))))
        client, server = Tap(harness.pair.client), Tap(harness.pair.server)
        self.addCleanup(client.close)
        self.addCleanup(server.close)
        self.send(batch, client, server, frames.CLIENT_MAC)
        self.send([(name, frames.turned(frame)) for name, frame in batch], server, client, frames.SERVER_MAC)

    def send(self, batch, sender, receiver, source):
        for _, frame in batch:
            sender.send(frame)
        arrived = receiver.receive_all(lambda frame: frame[6:12] == source, len(batch))
        self.assertEqual([name for name, frame in batch if frame not in arrived], [])
        self.assertEqual(len(arrived), len(batch))


if __name__ == "__main__":
    sys.exit(harness.main(mtu=MTU))
