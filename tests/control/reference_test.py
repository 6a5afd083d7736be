"""The manual pages render without a warning and say all that --help says; the completions complete."""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = os.environ["SOJOURN_BUILD"]
PAGES = os.path.join(BUILD, "control", "reference")
PROGRAMS = {"sojourn": "sojourn.1", "sojournd": "sojournd.8"}
UTF8 = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "200"}


def said(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, stdin=subprocess.DEVNULL,
                          **options)


def tool(program):
    return os.path.join(BUILD, "control", program)


def helps(program, *words):
    """What --help says of a command and of all below it."""
    text = said(tool(program), *words, "--help").stdout
    yield words, text
    listed = re.search(r"^Subcommands:\n((?:  .*\n)*)", text, re.MULTILINE)
    for line in listed[1].splitlines() if listed else ():
        if name := re.match(r"  (\S+)", line):
            yield from helps(program, *words, name[1])


def options_in(text):
    section = text.partition("\nOptions:\n")[2].partition("\n\n")[0]
    return set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", section))


class Manual(unittest.TestCase):
    def rendered(self, page):
        if shutil.which("man") is None:
            self.skipTest("there is no man")
        shown = said("man", "--warnings", "-E", "UTF-8", "-l", os.path.join(PAGES, page), env=UTF8)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        return shown.stdout.replace("\u2010", "-")

    def test_every_command_and_option_of_help_is_in_the_page(self):
        for program, page in PROGRAMS.items():
            text = self.rendered(page)
            count = 0
            for words, help_text in helps(program):
                name = " ".join((program, *words))
                self.assertIn(name, text)
                part = text[text.index(f"   {name}\n"):] if words else text
                for option in options_in(help_text):
                    self.assertRegex(part, rf"(?m)^ .*{re.escape(option)}\b", name)
                    count += 1
            self.assertGreater(count, 5)

    def test_every_key_is_in_the_page_of_the_file(self):
        text = self.rendered("sojourn.conf.5")
        keys = re.findall(r"^\| `(\w+)` \|", said(tool("sojourn"), "keys").stdout, re.MULTILINE)
        self.assertGreater(len(keys), 50)
        for key in keys:
            self.assertRegex(text, rf"(?m)^ +{key}( |$)")
        self.assertIn('{ name = "lan"; device = "net_af_xdp0,iface=eth1"; },', text)

    def test_a_page_that_is_wrong_is_noticed(self):
        with tempfile.NamedTemporaryFile("w", suffix=".1") as wrong:
            wrong.write(".TH X 1\n.SH NAME\nx \\- y\n.NOSUCHREQUEST\n")
            wrong.flush()
            with self.assertRaises(AssertionError):
                self.rendered(wrong.name)


class Bash(unittest.TestCase):
    def completed(self, line, directory=PAGES):
        """What bash offers after `line`, by asking its completion as readline would."""
        words = line.split(" ")
        script = os.path.join(PAGES, f"{words[0]}.bash")
        ask = ('source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_$1"; '
               'printf "%s\\n" "${COMPREPLY[@]}"')
        shown = said("bash", "--norc", "-c", ask, script, *words, cwd=directory)
        self.assertEqual(shown.stderr, "")
        return shown.stdout.split()

    def test_commands(self):
        self.assertLessEqual({"check", "show", "apply", "set", "replay", "keys", "sim"}, set(self.completed("sojourn ")))
        self.assertEqual(self.completed("sojourn show "), ["stats", "config"])
        self.assertEqual(self.completed("sojourn show st"), ["stats"])

    def test_options_are_those_of_the_command(self):
        self.assertEqual(set(self.completed("sojourn set -")),
                         {"-h", "--help", "--wire", "--persist", "--dry-run", "-j", "--json", "--socket"})
        self.assertIn("--log-level", self.completed("sojournd --"))

    def test_choices_at_every_place(self):
        self.assertEqual(self.completed("sojourn set e"), ["egress"])
        self.assertIn("rate", self.completed("sojourn set egress "))
        self.assertIn("rate", self.completed("sojourn set --wire home egress r"))
        self.assertEqual(self.completed("sojournd --log-level w"), ["warn"])
        self.assertEqual(self.completed("sojournd --log-level = w"), ["warn"])
        self.assertEqual(self.completed("sojourn sim tune --sender cub"), ["cubic"])

    def test_files(self):
        with tempfile.TemporaryDirectory() as directory:
            for name in ("one.conf", "two.conf"):
                open(os.path.join(directory, name), "wb").close()
            for line in ("sojourn check o", "sojournd -c o", "sojourn replay --config o", "sojourn show stats --socket o"):
                self.assertEqual(self.completed(line, directory), ["one.conf"])

    def test_every_option_of_help_completes(self):
        for program in PROGRAMS:
            for words, help_text in helps(program):
                self.assertLessEqual(options_in(help_text), set(self.completed(" ".join((program, *words, "-")))))


class Zsh(unittest.TestCase):
    """A zsh at a terminal, to which a line and a tab are typed."""

    def setUp(self):
        if shutil.which("zsh") is None:
            self.skipTest("there is no zsh")
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.environ.update(TERM="dumb", PS1="> ", COLUMNS="500", LC_ALL="C.UTF-8")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        self.addCleanup(self.end)
        self.typed("autoload -U compinit; compinit -D -u; unsetopt zle_bracketed_paste; zstyle ':completion:*' verbose no\n")
        for program in PROGRAMS:
            self.typed(f"source {PAGES}/_{program}; print re''ady\n", "ready")

    def end(self):
        os.close(self.terminal)
        os.waitpid(self.child, 0)

    def typed(self, keys, until="", seconds=10):
        """What appears after the keys, until `until` does."""
        os.write(self.terminal, keys.encode())
        text, end = "", time.monotonic() + seconds
        while until not in text or not text:
            if not select.select([self.terminal], [], [], max(0.0, end - time.monotonic()))[0]:
                self.fail(f"after {keys!r} there is no {until!r} in {text!r}")
            text += os.read(self.terminal, 65536).decode(errors="replace")
        return text

    def test_it_completes_commands_options_choices(self):
        for line, rest in (("sojourn app", "ly "), ("sojourn show sta", "ts "), ("sojourn set eg", "ress "),
                           ("sojourn set egress quan", "tum "), ("sojourn set --dry", "-run "),
                           ("sojournd --log-level w", "arn "), ("sojourn sim tune --sender cu", "bic ")):
            self.typed(line + "\t", line + rest)
            self.typed("\x15", "")


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=[sys.argv[0], *sys.argv[1:]])
