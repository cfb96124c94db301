"""The files that hold the truth: registry of previews, ledger of posts, registry of jobs."""

from __future__ import annotations

import datetime as dt
import json
import re

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_IDS = ("id", "slug", "preview_id", "post_id", "job_id", "uuid", "key")
_URLS = ("url", "public_url", "community_url", "link", "published_url", "href")
_NAMES = ("name", "title", "description", "prompt", "task", "message", "topic")
_TIMES = ("updated_at", "created_at", "published_at", "updated", "created", "time", "ts")
_OFF = frozenset(("draft", "unpublished", "private", "deleted", "removed", "disabled", "paused",
    "inactive", "cancelled", "canceled", "completed", "failed", "expired", "stopped"))  # fmt: skip
_ON_FLAGS = ("published", "is_published", "public", "is_public", "active", "enabled", "is_active")
_OFF_FLAGS = ("deleted", "is_deleted", "paused", "disabled", "cancelled")
_STATES = ("status", "state", "visibility")
_MOST = 10_000  # entries
_MILLISECONDS = 1e11  # of a larger number of seconds, the year would be 5138


class Entry(Frozen):
    """An entry of a ledger. `is_on`: published, not deleted, active. `at`: its last change."""

    id: str
    url: str = ""
    name: str = ""
    is_on: bool = True
    at: float = 0.0


class Ledger(Frozen):
    """What a file holds; `problem` says why it is unknown. `path` is empty if none is set."""

    path: str = ""
    entries: tuple[Entry, ...] = ()
    problem: str = ""

    @property
    def is_known(self) -> bool:
        """Return whether the file was there and readable."""
        return bool(self.path) and not self.problem


NO_LEDGER = Ledger()


def read_ledger(path: str, read_file: Callable[[str], str | None]) -> Ledger:
    """Return the entries of a file: a JSON list or object, or one object a line."""
    if not path:
        return NO_LEDGER
    try:
        text = read_file(path)
        if text is None:
            return Ledger(path=path, problem=f"`{path}` does not exist")
        return Ledger(path=path, entries=_read_entries(_parse(text)))
    except (OSError, ValueError, RecursionError) as error:
        return Ledger(path=path, problem=f"`{path}` cannot be read ({type(error).__name__})")


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:  # noqa: PLR2004 - one line is no list of lines
            raise
        return [json.loads(line) for line in lines]


def _read_entries(document: Any) -> tuple[Entry, ...]:
    rows: list[tuple[str, Any]]
    if isinstance(document, dict):
        inner = [value for value in document.values() if isinstance(value, list)]
        nested = [document[key] for key in ("previews", "posts", "jobs", "items", "data", "tasks")
                  if isinstance(document.get(key), dict)]  # fmt: skip
        if inner:
            rows = [("", row) for values in inner for row in values]
        else:
            rows = list((nested[0] if nested else document).items())
    elif isinstance(document, list):
        rows = [("", row) for row in document]
    else:
        raise ValueError("neither a list nor an object")  # noqa: TRY004 - as for broken JSON
    return tuple(_read_entry(key, row) for key, row in rows[:_MOST] if isinstance(row, dict | str))


def _read_entry(key: str, row: dict[str, Any] | str) -> Entry:
    if isinstance(row, str):
        return Entry(id=key or row, url=row if "/" in row else "")
    return Entry(
        id=next((str(row[name]) for name in _IDS if row.get(name)), key),
        url=next((str(row[name]) for name in _URLS if row.get(name)), ""),
        name=" ".join(str(row[name]) for name in _NAMES if isinstance(row.get(name), str)),
        is_on=_is_on(row),
        at=max((_read_time(row.get(name)) for name in _TIMES), default=0.0),
    )


def _is_on(row: Mapping[str, Any]) -> bool:
    if any(row.get(name) for name in _OFF_FLAGS):
        return False
    if any(row.get(name) is False for name in _ON_FLAGS):
        return False
    return not any(str(row.get(name, "")).lower() in _OFF for name in _STATES)


def _read_time(value: Any) -> float:
    """Return seconds since 1970 of a number, or of a time in ISO 8601; 0.0 for anything else."""
    if isinstance(value, bool):
        return 0.0
    if isinstance(value, int | float):
        return value / 1000 if value > _MILLISECONDS else float(value)
    if not isinstance(value, str):
        return 0.0
    try:
        moment = dt.datetime.fromisoformat(value)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp()


def find_entry(ledger: Ledger, url: str) -> Entry | None:
    """Return the entry that a URL or an id leads to."""
    plain = _normalize(url)
    parts = set(re.split(r"[/?#=&]", plain))
    for entry in ledger.entries:
        if (entry.url and _normalize(entry.url) == plain) or (
            entry.id and entry.id.lower() in parts
        ):
            return entry
    return None


def _normalize(url: str) -> str:
    return re.sub(r"^https?://(?:www\.)?", "", url.lower()).rstrip("/")
