"""Results of Qwen Code's hooks as verdicts (docs/formats/comparison.md 2; docs/formats/qwen.md 5, 6)."""

from __future__ import annotations

import json

from hookline.core.failure import OVERFLOWED, failed, label
from hookline.dialects.qwen.table import ALLOW, ASK, DENY, HALT, SILENT
from hookline.model.event import Rewrite
from hookline.model.handler import Model
from hookline.model.verdict import Verdict
from hookline.wire.hookoutput import NoObjectError, UnreadableError, has_object_start, parse_object

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
    "continue": bool, "stopReason": str, "suppressOutput": bool, "systemMessage": str, "decision": str,
    "reason": str, "hookSpecificOutput": dict,
}  # fmt: skip
# What a decision asks for where the event does not know it.
_MEANT: Mapping[str, str] = {
    "deny": "deny",
    "block": "deny",
    "ask": "ask",
    "allow": "",
    "approve": "",
}
_POWERS: Mapping[str, str] = {
    "additionalContext": "context",
    "updatedInput": "input",
    "permissionDecision": "deny",
    "decision": "deny",
}
_COMPANIONS = ("hookEventName", "permissionDecisionReason")
_BLOCKED = 2


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return what a hook means.

    At exit 2 only stderr counts, and it blocks. At any other exit code an object on stdout counts, or, where that is
    empty, one on stderr; other text at exit 0 is a message to the user.
    """
    if outcome.failure is not None:
        return failed(spec, outcome)
    if type(spec.handler) is Model:
        return _of_model(outcome, spec, row, event)
    code = outcome.exit_code or 0
    text = outcome.stderr.strip() if code == _BLOCKED else _first(outcome)
    given = _object(text)
    reader = _Reader(outcome, spec, row, event)
    if given is not None:
        reader.answer(given)
    if code == _BLOCKED:
        reader.block("" if given is not None else text)
    elif code and not reader.decided:
        return failed(spec, outcome)
    elif given is None and outcome.truncated:
        return failed(spec, outcome, OVERFLOWED)
    elif given is None and spec.strict and has_object_start(text):
        return failed(spec, outcome, "its stdout holds JSON, but is not one object")
    elif given is None and text:
        reader.notes.append(text)
    return reader.verdict()


def _of_model(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return what the reply of a model means."""
    from hookline.dialects.qwen.prompt_hook import read_reply  # noqa: PLC0415 - few hooks ask a model

    reader = _Reader(outcome, spec, row, event)
    try:
        reader.answer(read_reply(outcome.stdout))
    except UnreadableError as error:
        return failed(spec, outcome, str(error))
    return reader.verdict()


def _first(outcome: Outcome) -> str:
    return outcome.stdout.strip() or outcome.stderr.strip()


def _object(text: str) -> dict[str, Any] | None:
    """Return the object that the text is, or that a JSON text in it is; None for any other text."""
    try:
        return parse_object(text) if text else None
    except NoObjectError:
        inner = json.loads(text.removeprefix("\ufeff"))
        return _object(inner) if isinstance(inner, str) and inner.lstrip().startswith("{") else None
    except UnreadableError:
        return None


class _Reader:
    """Collects what one hook claims. The strongest claim is its stance, and the first reason for it counts."""

    def __init__(self, outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> None:
        self.outcome = outcome
        self.spec = spec
        self.row = row
        fact, value = row.spared
        self.spared = bool(fact) and event.body.value(fact) == value
        self.decided = False
        self.claims: list[tuple[Stance, str]] = []
        self.notes: list[str] = []
        self.unsupported: list[str] = []
        self.effects: dict[str, Any] = {}
        self.rewrite: Rewrite | None = None
        self.context = ""

    def answer(self, given: Mapping[str, Any]) -> None:
        """Take in an output object. A value of the wrong type counts as absent."""
        if self.row.unread:
            self.unsupported += [f"{key}: `{self.row.native}` reads no output" for key in given]
            return
        top: dict[str, Any] = {}
        for key, value in given.items():
            if key in _TOP and isinstance(value, _TOP[key]):
                top[key] = value
            elif value is not None:
                self.unsupported.append(key)
        reason = top.get("reason", "")
        if top.get("systemMessage"):
            self.notes.append(top["systemMessage"])
        specific = top.get("hookSpecificOutput", {})
        if "permissionDecision" not in specific or "permissionDecision" not in self.row.reads:
            self._decide(top.get("decision", ""), reason)
        if top.get("continue") is False:
            self._claim(self.row.stops, top.get("stopReason", "") or reason, "halt")
        self._specific(specific, reason)

    def block(self, words: str) -> None:
        """Take in exit 2: it blocks where the event can block, also beside an `allow`."""
        if not any(stance >= DENY for stance, _ in self.claims):
            self._claim(self.row.blocks, words, "deny")

    def _decide(self, word: str, reason: str) -> None:
        if word in self.row.words:
            self._claim(self.row.words[word], reason, word)
        elif word not in _MEANT:
            self.unsupported += [f"decision: unknown decision `{word}`"] if word else []
        elif _MEANT[word]:
            self.decided = True
            self.unsupported.append(_MEANT[word])

    def _claim(self, stance: Stance, reason: str, effect: str) -> None:
        self.decided = True
        if stance is SILENT or (self.spared and stance >= DENY):
            self.unsupported.append(effect)
        else:
            self.claims.append((stance, reason))

    def _specific(self, given: Mapping[str, Any], reason: str) -> None:
        for key, value in given.items():
            if key in _COMPANIONS or value in (None, "", False, [], {}):
                continue
            if key not in self.row.reads:
                self.unsupported.append(_POWERS.get(key, key))
            elif key == "additionalContext" and isinstance(value, str):
                # The host escapes them, so that no hook can open or close a tag around its context.
                self.context = value.replace("<", "&lt;").replace(">", "&gt;")
            elif key == "updatedInput" and isinstance(value, dict):
                self.rewrite = Rewrite(target="input", value=value)
            elif key == "permissionDecision":
                self._decide(str(value), given.get("permissionDecisionReason") or reason)
            elif key == "decision" and isinstance(value, dict):
                self._request(value)
            else:
                self.unsupported.append(f"{_POWERS.get(key, key)}: `{key}` has the wrong type")

    def _request(self, given: Mapping[str, Any]) -> None:
        """The decision object of `PermissionRequest`: a new input, and a grant, count with an allow only."""
        behavior, message = given.get("behavior"), str(given.get("message") or "")
        if behavior == "deny":
            self.claims.append((HALT if given.get("interrupt") is True else DENY, message))
        elif behavior == "allow":
            self.claims.append((ALLOW, message))
            if isinstance(given.get("updatedInput"), dict):
                self.rewrite = Rewrite(target="input", value=given["updatedInput"])
            if isinstance(given.get("updatedPermissions"), list):
                self.effects["grant"] = given["updatedPermissions"]
        else:
            self.unsupported.append(f"decision: unknown behavior `{behavior}`")
        self.decided = True

    def verdict(self) -> Verdict:
        """Return everything that was collected."""
        stance = max((claimed for claimed, _ in self.claims), default=SILENT)
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
            effects=self.effects,
            unsupported=tuple(self.unsupported),
            exit_code=self.outcome.exit_code,
            seconds=self.outcome.seconds,
            shadow=self.spec.shadow,
        )
