"""sojournd in the sandbox of its systemd unit, as far as it can be made without systemd: the unit's capabilities, no new
privileges, and its filter of system calls and address families, read from the unit itself."""
import os
import shutil
import subprocess
import sys

import harness
from harness import WireCase
from lab import process, sojournd, traffic

UNIT = os.path.join(sojournd.ROOT, "packaging", "sojournd.service.in")
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_NETLINK": 16, "AF_PACKET": 17, "AF_XDP": 44}


def settings(name):
    with open(UNIT, encoding="utf-8") as f:
        return [line.strip().partition("=")[2] for line in f if line.startswith(f"{name}=")]


def capabilities():
    return [word.removeprefix("CAP_").lower() for word in settings("CapabilityBoundingSet")[0].split()]


def calls_of(word):
    """A system call, or all of a set's, as systemd has them."""
    if not word.startswith("@"):
        return {word}
    listed = subprocess.run(["systemd-analyze", "syscall-filter", word], capture_output=True, text=True, check=True)
    words = [line.strip() for line in listed.stdout.splitlines() if line.startswith("    ") and "#" not in line]
    return set().union(*map(calls_of, words))


def allowed_calls():
    allowed = set()
    for setting in settings("SystemCallFilter"):
        words = set().union(*map(calls_of, setting.removeprefix("~").split()))
        allowed = allowed - words if setting.startswith("~") else allowed | words
    return allowed | calls_of("@default")


def enter(command):
    """Takes on the unit's filter and becomes the command."""
    import seccomp  # Debian's python3-seccomp
    enforced = seccomp.SyscallFilter(seccomp.ERRNO(1))
    for call in allowed_calls() | {"execve"}:
        try:
            if call == "socket":
                for family in settings("RestrictAddressFamilies")[0].split():
                    enforced.add_rule(seccomp.ALLOW, call, seccomp.Arg(0, seccomp.EQ, FAMILIES[family]))
            else:
                enforced.add_rule(seccomp.ALLOW, call)
        except (RuntimeError, ValueError):
            pass  # not on this architecture
    enforced.load()
    os.execv(command[0], command)


class Sandbox(WireCase):
    def sandboxed(self, command, without=None):
        kept = [name for name in capabilities() if name != without]
        return ["setpriv", "--no-new-privs", "--inh-caps=-all", "--bounding-set=" + ",".join(["-all"] + [f"+{name}" for name in kept]),
                "--", sys.executable, "-B", os.path.abspath(__file__), "--enter", *command]

    def test_it_starts_passes_changes_and_ends(self):
        for driver in sojournd.DRIVERS:
            daemon = self.start({"rate": "40mbit"}, drivers=[driver], wrap=self.sandboxed)
            harness.pair.client.run("ping", "-c", "1", "-W", "5", harness.pair.server.ipv4)
            bulk = traffic.Bulk(harness.pair, 2, "cubic")
            bulk.start(3)
            self.assertGreater(bulk.goodput_mbit(3, 1), 20)
            for key, value in (("rate", "30mbit"), ("flows", "65536")):
                process.run(sojournd.SOJOURN, "set", "egress", key, value, "--persist", "--socket", daemon.socket)
            daemon.child.send_signal(harness.process.signal.SIGHUP)
            self.assertTrue(process.wait_until(lambda: "SIGHUP: nothing has changed" in self.daemon.all_words(), 5))
            self.stop()
            self.assertNotIn("warning: ", daemon.all_words())
            for port in (harness.pair.client.port, harness.pair.server.port):
                self.assertNotIn("xdp", process.run("ip", "link", "show", "dev", port))

    def test_the_filter_filters(self):
        for code in ("import os; os.chroot('/')", "import socket; socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)"):
            run = subprocess.run(self.sandboxed(["/usr/bin/python3", "-c", code]), capture_output=True, text=True, check=False)
            self.assertIn("not permitted", run.stderr)


def reason_not_to_run():
    if shutil.which("systemd-analyze") is None:
        return "there is no systemd-analyze to say what the unit's sets of system calls are"
    try:
        __import__("seccomp")
    except ImportError:
        return "there is no python3-seccomp"
    return None


if __name__ == "__main__":
    if sys.argv[1:2] == ["--enter"]:
        enter(sys.argv[2:])
    if reason := reason_not_to_run():
        harness.skip(reason)
    sys.exit(harness.main())
