"""Results of Claude Code's hooks: the exit code, and one object (docs/formats/claude-code.md 5)."""

from __future__ import annotations

import re

from hookline.core.failure import describe_failure, label, make_failed_verdict, show_failure
from hookline.dialects.claude_code.table import KEYS
from hookline.dialects.kit.answer import Answer, AnswerFormat, find_text_fault, to_verdict
from hookline.model.kinds import kind
from hookline.model.spec import HookSpec, Http, Model
from hookline.model.verdict import Failure, Outcome, Stance, Verdict
from hookline.wire.hookoutput import UnreadableError, parse_object, split_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event

_ANSWERS = ("accept", "decline", "cancel")
_PERMISSIONS = ("allow", "ask", "deny", "defer")
# OSC 0, 1, 2, 9, 99, 777 and BEL; the host lets nothing else reach the terminal.
_SEQUENCE = r"(?:\x07|\x1b\](?:0|1|2|9|99|777);[^\x07\x1b]*(?:\x07|\x1b\\))+"
# These two tools ask a person; only an allow that brings the answers along replaces that.
_ANSWERED_BY_INPUT = ("AskUserQuestion", "ExitPlanMode")
_BLOCKS = 2


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return what a hook means."""
    if outcome.failure is not None:
        return _fail(outcome, spec, row)
    if type(spec.handler) is Model:
        return _decode_reply(outcome, spec, row)
    if "rewake" not in spec.facts or outcome.exit_code != _BLOCKS:
        return _decode_output(outcome, spec, row, event)
    # Exit 2 of an `asyncRewake` hook refuses nothing: it wakes the model, with stderr as a
    # reminder.
    texts = spec.facts["rewake"]
    message = texts["message"] or texts["summary"] or f"hook `{label(spec)}` has a result"
    verdict = _decode_output(outcome.replace(exit_code=0), spec, row, event)
    wake = {
        "message": "\n".join(filter(None, (message, outcome.stderr.strip()))),
        "summary": texts["summary"],
    }
    return verdict.replace(exit_code=_BLOCKS, effects={**verdict.effects, "wake": wake})


def _decode_output(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    answer = Answer(_FORMAT, outcome, spec, row, event)
    text = outcome.stdout.strip().removeprefix("\ufeff").lstrip()
    answered = text.startswith("{") and text.endswith("}")
    fault = "" if answered else find_text_fault(text, outcome, spec)
    try:
        if answered:
            answer.read(parse_object(text))
    except UnreadableError as error:
        answer, answered, fault = Answer(_FORMAT, outcome, spec, row, event), False, str(error)
    if text and not answered and type(spec.handler) is Http:
        return _fail(outcome, spec, row, fault or "its answer is JSON, but no object")
    code, stderr = outcome.exit_code or 0, outcome.stderr.strip()
    if code and (row.nonzero or code == _BLOCKS):
        reason = stderr or ("" if code == _BLOCKS else describe_failure(outcome))
        if not row.can_block or row.ignores_exit or answer.is_spared:
            answer.unsupported.append("deny")
            answer.notes += [reason] if reason else []
        else:
            answer.claim(row.blocks, reason, "deny")
        return answer.verdict()
    if code and (not answered or (spec.strict and not answer.claims)):
        return _fail(outcome, spec, row)
    if fault:
        return _fail(outcome, spec, row, fault)
    # Text that is no JSON: context on four events, a path on one, elsewhere a log.
    if not answered and row.plain_context:
        answer.context = text
    elif not answered and text and "worktreePath" in row.reads:
        answer.effects["path"] = split_lines(text)[-1].strip()
    return answer.verdict()


def _decode_reply(outcome: Outcome, spec: HookSpec, row: EventRow) -> Verdict:
    """Return what a model's reply means (docs/formats/claude-code.md 4).

    What `ok: false` means is the event's `judged`, and `continueOnBlock` feeds it back.
    `impossible`, which lets the agent stop, counts only where the judgement is the whole reply.
    """
    # Few hooks ask a model.
    from hookline.dialects.kit.remote_hook import read_reply  # noqa: PLC0415
    from hookline.wire.model_replies import read_flag  # noqa: PLC0415 - as above

    try:
        refused, chosen, alone = read_reply(outcome.stdout, "ok")
        impossible = alone and read_flag(chosen.get("impossible") or False, "impossible")
    except UnreadableError as error:
        return show_failure(make_failed_verdict(spec, outcome, str(error)), spec)
    reason = chosen.get("reason")
    reason = reason.strip() if isinstance(reason, str) else ""
    stance = row.judged if refused else Stance.SILENT
    if stance is Stance.HALT and spec.facts.get("continue_on_block"):
        stance = Stance.DENY
    if stance and impossible and kind(row.kind).redo:
        why = f"what it asks for is impossible: {reason or 'no reason given'}"
        note = f"hook `{label(spec)}` lets it stop, because {why}"
        return to_verdict(spec, outcome, for_user=note)
    reason = reason or f"blocked by hook `{label(spec)}`"
    return to_verdict(spec, outcome, stance=stance, reason=reason if stance else "")


def _fail(outcome: Outcome, spec: HookSpec, row: EventRow, fault: str = "") -> Verdict:
    """Return what `on_failure` says of a failure, or more where the event does not forgive it."""
    unforgiven = {
        Failure.TIMED_OUT: row.timed_out,
        Failure.UNSERIALISABLE: row.unmatched,
        Failure.NOT_STARTED: row.nonzero,
        Failure.KILLED: row.nonzero,
    }
    silent = Stance.SILENT
    least = silent if outcome.failure is None else unforgiven.get(outcome.failure, silent)
    closed = spec.replace(on_failure=max(spec.on_failure, least))
    # The host shows an error that blocks nothing on every event.
    return show_failure(make_failed_verdict(closed, outcome, fault), spec)


# -- keys that Claude Code reads in its own way ----------------------------------------------------


def _read_terminal(answer: Answer, sequence: str, _given: Mapping[str, Any]) -> None:
    if re.fullmatch(_SEQUENCE, sequence):  # compiled by the first hook that prints one
        answer.effects["terminal_sequence"] = sequence
    else:
        answer.unsupported.append("terminal_sequence")


def _read_permission(answer: Answer, word: str, given: Mapping[str, Any]) -> None:
    if word not in _PERMISSIONS:
        raise UnreadableError(f"unknown permission decision `{word}`")
    needs_input = answer.event.tool in _ANSWERED_BY_INPUT and word == "allow"
    if word not in answer.row.verdicts or (needs_input and given.get("updatedInput") is None):
        answer.unsupported.append(word)
        return
    answer.decide(word, answer.row.verdicts, given.get("permissionDecisionReason") or answer.reason)
    if word == "defer":
        answer.effects["defer"] = True


def _read_content(answer: Answer, _value: object, given: Mapping[str, Any]) -> None:
    """Take in the answer to an elicitation."""
    if given.get("action", "accept") not in _ANSWERS:
        raise UnreadableError(f"unknown action `{given['action']}`")
    kept = {key: given[key] for key in ("action", "content") if given.get(key) is not None}
    answer.effects["content"] = kept


_FORMAT = AnswerFormat(
    keys=KEYS,
    top={"terminalSequence": str},
    words={"approve": "allow", "block": "deny"},
    checked=True,
    named=True,
    readers={
        "terminalSequence": _read_terminal,
        "permissionDecision": _read_permission,
        "action": _read_content,
        "content": _read_content,
    },
)
