"""What the wire tests share: real sojournd, real interfaces, two namespaces. A test that cannot run here says so and
exits 77."""
import os
import shutil
import socket
import struct
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
from lab import interruption, namespaces, process, sojournd  # noqa: E402

SKIPPED = 77
_SOL_PACKET, _PACKET_AUXDATA = 263, 8
_AUXDATA = struct.Struct("=IIIHHHH")  # tpacket_auxdata
_TAG_IS_THERE, _TPID_IS_THERE = 1 << 4, 1 << 6

pair = None  # of this program; made by main()


def reason_not_to_run():
    if os.geteuid() != 0:
        return "not root"
    missing = [tool for tool in ("ip", "ethtool", "nsenter", "iperf3") if shutil.which(tool) is None]
    if missing:
        return f"missing: {', '.join(missing)}"
    if not os.access(sojournd.SOJOURND, os.X_OK):
        return f"{sojournd.SOJOURND} is not built"
    return None


def skip(reason):
    print(f"SKIPPED: {reason}", flush=True)
    sys.exit(SKIPPED)


def main(mtu=1500):
    """Makes the pair, runs the tests of the calling program, and takes everything down whatever happens."""
    global pair
    if reason := reason_not_to_run():
        skip(reason)
    interruption.install()
    pair = namespaces.Pair("wire", mtu)
    try:
        with interruption.always(pair.close):
            try:
                pair.create()
            except process.CommandFailed as error:
                skip(f"namespaces cannot be made here: {error}")
            result = unittest.main(module="__main__", verbosity=2, exit=False).result
        return 0 if result.wasSuccessful() else 1
    except interruption.Interrupted as interrupted:
        return interrupted.exit_code


class WireCase(unittest.TestCase):
    def start(self, egress, lab=(), drivers=sojournd.DRIVERS, wrap=lambda command: command, more="", **options):
        """A running sojournd with this egress; every test's daemon is stopped, and must then exit 0. `wrap`: of its
        command line. `more`: at the end of its configuration."""
        def with_driver(driver):
            daemon = sojournd.Sojournd(pair, sojournd.configuration(pair, driver, egress, lab, **options) + more)
            command = daemon.command()
            daemon.command = lambda: wrap(command)
            daemon.start()
            return daemon
        self.daemon, self.driver, reasons = sojournd.first_driver_that_works(with_driver, drivers)
        for reason in reasons:
            print(f"  not with {reason}", flush=True)
        self.addCleanup(self.stop)
        return self.daemon

    def stop(self):
        code = self.daemon.stop()
        self.assertEqual(code, 0, f"sojournd's exit code; it said: {self.daemon.last_words()}")

    def assert_conserved(self, stats):
        self.assertEqual(sojournd.unconserved(stats), [])

    def assert_at_rest(self):
        """Queues run empty, every packet is accounted for and every buffer is back but those in the ports' rings."""
        def is_empty():
            return all(c["queued_packets"] == 0 for _, c in sojournd.directions(self.daemon.stats()))
        self.assertTrue(process.wait_until(is_empty, 20, period=0.2), "the queues do not run empty")
        stats = self.daemon.stats()
        self.assert_conserved(stats)
        self.assertLessEqual(sojournd.buffers_astray(stats), 2 * 512)  # two transmit rings


class Tap:
    """Whole frames, in and out of one namespace's end."""

    def __init__(self, namespace):
        self.socket = namespace.raw_socket()
        self.socket.setsockopt(_SOL_PACKET, _PACKET_AUXDATA, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, 64 << 20)

    def send(self, frame):
        self.socket.send(frame)

    def receive(self, seconds):
        """The next frame as it was on the wire, or None. The kernel takes the outer VLAN tag out: it is put back."""
        return self.receive_stamped(seconds)[0]

    def receive_stamped(self, seconds):
        """The next frame, and when it came by the kernel's word (time.time_ns()); or None, None."""
        self.socket.settimeout(max(seconds, 0.001))
        try:
            frame, ancillary, _, _ = self.socket.recvmsg(1 << 16, socket.CMSG_SPACE(_AUXDATA.size) + socket.CMSG_SPACE(_TIMESPEC.size))
        except TimeoutError:
            return None, None
        stamp_ns = None
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS):
                second, ns = _TIMESPEC.unpack_from(data)
                stamp_ns = second * 10**9 + ns
            if (level, kind) == (_SOL_PACKET, _PACKET_AUXDATA):
                status, _, _, _, _, tci, tpid = _AUXDATA.unpack_from(data)
                if status & _TAG_IS_THERE:
                    outer = tpid if status & _TPID_IS_THERE else 0x8100
                    frame = frame[:12] + struct.pack("!HH", outer, tci) + frame[12:]
        return frame, stamp_ns

    def receive_all(self, is_ours, count, seconds=2.0, linger=0.1):
        """Frames for which is_ours holds: until `count` have come, and then for `linger` seconds more."""
        frames, end = [], time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            frame = self.receive(left)
            if frame is None or not is_ours(frame):
                continue
            frames.append(frame)
            if len(frames) == count:
                end = min(end, time.monotonic() + linger)
        return frames

    def close(self):
        self.socket.close()


_SO_RCVBUFFORCE = 33
_SO_TIMESTAMPNS = 35
_TIMESPEC = struct.Struct("@qq")
