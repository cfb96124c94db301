"""Reads the nodes of the grammar's tree: their text, and what is in them."""

from __future__ import annotations

from itertools import pairwise

from hookline.text import lazy_re as re

_BACKQUOTE = re.compile(r"(?<!\\)`")
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tree_sitter import Node


def get_text(node: Node) -> str:
    """Return the source of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def list_nodes(root: Node, kinds: Collection[str]) -> list[Node]:
    """Return the nodes of these kinds in their order, `root` among them."""
    waiting, found = [root], []  # an explicit stack, because hostile texts nest deep
    while waiting:
        node = waiting.pop()
        if node.type in kinds:
            found.append(node)
        waiting.extend(reversed(node.named_children))
    return found


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


def find_last_command(node: Node) -> Node:
    """Return the last command of a list or a pipe, else the node itself."""
    while node.type in ("list", "pipeline", "negated_command") and node.named_children:
        node = node.named_children[-1]
    return node


def find_ended_assignments(parts: Sequence[Node]) -> set[int]:
    """Return the ids of the assignments of a command that end a line before its program.

    The grammar takes the next line for the command that such an assignment belongs to.
    """
    found: set[int] = set()
    for node, after in reversed(list(pairwise(parts))):
        if node.type == "variable_assignment" and (
            after.start_point.row > node.end_point.row or after.id in found
        ):
            found.add(node.id)
    return found


def split_backquotes(text: str) -> list[str]:
    """Return the commands in back quotes, and what is between them, in turn.

    The grammar takes neighbours for one: the text of a node may be all of "`a` `b`".
    """
    return _BACKQUOTE.split(text)[1:-1]


def unescape_backquoted(text: str) -> str:
    """Return a command as it is after the shell has read its back quotes."""
    return text.replace("\\`", "`").replace("\\$", "$")
