"""What the documentation tells people to write: configurations are valid, commands and options exist."""
import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(os.environ["SOJOURN_BUILD"], "control", "sojourn")
PAGES = [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "docs", "*.md")))]
MOST_LINES = 10  # of the configuration that a newcomer writes


def blocks(page):
    with open(page, encoding="utf-8") as f:
        return re.findall(r"^```\w*\n(.*?)^```", f.read(), re.MULTILINE | re.DOTALL)


def run(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False, timeout=20)


class Docs(unittest.TestCase):
    def test_every_configuration_is_valid(self):
        count = 0
        for page in PAGES:
            for text in (block for block in blocks(page) if block.startswith("ports =")):
                with self.subTest(page=page), tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
                    file.write(text)
                    file.flush()
                    checked = run("check", file.name)
                    self.assertEqual(checked.returncode, 0, checked.stderr)
                    count += 1
        self.assertGreaterEqual(count, 4)

    def test_the_quick_start_limits_an_interface_in_ten_lines(self):
        first = next(block for block in blocks(PAGES[0]) if block.startswith("ports ="))
        self.assertLessEqual(len(first.splitlines()), MOST_LINES)
        self.assertRegex(first, r'rate = "\d+mbit"')

    def test_every_command_and_option_exists(self):
        count = 0
        for page in PAGES:
            for line in "".join(blocks(page)).splitlines():
                used = re.match(r"(?:\$ )?(?:build/control/)?sojourn ([a-z].*)", re.split(" [#>|]| && ", line)[0])
                if not used:
                    continue
                commands = []
                for word in used[1].split():
                    if not re.fullmatch("[a-z0-9]+", word) or run(*commands, word, "--help").stdout in ("", run(*commands, "--help").stdout):
                        break
                    commands.append(word)
                with self.subTest(line=line):
                    self.assertTrue(commands, "no such command")
                    text = run(*commands, "--help").stdout
                    for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", used[1]):
                        self.assertRegex(text, rf"(?<![\w-]){option}\b")
                    count += 1
        self.assertGreater(count, 20)

    def test_pages_for_the_three_users_are_short(self):
        for name in ("edge", "gateway", "lab"):
            with open(os.path.join(ROOT, "docs", f"{name}.md"), encoding="utf-8") as f:
                self.assertLessEqual(len(f.readlines()), 60)


if __name__ == "__main__":
    unittest.main(verbosity=1, argv=[sys.argv[0], *sys.argv[1:]])
