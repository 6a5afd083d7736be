"""What sojournd cannot do it refuses: one clear sentence, exit code 1 (2 for usage), and nothing left behind."""
import os
import re
import subprocess
import sys

import harness
from harness import WireCase
from lab import namespaces, process, sojournd

EGRESS = {"rate": "10mbit"}


class Refusal(WireCase):
    def refused(self, text, *arguments, prefix=(), config=None, code=1):
        """Runs sojournd to its end and returns its last line."""
        daemon = sojournd.Sojournd(harness.pair, text)
        with open(daemon.config, "w", encoding="utf-8") as f:
            f.write(text)
        daemon.config = config or daemon.config
        child = process.spawn([*prefix, *daemon.command(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
        try:
            _, complaint = child.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.stop(child, 0)
            self.fail("it runs instead of refusing")
        self.assertEqual(child.returncode, code, complaint)
        self.assertNotIn(f"sojourn-{child.pid}", self.run_directories(), "DPDK's run directory is left behind")
        self.assertFalse(os.path.exists(daemon.socket), "the control socket is left behind")
        last = process.last_line(complaint)
        print(f"  {last}", flush=True)
        return last

    @staticmethod
    def run_directories():
        return os.listdir(namespaces.EAL_RUN) if os.path.isdir(namespaces.EAL_RUN) else []

    def text(self, driver="af_packet", egress=None):
        return sojournd.configuration(harness.pair, driver, egress or EGRESS)

    def test_an_interface_that_is_not_there(self):
        for driver in sojournd.DRIVERS:
            last = self.refused(self.text(driver).replace(harness.pair.server.port, "nosuchport"))
            self.assertRegex(last, r"^sojournd: .*outside.*nosuchport")

    def test_a_wrong_configuration_is_refused_with_its_line(self):
        last = self.refused(self.text(egress={"rate": "10 bananas"}))
        self.assertRegex(last, r"\.conf:\d+: error: .*rate")

    def test_a_configuration_that_is_not_there(self):
        last = self.refused(self.text(), config="/nonexistent/sojourn.conf")
        self.assertIn("/nonexistent/sojourn.conf", last)

    def test_an_unknown_option_is_a_usage_error(self):
        self.refused(self.text(), "--frobnicate", code=2)

    def test_ports_of_different_mtu(self):
        harness.pair.server.set_mtu(1400)
        self.addCleanup(harness.pair.server.set_mtu, 1500)
        for driver in sojournd.DRIVERS:
            last = self.refused(self.text(driver))
            self.assertRegex(last, r"^sojournd: .*MTU.*(1500.*1400|1400.*1500)")

    def test_without_privileges(self):
        powerless = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--")
        for driver in sojournd.DRIVERS:
            last = self.refused(self.text(driver), prefix=powerless)
            self.assertRegex(last, r"^sojournd: .*(CAP_|rivilege|ermi)")

    def test_a_port_that_another_one_uses(self):
        self.start(EGRESS)
        second = self.daemon.socket.replace("control", "second")
        with self.assertRaisesRegex(sojournd.SojourndFailed, r"exit code 1: sojournd: .*inside"):
            self.addCleanup(sojournd.Sojournd.stop, self.start_second(second))

    def start_second(self, socket):
        text = self.text(self.driver).replace(self.daemon.socket, socket)
        daemon = sojournd.Sojournd(harness.pair, text, "second", socket)
        daemon.start()
        return daemon

    def test_a_control_socket_that_another_one_uses(self):
        self.start(EGRESS, drivers=["af_packet"])
        text = re.sub(r'"net_af_packet(\d),[^"]*"', r'"net_null\1"', self.text())
        daemon = sojournd.Sojournd(harness.pair, text, "second")
        daemon.answers = lambda: False  # it is the first one that answers
        with self.assertRaisesRegex(sojournd.SojourndFailed, r"exit code 1: sojournd: .*control\.sock"):
            daemon.start(10)
        self.daemon.stats()  # still does

    def test_nobody_answers_where_no_daemon_is(self):
        shown = subprocess.run([sojournd.SOJOURN, "show", "stats", "--socket", "/run/nosuch.sock"], capture_output=True,
                               text=True, check=False, timeout=10)
        self.assertEqual(shown.returncode, 1)
        self.assertRegex(shown.stderr, r"^sojourn: .*/run/nosuch\.sock.*\n$")


if __name__ == "__main__":
    sys.exit(harness.main())
