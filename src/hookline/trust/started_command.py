"""Values for what a hook starts and a file that it runs, and the file system that the resolver reads."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from hookline.trust.source_reader import Reference

    Stamp = tuple[int, ...]  # device, inode, size, mtime, ctime; empty if nothing is there

    class FileTable(Protocol):
        """What the resolver asks of the file system."""

        def peek(self, path: str) -> InspectedFile:
            """Look at a file without its digest."""

        def open(self, file: InspectedFile) -> InspectedFile:
            """Add the digest to a file."""

        def references(self, language: str, source: InspectedFile | str) -> tuple[Reference, ...]:
            """Return what a file, or a text, refers to."""

        def entries(self, folder: str) -> frozenset[str]:
            """Return the names in a folder."""


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

    @property
    def size(self) -> int:
        return self.stamp[2] if self.stamp else 0
