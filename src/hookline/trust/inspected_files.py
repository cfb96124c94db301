"""The files that a hook's command runs, as they were found, and whether they changed since."""

from __future__ import annotations

import json
import os
import stat

from hookline.model.frozen import Frozen
from hookline.paths import open_nonblocking
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hookline.trust.source_reader import Reference

    Stamp = tuple[int, ...]  # device, inode, size, mtime, ctime; empty if nothing is there

_MAX_READ = 64 << 20  # bytes


class StartedCommand(Frozen):
    """The command of a hook's entry: shell text, or a program with its arguments.

    `root`: the folder of the project or plugin; files in it have relative keys; empty: none has.
    `variables`: what `text` may use, with HOME. `listed`: files that count whether the text names
    them or not, absolute or relative to `root`. `is_shielded`: Python code in the command imports
    nothing from the working folder, unless some file of it is Python or something of it is unseen
    (PYTHONSAFEPATH).
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

    `head`: the `#!` line, or a NUL character for a file that is no text. `is_settled`: any later
    change gives it another stamp.
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

    `unseen`: what it runs beside them. `missing_program`: why a command of one program cannot
    start, in words. `watched` and `variables`: all that the inspection depends on, by path and by
    name. `references`: what each source text refers to, by language and digest.
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


def _has_changed(file: InspectedFile) -> bool:
    now = stamp_path(file.path)
    if now == file.stamp and file.is_settled:
        return False
    if now[2:] != file.stamp[2:]:
        return True
    read = read_file(file.path)  # another inode alone counts only with other bytes
    return (sha256(read[1]) if read else "") != file.sha256
