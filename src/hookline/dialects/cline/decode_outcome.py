"""Results of Cline's scripts as verdicts (docs/formats/cline.md 4)."""

from __future__ import annotations

from contextlib import suppress

from hookline.core.failure import OVERFLOWED, make_failed_verdict
from hookline.dialects.cline import plain_input
from hookline.dialects.kit.answer import Claims
from hookline.model.event import Event, Rewrite
from hookline.wire.hookoutput import (
    UnreadableError,
    has_object_start,
    key_types,
    parse_object,
    split_lines,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Outcome, Verdict

# A line with this mark is the answer, whatever else the script prints.
_MARK = "HOOK_CONTROL\t"
_TYPES = key_types(
    flag="cancel", text="context contextModification errorMessage", object="overrideInput"
)
# Keys that the host declares and acts on nowhere, and keys of other hosts -> what their authors
# mean.
_MEANT = {
    "review": "ask",
    "permissionDecision": "deny",
    "decision": "deny",
    "systemPrompt": "messages",
    "appendMessages": "messages",
    "replaceMessages": "messages",
}
# Bytes of context that the host takes; it cuts off the rest.
_MOST_CONTEXT = 50_000
_CUT = "\n\n[... context truncated due to size limit ...]"
# An answer is looked for in so many last lines.
_MOST_LINES = 200


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return what a script means. The host reads an object on stdout at every exit code."""
    if outcome.failure is not None:
        return make_failed_verdict(spec, outcome)
    claims = Claims(outcome, spec, row, event)
    try:
        given = _find_answer(outcome.stdout, strict=spec.strict)
        _read_answer(claims, claims.select(given or {}, _TYPES, _MEANT, checked=True))
    except UnreadableError as error:
        return make_failed_verdict(spec, outcome, str(error))
    if given is None and (outcome.truncated or outcome.exit_code):
        return make_failed_verdict(spec, outcome, OVERFLOWED if outcome.truncated else "")
    return claims.verdict()


def _read_answer(claims: Claims, answer: Mapping[str, Any]) -> None:
    row = claims.row
    message = answer.get("errorMessage", "").strip()
    context = answer.get("context") or answer.get("contextModification") or ""
    if answer.get("cancel"):
        # Of a cancel the context is the reason, and never context.
        lost = f"deny: `{row.native}` cannot be cancelled"
        claims.claim(row.blocks, message or context.strip(), lost)
    elif context := context or message:
        if "context" not in row.powers:
            claims.unsupported.append("context")
        else:
            cut = len(context) > _MOST_CONTEXT
            claims.context = context[:_MOST_CONTEXT] + _CUT if cut else context
    new = answer.get("overrideInput")
    if new is not None and "input" in row.powers:
        claims.rewrite = Rewrite(target="input", value=plain_input(claims.event.tool, new))
    elif new is not None:
        claims.unsupported.append("input")


def _find_answer(stdout: str, *, strict: bool) -> dict[str, Any] | None:
    """Return what a script answered: the marked line, all of stdout, or the object at its end.

    Raises:
        UnreadableError: the marked line holds no object, or the host refuses a key of it; in strict
            mode also text around an object.
    """
    lines = split_lines(stdout.rstrip())
    marked = [line.removeprefix(_MARK) for line in lines if line.startswith(_MARK)]
    given = None
    try:
        given = parse_object(marked[-1] if marked else stdout)
    except UnreadableError:
        if marked or (strict and has_object_start(stdout)):
            raise
        last = lines[-_MOST_LINES:]
        for at in reversed(range(len(last))):
            if given is None and last[at].lstrip().startswith("{"):
                with suppress(UnreadableError):
                    given = parse_object("\n".join(last[at:]))
    if given is not None and "shouldContinue" in given:
        raise UnreadableError("`shouldContinue` was removed from the format; write `cancel`")
    return given
