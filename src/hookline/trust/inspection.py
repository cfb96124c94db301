"""What a hook's command would run now: its files with their digests, compared before and after it runs."""

from __future__ import annotations

import json
import os
import stat
import sys
import time

from hookline.model.frozen import Frozen
from hookline.paths import open_nonblocking
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from hookline.trust.source_reader import Reference

    Stamp = tuple[int, ...]  # device, inode, size, mtime, ctime; empty if nothing is there

_FORMAT = 2  # of the files of the cache
_MAX_READ = 64 << 20  # bytes
_MAX_REMEMBERED = 1_000  # commands in memory
_MAX_CACHED = 2_000  # files of the cache on disk


class StartedCommand(Frozen):
    """The command of a hook's entry: shell text, or a program with its arguments.

    `root`: the folder of the project or plugin; files in it have relative keys; empty: none has. `variables`: what `text` may use, with HOME.
    `listed`: files that count whether the text names them or not, absolute or relative to `root`.
    `is_shielded`: Python code in the command imports nothing from the working folder, unless some
    file of it is Python or something of it is unseen (PYTHONSAFEPATH).
    """

    text: str = ""
    argv: tuple[str, ...] = ()
    cwd: str
    root: str
    variables: Mapping[str, str] = {}
    listed: tuple[str, ...] = ()
    is_shielded: bool = False

    @property
    def path(self) -> str:
        """The PATH by which its programs are found."""
        return self.variables.get("PATH") or os.environ.get("PATH", os.defpath)


class InspectedFile(Frozen):
    """A file as it was found. `key`: its path within the root, else its path. `problem`: why it cannot be read or started, or empty.

    `head`: the `#!` line, or a NUL character for a file that is no text. `is_settled`: any later change gives it another stamp.
    """

    path: str
    key: str
    sha256: str = ""
    is_executable: bool = False
    is_writable_by_all: bool = False
    problem: str = ""
    head: str = ""
    stamp: Stamp = ()
    is_settled: bool = True


class Inspection(Frozen):
    """The files that a command runs and loads, by key; `digest` is over what of them is approved.

    `unseen`: what it runs beside them. `missing_program`: why a command of one program cannot start, in words. `watched` and
    `variables`: all that the inspection depends on, by path and by name. `references`: what each source text refers to, by language
    and digest.
    """

    files: tuple[InspectedFile, ...]
    digest: str
    unseen: tuple[str, ...] = ()
    missing_program: str = ""
    has_python_file: bool = False
    imports_covered_python: bool = False
    watched: Mapping[str, Stamp] = {}
    variables: Mapping[str, str | None] = {}
    references: Mapping[str, tuple[Reference, ...]] = {}


# What is seen of a handler that starts no program.
NO_FILES = Inspection(files=(), digest="")


class Inspector:
    """Inspects commands, and caches each result in memory and in a folder until a file changes."""

    def __init__(self, cache_folder: str | None, *, clock: Callable[[], float] = time.time) -> None:
        self._folder = cache_folder
        self._clock = clock
        self._known: dict[str, Inspection] = {}

    def inspect(self, command: StartedCommand) -> Inspection:
        """Return the files of a command as they are now."""
        facts = (
            command.text, command.argv, command.cwd, command.root, command.listed, command.is_shielded, command.path,
        )  # fmt: skip
        key = sha256(json.dumps((*facts, sys.version_info[:2])).encode())
        known = self._known.get(key) or self._load(key)
        if known is None or not _is_current(known, command):
            from hookline.trust.resolver import Resolver  # noqa: PLC0415 - only where something changed

            known = Resolver(command, known.references if known else {}, self._clock).resolve()
            self._save(key, known)
        if len(self._known) >= _MAX_REMEMBERED:
            self._known.clear()
        self._known[key] = known
        return known

    def _load(self, key: str) -> Inspection | None:
        """Return the inspection of an earlier process; None if there is none, or its file is damaged."""
        read = read_file(f"{self._folder}/{key}.json") if self._folder else None
        try:
            tree = json.loads(read[1]) if read else {}
            if tree.pop("format") != _FORMAT:
                return None
            tree["files"] = tuple(
                InspectedFile(**each | {"stamp": tuple(each["stamp"])}) for each in tree["files"]
            )
            tree["watched"] = {path: tuple(stamp) for path, stamp in tree["watched"].items()}
            tree["references"] = {
                name: tuple(map(tuple, each)) for name, each in tree["references"].items()
            }
            return Inspection(**tree | {"unseen": tuple(tree["unseen"])})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None

    def _save(self, key: str, found: Inspection) -> None:
        """Write an inspection; without effect where that fails."""
        if not self._folder:
            return
        tree = {
            **_to_json(found),
            "files": [_to_json(file) for file in found.files],
            "format": _FORMAT,
        }
        beside = f"{self._folder}/{key}.{os.getpid()}"
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            names = os.listdir(self._folder)
            for name in names if len(names) > _MAX_CACHED else ():
                os.unlink(f"{self._folder}/{name}")
            with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                json.dump(tree, file)
            os.rename(beside, f"{self._folder}/{key}.json")
        except OSError:
            return


def find_changes(inspection: Inspection) -> tuple[str, ...]:
    """Return the keys of files that changed since the inspection; new entries of a folder do not count."""
    return tuple(file.key for file in inspection.files if _has_changed(file))


def list_files_within(inspection: Inspection, folder: str) -> tuple[InspectedFile, ...]:
    """Return the inspected files in a folder, by name or by real path."""
    named, real = f"{folder.rstrip('/')}/", f"{os.path.realpath(folder).rstrip('/')}/"
    return tuple(
        file
        for file in inspection.files
        if file.path.startswith(named) or os.path.realpath(file.path).startswith(real)
    )


def digest_files(files: Iterable[InspectedFile]) -> str:
    """Return the digest of what an approval covers of these files."""
    facts = [[each.key, each.sha256, each.is_executable, each.is_writable_by_all] for each in files]
    return sha256(json.dumps(facts).encode())


def stamp_path(path: str) -> Stamp:
    """Return what changes when a file or folder does; empty if nothing is there."""
    try:
        return make_stamp(os.stat(path))
    except (OSError, ValueError):
        return ()


def make_stamp(found: os.stat_result) -> Stamp:
    """Return the stamp of what `os.stat` found."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def read_file(path: str, most: int = _MAX_READ) -> tuple[os.stat_result, bytes] | None:
    """Return the status and the first bytes of a regular file; None if it cannot be read. It never blocks."""
    try:
        with open(path, "rb", opener=open_nonblocking) as file:
            found = os.fstat(file.fileno())
            return (found, file.read(most)) if stat.S_ISREG(found.st_mode) else None
    except (OSError, ValueError):
        return None


def _to_json(value: Frozen) -> dict[str, Any]:
    return {name: getattr(value, name) for name in type(value).__fields__}


def _is_current(known: Inspection, command: StartedCommand) -> bool:
    given = command.variables
    return all(given.get(name) == value for name, value in known.variables.items()) and all(
        stamp_path(path) == stamp for path, stamp in known.watched.items()
    )


def _has_changed(file: InspectedFile) -> bool:
    now = stamp_path(file.path)
    if now == file.stamp and file.is_settled:
        return False
    if now[2:] != file.stamp[2:]:
        return True
    read = read_file(file.path)  # another inode alone counts only with other bytes
    return (sha256(read[1]) if read else "") != file.sha256
