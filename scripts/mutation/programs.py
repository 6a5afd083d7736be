"""The test programs of sched/, built without meson so that a mutant costs only the objects that include its file."""
import collections
import shutil
import subprocess
import threading

# Without NDEBUG: a broken assert counts. Fast to build is worth more than fast.
FLAGS = ["-std=c++20", "-O1", "-w"]
SECONDS = 60  # for one program
COMPILER = ["ccache", "c++"] if shutil.which("ccache") else ["c++"]
PARTS = ("sched", "tests/sched", "tests/golden")
MODEL = [f"tests/sched/model/{name}.cc"
         for name in ("rules", "control_law", "shaper", "codel", "places", "model", "opening", "trial")]
GTEST = ("gtest", "gtest_main", "pthread")

# In the order in which they are tried: the quick and deadly first.
PROGRAMS = [("model", ["tests/sched/soak.cc", *MODEL], (), ["1", "200000"])] + [
    (name, [f"tests/sched/{name}_test.cc"], GTEST, ["--gtest_fail_fast", "--gtest_brief=1"])
    for name in ("parameters", "flow_hash", "histogram", "pacer", "codel", "flow_queue", "codel_golden",
                 "flow_queue_golden", "shaper_golden", "laws", "bypass", "live_change")]
NAMES = [name for name, *_ in PROGRAMS]


class DoesNotBuild(str):
    """The compiler's first word."""


def library(tree):
    return sorted(str(p.relative_to(tree)) for p in (tree / "sched").glob("*.cc"))


def object_of(source):
    return source.replace("/", "_") + ".o"


def compile_one(tree, source):
    """None, or what the compiler said."""
    golden = '-DSOJOURN_GOLDEN="tests/golden"'  # programs run in their tree; no path of it may reach an object
    run = subprocess.run([*COMPILER, *FLAGS, "-I.", golden, "-MMD", "-c", source, "-o", object_of(source)], cwd=tree,
                         capture_output=True, text=True, check=False)
    if run.returncode == 0:
        return None
    return next((line for line in run.stderr.splitlines() if "error" in line), "the compiler failed")


class Base:
    """A copy of the tree as it is, with its objects; each is made when first asked for."""

    def __init__(self, root, tree):
        self.tree = tree
        self.locks = collections.defaultdict(threading.Lock)
        for part in PARTS:
            shutil.copytree(root / part, tree / part)

    def object_of(self, source):
        path = self.tree / object_of(source)
        with self.locks[source]:
            if not path.exists():
                fault = compile_one(self.tree, source)
                if fault:
                    raise SystemExit(f"mutate: the tree as it is does not build: {fault}")
        return path

    def depends(self, source, file):
        listed = self.object_of(source).with_suffix(".d").read_text(encoding="utf-8")
        return file in listed.replace("\\\n", " ").split()

    def check(self, program):
        """The tree as it is must pass, else nothing would be shown by a failure."""
        with self.locks[program[0]]:
            if not (self.tree / program[0]).exists():
                failed = run_program(self.tree, self, program)
                if failed:
                    raise SystemExit(f"mutate: the tree as it is fails {failed}")


def run_program(tree, base, program):
    """Links what `tree` has of its own with the rest from `base`, and runs it. None, or the name of what failed."""
    name, own, libraries, arguments = program
    objects = [str(p if (p := tree / object_of(s)).exists() else base.object_of(s)) for s in [*own, *library(tree)]]
    link = subprocess.run(["c++", *objects, "-o", name, *(f"-l{x}" for x in libraries)], cwd=tree, capture_output=True,
                          text=True, check=False)
    if link.returncode != 0:
        return DoesNotBuild(link.stderr.splitlines()[-1])
    try:
        run = subprocess.run([f"./{name}", *arguments], cwd=tree, capture_output=True, text=True, errors="replace",
                             timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"{name}, which does not end"
    if run.returncode == 0:
        return None
    failed = [line.split()[3] for line in run.stdout.splitlines() if line.startswith("[  FAILED  ] ") and "." in line]
    failed = failed or [line.split()[3] for line in run.stdout.splitlines() if line.startswith("[ RUN      ]")]
    return name + (f" {failed[0].rstrip(',')}" if failed else "")


def first_failure(mutation, base, tree, tests):
    """The test that kills a mutant; None when all pass; DoesNotBuild."""
    for part in PARTS:
        shutil.copytree(base.tree / part, tree / part)
    path = tree / mutation.file
    path.write_text(path.read_text(encoding="utf-8").replace(mutation.old, mutation.new), encoding="utf-8")
    try:
        stale = {s for s in library(tree) if base.depends(s, mutation.file)}
        for fault in (compile_one(tree, s) for s in sorted(stale)):
            if fault:
                return DoesNotBuild(fault)
        for program in (p for p in PROGRAMS if p[0] in tests):
            own = [s for s in program[1] if base.depends(s, mutation.file)]
            if not own and not stale:
                continue
            for fault in (compile_one(tree, s) for s in own):
                if fault:
                    return "a static_assert" if "static assertion" in fault else DoesNotBuild(fault)
            base.check(program)
            failed = run_program(tree, base, program)
            if failed is not None:
                return failed
        return None
    finally:
        shutil.rmtree(tree)
