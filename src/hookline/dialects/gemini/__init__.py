"""Gemini CLI: hooks in its `settings.json`, and in the `hooks/hooks.json` of its extensions (docs/formats/gemini.md)."""

from __future__ import annotations

from hookline.dialects.gemini.encode_decision import to_response
from hookline.dialects.gemini.table import NAME, TABLE
from hookline.dialects.kit.dialect import FolderDialect
from hookline.model.event import Generation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event, Json
    from hookline.model.spec import HookSpec

__all__ = ["NAME", "OPTIONS", "Gemini"]

OPTIONS: tuple[str, ...] = ()


class Gemini(FolderDialect):
    """The dialect of Gemini CLI. It has no options."""

    def __init__(self) -> None:
        super().__init__(__name__, TABLE, "combine")

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
        """Return the payload of a hook, with the host's own objects rebuilt from what the event holds now."""
        payload = super().encode_payload(event, spec, row)
        foreign = event.dialect != NAME
        request, result = payload.get("llm_request"), payload.get("tool_response")
        if isinstance(request, dict):
            usual = {"model": "", "messages": []} if foreign else {}
            now = {key: event.body.value(key) for key in ("model", "messages")}
            now = {key: value for key, value in now.items() if value is not None}
            payload["llm_request"] = usual | request | now
        if "llm_response" in payload:
            payload["llm_response"] = to_response(payload["llm_response"])
        if foreign and result is not None and not _is_tool_response(result):
            # Another host's result is what both the model and the user see.
            error = event.body.value("error")
            payload["tool_response"] = {"llmContent": result, "returnDisplay": result}
            payload["tool_response"] |= {"error": error} if error is not None else {}
        return payload


def _is_tool_response(result: Json) -> bool:
    return isinstance(result, dict) and "llmContent" in result
