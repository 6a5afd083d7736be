"""clang-tidy on the sources that changed since --base."""
import os
import shutil
import subprocess


def check(options):
    tool = shutil.which("clang-tidy") or shutil.which("clang-tidy-14")
    if tool is None or not os.path.exists(f"{options.build}/compile_commands.json"):
        print("skip tidy: there is no clang-tidy, or no build directory")
        return []
    changed = subprocess.run(["git", "diff", "--name-only", "--diff-filter=d", options.base, "--", "sched", "config",
                              "dataplane", "control"], capture_output=True, text=True, check=True).stdout.split()
    faults = []
    for path in [p for p in changed if p.endswith(".cc")]:
        run = subprocess.run([tool, "-p", options.build, "--quiet", "--warnings-as-errors=*", path], capture_output=True,
                             text=True, check=False)
        faults += [line for line in run.stdout.splitlines() if " error: " in line]
    return faults
