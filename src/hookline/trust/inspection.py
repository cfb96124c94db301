"""What a hook's command would run now: its files with their digests, compared before and after it runs."""

from __future__ import annotations

import json
import os
import stat
import sys
import time

from hookline.model.frozen import Frozen
from hookline.text.digest import sha256
from hookline.trust.started_command import InspectedFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from hookline.trust.source_reader import Reference
    from hookline.trust.started_command import Stamp, StartedCommand

_FORMAT = 1  # of the files of the cache
_CLOCK_GRAIN = (
    2.0  # seconds: a file that was touched later than that may change once more with the same times
)
_HEAD = 1024  # bytes
_CHUNK = 1 << 20
_MAX_READ = 64 << 20  # bytes
_MAX_REMEMBERED = 1_000  # commands and sources in memory
_MAX_CACHED = 4_000  # files of the cache on disk
_UNSETTLED: Stamp = (-1,)  # equal to no stamp


class Inspection(Frozen):
    """The files that a command runs and loads, by key; `digest` is over what of them is approved.

    `unseen`: what it runs beside them. `missing_program`: why a command of one program cannot start, in words. `watched` and
    `variables`: all that the inspection depends on, by path and by name.
    """

    files: tuple[InspectedFile, ...]
    digest: str
    unseen: tuple[str, ...] = ()
    missing_program: str = ""
    has_python_file: bool = False
    imports_covered_python: bool = False
    watched: Mapping[str, Stamp] = {}
    variables: Mapping[str, str | None] = {}

    @property
    def is_all_seen(self) -> bool:
        return not self.unseen


class Inspector:
    """Inspects commands, and caches what it read until a file changes."""

    def __init__(self, cache_folder: str | None, *, clock: Callable[[], float] = time.time) -> None:
        self._cache = _Cache(cache_folder)
        self._clock = clock
        self._inspections: dict[str, Inspection] = {}
        self._references: dict[str, tuple[Reference, ...]] = {}

    def inspect(self, command: StartedCommand) -> Inspection:
        """Return the files of a command as they are now."""
        path = command.variables.get("PATH") or os.environ.get("PATH", "")
        facts = (
            command.text, command.argv, command.cwd, command.root, command.listed, command.is_shielded, path,
        )  # fmt: skip
        key = sha256(json.dumps((*facts, sys.version_info[:2])).encode())
        known = self._inspections.get(key) or _from_json(self._cache.load(key))
        if known is None or not _is_current(known, command):
            known = self._resolve(command, known)
            self._cache.put(key, _to_json(known))
        _remember(self._inspections, key, known)
        return known

    def find_changes(self, inspection: Inspection) -> tuple[str, ...]:
        """Return the keys of files that changed since the inspection; new entries of a folder do not count."""
        return tuple(file.key for file in inspection.files if _has_changed(file))

    def save(self) -> None:
        """Write what was read to the cache; without effect where that fails."""
        self._cache.save()

    def _resolve(self, command: StartedCommand, before: Inspection | None) -> Inspection:
        from hookline.trust.resolver import Resolver  # noqa: PLC0415 - only where something changed

        table = FileTable(self, command, before.files if before else ())
        found = Resolver(command, table)
        found.resolve()
        by_key = {file.key: file for file in found.covered.values()}
        files = tuple(by_key[key] for key in sorted(by_key))
        for file in found.covered.values():
            table.watched[file.path] = file.stamp if file.is_settled else _UNSETTLED
        return Inspection(
            files=files,
            digest=_digest(files),
            unseen=tuple(sorted(found.unseen)),
            missing_program=f"`{found.missing}` was not found" if found.missing else "",
            has_python_file=found.has_python_file,
            imports_covered_python=found.imports_covered_python,
            watched=table.watched,
            variables=found.used,
        )

    def references(
        self, language: str, digest: str, read: Callable[[], bytes]
    ) -> tuple[Reference, ...]:
        """Return the references of a source with this digest, from memory, the cache or by parsing it."""
        key = f"{language}-{digest}"
        found = self._references.get(key) or _read_references(self._cache.load(key))
        if found is None:
            from hookline.trust.source_reader import read_source  # noqa: PLC0415 - as above

            data = read()
            if sha256(data) != digest:  # the file changes at this moment
                return (("unsure",),)
            found = read_source(language, data)
            self._cache.put(key, found)
        _remember(self._references, key, found)
        return found

    def is_settled(self, stamp: Stamp, now: float) -> bool:
        """Whether any change after `now` is sure to give a file or folder another stamp."""
        return not stamp or max(stamp[3:]) < (now - _CLOCK_GRAIN) * 1e9

    def now(self) -> float:
        """Return the time in seconds."""
        return self._clock()


class FileTable:
    """The files as one look at a command sees them. `watched`: the stamps of all that the look depends on."""

    def __init__(
        self, inspector: Inspector, command: StartedCommand, known: Iterable[InspectedFile]
    ) -> None:
        self.watched: dict[str, Stamp] = {}
        self._inspector = inspector
        self._roots = (command.root, os.path.realpath(command.root) if command.root else "")
        self._known = {file.path: file for file in known if file.is_settled}
        self._entries: dict[str, frozenset[str]] = {}
        self._data: dict[str, bytes] = {}

    def peek(self, path: str) -> InspectedFile:
        """Look at a file without its digest; `problem` says if no regular file lies there."""
        self._watch(os.path.dirname(path))
        file = InspectedFile(path=path, key=self._key_of(path), problem="gone")
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return file
        stamp, known = self._watch(path), self._known.get(path)
        if known and known.stamp == stamp:
            return known
        if not stat.S_ISREG(found.st_mode):
            return file.replace(problem="not a regular file")
        read = _read(path, _HEAD)
        return file.replace(
            problem="" if read else "unreadable", **_read_facts(*(read or (found, b"")))
        )

    def open(self, file: InspectedFile) -> InspectedFile:
        """Add the digest to a file that `peek` found."""
        if file.sha256 or file.problem:
            return file
        now = self._inspector.now()
        read = _read(file.path)
        if read is None:
            return file.replace(problem="unreadable", is_settled=False)
        self._data[file.path] = read[1]
        is_settled = self._inspector.is_settled(_make_stamp(read[0]), now)
        return file.replace(sha256=sha256(read[1]), is_settled=is_settled, **_read_facts(*read))

    def references(self, language: str, source: InspectedFile | str) -> tuple[Reference, ...]:
        """Return the references of a covered file, or of a text."""
        if isinstance(source, str):
            text = source.encode("utf-8", "surrogateescape")
            return self._inspector.references(language, sha256(text), lambda: text)
        path = source.path
        read = lambda: self._data.get(path) or (_read(path) or (None, b""))[1]  # noqa: E731
        return self._inspector.references(language, source.sha256, read)

    def entries(self, folder: str) -> frozenset[str]:
        """Return the names in a folder; none if it cannot be listed."""
        if folder not in self._entries:
            self._watch(folder)
            try:
                self._entries[folder] = frozenset(os.listdir(folder))
            except OSError:
                self._entries[folder] = frozenset()
        return self._entries[folder]

    def _watch(self, path: str) -> Stamp:
        now, stamp = self._inspector.now(), _stamp_path(path)
        is_settled = self._inspector.is_settled(stamp, now)
        self.watched.setdefault(path, stamp if is_settled else _UNSETTLED)
        return stamp

    def _key_of(self, path: str) -> str:
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        for name, root in ((path, self._roots[0]), (real, self._roots[1])):
            if root and name.startswith(f"{root}/"):
                return name[len(root) + 1 :]
        return path


class _Cache:
    """JSON values by name, each in a file of its own; a file that is damaged, foreign or of another format is ignored."""

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._pending: dict[str, Any] = {}

    def load(self, name: str) -> Any:
        read = _read(f"{self._folder}/{name}.json") if self._folder else None
        if read is None or read[0].st_uid != os.geteuid() or read[0].st_mode & 0o022:
            return None
        try:
            value = json.loads(read[1])
            return value["value"] if value["format"] == _FORMAT else None
        except (ValueError, TypeError, KeyError, RecursionError):
            return None

    def put(self, name: str, value: Any) -> None:
        if self._folder:
            self._pending[name] = value

    def save(self) -> None:
        pending, self._pending = self._pending, {}
        try:
            for name, value in pending.items():
                os.makedirs(str(self._folder), mode=0o700, exist_ok=True)
                path, other = f"{self._folder}/{name}.json", f"{self._folder}/{name}.{os.getpid()}"
                fd = os.open(other, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                with open(fd, "w", encoding="ascii") as file:
                    json.dump({"format": _FORMAT, "value": value}, file)
                os.rename(other, path)
            names = os.listdir(self._folder) if pending else []
            for name in names if len(names) > _MAX_CACHED else ():
                os.unlink(f"{self._folder}/{name}")
        except OSError:
            return


def list_files_within(inspection: Inspection, folder: str) -> tuple[InspectedFile, ...]:
    """Return the inspected files in a folder, by name or by real path."""
    named, real = f"{folder.rstrip('/')}/", f"{os.path.realpath(folder).rstrip('/')}/"
    return tuple(
        file
        for file in inspection.files
        if file.path.startswith(named) or os.path.realpath(file.path).startswith(real)
    )


def _is_current(known: Inspection, command: StartedCommand) -> bool:
    given = command.variables
    return all(given.get(name) == value for name, value in known.variables.items()) and all(
        _stamp_path(path) == stamp for path, stamp in known.watched.items()
    )


def _has_changed(file: InspectedFile) -> bool:
    now = _stamp_path(file.path)
    if now == file.stamp and file.is_settled:
        return False
    if now[2:] != file.stamp[2:]:
        return True
    read = _read(file.path)  # another inode alone counts only with other bytes
    return (sha256(read[1]) if read else "") != file.sha256


def _digest(files: Iterable[InspectedFile]) -> str:
    told = [[each.key, each.sha256, each.is_executable, each.is_writable_by_all] for each in files]
    return sha256(json.dumps(told).encode())


def _to_json(inspection: Inspection) -> dict[str, Any]:
    value = {name: getattr(inspection, name) for name in Inspection.__fields__}
    names = InspectedFile.__fields__
    return value | {"files": [[getattr(file, name) for name in names] for file in value["files"]]}


def _from_json(value: Any) -> Inspection | None:
    """Return the inspection; None if the value has another format."""
    try:
        rows = [dict(zip(InspectedFile.__fields__, row, strict=True)) for row in value["files"]]
        files = tuple(InspectedFile(**row | {"stamp": tuple(row["stamp"])}) for row in rows)
        watched = {path: tuple(stamp) for path, stamp in value["watched"].items()}
        own = {"files": files, "digest": _digest(files), "watched": watched}
        own |= {"unseen": tuple(value["unseen"]), "variables": dict(value["variables"])}
        return Inspection(**value | own) if all(file.path in watched for file in files) else None
    except (TypeError, ValueError, KeyError, AttributeError):
        return None


def _read_references(value: Any) -> tuple[Reference, ...] | None:
    """Return the references; None if the value has another format."""
    if type(value) is not list or not all(type(words) is list and words for words in value):
        return None
    return tuple(tuple(map(str, words)) for words in value)


def _remember(known: dict[str, Any], key: str, value: Any) -> None:
    if len(known) >= _MAX_REMEMBERED:
        known.clear()
    known[key] = value


def _read_facts(found: os.stat_result, data: bytes) -> dict[str, Any]:
    """Return the fields of a file that follow from its status and its first bytes."""
    line = os.fsdecode(data[:_HEAD].partition(b"\n")[0]) if data.startswith(b"#!") else ""
    return {
        "stamp": _make_stamp(found),
        "is_executable": bool(found.st_mode & stat.S_IXUSR),
        "is_writable_by_all": bool(found.st_mode & stat.S_IWOTH),
        "head": line or ("\0" if b"\0" in data[:_HEAD] else ""),
    }


def _make_stamp(found: os.stat_result) -> Stamp:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _stamp_path(path: str) -> Stamp:
    try:
        return _make_stamp(os.stat(path))
    except (OSError, ValueError):
        return ()


def _read(path: str, limit: int = _MAX_READ) -> tuple[os.stat_result, bytes] | None:
    """Return the status and the first bytes of a regular file; None if it cannot be read. It never blocks."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError):
        return None
    parts: list[bytes] = []
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            return None
        while limit > 0 and (part := os.read(fd, min(limit, _CHUNK))):
            parts.append(part)
            limit -= len(part)
    except OSError:
        return None
    finally:
        os.close(fd)
    return found, b"".join(parts)
