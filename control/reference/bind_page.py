"""Writes sojourn-bind's manual page from its own parser of arguments: bind_page.py SCRIPT VERSION."""
import argparse
import importlib.machinery
import importlib.util
import sys


def roff(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def term(action):
    value = action.metavar or ("|".join(action.choices) if action.choices else "")
    names = ", ".join(f"\\fB{roff(name)}\\fR" for name in action.option_strings)
    return " ".join(part for part in (names, f"\\fI{roff(value)}\\fR" if value else "") if part)


def page(parser, version):
    first, _, rest = parser.description.partition(": ")
    purpose = (first[0].lower() + first[1:]) if rest else "give network cards to DPDK"
    lines = [f'.TH SOJOURN\\-BIND 8 "" "sojourn {version}" "System Administration"', ".SH NAME",
             f"sojourn\\-bind \\- {roff(purpose)}", ".SH SYNOPSIS", "\\fBsojourn\\-bind\\fR [\\fIOPTIONS\\fR] \\fINIC\\fR...",
             ".SH DESCRIPTION", roff(parser.description), ".SH OPTIONS"]
    for action in parser._actions:  # the one place where argparse has them all
        if action.help != argparse.SUPPRESS:
            lines += [".TP", term(action), roff(action.help)]
    lines += [".SH FILES", ".TP", "\\fI/run/sojourn\\-bind.json\\fR", "what \\fB\\-\\-undo\\fR goes back to",
              ".SH EXIT CODE", "0; 1 refused, with every reason on standard error; 2 wrong usage.",
              ".SH SEE ALSO", "sojournd(8), sojourn.conf(5)"]
    return "\n".join(lines) + "\n"


def main():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("bind", sys.argv[1])
    bind = importlib.util.module_from_spec(importlib.util.spec_from_loader("bind", loader))
    loader.exec_module(bind)
    sys.stdout.write(page(bind.parser(), sys.argv[2]))


if __name__ == "__main__":
    main()
