"""sojournd's life: a configuration, a start, counters, a stop."""
import json
import os
import subprocess

from . import namespaces, process

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SOJOURN_BUILD", os.path.join(ROOT, "build"))
SOJOURND = os.path.join(BUILD, "control", "sojournd")
SOJOURN = os.path.join(BUILD, "control", "sojourn")
DRIVERS = ("af_xdp", "af_packet")  # in the order of preference


class SojourndFailed(Exception):
    """sojournd did not start, answer or stop as it should. The text is one sentence for the operator."""


def device(driver, number, interface, arguments=""):
    return f"net_{driver}{number},iface={interface}{arguments}"


def control_socket(pair):
    return os.path.join(pair.directory, "control.sock")


def quote(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)


def group(settings):
    return "{ " + " ".join(f"{k} = {group(v) if isinstance(v, dict) else quote(v)};" for k, v in settings.items()) + " }"


def configuration(pair, driver, egress, lab=(), ingress=None, device_arguments=""):
    """The text of a configuration: one wire between the pair's ports."""
    inside = {"name": "inside", "device": device(driver, 0, pair.client.port, device_arguments)}
    outside = {"name": "outside", "device": device(driver, 1, pair.server.port, device_arguments)}
    wire = {"name": "demo", "inside": "inside", "outside": "outside", "egress": egress,
            "ingress": ingress or {"rate": "unlimited"}}
    lines = [f"ports = ( {group(inside)},\n          {group(outside)} );", f"wires = ( {group(wire)} );"]
    if lab:
        lines.append("lab = ( " + ",\n        ".join(group(path) for path in lab) + " );")
    lines.append(f"control = {group({'socket': control_socket(pair)})};")
    return "\n".join(lines) + "\n"


class Sojournd:
    """One run of the daemon in a pair's directory."""

    def __init__(self, pair, text, name="sojournd", socket=None):
        self.socket = socket or control_socket(pair)
        self.config = os.path.join(pair.directory, f"{name}.conf")
        self.log = os.path.join(pair.directory, f"{name}.log")
        self.daemons = os.path.join(pair.directory, namespaces.DAEMONS)
        self.text, self.child = text, None

    def command(self):
        return [SOJOURND, "--config", self.config]

    def start(self, seconds=20):
        """Returns when the daemon answers; throws SojourndFailed when it ends or stays silent, and then it is gone."""
        with open(self.config, "w", encoding="utf-8") as f:
            f.write(self.text)
        with open(self.log, "w", encoding="utf-8") as log:
            try:
                self.child = process.spawn(self.command(), stdout=log, stderr=subprocess.STDOUT)
            except OSError as error:
                raise SojourndFailed(f"{self.command()[0]}: {error.strerror}") from None
        with open(self.daemons, "a", encoding="ascii") as f:
            f.write(f"{self.child.pid}\n")
        process.raise_session(self.child.pid)
        process.wait_until(lambda: self.child.poll() is not None or self.answers(), seconds, period=0.1)
        if self.child.poll() is not None:
            raise SojourndFailed(f"sojournd ended with exit code {self.child.returncode}: {self.last_words()}")
        if not self.answers():
            self.stop()
            raise SojourndFailed(f"sojournd does not answer after {seconds} s: {self.last_words()}")

    def answers(self):
        try:
            return bool(self.stats())
        except SojourndFailed:
            return False

    def stats(self):
        """What `sojourn show stats -j` says."""
        try:
            shown = subprocess.run([SOJOURN, "show", "stats", "-j", "--socket", self.socket], capture_output=True,
                                   text=True, timeout=5, check=True, stdin=subprocess.DEVNULL)
            return json.loads(shown.stdout)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            raise SojourndFailed(f"sojourn show stats: {error}") from None

    def stop(self, seconds=10):
        """SIGTERM. Returns the exit code; negative when it had to be killed."""
        return process.stop(self.child, seconds)

    def last_words(self):
        return process.last_line(self.all_words()) or "it said nothing"

    def all_words(self):
        return "\n".join(namespaces.read_lines(self.log))


def first_driver_that_works(start, drivers=DRIVERS):
    """Calls start(driver) for each driver in turn. Returns what it returned, the driver, and why earlier ones failed."""
    reasons = []
    for driver in drivers:
        try:
            return start(driver), driver, reasons
        except SojourndFailed as error:
            reasons.append(f"{driver}: {error}")
    raise SojourndFailed("; ".join(reasons))


def egress(stats, wire="demo"):
    return next(w["egress"] for w in stats["wires"] if w["name"] == wire)


def directions(stats):
    """Every thing that must conserve packets: each direction of each wire, and each lab path."""
    for wire in stats["wires"]:
        for direction in ("egress", "ingress"):
            yield f"{wire['name']} {direction}", wire[direction]
    for path in stats.get("lab", ()):
        yield f"lab {path['port']}", path


def buffers_astray(stats):
    """Packet buffers in use that are neither queued in sojournd nor in its ports' rings; meaningful at rest."""
    mbufs = stats["mbufs"]
    return mbufs["in_use"] - mbufs["queued"] - mbufs["held_by_drivers_at_start"]


def unconserved(stats):
    """Where received = sent + queued + dropped does not hold: a list of sentences, empty when all is well."""
    wrong = []
    for name, counters in directions(stats):
        dropped = sum(counters["drops"].values())
        accounted = counters["sent_packets"] + counters["queued_packets"] + dropped
        if counters["received_packets"] != accounted:
            wrong.append(f"{name}: received {counters['received_packets']}, accounted for {accounted}")
    return wrong
