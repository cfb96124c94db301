"""`redact_secrets`: masks secrets in arguments, messages and results."""

from __future__ import annotations

from functools import lru_cache

from hookline.errors import HandlerError
from hookline.guards.masking import Masking, mask_value
from hookline.handlers.builtins.call import make_output
from hookline.model.event import ToolCall
from hookline.text.secrets.finding import Scan, merge_found
from hookline.text.secrets.scan import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.handlers.builtins.call import BuiltinCall, Output

_STEP = 900_000  # characters; a scan reads a little more, so that a secret lies in one of two
_OVERLAP = 100_000


def redact_secrets(asked: BuiltinCall) -> Output:
    """Handle a call of a tool, its result, or a call of a model.

    Raises:
        HandlerError: a value is nested too deeply to be read.
    """
    event, body = asked.event, asked.event.body
    if event.kind == "model.request":
        return _redact_messages(body.value("messages"))
    if not isinstance(body, ToolCall):
        return None
    if event.kind != "tool.before":
        after, note = _mask(body.result, f"the result of `{event.tool}`")
        return make_output(note, updated_tool_response=after) if after != body.result else None
    if not isinstance(event.input, dict):
        return None
    after, note = _mask(event.input, f"the arguments of `{event.tool}`")
    changed = {key: value for key, value in after.items() if value != event.input[key]}
    return make_output(note, updated_input=changed) if changed else None


def _redact_messages(before: Any) -> Output:
    """Mask all messages. The note is about the last one, because it returns for the others."""
    after, _ = _mask(before, "the messages")
    if after == before or not isinstance(before, list):
        return None
    _, note = _mask(before[-1], "the last message")
    return make_output(note if after[-1] != before[-1] else "", updated_messages=after)


def _mask(value: Any, where: str) -> tuple[Any, str]:
    """Return a value with its secrets masked, and what is masked, in words.

    Raises:
        HandlerError: a part of it cannot be read.
    """
    masking = Masking(_scan_all)
    masked = mask_value(value, masking)
    if masking.unread:
        raise HandlerError(f"redact_secrets did not read all of {where}: {masking.unread}")
    done = ", ".join(dict.fromkeys(each.title for each in masking.found if each.masks))
    left = ", ".join(dict.fromkeys(each.title for each in masking.refused))
    note = f"redact_secrets: masked {done} in {where}"
    return masked, f"{note}; left {left}, whose shape is never rewritten" if left else note


@lru_cache(maxsize=512)
def _scan_all(text: str) -> Scan:
    """Return the secrets in a text of any length."""
    if len(text) <= _STEP:
        return scan(text)
    found = [
        each._replace(start=each.start + at, end=each.end + at)
        for at in range(0, len(text), _STEP)
        for each in scan(text[at : at + _STEP + _OVERLAP]).found
    ]
    return Scan(merge_found(found))
