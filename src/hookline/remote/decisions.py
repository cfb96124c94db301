"""Decisions: turns a decision document back into a Decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookline.errors import CodecError
from hookline.model.event import Rewrite
from hookline.model.verdict import NO_EFFECTS, SCHEMA, Decision, Lowered, Stance, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping


def parse_decision(document: Any) -> Decision:
    """Return the decision in a document; its own document equals the given one. Fields that documents lack get their defaults.

    Raises:
        CodecError: it is not such a document.
    """
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise CodecError(f"the answer is not a document `{SCHEMA}`")
    try:
        return _decision(document)
    except (KeyError, TypeError, AttributeError) as error:
        raise CodecError(
            f"the document `{SCHEMA}` cannot be read: {type(error).__name__}: {error}"
        ) from None


def _decision(document: Mapping[str, Any]) -> Decision:
    return Decision(
        kind=document["kind"],
        dialect=document["dialect"],
        native_event=document["native_event"],
        stance=Stance[document["stance"].upper()],
        decider=document.get("decider", ""),
        reason=document["reason"],
        evidence=document["evidence"],
        rewrite=_rewrite(document["rewrite"]),
        for_agent=tuple(document["for_agent"]),
        for_user=tuple(document["for_user"]),
        retry_after=document["retry_after"],
        redo=document["redo"],
        effects=document.get("effects", NO_EFFECTS),
        lowered=tuple(Lowered(**entry) for entry in document["lowered"]),
        seconds=document["seconds"],
        verdicts=tuple(_verdict(entry) for entry in document["verdicts"]),
    )


def _verdict(entry: Mapping[str, Any]) -> Verdict:
    same = ("reason", "for_agent", "for_user", "fault", "exit_code", "seconds", "shadow")
    told = {name: entry[name] for name in same}
    return Verdict(
        hook_id=entry["hook"],
        stance=Stance[entry["stance"].upper()],
        rewrite=_rewrite(entry["rewrite"]),
        labels=tuple(entry.get("labels", ())),
        warnings=tuple(entry.get("warnings", ())),
        **told,
    )


def _rewrite(said: Mapping[str, Any] | None) -> Rewrite | None:
    if said is None:
        return None
    if "input" in said:
        return Rewrite(target="input", value=said["input"], patch=said["patch"])
    ((target, value),) = said.items()
    return Rewrite(target=target, value=value)
