#!/usr/bin/python3
"""Shows what sojourn is for: what an upload does to everybody else's round trip times, without and with it.

    client --- [sojournd] --- the modem: a slower line with a deep buffer --- 12 ms --- server

Client and server are network namespaces of this machine and speak real TCP; sojournd is the wire between them, and the
modem and the distance are a lab path inside it. Round trip times are those of irtt: a small UDP packet every 20 ms.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lab import interruption, namespaces, process, sojournd, traffic  # noqa: E402

FLOWS = 4
IDLE_SECONDS = 5
SETTLE_SECONDS = 2     # after the uploads: queues run empty, buffers come home
START_SECONDS = 4      # what starting sojournd and judging it takes, for the estimate
SLOW_START_SECONDS = 3  # not counted in goodput
DELAY_MS = 12          # one way
MODEM_BUFFER_MS = 600
UNITS = {"kbit": 1_000, "mbit": 1_000_000, "gbit": 1_000_000_000}
RATE_RANGE = (1_000_000, 1_000_000_000)
# What a port's transmit ring may hold at rest until it sends again; more is a leak.
RING_SLACK = 2 * 512


class Progress:
    """A line a phase: what it is, how long the whole has taken and how long is left."""

    def __init__(self, total_seconds):
        self.began, self.total, self.is_terminal = time.monotonic(), total_seconds, sys.stdout.isatty()
        self.what = None

    def say(self, what):
        self._end_line()
        self.what = what
        if not self.is_terminal:
            print(self._line(), flush=True)

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._draw()
            time.sleep(min(left, 0.5))

    def done(self):
        self._end_line()
        self.what = None

    def _line(self):
        elapsed = time.monotonic() - self.began
        return f"[{elapsed:3.0f} s, {max(0.0, self.total - elapsed):3.0f} s left] {self.what}"

    def _draw(self):
        if self.is_terminal:
            print(f"\r\033[K{self._line()}", end="", flush=True)

    def _end_line(self):
        if self.is_terminal and self.what:
            print(f"\r\033[K{self._line()}", flush=True)


def rate_bps(text):
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(kbit|mbit|gbit)?", text)
    value = round(float(match[1]) * UNITS[match[2] or "mbit"]) if match else 0
    if not RATE_RANGE[0] <= value <= RATE_RANGE[1]:
        raise argparse.ArgumentTypeError(f"'{text}' is not a rate from 1mbit to 1gbit")
    return value


def loaded_seconds(text):
    if not text.isdigit() or not 6 <= int(text) <= 3600:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of seconds from 6 to 3600")
    return int(text)


def directory_to_be(text):
    existing = os.path.abspath(text)
    while not os.path.lexists(existing):
        existing = os.path.dirname(existing)
    if not os.path.isdir(existing) or not os.access(existing, os.W_OK):
        raise argparse.ArgumentTypeError(f"'{text}' cannot be made or written to: {existing} is in the way")
    return text


def file_to_be(text):
    directory = os.path.dirname(os.path.abspath(text))
    if os.path.isdir(text) or not os.path.isdir(directory) or not os.access(directory, os.W_OK):
        raise argparse.ArgumentTypeError(f"'{text}' is not a file that can be written")
    return text


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"demo: {message}\n")


def options(arguments):
    parser = Parser(prog="scripts/demo", formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__,
                    epilog="Needs root. Installs missing Debian packages (and says so first), builds into build/, leaves\n"
                           "nothing else behind but --out and --json. The modem's line is 9/8 of --rate, its buffer 600 ms.")
    parser.add_argument("--seconds", type=loaded_seconds, default=30, metavar="N",
                        help="length of each loaded phase, 6 to 3600 (30)")
    parser.add_argument("--rate", type=rate_bps, default=rate_bps("40mbit"), metavar="RATE",
                        help="what sojourn shapes to, 1mbit to 1gbit (40mbit)")
    parser.add_argument("--cc", choices=("cubic", "bbr"), default="cubic", help="the senders' congestion control (cubic)")
    parser.add_argument("--ecn", choices=("on", "off"), default="on", help="do the end hosts negotiate ECN (on)")
    parser.add_argument("--out", type=directory_to_be, default="out", metavar="DIR", help="where demo.png and demo.svg go (out)")
    parser.add_argument("--json", type=file_to_be, metavar="FILE", help="write the figures there")
    return parser.parse_args(arguments)


def lab_paths(rate):
    line_bps = rate * 9 // 8
    return ({"port": "outside", "rate": f"{line_bps // 1000}kbit",
             "buffer": f"{line_bps * MODEM_BUFFER_MS // 8000}b", "delay": f"{DELAY_MS}ms"},
            {"port": "inside", "delay": f"{DELAY_MS}ms"})


def egress(rate, is_shaped):
    return {"preset": "gateway", "rate": f"{rate // 1000}kbit" if is_shaped else "unlimited", "ecn": True}


class Demo:
    def __init__(self, asked, pair, progress):
        self.asked, self.pair, self.progress = asked, pair, progress
        self.trips, self.figures, self.complaints = {}, {}, []
        self.driver = None
        self.mbufs_returned = self.is_conserved = True

    def run(self):
        pair, asked = self.pair, self.asked
        pair.create()
        for end in (pair.client, pair.server):
            # Metrics are not kept, so that the second upload does not begin with what the first has learnt.
            end.sysctl(tcp_ecn="1" if asked.ecn == "on" else "0", tcp_no_metrics_save="1")
        self.probe = traffic.Probe(pair.client, pair.server, pair.server.ipv4)
        self._with_daemon("before", self._idle_and_before)
        self._with_daemon("after", lambda daemon: self._loaded(daemon, "after"))
        self.progress.done()

    def _with_daemon(self, phase, body):
        self.progress.say("starting sojournd " + ("without shaping" if phase == "before" else "with shaping"))
        daemon = self._start(phase)
        body(daemon)
        self.progress.wait(SETTLE_SECONDS)
        self._judge(daemon.stats(), phase)
        code = daemon.stop()
        if code != 0:
            self.complaints.append(f"{phase}: sojournd ended with exit code {code}: {daemon.last_words()}")

    def _start(self, phase):
        def start(driver):
            text = sojournd.configuration(self.pair, driver, egress(self.asked.rate, phase == "after"),
                                          lab_paths(self.asked.rate))
            daemon = sojournd.Sojournd(self.pair, text, phase)
            daemon.start()
            return daemon
        if self.driver:
            return start(self.driver)
        daemon, self.driver, reasons = sojournd.first_driver_that_works(start)
        for reason in reasons:
            print(f"\nAF_XDP does not work here, so AF_PACKET is used ({reason})", flush=True)
        return daemon

    def _idle_and_before(self, daemon):
        self.progress.say(f"idle: the probe alone, {IDLE_SECONDS} s")
        self.probe.start(IDLE_SECONDS)
        self.progress.wait(IDLE_SECONDS)
        self._keep("idle", self.probe.result(IDLE_SECONDS))
        self._loaded(daemon, "before")

    def _loaded(self, daemon, phase):
        asked = self.asked
        how = "no shaping" if phase == "before" else f"shaped to {asked.rate / 1e6:g} Mbit/s"
        self.progress.say(f"{phase}: {FLOWS} {asked.cc} uploads and the probe, {how}, {asked.seconds} s")
        bulk = traffic.Bulk(self.pair, FLOWS, asked.cc)
        bulk.start(asked.seconds)
        self.probe.start(asked.seconds)
        self.progress.wait(asked.seconds)
        self._keep(phase, self.probe.result(asked.seconds))
        figures = self.figures[phase]
        figures["goodput_mbit"] = round(bulk.goodput_mbit(asked.seconds, SLOW_START_SECONDS), 3)
        stats = daemon.stats()
        egress_counters = sojournd.egress(stats)
        figures["modem_drops"] = sum(path["drops"]["overflow"] for path in stats.get("lab", ())
                                     if path["port"] == "outside")
        figures["drops"] = sum(egress_counters["drops"].values())
        figures["marks"] = sum(egress_counters["marks"].values())
        figures["sojourn_ms"] = {key: round(egress_counters["sojourn_ns"][key] / 1e6, 3)
                                 for key in ("p50", "p95", "p99", "max")}

    def _keep(self, phase, trips):
        arrived = [rtt for _, rtt in trips if rtt is not None]
        if not arrived:
            raise process.CommandFailed(f"{phase}: no probe came back; nothing passes the wire")
        self.trips[phase] = trips
        self.figures[phase] = {"rtt_ms": traffic.percentiles(arrived), "probes": len(trips),
                               "probes_lost": len(trips) - len(arrived)}

    def _judge(self, stats, phase):
        for wrong in sojournd.unconserved(stats):
            self.is_conserved = False
            self.complaints.append(f"{phase}: {wrong}")
        astray = sojournd.buffers_astray(stats)
        if astray > RING_SLACK:
            self.mbufs_returned = False
            self.complaints.append(f"{phase}: {astray} packet buffers are still out, at rest")

    def summary(self):
        asked = self.asked
        return {**self.figures, "rate_mbit": asked.rate / 1e6, "cc": asked.cc, "ecn": asked.ecn == "on",
                "device": self.driver, "seconds": asked.seconds, "mbufs_returned": self.mbufs_returned,
                "conservation": self.is_conserved, "rtt_source": "irtt (UDP, every 20 ms)",
                "goodput_source": f"iperf3 receivers' payload from second {SLOW_START_SECONDS} to {asked.seconds}"}


def table(figures, rate):
    phases = ("idle", "before", "after")
    def row(name, value):
        cells = [value(figures[phase]) for phase in phases]
        return f"{name:<24}" + "".join(f"{'-' if cell is None else cell:>12}" for cell in cells)
    milliseconds = lambda group, key: lambda f: f"{f[group][key]:.1f}" if group in f else None
    count = lambda key: lambda f: f.get(key)
    names = (("p50", "p50"), ("p95", "p95"), ("p99", "p99"), ("worst", "max"))
    return "\n".join([
        " " * 24 + "".join(f"{phase:>12}" for phase in phases),
        *(row(f"RTT {name} [ms]", milliseconds("rtt_ms", key)) for name, key in names),
        row("probes lost", lambda f: f"{f['probes_lost']}/{f['probes']}"),
        row("goodput [Mbit/s]", lambda f: f"{f['goodput_mbit']:.1f}" if "goodput_mbit" in f else None),
        row("dropped by the modem", count("modem_drops")),
        row("dropped by sojourn", count("drops")),
        row("ECN-marked by sojourn", count("marks")),
        *(row(f"in sojourn, {name} [ms]", milliseconds("sojourn_ms", key)) for name, key in names),
        f"goodput: the receivers' payload after the first {SLOW_START_SECONDS} s; RTT: irtt, UDP every 20 ms, "
        f"all of the phase; shaped to {rate / 1e6:g} Mbit/s"])


def set_up():
    """scripts/setup, in the foreground's place: its output is ours, an interruption ends it."""
    child = process.spawn([os.path.join(sojournd.ROOT, "scripts", "setup")])
    try:
        code = child.wait()
    finally:
        if child.poll() is None:
            process.stop(child, grace=120)  # it does not abandon a package that is being unpacked
    if code != 0:
        raise process.CommandFailed("scripts/setup failed")


def need_congestion_control(name):
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="ascii") as f:
        if name in f.read().split():
            return
    try:
        process.run("modprobe", f"tcp_{name}")
    except (OSError, process.CommandFailed):
        raise process.CommandFailed(f"this kernel has no TCP {name}") from None


def publish(demo, asked):
    os.makedirs(asked.out, exist_ok=True)
    from lab import picture
    picture.draw(asked.out, demo.trips, demo.figures,
                 f"{FLOWS} TCP {asked.cc} uploads over a {asked.rate * 9 / 8e6:g} Mbit/s line "
                 f"with a {MODEM_BUFFER_MS} ms buffer", f"{asked.rate / 1e6:g} Mbit/s")
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as f:
            json.dump(demo.summary(), f, indent=2)
            f.write("\n")
    print(f"\n{table(demo.figures, asked.rate)}\n\npicture: {asked.out}/demo.png, {asked.out}/demo.svg"
          f"   ports: {demo.driver}" + (f"   figures: {asked.json}" if asked.json else ""))
    for complaint in demo.complaints:
        print(f"demo: {complaint}", file=sys.stderr)
    return 1 if demo.complaints else 0


def main(arguments):
    asked = options(arguments)
    if os.geteuid() != 0:
        print("demo: needs root, for network namespaces and raw access to their interfaces.", file=sys.stderr)
        return 1
    interruption.install()
    pair = namespaces.Pair("demo")
    try:
        with interruption.always(pair.close):
            set_up()
            need_congestion_control(asked.cc)
            total = IDLE_SECONDS + 2 * (asked.seconds + SETTLE_SECONDS + START_SECONDS)
            demo = Demo(asked, pair, Progress(total))
            demo.run()
            return publish(demo, asked)
    except interruption.Interrupted as interrupted:
        print(f"\ndemo: interrupted ({interrupted}); everything is put away.", file=sys.stderr)
        return interrupted.exit_code
    except (process.CommandFailed, sojournd.SojourndFailed, OSError) as error:
        print(f"\ndemo: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
