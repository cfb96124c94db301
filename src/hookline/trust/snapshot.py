"""Snapshot: what a store knows, and a file of that beside the database, which spares a process that asks once the start of SQLite.

It is a shortcut and never the truth. It counts for the very database that it was made of: the same file of the same size and times,
with the same header, in which SQLite counts every transaction. Whatever else there is, is as if there were nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat

from hookline.model.frozen import Frozen
from hookline.text.digest import sha256
from hookline.trust.ownership import is_others
from hookline.trust.schema import SCHEMA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    # What no two states of a database have in common.
    Witness: TypeAlias = list[int | str]
    Where: TypeAlias = tuple[str, str, str, str]

# What SQLite lays beside a database while it is written to.
BESIDE = ("-journal", "-wal", "-shm")
_FORM = 2  # of the file; another one is not read
_SUFFIX = ".known"
_HEADER = 100  # bytes
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


_NOWHERE: Mapping[Where, frozenset[str]] = {}


class Known(Frozen):
    """What a gate needs of the store: identity -> places -> content; revoked identities; roots that are off ("": everywhere).

    `hooks_off`: single hooks that are off, each as the root where it is and its identity. `declared`: where the hooks of projects were
    declared when they were approved, as root, dialect, file and event -> identities; `replaced`: the same of those whose place was taken.
    """

    approvals: Mapping[str, Mapping[str, str]]
    revoked: frozenset[str] = frozenset()
    off: frozenset[str] = frozenset()
    hooks_off: frozenset[tuple[str, str]] = frozenset()
    declared: Mapping[Where, frozenset[str]] = _NOWHERE
    replaced: Mapping[Where, frozenset[str]] = _NOWHERE


def stamp_of(found: os.stat_result) -> tuple[int, ...]:
    """What changes when a file does: the latter of its last two is when it was written last, as far as nobody set that."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def witness(path: str, stamp: tuple[int, ...]) -> Witness | None:
    """What tells this state of a database from all others; None where it is another than at `stamp`, or is being written.

    The times alone would not do: a power failure may keep what was written and lose when. Nobody else in this process may have the
    database open meanwhile, because to close any descriptor of a file ends all locks that a process has on it (fcntl).
    """
    try:
        fd = os.open(path, _READ)
    except OSError:
        return None
    try:
        found, header = stamp_of(os.fstat(fd)), os.pread(fd, _HEADER, 0)
    except OSError:
        return None
    finally:
        os.close(fd)
    if (
        found != stamp
        or len(header) < _HEADER
        or any(os.path.lexists(f"{path}{beside}") for beside in BESIDE)
    ):
        return None
    return [_FORM, SCHEMA, *stamp, header.hex()]


def recalled(path: str, seen: Witness) -> Known | None:
    """What was known of the database that was `seen`; None where that was not written down, or not by us."""
    try:
        digest, _, text = _own(f"{path}{_SUFFIX}").partition(b"\n")
        if digest.decode("ascii") != sha256(text):
            return None
        told = json.loads(text)
    except (OSError, ValueError):
        return None
    if told.get("of") != seen:
        return None
    return Known(
        approvals=told["approvals"],
        revoked=frozenset(told["revoked"]),
        off=frozenset(told["off"]),
        hooks_off=frozenset((root, identity) for root, identity in told["hooks_off"]),
        declared=_placed(told["declared"]),
        replaced=_placed(told["replaced"]),
    )


def _placed(listed: list[list[Any]]) -> Mapping[Where, frozenset[str]]:
    return {
        (root, dialect, file, event): frozenset(each) for root, dialect, file, event, each in listed
    }


def keep(path: str, seen: Witness, known: Known) -> None:
    """Write down what is known of the database that was `seen`. Where that cannot be done, the next one asks the database, too."""
    told: dict[str, Any] = {
        "of": seen,
        "approvals": known.approvals,
        "revoked": sorted(known.revoked),
        "off": sorted(known.off),
        "hooks_off": sorted(known.hooks_off),
        "declared": [[*where, sorted(each)] for where, each in known.declared.items()],
        "replaced": [[*where, sorted(each)] for where, each in known.replaced.items()],
    }
    text = json.dumps(told).encode("ascii")
    made = f"{path}{_SUFFIX}.{os.getpid()}"
    try:
        with open(os.open(made, _MAKE, 0o600), "wb") as file:
            file.write(sha256(text).encode("ascii") + b"\n" + text)
        os.rename(made, f"{path}{_SUFFIX}")
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(made)


def _own(path: str) -> bytes:
    """The bytes of a file that is nobody else's; none of any other."""
    fd = os.open(path, _READ)
    with open(fd, "rb") as file:
        found = os.fstat(fd)
        return b"" if not stat.S_ISREG(found.st_mode) or is_others(found) else file.read()
