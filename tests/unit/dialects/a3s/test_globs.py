"""a3s's globs: three signs, everything else is itself."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.dialects.a3s.globs import to_expression
from hookline.text.regex import compile_regex

PATHS = st.text(alphabet="ab./\n(|$", min_size=1, max_size=8)


def selects(pattern: str, path: str) -> bool:
    """Whether a pattern selects a path as it stands."""
    return compile_regex(to_expression(pattern)[0]).is_full_match(path)


@pytest.mark.parametrize("sign", sorted(set(string.punctuation + string.whitespace) - set("*?/.")))
def test_every_other_character_is_itself(sign: str) -> None:
    """A pattern of ordinary characters selects exactly itself."""
    assert selects(f"a{sign}b", f"a{sign}b")
    assert not selects(f"a{sign}b", "ab")
    assert not selects(f"a{sign}b", "aab")


@pytest.mark.parametrize(
    ("pattern", "path", "selected"),
    [
        ("a**/b", "axy/b", True),
        ("a**/b", "ax/y/b", True),
        ("a**/b", "ab", False),
        ("**/a/**", "a/x", True),
        ("**/a/**", "x/a/y/z", True),
        ("**/a/**", "a", False),
        ("***", "a/b", True),
        ("**.rs", "a/b.rs", True),
        ("a/***/b", "a/b", True),
        ("/**", "/a", True),
        ("*/", "a", True),
        ("a//b", "a/b", True),
        ("a/../b", "b", True),
        ("*/../b", "b", True),
        ("/../a", "/a", True),
        ("..", "..", True),
    ],
)
def test_corners(pattern: str, path: str, *, selected: bool) -> None:
    """Runs of stars, and what normalises like a path."""
    assert selects(pattern, path) is selected


@pytest.mark.parametrize(
    ("pattern", "up"),
    [("../a", True), ("../../a/*", True), ("a/../../b", True), ("a/../b", False), ("/../a", False)],
)
def test_climbing(pattern: str, *, up: bool) -> None:
    """A pattern climbs if, tidied, it begins above its folder."""
    assert to_expression(pattern)[1] is up


@given(path=PATHS)
def test_a_lone_star_selects_everything(path: str) -> None:
    """`*` and `**` select every path."""
    assert selects("*", path)
    assert selects("**", path)


@given(pattern=st.text(max_size=12), path=PATHS)
def test_every_pattern_can_be_compiled(pattern: str, path: str) -> None:
    """No text is an invalid glob."""
    assert selects(pattern, path) in (True, False)
