"""Results of Starchild's shell hooks as verdicts: exit code, output object, and what a failure means."""

from __future__ import annotations

from hookline.core.failure import describe_failure, label
from hookline.dialects.kit.claims import Claims
from hookline.model.event import Rewrite
from hookline.model.handler import Http
from hookline.model.outcome import Failure
from hookline.model.verdict import Stance, Verdict
from hookline.wire.hookoutput import NoObjectError, UnreadableError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec

DEFAULT_REASON = "Blocked by a hook"
NOTE_GAP = "\n\n"  # between a tool's result and a note at its end
_BLOCK = 2  # exit code
# What docs/formats/starchild.md 5 calls a failure, where hookline calls it otherwise.
FAILURES: Mapping[Failure, str] = {
    Failure.TIMED_OUT: "timeout",
    Failure.NOT_STARTED: "spawn_error",
    Failure.KILLED: "killed_by_signal",
    Failure.FLOODED: "output_too_large",
    Failure.UNREADABLE: "invalid_utf8",
    Failure.UNLOADABLE: "refused_entry",
    Failure.REJECTED: "http_status",
    Failure.UNTRUSTED: "not_approved",
}
# Keys of the output, of Starchild's own and of Claude Code's, and their types.
OWN: Mapping[str, type] = {
    "decision": object, "reason": object, "stopReason": object, "suppressOutput": object, "tool_result": object,
    "evidence": object, "tag": str, "code": str, "tool_input": dict, "message": str, "notification": str, "response": str,
    "context": str, "systemMessage": str, "add_warning": str, "continue": bool, "hookSpecificOutput": dict,
}  # fmt: skip
SPECIFIC: Mapping[str, type] = {
    "hookEventName": object, "permissionDecision": object, "permissionDecisionReason": object, "additionalContext": str,
    "updatedInput": dict,
}  # fmt: skip
_NOUNS: Mapping[type, str] = {dict: "an object", str: "text", bool: "true or false"}
_TEXTS = ("message", "notification", "response")  # keys that replace a text
_EVIDENCE = ("evidence", "tag", "code")
_MISREAD = ("unknown_decision_value", "bad_type")  # failures in strict mode


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return the verdict of one hook (docs/formats/starchild.md 5)."""
    reader = _Reader(outcome, spec, row, event)
    failure = outcome.failure
    if failure is Failure.UNREADABLE and isinstance(spec.handler, Http):
        return reader.fail("non_json_response")
    if failure is not None:
        return reader.fail(FAILURES.get(failure, failure.name.lower()))
    if outcome.exit_code == _BLOCK:
        return reader.read_block()
    if outcome.exit_code != 0:
        return reader.fail("nonzero_exit")
    if outcome.truncated:
        return reader.fail("output_too_large", "more than 1 MiB on a stream")
    return reader.read_output()


class _Reader(Claims):
    """Reads one outcome. Claude Code's keys count like Starchild's own (docs/formats/starchild.md 5.1, 5.2)."""

    own: Mapping[str, Any]
    specific: Mapping[str, Any]

    def conclude(self, stance: Stance = Stance.SILENT, **fields: Any) -> Verdict:
        """Return the verdict; unless all hooks of the event run, a denial ends the round."""
        ends = stance >= Stance.DENY and not self.row.all_run
        return self.verdict(stance=stance, ends=ends, **fields)

    def fail(self, name: str, detail: str = "") -> Verdict:
        """Return the verdict of a failure: what `on_error` says (docs/formats/starchild.md 5, 7)."""
        failure, stance = self.outcome.failure, self.spec.on_failure
        if self.spec.facts.get("role") == "guard":
            # A guard that cannot run refuses its event, whatever its `on_error`
            # (docs/formats/starchild.md 6).
            is_missing = failure in (Failure.UNTRUSTED, Failure.UNLOADABLE)
            stance = max(stance, self.row.blocks) if is_missing else stance
        fault = f"{name}: {detail or describe_failure(self.outcome)}"
        words = f"hook `{label(self.spec)}` failed: {fault}"
        self.unsupported.clear()
        if stance is Stance.SILENT:
            return self.conclude(for_user=words if self.row.can_block else "", fault=fault)
        reason = "policy hook not approved" if failure is Failure.UNTRUSTED else words
        return self.conclude(stance, reason=reason, fault=fault)

    def read_block(self) -> Verdict:
        """Return what exit 2 means; of stdout only a reason, evidence and notes count."""
        if not self.row.can_block:
            self.lose("deny", "exit code 2")
            return self.conclude()
        try:
            self._select(parse_object(self.outcome.stdout))
        except UnreadableError:
            self._select({})
        self.unsupported.clear()
        reason = next(filter(None, self._reasons()), "") or self.outcome.stderr.strip()
        return self.conclude(
            self.row.blocks,
            reason=reason or DEFAULT_REASON,
            for_user=self._note(),
            evidence=self._evidence(),
        )

    def read_output(self) -> Verdict:
        """Return what the object on stdout says."""
        text = self.outcome.stdout
        if not text.replace("\ufeff", "").strip():
            return self.conclude()
        try:
            self._select(parse_object(text))
        except NoObjectError as error:
            return self.fail("non_object_json", str(error))
        except UnreadableError as error:
            # Bytes that are no UTF-8 come as the replacement character; inside a readable object
            # they do no harm.
            return self.fail("invalid_utf8" if "\ufffd" in text else "non_json_stdout", str(error))
        stance, reason = self._stance()
        misread = [entry for entry in self.unsupported if entry.startswith(_MISREAD)]
        if misread and self.spec.strict:
            name, _, why = misread[0].partition(": ")
            return self.fail(name, why)
        note = self._honour("note", self._note(), "systemMessage")
        rewrite = self._rewrite()
        result = rewrite.value if rewrite else self.event.body.value("result")
        if self.row.appends and note and isinstance(result, str):
            value = f"{result}{NOTE_GAP}{note}" if result else note
            rewrite = Rewrite(target="output", value=value)
        context = _join(self.own.get("context"), self.specific.get("additionalContext"))
        return self.conclude(
            stance,
            reason=reason,
            # A block wins over a rewrite in the same output.
            rewrite=None if stance >= Stance.DENY else rewrite,
            for_agent=self._honour("context", context, "context"),
            for_user=note,
            evidence=self._evidence(),
            unsupported=tuple(self.unsupported),
        )

    def _honour(self, power: str, text: str, key: str) -> str:
        """Return the text if the event honours it; else nothing."""
        if text and power not in self.row.powers:
            self.lose(power, f"`{key}`")
            return ""
        return text

    def lose(self, effect: str, what: str) -> None:
        """Keep in mind what the event does not honour."""
        why = f"capability_not_supported: `{self.row.native}` does not honour {what}"
        self.unsupported.append(f"{effect}: {why}")

    # -- parts of the output ---------------------------------------------------------------------------------------

    def _select(self, given: Mapping[str, Any]) -> None:
        """Keep the entries that have the type of their key. Null counts as nothing."""
        self.own = self._of_type(given, OWN)
        self.specific = self._of_type(self.own.get("hookSpecificOutput", {}), SPECIFIC)

    def _of_type(self, given: Mapping[str, Any], types: Mapping[str, type]) -> dict[str, Any]:
        good: dict[str, Any] = {}
        for key, value in given.items():
            if key not in types:
                self.unsupported.append(f"{key}: it is no key of the output")
            elif value is not None and not isinstance(value, types[key]):
                self.unsupported.append(f"bad_type: `{key}` must be {_NOUNS[types[key]]}")
            elif value is not None:
                good[key] = value
        return good

    def _reasons(self) -> tuple[str, str, str]:
        own, specific = self.own, self.specific
        texts = (own.get("reason"), specific.get("permissionDecisionReason"), own.get("stopReason"))
        first, second, third = (
            text if isinstance(text, str) and text.strip() else "" for text in texts
        )
        return first, second, third

    def _stance(self) -> tuple[Stance, str]:
        row = self.row
        reasons = self._reasons()
        decision = self._word(self.own, "decision", ("block", "approve", "allow"))
        permission = self._word(self.specific, "permissionDecision", ("deny", "ask", "allow"))
        does_block = (decision == "block", permission == "deny", self.own.get("continue") is False)
        blocks = [reason for reason, blocks in zip(reasons, does_block, strict=True) if blocks]
        if blocks and row.can_block:
            return row.blocks, "\n".join(filter(None, blocks)) or DEFAULT_REASON
        if permission == "ask" and row.can_block:
            return Stance.ASK if row.asks else row.blocks, reasons[1] or DEFAULT_REASON
        if blocks:
            self.lose("deny", "a block")
        elif permission == "ask":
            self.lose("ask", "an ask")
        return Stance.SILENT, ""

    def _word(self, given: Mapping[str, Any], key: str, known: tuple[str, ...]) -> str:
        """Return a decision word; in another letter case it is another word."""
        value = given.get(key)
        if value is None or value in known:
            return str(value or "")
        listed = ", ".join(f"`{word}`" for word in known)
        why = f"`{key}` is one of {listed}, not `{value!s:.40}`"
        self.unsupported.append(f"unknown_decision_value: {why}")
        return ""

    def _rewrite(self) -> Rewrite | None:
        """Return the one rewrite that this event honours; every other one is accounted for."""
        row, rewrite = self.row, None
        for key in _TEXTS:
            if key in self.own and key != row.rewrites:
                self.lose("text", f"`{key}`")
            elif self.own.get(key):
                rewrite = Rewrite(target="text", value=self.own[key])
            elif key in self.own:
                self.unsupported.append(f"bad_type: `{key}` is empty")
        patch = {**self.specific.get("updatedInput", {}), **self.own.get("tool_input", {})}
        if patch and "input" in row.powers:
            rewrite = self._patch(patch)
        elif patch:
            self.lose("input", "`tool_input`")
        result = self.own.get("tool_result")
        if result is not None and row.appends and self.spec.facts.get("allow_result_rewrite"):
            rewrite = Rewrite(target="output", value=result)
        elif result is not None:
            self.lose("output", "`tool_result` without `allow_result_rewrite`")
        return rewrite

    def _patch(self, patch: Mapping[str, Any]) -> Rewrite | None:
        """Return a change of existing keys: a hook may change what a call says, never what it is."""
        present = self.event.input if isinstance(self.event.input, dict) else {}
        kept = {key: value for key, value in patch.items() if key in present}
        self.unsupported += [
            f"unknown_key_dropped: `{key}` is no key of the input"
            for key in patch
            if key not in present
        ]
        return Rewrite(target="input", value=kept, merge=True) if kept else None

    def _note(self) -> str:
        return _join(self.own.get("systemMessage"), self.own.get("add_warning"))

    def _evidence(self) -> Any:
        """Return `evidence`; where `tag` or `code` is given too, an object of all three (docs/formats/starchild.md 5.3)."""
        given = {key: self.own[key] for key in _EVIDENCE if key in self.own}
        return given if set(given) - {"evidence"} else given.get("evidence")


def _join(*texts: str | None) -> str:
    return "\n".join(text for text in texts if text and text.strip())
