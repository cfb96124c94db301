"""What a Cursor hook meant: its exit code, and at exit 0 the one JSON object that it printed (docs/formats/cursor.md 5)."""

from __future__ import annotations

from hookline.core.failure import OVERFLOWED, label, make_failed_verdict
from hookline.dialects.cursor.table import ASK, DENY, MCP, NAME, POWERS, SILENT, WORDS, count_loops
from hookline.dialects.kit.answer import Claims
from hookline.model.event import Rewrite
from hookline.model.kinds import ACTIONS
from hookline.wire.hookoutput import UnreadableError, parse_object, select_typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Outcome, Stance, Verdict

_KEYS: Mapping[str, type] = {
    "permission": str, "user_message": str, "agent_message": str, "updated_input": dict, "continue": bool,
    "followup_message": str, "env": dict, "additional_context": str, "updated_mcp_tool_output": object, "pluginPaths": list,
}  # fmt: skip
# `mcp__`: how Claude's family names the tools of MCP servers (20), on whose events a hook of ours
# may be asked too.
_MCP_TOOLS = (MCP, "mcp__")
# Older spellings, which the host still reads.
_OLDER: Mapping[str, str] = {"userMessage": "user_message", "agentMessage": "agent_message"}
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
    return select_typed(given, _KEYS)


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
        return _explain(claims, DENY, user, agent)
    claims.unsupported.append("deny")
    return _explain(claims, SILENT, user or agent, "")


def _read_answer(claims: Claims, given: Mapping[str, Any]) -> Verdict:
    """Return what an output object means.

    Raises:
        UnreadableError: a value that the host cannot take.
    """
    row = claims.row
    for key, value in given.items():
        # `continue: true` asks for nothing.
        asks = not value if key == "continue" else value not in ("", False, [], {})
        if asks and key not in row.reads and key != "permission":
            claims.unsupported.append(POWERS.get(key, key))
    read = {key: value for key, value in given.items() if key in row.reads}
    stance = SILENT if read.get("continue", True) else DENY
    if word := given.get("permission"):
        if word not in WORDS:
            raise UnreadableError(f"unknown permission `{word}`")
        real = word in row.powers if "permission" in row.reads else False
        if real or (word == "ask" and row.kind in ACTIONS):
            stance = WORDS[word]
        else:
            claims.unsupported.append(word)
    claims.context = read.get("additional_context", "")
    _read_values(claims, read)
    user, agent = read.get("user_message", ""), read.get("agent_message", "")
    message = read.get("followup_message")
    if not message:
        return _explain(claims, stance, user, agent)
    # The agent goes on with the message as its next instruction, as often as the hook may have
    # that.
    limit, count = claims.spec.facts.get("loop_limit", None), count_loops(claims.event.body.facts)
    if limit is not None and count >= limit:
        name = label(claims.spec)
        message = f"hook `{name}` sent the agent back {count} times, which is its limit; the agent may stop now"
        verdict = _explain(claims, SILENT, message, "")
    else:
        verdict = _explain(claims, DENY, "", message)
    # Another host has a limit of its own.
    own = claims.event.dialect == NAME
    return verdict.replace(redo_limit=limit or 0) if own else verdict


def _read_values(claims: Claims, read: Mapping[str, Any]) -> None:
    """Take in a rewrite, and the effects."""
    if "updated_input" in read:
        claims.rewrite = Rewrite(target="input", value=read["updated_input"], merge=True)
    if "updated_mcp_tool_output" in read:
        if claims.row.only_for and not claims.event.tool.startswith(_MCP_TOOLS):
            claims.unsupported.append("output: only the output of an MCP tool can be rewritten")
        else:
            claims.rewrite = Rewrite(target="output", value=read["updated_mcp_tool_output"])
    env, paths = read.get("env", {}), read.get("pluginPaths", [])
    if not all(isinstance(text, str) for text in (*env.values(), *paths)):
        raise UnreadableError("`env` and `pluginPaths` hold texts only")
    claims.effects = {key: value for key, value in (("env", env), ("plugin_paths", paths)) if value}


def _explain(claims: Claims, stance: Stance, user: str, agent: str) -> Verdict:
    """Return the verdict with each message where it belongs: a denial is explained to the agent, a question to the user."""
    reason = ""
    if stance is DENY:
        reason, user, agent = agent or user, user if agent else "", ""
    elif stance is ASK:
        reason, user, agent = user or agent, "", agent if user else ""
        reason = reason or f"hook `{label(claims.spec)}` asks"
    claims.claims = [(stance, reason)]
    claims.context = "\n".join(text for text in (agent, claims.context) if text)
    claims.notes = [user] if user and user != reason else []
    return claims.verdict()
