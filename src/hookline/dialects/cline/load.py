"""Reads one script of Cline, whose name is its event (docs/formats/cline.md 1)."""

from __future__ import annotations

import posixpath

from hookline.core.dialect import Companion, EventRow, Loaded, Source
from hookline.dialects.cline.table import NAME, TABLE
from hookline.errors import did_you_mean
from hookline.model import kinds
from hookline.model.spec import Broken, Command, HookSpec, Never, Origin, Problem
from hookline.wire.fields import explain_errors
from hookline.wire.sources import resolve_failure

_RUN_BY = {
    "bash": ("", ".sh", ".bash", ".zsh"),
    "node": (".js", ".mjs", ".cjs"),
    "bun run": (".ts", ".mts", ".cts"),
    "python3": (".py",),
    "pwsh -File": (".ps1",),
}
# Ending of a file's name -> the program that runs it, where its first line names none.
PROGRAMS = {ending: program for program, endings in _RUN_BY.items() for ending in endings}
_EVENTS = {native.lower(): row for native, row in TABLE.rows.items()}
# Folders whose files the command line program runs and the extension does not.
_OF_THE_PROGRAM = "/.cline/"


def load(source: Source) -> Loaded:
    """Return the one hook of a file, and every problem of the file.

    A file that never runs is a broken hook.
    """
    name = posixpath.basename(source.file)
    stem, ending = posixpath.splitext(name)
    head = (source.text or "").partition("\n")[0].rstrip("\r")
    found = source.companions.get(name, Companion(path=name, head=head))
    origin = Origin(file=source.file, line=1, column=1, scope=source.scope)
    row = _EVENTS.get(stem.lower())
    problem = _find_problem(row, name, found, origin)
    problems = (problem,) if problem is not None else ()
    reason, strict = explain_errors(problems), source.mode == "strict"
    conditions = (Never(reason=problem.message),) if row is None and problem else ()
    if row is None:
        native = stem or "file"
        row = EventRow(native=native, kind=kinds.unknown_kind(NAME, native))
    handler: Command | Broken = Broken(reason=reason)
    if not reason:
        argv = _command(source, name, ending.lower(), found)
        handler = Command(argv=argv, kill_leftovers=strict)
    spec = HookSpec(
        id=f"{name}#{row.native}",
        dialect=NAME,
        kind=row.kind,
        native_event=row.native,
        handler=handler,
        conditions=conditions,
        timeout=TABLE.default_timeout,
        on_failure=resolve_failure(row, source.mode),
        strict=strict,
        origin=origin,
        name=name,
        shadow=source.shadow,
        trusted=source.trusted,
        facts={"by_program": bool(ending) or _OF_THE_PROGRAM in source.file},
    )
    return Loaded(specs=(spec,), problems=problems)


def _find_problem(
    row: EventRow | None, name: str, found: Companion, origin: Origin
) -> Problem | None:
    """Return what is wrong with a file, if anything is; one that is not executable is a warning."""
    stem, ending = posixpath.splitext(name)
    code, severity = "event.unknown", "error"
    if row is None:
        why = f"`{stem}` is no event of Cline, so this file never runs"
        hint = did_you_mean(stem, TABLE.rows) or f"its events: {', '.join(TABLE.rows)}"
    elif ending.lower() not in PROGRAMS:
        why = f"Cline runs no file whose name ends like `{name}`"
        hint = f"one of {', '.join(f'`{each}`' for each in PROGRAMS if each)}, or no ending"
    elif found.fault:
        code, why = "config.unreadable", found.fault
        hint = f"make it readable: chmod +r {origin.file}"
    elif not found.executable and not ending:
        code, severity = "handler.command", "warning"
        why = "the VS Code extension runs only files that are executable"
        hint = f"chmod +x {origin.file}"
    else:
        return None
    return Problem(name=code, message=why, hint=hint, severity=severity, origin=origin)


def _command(source: Source, name: str, ending: str, found: Companion) -> tuple[str, ...]:
    """Return the program and its arguments."""
    folder = source.names.get("folder", "")
    path = posixpath.join(folder, name) if folder else source.file
    is_script = found.head.startswith("#!")
    is_binary = "\0" in found.head or "\x7f" in found.head
    if (found.executable and is_script) or is_binary:
        return (path,)
    words = found.head[2:].split() if is_script else []
    return (*(words or PROGRAMS[ending].split()), path)
