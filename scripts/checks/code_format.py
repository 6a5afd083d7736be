"""clang-format, with the project's style."""
import shutil
import subprocess

import sources


def check(options):
    tool = shutil.which("clang-format") or shutil.which("clang-format-14")
    if tool is None:
        print("skip format: there is no clang-format")
        return []
    files = [str(p) for p in sources.cpp()]
    if options.fix:
        subprocess.run([tool, "-i", *files], check=True)
    run = subprocess.run([tool, "--dry-run", "-Werror", *files], capture_output=True, text=True, check=False)
    return [line for line in run.stderr.splitlines() if " error: " in line]
