"""Qwen Code: hooks in its settings and extensions, and the replies that it reads.

Format: docs/formats/qwen.md.
"""

from __future__ import annotations

from hookline.dialects.kit.answer import ReplyFormat, encode_answer, make_reply
from hookline.dialects.kit.dialect import CallingDialect
from hookline.dialects.qwen.table import NAME, TABLE
from hookline.model.verdict import Decision, Reply
from hookline.wire.disable_flags import apply_flags, find_all_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow, Loaded
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

OPTIONS = ("allow_local",)
_FORMAT = ReplyFormat(interrupts=True)


class Qwen(CallingDialect):
    """The dialect of Qwen Code."""

    table = TABLE

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        return apply_flags(specs, find_all_off(specs), lambda _flag, _spec: True)

    def encode_payload(self, event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
        """Return the payload of a hook.

        What another host calls a result is what both the model and the user see.
        """
        payload = super().encode_payload(event, spec, row)
        result = payload.get("tool_response")
        if event.dialect != NAME and result is not None and not isinstance(result, dict):
            payload["tool_response"] = {"llmContent": result, "returnDisplay": result}
        return payload

    def encode_reply(self, decision: Decision, _event: Event, row: EventRow | None) -> Reply:
        """Return the reply: exit 0 and one object, or nothing (docs/formats/qwen.md 5)."""
        if row is not None and row.unread:
            return Reply()
        top, specific = encode_answer(decision, row, _FORMAT)
        word = specific.get("permissionDecision")
        if word:
            specific.setdefault("permissionDecisionReason", f"the hooks say `{word}`")
        return make_reply(top, specific, row)
