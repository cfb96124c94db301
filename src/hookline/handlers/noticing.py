"""Noticing: scripts of a shell or of Node that would notice if they were run from memory, and not from their place."""

from __future__ import annotations

import os
import re

from hookline.handlers.contents import contents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hookline.handlers.contents import Contents

LONGEST_TEXT = 100_000  # bytes that a shell is given as a word; the kernel takes 128 KiB in one argument
# What tells Node that a file is an ES module, or may be one; an `await` in no function makes one, too.
_ESM = re.compile(
    rb"(?:^|[;}]|\*/)[ \t]*(?:import\b(?!\s*\()|export\b)|\bimport\.meta\b|^(?:(?:const|let|var)\b[^=(]*=\s*)?(?:for\s+)?await\b",
    re.MULTILINE,
)
# Options by which Node reads files in a way of its own.
_NODE_OWN = ("-r", "--require", "--import", "--loader", "--experimental", "--input-type", "--preserve-symlinks")
# The one place of a call that a `-c` text can tell: the script itself. Any other counts the script as a caller, which a text is not.
OWN_SOURCE = re.compile(rb"\bBASH_SOURCE\b(?!\[)|\bBASH_SOURCE\[0\]")
_CALLERS = re.compile(
    rb"\bBASH_(?:LINENO|ARGV|ARGC)\b|\bFUNCNAME\[(?!0\])|\bBASH_SOURCE\b|(?:^|[;&|({`!]|\b(?:then|do|else|if))\s*caller\b", re.MULTILINE
)
_ZSH_PLACES = re.compile(rb"%[xN]|\bfunc(?:file|source|)(?:stack|trace)\b|\bZSH_|:[aA]\b")
_SOURCES = re.compile(rb"(?:^|[;&|({]|\b(?:then|do|else))[ \t]*(?:\.|source)[ \t]+(\S.*)", re.MULTILINE)


def shell_notices(shell: str, script: Contents) -> bool:
    """Whether a script, or a file beside it that it reads, asks its shell from where it was called: a `-c` text is no caller."""
    if shell == "zsh":
        return _ZSH_PLACES.search(script.head) is not None
    if script.data is None or len(script.data) > LONGEST_TEXT:
        return b"BASH_SOURCE" in script.head or _CALLERS.search(script.head) is not None
    return any(_CALLERS.search(OWN_SOURCE.sub(b"", text)) for text in (script.data, *_sourced_by(script)))


def _sourced_by(script: Contents) -> Iterator[bytes]:
    """What the files begin with that a script reads from its own folder, or from one beside that."""
    folder = os.path.dirname(script.real)
    for line in _SOURCES.findall(script.head):
        names = [name.lstrip("/") for name in re.findall(r"[\w./-]*\w", os.fsdecode(line))]
        for path in (os.path.join(base, name) for base in (folder, os.path.dirname(folder)) for name in names if name):
            read = contents(path)
            if read is not None:
                yield read.head


def node_notices(words: Sequence[str], script: Contents) -> bool:
    """Whether a script is no plain CommonJS module, or Node is told to read it in a way of its own."""
    is_other = script.real.endswith((".mjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".wasm", ".json"))
    has_own = any(word.startswith(_NODE_OWN) for word in words[1:-1])
    return is_other or has_own or _ESM.search(script.head) is not None or _is_module(script.real)


def _is_module(path: str) -> bool:
    """Whether the nearest `package.json` says that such a file is an ES module."""
    if path.endswith(".cjs"):
        return False
    folder = os.path.dirname(path)
    while True:
        try:
            with open(f"{folder}/package.json", "rb") as file:
                return re.search(rb'"type"\s*:\s*"module"', file.read(1 << 20)) is not None
        except OSError:
            if folder in ("/", ""):
                return False
            folder = os.path.dirname(folder)
