"""`elide_repeated_tool_results`: one line for a result that the model has already."""

from __future__ import annotations

import json

from hookline.handlers.builtins.call import Report, make_output
from hookline.handlers.builtins.results import is_too_large
from hookline.handlers.builtins.tool_facts import (
    change_texts,
    find_category,
    find_longest_text,
    is_read_only,
)
from hookline.model.event import ToolCall
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.handlers.builtins.call import BuiltinCall, Output

_CATEGORIES = frozenset(("filesystem", "lsp", "rag", "memory", "git"))
_MOST = 4096  # calls of a session that are remembered
_DIGITS = 32
_MARKER = (
    "[`{tool}`: this result is byte-for-byte identical to the earlier one of the same call in this"
    " session. See there.]"
)


def elide_repeated_tool_results(asked: BuiltinCall) -> Output | Report:
    """Handle the result of a tool; forget all results where the model may not have them any more.

    That is where a session begins and ends, and after a compaction.
    """
    event, body, change = asked.event, asked.event.body, asked.change_state
    if change is None or not event.session_id:
        why = "elide_repeated_tool_results: the event names no session, so every result stays whole"
        return Report(text=why)
    if not isinstance(body, ToolCall):
        change(lambda state: {} if state else None)
        return None
    text = find_longest_text(body.result)
    if (
        body.error
        or find_category(event) not in _CATEGORIES
        or not is_read_only(event)
        or is_too_large(text)
    ):
        return None
    marker = _MARKER.format(tool=event.tool)
    key, now = _digest([event.tool, event.input]), [_digest(body.result), body.call_id]
    repeated = False

    def remember(state: dict[str, Any]) -> dict[str, Any] | None:
        nonlocal repeated
        seen: dict[str, list[str]] = state.get("seen", {})
        before = seen.get(key)
        # The same call once more is that of another hook, or of another event of this moment.
        if before is not None and now[1] and before[1] == now[1]:
            return None
        repeated = before is not None and before[0] == now[0]
        if before is None and len(seen) >= _MOST:
            return None
        return {"seen": {**seen, key: now}}

    change(remember)
    if not repeated or len(text) <= len(marker):
        return None
    short = change_texts(body.result, lambda each: marker if each == text else each)
    return make_output(updated_tool_response=short)


def _digest(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return sha256(text.encode("utf-8", "surrogatepass"))[:_DIGITS]
