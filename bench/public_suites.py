"""Reads the test suites of dcg and cc-safety-net from a checkout of theirs; nothing is copied.

Their labels are their own policy. Both are under the MIT licence.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The commits that the figures in docs/explanation/guards.md were measured with.
PINNED = {
    "dcg": "0a6850cf6579233960fcf00b4fb28c770ecd2125",  # v0.4.1
    "cc-safety-net": "ac31f4e98b58af062b62d9da879de14082219aa4",  # v2.0.10
}
_LITERAL = r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.|\$(?!\{))*`"""
# A call whose command is a literal and that sets no folder or environment.
_CALL = re.compile(
    rf"\bassert(?:Allowed\(\s*(?P<ordinary>{_LITERAL})"
    rf"|Blocked\(\s*(?P<dangerous>{_LITERAL})\s*,\s*(?:{_LITERAL})),?\s*\)"
)
_ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "v": "\v", "f": "\f", "\n": ""}


class Suite(NamedTuple):
    """The commands that a project's own tests expect to be refused, and to pass."""

    name: str
    dangerous: list[str]
    ordinary: list[str]


def read_suite(folder: Path) -> Suite:
    """Return the suite of a checkout."""
    if (folder / "tests/corpus").is_dir():
        return _make_suite("dcg", _read_corpus(folder))
    return _make_suite("cc-safety-net", _read_calls(folder))


def describe_commit(suite: Suite, folder: Path) -> str:
    """Return the commit of a checkout, and whether it is the pinned one."""
    found = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    commit = found.stdout.strip() or "unknown"
    return commit if commit == PINNED[suite.name] else f"{commit}, pinned {PINNED[suite.name]}"


def _make_suite(name: str, cases: Iterator[tuple[str, bool]]) -> Suite:
    """Return the cases of a suite, without those that it expects to be both."""
    labels: dict[str, set[bool]] = defaultdict(set)
    for text, is_dangerous in cases:
        labels[text].add(is_dangerous)
    return Suite(
        name,
        [text for text, found in labels.items() if found == {True}],
        [text for text, found in labels.items() if found == {False}],
    )


def _read_corpus(folder: Path) -> Iterator[tuple[str, bool]]:
    for path in sorted(folder.glob("tests/corpus/*/*.toml")):
        for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]:
            yield case["command"], case["expected"] == "deny"


def _read_calls(folder: Path) -> Iterator[tuple[str, bool]]:
    """Yield the literal commands of tests in the default mode with the built-in rules."""
    for path in sorted(folder.glob("tests/**/*.test.ts")):
        if path.name.startswith("rules-custom"):
            continue
        text = path.read_text(encoding="utf-8")
        for call in _CALL.finditer(text):
            is_in_other_mode = text.rfind("withEnv(", 0, call.start()) > text.rfind(
                "test(", 0, call.start()
            )
            if not is_in_other_mode:
                yield _read_literal(call["dangerous"] or call["ordinary"]), bool(call["dangerous"])


def _read_literal(literal: str) -> str:
    """Return the value of a string literal of JavaScript."""
    return _ESCAPE.sub(lambda found: _read_escape(found[1]), literal[1:-1])


def _read_escape(escape: str) -> str:
    if len(escape) > 1:
        return chr(int(escape[1:].strip("{}"), 16))
    return _ESCAPES.get(escape, escape)
