"""The house rules, one line each: "ok NAME", or "FAIL NAME: file:line: why". Exit code 1 when one fails."""
import argparse
import os
import sys

import code_format
import headers
import layers
import names
import packet_path
import tidy

CHECKS = {"layers": layers.check, "names": names.check, "format": code_format.check, "packet-path": packet_path.check,
          "headers": headers.check}


def main():
    parser = argparse.ArgumentParser(prog="check", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join([*CHECKS, 'tidy'])}; default: all but tidy")
    parser.add_argument("--fix", action="store_true", help="let the format check rewrite the files")
    parser.add_argument("--base", default="HEAD~1", help="tidy: look at the files changed since this revision")
    parser.add_argument("--build", default=os.environ.get("MESON_BUILD_ROOT", "build"), help="build directory (packet-path, tidy)")
    options = parser.parse_args()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    wanted = options.names or list(CHECKS)
    unknown = [name for name in wanted if name not in CHECKS and name != "tidy"]
    if unknown:
        parser.error(f"there is no check {unknown[0]}")
    failed = False
    for name in wanted:
        check = CHECKS.get(name, tidy.check)
        faults = check(options)
        failed = failed or bool(faults)
        for fault in faults:
            print(f"FAIL {name}: {fault}")
        if not faults:
            print(f"ok {name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
