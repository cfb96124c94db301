"""Sight: what a hook would run, looked at once; what is approved and what is run are the same bytes."""

from __future__ import annotations

from hookline.model.frozen import Frozen


class Covered(Frozen):
    """A file that a hook runs. `path`: as the runner finds it; `real`: without symbolic links.

    `role`: what it is to the hook: "program", "script", "sourced", "module" (of `python -m`), "fed" (a shell is given it to read),
    "loaded" (because of a variable), "interpreter"; or, where nobody knows whether it is run, one of LOOSE: "named" (a word names it),
    "listed" (the hook says that it consists of it, too). `chosen`: found by its name, on the path of the user's own environment.
    `digest`: SHA-256 of its bytes; for an interpreter "" where it is
    the system's, and with colons its inode, size and times where it is a large one of the user's. `modified`: seconds since 1970.
    `exposed`: why somebody else may write it ("" = nobody may). `in_place`: its interpreter reads it from where it lies. `way`: of what
    may be run from where it lies, each folder (device, inode, mtime, ctime) and link on the way to it, and the file (the same with its
    size), so that it can be told whether another one was in its place meanwhile.
    """

    role: str
    path: str
    real: str
    digest: str = ""
    modified: float = 0.0
    exposed: str = ""
    in_place: bool = False
    chosen: bool = False
    way: tuple[tuple[int, ...], ...] = ()


# Roles of files of which nobody knows whether they are run.
LOOSE = NAMED, LISTED = ("named", "listed")


class Piece(Frozen):
    """Verified bytes: handed over as an open descriptor, or, with a `name`, as a private file of that name.

    With a `source` they are too many to be held: they are copied from there when they are run, and are the right ones if they have
    the `digest`. `real`: the program that they are, which runs as that file where nobody can write it meanwhile,
    `stamp`: by which that is known without being read; `called`: the name under which it is run, as a path.
    """

    data: bytes = b""
    name: str = ""
    source: str = ""
    digest: str = ""
    real: str = ""
    stamp: tuple[int, ...] = ()
    called: str = ""


class Sealed(Frozen):
    """How verified bytes are run: `argv` and `executable` have the mark of a piece where its number, or its path, belongs."""

    argv: tuple[str, ...]
    pieces: tuple[Piece, ...]
    executable: str = ""

    @staticmethod
    def mark(number: int) -> str:
        """What stands for a piece."""
        return f"\0{number}\0"


class Sight(Frozen):
    """What a look at a hook found.

    `open`: what of it can be run without having been looked at, in words; such a hook is never approved by its first use. `missing`:
    what it needs and is not there. `sealed`: how to run exactly what was seen; None where nothing is sealed. `watched`: something was
    seen that is run from where it lies, and must be looked at again after the run.
    """

    files: tuple[Covered, ...] = ()
    open: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    sealed: Sealed | None = None
    watched: bool = False
