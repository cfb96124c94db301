"""What a Kimi hook meant: block or allow, and of everything else that it said, that nobody reads it (docs/formats/kimi.md 5)."""

from __future__ import annotations

import json

from hookline.core.failure import OVERFLOWED, make_failed_verdict
from hookline.core.output_faults import find_garbled_answer
from hookline.dialects.kimi.table import NAME, UNEXPLAINED
from hookline.dialects.kit.claims import to_verdict
from hookline.model.kinds import ACTIONS
from hookline.model.verdict import NO_EFFECTS, Stance, Verdict
from hookline.wire.hookoutput import NoObjectError, UnreadableError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec

_BLOCK = 2  # exit code
_SPECIFIC = "hookSpecificOutput"
# Key of other dialects -> the effect that its author meant; a key that is not here is reported by its own name.
_MEANT: Mapping[str, str] = {
    "continue": "halt",
    "systemMessage": "note",
    "additionalContext": "context",
    "updatedInput": "input",
    "updatedToolOutput": "output",
}
_REFUSALS = ("block", "deny")
# Words that ask for no more than what happens anyway: Kimi shows no stdout, and goes on.
_IDLE = (
    "suppressOutput",
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    _SPECIFIC,
)


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """The verdict of one hook, with its stdout, which Kimi itself shows nowhere (docs/formats/kimi.md 5)."""
    return _Reader(outcome, spec, row, event).verdict().replace(stdout=outcome.stdout)


class _Reader:
    """Reads one result. `ignored` collects what the hook said in vain."""

    def __init__(self, outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> None:
        self.outcome = outcome
        self.spec = spec
        self.row = row
        # A decision for Kimi finds words for a silent blocker (`FoldRule.unexplained`); another host may overlook it.
        self.unexplained = "" if event.dialect == NAME else UNEXPLAINED
        self.ignored: list[str] = []

    def verdict(self) -> Verdict:
        code = self.outcome.exit_code or 0
        if self.outcome.failure is not None or code not in (0, _BLOCK):
            return make_failed_verdict(self.spec, self.outcome)
        if code == _BLOCK:
            return self._block(self.outcome.stderr.strip())
        text = self.outcome.stdout.strip()
        if not text:
            return self._said()
        try:
            given = parse_object(text)
        except UnreadableError as error:
            return self._no_object(text, error)
        return self._answer(given)

    def _no_object(self, text: str, error: UnreadableError) -> Verdict:
        """Text that says nothing to Kimi: a log, which is returned, or an answer that cannot be read, which is reported."""
        if self.outcome.truncated:
            return make_failed_verdict(self.spec, self.outcome, OVERFLOWED)
        if isinstance(error, NoObjectError) or find_garbled_answer(text):
            self.ignored.append(f"stdout: {error}")
            return self._said()
        # An effect that no event has: it stays in the hook's result, and the decision says that it was not carried out.
        return self._said(effects={"stdout": text})

    def _answer(self, given: Mapping[str, Any]) -> Verdict:
        specific = given.get(_SPECIFIC)
        self.ignored += _unread(given)
        if not isinstance(specific, dict):
            if specific is not None:
                self.ignored.append(f"{_SPECIFIC}: it is no object")
            return self._said()
        self.ignored += _unread(specific)
        word = specific.get("permissionDecision")
        if word == "deny":
            return self._block(_as_text(specific.get("permissionDecisionReason")))
        if word == "ask" and self.row.kind in ACTIONS and self.row.blocks is not Stance.SILENT:
            reason = _as_text(specific.get("permissionDecisionReason"))
            return self._said(stance=Stance.ASK, reason=reason)
        if word in ("ask", "defer"):
            self.ignored.append(f"{word}: Kimi knows no `{word}`, so the call goes on")
        elif word not in (None, "", "allow"):
            self.ignored.append(f"permissionDecision: `{_as_text(word):.40}` is none")
        return self._said()

    def _block(self, reason: str) -> Verdict:
        if self.row.blocks is not Stance.SILENT:
            return self._said(stance=self.row.blocks, reason=reason or self.unexplained)
        told = f", whose reason is: {reason}" if reason else ""
        self.ignored.append(f"deny: `{self.row.native}` ignores a block{told}")
        return self._said()

    def _said(
        self,
        *,
        stance: Stance = Stance.SILENT,
        reason: str = "",
        effects: Mapping[str, Any] = NO_EFFECTS,
    ) -> Verdict:
        return to_verdict(
            self.spec,
            self.outcome,
            stance=stance,
            reason=reason,
            effects=effects,
            unsupported=tuple(self.ignored),
        )


def _unread(given: Mapping[str, Any]) -> Iterator[str]:
    """What the keys of an output object ask for that Kimi does not read, each with its key."""
    for key, value in given.items():
        idle = key in _IDLE or (
            value is not False if key == "continue" else value in (None, "", False, [], {})
        )
        if not idle:
            effect = "deny" if key == "decision" and value in _REFUSALS else _MEANT.get(key, key)
            yield f"{effect}: Kimi does not read `{key}`"


def _as_text(value: Any) -> str:
    """A reason, or what stands in its place, as text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
