"""A claim comes with its place, its links, and what it is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.guards.claims.detection import find_claims


def kinds(reply: str) -> list[str]:
    """The kinds of what a reply claims, in its order."""
    return [claim.kind for claim in find_claims(reply)]


def test_a_claim_has_the_place_of_its_sentence() -> None:
    """Its sentence is the part of the reply between its places."""
    reply = "I looked into it.\n\nAll 42 tests pass. Bye."
    (claim,) = find_claims(reply)

    assert claim.kind == "tests_pass"
    assert reply[claim.start : claim.end] == claim.sentence == "All 42 tests pass."
    assert claim.count == 42


def test_links_count_in_quotations_too() -> None:
    """What is quoted or in code is no claim, but its links and ids belong to the sentence."""
    (claim,) = find_claims('Published as `3f2a9c1` at "https://community.example.org/p/1".')

    assert claim.urls == ("https://community.example.org/p/1",)
    assert claim.ids == ("3f2a9c1",)


def test_objects_are_what_it_is_about() -> None:
    """Words and names of the sentence, in lower case."""
    (claim,) = find_claims("I pushed the branch to origin/Main.")

    assert {"branch", "origin/main"} <= set(claim.objects)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("I committed the changes, but I haven't pushed yet.", ["committed"]),
        ("I won't push. The tests pass.", ["tests_pass"]),
        ("I can deploy it if you like; the build is green.", ["build_works"]),
        ("I pushed it, want me to open a PR?", ["pushed"]),
        ("代码已提交，但还没有推送。", ["committed"]),
        ("如果需要我可以部署。测试全部通过。", ["tests_pass"]),
    ],
)
def test_one_statement_does_not_excuse_another(reply: str, found: list[str]) -> None:
    """An offer or a denial beside a claim leaves the claim."""
    assert kinds(reply) == found


@pytest.mark.parametrize(
    "reply",
    [
        "", " \n", "\ud800", "```\nAll tests pass.", "> All tests pass\nand more of it",
        "<!-- All tests pass. -->", "~~All tests pass.~~", "Published to {{url}}.",
    ],
)  # fmt: skip
def test_what_is_not_said_is_no_claim(reply: str) -> None:
    """Odd texts, quotations, comments and templates claim nothing."""
    assert kinds(reply) == []


WORDS = st.sampled_from(
    [
        "I",
        "we",
        "you",
        "the",
        "tests",
        "pass",
        "passed",
        "all",
        "not",
        "haven't",
        "if",
        "when",
        "pushed",
        "committed",
        "published",
        "and",
        ",",
        ".",
        ":",
        "?",
        "`x`",
        "PR",
        "opened",
        "is",
        "was",
        "been",
        "live",
        "\n",
        "-",
        ">",
        "|",
        "测试",
        "通过",
        "了",
        "已",
        "发布",
        "如果",
        "，",
        "。",
        "✅",
        "https://a.example/b",
    ]
)


@given(st.lists(WORDS, max_size=40).map(" ".join) | st.text(max_size=200))
def test_any_text_is_read(reply: str) -> None:
    """Whatever the words, each claim is a part of the reply."""
    for claim in find_claims(reply):
        assert reply[claim.start : claim.end] == claim.sentence
