"""Includes point down: control -> dataplane -> sched, control -> config -> sched."""
import re

import sources

MAY_INCLUDE = {"sched": {"sched"}, "config": {"config", "sched"}, "dataplane": {"dataplane", "sched"},
               "control": {"control", "config", "dataplane", "sched"}}
TOOL = {"sojourn.cc", "command_line.cc", "command_line.h", "daemon_options.cc", "daemon_options.h", "check.cc", "check.h", "client.cc", "client.h", "import.cc", "import.h", "keys.cc", "keys.h", "show.cc", "show.h", "sim.cc", "sim.h"}
INCLUDE = re.compile(r'#include\s+[<"]((\w+)[^>"]*)[>"]')


def check(_):
    faults = []
    for path in sources.cpp(*sources.ROOMS):
        room = path.parts[0]
        for number, line in sources.lines(path):
            found = INCLUDE.match(line)
            if not found:
                continue
            header, first = found.groups()
            if first in (*sources.ROOMS, "tests", "bench") and first not in MAY_INCLUDE[room]:
                faults.append(f"{path}:{number}: {room} must not include {header}")
            if header.startswith("rte_") and room in ("sched", "config"):
                faults.append(f"{path}:{number}: {room} must not know DPDK")
            is_tool = room == "control" and (path.name in TOOL or path.parts[1] in ("import", "reference", "sim"))
            if is_tool and (first == "dataplane" or header.startswith("rte_")):
                faults.append(f"{path}:{number}: the tool links no DPDK")
    return faults
