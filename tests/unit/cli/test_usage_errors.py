"""What is wrong with a command line is said in one way, whichever toolkit reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.unit.cli.support import Desk


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("log", "--limit", "-1"),
            "`--limit` cannot be `-1`, only a whole number from 0 (hookline log --help)"),
        (("log", "--limit=x"),
            "`--limit` cannot be `x`, only a whole number from 0 (hookline log --help)"),
        (("serve", "--most", "65"),
            "`--most` cannot be `65`, only a whole number from 1 to 64 (hookline serve --help)"),
        (("doctor", "--seconds", "soon"),
            "`--seconds` cannot be `soon`, only a number from 0.1 (hookline doctor --help)"),
        (("log", "--stance", "no"),
            ("`--stance` cannot be `no`, only one of silent, allow, ask, deny, halt "
             "(hookline log --help)")),
        (("list", "--trust", ""),
            "`--trust` cannot be ``, only one of all, user, approved, none (hookline list --help)"),
        (("completion",),
            "missing argument `SHELL`: bash, zsh, fish, powershell (hookline completion --help)"),
        (("list", "--jsn"), "no such option `--jsn` (did you mean `--json`?)"),
        (("list", "--zz"), "no such option `--zz` (hookline list --help)"),
        (("list", "-x"), "no such option `-x` (hookline list --help)"),
        (("fire", "--hlep"), "no such option `--hlep` (did you mean `--help`?)"),
        (("fire", "stop", "--jsn"), "no such option `--jsn` (did you mean `--json`?)"),
        (("fire", "--zz", "stop"), "no such option `--zz` (hookline fire --help)"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_wrong_word_is_told_with_what_is_right(
    typed: tuple[str, ...], told: str, desk: Desk
) -> None:
    """In the user's own words, on one line.

    A typing mistake is guessed before anything else is missed.
    """
    said = desk.type(*typed)

    assert (said.code, said.out) == (2, "")
    assert said.err == f"hookline {typed[0]}: HKL1007 {told}\n"
