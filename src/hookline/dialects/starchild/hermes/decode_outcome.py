"""Results of Hermes' shell hooks as verdicts: two vocabularies that are not mixed, and stdout that counts at almost every exit."""

from __future__ import annotations

import json

from hookline.core.failure import describe_failure, label
from hookline.dialects.kit.claims import Claims
from hookline.model.event import Rewrite
from hookline.model.frozen import Frozen
from hookline.model.outcome import Failure
from hookline.model.verdict import Stance, Verdict
from hookline.wire.hookoutput import UnreadableError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec

DEFAULT_REASON = "Blocked by shell hook."
_BLOCK = 2  # exit code
_LONGEST = 400  # characters of stderr that become a reason


class _Vocabulary(Frozen):
    """The keys for the verdict, its reason and new arguments. `idle`: verdicts that ask for what happens anyway."""

    verdict: str
    reason: str
    args: str
    idle: tuple[str | None, ...]


_OWN = _Vocabulary(
    verdict="action", reason="message", args="args", idle=(None, "", "allow", "continue")
)
_CLAUDE = _Vocabulary(
    verdict="decision",
    reason="reason",
    args="tool_input",
    idle=(None, "", "allow", "approve", "continue"),
)
_BOTH = (_OWN, _CLAUDE)
_EFFECTS = {"modify": "input", "approve": "ask", "block": "deny"}


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return the verdict of one hook (docs/formats/hermes.md 3, 4)."""
    reader = _Reader(outcome, spec, row, event)
    # A hook that a signal ended is one with an odd exit code: what it had printed still counts.
    if outcome.failure not in (None, Failure.KILLED):
        return reader.fail(describe_failure(outcome))
    if outcome.exit_code == _BLOCK and row.can_block and not row.ignores_exit:
        return reader.read_block()
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
        """Return the verdict of a failure, open or closed; one that is open is a warning on every event."""
        stance, name = self.spec.on_failure, label(self.spec)
        if stance is Stance.SILENT:
            return self.verdict(fault=why, for_user=f"hook `{name}` failed: {why}")
        reason = f"hook {name} failed closed: {why}"
        return self.verdict(stance=stance, reason=reason, fault=why, ends=stance >= Stance.DENY)

    def read_block(self) -> Verdict:
        """Return what exit 2 means."""
        try:
            given = parse_object(self.outcome.stdout)
        except UnreadableError:
            given = {}
        reason = _reason(given, _find_vocabulary(given)) or self.outcome.stderr.strip()[:_LONGEST]
        self.claim(self.row.blocks, reason or DEFAULT_REASON, "deny")
        return self.verdict(ends=True)

    def read(self, text: str) -> None:
        """Take in what stdout says, as the event reads it.

        Raises:
            UnreadableError: it is not what the event wants.
        """
        output = self.row.output
        if output == "rewrite":
            self._read_rewrite(text)
            return
        given = parse_object(text)
        if output == "directive":
            self._read_directive(given)
        elif output == "redo":
            self._read_redo(given)
        else:
            read = ("context",) if output == "context" else ()
            self.context = _text(given, "context") if read else ""
            unread = [key for key in given if key not in read]
            self.unsupported += [f"{key}: `{self.row.native}` does not read it" for key in unread]

    def _read_directive(self, given: Mapping[str, Any]) -> None:
        """Take in an answer in one vocabulary; a block wins over everything else, in whichever vocabulary."""
        read = _find_vocabulary(given)
        other = _CLAUDE if read is _OWN else _OWN
        word, args = given.get(read.verdict), given.get(read.args)
        if word != given.get(other.verdict):
            self._report(given, other, f"does not count beside `{read.verdict}`")
        if word == "block":
            if isinstance(args, dict):
                self.unsupported.append(f"input: `{read.args}` does not count beside a block")
            self.claim(self.row.blocks, _reason(given, read) or DEFAULT_REASON, "deny")
        elif word == "approve" and read is _OWN:
            default = "a shell hook wants a person to approve this"
            self.claim(Stance.ASK, _reason(given, read) or default, "ask")
        elif word == "modify" and isinstance(args, dict):
            self.rewrite = Rewrite(target="input", value=args, merge=True)
        elif word == "modify":
            self.unsupported.append(f"bad_type: `{read.args}` must be an object")
        elif word not in (None, "allow", "approve", "continue"):
            self.unsupported.append(f"unknown_decision_value: `{read.verdict}` is `{word!s:.40}`")
        elif args is not None:
            why = f"`{read.args}` counts only with `{read.verdict}: modify`"
            self.unsupported.append(f"input: {why}")

    def _read_redo(self, given: Mapping[str, Any]) -> None:
        """Take in an answer to `pre_verify`: `continue` or `block`, in any letter case, with a text."""
        for read in _BOTH:
            word = given.get(read.verdict)
            word = word.strip().lower() if isinstance(word, str) else ""
            if word in ("continue", "block"):
                if reason := _reason(given, read):
                    self.claim(self.row.blocks, reason, "deny")
                else:
                    why = f"`{read.verdict}: {word}` has no effect without `message` or `reason`"
                    self.unsupported.append(f"deny: {why}")
                return
        for each in _BOTH:
            self._report(given, each, f"has no effect on `{self.row.native}`")

    def _read_rewrite(self, text: str) -> None:
        """Take in a new text: a JSON text, or an object that has it under the event's own key.

        Raises:
            UnreadableError: stdout is neither.
        """
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = parse_object(text)  # it says what is wrong
        if isinstance(value, dict):
            for each in _BOTH:
                self._report(value, each, f"has no effect on `{self.row.native}`")
            found = (value.get(key) for key in (self.row.rewrites, "text", "content"))
            value = next((part for part in found if isinstance(part, str)), "")
        elif not isinstance(value, str):
            raise UnreadableError("stdout is JSON, but neither text nor an object")
        if value:
            target = "text" if "text" in self.row.powers else "output"
            self.rewrite = Rewrite(target=target, value=value)

    def _report(self, given: Mapping[str, Any], vocabulary: _Vocabulary, why: str) -> None:
        """Keep in mind what a verdict asks for that does not count."""
        word = given.get(vocabulary.verdict)
        if word not in vocabulary.idle:
            effect = _EFFECTS.get(str(word), vocabulary.verdict)
            self.unsupported.append(f"{effect}: `{vocabulary.verdict}: {word!s:.40}` {why}")


def _find_vocabulary(given: Mapping[str, Any]) -> _Vocabulary:
    """Return the vocabulary that says `block`, else the one whose verdict is there; Hermes' own comes first."""
    blocking = (each for each in _BOTH if given.get(each.verdict) == "block")
    return next(blocking, _OWN if _OWN.verdict in given else _CLAUDE)


def _reason(given: Mapping[str, Any], vocabulary: _Vocabulary) -> str:
    """Return the text of that vocabulary, or else of the other one."""
    other = _CLAUDE if vocabulary is _OWN else _OWN
    return _text(given, vocabulary.reason) or _text(given, other.reason)


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) and value.strip() else ""
