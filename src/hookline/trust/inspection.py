"""What a hook's command would run now: its files with their digests, compared before and after it runs."""

from __future__ import annotations

import json
import os
import stat
import sys
import time

from hookline.model.frozen import Frozen
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from hookline.trust.source_reader import Reference

    Stamp = tuple[int, ...]  # device, inode, size, mtime, ctime; empty if nothing is there

_FORMAT = 1  # of the files of the cache
_CLOCK_GRAIN = (
    2.0  # seconds: a file that was touched later than that may change once more with the same times
)
_HEAD = 1024  # bytes
_MAX_READ = 64 << 20  # bytes
_CHUNK = 1 << 20
_MAX_REMEMBERED = 1_000  # commands and sources in memory
_MAX_CACHED = 4_000  # files of the cache on disk
_UNSETTLED: Stamp = (-1,)
_KEPT = ("unseen", "missing_program", "has_python_file", "imports_covered_python")


class StartedCommand(Frozen):
    """What a hook's entry starts: shell text, or a program with its arguments.

    `root`: the folder of the project or plugin; files in it have relative keys. `variables`: what `text` may use, with HOME.
    `listed`: files that count whether the text names them or not, absolute or relative to `root`.
    """

    text: str = ""
    argv: tuple[str, ...] = ()
    cwd: str
    root: str
    variables: Mapping[str, str] = {}
    listed: tuple[str, ...] = ()


class InspectedFile(Frozen):
    """A file as it was found. `key`: its path within the root, else its path. `problem`: why it cannot be run or read, or empty.

    `head`: the `#!` line, or a NUL character for a file that is no text. `stamp`: see `Stamp`; `is_settled`: a change since the
    digest was taken would show in it.
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

    @property
    def size(self) -> int:
        return self.stamp[2] if self.stamp else 0


class Inspection(Frozen):
    """The files that a command runs and loads, by key; `digest` is over what of them is approved.

    `unseen`: what it runs beside them. `missing_program`: the program or script that a command of one program lacks.
    """

    files: tuple[InspectedFile, ...]
    digest: str
    unseen: tuple[str, ...] = ()
    missing_program: str = ""
    has_python_file: bool = False
    imports_covered_python: bool = False

    @property
    def is_all_seen(self) -> bool:
        return not self.unseen


class Inspector:
    """Inspects commands, and remembers what it read for as long as nothing about it changes."""

    def __init__(self, cache_folder: str | None, *, clock: Callable[[], float] = time.time) -> None:
        self._cache = _Cache(cache_folder)
        self._clock = clock
        self._records: dict[str, _Record] = {}
        self._references: dict[str, tuple[Reference, ...]] = {}

    def inspect(self, command: StartedCommand) -> Inspection:
        """The files of a command as they are now."""
        key = _key_of(command)
        record = self._records.get(key) or _Record.from_json(self._cache.load(key))
        if record is None or not record.is_current(command):
            record = self._resolve(command, record)
            self._cache.put(key, record.to_json())
        _remember(self._records, key, record)
        return record.inspection

    def find_changes(self, inspection: Inspection) -> tuple[str, ...]:
        """The keys of the files that have changed since the inspection; new entries of a folder do not count."""
        return tuple(file.key for file in inspection.files if _has_changed(file))

    def save(self) -> None:
        """Write what was read to the cache; without effect where that fails."""
        self._cache.save()

    def _resolve(self, command: StartedCommand, before: _Record | None) -> _Record:
        from hookline.trust.resolver import Resolver  # noqa: PLC0415 - only where something changed

        table = FileTable(self, command, before.inspection.files if before else ())
        found = Resolver(command, table)
        found.resolve()
        inspection = _inspection(
            {file.key: file for file in found.covered.values()}.values(),
            unseen=tuple(sorted(found.unseen)),
            missing_program=found.missing,
            has_python_file=found.has_python_file,
            imports_covered_python=found.imports_covered_python,
        )
        for file in found.covered.values():
            table.watched[file.path] = file.stamp if file.is_settled else _UNSETTLED
        return _Record(inspection, table.watched, found.used)

    def references(
        self, language: str, digest: str, read: Callable[[], bytes]
    ) -> tuple[Reference, ...]:
        """The references of a source with this digest; it is parsed only if neither memory nor cache has them."""
        key = f"{language}-{digest}"
        found = self._references.get(key) or _references_from_json(self._cache.load(key))
        if found is None:
            from hookline.trust.source_reader import read_source  # noqa: PLC0415 - as above

            data = read()
            if sha256(data) != digest:  # the file changes at this moment
                return (("unsure",),)
            found = read_source(language, data)
            self._cache.put(key, {"references": found})
        _remember(self._references, key, found)
        return found

    def settled_before(self) -> float:
        """The time in nanoseconds: what was touched before it shows any later change by another stamp."""
        return (self._clock() - _CLOCK_GRAIN) * 1e9


class FileTable:
    """The files as one look at a command sees them. `watched`: the stamps of all that the look depends on."""

    def __init__(
        self, inspector: Inspector, command: StartedCommand, known: Iterable[InspectedFile]
    ) -> None:
        self.watched: dict[str, Stamp] = {}
        self._inspector = inspector
        self._roots = (command.root, os.path.realpath(command.root))
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
        if read is None:
            return _described(file, found, problem="unreadable")
        is_binary = b"\0" in read[1] and not read[1].startswith(b"#!")
        line = read[1].partition(b"\n")[0] if read[1].startswith(b"#!") else b""
        return _described(file, read[0], head="\0" if is_binary else os.fsdecode(line))

    def open(self, file: InspectedFile) -> InspectedFile:
        """Add the digest to a file that `peek` found."""
        if file.sha256 or file.problem:
            return file
        limit = self._inspector.settled_before()
        read = _read(file.path)
        if read is None:
            return file.replace(problem="unreadable", is_settled=False)
        self._data[file.path] = read[1]
        file = _described(file, read[0], sha256=sha256(read[1]))
        return file.replace(is_settled=max(file.stamp[3:]) < limit)

    def references(self, language: str, source: InspectedFile | str) -> tuple[Reference, ...]:
        """What a covered file, or a text, refers to."""
        if isinstance(source, str):
            text = source.encode("utf-8", "surrogateescape")
            return self._inspector.references(language, sha256(text), lambda: text)
        path = source.path

        def read() -> bytes:
            return self._data.get(path) or (_read(path) or (None, b""))[1]

        return self._inspector.references(language, source.sha256, read)

    def entries(self, folder: str) -> frozenset[str]:
        """The names in a folder; none if it cannot be listed."""
        if folder not in self._entries:
            self._watch(folder)
            try:
                self._entries[folder] = frozenset(os.listdir(folder))
            except OSError:
                self._entries[folder] = frozenset()
        return self._entries[folder]

    def _watch(self, path: str) -> Stamp:
        stamp = _stamp_at(path)
        is_settled = not stamp or max(stamp[3:]) < self._inspector.settled_before()
        self.watched.setdefault(path, stamp if is_settled else _UNSETTLED)
        return stamp

    def _key_of(self, path: str) -> str:
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        for name, root in ((path, self._roots[0]), (real, self._roots[1])):
            if name.startswith(f"{root}/"):
                return name[len(root) + 1 :]
        return path


class _Record:
    """An inspection with all that it depends on: stamps by path, and values of variables."""

    __slots__ = ("inspection", "variables", "watched")

    def __init__(
        self, inspection: Inspection, watched: dict[str, Stamp], variables: dict[str, str | None]
    ) -> None:
        self.inspection = inspection
        self.watched = watched
        self.variables = variables

    def is_current(self, command: StartedCommand) -> bool:
        given = command.variables
        return all(given.get(name) == value for name, value in self.variables.items()) and all(
            _stamp_at(path) == stamp for path, stamp in self.watched.items()
        )

    def to_json(self) -> dict[str, Any]:
        kept = {name: getattr(self.inspection, name) for name in _KEPT}
        files = [[getattr(file, name) for name in InspectedFile.__fields__] for file in self.inspection.files]  # fmt: skip
        return kept | {"files": files, "watched": self.watched, "variables": self.variables}

    @classmethod
    def from_json(cls, value: Any) -> _Record | None:
        """The record; None if the value is none of ours."""
        try:
            files = [
                dict(zip(InspectedFile.__fields__, row, strict=True)) for row in value["files"]
            ]
            watched = {path: tuple(map(int, stamp)) for path, stamp in value["watched"].items()}
            kept = {name: value[name] for name in _KEPT} | {"unseen": tuple(value["unseen"])}
            made = [InspectedFile(**file | {"stamp": tuple(file["stamp"])}) for file in files]
            if any(file.path not in watched for file in made):
                return None
            return cls(_inspection(made, **kept), watched, dict(value["variables"]))
        except (TypeError, ValueError, KeyError, AttributeError):
            return None


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
                path = f"{self._folder}/{name}.json"
                fd = os.open(f"{path}.{os.getpid()}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                with open(fd, "w", encoding="ascii") as file:
                    json.dump({"format": _FORMAT, "value": value}, file)
                os.rename(f"{path}.{os.getpid()}", path)
            names = os.listdir(self._folder) if pending else []
            for name in names if len(names) > _MAX_CACHED else ():
                os.unlink(f"{self._folder}/{name}")
        except OSError:
            return


def files_within(inspection: Inspection, folder: str) -> tuple[InspectedFile, ...]:
    """The inspected files that lie in a folder, by name or by real path."""
    real = os.path.realpath(folder)
    return tuple(
        file
        for file in inspection.files
        if file.path.startswith(f"{folder.rstrip('/')}/")
        or os.path.realpath(file.path).startswith(f"{real.rstrip('/')}/")
    )


def _inspection(files: Iterable[InspectedFile], **facts: Any) -> Inspection:
    ordered = tuple(sorted(files, key=lambda file: file.key))
    told = [
        [each.key, each.sha256, each.is_executable, each.is_writable_by_all] for each in ordered
    ]
    return Inspection(files=ordered, digest=sha256(json.dumps(told).encode()), **facts)


def _key_of(command: StartedCommand) -> str:
    path = command.variables.get("PATH") or os.environ.get("PATH", "")
    facts = (command.text, command.argv, command.cwd, command.root, command.listed, path, sys.version_info[:2])  # fmt: skip
    return sha256(json.dumps(facts).encode())


def _remember(known: dict[str, Any], key: str, value: Any) -> None:
    if len(known) >= _MAX_REMEMBERED:
        known.clear()
    known[key] = value


def _has_changed(file: InspectedFile) -> bool:
    now = _stamp_at(file.path)
    if now == file.stamp and file.is_settled:
        return False
    if now[2:] != file.stamp[2:]:
        return True
    read = _read(file.path)  # another inode alone counts only with other bytes
    return (sha256(read[1]) if read else "") != file.sha256


def _references_from_json(value: Any) -> tuple[Reference, ...] | None:
    try:
        found = tuple(tuple(map(str, words)) for words in value["references"])
    except (TypeError, KeyError):
        return None
    return found if all(found) else None


def _described(file: InspectedFile, found: os.stat_result, **facts: str) -> InspectedFile:
    mode = found.st_mode
    return file.replace(
        stamp=_stamp(found),
        is_executable=bool(mode & stat.S_IXUSR),
        is_writable_by_all=bool(mode & stat.S_IWOTH),
        **{"problem": "", **facts},
    )


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _stamp_at(path: str) -> Stamp:
    try:
        return _stamp(os.stat(path))
    except (OSError, ValueError):
        return ()


def _read(path: str, limit: int = _MAX_READ) -> tuple[os.stat_result, bytes] | None:
    """The status and the first bytes of a regular file; None if there is none that can be read. It never waits."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError):
        return None
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            return None
        parts = []
        while limit > 0 and (part := os.read(fd, min(limit, _CHUNK))):
            parts.append(part)
            limit -= len(part)
        return found, b"".join(parts)
    except OSError:
        return None
    finally:
        os.close(fd)
