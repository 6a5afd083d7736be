"""Nothing forbidden on the packet path: looks at the machine code of the functions named in packet_path.txt."""
import pathlib
import re
import subprocess

FORBIDDEN_CALL = re.compile(r"<(malloc|calloc|realloc|free|operator new|operator delete|__cxa_(?!pure)|_Unwind|pthread_"
                            r"|syscall|read|write|printf|fprintf|snprintf|fmt::|spdlog::|std::__throw)\b")
DIVISION = re.compile(r"^i?div[bwlq]?$")
FLOATING = re.compile(r"^v?(add|sub|mul|div|sqrt|fmadd\w*|cvt\w+)(ss|sd|ps|pd)|^vcvt|^cvt(si|ss|sd)")
OBJECTS = ("dataplane/libdataplane.a", "dataplane/libframe.a", "dataplane/liblab_path.a", "sched/libsched.a")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
HERE = pathlib.Path(__file__).with_name("packet_path.txt")


def rules():
    functions, allowed, skipped = [], [], []
    for line in HERE.read_text(encoding="utf-8").splitlines():
        if line.startswith("allow skip "):
            skipped.append(line.removeprefix("allow skip ").split(": ")[0])
        elif line.startswith("allow "):
            _, what, rest = line.split(" ", 2)
            allowed.append((what, rest.rsplit(": ", 1)[0]))
        elif line and not line.startswith("#"):
            functions.append(line)
    return functions, allowed, skipped


def fault_in(instruction):
    """What is wrong with one line of disassembly: a kind and a word for people, or None."""
    fields = instruction.split("\t")
    if len(fields) < 3:
        return None
    words = fields[2].split() or [""]
    operation, operands = words[0], " ".join(words[1:])
    if operation in ("call", "jmp") and "<" not in operands and operands.startswith("*") and operation == "call":
        return "call-pointer", f"calls through a pointer ({operands})"
    if operation in ("call", "jmp") and FORBIDDEN_CALL.search(operands):
        return "call", f"calls {operands[operands.index('<'):]}"
    if DIVISION.match(operation):
        return "division", "divides"
    if FLOATING.match(operation):
        return "floating", f"computes in floating point ({operation})"
    return None


def check(options):
    functions, allowed, skipped = rules()
    objects = [f"{options.build}/{name}" for name in OBJECTS]
    missing = [name for name in objects if not pathlib.Path(name).exists()]
    if missing:
        print(f"skip packet-path: {missing[0]} has not been built")
        return []
    faults, seen, current = [], set(), None
    for name in objects:
        listing = subprocess.run(["objdump", "-dr", "--demangle", "--no-show-raw-insn", name], capture_output=True,
                                 text=True, check=True).stdout
        for line in listing.splitlines():
            begins = FUNCTION.match(line)
            if begins:
                current = begins.group(1).removesuffix(" [clone .cold]")
                known = next((f for f in functions if current.startswith(f)), None)
                seen.add(known)
                if known is None or "[clone .cold]" in begins.group(1) or any(s in current for s in skipped):
                    current = None
            elif current is not None:
                fault = fault_in("\t\t" + line.split("\t", 1)[1]) if "\t" in line else None
                if fault is None and "R_X86_64" in line and FORBIDDEN_CALL.search("<" + line.split()[-1]):
                    fault = "call", f"calls {line.split()[-1]}"
                if fault and not any(fault[0] == what and current.startswith(f) for what, f in allowed):
                    faults.append(f"{name}: {current.split('(')[0]}: {fault[1]}")
    absent = [f for f in functions if f not in seen and "anonymous" not in f]
    return sorted(set(faults)) + [f"{HERE}: no function is called {f}" for f in absent]
