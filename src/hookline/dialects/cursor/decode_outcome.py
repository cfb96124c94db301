"""What a Cursor hook meant: its exit code, and one object (docs/formats/cursor.md 5)."""

from __future__ import annotations

from hookline.core.failure import OVERFLOWED, label, make_failed_verdict
from hookline.dialects.cursor.table import KEYS, MCP, NAME, WORDS, count_loops
from hookline.dialects.kit.answer import Claims
from hookline.model.kinds import ACTIONS
from hookline.model.verdict import Outcome, Stance, Verdict
from hookline.wire.hookoutput import UnreadableError, parse_object, select_typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

_TYPES: Mapping[str, type] = {key: known.type for key, known in KEYS.items()}
# `mcp__`: how Claude's family names the tools of MCP servers (20), on whose events a hook of ours
# may be asked too.
_MCP_TOOLS = (MCP, "mcp__")
# Older spellings, which the host still reads.
_OLDER: Mapping[str, str] = {"userMessage": "user_message", "agentMessage": "agent_message"}
# Keys that are a rewrite, context or an effect.
_VALUES = ("updated_input", "updated_mcp_tool_output", "env", "pluginPaths", "additional_context")
_REFUSES = 2


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return the verdict of one hook."""
    if outcome.failure is not None or outcome.exit_code not in (None, 0, _REFUSES):
        return make_failed_verdict(spec, outcome)
    claims = Claims(outcome, spec, row, event)
    if outcome.exit_code == _REFUSES:
        return _refuse(claims)
    text = outcome.stdout.strip()
    if not text and spec.facts.get("fail_closed"):
        # docs/formats/comparison.md 5
        silence = "it printed nothing, and with `failClosed` silence is an error"
        return make_failed_verdict(spec, outcome, silence)
    try:
        return _read_answer(claims, _parse(text) if text else {})
    except UnreadableError as error:
        return make_failed_verdict(spec, outcome, OVERFLOWED if outcome.truncated else str(error))


def _parse(text: str) -> dict[str, Any]:
    """Return the object that a hook printed, under the current names of its keys.

    Raises:
        UnreadableError: the text is no object, or a value is of another type than its key wants.
    """
    given = parse_object(text)
    for older, key in _OLDER.items():
        if older in given:
            given.setdefault(key, given.pop(older))
    return select_typed(given, _TYPES)


def _refuse(claims: Claims) -> Verdict:
    """Return what exit 2 means: a denial.

    Its words are those of stderr, else those of what the hook printed.
    """
    try:
        printed = _parse(claims.outcome.stdout)
    except UnreadableError:
        printed = {}
    agent = claims.outcome.stderr.strip() or printed.get("agent_message", "")
    user = printed.get("user_message", "")
    if claims.row.can_block and "followup_message" not in claims.row.reads:
        return _explain(claims, Stance.DENY, user, agent)
    claims.unsupported.append("deny")
    return _explain(claims, Stance.SILENT, user or agent, "")


def _read_answer(claims: Claims, given: Mapping[str, Any]) -> Verdict:
    """Return what an output object means.

    Raises:
        UnreadableError: a value that the host cannot take.
    """
    row, read = claims.row, {}
    for key, value in given.items():
        # `continue: true` asks for nothing.
        asks = not value if key == "continue" else value not in ("", False, [], {})
        if key in row.reads:
            read[key] = value
        elif asks and key != "permission":
            claims.unsupported.append((KEYS[key].power if key in KEYS else "") or key)
    stance = Stance.SILENT if read.get("continue", True) else Stance.DENY
    if word := given.get("permission"):
        stance = max(stance, _read_permission(claims, word))
    texts = (*read.get("env", {}).values(), *read.get("pluginPaths", []))
    if not all(isinstance(text, str) for text in texts):
        raise UnreadableError("`env` and `pluginPaths` hold texts only")
    for key in [key for key in _VALUES if key in read]:
        is_for_mcp = key == "updated_mcp_tool_output" and row.only_for
        if is_for_mcp and not claims.event.tool.startswith(_MCP_TOOLS):
            claims.unsupported.append("output: only the output of an MCP tool can be rewritten")
        else:
            claims.take(KEYS[key].power, read[key], merge=True)
    if read.get("followup_message"):
        return _follow_up(claims, read["followup_message"])
    return _explain(claims, stance, read.get("user_message", ""), read.get("agent_message", ""))


def _read_permission(claims: Claims, word: str) -> Stance:
    """Return the stance of a permission.

    Raises:
        UnreadableError: there is no such permission.
    """
    row = claims.row
    if word not in WORDS:
        raise UnreadableError(f"unknown permission `{word}`")
    is_read = "permission" in row.reads and word in row.powers
    if is_read or (word == "ask" and row.kind in ACTIONS):
        return WORDS[word]
    claims.unsupported.append(word)
    return Stance.SILENT


def _follow_up(claims: Claims, message: str) -> Verdict:
    """Return the verdict of a hook that sends the agent back, as often as it may.

    The message is the agent's next instruction.
    """
    limit, count = claims.spec.facts.get("loop_limit"), count_loops(claims.event.body.facts)
    if limit is not None and count >= limit:
        name = label(claims.spec)
        why = f"hook `{name}` sent the agent back {count} times, which is its limit"
        verdict = _explain(claims, Stance.SILENT, f"{why}; the agent may stop now", "")
    else:
        verdict = _explain(claims, Stance.DENY, "", message)
    # Another host has a limit of its own.
    own = claims.event.dialect == NAME
    return verdict.replace(redo_limit=limit or 0) if own else verdict


def _explain(claims: Claims, stance: Stance, user: str, agent: str) -> Verdict:
    """Return the verdict: a denial is explained to the agent, a question to the user."""
    reason = ""
    if stance is Stance.DENY:
        reason, user, agent = agent or user, user if agent else "", ""
    elif stance is Stance.ASK:
        reason, user, agent = user or agent, "", agent if user else ""
        reason = reason or f"hook `{label(claims.spec)}` asks"
    claims.claims = [(stance, reason)]
    claims.context = "\n".join(text for text in (agent, claims.context) if text)
    claims.notes = [user] if user and user != reason else []
    return claims.verdict()
