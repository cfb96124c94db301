"""Answers: the verdicts that an in-process hook returns, by the words of the field."""

from __future__ import annotations

from hookline.model.event import Rewrite
from hookline.model.verdict import Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def allow(reason: str = "") -> Verdict:
    """Vouch for it: the host may skip its prompt."""
    return Verdict(stance=Stance.ALLOW, reason=reason)


def ask(reason: str) -> Verdict:
    """A person decides."""
    return Verdict(stance=Stance.ASK, reason=reason)


def deny(reason: str, *, evidence: Any = None) -> Verdict:
    """Refuse; at a stop gate: go on working, with the reason as the instruction."""
    return Verdict(stance=Stance.DENY, reason=reason, evidence=evidence)


def halt(reason: str) -> Verdict:
    """End the run."""
    return Verdict(stance=Stance.HALT, reason=reason)


def rewrite(
    input: Mapping[str, Any] | None = None,  # noqa: A002 - the word of every dialect
    *,
    text: str | None = None,
    messages: list[Any] | None = None,
    output: Any = None,
    summary: str | None = None,
    replace: bool = False,
) -> Verdict:
    """Change what is about to happen or to be seen; exactly one of the targets.

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
    if target == "input":
        return Verdict(rewrite=Rewrite(target=target, value=dict(value), merge=not replace))
    return Verdict(rewrite=Rewrite(target=target, value=value))


def context(text: str) -> Verdict:
    """Text for the model."""
    return Verdict(for_agent=text)


def note(text: str) -> Verdict:
    """Text for the user."""
    return Verdict(for_user=text)


def retry(seconds: float = 0.0, reason: str = "") -> Verdict:
    """Run it again after some seconds."""
    return Verdict(retry_after=seconds, reason=reason)
