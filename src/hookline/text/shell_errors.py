"""Shell errors: which program a shell could not start, as it writes to stderr."""

from __future__ import annotations

import re

# Each such line contains one of these texts. They spare most stderr the expressions.
_HINTS = ("ot found", "o such file", "ermission denied", "annot execute", "nknown command")
_NAME = r"(?P<program>[^\s:][^:\n]*)"
_SHELL = r"(?:\S*/)?-?(?:ba|da|k|mk|pdk|z|a|fi)?sh"
_ENDS = (
    r"(?:command not found|inaccessible or not found|not found(?: \[.*\])?"
    r"|No such file or directory|Permission denied"
    r"|cannot execute(?: binary file)?: .*|cannot execute)"
)
# One expression for each family of shells. A place is a line number: `sh: 1:`, `x.sh: line 3:`,
# `x.sh[3]:`.
_FORMS = (
    # dash and bash in a script, ksh: `FILE: 3: jq: not found`, `FILE: line 3: jq: command not
    # found`
    rf"^[^\s:][^:\n]*(?:: line \d+:|: \d+:|\[\d+\]:) (?:exec: )?{_NAME}: {_ENDS}$",
    # bash at a prompt, busybox, mksh: `sh: jq: not found`
    rf"^{_SHELL}: (?:exec: )?{_NAME}: {_ENDS}$",
    # zsh: `zsh:1: command not found: jq`
    (
        r"^[^\s:][^:\n]*:\d+: (?:command not found|no such file or directory|permission denied):"
        r" (?P<program>\S.*)$"
    ),
    # fish: `fish: Unknown command: jq`
    r"^fish: Unknown command: (?P<program>\S+)$",
    # env, which starts a script for its first line: `/usr/bin/env: 'node': No such file or
    # directory`
    (
        r"^(?:/usr/bin/|/bin/)?env: ['\"\u2018]?(?P<program>[^'\"\u2019:\n]+)['\"\u2019]?:"
        r" (?:No such file or directory|Permission denied)$"
    ),
)
# How dash reports a failed redirection, which says nothing about the program.
_REDIRECTIONS = ("cannot open ", "cannot create ")


def find_missing_program(stderr: str) -> tuple[str, str] | None:
    """Return the first program that a shell could not find or start, and the line that says so.

    None if there is none.

    Only a whole line in a shell's own form counts. Text that merely contains the words does not.
    """
    if not any(hint in stderr for hint in _HINTS):
        return None

    for line in stderr.replace("\r", "\n").split("\n"):
        for form in _FORMS:
            found = re.match(form, line)
            if found is not None and not found["program"].startswith(_REDIRECTIONS):
                return found["program"], line
    return None
