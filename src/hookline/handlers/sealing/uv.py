"""`uv`: the loader of Python's in the environment that uv makes for a script, by what is written in the script."""

from __future__ import annotations

import os
import re

from hookline.handlers.sealing.python import LOADER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.handlers.sealing.pieces import Pieces
    from hookline.handlers.sight.contents import Contents

# Of a loader that is no descriptor, none is to be closed.
_CLOSED = b"os.close(int(l.rpartition('/')[2]))\n"
_OPENED = b"# ///"
_BLOCK = re.compile(rb"^# /// script[ \t]*\n((?:#(?: .*)?\n)*?)# ///[ \t]*$", re.MULTILINE)
# What a block may say for which uv asks nobody: the environment of a file that lies elsewhere, or is not there yet, is the same.
_UNASKED = re.compile(
    rb"""\s*(?:(?:requires-python\s*=\s*(?:"[^"\n]*"|'[^'\n]*')|dependencies\s*=\s*\[\s*\]|\#.*)\s*)*"""
)


def sealed(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str] | None:
    """The words that compile the bytes in the environment of its block; what has none, or names dependencies, runs from its place."""
    given = [*words[:-1]]
    if b"\0" in script.head or any(word.startswith("--gui-script") for word in given):
        return None
    block = _plain_block(script.head)
    if block is not None:
        # By its path uv knows an environment: ours is one file for each block and name.
        loader = b"%s\n%s" % (block, LOADER.replace(_CLOSED, b""))
        return [
            *given,
            pieces.put(loader, os.path.basename(script.real)),
            pieces.take(script),
            words[-1],
        ]
    return None  # `uv run python` would look for a project around the working folder, and not around the script


def has_block(head: bytes) -> bool:
    """Whether a script says what environment it needs."""
    return _BLOCK.search(head) is not None


def needs_nothing(head: bytes) -> bool:
    """Whether a script says that it needs nothing but a Python: uv looks for nothing then."""
    return _plain_block(head) is not None


def _plain_block(head: bytes) -> bytes | None:
    """What a script says of its environment, where that is one without dependencies; None where it is more, or nothing."""
    found = _BLOCK.findall(head)
    if len(found) != 1 or head.count(_OPENED) != 2:  # noqa: PLR2004 - where it begins, and where it ends
        return None
    said = b"".join(line[2:].rstrip(b"\r") + b"\n" for line in found[0].splitlines())
    return b"# /// script\n" + found[0] + b"# ///" if _UNASKED.fullmatch(said) else None
