"""What stands in `hookSpecificOutput`: rewrites, context and the effects that one event has (docs/formats/gemini.md 4)."""

from __future__ import annotations

from hookline.dialects.gemini.table import MODES, POWERS
from hookline.model.event import Rewrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow


_OBJECT = (dict, "an object")
_TYPES: Mapping[str, tuple[type, str]] = {
    "tool_input": _OBJECT,
    "additionalContext": (str, "text"),
    "tailToolCallRequest": _OBJECT,
    "clearContext": (bool, "true or false"),
    "llm_request": _OBJECT,
    "llm_response": _OBJECT,
    "toolConfig": _OBJECT,
}
# A key that only says which event the rest is for; the host does not compare it.
_EVENT = "hookEventName"


class Specific:
    """Collects what one hook asks for beside its decision; what cannot be honoured goes to `unsupported`."""

    def __init__(self, row: EventRow, unsupported: list[str]) -> None:
        self.row = row
        self.unsupported = unsupported
        self.rewrite: Rewrite | None = None
        self.context = ""
        self.effects: dict[str, Any] = {}

    def take(self, given: Mapping[str, Any]) -> None:
        """Take in the object."""
        for key, value in given.items():
            if key == _EVENT or value in (None, "", False, [], {}):
                continue
            if key not in self.row.reads:
                self.unsupported.append(POWERS.get(key, key))
            elif not isinstance(value, _TYPES[key][0]):
                self._lost(key, f"must be {_TYPES[key][1]}")
            else:
                self._read(key, self.row.reads[key], value)

    def _read(self, key: str, power: str, value: Any) -> None:
        match power:
            case "context":
                # The host escapes them, so that no hook opens or closes a tag around what it adds.
                self.context = value.replace("<", "&lt;").replace(">", "&gt;")
            case "input":
                self.rewrite = Rewrite(target="input", value=value, merge=True)
            case "messages":
                self._request(value)
            case "text" | "return":
                self._response(key, power, value)
            case "tools":
                self._tools(value)
            case "tail_call":
                self._tail_call(value)
            case _:
                self.effects[power] = value

    def _lost(self, key: str, why: str) -> None:
        self.unsupported.append(f"{POWERS[key]}: `{key}` {why}")

    def _request(self, request: Mapping[str, Any]) -> None:
        """A partial request: new messages are a rewrite, the model and its parameters an effect."""
        beside = {key: value for key, value in request.items() if key != "messages"}
        if beside:
            self.effects["request"] = beside
        messages = request.get("messages")
        if isinstance(messages, list):
            self.rewrite = Rewrite(target="messages", value=messages)
        elif messages is not None:
            self._lost("llm_request", "has messages that are no list")

    def _response(self, key: str, power: str, response: Mapping[str, Any]) -> None:
        """A reply in the model's place, or another one instead of its own; without a candidate that says something, none."""
        if not _speaks(response):
            self._lost(key, "has no candidate with `content.parts`")
        elif power == "text":
            self.rewrite = Rewrite(target="text", value=response)
        else:
            self.effects[power] = response

    def _tools(self, chosen: Mapping[str, Any]) -> None:
        mode, names = chosen.get("mode"), chosen.get("allowedFunctionNames")
        kept: dict[str, Any] = {}
        if mode in MODES:
            kept["mode"] = mode
        elif mode is not None:
            self._lost(
                "toolConfig",
                f"has a mode that is none of {', '.join(f'`{word}`' for word in MODES)}",
            )
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            kept["allowedFunctionNames"] = names
        elif names is not None:
            self._lost("toolConfig", "has `allowedFunctionNames` that are no list of texts")
        if kept:
            self.effects["tools"] = kept

    def _tail_call(self, call: Mapping[str, Any]) -> None:
        """Another tool, whose result takes the place of this one's."""
        name, args = call.get("name"), call.get("args", {})
        if isinstance(name, str) and name and isinstance(args, dict):
            self.effects["tail_call"] = {"name": name, "args": args}
        else:
            self._lost(
                "tailToolCallRequest", "needs the `name` of a tool, and its `args` as an object"
            )


def _speaks(response: Mapping[str, Any]) -> bool:
    candidates = response.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    content = first.get("content") if isinstance(first, dict) else None
    return (
        isinstance(content, dict)
        and isinstance(content.get("parts"), list)
        and bool(content["parts"])
    )
