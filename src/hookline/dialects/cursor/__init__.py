"""Cursor: hooks in its `hooks.json` files, and the replies that it reads.

Format: docs/formats/cursor.md.
"""

from __future__ import annotations

from hookline.dialects.cursor.table import MCP, NAME, TABLE, WORDS, count_loops
from hookline.dialects.kit.answer import collect_values
from hookline.dialects.kit.dialect import FolderDialect
from hookline.model.event import Body, Event, Stop, ToolCall
from hookline.model.verdict import Decision, Reply, Stance
from hookline.wire.hookoutput import to_json_line
from hookline.wire.json_reader import close_json, open_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Json
    from hookline.model.spec import HookSpec

_GO_ON = "a hook wants the work to go on"


class Cursor(FolderDialect):
    """The dialect of Cursor. It has no options."""

    table = TABLE

    def decode_event(self, payload: Json, native: str = "") -> Event:
        """Return a payload as an event.

        Where it names no folder, that is the first of the workspace's roots.
        """
        event = super().decode_event(payload, native)
        roots, session = payload.get("workspace_roots"), payload.get("session_id")
        if not event.cwd and isinstance(roots, list) and roots and isinstance(roots[0], str):
            event = event.replace(cwd=roots[0])
        if not event.session_id and isinstance(session, str):
            event = event.replace(session_id=session)
        row = TABLE.row(event.native_name)
        return event.replace(body=_open_body(event.body, row)) if row is not None else event

    def encode_payload(self, event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
        """Return the payload of a hook; the host's own event goes as the host sent it."""
        given = super().encode_payload(event, spec, row)
        if row is None:
            return given
        if isinstance(event.input, dict):
            given |= {key: event.input[key] for key in row.made_of if key in event.input}
        sent = event.raw if event.dialect == NAME else {}
        if event.dialect != NAME:
            given |= _translate(event, given)
        for key in ("tool_input", "tool_output", "result_json"):
            # The host's own event goes as it came. Otherwise an input is text for an MCP server
            # only.
            is_text = (
                key != "tool_input" or row.kind.startswith("mcp.") or event.tool.startswith(MCP)
            )
            if key in given and (isinstance(sent[key], str) if key in sent else is_text):
                given[key] = close_json(given[key], sent.get(key))
        return given

    def encode_reply(self, decision: Decision, _event: Event, row: EventRow | None) -> Reply:
        """Return the reply of a command hook: exit 0 and one object, or nothing.

        A denial after a tool is its context (docs/formats/cursor.md 5).
        """
        if row is None:
            return Reply()
        stances = {stance: word for word, stance in WORDS.items()}
        words: dict[str, Any] = {}
        if decision.stance in stances:
            words["permission"] = stances[decision.stance]
        if decision.stance >= Stance.DENY:
            words |= {"continue": False, "followup_message": decision.reason or _GO_ON}
        values = collect_values(decision)
        words |= {key: values[power] for key, power in row.reads.items() if power in values}
        words |= _explain(decision)
        return Reply(stdout=to_json_line({key: words[key] for key in words if key in row.reads}))


def _open_body(body: Body, row: EventRow) -> Body:
    """Return what an event carries: opened JSON, and for a command or a file a tool call."""
    facts = body.facts
    if row.tool:
        about = [field for field in row.fields if field.native in row.made_of]
        given = {field.native: facts[field.fact] for field in about if field.fact in facts}
        return ToolCall(tool=row.tool, input=given, result=facts.get("result"), facts=facts)
    if isinstance(body, Stop):
        return body.replace(stop_hook_active=count_loops(facts) > 0)
    if not isinstance(body, ToolCall):
        return body
    arguments, result = open_json(body.input), open_json(body.result)
    if server := facts.get("url") or facts.get("command"):
        facts = {**facts, "server": server}
    arguments = arguments if isinstance(arguments, dict) else None
    return body.replace(input=arguments, result=result, facts=facts)


def _translate(event: Event, given: dict[str, Any]) -> dict[str, Any]:
    """Return what the facts of another host's event are called here."""
    words: dict[str, Any] = {}
    if event.cwd:
        words["workspace_roots"] = given["workspace_roots"] or [event.cwd]
    if "session_id" in given:
        words["session_id"] = event.session_id
    if "loop_count" in given:
        words["loop_count"] = count_loops(event.body.facts)
    server = event.body.facts.get("server")
    if isinstance(server, str) and event.kind.startswith("mcp."):
        words["url" if "://" in server else "command"] = server
    return words


def _explain(decision: Decision) -> dict[str, str]:
    """Return the messages.

    Of a denial the user and the agent learn the reason, of a question the user.

    A hook that refused with a message of its own for the user gave the reason to the agent alone.
    """
    stance, reason = decision.stance, decision.reason
    leading = [v for v in decision.verdicts if v.stance is stance and v.reason == reason]
    alone = stance >= Stance.DENY and any(v.for_user for v in leading if not v.shadow)
    for_user = [reason] if stance >= Stance.ASK and reason and not alone else []
    for_agent = [reason] if stance >= Stance.DENY and reason else []
    user = "\n".join(dict.fromkeys([*for_user, *decision.for_user]))
    agent = "\n".join(dict.fromkeys([*for_agent, *decision.for_agent]))
    texts = {"user_message": user, "agent_message": agent, "additional_context": agent}
    return {key: text for key, text in texts.items() if text}
