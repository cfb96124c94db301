"""Prompt hooks of Claude Code: the models, and what `{ok, reason, impossible}` means (docs/formats/claude-code.md 4)."""

from __future__ import annotations

from hookline.core.failure import label, make_failed_verdict, show_failure
from hookline.dialects.claude_code.table import DENY, HALT, SILENT
from hookline.dialects.kit.claims import to_verdict
from hookline.dialects.kit.prompt_hook import PromptFormat, read_reply, refuses_ok
from hookline.model.kinds import kind
from hookline.wire.hookoutput import UnreadableError
from hookline.wire.model_replies import read_flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import EventRow
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Outcome, Verdict

# Where the full name of a model stands, and what it is otherwise.
_HAIKU = ("$ANTHROPIC_DEFAULT_HAIKU_MODEL", "claude-haiku-5-5")
FORMAT = PromptFormat(
    names=("$HOOKLINE_MODEL", *_HAIKU),
    provider="anthropic",
    short={
        "haiku": _HAIKU,
        "sonnet": ("$ANTHROPIC_DEFAULT_SONNET_MODEL", "claude-sonnet-5-5"),
        "opus": ("$ANTHROPIC_DEFAULT_OPUS_MODEL", "claude-opus-5-5"),
    },
    judged=True,
    keys=(
        "`ok` is true if the condition holds; if not, `reason` says what is wrong or still to be done, and `impossible` is "
        "true if the condition can never hold."
    ),
    properties={
        "ok": {"type": "boolean", "description": "whether the condition holds"},
        "reason": {"type": "string", "description": "why not, where it does not hold"},
        "impossible": {"type": "boolean", "description": "whether it can never hold"},
    },
)


def decode_reply(outcome: Outcome, spec: HookSpec, row: EventRow) -> Verdict:
    """Return what the model's reply means: what `ok: false` means is the event's `judged`, and `continueOnBlock` feeds it back.

    `impossible`, which lets the agent stop, counts only where the judgement is the whole reply.
    """
    try:
        refused, chosen, alone = read_reply(outcome.stdout, "ok", refuses_ok)
        impossible = alone and read_flag(chosen.get("impossible") or False, "impossible")
    except UnreadableError as error:
        return show_failure(make_failed_verdict(spec, outcome, str(error)), spec)
    reason = chosen.get("reason")
    reason = reason.strip() if isinstance(reason, str) else ""
    stance = row.judged if refused else SILENT
    if stance is HALT and spec.facts.get("continue_on_block"):
        stance = DENY
    if stance and impossible and kind(row.kind).redo:
        why = f"what it asks for is impossible: {reason or 'no reason given'}"
        note = f"hook `{label(spec)}` lets it stop, because {why}"
        return to_verdict(spec, outcome, for_user=note)
    reason = reason or f"blocked by hook `{label(spec)}`"
    return to_verdict(spec, outcome, stance=stance, reason=reason if stance else "")
