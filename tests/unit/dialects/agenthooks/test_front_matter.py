"""Front matter: unknown escapes in double quotes are kept, and nothing else is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.core.dialect import Source
from hookline.dialects.agenthooks.load import _read_front_matter, split_front_matter
from hookline.errors import ConfigError

if TYPE_CHECKING:
    from hookline.model.spec import Problem


def parsed(front: str) -> tuple[object, list[str]]:
    problems: list[Problem] = []
    try:
        node = _read_front_matter(Source(file="HOOK.md", text=f"---\n{front}\n---\n"), problems)
    except ConfigError as error:
        return None, [*(problem.name for problem in problems), error.name]
    return node.value, [problem.name for problem in problems]


@pytest.mark.parametrize(
    ("front", "value", "repairs"),
    [
        (r'a: "\.py$"', r"\.py$", 1),
        (r'a: "\d\s\w\(\)"', r"\d\s\w\(\)", 1),
        (r'a: "x\\\.y"', "x\\\\.y", 1),
        (r'a: "\q\"\q"', r'\q"\q', 1),
        ('a: "\\q\n  \\q"', r"\q \q", 2),
        (r"a: '\.py'", r"\.py", 0),
        (r"a: say \"\.\" aloud", r"say \"\.\" aloud", 0),
        (r'a: "\t\u0041"', "\tA", 0),
    ],
)
def test_an_unknown_escape_is_kept_literally(front: str, value: str, repairs: int) -> None:
    """Only double-quoted texts have escapes, and only unknown ones are repaired."""
    assert parsed(front) == ({"a": value}, ["frontmatter.escape"] * repairs)


def test_each_line_is_warned_of_at_its_place() -> None:
    """Two lines, two warnings."""
    problems: list[Problem] = []
    text = '---\na: "\\q\\w"\nb:\n  - "\\."\n---\n'
    _read_front_matter(Source(file="HOOK.md", text=text), problems)

    assert [problem.origin.place for problem in problems] == ["HOOK.md:2:6", "HOOK.md:4:7"]


@pytest.mark.parametrize(
    ("count", "name"), [(100, "frontmatter.escape"), (101, "frontmatter.yaml")]
)
def test_the_repairs_are_limited(count: int, name: str) -> None:
    """Each one parses the front matter again."""
    assert parsed('a: "' + "\\q" * count + '"')[1][-1] == name


def test_a_broken_escape_of_another_kind_is_an_error() -> None:
    """A known escape with nonsense after it."""
    assert parsed(r'a: "\xZZ"') == (None, ["frontmatter.yaml"])


def test_the_body_is_stripped_at_both_ends() -> None:
    """What stands below the front matter, without outer blanks."""
    text = "---\na: 1\n---\n\n  # Title\n\n---\ntext\n\n"

    assert split_front_matter(text, "HOOK.md")[1] == "# Title\n\n---\ntext"
