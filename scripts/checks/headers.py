"""Each header compiles alone."""
import concurrent.futures
import os
import shlex
import subprocess

import sources


def flags():
    packages = ["libdpdk", "libconfig++", "spdlog", "fmt"]
    text = subprocess.run(["pkg-config", "--cflags", *packages], capture_output=True, text=True, check=True).stdout
    return [*shlex.split(text), "-march=native", "-std=c++20", "-I.", "-w", "-fsyntax-only", "-x", "c++",
            '-DSOJOURN_VERSION=""']


def compile_alone(path, arguments):
    run = subprocess.run(["c++", *arguments, str(path)], capture_output=True, text=True, check=False)
    first = next((line for line in run.stderr.splitlines() if "error" in line), "does not compile alone")
    return [] if run.returncode == 0 else [first]


def check(_):
    arguments = flags()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda p: compile_alone(p, arguments),
                           [p for p in sources.cpp(*sources.ROOMS) if p.suffix == ".h"])
        return [fault for faults in results for fault in faults]
