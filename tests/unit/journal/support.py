"""Journals in temporary folders, and events for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import hookline
from hookline.journal.log_files import LogFiles, list_segments, read_link
from hookline.journal.verify import verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.journal.verify import Verification
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

ROOT = Path(__file__).parents[3]
AT = "2026-11-21T10:00:00.000Z"
SUDO = {
    "session_id": "s1",
    "tool": "shell",
    "input": {"command": "sudo ls", "password": "hunter2hunter2"},
    "call_id": "c1",
}


def note(text: object = "", at: str = AT) -> dict[str, Any]:
    """A record that says this."""
    return {"type": "note", "id": f"n{text}", "at": at, "native_event": "test", "text": text}


def written(folder: Path, count: int, **chosen: Any) -> Path:
    """A journal with so many records, one an append."""
    trail = LogFiles(str(folder), **chosen)
    for number in range(count):
        trail.append([note(number)], at=AT)
    return folder


def files(folder: Path) -> list[Path]:
    """The files of a trail, the oldest first."""
    return [folder / each.name for each in list_segments(str(folder))]


def lines(folder: Path) -> list[bytes]:
    """All lines of a trail, with their line breaks."""
    return [line for path in files(folder) for line in path.read_bytes().splitlines(keepends=True)]


def records(folder: Path) -> list[dict[str, Any]]:
    """All records of a trail, without lines that are none."""
    return [
        dict(link.record)
        for line in lines(folder)
        if (link := read_link(line.rstrip(b"\n"))) is not None
    ]


def checked(folder: Path, **chosen: Any) -> Verification:
    """What verify says of it."""
    return verify(str(folder), **chosen)


def kind_of_break(folder: Path) -> str:
    """What is broken; empty where it is whole."""
    broken = checked(folder).broken
    return broken.kind if broken else ""


def fired(
    *calls: Callable[..., Any], payload: dict[str, Any] | None = None, kind: str = "tool.before"
) -> tuple[Event, Decision, Any]:
    """An event, what these hooks made of it, and a look-up of the hooks."""
    engine = hookline.Engine(cwd="/project")
    for call in calls:
        engine.on(kind)(call)
    event = engine.event(kind, payload or SUDO)
    return event, engine.fire(event), {spec.id: spec for spec in engine.hooks}.get
