"""TOML places: the line and column of each key and item of a TOML text."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from tree_sitter import Node, Parser

    Path: TypeAlias = tuple[str | int, ...]

_KEYS = ("bare_key", "quoted_key", "dotted_key")
_WITHIN = range(0x80, 0xC0)  # UTF-8 bytes that do not start a character
# The most parts of one dotted key; the standard reader takes time quadratic in them.
MOST_PARTS = 16
_KEY = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
# The tokens needed to tell a key from a text or a comment.
_TOKEN = re.compile(
    rf"""
    \#[^\n]*
    | \"\"\"(?:[^"\\]|\\.|"(?!""))*+(?:\"\"\")?
    | \'\'\'(?:[^']|'(?!''))*+(?:\'\'\')?
    | (?P<deep>{_KEY}(?:[ \t]*\.[ \t]*{_KEY}){{{MOST_PARTS},}}+)
    | {_KEY}
    | .
    """,
    re.DOTALL | re.VERBOSE,
)


def find_deep_key(text: str) -> int:
    """Return where a key of more than 16 parts begins in a TOML text; -1 if there is none."""
    if not any(line.count(".") >= MOST_PARTS for line in text.split("\n")):
        return -1
    return next((found.start() for found in _TOKEN.finditer(text) if found["deep"]), -1)


@cache
def _parser() -> Parser:
    import tree_sitter_toml  # noqa: PLC0415 - only files that have hooks or faults need places
    from tree_sitter import Language, Parser  # noqa: PLC0415 - as above

    return Parser(Language(tree_sitter_toml.language()))


def find_places(text: str) -> dict[Path, tuple[int, int]]:
    """Return line and column, from 1, of every key, table and item, by its path.

    Only for a text that `tomllib` accepts.
    """
    source = text.encode("utf-8", "replace")
    finder = _Places(source)
    for node in _parser().parse(source).root_node.named_children:
        finder.statement(node)
    return finder.found


class _Places:
    """Walks through one text.

    `latest`: the element that further keys of an array of tables belong to.
    """

    def __init__(self, source: bytes) -> None:
        self.lines = source.split(b"\n")
        self.found: dict[Path, tuple[int, int]] = {(): (1, 1)}
        self.latest: dict[Path, int] = {}
        self.columns: dict[int, list[int]] = {}  # of lines that are not ASCII, by byte

    def statement(self, node: Node) -> None:
        """Record a top-level part: a pair, a table or an element of an array of tables."""
        if node.type == "pair":
            self._pair(node, ())
        elif node.type in ("table", "table_array_element"):
            head, *pairs = node.named_children
            *above, last = _parts(head)
            base = self._along((), above)
            if node.type == "table":
                path = self._along(base, [last])
            else:
                here = (*base, _name(last))
                self.latest[here] = self.latest.get(here, -1) + 1
                self._note(here, node)
                path = (*here, self.latest[here])
            self._note(path, node)
            for pair in pairs:
                self._pair(pair, path)

    def _along(self, path: Path, keys: list[Node]) -> Path:
        for key in keys:
            path = (*path, _name(key))
            self._note(path, key)
            if path in self.latest:
                path = (*path, self.latest[path])
        return path

    def _pair(self, node: Node, base: Path) -> None:
        if node.type == "pair" and len(node.named_children) > 1:
            key, value, *_ = node.named_children
            self._value(value, self._along(base, list(_parts(key))))

    def _value(self, node: Node, path: Path) -> None:
        if node.type == "inline_table":
            for pair in node.named_children:
                self._pair(pair, path)
        elif node.type == "array":
            for at, item in enumerate(
                part for part in node.named_children if part.type != "comment"
            ):
                self._note((*path, at), item)
                self._value(item, (*path, at))

    def _note(self, path: Path, node: Node) -> None:
        row, column = node.start_point
        self.found.setdefault(path, (row + 1, self._characters(row, column) + 1))

    def _characters(self, row: int, column: int) -> int:
        """Return how many characters the first bytes of a line are; each line is counted once."""
        known = self.columns.get(row)
        if known is None:
            line = self.lines[row]
            starts = () if line.isascii() else (byte not in _WITHIN for byte in line)
            known = self.columns[row] = list(accumulate(starts, initial=0))
        return known[column] if column < len(known) and len(known) > 1 else column


def _parts(key: Node) -> Iterator[Node]:
    """Yield the keys of a dotted key, in order."""
    if key.type == "dotted_key":
        for part in key.named_children:
            yield from _parts(part)
    elif key.type in _KEYS:
        yield key


def _name(key: Node) -> str:
    written = (key.text or b"").decode("utf-8", "replace")
    return next(iter(tomllib.loads(f"{written} = 0"))) if key.type == "quoted_key" else written
