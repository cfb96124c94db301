"""The guard `inject_website_reminder`: reminds the model to publish before it says that it did."""

from __future__ import annotations

from hookline.guards.finding import Answer
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.guards.world import World
    from hookline.model.event import Event

_TEXT = (
    "If you make or change a website, publish it with the tool for that before you say that it is"
    " published, live or updated. Give only an address that this tool returned in this turn. If you"
    " have not published it, say so."
)


def judge(event: Event, options: Mapping[str, Any], world: World) -> Answer | None:
    """Return the reminder for the first request to the model in a turn; None for later ones.

    A message of the user begins a turn. So that this also holds where hookline does not see the
    message itself, a request with another last message of the user begins one too.
    """
    if event.kind != "model.request":
        return Answer(state={}) if world.state else None
    mark = sha256(_find_last_message(event).encode("utf-8", "replace"))[:16]
    if world.state.get("reminded") == mark:
        return None
    return Answer(for_agent=options.get("text") or _TEXT, state={"reminded": mark})


def _find_last_message(event: Event) -> str:
    """Return the last message of the user in a request; empty if the request has none."""
    given = event.body.value("last_user_message")
    if isinstance(given, str):
        return given
    messages = event.body.value("messages")
    for each in reversed(messages if isinstance(messages, list) else []):
        if isinstance(each, dict) and each.get("role") == "user":
            return str(each.get("content"))
    return ""
