"""Results of Cline's scripts as verdicts (docs/formats/cline.md 4)."""

from __future__ import annotations

import json

from hookline.core.failure import OVERFLOWED, label, make_failed_verdict
from hookline.dialects.cline.decode_event import plain_input
from hookline.dialects.cline.table import SILENT
from hookline.dialects.kit.claims import to_verdict
from hookline.model.event import Rewrite
from hookline.wire.hookoutput import (
    UnreadableError,
    has_object_start,
    parse_object,
    select_typed,
    split_lines,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Verdict

# A line with this mark is the answer, whatever else the script prints.
_MARK = "HOOK_CONTROL\t"
_TYPES: Mapping[str, type] = {
    "cancel": bool,
    "context": str,
    "contextModification": str,
    "errorMessage": str,
    "overrideInput": dict,
    "review": bool,
}
# Keys that the host declares and acts on nowhere, and keys of other hosts -> what their authors mean.
_MEANT: Mapping[str, str] = {
    "review": "ask",
    "permissionDecision": "deny",
    "decision": "deny",
    "systemPrompt": "messages",
    "appendMessages": "messages",
    "replaceMessages": "messages",
}
# Bytes of context that the host takes; it cuts off the rest.
_MOST_CONTEXT = 50_000
# An answer is looked for in so many last lines.
_MOST_LINES = 200
_CUT = "\n\n[... context truncated due to size limit ...]"


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return what a script means. The host reads an object on stdout at every exit code."""
    if outcome.failure is not None:
        return make_failed_verdict(spec, outcome)
    try:
        given = _object(outcome.stdout, strict=spec.strict)
        answer = select_typed(given, _TYPES) if given is not None else None
    except UnreadableError as error:
        return make_failed_verdict(spec, outcome, str(error))
    if answer is None and outcome.truncated:
        return make_failed_verdict(spec, outcome, OVERFLOWED)
    if answer is None and outcome.exit_code:
        return make_failed_verdict(spec, outcome)
    verdict = _verdict(answer or {}, outcome, spec, row)
    if verdict.rewrite is None:
        return verdict
    value = plain_input(event.tool, verdict.rewrite.value)
    return verdict.replace(rewrite=verdict.rewrite.replace(value=value))


def _verdict(answer: Mapping[str, Any], outcome: Outcome, spec: HookSpec, row: EventRow) -> Verdict:
    cancels = answer.get("cancel", False)
    context = answer.get("context") or answer.get("contextModification") or ""
    message = answer.get("errorMessage", "").strip()
    unsupported = [*_unsupported(answer, row)]
    stance = row.blocks if cancels else SILENT
    reason = (message or context.strip() or f"cancelled by hook `{label(spec)}`") if stance else ""
    # Of a cancel the context is the reason, and never context.
    context = "" if cancels else context or message
    if context and "context" not in row.powers:
        unsupported.append("context")
        context = ""
    rewrite = answer.get("overrideInput") if "input" in row.powers else None
    return to_verdict(
        spec,
        outcome,
        stance=stance,
        reason=reason,
        rewrite=Rewrite(target="input", value=rewrite) if rewrite is not None else None,
        for_agent=context if len(context) <= _MOST_CONTEXT else context[:_MOST_CONTEXT] + _CUT,
        unsupported=tuple(unsupported),
    )


def _unsupported(answer: Mapping[str, Any], row: EventRow) -> Iterator[str]:
    """Yield what the host does not act on."""
    if answer.get("cancel") and not row.blocks:
        yield f"deny: `{row.native}` cannot be cancelled"
    if answer.get("overrideInput") is not None and "input" not in row.powers:
        yield "input"
    for key, value in answer.items():
        acted_on = key in _TYPES and key not in _MEANT
        if not acted_on and value not in (None, "", False, [], {}):
            yield f"{_MEANT.get(key, key)}: Cline does not act on `{key}`"


def _object(stdout: str, *, strict: bool) -> dict[str, Any] | None:
    """Return the answer that a script printed: the marked line, all of stdout, or the last object in it.

    Raises:
        UnreadableError: the marked line holds no object, or the host refuses a key of it; in strict mode also text
            around an object.
    """
    marked = [line.removeprefix(_MARK) for line in split_lines(stdout) if line.startswith(_MARK)]
    if not marked and not stdout.strip():
        return None
    try:
        given = parse_object(marked[-1] if marked else stdout)
    except UnreadableError:
        if marked or (strict and has_object_start(stdout)):
            raise
        found = _last_object(stdout)
        if found is None:
            return None
        given = found
    if "shouldContinue" in given:
        raise UnreadableError("`shouldContinue` was removed from the format; write `cancel`")
    return given


def _last_object(stdout: str) -> dict[str, Any] | None:
    """Return the object that ends the text, where it begins on a line of its own; None without one."""
    found = split_lines(stdout.rstrip())
    for at in range(len(found) - 1, max(-1, len(found) - 1 - _MOST_LINES), -1):
        if found[at].lstrip().startswith("{"):
            try:
                value = json.loads("\n".join(found[at:]))
            except (ValueError, RecursionError):
                continue
            return value if isinstance(value, dict) else None
    return None
