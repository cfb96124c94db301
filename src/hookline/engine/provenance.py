"""Finds what a hook of the journal ran and who approved it, from records, notes and current files."""

from __future__ import annotations

import os
import re
from functools import cache, partial

from hookline.config.places import project_root
from hookline.engine.engine import Engine
from hookline.engine.loader import list_hooks
from hookline.errors import HookError
from hookline.journal.records import to_canonical_json
from hookline.model.spec import describe_command
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from hookline.journal.search import Search
    from hookline.model.spec import HookSpec

    Declared: TypeAlias = Callable[[str, str, str], Sequence[HookSpec]]

# Where the command of a run was found: `now` is what stands there today, and may have been another
# one then.
RECORD, APPROVAL, CONFIGURATION, NOW = "record", "approval", "configuration", "now"
_PLACE = re.compile(r"(.*?)(?::\d+(?::\d+)?)?", re.DOTALL)


def find_provenance(
    search: Search,
    event: Mapping[str, Any],
    runs: Iterable[Mapping[str, Any]],
    environ: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Return for each run its command, where that was found ("": nowhere), and the newest earlier note on its approval."""
    cwd = _read_text(event, "cwd")
    declared = cache(partial(list_declared_in, cwd=cwd, environ=environ))
    return [_describe_run(search, run, declared) for run in runs]


def list_declared_in(
    file: str, scope: str, dialect: str, *, cwd: str, environ: Mapping[str, str]
) -> Sequence[HookSpec]:
    """Return the hooks that a file declares now, seen from a folder; none if it cannot be read."""
    folder = cwd if os.path.isdir(cwd) else "."
    try:
        if scope == "explicit":
            engine = Engine(cwd=folder, environ=environ)
            engine.add_source(os.path.join(folder, file), dialect=dialect, trust="none")
            return tuple(list_hooks(engine.snapshot))
        return tuple(
            spec for spec in list_declared_here(folder, environ) if spec.origin.file == file
        )
    except (HookError, OSError, ValueError):
        return ()


def list_declared_here(folder: str, environ: Mapping[str, str]) -> Sequence[HookSpec]:
    """Return every hook that hookline finds for a folder; none is run."""
    root = project_root(folder, environ) or folder
    engine = Engine.discover(root, trust="none", environ=environ)
    return tuple(list_hooks(engine.snapshot))


def _describe_run(search: Search, run: Mapping[str, Any], declared: Declared) -> dict[str, Any]:
    note = search.note_about(_read_text(run, "identity"), before=run["seq"])
    command, found = _find_command(run, note or {}, declared)
    return {"run": _read_text(run, "id"), "ran": command, "found": found, "note": note}


def _find_command(
    run: Mapping[str, Any], note: Mapping[str, Any], declared: Declared
) -> tuple[str, str]:
    kept = run.get("command")
    kept = kept if isinstance(kept, dict) else {}
    if _read_text(kept, "value"):
        return _read_text(kept, "value"), RECORD
    if _read_text(note, "command"):
        return _read_text(note, "command"), APPROVAL
    place = _PLACE.fullmatch(_read_text(run, "source"))
    specs = (
        declared(place[1], _read_text(run, "scope"), _read_text(run, "dialect"))
        if place and place[1]
        else ()
    )
    if kept:
        same = (
            text
            for spec in specs
            if _digest(text := describe_command(spec.handler)) == kept.get("sha256")
        )
        return next(((text, CONFIGURATION) for text in same), ("", ""))
    return next(
        ((describe_command(spec.handler), NOW) for spec in specs if spec.id == run.get("hook")),
        ("", ""),
    )


def _digest(text: str) -> str:
    return sha256(to_canonical_json(text).encode("ascii"))


def _read_text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""
