"""Results of Hermes' shell hooks as verdicts, in two vocabularies that are not mixed."""

from __future__ import annotations

import json
from contextlib import suppress

from hookline.core.failure import describe_failure, label
from hookline.dialects.kit.answer import Claims
from hookline.model.event import Event, Rewrite
from hookline.model.verdict import Failure, Outcome, Stance, Verdict
from hookline.wire.hookoutput import NoObjectError, UnreadableError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.spec import HookSpec

_BLOCK = 2  # exit code
_LONGEST = 400  # characters of stderr that become a reason
# Key of a verdict -> the keys of its reason, best first, and the key of new arguments.
_VERDICTS = {
    "action": (("message", "reason"), "args"),
    "decision": (("reason", "message"), "tool_input"),
}
_IDLE = (None, "", "allow", "approve", "continue")  # `action: approve` asks
_EFFECTS = {"modify": "input", "approve": "ask", "block": "deny"}  # word of a verdict -> its power
_BLOCKED = "Blocked by shell hook."


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return the verdict of one hook (docs/formats/hermes.md 3, 4)."""
    reader = _Reader(outcome, spec, row, event)
    # A hook that a signal ended is one with an odd exit code: what it had printed still counts.
    if outcome.failure not in (None, Failure.KILLED):
        return reader.fail(describe_failure(outcome))
    if outcome.exit_code == _BLOCK and row.can_block and not row.ignores_exit:
        given: dict[str, Any] = {}
        with suppress(UnreadableError):
            given = parse_object(outcome.stdout)
        reason = _find_reason(given, _find_verdict(given)) or outcome.stderr.strip()[:_LONGEST]
        return reader.verdict(stance=row.blocks, reason=reason or _BLOCKED, ends=True)
    text = outcome.stdout.replace("\ufeff", "").strip()
    crash = describe_failure(outcome) if outcome.failure or outcome.exit_code else ""
    if crash and not text:
        return reader.fail(crash)
    try:
        if text:
            reader.read(text)
    except UnreadableError as error:
        return reader.fail(f"{crash}; {error}" if crash else str(error))
    # An odd exit is a warning, whatever was made of stdout (docs/formats/hermes.md 4).
    return reader.verdict(
        ends=reader.stance >= Stance.DENY,
        fault=crash or None,
        for_user=f"hook `{label(spec)}` failed: {crash}" if crash else "",
    )


class _Reader(Claims):
    """Reads one outcome."""

    def fail(self, why: str) -> Verdict:
        """Return the verdict of a failure, open or closed.

        One that is open is a warning on every event.
        """
        stance, name = self.spec.on_failure, label(self.spec)
        if stance is Stance.SILENT:
            return self.verdict(fault=why, for_user=f"hook `{name}` failed: {why}")
        reason = f"hook {name} failed closed: {why}"
        return self.verdict(stance=stance, reason=reason, fault=why, ends=stance >= Stance.DENY)

    def read(self, text: str) -> None:
        """Take in what stdout says, as the event reads it.

        Raises:
            UnreadableError: it is not what the event wants.
        """
        output, row = self.row.output, self.row
        try:
            given = parse_object(text)
        except NoObjectError:
            given = {"text": json.loads(text)}  # a new text may also be a JSON text
            if output != "rewrite" or not isinstance(given["text"], str):
                raise
        if output == "directive":
            self._read_directive(given)
        elif output == "redo":
            self._read_redo(given)
        elif output == "rewrite":
            self._report(given, _VERDICTS, f"has no effect on `{row.native}`")
            found = (given.get(key) for key in (row.rewrites, "text", "content"))
            if value := next((part for part in found if isinstance(part, str)), ""):
                target = "text" if "text" in row.powers else "output"
                self.rewrite = Rewrite(target=target, value=value)
        else:
            self.context = _find_text(given, output)
            unread = (key for key in given if key != output)
            self.unsupported += [f"{key}: `{row.native}` does not read it" for key in unread]

    def _read_directive(self, given: Mapping[str, Any]) -> None:
        """Take in an answer in one vocabulary.

        A block wins over everything else, in whichever vocabulary.
        """
        verdict = _find_verdict(given)
        word, key = given.get(verdict), _VERDICTS[verdict][1]
        args = given.get(key)
        others = [each for each in _VERDICTS if given.get(each) != word]
        self._report(given, others, f"does not count beside `{verdict}`")
        reason = _find_reason(given, verdict)
        if word == "block":
            self.claim(self.row.blocks, reason or _BLOCKED, "deny")
        elif word == "approve" and verdict == "action":
            self.claim(Stance.ASK, reason or "a shell hook wants a person to approve this", "ask")
        elif word == "modify" and isinstance(args, dict):
            self.rewrite = Rewrite(target="input", value=args, merge=True)
        elif word == "modify":
            self.unsupported.append(f"bad_type: `{key}` must be an object")
        elif word not in _IDLE:
            self.unsupported.append(f"unknown_decision_value: `{verdict}` is `{word!s:.40}`")
        if args is not None and word != "modify":
            self.unsupported.append(f"input: `{key}` counts only with `{verdict}: modify`")

    def _read_redo(self, given: Mapping[str, Any]) -> None:
        """Take in an answer to `pre_verify`: `continue` or `block`, in any case, with a text."""
        for verdict in _VERDICTS:
            word = _find_text(given, verdict).strip().lower()
            if word in ("continue", "block"):
                if reason := _find_reason(given, verdict):
                    self.claim(self.row.blocks, reason, "deny")
                else:
                    why = f"`{verdict}: {word}` has no effect without `message` or `reason`"
                    self.unsupported.append(f"deny: {why}")
                return
        self._report(given, _VERDICTS, f"has no effect on `{self.row.native}`")

    def _report(self, given: Mapping[str, Any], verdicts: Iterable[str], why: str) -> None:
        """Keep in mind what verdicts ask for that does not count."""
        for verdict in verdicts:
            word = given.get(verdict)
            if word not in _IDLE or (verdict, word) == ("action", "approve"):
                effect = _EFFECTS.get(str(word), verdict)
                self.unsupported.append(f"{effect}: `{verdict}: {word!s:.40}` {why}")


def _find_verdict(given: Mapping[str, Any]) -> str:
    """Return the key that says `block`, else the one that is there; Hermes' own comes first."""
    blocking = (verdict for verdict in _VERDICTS if given.get(verdict) == "block")
    return next(blocking, "action" if "action" in given else "decision")


def _find_reason(given: Mapping[str, Any], verdict: str) -> str:
    return _find_text(given, *_VERDICTS[verdict][0])


def _find_text(given: Mapping[str, Any], *keys: str) -> str:
    """Return the text under the first of the keys that has one."""
    values = (given.get(key) for key in keys)
    return next((value for value in values if isinstance(value, str) and value.strip()), "")
