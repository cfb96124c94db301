"""How a surface shows why something was blocked."""

from __future__ import annotations

from typing import Any

import pytest

import hookline
from hookline.model.verdict import Decision, Stance

KEY = "sk-abcdefgh12345678"


def blocked(reason: str, evidence: Any = None) -> Decision:
    """A refusal."""
    return Decision(
        kind="tool.before",
        dialect="starchild",
        native_event="pre_tool_call",
        stance=Stance.DENY,
        reason=reason,
        evidence=evidence,
    )


@pytest.mark.parametrize(
    ("decision", "sentence", "box", "tag"),
    [
        (blocked("[freeze] blocked until Monday: make release now"), "Blocked until Monday", "make release now", "freeze"),
        (blocked("no key here", f"export KEY={KEY}"), "No key here", "export KEY=[masked 19]", ""),
        (blocked("no key here", {"evidence": {"password": KEY}, "tag": "keys"}), "No key here", '{"password": "[masked 19]"}', "keys"),
        (blocked(f"found a key: curl -H {KEY} x"), "Found a key", "curl -H [masked 19] x", ""),
        (blocked(""), "Blocked by a hook", "", ""),
    ],
)  # fmt: skip
def test_a_block_is_shown_without_secrets(
    decision: Decision, sentence: str, box: str, tag: str
) -> None:
    """As a sentence, a box and a tag; the document of the decision is shown alike."""
    found = hookline.display_reason(decision)

    assert (found.sentence, found.box, found.tag) == (sentence, box, tag)
    assert hookline.display_reason(decision.to_dict()) == found
