"""Words of a shell text without its grammar, for parts that the grammar cannot read.

Linear, and never an error: quotes, escapes, separators, redirections, comments, and the texts in
`$(...)` and back quotes. It knows no keywords but those before a command, and no variables.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hookline.text.script.reading import UNKNOWN, make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match

_KEYWORDS = make_set("{ } if then elif else fi for while until do done case esac ! time in")
_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r<>]+)
    | (?P<end>[;&|\n()]+)
    | (?P<comment>(?<![^\s;&|()])\#[^\n]*)
    | \\(?P<escaped>.|\n|$)
    | '(?P<single>[^']*)(?P<closed>'?)
    | "(?P<double>(?:[^"\\]|\\.|\\\n)*)(?P<shut>"?)
    | `(?P<back>[^`]*)(?P<stop>`?)
    | (?P<open>\$\()
    | (?P<plain>\$|[^ \t\r<>;&|\n()\\'"`$]+)""",
    re.VERBOSE,
)
_BRACKETS = re.compile(r"""'[^']*'?|"(?:[^"\\]|\\.)*"?|\\.|[()]""", re.DOTALL)


class Lexed(NamedTuple):
    """The words of each command, the texts in substitutions, and whether all was accounted for."""

    commands: tuple[tuple[str, ...], ...]
    inner: tuple[str, ...]
    is_whole: bool


_MOST_TOKENS = 8000  # what comes after is not read


class _Lexer:
    def __init__(self) -> None:
        self.commands: list[tuple[str, ...]] = []
        self.inner: list[str] = []
        self.is_whole = True
        self._words: list[str] = []
        self._word: str | None = None

    def add(self, text: str) -> None:
        self._word = (self._word or "") + text

    def end_word(self) -> None:
        if self._word is not None and (self._words or self._word not in _KEYWORDS):
            self._words.append(self._word)
        self._word = None

    def end_command(self) -> None:
        self.end_word()
        if self._words:
            self.commands.append(tuple(self._words))
            self._words.clear()

    def take(self, token: Match[str]) -> None:
        """Take in one token, other than an opening bracket."""
        kind = token.lastgroup
        if kind == "blank":
            self.end_word()
        elif kind == "end":
            self.end_command()
        elif kind == "escaped":
            self.add(token["escaped"].replace("\n", ""))
        elif kind == "closed":
            self.add(token["single"])
            self.is_whole &= bool(token["closed"])
        elif kind == "shut":
            self.add(re.sub(r'\\([$`"\\\n])', r"\1", token["double"]))
            self.is_whole &= bool(token["shut"])
            if "$(" in token["double"] or "`" in token["double"]:
                self.inner.append(token["double"])
        elif kind == "stop":
            self.add(UNKNOWN)
            self.inner.append(token["back"])
            self.is_whole &= bool(token["stop"])
        elif kind == "plain":
            self.add(token["plain"])


def split_commands(text: str) -> Lexed:
    """Return the commands of a text by its separators."""
    lexer, at, left = _Lexer(), 0, _MOST_TOKENS
    while left and (token := _TOKEN.match(text, at)):
        left -= 1
        at = token.end()
        if token.lastgroup != "open":
            lexer.take(token)
            continue
        end = _find_bracket(text, at)
        if end < len(text):
            lexer.inner.append(text[at:end])
        else:  # it does not end; what is in it is read as if it did, without what is in that
            lexer.is_whole = False
            lexer.inner.append(text[at:end].replace("$(", " ; "))
        lexer.add(UNKNOWN)
        at = end + 1
    lexer.end_command()
    return Lexed(tuple(lexer.commands), tuple(lexer.inner), lexer.is_whole and at >= len(text))


def _find_bracket(text: str, at: int) -> int:
    """Return where the round bracket that is open ends."""
    depth = 1
    for token in _BRACKETS.finditer(text, at):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if not depth:
            return token.start()
    return len(text)
