"""Reads the object that a hook of Claude Code's family prints: its top, and its `hookSpecificOutput`, by the event's row."""

from __future__ import annotations

import json

from hookline.core.failure import OVERFLOWED
from hookline.dialects.kit.claims import EMPTY, Claims
from hookline.model.event import Rewrite
from hookline.model.frozen import Frozen
from hookline.model.verdict import Stance
from hookline.wire.hookoutput import (
    NoObjectError,
    UnreadableError,
    has_object_start,
    parse_object,
    select_typed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Outcome

TOP: Mapping[str, type] = {
    "continue": bool,
    "stopReason": str,
    "suppressOutput": bool,
    "systemMessage": str,
    "decision": str,
    "reason": str,
    "hookSpecificOutput": dict,
}
SPECIFIC: Mapping[str, type] = {
    "hookEventName": str,
    "additionalContext": str,
    "permissionDecision": str,
    "permissionDecisionReason": str,
    "updatedInput": dict,
    "decision": dict,
}
_REQUEST: Mapping[str, type] = {
    "behavior": str,
    "updatedInput": dict,
    "updatedPermissions": list,
    "message": str,
    "interrupt": bool,
}
_ONLY_WITH_ALLOW: Mapping[str, str] = {"updatedInput": "input", "updatedPermissions": "grant"}
# Keys that only explain another.
_COMPANIONS = ("hookEventName", "permissionDecisionReason")


class AnswerFormat(Frozen):
    """What the object of a host may hold.

    A column is one way in which the hosts of the family differ.

    `specific`: the host's own keys of `hookSpecificOutput`, and their types. `powers`: key -> the
    power that it uses, for a key that an event does not read. `top`: the host's own keys at the
    top. `words`: every word of a `decision` -> the power that it uses, "" for none. `checked`: a
    value of another type, and an unknown word, makes the answer unreadable; otherwise the host
    overlooks it. `named`: `hookEventName` must be the event's. `permission_first`: beside a
    `permissionDecision` the `decision` does not count. `escapes`: the host escapes the tags in
    context. `rewrites`: key -> the target of the rewrite. `effects`: key -> the effect that its
    value is. `readers`: keys that the host reads in its own way.
    """

    powers: Mapping[str, str]
    words: Mapping[str, str]
    specific: Mapping[str, type] = {}
    top: Mapping[str, type] = {}
    checked: bool = False
    named: bool = False
    permission_first: bool = False
    escapes: bool = False
    rewrites: Mapping[str, str] = {}
    effects: Mapping[str, str] = {}
    readers: Mapping[str, Callable[[Answer, Any, Mapping[str, Any]], None]] = {}


class Answer(Claims):
    """Collects what one answer asks for."""

    def __init__(
        self,
        form: AnswerFormat,
        outcome: Outcome,
        spec: HookSpec,
        row: EventRow,
        event: Event,
    ) -> None:
        super().__init__(outcome, spec, row, event)
        self.form = form
        self.reason = ""

    def read(self, given: Mapping[str, Any]) -> None:
        """Take in an output object.

        Raises:
            UnreadableError: a value that the host's own check refuses.
        """
        form, reads = self.form, self.row.reads
        top = self.select(given, {**TOP, **form.top}, {}, checked=form.checked)
        stop, self.reason = top.get("stopReason", ""), top.get("reason", "")
        if top.get("systemMessage"):
            self.notes.append(top["systemMessage"])
        if top.get("continue") is False:
            self.claim(self.row.stops, stop or self.reason, "halt")
        for key in form.top:
            if top.get(key):
                form.readers[key](self, top[key], top)
        specific = top.get("hookSpecificOutput", {})
        by_permission = "permissionDecision" in specific and "permissionDecision" in reads
        if top.get("decision") and not (form.permission_first and by_permission):
            self.decide(top["decision"], self.row.words, self.reason or stop)
        if specific and form.named and specific.get("hookEventName") != self.row.native:
            self.unsupported.append("hookSpecificOutput")
            return
        asked = {key: value for key, value in specific.items() if key not in _COMPANIONS}
        known = {**SPECIFIC, **form.specific}
        types = {key: known[key] for key in asked if key in reads}
        read = self.select(asked, types, form.powers, checked=form.checked)
        for key, value in read.items():
            if form.checked or value not in EMPTY:
                self._read_key(key, value, specific)

    def decide(self, word: str, meanings: Mapping[str, Stance], reason: str) -> None:
        """Take in the word of a decision.

        Raises:
            UnreadableError: an unknown word, where the host checks it.
        """
        power = self.form.words.get(word)
        if word in meanings:
            self.claim(meanings[word], reason, (power if self.form.checked else "") or word)
        elif power is not None:
            self.decided = True
            self.unsupported += [power] if power else []
        elif self.form.checked:
            raise UnreadableError(f"unknown decision `{word}`")
        else:
            self.unsupported.append(f"decision: unknown decision `{word}`")

    def _read_key(self, key: str, value: Any, given: Mapping[str, Any]) -> None:
        form = self.form
        if key in form.readers:
            form.readers[key](self, value, given)
        elif key == "additionalContext":
            if form.escapes:
                # The host escapes them, so that no hook opens or closes a tag around its context.
                value = value.replace("<", "&lt;").replace(">", "&gt;")
            self.context = value
        elif key == "permissionDecision":
            reason = given.get("permissionDecisionReason") or self.reason
            self.decide(value, self.row.verdicts or self.row.words, reason)
        elif key == "decision":
            self._read_request(value)
        elif key in form.rewrites:
            self.rewrite = self.rewrite or Rewrite(target=form.rewrites[key], value=value)
        elif value:
            self.effects[form.effects[key]] = value

    def _read_request(self, given: Mapping[str, Any]) -> None:
        """Take in the decision object of `PermissionRequest`.

        A new input, and a grant, count with an allow only.
        """
        if self.form.checked:
            given = select_typed(given, _REQUEST)
        behavior, message = given.get("behavior"), str(given.get("message") or "")
        if behavior not in ("allow", "deny"):
            if self.form.checked:
                raise UnreadableError("`decision.behavior` must be `allow` or `deny`")
            self.unsupported.append(f"decision: unknown behavior `{behavior}`")
            self.decided = True
            return
        self.unsupported += [key for key in given if key not in _REQUEST]
        if behavior == "deny":
            stance = Stance.HALT if given.get("interrupt") is True else Stance.DENY
            self.claim(stance, message, "deny")
            self.unsupported += [power for key, power in _ONLY_WITH_ALLOW.items() if given.get(key)]
            return
        self.claim(Stance.ALLOW, message, "allow")
        if isinstance(given.get("updatedInput"), dict):
            self.rewrite = Rewrite(target="input", value=given["updatedInput"])
        if isinstance(given.get("updatedPermissions"), list) and given["updatedPermissions"]:
            self.effects["grant"] = given["updatedPermissions"]


def find_object(text: str) -> dict[str, Any] | None:
    """Return the object that a text is, or that a JSON text in it is; None for any other text."""
    if not text:
        return None
    try:
        return parse_object(text)
    except NoObjectError:
        inner = json.loads(text.removeprefix("\ufeff"))
        is_text = isinstance(inner, str) and inner.lstrip().startswith("{")
        return find_object(inner) if is_text else None
    except UnreadableError:
        return None


def find_text_fault(text: str, outcome: Outcome, spec: HookSpec) -> str:
    """Return why output that is no object fails the hook; "" if it does not."""
    if spec.strict and has_object_start(text):
        return "its output holds JSON, but is not one object"
    return OVERFLOWED if outcome.truncated else ""
