"""Two namespaces, `client` and `server`, each at the end of a veth pair whose other end is a port for sojournd.

    client eth0 --- sj<pid>i [sojournd: inside, outside] sj<pid>o --- eth0 server

Everything bears the process id of its owner, so that what a killed run left behind is known and removed by the next.
"""
import contextlib
import ctypes
import os
import re
import shutil
import socket

from . import process
from .process import CommandFailed, run

RUN = "/run"
NETNS = "/run/netns"
BPF_XDP = "/sys/fs/bpf/xdp"
EAL_RUN = "/run/dpdk"
DAEMONS = "daemons"  # in the run's directory: the process ids of every sojournd that was started
_NETNS_IS_OURS = "netns-mount-is-ours"
_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNET = 0x40000000


class Namespace:
    """One end. `port` is the interface in the root namespace that is given to sojournd."""

    def __init__(self, name, port, ipv4, ipv6):
        self.name, self.port, self.ipv4, self.ipv6 = name, port, ipv4, ipv6
        self.interface = "eth0"

    def create(self, mtu):
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", self.port, "numtxqueues", "1", "numrxqueues", "1", "mtu", str(mtu), "type", "veth",
            "peer", "name", self.interface, "numtxqueues", "1", "numrxqueues", "1", "mtu", str(mtu),
            "netns", self.name)
        # The kernel must not speak on sojournd's ports: with AF_PACKET it hears what sojournd hears, and
        # would answer ARP for addresses of its own.
        with open(f"/proc/sys/net/ipv6/conf/{self.port}/disable_ipv6", "w", encoding="ascii") as f:
            f.write("1")
        # What arrives at sojournd must be what a wire carries: whole checksums, no super-packets, tags in the frame.
        run(*self.enter("ethtool", "-K", self.interface, *_OFFLOADS_OFF), check=False)
        run("ethtool", "-K", self.port, *_OFFLOADS_OFF, check=False)
        run("ip", "link", "set", self.port, "arp", "off", "up")
        run("ip", "-n", self.name, "link", "set", "lo", "up")
        run("ip", "-n", self.name, "link", "set", self.interface, "up")
        run("ip", "-n", self.name, "address", "add", f"{self.ipv4}/24", "dev", self.interface)
        run("ip", "-n", self.name, "address", "add", f"{self.ipv6}/64", "dev", self.interface, "nodad")

    def set_mtu(self, mtu):
        run("ip", "link", "set", self.port, "mtu", str(mtu))
        run("ip", "-n", self.name, "link", "set", self.interface, "mtu", str(mtu))

    def sysctl(self, **settings):
        for key, value in settings.items():
            run(*self.enter("sysctl", "-q", "-w", f"net.ipv4.{key}={value}"))

    def enter(self, *command):
        return ("nsenter", f"--net={NETNS}/{self.name}", "--", *command)

    def spawn(self, *command, **options):
        """Starts a generator or a receiver of traffic. Measured with it are the wires, not whoever else is computing."""
        options.setdefault("cpus", process.generator_cpus())
        child = process.spawn(self.enter(*command), **options)
        process.raise_session(child.pid, -10)
        return child

    def run(self, *command, **options):
        return run(*self.enter(*command), **options)

    def raw_socket(self):
        """A socket for whole frames on this end; its own transmissions are not heard back."""
        with self.inside():
            raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL))
            raw.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
            raw.bind((self.interface, _ETH_P_ALL))
        return raw

    def proc_net(self, name):
        """A file of the namespace's /proc/net, open for reading."""
        with self.inside():
            return open(f"/proc/thread-self/net/{name}", encoding="ascii")

    @contextlib.contextmanager
    def inside(self):
        """What this thread opens in the body belongs to the namespace, also afterwards."""
        with open("/proc/self/ns/net", "rb") as home, open(f"{NETNS}/{self.name}", "rb") as there:
            _set_namespace(there)
            try:
                yield
            finally:
                _set_namespace(home)


_OFFLOADS_OFF = tuple(word for feature in ("rx", "tx", "tso", "gso", "gro", "rxvlan", "txvlan")
                      for word in (feature, "off"))
_ETH_P_ALL, _SOL_PACKET, _PACKET_IGNORE_OUTGOING = 3, 263, 23


def _set_namespace(handle):
    if _libc.setns(handle.fileno(), _CLONE_NEWNET) != 0:
        raise CommandFailed(f"cannot enter a network namespace: {os.strerror(ctypes.get_errno())}")


class Pair:
    """The two namespaces and a directory for this run's files. close() leaves nothing, however far create() came."""

    def __init__(self, purpose, mtu=1500):
        self.purpose, self.mtu, self.pid = purpose, mtu, os.getpid()
        stem = f"sojourn-{purpose}-{self.pid}"
        self.directory = os.path.join(RUN, stem)
        self.client = Namespace(f"{stem}-client", f"sj{self.pid}i", "192.0.2.1", "2001:db8::1")
        self.server = Namespace(f"{stem}-server", f"sj{self.pid}o", "192.0.2.2", "2001:db8::2")

    def create(self):
        missing = [tool for tool in ("ip", "ethtool", "nsenter", "sysctl") if shutil.which(tool) is None]
        if missing:
            raise CommandFailed(f"missing: {', '.join(missing)} (scripts/setup installs what is needed)")
        clean_stale()
        os.makedirs(self.directory, mode=0o700)
        with open(os.path.join(self.directory, "owner"), "w", encoding="ascii") as f:
            f.write(str(process.start_time(self.pid)))
        if not _is_netns_mounted():
            open(os.path.join(self.directory, _NETNS_IS_OURS), "wb").close()
        for namespace in (self.client, self.server):
            namespace.create(self.mtu)

    def close(self):
        process.end(process.children())
        _remove_traces(self.pid)


def _remove_traces(pid):
    """Removes every namespace, interface, pinned program and file of the run with this process id."""
    for name in _names(NETNS, rf"sojourn-[a-z]+-{pid}-[a-z]+"):
        process.end(int(p) for p in run("ip", "netns", "pids", name, check=False).split())
    for port in _names("/sys/class/net", rf"sj{pid}[io]"):
        with open(f"/sys/class/net/{port}/ifindex", encoding="ascii") as f:
            index = f.read().strip()
        for pinned in _names(BPF_XDP, rf"dispatch-{index}-\d+"):
            shutil.rmtree(os.path.join(BPF_XDP, pinned), ignore_errors=True)
        run("ip", "link", "delete", port, check=False)
    for name in _names(NETNS, rf"sojourn-[a-z]+-{pid}-[a-z]+"):
        run("ip", "netns", "delete", name, check=False)
    for name in _names(RUN, rf"sojourn-[a-z]+-{pid}"):
        directory = os.path.join(RUN, name)
        if os.path.exists(os.path.join(directory, _NETNS_IS_OURS)):
            _undo_netns_mount()
        for daemon in read_lines(os.path.join(directory, DAEMONS)):
            shutil.rmtree(f"{EAL_RUN}/sojourn-{daemon}", ignore_errors=True)
        shutil.rmtree(directory, ignore_errors=True)


def _is_netns_mounted():
    # Not os.path.ismount: a directory bound to itself looks like its parent's.
    return any(line.split()[4] == NETNS for line in read_lines("/proc/self/mountinfo"))


def _undo_netns_mount():
    """`ip netns add` mounts its directory over itself and never undoes it."""
    if _is_netns_mounted() and not os.listdir(NETNS):
        run("umount", NETNS, check=False)
        with contextlib.suppress(OSError):
            os.rmdir(NETNS)


def clean_stale():
    """Removes what runs left that were killed. Returns their process ids."""
    owners = set()
    for where, pattern in ((NETNS, r"sojourn-[a-z]+-(\d+)-[a-z]+"), (RUN, r"sojourn-[a-z]+-(\d+)"),
                           ("/sys/class/net", r"sj(\d+)[io]")):
        owners |= {int(re.fullmatch(pattern, name)[1]) for name in _names(where, pattern)}
    stale = {pid for pid in owners if not _is_running(pid)}
    for pid in stale:
        _remove_traces(pid)
    return stale


def _is_running(pid):
    started = process.start_time(pid)
    for directory in _names(RUN, rf"sojourn-[a-z]+-{pid}"):
        try:
            with open(os.path.join(RUN, directory, "owner"), encoding="ascii") as f:
                return f.read() == str(started)
        except OSError:
            continue
    return started is not None and pid == os.getpid()


def read_lines(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read().splitlines()
    except OSError:
        return []


def _names(directory, pattern):
    try:
        return [name for name in os.listdir(directory) if re.fullmatch(pattern, name)]
    except OSError:
        return []
