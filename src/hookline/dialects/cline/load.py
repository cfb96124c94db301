"""Reads one script of Cline: its event from its name, its program from its first line (docs/formats/cline.md 1)."""

from __future__ import annotations

import posixpath

from hookline.core.dialect import Companion, Loaded
from hookline.dialects.cline.table import NAME, ROWS, TIMEOUT
from hookline.model import kinds
from hookline.model.conditions import Never
from hookline.model.handler import Broken, Command
from hookline.model.problem import Origin, Problem
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance
from hookline.text.suggestions import did_you_mean
from hookline.wire.fields import explain_errors
from hookline.wire.sources import resolve_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import EventRow, Source

# Ending of a file's name -> the program that runs it, where its first line names none.
_PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "": ("bash",),
    ".sh": ("bash",),
    ".bash": ("bash",),
    ".zsh": ("bash",),
    ".js": ("node",),
    ".mjs": ("node",),
    ".cjs": ("node",),
    ".ts": ("bun", "run"),
    ".mts": ("bun", "run"),
    ".cts": ("bun", "run"),
    ".py": ("python3",),
    ".ps1": ("pwsh", "-File"),
}
_EVENTS = {native.lower(): row for native, row in ROWS.items()}
# Folders whose files the command line program runs and the extension does not.
_OF_THE_PROGRAM = "/.cline/"


def load(source: Source) -> Loaded:
    """Return the one hook of a file, and every problem of the file."""
    name = posixpath.basename(source.file)
    stem, ending = posixpath.splitext(name)
    origin = Origin(file=source.file, line=1, column=1, scope=source.scope)
    row = _EVENTS.get(stem.lower())
    if row is None or ending.lower() not in _PROGRAMS:
        return _refused(source, origin, name, stem, row)
    found = source.companions.get(name, Companion(path=name, head=_first_line(source.text)))
    problems = _problems(found, ending, origin)
    handler: Command | Broken = Broken(reason=explain_errors(problems))
    if not found.fault:
        handler = Command(
            argv=_command(source, name, ending.lower(), found),
            kill_leftovers=source.mode == "strict",
        )
    spec = HookSpec(
        id=f"{name}#{row.native}",
        dialect=NAME,
        kind=row.kind,
        native_event=row.native,
        handler=handler,
        timeout=TIMEOUT,
        on_failure=resolve_failure(row, source.mode),
        strict=source.mode == "strict",
        origin=origin,
        name=name,
        shadow=source.shadow,
        trusted=source.trusted,
        facts={"by_program": bool(ending) or _OF_THE_PROGRAM in source.file},
    )
    return Loaded(specs=(spec,), problems=problems)


def _refused(source: Source, origin: Origin, name: str, stem: str, row: EventRow | None) -> Loaded:
    """Return a hook that never runs, and why: the name of its file is none of the format."""
    why = (
        f"`{stem}` is no event of Cline, so this file never runs"
        if row is None
        else f"Cline runs no file whose name ends like `{name}`"
    )
    hint = (
        did_you_mean(stem, ROWS) or f"its events: {', '.join(ROWS)}"
        if row is None
        else f"one of {', '.join(f'`{ending}`' for ending in _PROGRAMS if ending)}, or no ending"
    )
    problem = Problem(name="event.unknown", message=why, hint=hint, origin=origin)
    spec = HookSpec(
        id=f"{name}#{stem or 'file'}",
        dialect=NAME,
        kind=row.kind if row else kinds.unknown_kind(NAME, stem or "file"),
        native_event=row.native if row else stem,
        handler=Broken(reason=explain_errors((problem,))),
        conditions=() if row else (Never(reason=why),),
        on_failure=resolve_failure(row, source.mode) if row else Stance.SILENT,
        origin=origin,
        name=name,
        shadow=source.shadow,
        trusted=source.trusted,
        strict=source.mode == "strict",
    )
    return Loaded(specs=(spec,), problems=(problem,))


def _problems(found: Companion, ending: str, origin: Origin) -> tuple[Problem, ...]:
    if found.fault:
        hint = f"make it readable: chmod +r {origin.file}"
        return (Problem(name="config.unreadable", message=found.fault, hint=hint, origin=origin),)
    if found.executable or ending:
        return ()
    why = "the VS Code extension runs only files that are executable"
    return (
        Problem(
            name="handler.command",
            message=why,
            hint=f"chmod +x {origin.file}",
            severity="warning",
            origin=origin,
        ),
    )


def _command(source: Source, name: str, ending: str, found: Companion) -> tuple[str, ...]:
    """Return the program and its arguments."""
    folder = source.names.get("folder", "")
    path = posixpath.join(folder, name) if folder else source.file
    is_script = found.head.startswith("#!")
    is_binary = "\0" in found.head or "\x7f" in found.head
    if (found.executable and is_script) or is_binary:
        return (path,)
    if is_script and (words := found.head[2:].split()):
        return (*words, path)
    return (*_PROGRAMS[ending], path)


def _first_line(text: str | None) -> str:
    return (text or "").partition("\n")[0].rstrip("\r")
