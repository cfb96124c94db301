"""Parses texts with the grammar of bash, within a time that all texts of a reading share."""

from __future__ import annotations

from hookline.text import lazy_re as re
from hookline.text.grammars import make_bash_parser
from hookline.text.script.budget import Budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Parser, Tree

_SECONDS = 0.01
# Where no clock is given: the bytes of all texts that it reads. Broken ones take up to 130 ms.
_UNTIMED = 4096
_CHUNK = 1024  # bytes that the grammar gets at once
_LONG_PART, _END_OF_PART = 16_384, 1024
_SIGNS = re.compile(r"([}'\"])")
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


class ScriptParser:
    """Parses the texts of one reading. `clock`: seconds; without it their bytes are bounded."""

    def __init__(self, clock: Callable[[], float] | None) -> None:
        self._parser = make_bash_parser()  # loading it takes no part of the time
        self._clock = clock
        self._left: float = _SECONDS if clock else _UNTIMED

    def parse(self, text: str) -> Tree | None:
        """Return the tree of a text; None if the grammar cannot read it in time."""
        if _is_costly(text):
            return None
        source = text.encode("utf-8", "replace")
        if len(source) < _SHORT:
            return self._parser.parse(source)
        clock = self._clock
        if clock is None:
            self._left -= len(source)
            return self._parser.parse(source) if self._left >= 0 else None
        if self._left <= 0:
            return None
        begin = clock()
        budget = Budget(clock, self._left)
        is_lost = len(source) >= _LONG_PART and self._loses_way(text, budget)
        tree = None if is_lost else parse_source(self._parser, source, budget)
        self._left -= clock() - begin
        return tree

    def _loses_way(self, text: str, budget: Budget) -> bool:
        """Return whether there is an error in a long text of which all parts would be searched.

        After an error, the grammar looks for one of three signs at each further token, and takes no
        account of the time meanwhile. So this reads the ends of each long part without these signs.
        """
        parts = _SIGNS.split(text)
        if max(map(len, parts)) < _LONG_PART:
            return False
        ends = "".join(
            part[:_END_OF_PART] + part[-_END_OF_PART:] if len(part) >= _LONG_PART else part
            for part in parts
        )
        if len(ends) > _LONG_PART:
            return False
        tree = parse_source(self._parser, ends.encode("utf-8", "replace"), budget)
        return tree is None or tree.root_node.has_error


def parse_source(parser: Parser, source: bytes, budget: Budget) -> Tree | None:
    """Return the tree of a text; None if a grammar cannot read it in time."""
    end = 0

    def read_chunk(at: int, _: object) -> bytes:
        # A grammar reports no progress while it skips what it cannot read, but it asks for text.
        # The text that it has had must stay as it was, or it never ends.
        nonlocal end
        if at >= end:
            end = at if budget.is_spent() else min(at + _CHUNK, len(source))
        return source[at : min(at + _CHUNK, end)]

    try:
        tree = parser.parse(read_chunk, progress_callback=lambda *_: budget.is_spent())
    except ValueError:
        parser.reset()
        return None
    return None if budget.is_spent() else tree


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
