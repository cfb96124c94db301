"""Wrappers: what `sudo -u x rm` or `docker run -v /:/host image rm` leaves of a command."""

from __future__ import annotations

from typing import NamedTuple

from hookline.text import lazy_re as re
from hookline.text.script.programs import PACKAGED
from hookline.text.script.reading import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.text.script.programs import Wrapper

_BRACES = frozenset(("{", "(", "!"))


_SPLITS = re.compile(r"-[a-zA-Z]*?S|--split-string=")


class Wrapped(NamedTuple):
    """What a wrapper starts. `folder`: the one that it changes to, None if it stays."""

    words: list[Word]
    folder: Word | None = None


def unwrap(words: Sequence[Word], row: Wrapper) -> Wrapped:
    """Return the command that a wrapper starts; without words if it starts none."""
    at, left, folder = 1, row.skip, None
    needs_verb = bool(row.verbs)
    while at < len(words):
        text = words[at].text
        if row.string and (text in row.string or _SPLITS.match(text)):
            return unwrap([words[0], *_split(words, at, row.string)], row)
        if text == "--":
            at += 1
            break
        if text.startswith("-") and len(text) > 1:
            folder = _find_folder(words, at, row) or folder
            at += 2 if _takes_next(text, row) else 1
            continue
        needs_verb = needs_verb and not ("dlx" in row.verbs and text in PACKAGED)
        if needs_verb and text not in row.verbs:
            return Wrapped([])
        if not needs_verb and not _is_skipped(text, row):
            if not left:
                break
            left -= 1
        needs_verb = False
        at += 1
    if needs_verb:
        return Wrapped([])
    if at + 1 < len(words) and words[at + 1].text in _BRACES and words[at].text.isidentifier():
        at += 2  # `coproc NAME { ...`
    return Wrapped(list(words[at + left :] if at + left < len(words) else words[at:]), folder)


def _takes_next(text: str, row: Wrapper) -> bool:
    """Return whether an option takes the next word, also as the last letter of a cluster."""
    if text in row.valued or text[1:2] == "-":
        return text in row.valued
    first = next((at for at, letter in enumerate(text[1:]) if f"-{letter}" in row.valued), -1)
    return first == len(text) - 2  # the letter that takes a value is the last one


def _is_skipped(text: str, row: Wrapper) -> bool:
    """Return whether a word before the command is a variable, a bracket or a lone dash."""
    name, equals, _ = text.partition("=")
    is_variable = bool(row.assigns and equals and name.replace("_", "a").isalnum())
    return is_variable or text == "-" or text in _BRACES


def _find_folder(words: Sequence[Word], at: int, row: Wrapper) -> Word | None:
    """Return the folder that an option changes to; None if it is another option."""
    text = words[at].text
    name, equals, value = text.partition("=")
    if name in row.folders:
        return words[at]._replace(text=value) if equals else _get(words, at + 1)
    if text[:2] in row.folders and len(text) > len("-C"):
        return words[at]._replace(text=text[2:])
    return None


def _get(words: Sequence[Word], at: int) -> Word | None:
    return words[at] if at < len(words) else None


def _split(words: Sequence[Word], at: int, string: frozenset[str]) -> list[Word]:
    """Return the words of `env -S TEXT`."""
    text, rest = words[at].text, list(words[at + 1 :])
    if text in string:
        own, rest = (rest[0].text if rest else ""), rest[1:]
    else:
        own = text.partition("=")[2] if text.startswith("--") else text.partition("S")[2]
        if not own:
            own, rest = (rest[0].text if rest else ""), rest[1:]
    return [*(Word(each) for each in own.split()), *rest]
