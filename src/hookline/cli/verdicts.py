"""Decisions and verdicts for people, as `fire`, `explain` and `log` print them.

Another version of hookline may have written a record of the journal, so its fields may be missing.
"""

from __future__ import annotations

import json

from hookline.cli.output import Paint, format_duration, format_fields, read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.cli.output import Document, Lines

# How a run of the journal ended, where no decision waited for it.
_PHASES = read_table("""
started   , started and not waited for
finished  , after the answer
late      , started by an earlier event
""")


def render_outcome(decision: Document, paint: Paint) -> Lines:
    """Yield the outcome of a decision: stance, reasons, rewrites and effects."""
    yield format_decision(decision, paint)
    fields: list[tuple[str, str]] = []
    if decision["reason"]:
        # Most decisions have no reason.
        from hookline.engine.display import reason_fields  # noqa: PLC0415

        fields += reason_fields(decision["reason"], decision["evidence"])
    if decision["redo"]:
        fields.append(("redo", "the agent goes on working"))
    if decision["retry_after"] is not None:
        fields.append(("retry", f"after {decision['retry_after']:g} s"))
    changes = {**(decision["rewrite"] or {}), **decision.get("effects", {})}
    fields += ((name, json.dumps(value, ensure_ascii=False)) for name, value in changes.items())
    fields += (("for the agent", text) for text in decision["for_agent"])
    fields += (("for the user", text) for text in decision["for_user"])
    fields += (("lowered", f"{each['effect']}: {each['reason']}") for each in decision["lowered"])
    yield from format_fields(fields)


def format_decision(decision: Document, paint: Paint) -> str:
    """Return a decision on a line: its stance, its event, and how long it took."""
    event, kind, dialect = (decision.get(n, "") for n in ("native_event", "kind", "dialect"))
    took = format_duration(decision.get("seconds", 0))
    return f"{paint.stance(decision.get('stance', ''))}  {event} ({kind}, {dialect}) in {took}"


def format_verdict(verdict: Document, paint: Paint) -> str:
    """Return a verdict on a line: its hook, what that said, after which time, and how it exited."""
    shadow = " (shadow)" if verdict.get("shadow") else ""
    code, phase = verdict.get("exit_code"), verdict.get("phase", "")
    took = "" if phase == "started" else f" after {format_duration(verdict.get('seconds', 0))}"
    end = f"{took}{'' if code is None else f', exit {code}'}{_PHASES.get(phase, '')}"
    hook, stance = paint("name", verdict.get("hook", "")), paint.stance(verdict.get("stance", ""))
    return f"{hook}{shadow}  {stance}{end}"
