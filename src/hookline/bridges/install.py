"""Installation: plans what changes in a host's files, writes all of it or nothing, and undoes it.

A plan reads files only. The files before and after the changes are recorded in the state folder, so
that an uninstall restores them byte for byte where nothing else has changed them since.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from contextlib import suppress
from hashlib import sha256

from hookline.bridges.codex_trust import list_moved
from hookline.bridges.entry import find_own_commands, find_program
from hookline.bridges.host_files import (
    FileChange,
    make_change,
    make_file_error,
    read_file,
    write_file,
)
from hookline.bridges.hosts import FLAT, GROUPS, SCRIPTS, TABLES
from hookline.bridges.json_edit import update_json
from hookline.bridges.own_files import is_own_file, make_files
from hookline.bridges.take_over import (
    add_events,
    find_path,
    format_entries,
    list_entries,
    list_foreign,
    require_possible,
)
from hookline.bridges.toml_edit import update_toml
from hookline.bridges.yaml_edit import update_yaml
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.paths import make_private_folder, state_folder, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookline.bridges.entry import Call, Entry
    from hookline.bridges.hosts import Host

_FORMAT = 1
_MARK = b"\xef\xbb\xbf"


class Plan(Frozen):
    """What changes for one host. Without `changes`, everything is as it should be.

    `file`: that of the host's row. `warnings`: what to know before the changes are made. `notes`:
    what to do afterwards.
    """

    host: Host
    scope: str
    file: str
    changes: tuple[FileChange, ...]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def plan_install(
    host: Host,
    call: Call,
    environ: Mapping[str, str],
    project: str = "",
    *,
    takes_over: bool = False,
) -> Plan:
    """Return what has to change so that a host calls hookline.

    Args:
        host: its row.
        call: how the entries start hookline.
        environ: where the files of this user are.
        project: the folder whose file is to have the entries; empty for the user's.
        takes_over: move the user's own hooks of the host to hookline.

    Raises:
        ConfigError: a file cannot be edited, or the host has no such file.
    """
    file = _find_file(host, environ, project)
    if takes_over:
        require_possible(host, environ, project)
        call = call.take_over(host)
    moved: list[Entry] = []
    if host.form in (GROUPS, FLAT, TABLES):
        before = read_file(file)
        taken = "" if project else find_path(host, environ)
        kept = read_file(taken) if taken else None
        if takes_over:
            _update(host, file, before or b"", [])  # a file that cannot be edited is an error
            moved = list_foreign(before, file, host)
        taken_over = [*list_entries(kept, taken), *moved]
        entries = call.make_entries(add_events(host, taken_over), file)
        old = before if before or not host.version else b'{\n  "version": %d\n}\n' % host.version
        programs = {call.words[0]}
        after = _update(host, file, old or b"", entries, programs, replaces_all=takes_over)
        changes = [make_change(file, before, after)]
        if moved:  # what is in both files for a moment runs twice, and is not lost
            changes.insert(0, make_change(taken, kept, format_entries(taken_over, taken)))
        warnings = _warn_of_others(file, programs - {call.words[0]}, "replaced")
        warnings += _warn_of_two_files(host, file)
        if call.http and not host.gate:
            warnings += (f"{host.title} lets a tool run when the server at {call.http} is gone",)
    else:
        texts = make_files(host, file, call)
        changes = [_plan_own_file(host, path, text) for path, text in texts.items()]
        warnings = ()
    return Plan(
        host=host,
        scope="project" if project else "user",
        file=file,
        changes=tuple(each for each in changes if each.before != each.after),
        warnings=warnings,
        notes=(
            *(f"hookline runs what {host.title} ran itself: {taken}" for _ in moved[:1]),
            *(note.format(title=host.title) for note in host.notes),
        ),
    )


def plan_uninstall(host: Host, environ: Mapping[str, str], project: str = "") -> Plan:
    """Return what has to change so that a host no longer calls hookline.

    A file that nothing else has changed gets back the bytes that it had before.

    Raises:
        ConfigError: a file cannot be edited.
    """
    file = _find_file(host, environ, project)
    paths = [os.path.join(file, event) for event in host.events] if host.form == SCRIPTS else [file]
    taken = "" if project else find_path(host, environ)
    kept = read_file(taken) if taken else None
    is_edited = kept is not None and not _is_as_recorded(taken, kept, environ)
    programs = {sys.executable}
    changes = []
    for path in paths:
        before = read_file(path)
        if before is None and kept is None:
            continue
        before, existing = before or b"", before
        record = _read_record(path, environ)
        after: bytes | None
        if record and _is_as_recorded(path, before, environ) and not is_edited:
            after = read_file(_backup_path(path, environ)) if record["existed"] else None
        elif host.form in (GROUPS, FLAT, TABLES):
            after = _update(host, path, before, [], programs)
            if record and not record["existed"] and _is_blank(after, host):
                after = None
        else:
            after = None if is_own_file(before.decode(errors="replace"), host) else before
        if kept is not None:
            after = _move_back(host, path, after, list_entries(kept, taken))
        changes.append(make_change(path, existing, after))
    moved = [
        command
        for each in changes
        for command in list_moved(host, each.before, each.after)
        if host.needs_trust
    ]
    if kept is not None:
        changes.append(make_change(taken, kept, None))
    return Plan(
        host=host,
        scope="project" if project else "user",
        file=file,
        changes=tuple(each for each in changes if each.before != each.after),
        warnings=(
            *_warn_of_others(file, programs - {sys.executable}, "removed"),
            *_warn_of_moves(host, moved),
        ),
    )


def _is_blank(content: bytes, host: Host) -> bool:
    """Whether a file that hookline made has nothing left in it."""
    text = content.strip()
    with suppress(ValueError):
        return not text or json.loads(text) in ({}, {"version": host.version})
    return False


def _move_back(host: Host, file: str, content: bytes | None, taken: Sequence[Entry]) -> bytes:
    """Return the content of a file with the entries that hookline had taken over from it."""
    present = list_entries(content, file)
    missing = [entry for entry in taken if entry not in present]
    if not content and host.version:
        content = b'{\n  "version": %d\n}\n' % host.version
    return _choose_editor(file)(content or b"", missing, lambda _: False, path=file)


def is_installed(host: Host, environ: Mapping[str, str], project: str = "") -> bool:
    """Return whether the file of a host has an entry of hookline.

    Raises:
        ConfigError: the file cannot be read.
    """
    return bool(plan_uninstall(host, environ, project).changes)


def may_be_installed(host: Host, environ: Mapping[str, str], project: str = "") -> bool:
    """Return whether a file of a host that cannot be edited names hookline, or cannot be read."""
    try:
        return b"hookline" in (read_file(host.find_file(environ, project)) or b"")
    except ConfigError:
        return True


def find_installation_time(host: Host, environ: Mapping[str, str], project: str = "") -> float:
    """Return when hookline was last installed into a host, in seconds since 1970; 0 if never."""
    file = host.find_file(environ, project)
    if not file:
        return 0.0
    path = os.path.join(file, host.events[0]) if host.form == SCRIPTS else file
    try:
        return os.path.getmtime(_record_path(path, environ))
    except OSError:
        return 0.0


# -- files ---------------------------------------------------------------------------------------


def _find_file(host: Host, environ: Mapping[str, str], project: str) -> str:
    file = host.find_file(environ, project)
    if not file:
        raise ConfigError(
            f"{host.title} reads no hooks from a project, only from your own settings",
            name="install.host",
            hint=f"hookline install {host.name} --user",
        )
    return file


def _plan_own_file(host: Host, path: str, text: str) -> FileChange:
    before = read_file(path)
    if before and not is_own_file(before.decode(errors="replace"), host):
        raise make_file_error(
            "install.foreign",
            path,
            f"hookline did not write it, and {host.title} reads only this file",
            "move it away, or call hookline from it",
        )
    mode = 0o755 if host.form == SCRIPTS else 0o644
    return make_change(path, before, text.encode(), mode)


def _update(
    host: Host,
    file: str,
    before: bytes,
    entries: Sequence[Entry],
    programs: set[str] | None = None,
    *,
    replaces_all: bool = False,
) -> bytes:
    """Return the content of a file with these entries as the only ones of hookline.

    `programs` gets the programs by which the entries that are there start hookline.
    `replaces_all`: they are the only ones at all.
    """

    def owns(value: Any) -> bool:
        commands = find_own_commands(value, host)
        if programs is not None:
            programs.update(filter(None, map(find_program, commands)))
        return bool(commands) or replaces_all

    if entries and file.endswith(".json"):
        _check_json(host, file, before)
    return _choose_editor(file)(before, entries, owns, path=file)


def _choose_editor(file: str) -> Callable[..., bytes]:
    editors = {"json": update_json, "toml": update_toml, "yaml": update_yaml}
    return editors[file.rpartition(".")[2]]


def _check_json(host: Host, file: str, content: bytes) -> None:
    """Refuse a file that the host itself does not read, because a guard in it would be no guard.

    Raises:
        ConfigError: the host drops the file.
    """
    if content.startswith(_MARK) and not host.allows_mark:
        why = f"{host.title} does not read a file that begins with a byte order mark"
        raise make_file_error("install.unreadable", file, why, "save it without the mark")
    text = content.removeprefix(_MARK)
    if host.allows_comments or not text.strip():
        return
    try:
        json.loads(text)
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        place = f"{file}:{line}"
        raise make_file_error(
            "install.unreadable", place, "not UTF-8 text", "save it as UTF-8"
        ) from None
    except ValueError as error:
        place = f"{file}:{getattr(error, 'lineno', 1)}:{getattr(error, 'colno', 1)}"
        why = f"it is not strict JSON, so {host.title} drops the whole file"
        hint = "remove comments and trailing commas; hookline has written nothing"
        raise make_file_error("install.unreadable", place, why, hint) from None


def _warn_of_others(file: str, programs: set[str], done: str) -> tuple[str, ...]:
    """Return a warning for each other hookline whose entries would be replaced or removed."""
    return tuple(
        f"{file} calls another hookline, by `{each}`; its entries are {done}"
        for each in sorted(programs)
    )


def _warn_of_two_files(host: Host, file: str) -> tuple[str, ...]:
    """Return a warning if a host takes hooks from two files, and says so at each start."""
    other = os.path.join(os.path.dirname(file), host.other_file)
    try:
        tree = tomllib.loads((read_file(other) or b"").decode()) if host.other_file else {}
    except (ConfigError, ValueError):  # the host itself complains
        return ()
    hooks = tree.get("hooks")
    if not isinstance(hooks, dict) or not any(isinstance(each, list) for each in hooks.values()):
        return ()
    return (f"{host.title} warns at each start that it has hooks in {file} and in {other}",)


def _warn_of_moves(host: Host, commands: Sequence[str]) -> tuple[str, ...]:
    """Return a warning about the entries of other tools after those of hookline."""
    if not commands:
        return ()
    named = ", ".join(f"`{each}`" for each in dict.fromkeys(commands))
    why = f"{host.title} trusts an entry at its position in the file, and these move up: {named}"
    return (f"{why}. hookline has it trust again those that it trusts now",)


# -- writing -------------------------------------------------------------------------------------


def apply_plan(plan: Plan, environ: Mapping[str, str], *, removes: bool = False) -> None:
    """Write every change of a plan, or none, and record what an uninstall needs.

    Raises:
        ConfigError: a file cannot be written, or has changed since the plan was made.
    """
    done: list[FileChange] = []
    try:
        for change in plan.changes:
            if read_file(change.path) != change.before:
                why = "it changed while you looked at the diff"
                raise make_file_error(
                    "install.unwritable", change.path, why, "run the command again"
                )
            if not removes:
                _record(plan.host, change, environ)
            write_file(change.target, change.after, change.mode)
            done.append(change)
    except (OSError, ConfigError) as error:
        for change in reversed(done):
            with suppress(OSError):
                write_file(change.target, change.before, change.mode)
        if isinstance(error, ConfigError):
            raise
        why = f"cannot be written: {(error.strerror or str(error)).lower()}"
        hint = "nothing was changed"
        raise make_file_error("install.unwritable", change.path, why, hint) from None
    if removes:
        for change in plan.changes:
            _forget(change.path, environ)


# -- records -------------------------------------------------------------------------------------


def _record(host: Host, change: FileChange, environ: Mapping[str, str]) -> None:
    """Keep what a file was before the first installation.

    If something else changed it since, keep what it is now, without the entries of hookline.
    """
    record = _read_record(change.path, environ)
    before, existed = change.before, change.before is not None
    if record and record["after"] == _digest(before or b""):
        existed = record["existed"]
        before = read_file(_backup_path(change.path, environ)) if existed else None
    elif before and host.form in (GROUPS, FLAT, TABLES):
        before = _update(host, change.path, before, [])
    make_private_folder(_records_folder(environ))
    if before is not None:
        write_private(_backup_path(change.path, environ), before)
    text = {
        "format": _FORMAT,
        "file": change.path,
        "existed": existed,
        "after": _digest(change.after or b""),
    }
    write_private(_record_path(change.path, environ), json.dumps(text).encode())


def _read_record(path: str, environ: Mapping[str, str]) -> dict[str, Any] | None:
    content = read_file(_record_path(path, environ))
    try:
        found = json.loads(content) if content else None
    except ValueError:
        return None
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        return None
    return found if {"existed", "after"} <= found.keys() else None


def _is_as_recorded(path: str, content: bytes, environ: Mapping[str, str]) -> bool:
    record = _read_record(path, environ)
    return record is not None and record["after"] == _digest(content)


def _forget(path: str, environ: Mapping[str, str]) -> None:
    for each in (_record_path(path, environ), _backup_path(path, environ)):
        with suppress(OSError):
            os.unlink(each)


def _records_folder(environ: Mapping[str, str]) -> str:
    return f"{state_folder(environ)}/installed"


def _record_path(path: str, environ: Mapping[str, str]) -> str:
    return f"{_records_folder(environ)}/{_digest(os.path.realpath(path).encode())[:16]}.json"


def _backup_path(path: str, environ: Mapping[str, str]) -> str:
    return _record_path(path, environ).removesuffix(".json") + ".before"


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
