"""Finds the nodes of a tree of the grammar."""

from __future__ import annotations

from itertools import pairwise

from hookline.text import lazy_re as re

_BACKQUOTE = re.compile(r"(?<!\\)`")
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tree_sitter import Node, Tree


def find_line_ends(parts: Sequence[Node]) -> set[int]:
    """Return the ids of assignments that are the last ones of a line, with those before them."""
    found: set[int] = set()
    for node, after in reversed(list(pairwise(parts))):
        if node.type == "variable_assignment" and (
            after.start_point.row > node.end_point.row or after.id in found
        ):
            found.add(node.id)
    return found


def is_named(node: Node, name: str) -> bool:
    """Return whether the text of a node is a name."""
    return (node.text or b"").decode("utf-8", "replace") == name


def walk(tree: Tree | None, kinds: Sequence[str]) -> Iterable[Node]:
    """Return the parts of a tree of these kinds; none without a tree."""
    return walk_node(tree.root_node, kinds) if tree is not None else ()


def walk_node(node: Node, kinds: Sequence[str]) -> Iterable[Node]:
    """Return the parts of these kinds; an explicit stack, because hostile texts nest deep."""
    waiting, found = [node], []
    while waiting:
        each = waiting.pop()
        if each.type in kinds:
            found.append(each)
        waiting.extend(reversed(each.named_children))
    return found


def find_last(node: Node) -> Node:
    """Return the last command of a list or a pipe, else the node itself."""
    while node.type in ("list", "pipeline", "negated_command") and node.named_children:
        node = node.named_children[-1]
    return node


def split_backquotes(text: str) -> list[str]:
    """Return the commands in back quotes, and what is between them, in turn.

    The grammar takes neighbours for one: the text of a node may be all of "`a` `b`".
    """
    return _BACKQUOTE.split(text)[1:-1]


def unescape_backquoted(text: str) -> str:
    """Return a command as it is after the shell has read its back quotes."""
    return text.replace("\\`", "`").replace("\\$", "$")


def list_statements(node: Node) -> list[Node]:
    """Return the statements of a sequence; of `a && b && c` the grammar puts `a` deepest."""
    if node.type != "list":
        return node.named_children
    found: list[Node] = []
    while node.type == "list":
        first, *rest = node.named_children
        found += reversed(rest)
        node = first
    return [node, *reversed(found)]
