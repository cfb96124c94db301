"""Shell: a script's text as the word of `-c`, unless it asks its shell from where it was called: a text is no caller.

A bash that can run it as the script that it is does that (`bash`).
"""

from __future__ import annotations

import os
import re

from hookline.handlers.sealing.bash import sealed as as_script
from hookline.handlers.sealing.pieces import before
from hookline.handlers.sight.contents import contents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hookline.handlers.sealing.pieces import Pieces
    from hookline.handlers.sight.contents import Contents

_LONGEST_TEXT = (
    100_000  # bytes that a shell is given as a word; the kernel takes 128 KiB in one argument
)
# The one place of a call that a `-c` text can tell: the script itself. Any other counts the script as a caller, which a text is not.
_OWN_SOURCE = re.compile(rb"\bBASH_SOURCE\b(?!\[)|\bBASH_SOURCE\[0\]")
_CALLERS = re.compile(
    rb"\bBASH_(?:LINENO|ARGV|ARGC)\b|\bFUNCNAME\[(?!0\])|\bBASH_SOURCE\b|(?:^|[;&|({`!]|\b(?:then|do|else|if))\s*caller\b",
    re.MULTILINE,
)
_TRACED = re.compile(
    r"-\w*[xv]|verbose|xtrace"
)  # options that show what is run, also what is not the script's
_ASKS_IF_SOURCED = re.compile(rb"\(\s*return\b")  # what is read by a `.` may return
_ZSH_PLACES = re.compile(rb"%[xN]|\bfunc(?:file|source|)(?:stack|trace)\b|\bZSH_|:[aA]\b")
_SOURCES = re.compile(
    rb"(?:^|[;&|({]|\b(?:then|do|else))[ \t]*(?:\.|source)[ \t]+(\S.*)", re.MULTILINE
)


def sealed(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str] | None:
    """The words that have the shell run the text under the script's name."""
    program, *options = before(words)
    name = os.path.basename(program)
    if b"\0" in script.head:
        return None
    if name.startswith("bash") and (made := as_script(words, script, pieces)):
        return made
    if notices(name, script) or (
        b"BASH_SOURCE" in script.head and any(map(_TRACED.match, options))
    ):
        return None
    # With a text, and started from afar, bash would read the user's `.bashrc` first.
    unasked = ["--norc"] if name == "bash" else []
    return [program, *unasked, *options, "-c", _text_of(script, pieces), words[-1]]


def _text_of(script: Contents, pieces: Pieces) -> str:
    """A text for `-c` that does what a script does; one that is too long for an argument is read from memory."""
    data = script.data
    if data is None or len(data) > _LONGEST_TEXT:
        return f". {pieces.file(script)}"
    if b"BASH_SOURCE" in data:
        # Empty in a `-c` text, and nobody may set it.
        data = b"HOOKLINE_SOURCE=$0; " + _OWN_SOURCE.sub(
            lambda found: found[0].replace(b"BASH", b"HOOKLINE"), data
        )
    return os.fsdecode(data)


def notices(shell: str, script: Contents) -> bool:
    """Whether a script, or a file beside it that it reads, asks its shell from where it was called: a `-c` text is no caller."""
    if shell == "zsh":
        return _ZSH_PLACES.search(script.head) is not None
    if script.data is None or len(script.data) > _LONGEST_TEXT:
        return any(each.search(script.head) for each in (_OWN_SOURCE, _CALLERS, _ASKS_IF_SOURCED))
    return any(
        _CALLERS.search(_OWN_SOURCE.sub(b"", text)) for text in (script.data, *_sourced_by(script))
    )


def _sourced_by(script: Contents) -> Iterator[bytes]:
    """What the files begin with that a script reads from its own folder, or from one beside that."""
    folder = os.path.dirname(script.real)
    for line in _SOURCES.findall(script.head):
        names = [name.lstrip("/") for name in re.findall(r"[\w./-]*\w", os.fsdecode(line))]
        for path in (
            os.path.join(base, name)
            for base in (folder, os.path.dirname(folder))
            for name in names
            if name
        ):
            read = contents(path)
            if read is not None:
                yield read.head
