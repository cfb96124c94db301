"""What a Hermes shell hook meant: two vocabularies that are not mixed, and stdout that counts at almost every exit."""

from __future__ import annotations

import json

from hookline.core.failure import describe_failure, label
from hookline.dialects.kit.claims import to_verdict
from hookline.model.event import Rewrite
from hookline.model.frozen import Frozen
from hookline.model.outcome import Failure
from hookline.model.verdict import Stance, Verdict
from hookline.wire.hookoutput import UnreadableError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec

DEFAULT_REASON = "Blocked by shell hook."
_BLOCK = 2  # exit code
_LONGEST = 400  # characters of stderr that become a reason


class _Family(Frozen):
    """One vocabulary: its word for the verdict, for the reason, and for the new arguments."""

    verdict: str
    reason: str
    args: str


_OWN = _Family(verdict="action", reason="message", args="args")
_CLAUDE = _Family(verdict="decision", reason="reason", args="tool_input")
# Words that ask for no more than what happens anyway, by the key that they stand under.
_IDLE = {
    "action": (None, "", "allow", "continue"),
    "decision": (None, "", "allow", "approve", "continue"),
}
_REDOES = ("continue", "block")


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, _event: Event) -> Verdict:
    """The verdict of one hook (docs/formats/hermes.md 3, 4)."""
    return _Reader(outcome, spec, row).verdict()


class _Reader:
    def __init__(self, outcome: Outcome, spec: HookSpec, row: EventRow) -> None:
        self.outcome = outcome
        self.spec = spec
        self.row = row
        self.unsupported: list[str] = []

    def verdict(self) -> Verdict:
        outcome = self.outcome
        # A hook that a signal ended is one with an odd exit code: what it had printed still counts.
        if outcome.failure not in (None, Failure.KILLED):
            return self._failed(describe_failure(outcome))
        if outcome.exit_code == _BLOCK and self.row.can_block and not self.row.ignores_exit:
            return self._block_by_exit()
        text = outcome.stdout.replace("\ufeff", "").strip()
        crashed = describe_failure(outcome) if outcome.failure or outcome.exit_code else ""
        if not text:
            return self._failed(crashed) if crashed else self._said()
        try:
            said = self._output(text)
        except UnreadableError as error:
            return self._failed(f"{crashed}; {error}" if crashed else str(error))
        # An odd exit is a warning, whatever was made of stdout (docs/formats/hermes.md 4).
        return (
            said.replace(fault=crashed, for_user=self._warning("failed", crashed))
            if crashed
            else said
        )

    def _failed(self, words: str) -> Verdict:
        """A failure, open or closed (docs/formats/hermes.md 4); one that is open is a warning on every event."""
        stance = self.spec.on_failure
        if stance is not Stance.SILENT:
            reason = f"hook {label(self.spec)} failed closed: {words}"
            return self._said(stance=stance, reason=reason, fault=words)
        return self._said(
            for_user=self._warning("had no say" if self.row.output else "failed", words),
            fault=words,
        )

    def _warning(self, what: str, words: str) -> str:
        return f"hook `{label(self.spec)}` {what}: {words}"

    def _block_by_exit(self) -> Verdict:
        try:
            given = parse_object(self.outcome.stdout)
        except UnreadableError:
            given = {}
        reason = (
            _reason(given, _blocking_family(given) or _family(given))
            or self.outcome.stderr.strip()[:_LONGEST]
            or DEFAULT_REASON
        )
        return self._said(stance=self.row.blocks, reason=reason)

    # -- output ----------------------------------------------------------------------------------------------------

    def _output(self, text: str) -> Verdict:
        if self.row.output == "rewrite":
            return self._said(rewrite=self._replaced(text))
        given = parse_object(text)
        readers: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "directive": self._directive,
            "context": self._context,
            "redo": self._redo,
        }
        reader = readers.get(self.row.output)
        if reader is None:
            self.unsupported += [f"{key}: `{self.row.native}` only observes" for key in given]
            return self._said()
        return self._said(**reader(given))

    def _directive(self, given: Mapping[str, Any]) -> dict[str, Any]:
        # In whichever vocabulary: a block wins over everything else in one answer.
        if blocking := _blocking_family(given):
            self._report_ignored(given, blocking)
            reason = _reason(given, blocking)
            return {"stance": self.row.blocks, "reason": reason or DEFAULT_REASON}
        family = _family(given)
        self._report_ignored(given, family)
        word, args = given.get(family.verdict), given.get(family.args)
        if word == "approve" and family is _OWN:
            return {
                "stance": Stance.ASK,
                "reason": _reason(given, family) or "a shell hook wants a person to approve this",
            }
        if word == "modify" and isinstance(args, dict):
            return {"rewrite": Rewrite(target="input", value=args, merge=True)}
        if word == "modify":
            self.unsupported.append(f"bad_type: `{family.args}` must be an object")
        elif word not in (None, "allow", "approve", "continue"):
            self.unsupported.append(f"unknown_decision_value: `{family.verdict}` is `{word!s:.40}`")
        elif args is not None:
            self.unsupported.append(
                f"input: `{family.args}` counts only with `{family.verdict}: modify`"
            )
        return {}

    def _context(self, given: Mapping[str, Any]) -> dict[str, Any]:
        self.unsupported += [
            f"{key}: `{self.row.native}` reads only `context`" for key in given if key != "context"
        ]
        return {"for_agent": _text(given, "context")}

    def _redo(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """`continue` or `block`, under either key and in any letter case, sends the agent back if there is a text."""
        for family in (_OWN, _CLAUDE):
            if _folded(given.get(family.verdict)) not in _REDOES:
                continue
            if reason := _reason(given, family):
                return {"stance": self.row.blocks, "reason": reason}
            told = f"`{family.verdict}: {_folded(given[family.verdict])}`"
            self.unsupported.append(f"deny: {told} has no effect without `message` or `reason`")
            return {}
        for family in (_OWN, _CLAUDE):
            self._report_word(given, family, f"has no effect on `{self.row.native}`")
        return {}

    def _report_ignored(self, given: Mapping[str, Any], read: _Family) -> None:
        """Keep what the other vocabulary asks for, which does not count beside the one that is read."""
        other = _CLAUDE if read is _OWN else _OWN
        if given.get(read.verdict) != given.get(other.verdict):
            self._report_word(given, other, f"does not count beside `{read.verdict}`")
        if given.get(read.verdict) == "block" and isinstance(given.get(read.args), dict):
            self.unsupported.append(f"input: `{read.args}` does not count beside a block")

    def _report_word(self, given: Mapping[str, Any], family: _Family, why: str) -> None:
        word = given.get(family.verdict)
        if word in _IDLE[family.verdict]:
            return
        effect = {"modify": "input", "approve": "ask", "block": "deny"}.get(
            str(word), family.verdict
        )
        self.unsupported.append(f"{effect}: `{family.verdict}: {word!s:.40}` {why}")

    def _replaced(self, text: str) -> Rewrite | None:
        """The new text: a JSON text, or an object that has it under the event's own key.

        Raises:
            UnreadableError: stdout is neither.
        """
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = parse_object(text)  # which says what is wrong
        if isinstance(value, dict):
            for family in (_OWN, _CLAUDE):
                self._report_word(value, family, f"has no effect on `{self.row.native}`")
            found = (value.get(key) for key in (self.row.rewrites, "text", "content"))
            value = next((part for part in found if isinstance(part, str)), "")
        elif not isinstance(value, str):
            raise UnreadableError("stdout is JSON, but neither text nor an object")
        target = "text" if "text" in self.row.powers else "output"
        return Rewrite(target=target, value=value) if value else None

    def _said(self, *, stance: Stance = Stance.SILENT, **fields: Any) -> Verdict:
        return to_verdict(
            self.spec,
            self.outcome,
            stance=stance,
            ends=stance >= Stance.DENY,
            unsupported=tuple(self.unsupported),
            **fields,
        )


def _family(given: Mapping[str, Any]) -> _Family:
    """The vocabulary of an answer; both are never mixed."""
    return _OWN if _OWN.verdict in given else _CLAUDE


def _blocking_family(given: Mapping[str, Any]) -> _Family | None:
    """The vocabulary whose key says `block`; Hermes' own comes first."""
    return next((each for each in (_OWN, _CLAUDE) if given.get(each.verdict) == "block"), None)


def _reason(given: Mapping[str, Any], family: _Family) -> str:
    """The text of that vocabulary, or else of the other one."""
    return _text(given, family.reason) or _text(given, (_CLAUDE if family is _OWN else _OWN).reason)


def _folded(value: Any) -> str:
    return value.strip().lower() if isinstance(value, str) else ""


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) and value.strip() else ""
