"""Results of Starchild's shell hooks as verdicts: exit codes, output objects and failures."""

from __future__ import annotations

from contextlib import suppress

from hookline.core.failure import describe_failure, label
from hookline.dialects.kit.answer import Claims
from hookline.dialects.starchild.table import EVIDENCE, NOTE_GAP
from hookline.model.event import Event, Rewrite
from hookline.model.spec import HookSpec, Http
from hookline.model.verdict import Failure, Outcome, Stance, Verdict
from hookline.wire.hookoutput import NoObjectError, UnreadableError, key_types, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow

_BLOCK = 2  # exit code
# What docs/formats/starchild.md 5 calls a failure, where hookline calls it otherwise.
FAILURES = {
    Failure.TIMED_OUT: "timeout",
    Failure.NOT_STARTED: "spawn_error",
    Failure.KILLED: "killed_by_signal",
    Failure.FLOODED: "output_too_large",
    Failure.UNREADABLE: "invalid_utf8",
    Failure.UNLOADABLE: "refused_entry",
    Failure.REJECTED: "http_status",
    Failure.UNTRUSTED: "not_approved",
}
_TEXTS = ("message", "notification", "response")  # keys that replace a text
# Keys of the output, of Starchild's own and of Claude Code's, and their types.
OWN = key_types(
    any="decision reason stopReason suppressOutput tool_result evidence tag code",
    object="tool_input hookSpecificOutput",
    text="message notification response context systemMessage add_warning",
    flag="continue",
)
SPECIFIC = key_types(
    any="hookEventName permissionDecision permissionDecisionReason",
    text="additionalContext",
    object="updatedInput",
)
# Key -> the value that blocks, and the key of the reason; each block gives its reason.
_BLOCKS = {
    "decision": ("block", "reason"),
    "permissionDecision": ("deny", "permissionDecisionReason"),
    "continue": (False, "stopReason"),
}
_WORDS = {
    "decision": ("block", "approve", "allow"),
    "permissionDecision": ("deny", "ask", "allow"),
}
_MISREAD = ("unknown_decision_value", "bad_type")  # failures in strict mode


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return the verdict of one hook (docs/formats/starchild.md 5)."""
    reader = _Reader(outcome, spec, row, event)
    failure, text = outcome.failure, outcome.stdout
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
    try:
        if text.replace("\ufeff", "").strip():
            reader.take_in(parse_object(text))
    except NoObjectError as error:
        return reader.fail("non_object_json", str(error))
    except UnreadableError as error:
        # Bytes that are no UTF-8 come as the replacement character; inside a readable object
        # they do no harm.
        return reader.fail("invalid_utf8" if "\ufffd" in text else "non_json_stdout", str(error))
    return reader.read_output()


class _Reader(Claims):
    """Reads one outcome.

    Claude Code's keys count like Starchild's own (docs/formats/starchild.md 5.1, 5.2).
    """

    given: Mapping[str, Any] = {}

    def take_in(self, given: Mapping[str, Any]) -> None:
        """Keep the entries of an output object that have the type of their key.

        Null counts as nothing.
        """
        own = self.select(given, OWN, dict.fromkeys(OWN, "bad_type"))
        inner = own.pop("hookSpecificOutput", {})
        self.given = own | self.select(inner, SPECIFIC, dict.fromkeys(SPECIFIC, "bad_type"))

    def fail(self, name: str, detail: str = "") -> Verdict:
        """Return the verdict of a failure, by `on_error` (docs/formats/starchild.md 5, 7)."""
        failure, stance = self.outcome.failure, self.spec.on_failure
        is_guard = self.spec.facts.get("role") == "guard"
        if is_guard and failure in (Failure.UNTRUSTED, Failure.UNLOADABLE):
            # A guard that cannot run refuses its event, whatever its `on_error`
            # (docs/formats/starchild.md 6).
            stance = max(stance, self.row.blocks)
        fault = f"{name}: {detail or describe_failure(self.outcome)}"
        words = f"hook `{label(self.spec)}` failed: {fault}"
        self.given = {}
        self.unsupported.clear()
        if stance is Stance.SILENT:
            return self.verdict(for_user=words if self.row.can_block else "", fault=fault)
        reason = "policy hook not approved" if failure is Failure.UNTRUSTED else words
        return self._conclude(stance, reason, fault=fault)

    def read_block(self) -> Verdict:
        """Return what exit 2 means; of stdout only a reason, evidence and notes count."""
        if not self.row.can_block:
            self._lose("deny", "exit code 2")
            return self.verdict()
        with suppress(UnreadableError):
            self.take_in(parse_object(self.outcome.stdout))
        self.unsupported.clear()
        reasons = (self._join(key) for _, key in _BLOCKS.values())
        reason = next(filter(None, reasons), "") or self.outcome.stderr.strip()
        note = self._join("systemMessage", "add_warning")
        return self._conclude(self.row.blocks, reason, for_user=note)

    def read_output(self) -> Verdict:
        """Return what the object on stdout says."""
        stance, reason = self._stance()
        for entry in self.unsupported if self.spec.strict else ():
            name, _, why = entry.partition(": ")
            if name in _MISREAD:
                return self.fail(name, why)
        note = self._honour("note", self._join("systemMessage", "add_warning"), "systemMessage")
        rewrite = self._rewrite()
        result = rewrite.value if rewrite else self.event.body.value("result")
        if self.row.appends and note and isinstance(result, str):
            value = f"{result}{NOTE_GAP}{note}" if result else note
            rewrite = Rewrite(target="output", value=value)
        self.context = self._honour(
            "context", self._join("context", "additionalContext"), "context"
        )
        # A block wins over a rewrite in the same output.
        self.rewrite = None if stance >= Stance.DENY else rewrite
        return self._conclude(stance, reason, for_user=note)

    def _conclude(self, stance: Stance, reason: str, **fields: Any) -> Verdict:
        """Return the verdict; unless all hooks of the event run, a denial ends the round.

        Its evidence is `evidence`, or, where `tag` or `code` is given too, an object of all three.
        """
        given = {key: self.given[key] for key in EVIDENCE if key in self.given}
        return self.verdict(
            stance=stance,
            reason=reason or ("Blocked by a hook" if stance else ""),
            ends=stance >= Stance.DENY and not self.row.all_run,
            evidence=given if set(given) - {"evidence"} else given.get("evidence"),
            **fields,
        )

    def _lose(self, effect: str, what: str) -> None:
        """Keep in mind what the event does not honour."""
        self.unsupported.append(f"{effect}: `{self.row.native}` does not honour {what}")

    def _honour(self, power: str, text: str, key: str) -> str:
        """Return the text if the event honours it; else nothing."""
        if text and power not in self.row.powers:
            self._lose(power, f"`{key}`")
            return ""
        return text

    def _join(self, *keys: str) -> str:
        values = (self.given.get(key) for key in keys)
        return "\n".join(value for value in values if isinstance(value, str) and value.strip())

    def _stance(self) -> tuple[Stance, str]:
        row, given = self.row, self.given
        for key, known in _WORDS.items():
            # In another letter case it is another word.
            if given.get(key) is not None and given[key] not in known:
                listed = ", ".join(f"`{word}`" for word in known)
                why = f"`{key}` is one of {listed}, not `{given[key]!s:.40}`"
                self.unsupported.append(f"unknown_decision_value: {why}")
        blocks = [
            reason for key, (blocking, reason) in _BLOCKS.items() if given.get(key) == blocking
        ]
        asks = given.get("permissionDecision") == "ask"
        if (blocks or asks) and not row.can_block:
            self._lose("deny" if blocks else "ask", "a block" if blocks else "an ask")
        elif blocks:
            return row.blocks, self._join(*blocks)
        elif asks:
            return Stance.ASK if row.asks else row.blocks, self._join("permissionDecisionReason")
        return Stance.SILENT, ""

    def _rewrite(self) -> Rewrite | None:
        """Return the one rewrite that this event honours; every other one is accounted for."""
        row, given, rewrite = self.row, self.given, None
        for key in _TEXTS:
            if key in given and key != row.rewrites:
                self._lose("text", f"`{key}`")
            elif given.get(key):
                rewrite = Rewrite(target="text", value=given[key])
            elif key in given:
                self.unsupported.append(f"bad_type: `{key}` is empty")
        patch = given.get("updatedInput", {}) | given.get("tool_input", {})
        if patch and "input" in row.powers:
            # A hook may change what a call says, never what it is.
            present = self.event.input if isinstance(self.event.input, dict) else {}
            kept = {key: patch.pop(key) for key in present if key in patch}
            dropped = (f"unknown_key_dropped: `{key}` is no key of the input" for key in patch)
            self.unsupported += dropped
            rewrite = Rewrite(target="input", value=kept, merge=True) if kept else None
        elif patch:
            self._lose("input", "`tool_input`")
        if "tool_result" in given and row.appends and self.spec.facts.get("allow_result_rewrite"):
            rewrite = Rewrite(target="output", value=given["tool_result"])
        elif "tool_result" in given:
            self._lose("output", "`tool_result` without `allow_result_rewrite`")
        return rewrite
