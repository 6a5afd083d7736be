"""Breaks the laws of sched/ one at a time, as mutations.txt lists them, each in a copy of the tree, and runs the tests
that the change can reach until one fails. Prints for each: killed and by which test, survived, explained (survived, and
the table says why nothing could tell), or an error of the table. Exit code: 0 every mutant is killed or explained, 1 one
survived, 2 the table does not fit the sources."""
import argparse
import concurrent.futures
import os
import pathlib
import sys
import tempfile
import time

import programs
import table

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUICK = {f"sched/{name}" for name in ("codel.h", "pacer.h", "flow_table.cc", "flow.h", "fat_flows.h", "scheduler.h")}
TABLE = pathlib.Path(__file__).with_name("mutations.txt")


def outcome_of(mutation, base, work, tests):
    """("killed"|"survived"|"explained"|"error", a word for people)."""
    killer = programs.first_failure(mutation, base, work, tests)
    if isinstance(killer, programs.DoesNotBuild):
        return "error", f"does not build: {killer}"
    if killer is not None and mutation.reason:
        return "error", f"killed by {killer}, and yet the table explains why it survives"
    if killer is not None:
        return "killed", f"by {killer}"
    return ("explained", mutation.reason) if mutation.reason else ("survived", "no test fails")


def run_all(mutations, jobs, tests):
    counts = {"killed": 0, "survived": 0, "explained": 0, "error": 0}
    with tempfile.TemporaryDirectory(prefix="mutate-") as scratch:
        scratch = pathlib.Path(scratch)
        base = programs.Base(ROOT, scratch / "base")
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            futures = [(m, pool.submit(outcome_of, m, base, scratch / str(i), tests)) for i, m in enumerate(mutations)]
            for mutation, future in futures:
                outcome, word = future.result()
                counts[outcome] += 1
                print(f"{outcome.upper() if outcome in ('survived', 'error') else outcome:9} {mutation.name}: {word}",
                      flush=True)
    return counts


def main():
    parser = argparse.ArgumentParser(prog="mutate", description=__doc__)
    parser.add_argument("--only", metavar="PATTERN", help="those whose \"file:line law\" contains this")
    parser.add_argument("--quick", action="store_true", help="a handful, for CI")
    parser.add_argument("--tests", type=lambda text: text.split(","), metavar="NAME,...",
                        help=f"of {', '.join(programs.NAMES)}; default: all, in this order, until one fails")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at once; default: one a core")
    parser.add_argument("--list", action="store_true", help="print them and do nothing")
    options = parser.parse_args()
    unknown = set(options.tests or []) - set(programs.NAMES)
    if unknown:
        parser.error(f"there is no test {min(unknown)}")
    mutations, faults = table.read(TABLE, ROOT)
    for fault in faults:
        print(f"mutate: {fault}", file=sys.stderr)
    if faults:
        return 2
    if options.only:
        mutations = [m for m in mutations if options.only in m.name]
    if options.quick:
        mutations = list({m.file: m for m in reversed(mutations) if m.file in QUICK and not m.reason}.values())[::-1]
    if not mutations:
        parser.error(f"no mutation's name contains \"{options.only}\"")
    if options.list:
        print(*(m.name for m in mutations), sep="\n")
        return 0
    start = time.monotonic()
    counts = run_all(mutations, options.jobs, options.tests or programs.NAMES)
    print(f"{counts['killed']} killed, {counts['survived']} survived, {counts['explained']} explained"
          + (f", {counts['error']} errors" if counts["error"] else "") + f" in {time.monotonic() - start:.0f} s")
    return 2 if counts["error"] else 1 if counts["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
