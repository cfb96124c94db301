"""Decisions: turns a decision document back into a Decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookline.errors import CodecError
from hookline.model.event import Rewrite
from hookline.model.verdict import NO_EFFECTS, SCHEMA, Decision, Lowered, Stance, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

# Fields that a document and a value have in common.
_DECISION = ("kind", "dialect", "native_event", "reason", "evidence", "retry_after", "redo", "seconds")  # fmt: skip
_VERDICT = ("reason", "for_agent", "for_user", "fault", "exit_code", "seconds", "shadow")


def parse_decision(document: Any) -> Decision:
    """Return the decision in a document; its own document equals the given one.

    Fields that documents lack get their defaults.

    Raises:
        CodecError: it is not such a document.
    """
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise CodecError(f"the answer is not a document `{SCHEMA}`")
    try:
        return Decision(
            stance=Stance[document["stance"].upper()],
            decider=document.get("decider", ""),
            rewrite=_parse_rewrite(document["rewrite"]),
            for_agent=tuple(document["for_agent"]),
            for_user=tuple(document["for_user"]),
            effects=document.get("effects", NO_EFFECTS),
            lowered=tuple(Lowered(**entry) for entry in document["lowered"]),
            verdicts=tuple(_parse_verdict(entry) for entry in document["verdicts"]),
            **{name: document[name] for name in _DECISION},
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise CodecError(
            f"the document `{SCHEMA}` cannot be read: {type(error).__name__}: {error}"
        ) from None


def _parse_verdict(entry: Mapping[str, Any]) -> Verdict:
    return Verdict(
        hook_id=entry["hook"],
        stance=Stance[entry["stance"].upper()],
        rewrite=_parse_rewrite(entry["rewrite"]),
        labels=tuple(entry.get("labels", ())),
        warnings=tuple(entry.get("warnings", ())),
        **{name: entry[name] for name in _VERDICT},
    )


def _parse_rewrite(given: Mapping[str, Any] | None) -> Rewrite | None:
    if given is None:
        return None
    if "input" in given:
        return Rewrite(target="input", value=given["input"], patch=given["patch"])
    ((target, value),) = given.items()
    return Rewrite(target=target, value=value)
