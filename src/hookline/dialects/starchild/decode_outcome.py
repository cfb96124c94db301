"""What a shell hook of Starchild meant: its exit code, its output object, and what its failure stands for."""

from __future__ import annotations

from hookline.core.failure import describe_failure, label
from hookline.dialects.kit.claims import to_verdict
from hookline.dialects.starchild.output import BAD_TYPE, UNKNOWN_DECISION, Output, understood
from hookline.dialects.starchild.result_notes import appended
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
_BLOCK = 2  # exit code
# How the page calls each failure (docs/formats/starchild.md 5); what it does not name are hookline's own.
FAILURES: Mapping[Failure, str] = {
    Failure.TIMED_OUT: "timeout",
    Failure.NOT_STARTED: "spawn_error",
    Failure.KILLED: "killed_by_signal",
    Failure.FLOODED: "output_too_large",
    Failure.UNREADABLE: "invalid_utf8",
    Failure.UNLOADABLE: "refused_entry",
    Failure.UNDECIDED: "matcher_timeout",
    Failure.UNTRUSTED: "not_approved",
    Failure.CHANGED: "changed_since_approval",
    Failure.REVOKED: "approval_revoked",
    Failure.SWITCHED_OFF: "master_off",
    Failure.UNSERIALISABLE: "unserialisable_payload",
    Failure.REENTERED: "recursion",
    Failure.RAISED: "raised",
    Failure.CANCELLED: "cancelled",
    Failure.UNREACHABLE: "unreachable",
    Failure.REJECTED: "http_status",
}
# What a call is checked for before its answer gets here (docs/formats/starchild.md 8).
_OF_CALLS: Mapping[Failure, str] = {**FAILURES, Failure.UNREADABLE: "non_json_response"}
# A guard that hookline cannot ask refuses its event, whatever its `on_error` (docs/formats/starchild.md 6).
_NOT_ASKED = frozenset({Failure.UNTRUSTED, Failure.UNLOADABLE})


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """The verdict of one hook (docs/formats/starchild.md 5)."""
    return _Reader(outcome, spec, row, event).verdict()


class _Reader:
    def __init__(self, outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> None:
        self.outcome = outcome
        self.spec = spec
        self.row = row
        self.event = event
        self.unsupported: list[str] = []

    def verdict(self) -> Verdict:
        outcome = self.outcome
        if outcome.failure is not None:
            names = _OF_CALLS if isinstance(self.spec.handler, Http) else FAILURES
            return self._failed(names[outcome.failure])
        if outcome.exit_code == _BLOCK:
            return self._block_by_exit()
        if outcome.exit_code != 0:
            return self._failed("nonzero_exit")
        if outcome.truncated:
            return self._failed("output_too_large", "more than 1 MiB on a stream")
        return self._output()

    # -- failures --------------------------------------------------------------------------------------------------

    def _failed(self, name: str, detail: str = "") -> Verdict:
        """A failure by its name: what `on_error` says, and never in silence (docs/formats/starchild.md 5, 7)."""
        fault = f"{name}: {detail or describe_failure(self.outcome)}"
        stance = self.spec.on_failure
        if self.outcome.failure in _NOT_ASKED and self.spec.facts.get("role") == "guard":
            stance = max(stance, self.row.blocks)
        self.unsupported.clear()
        if stance is not Stance.SILENT:
            reason = f"hook `{label(self.spec)}` failed: {fault}"
            if self.outcome.failure is Failure.UNTRUSTED:
                reason = "policy hook not approved"
            return self._said(stance=stance, reason=reason, fault=fault)
        return self._said(
            for_user=f"hook `{label(self.spec)}` had no say: {fault}" if self.row.can_block else "",
            fault=fault,
        )

    def _block_by_exit(self) -> Verdict:
        if not self.row.can_block:
            self._lost("deny", "exit code 2")
            return self._said()
        output = self._object()
        reason = output.reason or self.outcome.stderr.strip() or DEFAULT_REASON
        return self._said(
            stance=self.row.blocks, reason=reason, for_user=output.note, evidence=output.evidence
        )

    def _object(self) -> Output:
        """What stdout says beside an exit code that says enough."""
        try:
            return understood(parse_object(self.outcome.stdout))
        except UnreadableError:
            return Output()

    # -- output ----------------------------------------------------------------------------------------------------

    def _output(self) -> Verdict:
        text = self.outcome.stdout
        if not text.replace("\ufeff", "").strip():
            return self._said()
        try:
            output = understood(parse_object(text))
        except NoObjectError as error:
            return self._failed("non_object_json", str(error))
        except UnreadableError as error:
            # Bytes that are no UTF-8 come as the replacement character; inside a readable object they do no harm.
            return self._failed(
                "invalid_utf8" if "\ufffd" in text else "non_json_stdout", str(error)
            )
        misread = [entry for entry in output.odd if entry.startswith((UNKNOWN_DECISION, BAD_TYPE))]
        if misread and self.spec.strict:
            name, _, why = misread[0].partition(": ")
            return self._failed(name, why)
        self.unsupported += output.odd
        return self._answer(output)

    def _answer(self, output: Output) -> Verdict:
        stance, reason = self._stance(output)
        note = self._allowed("note", output.note, "`systemMessage`")
        rewrite = self._rewrite(output)
        if self.row.appends and note:
            rewrite = self._appended(rewrite, note)
        return self._said(
            stance=stance,
            reason=reason,
            # A block wins over a rewrite in the same output.
            rewrite=None if stance >= Stance.DENY else rewrite,
            for_agent=self._allowed("context", output.context, "`context`"),
            for_user=note,
            evidence=output.evidence,
        )

    def _stance(self, output: Output) -> tuple[Stance, str]:
        if output.blocks and self.row.can_block:
            return self.row.blocks, "\n".join(filter(None, output.blocks)) or DEFAULT_REASON
        if output.asks is not None and self.row.can_block:
            return Stance.ASK if self.row.asks else self.row.blocks, output.asks or DEFAULT_REASON
        if output.blocks:
            self._lost("deny", "a block")
        elif output.asks is not None:
            self._lost("ask", "an ask")
        return Stance.SILENT, ""

    def _rewrite(self, output: Output) -> Rewrite | None:
        """The one rewrite that this event honours; every other is accounted for."""
        for key, text in output.texts.items():
            if key != self.row.rewrites:
                self._lost("text", f"`{key}`")
            elif not text:
                self.unsupported.append(f"{BAD_TYPE}: `{key}` is empty")
        if output.patch is not None and "input" not in self.row.powers:
            self._lost("input", "`tool_input`")
        if output.result is not None and not self._may_replace_result():
            self._lost("output", "`tool_result` without `allow_result_rewrite`")
        if output.patch is not None and "input" in self.row.powers:
            return self._patch(output.patch)
        if output.texts.get(self.row.rewrites):
            return Rewrite(target="text", value=output.texts[self.row.rewrites])
        if output.result is not None and self._may_replace_result():
            return Rewrite(target="output", value=output.result)
        return None

    def _may_replace_result(self) -> bool:
        return self.row.appends and self.spec.facts.get("allow_result_rewrite") is True

    def _patch(self, patch: Mapping[str, Any]) -> Rewrite | None:
        """Existing keys only: a hook may change what a call says, never what it is (docs/formats/starchild.md 5.1)."""
        present = self.event.input if isinstance(self.event.input, dict) else {}
        self.unsupported += [
            f"unknown_key_dropped: `{key}` is no key of the input"
            for key in patch
            if key not in present
        ]
        kept = {key: value for key, value in patch.items() if key in present}
        return Rewrite(target="input", value=kept, merge=True) if kept else None

    def _appended(self, rewrite: Rewrite | None, note: str) -> Rewrite | None:
        result = rewrite.value if rewrite else self.event.body.value("result")
        return (
            Rewrite(target="output", value=appended(result, note))
            if isinstance(result, str)
            else rewrite
        )

    def _allowed(self, power: str, text: str, what: str) -> str:
        if text and power not in self.row.powers:
            self._lost(power, what)
            return ""
        return text

    def _lost(self, effect: str, what: str) -> None:
        self.unsupported.append(
            f"{effect}: capability_not_supported: `{self.row.native}` does not honour {what}"
        )

    def _said(self, *, stance: Stance = Stance.SILENT, **fields: Any) -> Verdict:
        return to_verdict(
            self.spec,
            self.outcome,
            stance=stance,
            ends=stance >= Stance.DENY and not self.row.all_run,
            unsupported=tuple(self.unsupported),
            **fields,
        )
