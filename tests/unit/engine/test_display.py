"""Display: how a user interface shows why something was blocked."""

from __future__ import annotations

from typing import Any

import pytest

import hookline
from hookline.cli.fire import render_decision
from hookline.cli.output import Paint
from hookline.dialects.starchild import Starchild
from hookline.engine.display import reason_fields
from hookline.model.event import Event
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
        (blocked("[freeze] blocked until Monday: make release now"), "Blocked until Monday",
         "make release now", "freeze"),
        (blocked("no key here", f"export KEY={KEY}"), "No key here", "export KEY=[masked 19]", ""),
        (blocked("no key here", {"evidence": {"password": KEY}, "tag": "keys"}), "No key here",
         '{"password": "[masked 19]"}', "keys"),
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


@pytest.mark.parametrize(
    ("reason", "evidence", "fields"),
    [
        ("plain: as it is", None, [("reason", "plain: as it is")]),
        (f"found {KEY} in it", None, [("reason", "found [masked 19] in it")]),
        ("[freeze] blocked: make release", None,
         [("reason", "Blocked"), ("evidence", "make release"), ("tag", "freeze")]),
        ("no key", f"KEY={KEY}", [("reason", "No key"), ("evidence", "KEY=[masked 19]")]),
        ("", None, []),
    ],
)  # fmt: skip
def test_a_page_splits_only_what_follows_the_form(
    reason: str, evidence: Any, fields: list[tuple[str, str]]
) -> None:
    """A plain reason keeps its words; secrets are masked in each."""
    assert list(reason_fields(reason, evidence)) == fields


def test_no_surface_shows_a_secret_of_a_reason() -> None:
    """Neither the page of a decision nor the reply to Starchild, which shows it."""
    decision = blocked(f"found {KEY} in it")
    page = "\n".join(render_decision(decision.to_dict(), Paint(on=False)))
    event = Event(kind="tool.before", dialect="starchild", native_name="pre_tool_call")
    reply = Starchild().encode_decision(decision, event)

    assert KEY not in page + reply.stdout
    assert "found [masked 19] in it" in page
    assert "found [masked 19] in it" in reply.stdout
