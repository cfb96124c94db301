"""What a Codex hook meant: its exit code, and at exit 0 the one JSON object that it may have printed (docs/formats/codex.md 5)."""

from __future__ import annotations

from hookline.core.failure import OVERFLOWED, label, make_failed_verdict, show_failure
from hookline.dialects.codex.table import ALLOW, ASK, DENY, HALT, SILENT, TABLE
from hookline.dialects.kit.claims import to_verdict
from hookline.model.event import Rewrite
from hookline.wire.hookoutput import UnreadableError, has_object_start, parse_object, select_typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Stance, Verdict

_TYPES: Mapping[str, type] = {
    "continue": bool, "stopReason": str, "suppressOutput": bool, "systemMessage": str, "decision": str, "reason": str,
    "hookSpecificOutput": dict,
}  # fmt: skip
_SPECIFIC: Mapping[str, type] = {
    "hookEventName": str, "additionalContext": str, "permissionDecision": str, "permissionDecisionReason": str,
    "updatedInput": dict, "decision": dict,
}  # fmt: skip
_REQUEST: Mapping[str, type] = {"behavior": str, "message": str, "interrupt": bool}
_REQUEST_KEYS = frozenset((*_REQUEST, "updatedInput", "updatedPermissions"))
# What Codex does not take beside a behavior -> the effect that is lost with it.
_REFUSED_EXTRAS: Mapping[str, str] = {
    "updatedInput": "input",
    "updatedPermissions": "grant",
    "interrupt": "halt",
}
_DID: Mapping[Stance, str] = {ASK: "asked about", DENY: "denied", HALT: "stopped"}
_PERMISSIONS = ("allow", "deny", "ask")
# Where one of these stands, a top-level `decision` is not looked at.
_BY_PERMISSION = ("permissionDecision", "permissionDecisionReason", "updatedInput")
_BLOCKS = 2


class _RefusedError(UnreadableError):
    """An answer that can be read, and that Codex does not accept here."""


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, _event: Event) -> Verdict:
    """The verdict of one hook. A hook that failed says so on every event, because Codex shows it."""
    if outcome.failure is not None:
        return _failed(outcome, spec)
    if outcome.exit_code:
        return _by_exit(outcome, spec, row)
    if row.unread:
        return _unread(outcome, spec, row)
    text = outcome.stdout.strip()
    if text.startswith(("{", "[")):
        reader = _Reader(row)
        try:
            reader.answer(parse_object(text))
        except UnreadableError as error:
            return _failed(
                outcome,
                spec,
                str(error),
                note=reader.note if isinstance(error, _RefusedError) else "",
            )
        return reader.verdict(outcome, spec)
    if text and row.only_json:
        return _failed(outcome, spec, f"its stdout is no JSON, as `{row.native}` wants it")
    if spec.strict and has_object_start(text):
        return _failed(outcome, spec, "its stdout holds JSON, but is not one object")
    if outcome.truncated:
        return _failed(outcome, spec, OVERFLOWED)
    return _verdict(outcome, spec, for_agent=text if row.plain_context else "")


def _unread(outcome: Outcome, spec: HookSpec, row: EventRow) -> Verdict:
    """Return a verdict that asks for nothing, because the host reads no output of this event."""
    text = outcome.stdout.strip()
    lost = (f"stdout: Codex reads no output of `{row.native}`",) if text.startswith("{") else ()
    return _verdict(outcome, spec, unsupported=lost)


def _by_exit(outcome: Outcome, spec: HookSpec, row: EventRow) -> Verdict:
    """Exit 2 blocks, with stderr as the reason, where the event can block; JSON beside it is not read."""
    words = outcome.stderr.strip()
    if outcome.exit_code != _BLOCKS or row.blocks is SILENT:
        return _failed(outcome, spec)
    if not words:
        return _failed(outcome, spec, "exited with status 2, but wrote no reason to stderr")
    return _verdict(outcome, spec, stance=row.blocks, reason=words)


def _failed(outcome: Outcome, spec: HookSpec, fault: str = "", note: str = "") -> Verdict:
    verdict = show_failure(make_failed_verdict(spec, outcome, fault), spec)
    return verdict.replace(for_user="\n".join(filter(None, (note, verdict.for_user))))


def _verdict(outcome: Outcome, spec: HookSpec, **fields: Any) -> Verdict:
    return to_verdict(
        spec,
        outcome,
        **fields,
    )


class _Reader:
    """Takes in one answer; `answer` raises where Codex would call the hook failed."""

    def __init__(self, row: EventRow) -> None:
        self.row = row
        self.stance: Stance = SILENT
        self.reason = ""
        self.note = ""
        self.context = ""
        self.rewrite: Rewrite | None = None
        self.unsupported: list[str] = []

    def verdict(self, outcome: Outcome, spec: HookSpec) -> Verdict:
        reason = self.reason
        if self.stance > ALLOW and not reason:
            reason = self.note or f"{_DID[self.stance]} by hook `{label(spec)}`"
        return _verdict(
            outcome, spec, stance=self.stance, reason=reason, for_user=self.note, for_agent=self.context, rewrite=self.rewrite,
            unsupported=tuple(self.unsupported),
        )  # fmt: skip

    def answer(self, given: dict[str, Any]) -> None:
        """Take in an output object.

        Raises:
            UnreadableError: a key that the event does not know, or a value of another type.
        """
        top = _checked(given, self.row.accepts, _TYPES, f"an answer to `{self.row.native}`")
        specific = top.get("hookSpecificOutput") or {}
        if "hookSpecificOutput" in top:
            specific = _checked(
                specific,
                self.row.reads,
                _SPECIFIC,
                f"`hookSpecificOutput` of `{self.row.native}`",
            )
            if specific.get("hookEventName") not in TABLE.rows:
                raise UnreadableError(
                    "`hookSpecificOutput` needs `hookEventName`, the name of an event"
                )
        _check_words(self.row, top, specific)
        self.note = top.get("systemMessage", "")
        if top.get("continue") is False and "halt" in self.row.powers:
            self.stance, self.reason = HALT, top.get("stopReason", "").strip()
        else:
            self._refuse({**specific, **top})
            self._decide(top, specific)
        self.context = specific.get("additionalContext", "")

    def _refuse(self, said: Mapping[str, Any]) -> None:
        """Known keys that this event does not accept; `continue: true` and `suppressOutput: false` say nothing."""
        for key in sorted(self.row.refused):
            if key in said and said[key] is not (key == "continue"):
                raise _RefusedError(f"`{self.row.native}` does not accept `{key}`")

    def _decide(self, top: Mapping[str, Any], specific: Mapping[str, Any]) -> None:
        if top.get("continue") is False:
            self.unsupported.append("halt")
        if any(key in specific for key in _BY_PERMISSION):
            if top.get("decision") == "block":
                self.unsupported.append(
                    "deny: beside a `permissionDecision` the top-level `decision` is not read"
                )
            self._permission(specific)
        elif "decision" in specific:
            self._request(specific["decision"])
        else:
            self._decision(top)

    # -- the ways of deciding --------------------------------------------------------------------------------------

    def _decision(self, top: Mapping[str, Any]) -> None:
        """The top-level `decision` with its `reason`."""
        word, reason = top.get("decision"), top.get("reason", "").strip()
        if word == "approve":
            raise _RefusedError(f"`{self.row.native}` does not accept `decision: approve`")
        if word and not reason:
            raise _RefusedError("`decision: block` needs a reason")
        if not word and "reason" in top and not self.row.bare_reason:
            raise _RefusedError("a `reason` needs a `decision`")
        if word:
            self.stance, self.reason = DENY, reason

    def _permission(self, specific: Mapping[str, Any]) -> None:
        """`permissionDecision` of `PreToolUse`: a denial with its reason, a new input, or an ask.

        Codex itself ignores an ask and makes the call. Here it is one, which `fit` turns into a denial.
        """
        word, reason = (
            specific.get("permissionDecision"),
            specific.get("permissionDecisionReason", "").strip(),
        )
        if "updatedInput" in specific and word != "allow":
            raise _RefusedError("`updatedInput` needs `permissionDecision: allow`")
        if word is None:
            raise _RefusedError("`permissionDecisionReason` needs a `permissionDecision`")
        if word == "allow" and "updatedInput" not in specific:
            raise _RefusedError(
                "`PreToolUse` does not accept `permissionDecision: allow` by itself"
            )
        if word == "ask":
            self.stance, self.reason = ASK, reason
        elif word == "allow":
            self.rewrite = Rewrite(target="input", value=specific["updatedInput"])
        elif not reason:
            raise _RefusedError("`permissionDecision: deny` needs a reason")
        else:
            self.stance, self.reason = DENY, reason

    def _request(self, decision: Mapping[str, Any]) -> None:
        """The decision object of `PermissionRequest`: what it cannot carry makes an allow no decision at all; a deny is one."""
        allows = decision["behavior"] == "allow"
        for key, effect in _REFUSED_EXTRAS.items():
            if decision.get(key) not in (None, False):
                why = f"`PermissionRequest` does not accept `{key}`"
                if allows:
                    raise _RefusedError(why)
                self.unsupported.append(f"{effect}: {why}")
        self.stance, self.reason = (
            ALLOW if allows else DENY,
            (decision.get("message") or "").strip(),
        )


def _check_words(row: EventRow, top: Mapping[str, Any], specific: Mapping[str, Any]) -> None:
    """Refuse every word that the event does not know.

    Raises:
        UnreadableError: with the word.
    """
    if "decision" in top and top["decision"] not in row.words:
        raise UnreadableError(f"unknown decision `{top['decision']}`")
    if "permissionDecision" in specific and specific["permissionDecision"] not in _PERMISSIONS:
        raise UnreadableError(f"unknown permission decision `{specific['permissionDecision']}`")
    if "decision" in specific:
        request = _checked(specific["decision"], _REQUEST_KEYS, _REQUEST, "`decision`")
        if request.get("behavior") not in ("allow", "deny"):
            raise UnreadableError("`decision.behavior` must be `allow` or `deny`")


def _checked(
    given: Mapping[str, Any], known: Collection[str], types: Mapping[str, type], where: str
) -> dict[str, Any]:
    """The entries that are not null, each of its type.

    Raises:
        UnreadableError: an unknown key, a value of another type, or null where true or false must stand.
    """
    for key, value in given.items():
        if key not in known:
            raise UnreadableError(f"{where} has no `{key}`")
        if value is None and types.get(key) is bool:
            raise UnreadableError(f"`{key}` must be true or false")
    return select_typed(given, types)
