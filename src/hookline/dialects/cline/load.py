"""Reads one script of Cline, whose name is its event (docs/formats/cline.md 1)."""

from __future__ import annotations

import posixpath

from hookline.core.dialect import Companion, EventRow, Loaded, Source
from hookline.dialects.cline.table import NAME, TABLE
from hookline.errors import did_you_mean
from hookline.model import kinds
from hookline.model.spec import Command, Never, Problem
from hookline.wire.fields import Node
from hookline.wire.hook_ids import name_source
from hookline.wire.parsers import Tree
from hookline.wire.sources import make_spec, resolve_failure

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
    problems: list[Problem] = []
    node = Node(Tree(value=None, places={(): (1, 1)}), source.file, source.scope, problems)
    name = posixpath.basename(source.file)
    stem, ending = posixpath.splitext(name)
    head = (source.text or "").partition("\n")[0].rstrip("\r")
    found = source.companions.get(name, Companion(path=name, head=head))
    known, native = _EVENTS.get(stem.lower()), stem or "file"
    _check(node, known, name, found)
    row = known or EventRow(native=native, kind=kinds.unknown_kind(NAME, native))
    broken = node.errors_since(0)
    argv = () if broken else _command(source, name, ending.lower(), found)
    handler = Command(argv=argv, kill_leftovers=source.mode == "strict")
    spec = make_spec(
        source,
        NAME,
        row,
        node,
        id=f"{name_source(source)}#{row.native}",
        name=name,
        handler=node.choose_handler(handler, broken),
        conditions=() if known else (Never(reason=problems[0].message),),
        timeout=TABLE.default_timeout,
        on_failure=resolve_failure(row, source.mode),
        facts={"by_program": bool(ending) or _OF_THE_PROGRAM in source.file},
    )
    return Loaded(specs=(spec,), problems=tuple(problems))


def _check(node: Node, row: EventRow | None, name: str, found: Companion) -> None:
    """Report what is wrong with a file; one that is not executable still runs."""
    stem, ending = posixpath.splitext(name)
    if row is None:
        why = f"`{stem}` is no event of Cline, so this file never runs"
        hint = did_you_mean(stem, TABLE.rows) or f"its events: {', '.join(TABLE.rows)}"
        node.complain("event.unknown", why, hint=hint)
    elif ending.lower() not in PROGRAMS:
        why = f"Cline runs no file whose name ends like `{name}`"
        hint = f"one of {', '.join(f'`{each}`' for each in PROGRAMS if each)}, or no ending"
        node.complain("event.unknown", why, hint=hint)
    elif found.fault:
        hint = f"make it readable: chmod +r {node.file}"
        node.complain("config.unreadable", found.fault, hint=hint)
    elif not found.executable and not ending:
        why = "the VS Code extension runs only files that are executable"
        node.warn("handler.command", why, hint=f"chmod +x {node.file}")


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
