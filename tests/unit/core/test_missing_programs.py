"""Missing programs: which program a shell could not find or start."""

from __future__ import annotations

import pytest

from hookline.core.output_faults import find_missing_program


@pytest.mark.parametrize(
    ("line", "program"),
    [
        ("sh: 1: jq: not found", "jq"),
        ("/bin/sh: 12: exec: jq: not found", "jq"),
        ("/my hooks/guard.sh: 3: ./check: Permission denied", "./check"),
        ("bash: line 1: jq: command not found", "jq"),
        ("/p/guard.sh: line 3: jq: command not found", "jq"),
        ("bash: line 1: /no/such: No such file or directory", "/no/such"),
        ("bash: line 4: ./x: cannot execute: required file not found", "./x"),
        ("bash: jq: command not found", "jq"),
        ("zsh:1: command not found: jq", "jq"),
        ("guard.zsh:3: no such file or directory: ./x", "./x"),
        ("sh: jq: not found", "jq"),
        ("guard.sh: line 2: jq: not found", "jq"),
        ("mksh: jq: inaccessible or not found", "jq"),
        ("guard.ksh[3]: jq: not found [No such file or directory]", "jq"),
        ("fish: Unknown command: jq", "jq"),
        ("/usr/bin/env: \u2018node\u2019: No such file or directory", "node"),
        ("env: node: No such file or directory", "node"),
    ],
)
def test_every_shell_names_the_program(line: str, program: str) -> None:
    """The forms of dash, bash, zsh, busybox, ksh, mksh, fish and env, also between other lines."""
    assert find_missing_program(line) == (program, line)
    assert find_missing_program(f"checking\n{line}\ndone\n") == (program, line)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "key jq: not found in the list",
        "policy says: sh: 1: jq: not found",
        "grep: rules.txt: No such file or directory",
        "curl: (6) Could not resolve host: not found",
        "sh: 1: cannot open /p/list: No such file",
        "sh: 1: cannot create /p/log: Permission denied",
        "404: page: not found here",
    ],
)
def test_other_text_with_the_same_words_names_none(text: str) -> None:
    """Only a whole line in a shell's own form counts."""
    assert find_missing_program(text) is None
