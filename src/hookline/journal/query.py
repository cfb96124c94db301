"""Query: filters for the decisions in the journal."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta

from hookline.errors import ConfigError
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_SPAN = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}


class Query(Frozen):
    """Filters that must all match; an empty query matches every record.

    `event`: a canonical kind, or a native name. `hook`: a part of a hook's id or name, or of its command where that is
    kept. `session`: the start of a session id. `since`, `until`: times as records have them. `fault`: a hook failed.
    `after`: only records with a higher number. `decided`: only events, no notes.
    """

    event: str = ""
    tool: str = ""
    hook: str = ""
    stance: str = ""
    session: str = ""
    since: str = ""
    until: str = ""
    fault: bool = False
    after: int = 0
    decided: bool = False

    def matches(self, record: Mapping[str, Any]) -> bool:
        """Return whether a record of an event or note matches.

        `hook` concerns other records, so this function does not check it.
        """
        faults, seq = record.get("faults"), record.get("seq")
        return (
            (not self.event or self.event in (record.get("kind"), record.get("native_event")))
            and (not self.tool or record.get("tool") == self.tool)
            and (not self.stance or record.get("stance") == self.stance)
            and (not self.session or _text(record, "session").startswith(self.session))
            and (not self.since or _text(record, "at") >= self.since)
            and (not self.until or _text(record, "at") < self.until)
            and (not self.fault or (isinstance(faults, int) and faults > 0))
            and (not self.after or (isinstance(seq, int) and seq > self.after))
            and (not self.decided or bool(record.get("stance")))
        )

    def needles(self) -> list[tuple[bytes, ...]]:
        """Return byte strings of which a line must contain one from each tuple in order to match.

        The rarest come first.
        """
        session = json.dumps(self.session)[:-1]  # the id may continue
        found = [
            ((f'"session":{session}',), self.session),
            ((f'"tool":{json.dumps(self.tool)}',), self.tool),
            ((f'"stance":{json.dumps(self.stance)}',), self.stance),
            (
                tuple(f'"{key}":{json.dumps(self.event)}' for key in ("kind", "native_event")),
                self.event,
            ),
        ]
        return [tuple(text.encode("ascii") for text in texts) for texts, used in found if used]


def _text(record: Mapping[str, Any], field: str) -> str:
    value = record.get(field)
    return value if isinstance(value, str) else ""


def parse_time(text: str, now: float) -> str:
    """Return a time as records have it, from `2026-11-21`, `2026-11-21T10:00` (with a zone, or in local time), or an age such as `2h`.

    Raises:
        ConfigError: it is none of these.
    """
    span = _SPAN.fullmatch(text)
    try:
        if span:
            found = datetime.fromtimestamp(now, UTC) - timedelta(
                seconds=float(span[1]) * _UNITS[span[2]]
            )
        else:
            found = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        hint = "a time such as 2026-11-21T10:00, or an age: 30m, 2h, 7d"
        raise ConfigError(f"`{text}` is not a time", name="config.option", hint=hint) from None
    return format_time(found.timestamp())


def format_time(seconds: float) -> str:
    """Return seconds since 1970 as records have them: UTC with milliseconds."""
    return (
        datetime.fromtimestamp(seconds, UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )
