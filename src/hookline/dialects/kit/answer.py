"""Reads the object that a hook of Claude Code's family prints, and writes one for its host."""

from __future__ import annotations

import json

from hookline.core.failure import OVERFLOWED, label
from hookline.model.event import Event, Rewrite
from hookline.model.frozen import Frozen
from hookline.model.verdict import Decision, Outcome, Reply, Stance, Verdict
from hookline.wire.hookoutput import (
    NoObjectError,
    UnreadableError,
    has_object_start,
    parse_object,
    select_typed,
    to_json_line,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.dialects.kit.event_table import Key
    from hookline.model.spec import HookSpec

# Values that ask for nothing.
EMPTY: tuple[object, ...] = (None, "", False, [], {})
_NOUNS: Mapping[type, str] = {
    bool: "true or false",
    str: "text",
    dict: "an object",
    list: "a list",
}
_PERMISSIONS = ("allow", "ask", "deny", "defer")
# Powers that are targets of a rewrite.
_TARGETS = ("input", "text", "messages", "output")
TOP: Mapping[str, type] = {
    "continue": bool,
    "stopReason": str,
    "suppressOutput": bool,
    "systemMessage": str,
    "decision": str,
    "reason": str,
    "hookSpecificOutput": dict,
}
_REQUEST: Mapping[str, type] = {
    "behavior": str,
    "updatedInput": dict,
    "updatedPermissions": list,
    "message": str,
    "interrupt": bool,
}
_ONLY_WITH_ALLOW: Mapping[str, str] = {"updatedInput": "input", "updatedPermissions": "grant"}
# Word of a `decision` -> the power that it uses.
_WORDS: Mapping[str, str] = {
    "allow": "",
    "approve": "",
    "ask": "ask",
    "deny": "deny",
    "block": "deny",
}
_STANCES: Mapping[Stance, str] = {
    Stance.ALLOW: "allow",
    Stance.ASK: "ask",
    Stance.DENY: "deny",
}
# Keys that only explain another.
_COMPANIONS = ("hookEventName", "permissionDecisionReason")


def to_verdict(spec: HookSpec, outcome: Outcome, **fields: Any) -> Verdict:
    """Return a verdict with what it takes from its hook and its outcome."""
    return Verdict(
        hook_id=spec.id,
        exit_code=outcome.exit_code,
        seconds=outcome.seconds,
        shadow=spec.shadow,
        **fields,
    )


class Claims:
    """Collects what one hook asks for, whatever its format, and makes a verdict of that.

    The strongest claim is its stance, and the first reason for that counts.

    `decided`: the hook gave a decision, also where the event does not know it. `unsupported`: what
    the event does not honour.
    """

    def __init__(self, outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> None:
        self.outcome = outcome
        self.spec = spec
        self.row = row
        self.event = event
        fact, value = row.spared
        self.is_spared = bool(fact) and event.body.value(fact) == value
        self.decided = False
        self.claims: list[tuple[Stance, str]] = []
        self.notes: list[str] = []
        self.unsupported: list[str] = []
        self.effects: dict[str, Any] = {}
        self.rewrite: Rewrite | None = None
        self.context = ""
        self.retry_after: float | None = None

    @property
    def stance(self) -> Stance:
        """The strongest stance so far."""
        strongest = Stance.SILENT
        for stance, _ in self.claims:
            strongest = max(strongest, stance)
        return strongest

    def claim(self, stance: Stance, reason: str, power: str) -> None:
        """Add a stance with its reason.

        If the event knows no such stance, the power counts as unsupported.
        """
        self.decided = True
        if stance is Stance.SILENT or (self.is_spared and stance is Stance.DENY):
            self.unsupported.append(power)
        else:
            self.claims.append((stance, reason))

    def select(
        self,
        given: Mapping[str, Any],
        types: Mapping[str, type],
        powers: Mapping[str, str],
        *,
        checked: bool = False,
    ) -> dict[str, Any]:
        """Return the known keys with a value of their type; what the others ask for is unsupported.

        Args:
            given: an answer, or a part of it.
            types: key -> the type of its value, for the keys that count.
            powers: key -> the power that it uses.
            checked: a value of another type makes the answer unreadable.

        Raises:
            UnreadableError: such a value.
        """
        known: dict[str, Any] = {}
        for key, value in given.items():
            power = powers.get(key, key)
            if key == "permissionDecision" and key in powers and value in _PERMISSIONS:
                power = value
            if key not in types:
                self.unsupported += [power] if value not in EMPTY else []
            elif checked or value is None or isinstance(value, types[key]):
                known[key] = value
            else:
                self.unsupported.append(f"{power}: `{key}` must be {_NOUNS[types[key]]}")
        return select_typed(known, types)

    def take(self, power: str, value: Any, *, merge: bool = False) -> None:
        """Take in the value of a key that uses this power; of several rewrites the first counts."""
        if power == "context":
            self.context = value
        elif power == "retry":
            self.retry_after = 0.0 if value else None
        elif power in _TARGETS:
            merge = merge and power == "input"
            self.rewrite = self.rewrite or Rewrite(target=power, value=value, merge=merge)
        elif value:
            self.effects[power] = value

    def verdict(self, **fields: Any) -> Verdict:
        """Return everything that was collected."""
        stance = self.stance
        reason = ""
        for claimed, why in self.claims:
            reason = reason or (why if claimed is stance else "")
        if stance > Stance.ASK and not reason:
            reason = self.notes[0] if self.notes else f"blocked by hook `{label(self.spec)}`"
        collected: dict[str, Any] = {
            "stance": stance,
            "reason": reason,
            "rewrite": self.rewrite,
            "for_agent": self.context,
            "for_user": "\n".join(self.notes),
            "retry_after": self.retry_after,
            "effects": self.effects,
            "unsupported": tuple(self.unsupported),
        }
        return to_verdict(self.spec, self.outcome, **{**collected, **fields})


class AnswerFormat(Frozen):
    """What the object of a host may hold.

    A column is one way in which the hosts of the family differ.

    `keys`: those of `hookSpecificOutput`. `top`: the host's own keys at the top, and their types.
    `words`: every word of a `decision` -> the power that it uses, "" for none. `checked`: a value
    of another type, and an unknown word, makes the answer unreadable; otherwise the host overlooks
    it. `named`: `hookEventName` must be the event's. `permission_first`: beside a
    `permissionDecision` the `decision` does not count. `escapes`: the host escapes the tags in
    context, so that no hook opens or closes a tag around its own. `merges`: a new input is merged
    into the old. `readers`: keys that the host reads in its own way; of every other one its power
    says what its value is.
    """

    keys: Mapping[str, Key]
    words: Mapping[str, str] = _WORDS
    top: Mapping[str, type] = {}
    checked: bool = False
    named: bool = False
    permission_first: bool = False
    escapes: bool = False
    merges: bool = False
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
        types = {key: form.keys[key].type for key in asked if key in reads}
        powers = {key: known.power or key for key, known in form.keys.items()}
        read = self.select(asked, types, powers, checked=form.checked)
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
        elif key == "permissionDecision":
            reason = given.get("permissionDecisionReason") or self.reason
            self.decide(value, self.row.verdicts or self.row.words, reason)
        elif key == "decision":
            self._read_request(value)
        else:
            if form.escapes and key == "additionalContext":
                value = value.replace("<", "&lt;").replace(">", "&gt;")
            self.take(form.keys[key].power, value, merge=form.merges)

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


class ReplyFormat(Frozen):
    """How a host reads a decision. A column is one way in which the hosts of the family differ.

    `permissions`: stance -> the word of a `permissionDecision`. `words`: stance -> the word of a
    `decision`. `interrupts`: a denied `PermissionRequest` can end the run. `explains_allow`: an
    allowed one has a message.
    """

    permissions: Mapping[Stance, str] = _STANCES
    words: Mapping[Stance, str] = {Stance.DENY: "block"}
    interrupts: bool = False
    explains_allow: bool = True


def collect_values(decision: Decision) -> dict[str, Any]:
    """Return what a decision carries beside its stance, by the power that each uses."""
    values, rewrite = dict(decision.effects), decision.rewrite
    # The input of a call that does not happen is not sent.
    if rewrite is not None and (rewrite.target != "input" or decision.stance < Stance.DENY):
        values[rewrite.target] = rewrite.value
    if decision.for_agent:
        values["context"] = "\n".join(decision.for_agent)
    if decision.retry_after is not None:
        values["retry"] = True
    return values


def encode_answer(
    decision: Decision, row: EventRow | None, form: ReplyFormat
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the top of the object for a decision, and its `hookSpecificOutput`."""
    top: dict[str, Any] = (
        {"systemMessage": "\n".join(decision.for_user)} if decision.for_user else {}
    )
    specific: dict[str, Any] = {}
    if row is None:
        return top, specific
    stance, reason = decision.stance, decision.reason
    is_request = "decision" in row.reads
    if stance is Stance.HALT and not (is_request and form.interrupts):
        top |= {"continue": False, "stopReason": reason}
    elif is_request:
        specific |= _encode_request(decision, form)
    elif "permissionDecision" in row.reads:
        if stance in form.permissions:
            specific["permissionDecision"] = form.permissions[stance]
            specific |= {"permissionDecisionReason": reason} if reason else {}
    elif stance in form.words and row.words:
        top |= {"decision": form.words[stance], "reason": reason}
    values = collect_values(decision)
    specific |= {key: values[power] for key, power in row.reads.items() if power in values}
    return top, specific


def _encode_request(decision: Decision, form: ReplyFormat) -> dict[str, Any]:
    """Return the `decision` of `PermissionRequest`; only an allow has a new input, or a grant."""
    if decision.stance >= Stance.DENY:
        denial: dict[str, Any] = {"behavior": "deny", "message": decision.reason}
        return {
            "decision": denial | ({"interrupt": True} if decision.stance is Stance.HALT else {})
        }
    if decision.stance is not Stance.ALLOW:
        return {}
    allowed: dict[str, Any] = {"behavior": "allow"}
    if decision.reason and form.explains_allow:
        allowed["message"] = decision.reason
    if decision.rewrite is not None:
        allowed["updatedInput"] = decision.rewrite.value
    if decision.effects.get("grant"):
        allowed["updatedPermissions"] = decision.effects["grant"]
    return {"decision": allowed}


def make_reply(top: dict[str, Any], specific: dict[str, Any], row: EventRow | None) -> Reply:
    """Return the reply that exits with 0: one object, or nothing where there is nothing to say."""
    if specific and row is not None:
        top["hookSpecificOutput"] = {"hookEventName": row.native, **specific}
    return Reply(stdout=to_json_line(top))
