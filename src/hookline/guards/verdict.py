"""Asks a guard about an event, and makes one verdict of its answer and the exceptions."""

from __future__ import annotations

from importlib import import_module

from hookline.guards.exceptions import drop_exempt
from hookline.guards.finding import UNVERIFIED, Answer, Finding
from hookline.guards.table import GUARDS
from hookline.model.verdict import Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookline.guards.world import World
    from hookline.model.event import Event

_LONGEST = 400  # characters of evidence


def ask_guard(
    name: str, event: Event, options: Mapping[str, Any], world: World
) -> tuple[Verdict, Answer]:
    """Return a guard's verdict on an event, and its whole answer.

    Raises:
        KeyError: there is no such guard.
    """
    judge = import_module(GUARDS[name].module).judge
    answer: Answer = judge(event, options, world) or Answer()
    findings, notes = drop_exempt(answer.findings, options, world, event.cwd)
    refusing = [each for each in findings if each.stance >= Stance.ASK]
    notes += [_describe(each) for each in findings if each.stance < Stance.ASK]
    notes = [f"[{name}] {note}" for note in dict.fromkeys(notes)]
    verdict = Verdict(
        stance=max((each.stance for each in refusing), default=Stance.SILENT),
        reason=_explain(name, refusing),
        evidence=[_to_document(each) for each in findings] or None,
        rewrite=None if refusing else answer.rewrite,
        for_user="\n".join(filter(None, (answer.for_user, *notes))),
        for_agent=answer.for_agent,
        labels=tuple(dict.fromkeys(each.rule for each in findings)),
        redo_limit=answer.redo_limit,
    )
    return verdict, answer


def _explain(name: str, findings: Sequence[Finding]) -> str:
    """Return why, what to do instead, and how a person allows it."""
    if not findings:
        return ""
    first = max(findings, key=lambda each: each.stance)
    others = sorted({each.rule for each in findings} - {first.rule})
    sentence = f"[{name}] {_describe(first)}."
    if first.instead:
        sentence += f" Instead: {first.instead}."
    if others:
        sentence += f" It also breaks {', '.join(others)}."
    if first.rule in GUARDS[name].rules:
        sentence += f" Only the user can allow it: hookline guard allow {first.rule}."
    return sentence


def _describe(finding: Finding) -> str:
    """Return the sentence of a finding, with its evidence at the end of it."""
    evidence = " ".join(finding.evidence.split())
    if len(evidence) > _LONGEST:
        evidence = f"{evidence[:_LONGEST]} ..."
    what = finding.reason if finding.rule == UNVERIFIED else f"{finding.reason} ({finding.rule})"
    return f"{what}: {evidence}" if evidence else what


def _to_document(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "stance": finding.stance.word,
        "evidence": finding.evidence[:_LONGEST],
    }
