"""Pieces: what of a command line was read, kept until it is run, with marks in its words that stand for where it will be found."""

from __future__ import annotations

import os

from hookline.model.sight import Piece, Sealed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hookline.handlers.sight.contents import Contents

# Where a process finds its open descriptors as files.
FDS = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
_NO_VARIABLES: Mapping[str, str] = {}


class Pieces:
    """The pieces of one command line, in the order in which they were put down, and what of it is none.

    `env`: the variables that it is run with; `program`: finds the file of a program of that name.
    """

    def __init__(
        self, env: Mapping[str, str] = _NO_VARIABLES, program: Callable[[str], str] = str
    ) -> None:
        self.env = env
        self.program = program
        self.pieces: list[Piece] = []
        self.in_place: set[str] = set()  # scripts that run from where they lie

    def put(self, data: bytes, name: str = "") -> str:
        """Keep a piece of our own; the mark that stands for its number, or for its path where it has a name."""
        return self._mark(Piece(data=data, name=name))

    def take(self, read: Contents, name: str = "") -> str:
        """Keep what a file held; the mark that stands for its number, or for its path where it has a name."""
        return self._mark(_piece(read).replace(name=name))

    def file(self, read: Contents) -> str:
        """Keep what a file held; the path by which whoever inherits it finds it."""
        return f"{FDS}/{self.take(read)}"

    def binary(self, read: Contents, called: str, *, prompt: bool) -> str:
        """The same of a program that is no script; its path ends with what it is `called`.

        `prompt`: nothing runs for long, or writes it, before it is run, so that its file can be held till then.
        """
        piece = _piece(read).replace(called=called)
        mark = self._mark(
            piece.replace(real=read.real, stamp=read.stamp if read.settled else ())
            if prompt
            else piece
        )
        return mark if called else f"{FDS}/{mark}"

    def _mark(self, piece: Piece) -> str:
        self.pieces.append(piece)
        return Sealed.mark(len(self.pieces) - 1)


def _piece(read: Contents) -> Piece:
    return (
        Piece(source=read.real, digest=read.digest) if read.data is None else Piece(data=read.data)
    )


def before(words: Sequence[str]) -> list[str]:
    """The interpreter and its options, without a `--` that would end them before ours."""
    return [*words[:-2], *(word for word in words[-2:-1] if word != "--" or len(words) == 2)]  # noqa: PLR2004 - the program itself
