"""Ways: how each family of interpreters is told to run bytes that were read, and not what lies at a path by then.

Python, what uv runs, and Node get them by a small loader; bash and Perl as a file in memory that they take for the script's; any other
POSIX shell as `-c`. Each keeps its own name for the script, so that `dirname "$0"` and imports of siblings work as ever. Where an
interpreter cannot be given bytes without a difference that the script may notice, it runs from its place, and is looked at again after
the run.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from hookline.handlers.sealing.pieces import Pieces
    from hookline.handlers.sight.contents import Contents

    # Words from the interpreter up to the script -> words that run the bytes; None: it runs from its place.
    Way: TypeAlias = Callable[[Sequence[str], Contents, Pieces], list[str] | None]

# By the family of the interpreter: the module of this folder whose `sealed` is its way, loaded when a hook needs it.
_WAYS: Mapping[str, str] = {
    "python": "python",
    "shell": "shell",
    "node": "node",
    "perl": "perl",
    "uv": "uv",
}


def sealed_words(family: str, words: Sequence[str], script: Contents, pieces: Pieces) -> list[str]:
    """The words from an interpreter up to its script, as words that run what the script held when it was read."""
    way: Way | None = (
        import_module(f"{__package__}.{_WAYS[family]}").sealed if family in _WAYS else None
    )
    made = None if way is None else way(words, script, pieces)
    if made is None:  # what it loads is found from where it lies
        pieces.in_place.add(script.real)
        return list(words)
    return made
