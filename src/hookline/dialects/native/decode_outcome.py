"""Results of the hooks of `hookline.yaml` as verdicts (docs/formats/hookline.md 5)."""

from __future__ import annotations

from hookline.core.failure import make_failed_verdict
from hookline.dialects.kit.answer import Claims, find_text_fault
from hookline.dialects.kit.remote_hook import read_reply
from hookline.model.builtins import BUILTINS
from hookline.model.event import Rewrite
from hookline.model.spec import Builtin, HookSpec, Model
from hookline.model.verdict import Outcome, Stance, Verdict
from hookline.wire.hookoutput import UnreadableError, key_types, parse_object, select_typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event

_BLOCKED = 2
_KEYS: Mapping[str, type | tuple[type, ...]] = {
    **key_types(text="stance reason for_agent for_user", object="rewrite effects", any="evidence"),
    "retry_after": (int, float),
}
_STANCES = {stance.name.lower(): stance for stance in Stance}
# The keys of `rewrite`, each with the type of its value.
_TARGETS = key_types(text="text summary", object="input", list="messages", any="output")
# Key of a builtin's output -> the key of `rewrite`.
_REWRITES = {
    "updated_input": "input",
    "updated_messages": "messages",
    "updated_tool_response": "output",
}


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return what a hook means: exit 2 refuses; at exit 0 an object, or text, on stdout counts."""
    claims = Claims(outcome, spec, row, event)
    if outcome.failure is not None or outcome.exit_code not in (0, _BLOCKED):
        return make_failed_verdict(spec, outcome)
    if outcome.exit_code == _BLOCKED:
        claims.claim(row.blocks, outcome.stderr.strip(), "deny")
        return claims.verdict()
    text = outcome.stdout.strip()
    fault = "" if text.startswith("{") else find_text_fault(text, outcome, spec)
    evidence = None
    try:
        if isinstance(spec.handler, Model):
            _read_judgement(claims, text)
        elif text.startswith("{"):
            evidence = _read_answer(claims, parse_object(text), spec)
        elif row.plain_context:
            claims.context = text
    except UnreadableError as error:
        fault = str(error)
    return make_failed_verdict(spec, outcome, fault) if fault else claims.verdict(evidence=evidence)


def _read_judgement(claims: Claims, reply: str) -> None:
    """Take in the reply of a model, which can only refuse."""
    refused, chosen, _ = read_reply(reply, "ok")
    if refused:
        claims.claim(claims.row.blocks, str(chosen.get("reason") or "").strip(), "deny")


def _read_answer(claims: Claims, given: Mapping[str, Any], spec: HookSpec) -> Any:
    """Take in an answer and return its evidence.

    Raises:
        UnreadableError: a value of the wrong type, or an unknown stance.
    """
    if isinstance(spec.handler, Builtin) and spec.handler.name in BUILTINS:
        given = _translate_output(given)
    powers = claims.row.powers
    claims.unsupported += [f"{key}: unknown key `{key}`" for key in given if key not in _KEYS]
    read = select_typed({key: given[key] for key in _KEYS if key in given}, _KEYS)
    word = read.get("stance", "silent")
    if word not in _STANCES:
        raise UnreadableError(f"unknown stance `{word:.40}`")
    if stance := _STANCES[word]:
        claims.claim(stance if word in powers else Stance.SILENT, read.get("reason", ""), word)
    for target, value in select_typed(read.get("rewrite", {}), _TARGETS).items():
        if target in powers and target in _TARGETS:
            change = Rewrite(target=target, value=value, merge=target == "input")
            claims.rewrite = claims.rewrite or change
        else:
            claims.unsupported.append(target)
    _read_effects(claims, read)
    return read.get("evidence")


def _translate_output(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the output object of a builtin, which is docker-agent's, in the words of an answer."""
    specific = given.get("hook_specific_output", {})
    rewrite = {target: specific[key] for key, target in _REWRITES.items() if key in specific}
    answer = {
        "stance": "deny" if given.get("decision") == "block" else "silent",
        "reason": given.get("reason", ""),
        "for_agent": specific.get("additional_context", ""),
        "for_user": given.get("system_message", ""),
        "rewrite": rewrite,
        "evidence": specific.get("metadata"),
    }
    return {key: value for key, value in answer.items() if value}


def _read_effects(claims: Claims, read: Mapping[str, Any]) -> None:
    """Take in texts, the time until a retry, and the effects that have no key of their own."""
    if note := read.get("for_user"):
        claims.notes.append(note)
    asked = {"context": read.get("for_agent"), "retry": read.get("retry_after")}
    for power, value in {**read.get("effects", {}), **asked}.items():
        if value in (None, ""):
            continue
        if power not in claims.row.powers:
            claims.unsupported.append(power)
        elif power == "retry":
            claims.retry_after = float(value)
        else:
            claims.take(power, value)
