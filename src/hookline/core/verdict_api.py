"""Verdict API: the functions by which an in-process hook returns its verdict.

Each takes `labels`, words by which the caller sorts results, and `warnings`, texts for the user
without effect on the decision: one text, or several.
"""

from __future__ import annotations

from hookline.model.event import Rewrite
from hookline.model.verdict import Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeAlias

    Texts: TypeAlias = str | Iterable[str]


def allow(reason: str = "", *, labels: Texts = (), warnings: Texts = ()) -> Verdict:
    """Allow the action: the host may skip its prompt."""
    return _verdict(labels, warnings, stance=Stance.ALLOW, reason=reason)


def ask(reason: str, *, labels: Texts = (), warnings: Texts = ()) -> Verdict:
    """Let a person decide."""
    return _verdict(labels, warnings, stance=Stance.ASK, reason=reason)


def deny(reason: str, *, evidence: Any = None, labels: Texts = (), warnings: Texts = ()) -> Verdict:
    """Refuse the action.

    At a stop gate, send the agent back to work with the reason as the instruction.
    """
    return _verdict(labels, warnings, stance=Stance.DENY, reason=reason, evidence=evidence)


def halt(reason: str, *, labels: Texts = (), warnings: Texts = ()) -> Verdict:
    """End the run."""
    return _verdict(labels, warnings, stance=Stance.HALT, reason=reason)


def rewrite(
    input: Mapping[str, Any] | None = None,  # noqa: A002 - the word of every dialect
    *,
    text: str | None = None,
    messages: list[Any] | None = None,
    output: Any = None,
    summary: str | None = None,
    replace: bool = False,
    labels: Texts = (),
    warnings: Texts = (),
) -> Verdict:
    """Change the action or its result; takes exactly one of the targets.

    `input` is a patch of top-level keys, or with `replace` the whole new input.

    Raises:
        TypeError: no target, or more than one.
    """
    given = {
        "input": input,
        "text": text,
        "messages": messages,
        "output": output,
        "summary": summary,
    }
    chosen = [(target, value) for target, value in given.items() if value is not None]
    if len(chosen) != 1:
        raise TypeError("rewrite takes exactly one of input, text, messages, output, summary")
    target, value = chosen[0]
    change = Rewrite(target=target, value=value)
    if target == "input":
        change = change.replace(value=dict(value), merge=not replace)
    return _verdict(labels, warnings, rewrite=change)


def context(text: str, *, labels: Texts = (), warnings: Texts = ()) -> Verdict:
    """Add text for the model."""
    return _verdict(labels, warnings, for_agent=text)


def note(text: str = "", *, labels: Texts = (), warnings: Texts = ()) -> Verdict:
    """Show text to the user; without text, only labels or warnings."""
    return _verdict(labels, warnings, for_user=text)


def retry(
    seconds: float = 0.0, reason: str = "", *, labels: Texts = (), warnings: Texts = ()
) -> Verdict:
    """Have the host try again after some seconds."""
    return _verdict(labels, warnings, retry_after=seconds, reason=reason)


def _verdict(labels: Texts, warnings: Texts, **fields: Any) -> Verdict:
    if labels or warnings:
        fields |= {"labels": _texts(labels), "warnings": _texts(warnings)}
    return Verdict(**fields)


def _texts(given: Texts) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
