"""Unsaid: what a host's words have no room for, so that no guard seems to have said nothing."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookline.model.reply import Reply
    from hookline.model.verdict import Decision

_STANCES = frozenset(("ask", "deny", "halt"))
# What a decision has to say of hooks that nobody asked.
NOT_ASKED = "hooks"
# And of an event that its dialect does not have.
NO_EVENT = "event"
_CHANGES = frozenset(("input", "output", "text", "messages"))


def told_beside(reply: Reply, lines: Iterable[str]) -> Reply:
    """The reply with these lines on its stderr, each once."""
    told = dict.fromkeys(lines)
    if not told:
        return reply
    from hookline.text.terminal_escape import escape_text  # noqa: PLC0415 - most events leave nothing to tell

    return reply.replace(
        stderr=reply.stderr + "".join(f"hookline: {escape_text(line)}\n" for line in told)
    )


def unsaid(decision: Decision, reply: Reply) -> Iterator[str]:
    """What the host has no word for: stances and changes; and faults and notes that the reply does not show."""
    for lost in decision.lowered:
        if lost.effect in _STANCES:
            yield f"{lost.hook or 'a hook'} said `{lost.effect}`: {lost.reason}"
        elif lost.effect in _CHANGES:
            yield f"{lost.hook} would change the `{lost.effect}`: {lost.reason}"
        elif lost.effect in (NOT_ASKED, NO_EVENT) and not _shows(reply, lost.reason):
            yield lost.reason
    without_notes = any(lost.effect == "note" for lost in decision.lowered)
    for verdict in decision.verdicts:
        if verdict.shadow or verdict.told:
            continue
        fault, notes = verdict.fault or "", verdict.for_user.splitlines() if without_notes else []
        said = [fault, *(line for line in notes if not fault or fault not in line)]
        yield from (
            f"{verdict.hook_id}: {text}"
            for text in said
            if text.strip() and not _shows(reply, text)
        )


def is_told(reply: Reply, line: str) -> bool:
    """Whether a reply says already what is wrong, whatever it says follows from that, and whatever is to be done about it."""
    wrong, _, hint = line.rpartition(" (")
    return _shows(reply, wrong if wrong and hint.endswith(")") else line)


def _shows(reply: Reply, text: str) -> bool:
    return json.dumps(text, ensure_ascii=False)[1:-1] in reply.stdout or text in reply.stderr
