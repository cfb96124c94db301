"""Gemini CLI: hooks in its settings and extensions, and the replies that it reads.

Format: docs/formats/gemini.md.
"""

from __future__ import annotations

from hookline.dialects.gemini.table import MODES, NAME, TABLE
from hookline.dialects.kit.answer import ReplyFormat, encode_answer, make_reply
from hookline.dialects.kit.dialect import FolderDialect
from hookline.model.event import Event, Generation
from hookline.model.verdict import Decision, Reply, Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Json
    from hookline.model.spec import HookSpec

_FORMAT = ReplyFormat(words={Stance.ASK: "ask", Stance.DENY: "deny"})


class Gemini(FolderDialect):
    """The dialect of Gemini CLI. It has no options."""

    table = TABLE
    combine_file = "load"

    def decode_event(self, payload: Json, native: str = "") -> Event:
        """Return a payload of the host as an event.

        What is inside `llm_request` is the event's model and messages too.
        """
        event = super().decode_event(payload, native)
        body = event.body
        request = body.value("llm_request")
        if not isinstance(body, Generation) or not isinstance(request, dict):
            return event
        known = {"params": request.get("config"), "tools": request.get("toolConfig")}
        known = {fact: value for fact, value in known.items() if value is not None}
        model, messages = request.get("model"), request.get("messages")
        body = body.replace(model=model, messages=messages, facts={**body.facts, **known})
        return event.replace(body=body)

    def encode_payload(self, event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
        """Return the payload of a hook; the host's own objects hold what the event holds now."""
        payload = super().encode_payload(event, spec, row)
        foreign = event.dialect != NAME
        request, result = payload.get("llm_request"), payload.get("tool_response")
        if isinstance(request, dict):
            usual = {"model": "", "messages": []} if foreign else {}
            now = {key: event.body.value(key) for key in ("model", "messages")}
            now = {key: value for key, value in now.items() if value is not None}
            payload["llm_request"] = usual | request | now
        if "llm_response" in payload:
            payload["llm_response"] = _to_response(payload["llm_response"])
        is_own = isinstance(result, dict) and "llmContent" in result
        if foreign and result is not None and not is_own:
            # Another host's result is what both the model and the user see.
            error = event.body.value("error")
            payload["tool_response"] = {"llmContent": result, "returnDisplay": result}
            payload["tool_response"] |= {"error": error} if error is not None else {}
        return payload

    def encode_reply(self, decision: Decision, _event: Event, row: EventRow | None) -> Reply:
        """Return the reply of a command hook: exit 0 and one object, or nothing.

        An allow has no word: silence is allow (docs/formats/gemini.md 4).
        """
        effects, rewrite = dict(decision.effects), decision.rewrite
        effects["return"] = _to_response(effects.get("return"))
        effects["tools"] = _join_tools(effects.get("tools"))
        effects = {power: value for power, value in effects.items() if value}
        request = effects.get("request", {})
        if rewrite is None:
            effects |= {"messages": request} if request else {}
        elif rewrite.target == "input":
            rewrite = rewrite.replace(value=rewrite.patch) if rewrite.patch else None
        elif rewrite.target == "messages":
            rewrite = rewrite.replace(value={**request, "messages": rewrite.value})
        elif rewrite.target == "text":
            rewrite = rewrite.replace(value=_to_response(rewrite.value))
        decision = decision.replace(effects=effects, rewrite=rewrite)
        top, specific = encode_answer(decision, row, _FORMAT)
        return make_reply(top, specific, row)


def _join_tools(chosen: Any) -> dict[str, Any]:
    """Return which tools the model may call, as the host itself joins what its hooks answer.

    The names are sorted, and there are none beside the mode that forbids all.
    """
    if not isinstance(chosen, dict):
        return {}
    mode = chosen.get("mode", MODES[0])
    names = chosen.get("allowedFunctionNames") if mode != MODES[-1] else None
    return {"mode": mode, "allowedFunctionNames": sorted({str(name) for name in names or []})}


def _to_response(reply: Any) -> Any:
    """Return a model's reply as an `llm_response`; a text is its only candidate's only part."""
    if not isinstance(reply, str):
        return reply
    candidate = {"content": {"role": "model", "parts": [reply]}, "finishReason": "STOP"}
    return {"text": reply, "candidates": [candidate]}
