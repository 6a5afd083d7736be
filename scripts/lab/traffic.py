"""What runs through the wire: bulk TCP uploads (iperf3) and a probe of round trip times (irtt, UDP)."""
import json
import math
import subprocess

from . import process
from .process import CommandFailed

BULK_PORT = 5201
PROBE_PORT = 2112
PROBE_INTERVAL_S = 0.02


class Probe:
    """A small UDP packet every 20 ms and its echo: what a game, a call or a name query waits for."""

    def __init__(self, client, server, address):
        """Between programs in two namespaces; `address` is the server's."""
        self.from_namespace, self.to = client, f"{address}:{PROBE_PORT}"
        self.server = server.spawn("irtt", "server", "-b", self.to, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self, seconds):
        self.client = self.from_namespace.spawn(
            "irtt", "client", "-i", f"{round(PROBE_INTERVAL_S * 1000)}ms", "-d", f"{seconds}s", "-q", "--fill=none",
            "-o", "-", self.to, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def result(self, seconds):
        """Round trips as (seconds since the first, RTT in ms or None if lost)."""
        said, complaint = _finish(self.client, seconds, "irtt")
        start = said.find("{")
        if start < 0:
            raise CommandFailed(f"irtt measured nothing: {process.last_line(complaint or said)}")
        trips = json.loads(said[start:])["round_trips"]
        first = trips[0]["timestamps"]["client"]["send"]["wall"] if trips else 0
        return [((t["timestamps"]["client"]["send"]["wall"] - first) / 1e9,
                 None if t["lost"] != "false" else t["delay"]["rtt"] / 1e6) for t in trips]

    def stop(self):
        process.stop(self.server)


class Bulk:
    """Parallel TCP uploads from client to server."""

    INTERVAL_S = 0.5

    def __init__(self, pair, flows, congestion_control):
        self.pair, self.flows, self.congestion_control = pair, flows, congestion_control

    def start(self, seconds):
        interval = str(self.INTERVAL_S)
        self.server = self.pair.server.spawn("iperf3", "-s", "-1", "-J", "-i", interval, "-p", str(BULK_PORT),
                                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._wait_for_listener()
        self.client = self.pair.client.spawn(
            "iperf3", "-c", self.pair.server.ipv4, "-p", str(BULK_PORT), "-C", self.congestion_control,
            "-P", str(self.flows), "-t", str(seconds), "-i", interval, "-J",
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def _wait_for_listener(self):
        listening = lambda: f":{BULK_PORT} " in self.pair.server.run("ss", "-Hltn")
        if not process.wait_until(listening, 5, period=0.05):
            raise CommandFailed("iperf3 does not listen")

    def goodput_mbit(self, seconds, skip_seconds):
        """Payload that reached the receiver, from skip_seconds after the start to `seconds`, over that time."""
        _, complaint = _finish(self.client, seconds, "iperf3")
        said, _ = _finish(self.server, seconds, "iperf3 -s")
        try:
            sums = [i["sum"] for i in json.loads(said)["intervals"]]
            kept = [s for s in sums if s["start"] >= skip_seconds - 0.01 and s["end"] <= seconds + self.INTERVAL_S / 2]
            return sum(s["bytes"] for s in kept) * 8 / 1e6 / sum(s["seconds"] for s in kept)
        except (ValueError, KeyError, ZeroDivisionError):
            raise CommandFailed(f"iperf3 measured nothing: {process.last_line(complaint) or 'no reason given'}") from None


def _finish(child, seconds, name):
    try:
        said, complaint = child.communicate(timeout=seconds + 20)
    except subprocess.TimeoutExpired:
        raise CommandFailed(f"{name} did not end") from None
    return said or "", complaint or ""


def percentiles(values):
    """p50, p95, p99 (nearest rank) and max, rounded to a microsecond when in milliseconds."""
    ordered = sorted(values)
    if not ordered:
        return {"p50": None, "p95": None, "p99": None, "max": None}
    at = lambda fraction: round(ordered[max(0, math.ceil(fraction * len(ordered)) - 1)], 3)
    return {"p50": at(0.50), "p95": at(0.95), "p99": at(0.99), "max": at(1.0)}
