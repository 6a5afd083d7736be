"""A file is a concept and bears its name; nothing unfinished, no machine's paths, no sleep in virtual time."""
import re

import sources

EMPTY_NAMES = re.compile(r"^(utils?|common|helpers?|misc|managers?)$")
MOST_LINES = 450
MACHINE_IS_MEANT = {"debian/copyright"}  # its first line names its format by an address
LONG = {"tests/dataplane/lab_path_test.cc"}  # one concept, many laws
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
MACHINE = re.compile(r"/(home|wor" r"k|ro" r"ot)/\w|://[\w.]*(debian|npmjs)")
SLEEP = re.compile(r"sleep_for|usleep\(|\bsleep\(")
VIRTUAL_TIME = ("sched", "config", "sim", "dataplane", "control")


def check(_):
    faults = []
    for path in sources.tracked():
        for part in (*path.parts[:-1], path.stem):
            if EMPTY_NAMES.match(part):
                faults.append(f"{path}:1: \"{part}\" names no concept")
        if path.suffix not in (".h", ".cc", ".py", ".md", ".build", ".conf", ""):
            continue
        count = 0
        in_virtual_time = path.parts[0] == "tests" and len(path.parts) > 2 and path.parts[1] in VIRTUAL_TIME
        for count, line in sources.lines(path):
            if UNFINISHED.search(line):
                faults.append(f"{path}:{count}: unfinished")
            if MACHINE.search(line) and str(path) not in MACHINE_IS_MEANT:
                faults.append(f"{path}:{count}: a path or host of some machine")
            if in_virtual_time and SLEEP.search(line):
                faults.append(f"{path}:{count}: sleeps")
        if path.suffix in (".h", ".cc", ".py") and count > MOST_LINES and str(path) not in LONG:
            faults.append(f"{path}:{count}: more than {MOST_LINES} lines; is it one concept?")
    return faults
