"""Query: which decisions of the journal somebody wants to see."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from hookline.errors import ConfigError
from hookline.model.frozen import Frozen

_SPAN = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}


class Query(Frozen):
    """Filters that hold together; an empty one holds always.

    `event`: a canonical kind, or a native name. `hook`: a part of the id or the name of a hook that was asked, or of the command
    where that is kept. `session`: how it begins. `since`, `until`: times as records have them. `fault`: a hook failed.
    `after`: records behind that number only. `decided`: events alone, no notes.
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

    def clauses(self) -> tuple[str, list[object]]:
        """The condition in SQL over the table `events`, and its values."""
        asked: tuple[tuple[str, list[object], object], ...] = (
            ("(kind = ? OR native = ?)", [self.event] * 2, self.event),
            ("tool = ?", [self.tool], self.tool),
            (
                "EXISTS (SELECT 1 FROM runs WHERE runs.event = events.id AND instr(runs.called, ?))",
                [self.hook.lower()],
                self.hook,
            ),
            ("stance = ?", [self.stance], self.stance),
            ("substr(session, 1, length(?)) = ?", [self.session] * 2, self.session),
            ("at >= ?", [self.since], self.since),
            ("at < ?", [self.until], self.until),
            ("faults > 0", [], self.fault),
            ("seq > ?", [self.after], self.after),
            ("stance <> ''", [], self.decided),
        )
        chosen = [(clause, values) for clause, values, wanted in asked if wanted]
        return " AND ".join(clause for clause, _ in chosen) or "1", [
            value for _, values in chosen for value in values
        ]


def moment(text: str, now: float) -> str:
    """A time as records have it: of `2026-11-21`, `2026-11-21T10:00`, with a zone or in that of this machine, or of `2h`, so long ago.

    Raises:
        ConfigError: it is neither.
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
        hint = "a time such as 2026-11-21T10:00, or so long ago: 30m, 2h, 7d"
        raise ConfigError(f"`{text}` is no time", name="config.option", hint=hint) from None
    return stamp(found.timestamp())


def stamp(seconds: float) -> str:
    """Seconds since 1970 as records have them: in UTC, with milliseconds."""
    return (
        datetime.fromtimestamp(seconds, UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )
