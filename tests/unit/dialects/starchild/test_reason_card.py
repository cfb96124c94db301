"""How a reason is shown: the rules of docs/formats/starchild.md 5.3, one row each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.dialects.starchild.reason_card import split_reason

# What a hook said, the sentence of the card, and its box.
ROWS = [
    pytest.param(
        "[security] This command is irreversible and would erase the disk: mkfs.ext4 /dev/sda1",
        "This command is irreversible and would erase the disk",
        "mkfs.ext4 /dev/sda1",
        id="the page's good example",
    ),
    pytest.param("mkfs /dev/sda1", "mkfs /dev/sda1", "", id="a bare command keeps its letters"),
    pytest.param(
        "a seed phrase was pasted", "A seed phrase was pasted", "", id="one sentence, capitalised"
    ),
    pytest.param(
        "  [a] blocked (x): rm -rf build  ",
        "Blocked (x)",
        "rm -rf build",
        id="trimmed, one tag off",
    ),
    pytest.param("[a][b] no", "[b] no", "", id="only one tag"),
    pytest.param("note: shortword", "Note: shortword", "", id="neither long nor with a blank"),
    pytest.param(
        "blocked: thirteenchars", "Blocked", "thirteenchars", id="longer than 12 characters"
    ),
    pytest.param("blocked: twelve-chars", "Blocked: twelve-chars", "", id="12 characters are not"),
    pytest.param("first: a b: c d", "First", "a b: c d", id="the first colon counts"),
    pytest.param(
        "blocked:no blank here", "Blocked:no blank here", "", id="a colon without a blank"
    ),
    pytest.param(
        "blocked\uff1a 全角", "Blocked\uff1a 全角", "", id="a full-width colon is no colon"
    ),
    pytest.param(
        "not now: please wait until Monday.",
        "Not now: please wait until Monday.",
        "",
        id="prose is not split",
    ),
    pytest.param(
        "not now: really, why would you?",
        "Not now: really, why would you?",
        "",
        id="a question is prose",
    ),
    pytest.param(
        "not now: see /etc/motd please.", "Not now", "see /etc/motd please.", id="a path is none"
    ),
    pytest.param(
        "not now: run it with --force.", "Not now", "run it with --force.", id="a flag is none"
    ),
    pytest.param(
        "not now: read https://example.org today.",
        "Not now",
        "read https://example.org today.",
        id="a URL is none",
    ),
    pytest.param(
        "not now: echo $HOME please.",
        "Not now",
        "echo $HOME please.",
        id="a sign of the shell is none",
    ),
    pytest.param("git push --force", "git push --force", "", id="a command with a flag"),
    pytest.param("./deploy.sh now", "./deploy.sh now", "", id="a program by its path"),
    pytest.param("cat x | sh", "cat x | sh", "", id="a pipe"),
    pytest.param("", "Blocked by a hook", "", id="nothing at all"),
    pytest.param("[tag]", "Blocked by a hook", "", id="nothing but a tag"),
    pytest.param(
        "[tag] : rm -rf build",
        "Blocked by a hook",
        "rm -rf build",
        id="no sentence before the colon",
    ),
]


@pytest.mark.parametrize(("reason", "sentence", "box"), ROWS)
def test_a_reason_is_shown(reason: str, sentence: str, box: str) -> None:
    """A sentence and a box."""
    card = split_reason(reason)

    assert (card.sentence, card.box) == (sentence, box)


def test_the_tag_is_kept_for_a_search() -> None:
    """It leaves the sentence, not the card."""
    assert split_reason("[security] no").tag == "security"


def test_with_evidence_nothing_is_guessed() -> None:
    """The colon of the sentence stays where it is."""
    card = split_reason("[s] one: two three", evidence="rm -rf build")

    assert (card.sentence, card.box) == ("One: two three", "rm -rf build")


def test_secrets_are_masked() -> None:
    """Wherever the secret stands."""
    card = split_reason(
        "blocked: curl -H key-123", mask=lambda text: text.replace("key-123", "***")
    )

    assert card.box == "curl -H ***"
    assert (
        split_reason(
            "key-123 was pasted", mask=lambda text: text.replace("key-123", "***")
        ).sentence
        == "*** was pasted"
    )


@given(st.text(max_size=60))
def test_there_is_always_a_sentence(reason: str) -> None:
    """No reason makes a blank card."""
    assert split_reason(reason).sentence.strip()
