"""Embedded: texts for a shell within the words of programs that are no launchers, such as `awk`, `sed`, `git` and `tar`."""

from __future__ import annotations

import itertools
import re

from hookline.text.launchers import AWKS, GITS, SEDS, SETTINGS, TOLD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

UNKNOWN = "$?"  # what nobody can tell of a shell's text
# Where an awk program gives a literal to a shell; in the second group, what says that nothing is put behind it.
_LITERAL = r'"((?:[^"\\]|\\.)*)"'
_COMMANDED = (
    rf"\bsystem\s*\(\s*{_LITERAL}\s*(\))?",
    rf"{_LITERAL}\s*(\|)&?\s*getline\b",
    rf"(?<!\|)\|&?\s*{_LITERAL}()",
)
# In a sed program: what is substituted, and a command `e` behind its address.
_SUBSTITUTED = r"(?s)([sy])([^\w\s\\;}])(?:\\.|(?!\2).)*\2(?:\\.|(?!\2).)*\2(\w*)"
_EXECUTED = r"(?m)(?:^|[;{}])[ \t]*(?:[\d$,~+! \t]|/(?:\\.|[^/\\\n])*/I?)*e(?:[ \t]+(\S.*))?$"
_LONGEST = 4096  # characters of a program


def texts(words: Sequence[str], start: int) -> Iterator[str]:
    """The texts for a shell that a program of this name is given, as far as they are known."""
    name = words[start].rpartition("/")[2]
    rest = words[start + 1 :]
    if name in AWKS:
        for word in rest:
            yield from _of_awk(word)
    elif name in SEDS:
        for word in rest:
            yield from _of_sed(word)
    elif name in GITS:
        yield from filter(None, map(_of_git, values(rest, ("-c", "--config-env"))))
    elif name in TOLD:
        yield from (value.removeprefix("exec=") for value in values(rest, TOLD[name]))


def values(words: Sequence[str], options: Sequence[str]) -> list[str]:
    """What stands behind these options: as the next word, behind a `=`, or glued to a letter."""
    found: list[str] = []
    for word, after in itertools.pairwise([*words, ""]):
        name, sign, value = word.partition("=")
        if word in options:
            found.append(after)
        elif sign and name in options:
            found.append(value)
        elif word[:2] in options:
            found.append(word[2:])
    return [*filter(None, found)]


def _of_awk(word: str) -> Iterator[str]:
    """`awk 'BEGIN { system("text") }'`."""
    for pattern in _COMMANDED:
        for found in re.finditer(pattern, word[:_LONGEST], re.DOTALL):
            text = re.sub(r'\\(["\\/])', r"\1", found[1])
            if "\\" not in text and text:
                yield text if found[2] is not None else text + UNKNOWN


def _of_sed(word: str) -> Iterator[str]:
    """`sed '1e text'`; with `e` alone, or as a flag, the text is a line of what is read."""
    program = word[:_LONGEST]
    for found in re.finditer(_SUBSTITUTED, program):
        if "e" in found[3]:
            yield UNKNOWN
    for executed in re.finditer(_EXECUTED, re.sub(_SUBSTITUTED, "", program)):
        yield executed[1] or UNKNOWN


def _of_git(setting: str) -> str:
    """`git -c core.pager=text`, and `-c alias.x=!text`."""
    name, _, value = setting.partition("=")
    name = name.lower()
    if name.startswith("alias."):
        return value[1:] if value.startswith("!") else ""
    return value.removeprefix("!") if name.endswith(SETTINGS) or name.startswith("pager.") else ""
