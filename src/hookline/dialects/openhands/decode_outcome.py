"""Results of OpenHands hooks as verdicts (docs/formats/openhands.md 6)."""

from __future__ import annotations

from hookline.core.failure import OVERFLOWED, label, make_failed_verdict
from hookline.dialects.kit.claims import to_verdict
from hookline.dialects.openhands.table import SILENT
from hookline.model.handler import Model
from hookline.wire.hookoutput import UnreadableError, has_object_start, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Verdict

_BLOCKED = 2
_KNOWN = ("decision", "reason", "additionalContext", "continue")
# Words of other hosts, and what their authors mean by them.
_MEANT: Mapping[str, str] = {"block": "deny", "ask": "ask"}


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, _event: Event) -> Verdict:
    """Return what a hook means. The host reads an object on stdout at every exit code."""
    if outcome.failure is not None:
        return make_failed_verdict(spec, outcome)
    if type(spec.handler) is Model:
        from hookline.dialects.openhands.prompt_hook import decode_reply  # noqa: PLC0415 - few hooks ask a model

        return decode_reply(outcome, spec, row)
    given, unread = _object(outcome.stdout)
    if given is None and outcome.truncated:
        return make_failed_verdict(spec, outcome, OVERFLOWED)
    if given is None and spec.strict and has_object_start(outcome.stdout):
        return make_failed_verdict(spec, outcome, "its stdout holds JSON, but is not one object")
    answer = given or {}
    word = answer.get("decision", "")
    if not isinstance(word, str):
        return make_failed_verdict(spec, outcome, "`decision` must be text")
    blocks = (
        outcome.exit_code == _BLOCKED or word.lower() == "deny" or not answer.get("continue", True)
    )
    context = str(answer.get("additionalContext", ""))
    reason = str(answer.get("reason", "")) or outcome.stderr.strip()
    if outcome.exit_code and not blocks:
        return make_failed_verdict(spec, outcome).replace(
            for_agent=context if "context" in row.powers else ""
        )
    unsupported = [*unread, *_unsupported(answer, row)]
    if blocks and row.blocks is SILENT:
        unsupported.append(f"deny: `{row.native}` cannot be blocked")
    if blocks and "context" not in row.powers:
        reason = context or reason  # a refused stop tells the agent the context instead
    elif context and "context" not in row.powers:
        unsupported.append("context")
    stance = row.blocks if blocks else SILENT
    return to_verdict(
        spec,
        outcome,
        stance=stance,
        reason=(reason or f"blocked by hook `{label(spec)}`") if stance else "",
        for_agent=context if "context" in row.powers else "",
        unsupported=tuple(unsupported),
        ends=bool(stance),
    )


def _object(stdout: str) -> tuple[dict[str, Any] | None, list[str]]:
    """Return the object that the hook printed, and why JSON that it printed is not read."""
    if not stdout.strip():
        return None, []
    try:
        return parse_object(stdout), []
    except UnreadableError as error:
        return None, [f"stdout: {error}"] if has_object_start(stdout) else []


def _unsupported(answer: Mapping[str, Any], row: EventRow) -> Iterator[str]:
    """Yield what the host does not read."""
    word = str(answer.get("decision", "")).lower()
    if word not in ("", "allow", "deny"):
        yield f"{_MEANT.get(word, 'decision')}: OpenHands knows no decision `{word}`"
    for key, value in answer.items():
        if key not in _KNOWN and value not in (None, "", False, [], {}):
            yield f"{key}: OpenHands does not read it on `{row.native}`"
