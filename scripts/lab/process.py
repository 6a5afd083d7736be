"""Child processes that cannot outlive this one."""
import ctypes
import os
import signal
import subprocess
import time

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


class CommandFailed(Exception):
    """A command did not do its work. The text is one sentence for the operator."""


def _as_child(cpus):
    def prepare():
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if cpus:
            os.sched_setaffinity(0, cpus)
    return prepare


def spawn(command, cpus=None, **options):
    """Starts a command in a session of its own (the terminal's Ctrl-C is ours to pass on), killed if we are."""
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.Popen(command, start_new_session=True, preexec_fn=_as_child(cpus), **options)


def raise_session(pid, nice=-20):
    """Gives a session the CPU before others. Where the kernel groups processes by session (autogroup), a nice value
    counts only within one: without this the worker would share its CPU by halves with any compiler run."""
    try:
        with open(f"/proc/{pid}/autogroup", "w", encoding="ascii") as f:
            f.write(str(nice))
    except OSError:
        pass  # no such grouping in this kernel, or the process has ended


def run(*command, check=True, timeout=20):
    """Runs a short command to its end and returns what it said."""
    child = spawn(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        said, _ = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise CommandFailed(f"'{' '.join(command)}' did not end within {timeout} s") from None
    finally:
        stop(child, grace=0)
    if check and child.returncode != 0:
        raise CommandFailed(f"'{' '.join(command)}' failed: {last_line(said) or child.returncode}")
    return said


def stop(child, grace=5.0):
    """SIGTERM, and after `grace` seconds SIGKILL. Returns the exit code."""
    if child.poll() is None and grace > 0:
        child.terminate()
        try:
            child.wait(grace)
        except subprocess.TimeoutExpired:
            pass
    if child.poll() is None:
        child.kill()
        child.wait()
    for stream in (child.stdout, child.stderr):
        if stream:
            stream.close()
    return child.returncode


def children():
    """The processes whose parent is this one, among them any whose start was interrupted half-way."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and parent_of(int(entry)) == os.getpid():
            found.append(int(entry))
    return found


def end(pids, grace=5.0):
    """SIGTERM to all, SIGKILL to those that are still there after `grace` seconds; returns when none is."""
    pids = list(pids)
    for number, seconds in ((signal.SIGTERM, grace), (signal.SIGKILL, 5.0)):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        wait_until(lambda: not [pid for pid in pids if _is_there(pid)], seconds)


def _is_there(pid):
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        pass  # not ours, or already waited for
    return start_time(pid) is not None


def _stat(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            return f.read().rpartition(")")[2].split()
    except OSError:
        return None


def parent_of(pid):
    fields = _stat(pid)
    return int(fields[1]) if fields else None


def start_time(pid):
    """When a process started, in ticks since boot: with its id, names it for good. None if there is none."""
    fields = _stat(pid)
    return int(fields[19]) if fields and fields[0] != "Z" else None


def wait_until(is_met, seconds, period=0.02):
    end = time.monotonic() + seconds
    while not is_met():
        if time.monotonic() > end:
            return False
        time.sleep(period)
    return True


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def generator_cpus():
    """Where traffic is made: everywhere but on the last CPU, which is the worker's, if there is more than one."""
    cpus = sorted(os.sched_getaffinity(0))
    return set(cpus[:-1]) or set(cpus)
