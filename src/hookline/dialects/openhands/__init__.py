"""OpenHands: hooks in `.openhands/hooks.json`, and the replies that it reads.

Format: docs/formats/openhands.md.
"""

from __future__ import annotations

import json

from hookline.dialects.kit.dialect import FolderDialect
from hookline.dialects.openhands.table import NAME, TABLE
from hookline.model.verdict import Decision, Reply, Stance
from hookline.wire.disable_flags import apply_flags, select_trusted_flags
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow, Loaded
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

_BLOCKED = 2


class OpenHands(FolderDialect):
    """The dialect of OpenHands. It has no options."""

    table = TABLE

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        """Return the hooks; a project's file that you approved takes the place of the user's."""
        flags = select_trusted_flags(specs)
        return apply_flags(specs, flags, lambda _flag, spec: spec.origin.scope == "user")

    def encode_payload(self, event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
        """Return the payload of a hook; the result of another host becomes an observation."""
        payload = super().encode_payload(event, spec, row)
        result = payload["tool_response"]
        if event.dialect != NAME and result is not None and not isinstance(result, dict):
            text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
            failed = event.body.value("error") is not None
            content = [{"type": "text", "text": text}]
            payload["tool_response"] = {"content": content, "is_error": failed}
        return payload

    def encode_reply(self, decision: Decision, _event: Event, row: EventRow | None) -> Reply:
        """Return the reply: one JSON object, or nothing.

        A denial also exits with 2, because both block (docs/formats/openhands.md 6).
        """
        document: dict[str, Any] = {}
        if decision.for_agent and row is not None and "context" in row.powers:
            document["additionalContext"] = "\n".join(decision.for_agent)
        if decision.stance < Stance.DENY:
            return Reply(stdout=to_json_line(document))
        document = {"decision": "deny", "reason": decision.reason, **document}
        return Reply(
            stdout=to_json_line(document), stderr=f"{decision.reason}\n", exit_code=_BLOCKED
        )
