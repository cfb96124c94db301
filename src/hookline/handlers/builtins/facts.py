"""Facts for the model: the date, the machine, and files of instructions (docker-agent.md 8)."""

from __future__ import annotations

import datetime as dt
import os
import platform
from itertools import islice
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.model.event import Event

_NESTED_LIMIT = 200


def _context(text: str) -> dict[str, Any] | None:
    return {"hook_specific_output": {"additional_context": text}} if text else None


def add_date(event: Event, args: tuple[str, ...], environ: Mapping[str, str]) -> dict[str, Any] | None:  # noqa: ARG001
    """On `turn_start`: today's date in the local time zone."""
    if event.kind != "turn.start":
        return None
    today = dt.datetime.now().astimezone().date()
    return _context(f"Today's date: {today.isoformat()}")


def add_environment_info(event: Event, args: tuple[str, ...], environ: Mapping[str, str]) -> dict[str, Any] | None:  # noqa: ARG001
    """On `session_start`: working directory, whether it is a git repository, operating system, architecture."""
    if event.kind != "session.start" or not event.cwd:
        return None
    lines = (
        f"Working directory: {event.cwd}",
        f"Is directory a git repo: {'Yes' if _in_git(Path(event.cwd)) else 'No'}",
        f"Operating System: {platform.system()}",
        f"CPU Architecture: {platform.machine()}",
    )
    return _context("\n".join(lines))


def _in_git(folder: Path) -> bool:
    return any(os.path.exists(place / ".git") for place in (folder, *folder.parents))


def add_prompt_files(event: Event, args: tuple[str, ...], environ: Mapping[str, str]) -> dict[str, Any] | None:
    """On `turn_start`: each named file, the nearest one walking up from cwd, and the one in HOME where it is another.

    `--depth=N` also lists, without reading them, files of these names up to N folders below cwd.
    """
    if event.kind != "turn.start" or not event.cwd or not args:
        return None
    depth, names = _depth(args)
    cwd = Path(event.cwd)
    parts = [f"Instructions from: {path}\n{text}" for name in names for path in _places(name, cwd, environ) if (text := _text(path))]
    nested = [str(path) for path in islice(_nested(cwd, names, depth), _NESTED_LIMIT)]
    if nested:
        parts.append("Further instruction files, to be read when working there:\n" + "\n".join(nested))
    return _context("\n\n".join(parts))


def _depth(args: tuple[str, ...]) -> tuple[int, list[str]]:
    depth, names = 0, []
    for arg in args:
        if arg.startswith("--depth="):
            wanted = arg.removeprefix("--depth=")
            depth = int(wanted[:9]) if wanted.isdecimal() else depth
        else:
            names.append(arg)
    return depth, names


def _places(name: str, cwd: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    nearest = next((folder / name for folder in (cwd, *cwd.parents) if os.path.isfile(folder / name)), None)
    if nearest is not None:
        yield nearest
    at_home = Path(environ.get("HOME", "")) / name if environ.get("HOME") else None
    if at_home is not None and at_home != nearest and os.path.isfile(at_home):
        yield at_home


def _nested(cwd: Path, names: list[str], depth: int) -> Iterator[Path]:
    """Level by level, and no further than there are folders; a link to a folder is none, for it may lead back up."""
    folders = [cwd]
    for _ in range(depth):
        folders = [below for folder in folders for below in _folders(folder)]
        if not folders:
            return
        yield from (folder / name for name in names for folder in folders if os.path.isfile(folder / name))


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
