"""Front matter: unknown escapes in double quotes are kept, and nothing else is touched."""

from __future__ import annotations

import pytest

from hookline.core.dialect import Source
from hookline.dialects.agenthooks.findings import LOAD, Findings
from hookline.dialects.agenthooks.frontmatter import body_of, read_front


def parsed(front: str) -> tuple[object, list[str]]:
    found = Findings(Source(file="HOOK.md", text=f"---\n{front}\n---\n"), LOAD)
    tree = read_front(Source(file="HOOK.md", text=f"---\n{front}\n---\n"), found)
    return tree.value if tree else None, [problem.name for problem in found.problems]


@pytest.mark.parametrize(
    ("front", "value", "repairs"),
    [
        (r'a: "\.py$"', r"\.py$", 1),
        (r'a: "\d\s\w\(\)"', r"\d\s\w\(\)", 1),
        (r'a: "x\\\.y"', "x\\\\.y", 1),
        (r'a: "\q\"\q"', r'\q"\q', 1),
        ('a: "\\q\n  \\q"', r"\q \q", 1),
        (r"a: '\.py'", r"\.py", 0),
        (r"a: say \"\.\" aloud", r"say \"\.\" aloud", 0),
        (r'a: "\t\u0041"', "\tA", 0),
    ],
)
def test_an_unknown_escape_is_kept_literally(front: str, value: str, repairs: int) -> None:
    """Only double-quoted texts have escapes, and only unknown ones are repaired."""
    assert parsed(front) == ({"a": value}, ["frontmatter.escape"] * repairs)


def test_each_text_is_warned_of_at_its_place() -> None:
    """Two texts, two warnings, with the line of each."""
    found = Findings(Source(file="HOOK.md"), LOAD)
    read_front(Source(file="HOOK.md", text='---\na: "\\q"\nb:\n  - "\\."\n---\n'), found)

    assert [problem.origin.place for problem in found.problems] == ["HOOK.md:2:6", "HOOK.md:4:7"]


def test_a_broken_escape_of_another_kind_is_an_error() -> None:
    """A known escape with nonsense after it."""
    assert parsed(r'a: "\xZZ"') == (None, ["frontmatter.yaml"])


def test_the_body_is_stripped_at_both_ends() -> None:
    """What stands below the front matter, without outer blanks."""
    assert body_of("---\na: 1\n---\n\n  # Title\n\n---\ntext\n\n") == "# Title\n\n---\ntext"
