"""Reads the arguments of `find`: its folders, its tests, and what a search with them finds."""

from __future__ import annotations

from itertools import pairwise

from hookline.text.script.programs import FIND_NARROWS, FIND_RUNS
from hookline.text.script.reading import UNKNOWN, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def list_roots(words: Sequence[Word]) -> list[Word]:
    """Return the folders of a call of find, from the words after the program."""
    roots: list[Word] = []
    for word in words:
        if word.text in ("-H", "-L", "-P") or word.text.startswith(("-O", "-D")):
            continue
        if word.text[:1] in ("-", "(", "!"):
            break
        roots.append(word)
    return roots or [Word(".")]


def list_tests(texts: Sequence[str]) -> list[str]:
    """Return the words of a call of find without those of the commands that it runs."""
    found: list[str] = []
    is_inside, before = False, ""
    for text in texts:
        if is_inside:
            is_inside = text not in (";", r"\;") and (text, before) != ("+", "{}")
        else:
            found.append(text)
            is_inside = text in FIND_RUNS
        before = text
    return found


def is_narrow(texts: Sequence[str]) -> bool:
    """Return whether a search finds a part only; what it leaves out does not make it one."""
    texts = list_tests(texts)
    leaves_out = "-o" in texts  # `-name x -prune -o -print`
    return any(
        text in FIND_NARROWS
        and texts[at - 1] not in ("-not", "!")
        and not (leaves_out and "-prune" in texts[at : at + 3])
        for at, text in enumerate(texts)
    )


def find_pattern(texts: Sequence[str]) -> str:
    """Return what a narrow search finds below its folders: a name, in an unknown folder."""
    for option, name in pairwise(texts):
        if option in ("-name", "-iname"):
            is_flat = any(pair == ("-maxdepth", "1") for pair in pairwise(texts))
            return name if is_flat else f"{UNKNOWN}/{name}"
    return UNKNOWN
