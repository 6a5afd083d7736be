"""Who may ask and who may change, with peers that really are somebody else."""
import grp
import re
import subprocess
import sys

import harness
from harness import WireCase
from lab import sojournd

STRANGER = 65534
READ, CHANGE = "adm", "daemon"  # groups that every Debian has


class Access(WireCase):
    def setUp(self):
        text = sojournd.configuration(harness.pair, "af_packet", {"rate": "10mbit"})
        text = re.sub(r'"net_af_packet(\d),[^"]*"', r'"net_null\1"', text)
        text = text.replace("control = { ", f'control = {{ read_group = "{READ}"; change_group = "{CHANGE}"; ')
        # The run's directory is root's alone.
        self.socket = f"/run/sojourn-access-{harness.pair.pid}.sock"
        self.daemon = sojournd.Sojournd(harness.pair, text.replace(sojournd.control_socket(harness.pair), self.socket),
                                        socket=self.socket)
        self.daemon.start()
        self.addCleanup(self.stop)

    def run_as(self, groups, *words, uid=STRANGER):
        """The tool, run by that user in those groups (the first is the primary one)."""
        ids = [str(grp.getgrnam(group).gr_gid) for group in groups] or [str(STRANGER)]
        command = ("setpriv", f"--reuid={uid}", f"--regid={ids[0]}", f"--groups={','.join(ids)}", "--inh-caps=-all", "--",
                   "/proc/self/fd/3", *words, "--socket", self.socket)
        # By its descriptor: the build directory may be closed to strangers.
        with open(sojournd.SOJOURN, "rb") as tool:
            return subprocess.run(["bash", "-c", 'exec "$@" 3<&0 0</dev/null', "-", *command], stdin=tool,
                                  capture_output=True, text=True, timeout=20, check=False)

    def assert_refused(self, run, sentence):
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertRegex(run.stderr, rf"^sojourn: sojournd: not permitted: .*{sentence}.*\n$")

    def assert_done(self, run):
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_a_stranger_gets_nothing(self):
        for words in (("show", "stats"), ("show", "config"), ("set", "egress", "rate", "5mbit")):
            self.assert_refused(self.run_as((), *words), "neither root nor in group adm")

    def test_the_reading_group_reads_and_changes_nothing(self):
        for groups in ((READ,), ("nogroup", READ)):
            self.assert_done(self.run_as(groups, "show", "stats"))
            self.assert_done(self.run_as(groups, "show", "config", "-j"))
            self.assert_refused(self.run_as(groups, "set", "egress", "rate", "5mbit"), "may change what is in force")
            self.assert_refused(self.run_as(groups, "apply", "/etc/hostname"), "may change what is in force")
        self.assertIn('rate = "10mbit"', self.run_as((READ,), "show", "config").stdout)

    def test_the_changing_group_changes(self):
        for rate, groups in (("5mbit", (CHANGE,)), ("6mbit", ("nogroup", CHANGE))):
            self.assert_done(self.run_as(groups, "set", "egress", "rate", rate))
            self.assertIn(f'rate = "{rate}"', self.run_as((READ,), "show", "config").stdout)
        self.assert_done(self.run_as((), "set", "egress", "rate", "7mbit", uid=0))


if __name__ == "__main__":
    sys.exit(harness.main())
