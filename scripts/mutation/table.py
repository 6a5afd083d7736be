"""Reads mutations.txt, whose head explains its format."""
import dataclasses


@dataclasses.dataclass
class Mutation:
    file: str
    law: str
    old: str = ""
    new: str = ""
    reason: str = ""  # why it survives; empty: it must be killed
    line: int = 0  # of the source, where the old text begins

    @property
    def name(self):
        return f"{self.file}:{self.line} {self.law}"


def parse(text):
    mutations = []
    parts = {"- ": [], "+ ": [], "= ": []}

    def close():
        if mutations:
            m = mutations[-1]
            m.old, m.new = "\n".join(parts["- "]), "\n".join(parts["+ "])
            m.reason = " ".join(parts["= "])
        for lines in parts.values():
            lines.clear()

    for line in text.splitlines():
        if line.startswith("@ "):
            close()
            file, law = line[2:].split(": ", 1)
            mutations.append(Mutation(file, law))
        elif line[:2] in parts:
            parts[line[:2]].append(line[2:])
    close()
    return mutations


def read(path, root):
    """(mutations, faults): a fault is a mutation whose old text does not occur exactly once in its file."""
    mutations, faults = parse(path.read_text(encoding="utf-8")), []
    for m in mutations:
        source = (root / m.file).read_text(encoding="utf-8")
        occurrences = source.count(m.old) if m.old else 0
        if occurrences != 1:
            faults.append(f"{m.file}, \"{m.law}\": the old text occurs {occurrences} times, not once: {m.old!r}")
        m.line = source[:source.find(m.old)].count("\n") + 1
    return mutations, faults
