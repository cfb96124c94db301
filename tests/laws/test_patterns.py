"""Patterns of users: all compile with RE2, so no text of an agent makes a match slow."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hookline.errors import ConfigError, did_you_mean
from hookline.text.backtracking import BacktrackingRegex
from hookline.text.globs import compile_glob, normalise_path, path_matches
from hookline.text.re2_regex import MatchTimeoutError, Regex
from hookline.text.regex import compile_regex
from tests.laws.strategies import LAW, texts

paths = st.text(alphabet="ab./ ~é\n", max_size=12)
globs = st.text(alphabet="ab*?/[]!^-{},.|()@+\\1", max_size=12)


# -- expressions -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings(
    "ignore:Possible:FutureWarning"
)  # of the peer, about syntax that it may read otherwise one day
@LAW
@given(st.text(alphabet="ab.*+?()[]{}|^$\\", max_size=12), st.text(alphabet="ab", max_size=10))
def test_an_expression_is_compiled_or_a_config_error(source: str, text: str) -> None:
    """No expression raises anything else.

    Where Python's own engine reads it too, both find the same.
    """
    try:
        regex, peer = compile_regex(source), re.compile(source)
    except (ConfigError, re.error):
        return

    assert regex.has_match_in(text) is (peer.search(text) is not None)
    assert regex.is_full_match(text) is (peer.fullmatch(text) is not None)


@LAW
@given(st.text())
@example("\ud800")
@example("\x00")
def test_any_text_can_be_looked_at(text: str) -> None:
    """Half a surrogate pair included, which no UTF-8 engine can see."""
    anything = compile_regex("(?s).*")

    assert anything.has_match_in(text)
    assert anything.is_full_match(text)


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
    regex.has_match_in("a" * 50_000 + "!")

    assert time.process_time() - began < 2


@pytest.mark.parametrize("flavour", ["javascript", "python"])
@pytest.mark.parametrize(
    ("source", "engine", "matching", "others"),
    [
        ("^(?!Read)", BacktrackingRegex, ["Shell", ""], ["ReadFile"]),
        ("^(?!Read$).*", BacktrackingRegex, ["Shell", "ReadFile"], ["Read"]),
        ("^(?!a)(?!b)", BacktrackingRegex, ["c"], ["ab", "ba"]),
        ("^(?!a|b)c|d", BacktrackingRegex, ["c", "ad"], ["a", "bc"]),
        ("^(?!(?=a))", BacktrackingRegex, ["b"], ["a"]),
        (r"(\w+) \1", BacktrackingRegex, ["again again"], ["once more"]),
        (r"^(?:(?!rm).)*$", BacktrackingRegex, ["ls"], ["rm -rf"]),
        (r"(\d{3}-)+(?=x)", BacktrackingRegex, ["555-x"], ["55-x"]),
        ("(?<=a)X", BacktrackingRegex, ["a" * 9000 + "X"], ["X"]),
        ("[(+]+(?!x)", BacktrackingRegex, ["(+"], ["(x"]),
        ("(a+)+$", Regex, ["a"], ["b"]),
    ],
)
def test_what_the_hosts_engine_can_express_runs(
    flavour: str, source: str, engine: type[Regex], matching: list[str], others: list[str]
) -> None:
    """On RE2 if that can run it, otherwise on an engine that backtracks."""
    regex = compile_regex(source, flavour)

    assert type(regex) is engine
    assert [text for text in matching if not regex.has_match_in(text)] == []
    assert [text for text in others if regex.has_match_in(text)] == []


@pytest.mark.parametrize("flavour", ["re2", "go", "rust"])
@pytest.mark.parametrize("source", ["^(?!Read)", "(?<=a)b", r"(a)\1"])
def test_an_engine_without_look_around_refuses_it(flavour: str, source: str) -> None:
    """The message names the construct."""
    with pytest.raises(ConfigError, match=r"it uses (look-|a back-reference)"):
        compile_regex(source, flavour)


@pytest.mark.parametrize(
    ("source", "flavour", "why"),
    [
        ("(?i)bash", "javascript", "invalid group `(?i)` at character 1"),
        ("(?P<n>a)", "javascript", "invalid group"),
        ("(?>a)", "javascript", "invalid group"),
        ("a++", "javascript", "nothing to repeat at character 3"),
        ("(?<=a)*", "javascript", "nothing to repeat"),
        ("[b-a]", "javascript", "range out of order"),
        ("a)", "javascript", "unmatched `)` at character 2"),
        ("a(?i)", "python", "at character 2"),
        (r"a\z", "python", "bad escape"),
        ("(?<=a*)b", "python", "fixed-width"),
        (r"\Qa\E", "rust", "unknown escape `\\Q` at character 1"),
        (r"\C", "go", "unknown escape"),
        ("(?=a)" + "b" * 1000, "python", "it may have 1000 characters"),
        ("(?=a)((b{20}){20}){3}", "javascript", "multiply to more than 1000"),
        ("(?=a)" + "(" * 450 + ")" * 450, "javascript", "nested"),
    ],
)
def test_what_the_hosts_engine_refuses_is_an_error(source: str, flavour: str, why: str) -> None:
    """Also what RE2 would run, and what may take long to compile; the message says why."""
    with pytest.raises(ConfigError) as caught:
        compile_regex(source, flavour)

    assert why in caught.value.message


def test_counted_repetitions_multiply_only_if_they_are_nested() -> None:
    """Side by side they add up, which costs nothing."""
    assert compile_regex(r"(?=\d{40}-\d{40})(?:a{10}){100}b{1000}", "javascript").may_time_out


@pytest.mark.parametrize("flavour", ["javascript", "python"])
def test_a_match_that_takes_too_long_raises(flavour: str) -> None:
    """So the hook fails, instead of a call that waits for hours."""
    regex = compile_regex("^(a|aa)+(?=b)", flavour)

    with pytest.raises(MatchTimeoutError):
        regex.has_match_in("a" * 64)
    with pytest.raises(MatchTimeoutError):
        regex.is_full_match("a" * 64)


@LAW
@given(
    st.text(alphabet="ab.*+?()[]{}|^$\\=!<>:P1,9", max_size=12),
    st.text(alphabet="ab", max_size=10),
    st.sampled_from(["javascript", "python", "rust", "go"]),
)
def test_any_expression_of_any_flavour_is_compiled_or_a_config_error(
    source: str, text: str, flavour: str
) -> None:
    """Nothing that a person writes raises anything else, neither then nor when it is asked."""
    try:
        regex = compile_regex(source, flavour)
        matched = regex.has_match_in(text) or not regex.is_full_match(text)
    except (ConfigError, MatchTimeoutError):
        return

    assert matched


# -- globs -----------------------------------------------------------------------------------------


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
    assert [path for path in matching if not regex.is_full_match(path)] == []
    assert [path for path in others if regex.is_full_match(path)] == []


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

    assert not plain or path == "" or matched is (normalise_path(path, "") == pattern)


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


# -- paths -----------------------------------------------------------------------------------------


@LAW
@given(paths, paths.map(lambda text: f"/{text}"))
def test_a_path_is_brought_to_one_form(path: str, cwd: str) -> None:
    """Normalising twice changes nothing, and no `.`, `..` or `//` is left to mislead a pattern."""
    once = normalise_path(path, cwd)

    assert normalise_path(once, cwd) == once
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


# -- suggestions -----------------------------------------------------------------------------------


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
    """Letter case, underscores and dashes do not count.

    Of two spellings of one word, the likest is given.
    """
    assert did_you_mean(word, ("PreToolUse", "pre_tool_use", "Stop")) == hint
