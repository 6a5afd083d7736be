"""Which files there are: those that git tracks, or would; in a copy without git, all below."""
import pathlib
import shutil
import subprocess

ROOMS = ("sched", "config", "dataplane", "control")


def tracked():
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    git = subprocess.run(command, capture_output=True, text=True, check=False) if shutil.which("git") else None
    if git and git.returncode == 0:
        return [p for p in map(pathlib.Path, git.stdout.splitlines()) if p.is_file()]
    return [p for p in pathlib.Path(".").rglob("*") if p.is_file() and not p.parts[0].startswith("build")]


def cpp(*rooms):
    return [p for p in tracked() if p.suffix in (".h", ".cc") and (not rooms or p.parts[0] in rooms)]


def lines(path):
    return enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
