"""A decision in the words that Copilot reads from a command hook: progress lines, then one object, and exit 0 (docs/formats/copilot.md 5)."""

from __future__ import annotations

import json

from hookline.dialects.copilot.table import ALLOW, ASK, CONTEXT_LIMIT, DENY, HALT
from hookline.model.reply import Reply
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

    Object: TypeAlias = dict[str, Any]

_WORDS = {ALLOW: "allow", ASK: "ask", DENY: "deny"}


def encode_decision(decision: Decision, _event: Event, row: EventRow | None) -> Reply:
    """The reply of a command hook. An exit code would be read instead of the answer, or be a mere warning, so it is 0."""
    notes = list(decision.for_user)
    said: Object = {}
    if row is not None:
        for key, say in _SAY.items():
            if key in row.reads:
                said |= say(decision, notes)
    return Reply(stdout="".join(map(_progress, notes)) + to_json_line(said))


def _progress(text: str) -> str:
    """A line for the user, which the host takes out of the output before it reads the rest."""
    return json.dumps({"type": "progress", "message": text}, ensure_ascii=False) + "\n"


def _permission(decision: Decision, notes: list[str]) -> Object:  # noqa: ARG001 - the ways share one shape
    word = _WORDS.get(decision.stance)
    if not word:
        return {}
    return {
        "permissionDecision": word,
        **({"permissionDecisionReason": decision.reason} if decision.reason else {}),
    }


def _behavior(decision: Decision, notes: list[str]) -> Object:  # noqa: ARG001 - as above
    if decision.stance is ALLOW:
        return {"behavior": "allow"}
    if decision.stance < DENY:
        return {}
    return {
        "behavior": "deny",
        "message": decision.reason,
        **({"interrupt": True} if decision.stance is HALT else {}),
    }


def _decision(decision: Decision, notes: list[str]) -> Object:  # noqa: ARG001 - as above
    return {"decision": "block", "reason": decision.reason} if decision.stance is DENY else {}


def _arguments(decision: Decision, notes: list[str]) -> Object:  # noqa: ARG001 - as above
    """The new arguments, whole; those of a call that does not happen are not sent."""
    rewrite = decision.rewrite
    if rewrite is None or rewrite.target != "input" or decision.stance >= DENY:
        return {}
    return {"modifiedArgs": rewrite.value}


def _result(decision: Decision, notes: list[str]) -> Object:  # noqa: ARG001 - as above
    """The new result; of one that is no text, its JSON."""
    rewrite = decision.rewrite
    if rewrite is None or rewrite.target != "output":
        return {}
    text = (
        rewrite.value
        if isinstance(rewrite.value, str)
        else json.dumps(rewrite.value, ensure_ascii=False)
    )
    kind = decision.effects.get("result_type", "success")
    return {"modifiedResult": {"resultType": kind, "textResultForLlm": text}}


def _prompt(decision: Decision, notes: list[str]) -> Object:
    rewrite = decision.rewrite
    if rewrite is None or rewrite.target != "text":
        return {}
    if not rewrite.value or not isinstance(rewrite.value, str):
        notes.append(
            "a hook wanted the model to get no prompt at all, which cannot be; it gets the prompt as it was"
        )
        return {}
    return {"modifiedTransformedPrompt": rewrite.value}


def _response(decision: Decision, notes: list[str]) -> Object:  # noqa: ARG001 - as above
    """The new last word; of an agent that goes on there is none."""
    text = decision.effects.get("response")
    return {"modifiedResponse": text} if text and decision.stance < DENY else {}


def _context(decision: Decision, notes: list[str]) -> Object:
    """What the model is told, joined as the host joins it, and cut where the host would cut it."""
    text = "\n\n".join(decision.for_agent)
    if not text:
        return {}
    raw = text.encode("utf-8", "replace")
    if len(raw) > CONTEXT_LIMIT:
        notes.append(
            f"hooks gave {len(raw)} bytes of context, of which the model is given {CONTEXT_LIMIT}"
        )
        text = raw[:CONTEXT_LIMIT].decode("utf-8", "ignore")
    return {"additionalContext": text}


# Key that an event reads -> how a decision is said by it, and by the keys that go with it.
_SAY: Mapping[str, Callable[[Decision, list[str]], Object]] = {
    "permissionDecision": _permission,
    "behavior": _behavior,
    "decision": _decision,
    "modifiedArgs": _arguments,
    "modifiedResult": _result,
    "modifiedTransformedPrompt": _prompt,
    "modifiedResponse": _response,
    "additionalContext": _context,
}
