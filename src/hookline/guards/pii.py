"""The guard `pii`: masks personal data in results, replies and messages; it never refuses."""

from __future__ import annotations

from hookline.guards.finding import Answer
from hookline.guards.masking import Masking, mask_value
from hookline.model.event import Rewrite, ToolCall
from hookline.text.secrets.finding import Scan
from hookline.text.secrets.personal import find_personal_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.guards.world import World
    from hookline.model.event import Event

_MOST = 1 << 20  # characters that are read


def judge(event: Event, options: Mapping[str, Any], _world: World) -> Answer | None:
    """Return an event's text or result without personal data."""
    kinds = frozenset(options.get("kinds", ()))

    def look(text: str) -> Scan:
        found = find_personal_data(text[:_MOST])
        return Scan(tuple(each for each in found if not kinds or each.kind in kinds))

    masking = Masking(look)
    body = event.body
    if event.kind in ("response.before", "message.outbound"):
        rewrite = Rewrite(target="text", value=mask_value(event.text, masking))
    elif isinstance(body, ToolCall) and body.result is not None:
        rewrite = Rewrite(target="output", value=mask_value(body.result, masking))
    else:
        return None
    return Answer(rewrite=rewrite) if masking.found else None
