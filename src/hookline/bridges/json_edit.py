"""JSON edits: adds, replaces and removes single values of a JSON text, and keeps every other byte.

A parser says where the values are. What is written takes indent and line ends from its neighbours.
"""

from __future__ import annotations

import json
import re
from functools import cache

import tree_sitter_json
from tree_sitter import Language, Parser

from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from tree_sitter import Node

    from hookline.bridges.entry import Entry

_INDENT = re.compile(rb"^([ \t]+)\S", re.MULTILINE)
_COMMENT = "comment"


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_json.language()))


def update_json(
    source: bytes, entries: Sequence[Entry], is_own: Callable[[Any], bool], *, path: str
) -> bytes:
    """Return a JSON text in which exactly `entries` are own entries; none of them for an uninstall.

    An own entry that is there already is replaced in its place. Lists and objects that become empty
    are removed. `path`: the file, for errors.

    Raises:
        ConfigError: the text is broken, or has another shape than hooks of this host.
    """
    if not source.strip(b" \t\r\n\xef\xbb\xbf"):
        if not entries:
            return source
        source += _new_line(source, b"{}")
    for event in _Tree(source, path).list_events():
        wanted = [value for keys, value in entries if keys == ("hooks", event)]
        source = _update_list(source, ("hooks", event), wanted, is_own, path)
    for keys, value in entries:
        tree = _Tree(source, path)
        node = tree.find(keys)
        if node is None or not any(is_own(tree.read(each)) for each in _children(node)):
            source = _Tree(source, path).append(keys, value)
    return source


def _new_line(source: bytes, text: bytes) -> bytes:
    return text + (b"" if source.endswith(b"\n") and source.strip() else b"\n")


def _update_list(
    source: bytes,
    keys: tuple[str, ...],
    wanted: list[Any],
    is_own: Callable[[Any], bool],
    path: str,
) -> bytes:
    """Replace the own entries of one list by what is wanted, in order, and remove what is left."""
    done = 0
    while True:
        tree = _Tree(source, path)
        node = tree.find(keys)
        own = [each for each in _children(node) if is_own(tree.read(each))] if node else []
        if done == len(own):
            return source
        target = own[done]
        if done < len(wanted):
            if tree.read(target) != wanted[done]:
                source = tree.replace(target, wanted[done])
            done += 1
        else:
            source = tree.remove(target)


def _children(node: Node) -> list[Node]:
    """Return the pairs of an object, or the items of a list, without comments."""
    return [each for each in node.named_children if each.type != _COMMENT]


def _parent(node: Node) -> Node:
    if node.parent is None:
        raise AssertionError
    return node.parent


class _Tree:
    """A JSON text with the places of its values."""

    def __init__(self, source: bytes, path: str) -> None:
        self.source = source
        self.path = path
        tree = _parser().parse(source.removeprefix(b"\xef\xbb\xbf"))
        self.shift = len(source) - len(source.removeprefix(b"\xef\xbb\xbf"))
        self.root = tree.root_node
        values = _children(self.root)
        if self.root.has_error or len(values) != 1 or values[0].type != "object":
            raise self._error(_find_fault(self.root), "it is no JSON object")
        self.top = values[0]
        self.line_end = b"\r\n" if b"\r\n" in source else b"\n"
        found = _INDENT.search(source)
        self.indent = found[1] if found else b"  "

    def _error(self, node: Node, why: str) -> ConfigError:
        line, column = node.start_point
        return ConfigError(
            f"cannot be edited: {why}",
            name="install.unreadable",
            place=f"{self.path}:{line + 1}:{column + 1}",
            hint="mend the file; hookline has written nothing",
        )

    def text(self, node: Node) -> bytes:
        return self.source[node.start_byte + self.shift : node.end_byte + self.shift]

    def read(self, node: Node) -> Any:
        """Return the value of a node; None if it has comments, and so is not ours."""
        try:
            return json.loads(self.text(node))
        except ValueError:
            return None

    def list_events(self) -> list[str]:
        """Return the keys of `hooks`."""
        hooks = self.find(("hooks",), "object")
        pairs = _children(hooks) if hooks else []
        return [json.loads(self.text(each.named_children[0])) for each in pairs]

    def find(self, keys: Sequence[str], kind: str = "array") -> Node | None:
        """Return the node below these keys; of a repeated key the last counts, as for the host."""
        node = self.top
        for at, key in enumerate(keys):
            found = None
            for pair in _children(node):
                name, value = pair.named_children[0], _children(pair)[-1]
                if json.loads(self.text(name)) == key:
                    found = value
            if found is None:
                return None
            expected = kind if at == len(keys) - 1 else "object"
            if found.type != expected:
                words = {"array": "a list", "object": "an object"}
                raise self._error(found, f"`{'.'.join(keys[: at + 1])}` is not {words[expected]}")
            node = found
        return node

    # -- writing ---------------------------------------------------------------------------------

    def append(self, keys: tuple[str, ...], value: Any) -> bytes:
        """Add a value at the end of a list, which is made where it is missing."""
        known, node = 0, self.top
        for at in range(1, len(keys) + 1):
            found = self.find(keys[:at], "array" if at == len(keys) else "object")
            if found is None:
                break
            known, node = at, found
        item: Any = value
        for key in reversed(keys[known + 1 :]):
            item = {key: [item] if key == keys[-1] else item}
        name = keys[known] if known < len(keys) else None
        if name is not None and name == keys[-1]:
            item = [item]
        return self._insert(node, item, name)

    def _insert(self, node: Node, item: Any, name: str | None) -> bytes:
        items = _children(node)
        start, end = node.start_byte + self.shift, node.end_byte + self.shift
        outer = self._line_indent(start)
        if items:
            first = items[0].start_byte + self.shift
            last = items[-1].end_byte + self.shift
            gap = self.source[start + 1 : first]
            is_inline = b"\n" not in gap
            inner = outer + self.indent if is_inline else self._line_indent(first)
            lead = self.line_end + inner
            if is_inline:
                lead = b" " if b": " in self.source else b""
            text = self._dump(item, name, inner, is_inline=is_inline)
            end = last if is_inline else self._end_of_line(node, last)
            rest = self.source[last:end] + lead + text + self.source[end:]
            return self.source[:last] + b"," + rest
        inner = outer + self.indent
        text = self._dump(item, name, inner, is_inline=False)
        body = self.line_end + inner + text + self.line_end + outer
        kept = self.source[start + 1 : end - 1].rstrip()  # there may be a comment
        return self.source[: start + 1] + kept + body + self.source[end - 1 :]

    def _end_of_line(self, node: Node, last: int) -> int:
        """Return where the comments after the last value end, on its line."""
        for each in node.named_children:
            start, end = each.start_byte + self.shift, each.end_byte + self.shift
            if each.type == _COMMENT and start >= last and b"\n" not in self.source[last:start]:
                last = end
        return last

    def replace(self, node: Node, value: Any) -> bytes:
        start, end = node.start_byte + self.shift, node.end_byte + self.shift
        is_inline = b"\n" not in self.source[start:end]
        text = self._dump(value, None, self._line_indent(start), is_inline=is_inline)
        return self.source[:start] + text + self.source[end:]

    def remove(self, node: Node) -> bytes:
        """Remove a value with its comma; a list or object that becomes empty goes with it."""
        parent = _parent(node)
        while parent.type == "pair" or (len(_children(parent)) == 1 and parent.id != self.top.id):
            node, parent = parent, _parent(parent)
        items = _children(parent)
        at = [each.id for each in items].index(node.id)
        start, end = node.start_byte + self.shift, node.end_byte + self.shift
        if at < len(items) - 1:  # with its comma and the blanks behind that
            rest = [each for each in parent.children if each.start_byte >= node.end_byte]
            comma = [each.type for each in rest].index(",")
            end = rest[comma + 1].start_byte + self.shift
        elif at > 0:
            kept = self._comments_between(items[at - 1], node)
            return self.source[: items[at - 1].end_byte + self.shift] + kept + self.source[end:]
        else:
            start, end = parent.start_byte + self.shift + 1, parent.end_byte + self.shift - 1
        return self.source[:start] + self.source[end:]

    def _comments_between(self, first: Node, second: Node) -> bytes:
        """Return what stands between two values up to the last comment, without the comma."""
        kept, at = b"", first.end_byte
        for each in _parent(first).children:
            if first.end_byte <= each.start_byte < second.start_byte:
                if each.type == _COMMENT:
                    kept += self.source[at + self.shift : each.end_byte + self.shift]
                at = each.end_byte
        return kept

    def _line_indent(self, at: int) -> bytes:
        line = self.source[self.source.rfind(b"\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(b" \t"))]

    def _dump(self, value: Any, name: str | None, inner: bytes, *, is_inline: bool) -> bytes:
        is_tight = is_inline and b": " not in self.source
        separators = (",", ":") if is_tight else (", ", ": ") if is_inline else None
        text = json.dumps(
            value,
            ensure_ascii=False,
            indent=None if is_inline else self.indent.decode(),
            separators=separators,
        )
        key = f"{json.dumps(name)}:{'' if is_tight else ' '}" if name is not None else ""
        lines = f"{key}{text}".encode().split(b"\n")
        return (self.line_end + inner).join(lines)


def _find_fault(node: Node) -> Node:
    """Return the first node that the parser could not read; the node itself if there is none."""
    if node.is_error or node.is_missing:
        return node
    for child in node.children:
        if child.has_error or child.is_missing:
            return _find_fault(child)
    return node
