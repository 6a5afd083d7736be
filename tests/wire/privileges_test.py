"""What sojournd gives up once it runs: read from the kernel, of every thread; and that what it keeps is enough."""
import os
import subprocess
import sys
import time

import harness
from harness import WireCase
from lab import process, sojournd

EGRESS = {"rate": "10mbit"}
NET_ADMIN = 1 << 12
SETS = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")


def threads(pid):
    """Of each thread: its name, and the sets of capabilities as numbers."""
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status", encoding="ascii") as f:
            facts = dict(line.split(":\t", 1) for line in f.read().splitlines())
        yield facts["Name"], {name: int(facts[name], 16) for name in SETS}, int(facts["NoNewPrivs"])


class Privileges(WireCase):
    def test_no_thread_keeps_more_than_what_link_loss_forwarding_needs(self):
        for driver in sojournd.DRIVERS:
            daemon = self.start(EGRESS, drivers=[driver])
            seen = list(threads(daemon.child.pid))
            self.assertGreaterEqual(len(seen), 3, "control, worker, DPDK's own")
            for name, sets, no_new_privileges in seen:
                with self.subTest(driver=driver, thread=name):
                    kept = NET_ADMIN if name == "sojournd" else 0
                    for of in ("CapPrm", "CapEff", "CapBnd"):
                        self.assertEqual(sets[of] & ~kept, 0, f"{of} {sets[of]:x}")
                    self.assertEqual((sets["CapInh"], sets["CapAmb"], no_new_privileges), (0, 0, 1))
            self.assertIn("privileges: dropped, kept: net_admin", daemon.all_words())
            self.stop()

    def test_what_is_kept_is_enough_to_pass_change_and_leave(self):
        for driver in sojournd.DRIVERS:
            daemon = self.start(EGRESS, drivers=[driver])
            harness.pair.client.run("ping", "-c", "1", "-W", "5", harness.pair.server.ipv4)
            # A larger table takes memory anew.
            for key, value in (("rate", "12mbit"), ("flows", "65536")):
                run = subprocess.run([sojournd.SOJOURN, "set", "egress", key, value, "--persist", "--socket", daemon.socket],
                                     capture_output=True, text=True, timeout=20, check=False)
                self.assertEqual(run.returncode, 0, run.stderr)
            harness.pair.client.run("ping", "-c", "1", "-W", "5", harness.pair.server.ipv4)
            time.sleep(1)  # links are settled when they have been up for 0.3 s
            process.run("ip", "-n", harness.pair.server.name, "link", "set", "eth0", "down")
            self.addCleanup(process.run, "ip", "-n", harness.pair.server.name, "link", "set", "eth0", "up", check=False)
            self.assertTrue(process.wait_until(lambda: self.is_down(harness.pair.client.port), 5), daemon.last_words())
            process.run("ip", "-n", harness.pair.server.name, "link", "set", "eth0", "up")
            self.assertTrue(process.wait_until(lambda: not self.is_down(harness.pair.client.port), 10))
            self.stop()
            for port in (harness.pair.client.port, harness.pair.server.port):
                shown = process.run("ip", "-d", "link", "show", "dev", port)
                self.assertNotIn("xdp", shown)
            self.assertEqual([n for n in os.listdir("/sys/fs/bpf/xdp") if n.startswith("dispatch")]
                             if os.path.isdir("/sys/fs/bpf/xdp") else [], [])

    @staticmethod
    def is_down(port):
        with open(f"/sys/class/net/{port}/flags", encoding="ascii") as f:
            return int(f.read(), 16) & 1 == 0


if __name__ == "__main__":
    sys.exit(harness.main())
