"""What a Copilot hook meant: its exit code, and the one JSON object that it printed beside progress lines (docs/formats/comparison.md 2; docs/formats/copilot.md 5, 6)."""

from __future__ import annotations

import json

from hookline.core.failure import (
    OVERFLOWED,
    describe_failure,
    label,
    make_failed_verdict,
    show_failure,
)
from hookline.dialects.copilot.table import ALLOW, ASK, DENY, HALT, POWERS, SILENT
from hookline.dialects.kit.claims import Claims
from hookline.model.event import Rewrite
from hookline.model.outcome import Failure
from hookline.wire.hookoutput import (
    NoObjectError,
    UnreadableError,
    has_object_start,
    parse_object,
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
    from hookline.model.verdict import Stance, Verdict

_TYPES: Mapping[str, type] = {
    "permissionDecision": str, "permissionDecisionReason": str, "modifiedArgs": dict, "modifiedResult": dict,
    "modifiedPrompt": str, "modifiedTransformedPrompt": str, "modifiedResponse": str, "additionalContext": str,
    "behavior": str, "message": str, "interrupt": bool, "decision": str, "reason": str,
}  # fmt: skip
# Key that decides -> its words, and the key of the reason.
_DECIDING: Mapping[str, tuple[Mapping[str, Stance], str]] = {
    "permissionDecision": ({"allow": ALLOW, "ask": ASK, "deny": DENY}, "permissionDecisionReason"),
    "behavior": ({"allow": ALLOW, "deny": DENY}, "message"),
    "decision": ({"allow": SILENT, "block": DENY}, "reason"),
}
# Output keys that only explain another.
_COMPANIONS = ("permissionDecisionReason", "message", "reason", "hookEventName", "interrupt")
_REWRITES = ("modifiedArgs", "modifiedTransformedPrompt")
_NESTED = "hookSpecificOutput"
_REFUSES = 2


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """The verdict of one hook."""
    if outcome.failure is Failure.TIMED_OUT and not spec.strict:
        # A timeout fails open on every event, `preToolUse` and policy included (docs/formats/comparison.md 4).
        return show_failure(make_failed_verdict(spec.replace(on_failure=SILENT), outcome), spec)
    if outcome.failure is not None:
        return show_failure(make_failed_verdict(spec, outcome), spec)
    reader = _Reader(outcome, spec, row, event)
    text = _without_progress(outcome.stdout).strip().removeprefix("\ufeff").strip()
    return reader.by_exit(text) if outcome.exit_code else reader.output(text)


def _without_progress(stdout: str) -> str:
    """The output without the lines that tell how the hook is getting on, which are over by the time that it is read."""
    if '"progress"' not in stdout:
        return stdout
    return "\n".join(line for line in split_lines(stdout) if not _is_progress(line))


def _is_progress(line: str) -> bool:
    try:
        return line.strip().startswith("{") and json.loads(line).get("type") == "progress"
    except (ValueError, RecursionError):
        return False


class _Reader(Claims):
    """Reads one outcome."""

    # -- exit codes ------------------------------------------------------------------------------------------------

    def by_exit(self, text: str) -> Verdict:
        """The verdict of a hook that ended with another code than 0."""
        refuses = self.outcome.exit_code == _REFUSES
        if self._refuses(on_purpose=refuses):
            return self._refused(text, told=refuses)
        if refuses and self.row.shows:
            return self.verdict(for_agent=text)
        verdict = make_failed_verdict(self.spec, self.outcome)
        words = self.outcome.stderr.strip()
        if refuses and words and verdict.stance is SILENT:
            return verdict.replace(for_user=words)
        return show_failure(verdict, self.spec)

    def _refuses(self, *, on_purpose: bool) -> bool:
        """Whether a code other than 0 refuses: 2, which is on purpose, or any."""
        return (
            (self.row.can_block and not self.row.ignores_exit)
            if on_purpose
            else bool(self.row.nonzero)
        )

    def _refused(self, text: str, *, told: bool) -> Verdict:
        """A refusal by exit code: what was printed, with a denial merged into it. `told`: on purpose, and no crash."""
        key = next(key for key in ("permissionDecision", "behavior") if key in self.row.reads)
        try:
            given = parse_object(text) if text else {}
        except UnreadableError:
            given = {}
        self._answer({**given, key: "deny"})
        self.rewrite = None
        stance, reason = self.claims[0]
        if not reason and not told:
            reason = f"hook `{label(self.spec)}` failed: {describe_failure(self.outcome)}"
        elif not reason and key == "permissionDecision":  # the other event ignores stderr
            reason = self.outcome.stderr.strip()
        self.claims = [(stance, reason)]
        return self.verdict(fault=None if told else describe_failure(self.outcome))

    # -- the answer ------------------------------------------------------------------------------------------------

    def output(self, text: str) -> Verdict:
        """The verdict of exit 0: what is no JSON object is no answer."""
        try:
            self._answer(parse_object(text) if text else {})
        except UnreadableError as error:
            if self.outcome.truncated:
                return self._unread(OVERFLOWED)
            if has_object_start(text) or isinstance(error, NoObjectError):
                return self._unread(str(error))
        return self.verdict()

    def _unread(self, words: str) -> Verdict:
        """An answer that cannot be read: to the host none at all, and in strict mode no yes."""
        spec = self.spec if self.spec.strict else self.spec.replace(on_failure=SILENT)
        return show_failure(make_failed_verdict(spec, self.outcome, words), self.spec)

    def _answer(self, given: Mapping[str, Any]) -> None:
        top = dict(given)
        # Files with PascalCase keys are Claude's and VS Code's as well, and so is what their hooks print.
        nested = top.pop(_NESTED, None) if self.row.native == self.row.called else None
        if isinstance(nested, dict):
            top = {**nested, **top}
        read = {key: value for key, value in top.items() if self._counts(key, value)}
        for key, (words, reason) in _DECIDING.items():
            if key in read:
                self._decide(
                    read[key], words, str(read.get(reason, "")), halts=read.get("interrupt") is True
                )
        for key in _REWRITES:
            if key in read:
                self.rewrite = Rewrite(target=POWERS[key], value=read[key])
        if "modifiedResult" in read:
            self._result(read["modifiedResult"])
        if read.get("modifiedResponse"):
            self._response(read["modifiedResponse"])
        self.context = str(read.get("additionalContext", ""))

    def _counts(self, key: str, value: Any) -> bool:
        """Whether a key says something here; what says something that nobody hears is kept in mind."""
        if value is None:
            return False
        if key not in self.row.reads:
            if key not in _COMPANIONS and value not in ("", False, [], {}):
                self.unsupported.append(_unread_key(key, value))
            return False
        if not isinstance(value, _TYPES[key]):
            self.unsupported.append(
                f"{POWERS.get(key, key)}: `{key}` has a value of the wrong type"
            )
            return False
        if key == "modifiedTransformedPrompt" and not value:
            self.unsupported.append(
                "text: an empty prompt is refused, so the prompt stays as it is"
            )
            return False
        return True

    def _decide(self, word: str, words: Mapping[str, Stance], reason: str, *, halts: bool) -> None:
        if word not in words:
            self.unsupported.append(f"{word}: `{word}` is no decision here")
            return
        stance = words[word]
        if stance is not SILENT:
            self.claims.append((HALT if stance is DENY and halts else stance, reason))

    def _result(self, given: Mapping[str, Any]) -> None:
        """A new result: its text; and that it is a failure after all, which raises `postToolUseFailure` in the host."""
        text = given.get("textResultForLlm", given.get("text_result_for_llm"))
        if not isinstance(text, str):
            self.unsupported.append("output: `modifiedResult` needs `textResultForLlm`, a text")
            return
        self.rewrite = Rewrite(target="output", value=text)
        kind = given.get("resultType", given.get("result_type", "success"))
        if kind != "success":
            self.effects["result_type"] = kind

    def _response(self, text: str) -> None:
        if any(stance is DENY for stance, _ in self.claims):
            self.unsupported.append(
                "response: an agent that goes on has no last word to be rewritten"
            )
        else:
            self.effects["response"] = text


# What hooks of other hosts ask for in keys that the CLI does not read -> the effect.
_ELSEWHERE: Mapping[str, str] = {
    "updatedInput": "input",
    "systemMessage": "note",
    "continue": "halt",
}


def _unread_key(key: str, value: Any) -> str:
    """What a key asked for that the event does not read, in the words of the vocabulary where these have one."""
    if key in _DECIDING and isinstance(value, str):
        word = "deny" if value == "block" else value
        return f"{word}: `{key}` is not read on this event"
    return f"{POWERS.get(key) or _ELSEWHERE.get(key, key)}: `{key}` is not read on this event"
