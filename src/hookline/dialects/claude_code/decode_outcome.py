"""What a Claude Code hook meant: its exit code, and the one JSON object that it may have printed (docs/formats/claude-code.md 8)."""

from __future__ import annotations

import re

from hookline.core.failure import OVERFLOWED, aloud, describe, failed, label
from hookline.dialects.claude_code.table import (
    ALLOW,
    ASK,
    DENY,
    EFFECTS,
    HALT,
    POWERS,
    REWRITES,
    SILENT,
)
from hookline.model.event import Rewrite
from hookline.model.handler import Http, Model
from hookline.model.outcome import Failure
from hookline.model.verdict import Verdict
from hookline.wire.hookoutput import (
    UnreadableError,
    has_object_start,
    parse_object,
    select_typed,
    split_lines,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Stance

_TOP: Mapping[str, type] = {
    "continue": bool, "stopReason": str, "suppressOutput": bool, "systemMessage": str, "terminalSequence": str,
    "decision": str, "reason": str, "hookSpecificOutput": dict,
}  # fmt: skip
_SPECIFIC: Mapping[str, type] = {
    "hookEventName": str, "permissionDecision": str, "permissionDecisionReason": str, "updatedInput": dict,
    "additionalContext": str, "displayContent": str, "decision": dict, "retry": bool, "action": str, "content": dict,
    "sessionTitle": str, "watchPaths": list, "worktreePath": str, "initialUserMessage": str, "reloadSkills": bool,
    "suppressOriginalPrompt": bool, "classifierContext": str,
}  # fmt: skip
_REQUEST: Mapping[str, type] = {
    "behavior": str, "updatedInput": dict, "updatedPermissions": list, "message": str, "interrupt": bool,
}  # fmt: skip
# Every word that some event knows; what it means is a column of the row.
_WORDS = {"approve": "allow", "block": "deny"}
_PERMISSIONS = ("allow", "ask", "deny", "defer")
_ANSWERS = ("accept", "decline", "cancel")
# Keys that only explain another.
_COMPANIONS = ("hookEventName", "permissionDecisionReason")
# OSC 0, 1, 2, 9, 99, 777 and BEL; nothing else reaches the terminal (rule 5).
_SEQUENCE = r"(?:\x07|\x1b\](?:0|1|2|9|99|777);[^\x07\x1b]*(?:\x07|\x1b\\))+"
# These two tools ask a person; only an allow that brings the answers along replaces that (docs/formats/claude-code.md 8).
_ANSWERED_BY_INPUT = ("AskUserQuestion", "ExitPlanMode")
_BLOCKS = 2


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """The verdict of one hook."""
    if outcome.failure is not None:
        return _failed(outcome, spec, row)
    if type(spec.handler) is Model:
        from hookline.dialects.claude_code import prompt_hook  # noqa: PLC0415 - few hooks ask a model

        return prompt_hook.decode_reply(outcome, spec, row)
    if "rewake" in spec.facts and outcome.exit_code == _BLOCKS:
        return _woken(outcome, spec, row, event)
    return _heard(outcome, spec, row, event)


def _woken(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Exit 2 of an `asyncRewake` hook refuses nothing: it wakes the model, with stderr as a reminder (2.4)."""
    said = spec.facts["rewake"]
    words = (
        said["message"] or said["summary"] or f"hook `{label(spec)}` wants to be heard",
        outcome.stderr.strip(),
    )
    verdict = _heard(outcome.replace(exit_code=0), spec, row, event)
    wake = {"message": "\n".join(filter(None, words)), "summary": said["summary"]}
    return verdict.replace(exit_code=_BLOCKS, effects={**verdict.effects, "wake": wake})


def _heard(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    reader = _Reader(outcome, spec, row, event)
    text = outcome.stdout.strip().removeprefix("\ufeff").lstrip()
    printed_json = text.startswith("{") and text.endswith("}")
    try:
        if printed_json:
            reader.answer(parse_object(text))
    except UnreadableError as error:
        reader = _Reader(outcome, spec, row, event)
        return reader.by_exit(str(error), answered=False)
    if text and not printed_json and type(spec.handler) is Http:
        return _failed(outcome, spec, row, "its answer is JSON, but no object")
    if not printed_json and not outcome.exit_code:
        if spec.strict and has_object_start(text):
            return _failed(outcome, spec, row, "its stdout holds JSON, but is not one object")
        reader.plain(text)
    return reader.by_exit("", answered=printed_json)


def _failed(outcome: Outcome, spec: HookSpec, row: EventRow, fault: str = "") -> Verdict:
    """A failure is what `on_failure` says, or more where the event does not forgive that one."""
    unforgiven = SILENT
    if outcome.failure is Failure.TIMED_OUT:
        unforgiven = row.timed_out
    elif outcome.failure is Failure.UNSERIALISABLE:
        unforgiven = row.unmatched
    elif outcome.failure in (Failure.NOT_STARTED, Failure.KILLED):
        unforgiven = row.nonzero
    # An error that blocks nothing is shown on every event (rule 3).
    return aloud(
        failed(spec.replace(on_failure=max(spec.on_failure, unforgiven)), outcome, fault), spec
    )


class _Reader:
    """Collects what one hook claims; the strongest claim is its stance, the first of equals its reason."""

    def __init__(self, outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> None:
        self.outcome = outcome
        self.spec = spec
        self.row = row
        self.event = event
        fact, value = row.spared
        self.spared = bool(fact) and event.body.value(fact) == value
        self.claims: list[tuple[Stance, str]] = []
        self.notes: list[str] = []
        self.unsupported: list[str] = []
        self.effects: dict[str, Any] = {}
        self.rewrite: Rewrite | None = None
        self.context = ""
        self.retry_after: float | None = None

    # -- exit codes ------------------------------------------------------------------------------------------------

    def by_exit(self, unreadable: str, *, answered: bool) -> Verdict:
        """The verdict, once the exit code has had its say (rules 2 and 3)."""
        code, stderr = self.outcome.exit_code or 0, self.outcome.stderr.strip()
        if code and (self.row.nonzero or code == _BLOCKS):
            self._refuse(stderr or ("" if code == _BLOCKS else describe(self.outcome)))
            return self._said()
        if unreadable and not code:
            return _failed(self.outcome, self.spec, self.row, unreadable)
        if code and (not answered or (self.spec.strict and not self.claims)):
            return _failed(self.outcome, self.spec, self.row)
        if self.outcome.truncated and not answered:
            return _failed(self.outcome, self.spec, self.row, OVERFLOWED)
        return self._said()

    def _refuse(self, words: str) -> None:
        if self.row.blocks is SILENT or self.row.ignores_exit or self.spared:
            self.unsupported.append("deny")
            self.notes += [words] if words else []
        else:
            self._claim(self.row.blocks, words)

    def plain(self, text: str) -> None:
        """Text that is no JSON: context on four events, a path on one, elsewhere a log."""
        if self.row.plain_context:
            self.context = text
        elif text and "worktreePath" in self.row.reads:
            self.effects["path"] = split_lines(text)[-1].strip()

    # -- the answer ------------------------------------------------------------------------------------------------

    def answer(self, given: dict[str, Any]) -> None:
        """Take in an output object.

        Raises:
            UnreadableError: a value that the host's own check refuses.
        """
        top = select_typed(given, _TOP)
        self.unsupported += [key for key in top if key not in _TOP]
        if top.get("systemMessage"):
            self.notes.append(top["systemMessage"])
        if top.get("continue") is False:
            self._halt(top.get("stopReason", ""))
        if sequence := top.get("terminalSequence"):
            self._terminal(sequence)
        if word := top.get("decision"):
            self._decision(word, top.get("reason", ""))
        if specific := top.get("hookSpecificOutput"):
            self._specific(specific, top.get("reason", ""))

    def _halt(self, reason: str) -> None:
        if "halt" in self.row.powers:
            self._claim(HALT, reason)
        else:
            self.unsupported.append("halt")

    def _terminal(self, sequence: str) -> None:
        if re.fullmatch(_SEQUENCE, sequence):  # compiled by the first hook that prints one
            self.effects["terminal_sequence"] = sequence
        else:
            self.unsupported.append("terminal_sequence")

    def _decision(self, word: str, reason: str) -> None:
        if word not in _WORDS:
            raise UnreadableError(f"unknown decision `{word}`")
        if word in self.row.words:
            self._claim(self.row.words[word], reason)
        else:
            self.unsupported.append(_WORDS[word])

    def _specific(self, given: Mapping[str, Any], reason: str) -> None:
        if given.get("hookEventName") != self.row.native:
            self.unsupported.append("hookSpecificOutput")
            return
        read = select_typed(
            {key: value for key, value in given.items() if key in self.row.reads}, _SPECIFIC
        )
        self.unsupported += [
            _effect(key, value) for key, value in given.items() if self._is_lost(key, value)
        ]
        if word := read.get("permissionDecision"):
            self._permission(
                word,
                read.get("permissionDecisionReason") or reason,
                has_input="updatedInput" in read,
            )
        if "decision" in read:
            self._request(select_typed(read["decision"], _REQUEST))
        target = next(((REWRITES[key], read[key]) for key in REWRITES if key in read), None)
        if target is not None:
            self.rewrite = Rewrite(target=target[0], value=target[1])
        self.context = read.get("additionalContext", "")
        self.retry_after = 0.0 if read.get("retry") else None
        self.effects |= {effect: read[key] for key, effect in EFFECTS.items() if read.get(key)}
        if "action" in read or "content" in read:
            self._elicited(read)

    def _is_lost(self, key: str, value: Any) -> bool:
        return (
            key not in self.row.reads
            and key not in _COMPANIONS
            and value not in (None, "", False, [], {})
        )

    def _permission(self, word: str, reason: str, *, has_input: bool) -> None:
        if word not in _PERMISSIONS:
            raise UnreadableError(f"unknown permission decision `{word}`")
        needs_input = self.event.tool in _ANSWERED_BY_INPUT and word == "allow"
        if word not in self.row.verdicts or (needs_input and not has_input):
            self.unsupported.append(word)
            return
        self._claim(self.row.verdicts[word], reason)
        if word == "defer":
            self.effects["defer"] = True

    def _request(self, decision: Mapping[str, Any]) -> None:
        """The decision object of `PermissionRequest`."""
        behavior = decision.get("behavior")
        if behavior not in ("allow", "deny"):
            raise UnreadableError("`decision.behavior` must be `allow` or `deny`")
        allows = behavior == "allow"
        self._claim(
            ALLOW if allows else HALT if decision.get("interrupt") else DENY,
            decision.get("message", ""),
        )
        self.unsupported += [key for key in decision if key not in _REQUEST]
        if "updatedInput" in decision and allows:
            self.rewrite = Rewrite(target="input", value=decision["updatedInput"])
        if decision.get("updatedPermissions") and allows:
            self.effects["grant"] = decision["updatedPermissions"]
        if not allows:
            self.unsupported += [power for key, power in _WITH_ALLOW.items() if decision.get(key)]

    def _elicited(self, read: Mapping[str, Any]) -> None:
        if read.get("action", "accept") not in _ANSWERS:
            raise UnreadableError(f"unknown action `{read['action']}`")
        self.effects["content"] = {key: read[key] for key in ("action", "content") if key in read}

    # -- the verdict -----------------------------------------------------------------------------------------------

    def _claim(self, stance: Stance, reason: str) -> None:
        if stance is DENY and self.spared:
            self.unsupported.append("deny")
        else:
            self.claims.append((stance, reason))

    def _said(self) -> Verdict:
        stance = max((stance for stance, _ in self.claims), default=SILENT)
        reason = next(
            (reason for claimed, reason in self.claims if claimed is stance and reason), ""
        )
        if stance > ASK and not reason:
            reason = next(iter(self.notes), f"blocked by hook `{label(self.spec)}`")
        return Verdict(
            hook_id=self.spec.id,
            stance=stance,
            reason=reason,
            rewrite=self.rewrite,
            for_agent=self.context,
            for_user="\n".join(self.notes),
            retry_after=self.retry_after,
            effects=self.effects,
            unsupported=tuple(self.unsupported),
            exit_code=self.outcome.exit_code,
            seconds=self.outcome.seconds,
            shadow=self.spec.shadow,
        )


_WITH_ALLOW = {"updatedInput": "input", "updatedPermissions": "grant"}


def _effect(key: str, value: Any) -> str:
    """What an unread key asked for, in the words of the vocabulary where these have one."""
    if key == "permissionDecision" and value in _PERMISSIONS:
        return str(value)
    return POWERS.get(key, key)
