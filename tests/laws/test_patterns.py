"""Patterns that people write: RE2 for all of them, so that no text which an agent chooses makes a match slow."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hookline.errors import ConfigError
from hookline.text.globregex import compile_glob
from hookline.text.globs import normalised, path_matches
from hookline.text.regex import Backtracking, Regex, compile_or_backtrack, compile_regex
from hookline.text.suggest import did_you_mean
from tests.laws.strategies import LAW, texts

paths = st.text(alphabet="ab./ ~é\n", max_size=12)
globs = st.text(alphabet="ab*?/[]!^-{},.|()@+\\1", max_size=12)


# -- expressions -------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings(
    "ignore:Possible:FutureWarning"
)  # of the peer, about syntax that it may read otherwise one day
@LAW
@given(st.text(alphabet="ab.*+?()[]{}|^$\\", max_size=12), st.text(alphabet="ab", max_size=10))
def test_an_expression_is_compiled_or_a_config_error(source: str, text: str) -> None:
    """Nothing that somebody writes raises anything else; where Python's own engine reads it too, both find the same."""
    try:
        regex, peer = compile_regex(source), re.compile(source)
    except (ConfigError, re.error):
        return

    assert regex.found_in(text) is (peer.search(text) is not None)
    assert regex.covers(text) is (peer.fullmatch(text) is not None)


@LAW
@given(st.text())
@example("\ud800")
@example("\x00")
def test_any_text_can_be_looked_at(text: str) -> None:
    """Half a surrogate pair included, which no UTF-8 engine can see."""
    anything = compile_regex("(?s).*")

    assert anything.found_in(text)
    assert anything.covers(text)


@pytest.mark.parametrize(
    ("source", "construct"),
    [
        ("(?=x)", "look-ahead"),
        ("(?!x)", "look-ahead"),
        ("(?<=x)y", "look-behind"),
        ("(?<!x)y", "look-behind"),
        ("(?>x)", "an atomic group"),
        (r"(a)\1", "a back-reference"),
        ("(?P<n>a)(?P=n)", "a back-reference"),
        ("(", "missing"),
        ("[z-a]", "invalid character class range"),
        ("*", "no argument for repetition"),
    ],
)
def test_what_re2_lacks_is_named(source: str, construct: str) -> None:
    """The message names the construct, or what is wrong."""
    with pytest.raises(ConfigError) as caught:
        compile_regex(source)
    assert construct in caught.value.message


@pytest.mark.parametrize("source", ["(a+)+$", "(a|aa)+$", "(.*a){20}b", "(a*)*b"])
def test_no_text_makes_an_expression_slow(source: str) -> None:
    """What takes a backtracking engine for ever takes a moment."""
    regex = compile_regex(source)
    began = time.process_time()
    regex.found_in("a" * 50_000 + "!")

    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("source", "matching", "others"),
    [
        ("^(?!Read)", ["Shell"], ["ReadFile"]),
        (r"(\w+) \1", ["again again"], ["once more"]),
        (r"^(?:(?!rm).)*$", ["ls"], ["rm -rf"]),
        (r"(\d{3}-)+(?=x)", ["555-x"], ["55-x"]),
        ("(?<=a)X", ["a" * 4095 + "X"], ["a" * 4096 + "X"]),
        ("[(+]+(?!x)", ["(+"], ["("[:0]]),
    ],
)
def test_what_re2_lacks_may_be_left_to_python(
    source: str, matching: list[str], others: list[str]
) -> None:
    """Where somebody asks for it; it sees the first 4096 characters."""
    regex = compile_or_backtrack(source)

    assert isinstance(regex, Backtracking)
    assert [text for text in matching if not regex.found_in(text)] == []
    assert [text for text in others if regex.found_in(text)] == []


def test_what_re2_can_do_is_left_to_re2() -> None:
    """All of the text is seen then, in linear time."""
    assert type(compile_or_backtrack("(a+)+$")) is Regex


@pytest.mark.parametrize(
    "source",
    [
        "(a+)+(?=b)",
        "(a|aa)+(?!x)$",
        "((?:a*))*(?=b)",
        "(a?a?)+(?=b)",
        r"(a{1,9})\1{2,}(?:a+b?)*",
        "(?=x",
        "x**",
    ],
)
def test_what_could_run_for_ever_is_left_to_nobody(source: str) -> None:
    """A group that is repeated holds no repetition and no choice; and what Python refuses too is an error as before."""
    with pytest.raises(ConfigError):
        compile_or_backtrack(source)


@LAW
@given(
    st.text(alphabet="ab.*+?()[]{}|^$\\=!<>:P1,9", max_size=12), st.text(alphabet="ab", max_size=10)
)
def test_any_expression_is_compiled_or_a_config_error_also_with_python(
    source: str, text: str
) -> None:
    """Nothing that somebody writes raises anything else, neither then nor when it is asked."""
    try:
        regex = compile_or_backtrack(source)
    except ConfigError:
        return

    assert regex.found_in(text) or not regex.covers(text)


# -- globs -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("*.py", ["a.py", ".py", ".a.py"], ["a/b.py", "a.pyc", "a.PY"]),
        ("*", ["a", ".a"], ["", "a/b", "/a"]),
        ("a*b", ["ab", "axb"], ["a/b"]),
        ("?", ["a", "é", "."], ["", "ab", "/"]),
        ("**", ["a", "a/b", "/a/b", "/"], []),
        ("**/x", ["x", "/x", "a/x", "/a/b/x"], ["ax", "x/a"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "ab/c"]),
        ("a/**/c", ["a/c", "a/b/c", "a/b/d/c"], ["ac", "a/bc"]),
        ("a**b", ["ab", "axb"], ["a/b"]),
        ("a/*/c", ["a/b/c"], ["a/c", "a/b/d/c"]),
        ("[ab]", ["a", "b"], ["c", "ab"]),
        ("a[!c]", ["ab"], ["ac", "a", "a/"]),
        ("a[^c]", ["ab"], ["ac"]),
        ("a[]]", ["a]"], ["a"]),
        ("a[b^]", ["a^", "ab"], ["ac"]),
        ("a[a-]b", ["a-b", "aab"], ["abb"]),
        ("[[:digit:]]", ["5"], ["a", ":"]),
        ("[z-a]", [], ["a", "z", "["]),
        ("a[", ["a["], ["a"]),
        ("a{b,c}", ["ab", "ac"], ["a", "abc"]),
        ("a{,b}", ["a", "ab"], ["a,b"]),
        ("a{b,c{d,e}}", ["ab", "acd", "ace"], ["ac"]),
        ("a/{x,**}/y", ["a/x/y", "a/q/z/y", "a/y"], ["a/x"]),
        ("a{b}", ["a{b}"], ["ab"]),
        ("a{b,c", ["a{b,c"], ["ab"]),
        ("a{1..3}", ["a1", "a3"], ["a4", "a1..3"]),
        ("a{08..11}", ["a08", "a11"], ["a8"]),
        ("{c..a}", ["a", "b", "c"], ["d"]),
        ("a\\*b", ["a*b"], ["axb"]),
        ("a\\{b,c}", ["a{b,c}"], ["ab"]),
        ("@(a|b).py", ["a.py", "b.py"], ["ab.py"]),
        ("a?(b)", ["a", "ab"], ["abb"]),
        ("a+(b|c)", ["ab", "abcb"], ["a"]),
        ("a*(b)", ["a", "abb"], ["ac"]),
        ("a(b)", ["a(b)"], ["ab"]),
        ("a|b", ["a|b"], ["a"]),
        ("a//b", ["a/b"], []),
        ("!a", ["!a"], ["b"]),
    ],
)
def test_a_glob_matches_what_people_know(
    pattern: str, matching: list[str], others: list[str]
) -> None:
    """As bash does with globstar, extglob and dotglob on."""
    regex = compile_glob(pattern)

    assert regex is not None
    assert [path for path in matching if not regex.covers(path)] == []
    assert [path for path in others if regex.covers(path)] == []


def test_what_re2_cannot_say_is_matched_too_often() -> None:
    """A guard had better see too much: a negated group is anything."""
    assert path_matches("src/b.py", ("src/!(a).py",), "")
    assert path_matches("src/a.py", ("src/!(a).py",), "")


@pytest.mark.parametrize("pattern", ["{a,b}" * 12, "{1..5000}", "{a," * 3000 + "b" + "}" * 3000])
def test_a_glob_of_too_many_patterns_matches_everything(pattern: str) -> None:
    """Neither an exception nor a guard that sees nothing."""
    assert path_matches("x", (pattern,), "")


@LAW
@given(globs, paths)
def test_any_glob_can_be_asked_about_any_path(pattern: str, path: str) -> None:
    """Nothing raises, and a pattern without signs matches exactly itself."""
    matched = path_matches(path, (pattern,), "")
    plain = not set(pattern) & set("*?[]{}()\\/!@+")

    assert not plain or path == "" or matched is (normalised(path, "") == pattern)


@pytest.mark.parametrize(
    "pattern",
    ["**/a/**/a/**/a/**/b", "+(a|aa)b", "*a*a*a*a*a*b", "**/*(*(a)b)c", "{a,b}/**/{a,b}/**/x"],
)
@pytest.mark.parametrize("path", ["a/" * 20_000, "a" * 40_000])
def test_no_path_makes_a_glob_slow(pattern: str, path: str) -> None:
    """An agent chooses the path; with a backtracking engine one of these took minutes."""
    began = time.process_time()
    path_matches(path, (pattern,), "/w")

    assert time.process_time() - began < 2


# -- paths -------------------------------------------------------------------------------------------------------------


@LAW
@given(paths, paths.map(lambda text: f"/{text}"))
def test_a_path_is_brought_to_one_form(path: str, cwd: str) -> None:
    """Bringing it there twice changes nothing, and no `.`, `..` or `//` is left for a pattern to miss."""
    once = normalised(path, cwd)

    assert normalised(once, cwd) == once
    assert once.startswith("/")
    assert not {".", ".."} & set(once.split("/"))
    assert "//" not in once


@pytest.mark.parametrize(
    "spelled",
    [".env", "./.env", "a/../.env", "/w/.env", "/w//.env", "/w/x/../.env", "//w/.env", "../w/.env"],
)
def test_no_spelling_hides_a_path(spelled: str) -> None:
    """Whichever way the agent writes it, the guard's pattern matches, relative and absolute."""
    assert path_matches(spelled, (".env",), "/w")
    assert path_matches(spelled, ("/w/.env",), "/w")


# -- suggestions -------------------------------------------------------------------------------------------------------


@LAW
@given(texts, st.lists(texts))
def test_a_suggestion_is_one_of_the_known_words(word: str, known: list[str]) -> None:
    """Or nothing."""
    hint = did_you_mean(word, known)

    assert hint == "" or hint in [f"did you mean `{each}`?" for each in known]


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("PreToolUze", "did you mean `PreToolUse`?"),
        ("pre_tool_uze", "did you mean `pre_tool_use`?"),
        ("pre-tool-use", "did you mean `pre_tool_use`?"),
        ("on_stop", "did you mean `Stop`?"),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_the_nearest_word_is_suggested(word: str, hint: str) -> None:
    """Letter case, underscores and dashes do not count; of two spellings of one word, the likest is given."""
    assert did_you_mean(word, ("PreToolUse", "pre_tool_use", "Stop")) == hint
