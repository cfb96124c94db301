"""Where the script stands in a command line."""

from __future__ import annotations

import shlex

import pytest

from hookline.dialects.starchild.command_line import find_script

ROWS = [
    ("/srv/g.py --all", 0),
    ("./g --all", 0),
    ("g.sh", 0),
    ("guard --config a/b.py", None),
    ("python3 g.py", 1),
    ("/usr/bin/python3.11 -u /srv/g.py x.sh", 2),
    ("python3 -m guards.freeze a/b.py", None),
    ("python3 -c 'open(\"a/b.py\")'", None),
    ("bash -euc 'cat a/b.sh'", None),
    ("bash -eu a/b", 2),
    ("sh -e g.sh", 2),
    ("uv run g.py", 2),
    ("node --no-warnings data/x g.mjs", 3),
    ("node data/x", 1),
    ("env g.py", 1),
    ("/usr/bin/env -S A=b python3 g.py", 4),
    ("env A=b", None),
    ("ruby", None),
]


@pytest.mark.parametrize(("command", "at"), ROWS, ids=[command for command, _ in ROWS])
def test_the_script_is_found(command: str, at: int | None) -> None:
    """The program itself, or what its interpreter runs."""
    assert find_script(tuple(shlex.split(command))) == at
