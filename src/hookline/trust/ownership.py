"""Ownership: that nobody else can write a file, or put one into a folder; and what is wrong with a store in one sentence."""

from __future__ import annotations

import contextlib
import os
import stat

from hookline.errors import TrustError


def own_folder(path: str) -> None:
    """See that nobody else can put files into a folder; what a loose umask let its group do is taken back.

    Raises:
        TrustError: `trust.exposed`, somebody can.
        OSError: it is not there, or cannot be looked at.
    """
    found = os.stat(path)
    if (
        found.st_mode & stat.S_IWGRP
        and not found.st_mode & stat.S_IWOTH
        and found.st_uid == os.geteuid()
    ):
        with contextlib.suppress(OSError):
            os.chmod(path, stat.S_IMODE(found.st_mode) & ~stat.S_IWGRP)
            found = os.stat(path)
    if is_others(found):
        raise TrustError(
            f"others may put files into `{path}`",
            name="trust.exposed",
            hint="chmod 700, and look through what lies there",
        )


def own_file(path: str) -> None:
    """See that a file, if it is there, is ours.

    Raises:
        TrustError: `trust.exposed`, it is not.
    """
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise damaged(path, (error.strerror or "unreadable").lower()) from None
    if not stat.S_ISREG(found.st_mode) or is_others(found):
        raise TrustError(
            f"`{path}` is somebody else's",
            name="trust.exposed",
            hint="remove it, and look through the approvals",
        )


def is_others(found: os.stat_result) -> bool:
    """Whether somebody else may write what this was found out about."""
    return found.st_uid not in (0, os.geteuid()) or bool(
        found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def damaged(path: str, why: str) -> TrustError:
    """A store that cannot be read."""
    return TrustError(
        f"the approvals in `{path}` cannot be read: {why}",
        name="trust.store",
        hint="move the file away and approve again",
    )


def unwritable(path: str, why: str) -> TrustError:
    """A store that nothing can be written to."""
    return TrustError(
        f"nothing can be written to `{path}`: {why}",
        name="trust.unwritable",
        hint="see who owns its folder",
    )
