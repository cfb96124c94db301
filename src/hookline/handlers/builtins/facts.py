"""Facts for the model: the date, the machine, and files of instructions (docker-agent.md 8)."""

from __future__ import annotations

import datetime as dt
import platform
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
    return any((place / ".git").exists() for place in (folder, *folder.parents))


def add_prompt_files(event: Event, args: tuple[str, ...], environ: Mapping[str, str]) -> dict[str, Any] | None:
    """On `turn_start`: each named file, the nearest one walking up from cwd, and the one in HOME where it is another.

    `--depth=N` also lists, without reading them, files of these names up to N folders below cwd.
    """
    if event.kind != "turn.start" or not event.cwd or not args:
        return None
    depth, names = _depth(args)
    cwd = Path(event.cwd)
    parts = [f"Instructions from: {path}\n{text}" for name in names for path in _places(name, cwd, environ) if (text := _text(path))]
    nested = [str(path) for name in names for path in _nested(cwd, name, depth)]
    if nested:
        parts.append("Further instruction files, to be read when working there:\n" + "\n".join(nested))
    return _context("\n\n".join(parts))


def _depth(args: tuple[str, ...]) -> tuple[int, list[str]]:
    depth, names = 0, []
    for arg in args:
        if arg.startswith("--depth="):
            wanted = arg.removeprefix("--depth=")
            depth = int(wanted) if wanted.isdecimal() else depth
        else:
            names.append(arg)
    return depth, names


def _places(name: str, cwd: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    nearest = next((folder / name for folder in (cwd, *cwd.parents) if (folder / name).is_file()), None)
    if nearest is not None:
        yield nearest
    at_home = Path(environ.get("HOME", "")) / name if environ.get("HOME") else None
    if at_home is not None and at_home != nearest and at_home.is_file():
        yield at_home


def _nested(cwd: Path, name: str, depth: int) -> Iterator[Path]:
    found = 0
    for level in range(1, depth + 1):
        for path in sorted(cwd.glob("/".join(["*"] * level + [name]))):
            if found >= _NESTED_LIMIT:
                return
            found += 1
            yield path


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
