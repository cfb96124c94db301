"""The files that a hook's command runs, as they were found, and which of them changed since."""

from __future__ import annotations

import os

from hookline.model.frozen import Frozen
from hookline.paths import read_regular
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Stamp = list[int]  # device, inode, size, mtime, ctime; empty if nothing is there
    Reference = Sequence[str]  # as in text/source_references.py

MAX_BYTES = 64 << 20  # of a file, and of all covered files


class StartedCommand(Frozen):
    """The command of a hook's entry: shell text, or a program with its arguments.

    `root`: the real folder of the project or plugin, in which files have relative keys; may be
    empty. `variables`: what `text` may use, with HOME and PATH. `listed`: files that the entry
    lists. `is_shielded`: PYTHONSAFEPATH is set if all is seen and no file is Python.
    """

    text: str = ""
    argv: tuple[str, ...] = ()
    cwd: str
    root: str
    variables: Mapping[str, str] = {}
    listed: tuple[str, ...] = ()
    is_shielded: bool = False


class InspectedFile(Frozen):
    """A file as it was found. `key`: its path within the root, else its path.

    `problem`: why it cannot be read or started, or empty. `is_settled`: any later change gives it
    another stamp.
    """

    path: str
    key: str
    sha256: str = ""
    is_executable: bool = False
    is_writable_by_all: bool = False
    problem: str = ""
    stamp: Stamp = []  # noqa: RUF012 - a default of a frozen value
    is_settled: bool = True

    @property
    def facts(self) -> tuple[str, str, bool, bool]:
        """What an approval holds of it."""
        return self.key, self.sha256, self.is_executable, self.is_writable_by_all


class Inspection(Frozen):
    """The files that a command runs and loads; `digest` is over what of them is approved.

    `unseen`: what it runs beside them. `missing_program`: why a command of one program cannot
    start. `imports_covered_python`, `is_shielded`: what its Python has to be kept from. `watched`
    and `variables`: what the inspection depends on, by path and by name. `references`: what each
    source text refers to, by language and digest.
    """

    files: tuple[InspectedFile, ...]
    digest: str
    unseen: Sequence[str] = ()
    missing_program: str = ""
    imports_covered_python: bool = False
    is_shielded: bool = False
    watched: Mapping[str, Stamp] = {}
    variables: Mapping[str, str | None] = {}
    references: Mapping[str, Sequence[Reference]] = {}


# Of a handler that starts no program.
NO_FILES = Inspection(files=(), digest="")


def find_changes(inspection: Inspection) -> list[str]:
    """Return the keys of files that changed since the inspection, also those changed back."""
    return [file.key for file in inspection.files if _has_changed(file)]


def _has_changed(file: InspectedFile) -> bool:
    now = stamp_path(file.path)
    if now == file.stamp and file.is_settled:
        return False
    if now[2:] != file.stamp[2:]:
        return True
    read = read_regular(file.path, MAX_BYTES)  # another inode alone counts only with other bytes
    return (sha256(read[1]) if read else "") != file.sha256


def stamp_path(path: str) -> Stamp:
    """Return what changes when a file or folder does; empty if nothing is there."""
    try:
        return make_stamp(os.stat(path))
    except (OSError, ValueError):
        return []


def make_stamp(found: os.stat_result) -> Stamp:
    """Return the stamp of what `os.stat` found."""
    return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]
