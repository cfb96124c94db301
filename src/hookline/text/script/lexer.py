"""Words of a shell text without its grammar, for parts that the grammar cannot read.

Linear, and never an error: quotes, escapes, separators, redirections, comments, and the texts in
`$(...)` and back quotes. It knows no keywords but those before a command, and no variables.
"""

from __future__ import annotations

from hookline.text import lazy_re as re
from hookline.text.script.reading import UNKNOWN, make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match

    from hookline.text.script.budget import Budget

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


_MOST_TOKENS = 8000  # what comes after is not read
_UNENDED = "a quotation or a bracket that does not end"


class Lexer:
    """Splits one text.

    Attributes:
        inner: the texts in substitutions, as far as the text is split.
        unread: why a part of the text was not read.
    """

    def __init__(self, text: str, budget: Budget) -> None:
        self.inner: list[str] = []
        self.unread: list[str] = []
        self._text, self._budget = text, budget
        self._left = _MOST_TOKENS
        self._words: list[str] = []
        self._parts: list[str] = []  # of the word

    def split_commands(self) -> Iterator[tuple[str, ...]]:
        """Yield the words of each command, by the separators."""
        at = 0
        while self._left > 0 and (token := _TOKEN.match(self._text, at)):
            self._count_token()
            at = token.end()
            if token.lastgroup == "open":
                at = self._skip_substitution(at)
            elif token.lastgroup == "end":
                yield from self._end_command()
            else:
                self._add(token)
        yield from self._end_command()
        if at < len(self._text):
            self.unread.append(f"more than {_MOST_TOKENS} parts that the grammar cannot read")

    def _count_token(self) -> None:
        self._left -= 1
        self._budget.check()

    def _end_word(self) -> None:
        word = "".join(self._parts)
        if self._parts and (self._words or word not in _KEYWORDS):
            self._words.append(word)
        self._parts.clear()

    def _end_command(self) -> Iterator[tuple[str, ...]]:
        self._end_word()
        if self._words:
            yield tuple(self._words)
            self._words.clear()

    def _add(self, token: Match[str]) -> None:
        """Add one token to the word, or end the word."""
        kind = token.lastgroup
        if kind == "blank":
            self._end_word()
        elif kind == "escaped":
            self._parts.append(token["escaped"].replace("\n", ""))
        elif kind == "closed":
            self._parts.append(token["single"])
            self._expect(token["closed"])
        elif kind == "shut":
            self._parts.append(re.sub(r'\\([$`"\\\n])', r"\1", token["double"]))
            self._expect(token["shut"])
            if "$(" in token["double"] or "`" in token["double"]:
                self.inner.append(token["double"])
        elif kind == "stop":
            self._parts.append(UNKNOWN)
            self.inner.append(token["back"])
            self._expect(token["stop"])
        elif kind == "plain":
            self._parts.append(token["plain"])

    def _expect(self, end: str) -> None:
        if not end:
            self.unread.append(_UNENDED)

    def _skip_substitution(self, begin: int) -> int:
        """Put the text of a substitution aside; return where the text goes on after it."""
        end = self._find_bracket(begin)
        inner = self._text[begin:end]
        if end == len(self._text):  # it does not end; what is in it is read as if it did,
            self._expect("")
            inner = inner.replace("$(", " ; ")  # without what is in that
        self.inner.append(inner)
        self._parts.append(UNKNOWN)
        return end + 1

    def _find_bracket(self, begin: int) -> int:
        """Return where the round bracket that is open ends."""
        depth = 1
        for token in _BRACKETS.finditer(self._text, begin):
            self._count_token()
            depth += {"(": 1, ")": -1}.get(token[0], 0)
            if not depth:
                return token.start()
            if self._left <= 0:
                break
        return len(self._text)
