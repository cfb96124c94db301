"""Parses shell texts with the grammar of bash, within a time that all texts of a reading share."""

from __future__ import annotations

import re
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Parser, Tree

_SECONDS = 0.02
# Where no clock is given: the bytes of all texts that it reads. Broken ones take up to 130 ms.
_UNTIMED = 4096
_SHORT = 400  # bytes that the grammar reads in time, whatever they are
# What the grammar reads in a time that grows with the square of the number.
_MOST_HEREDOCS, _MOST_ARRAYS, _MOST_PIPES = 64, 128, 300
_PIPE = re.compile(r"\|&?\s*")
_STATEMENT = re.compile(r"[;&\n]")

# What the grammar reads otherwise than bash, and a plain form of it: a word on two lines, `$IFS-x`,
# a lone dash before a here-document, `3<>/dev/tcp/...`, and a block behind `!`, `time` or `coproc`.
_MISREAD = (
    (re.compile(r"(?<=\w)\\\n(?=\w)"), ""),
    (re.compile(r"\$IFS(?![A-Za-z0-9_])"), "${IFS}"),
    (re.compile(r"(?<=[ \t])-(?=[ \t]*<<)"), '"-"'),
    (re.compile(r"(\d)<>(?=\s*/dev/(?:tcp|udp)/)"), r"\1>"),
    (
        re.compile(
            r"((?:^|[;&|({]|\b(?:then|do|else|if|elif|while|until)[ \t])[ \t]*)"
            r"(?:!|time(?:[ \t]+-p)?|coproc(?:[ \t]+\w+)?)[ \t]+(?=\{\s|\()",
            re.MULTILINE,
        ),
        r"\1",
    ),
)


class Grammar:
    """`clock`: seconds; without it the bytes of the texts are bounded instead."""

    def __init__(self, clock: Callable[[], float] | None) -> None:
        self._parser = _make_parser()  # loading it takes no part of the time
        self._clock = clock
        self._left: float = _SECONDS if clock else _UNTIMED

    def parse(self, text: str) -> Tree | None:
        """Return the tree of a text; None if the grammar cannot read it in time."""
        if _is_costly(text):
            return None
        parser = self._parser
        source = text.encode("utf-8", "replace")
        if len(source) < _SHORT:
            return parser.parse(source)
        clock = self._clock
        if clock is None:
            self._left -= len(source)
            return parser.parse(source) if self._left >= 0 else None
        begin = clock()
        end = begin + self._left
        try:
            return parser.parse(
                lambda at, _: source[at : at + 4096],
                progress_callback=lambda *_: clock() > end,
            )
        except ValueError:
            parser.reset()
            return None
        finally:
            self._left -= clock() - begin


def rewrite_misread(text: str) -> str:
    """Return a text in forms that the grammar reads as bash does."""
    for pattern, plain in _MISREAD:
        text = pattern.sub(plain, text)
    return text


def _is_costly(text: str) -> bool:
    return (
        text.count("<<") > _MOST_HEREDOCS
        or text.count("=(") > _MOST_ARRAYS
        or (text.count("|") > _MOST_PIPES and _count_pipes(text) > _MOST_PIPES)
    )


def _count_pipes(text: str) -> int:
    """Return the length of the longest pipe; the rows of a table are none."""
    chained = _PIPE.sub("|", text).replace("||", ";")
    return max(statement.count("|") for statement in _STATEMENT.split(chained))


@lru_cache(maxsize=1)
def _make_parser() -> Parser:
    import tree_sitter_bash  # noqa: PLC0415 - only rules that look into commands need the grammar
    from tree_sitter import Language, Parser  # noqa: PLC0415 - as above

    return Parser(Language(tree_sitter_bash.language()))
