"""Prompt hooks of OpenHands: the model, and what its reply means (docs/formats/openhands.md 2)."""

from __future__ import annotations

from hookline.core.failure import make_failed_verdict
from hookline.dialects.kit.prompt_hook import PromptFormat, read_reply
from hookline.wire.hookoutput import UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.dialects.kit.claims import Claims
    from hookline.model.verdict import Verdict

# The host asks the agent's own model, which it also reads from this variable. The event comes after
# the prompt.
FORMAT = PromptFormat(
    names=("$HOOKLINE_MODEL", "$LLM_MODEL"),
    keys=(
        "`decision` says whether the policy, which comes first, allows the event after it: `allow` or `deny`; and `reason` "
        "says why."
    ),
    properties={
        "decision": {"type": "string", "enum": ["allow", "deny"]},
        "reason": {"type": "string", "description": "why; empty if the policy allows it"},
    },
    shape="decision",
    alone=("command", "async"),
    literal=True,
)


def decode_reply(claims: Claims) -> Verdict:
    """Return what the model's reply means.

    `deny` blocks the event, where it can be blocked, and ends the run.
    """
    try:
        denies, chosen, _ = read_reply(claims.outcome.stdout, "decision", _refuses)
    except UnreadableError as error:
        return make_failed_verdict(claims.spec, claims.outcome, str(error))
    if denies:
        reason = str(chosen.get("reason") or "").strip()
        claims.claim(claims.row.blocks, reason, f"deny: `{claims.row.native}` cannot be blocked")
    return claims.verdict(ends=bool(claims.stance))


def _refuses(word: object) -> bool:
    if str(word).lower() not in ("allow", "deny"):
        raise UnreadableError("`decision` in the model's reply is neither `allow` nor `deny`")
    return str(word).lower() == "deny"
