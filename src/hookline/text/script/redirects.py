"""Redirections and here-documents: where the data of a command comes from and goes to."""

from __future__ import annotations

from hookline.text.script.reading import UNKNOWN_WORD, Command, Redirect, Word, join_words
from hookline.text.script.words import read_fields, read_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from hookline.text.script.state import Shell

_WRITES = (">", ">|", ">>", "&>", "&>>")


def read_heredoc(
    shell: Shell, node: Node, found: list[Redirect], after: list[tuple[Node, bool]]
) -> Word:
    """Return the text of a here-document; what follows on its line goes to `after`."""
    start, is_piped = "", False
    text: list[Word] = []
    for child in node.children:
        if child.type == "heredoc_start":
            start = (child.text or b"").decode()
        elif child.type == "heredoc_body":
            text.append(_read_heredoc_body(shell, child, start))
        elif child.type in ("file_redirect", "herestring_redirect"):
            read_redirect(shell, child, found, None)
        elif child.type in ("|", "|&"):
            is_piped = True
        elif child.is_named and child.type not in ("heredoc_end", "file_descriptor"):
            # The grammar leaves the bar out of the tree of a pipe.
            after.append((child, is_piped or child.type == "pipeline" or b"|" in _before(child)))
    return join_words(text) if text else Word("")


def _read_heredoc_body(shell: Shell, node: Node, start: str) -> Word:
    source = node.text or b""
    if any(mark in start for mark in "'\"\\"):
        return Word(source.decode("utf-8", "replace"))
    parts: list[Word] = []
    at = node.start_byte
    for child in node.named_children:
        if child.type == "heredoc_content":
            continue
        head = source[at - node.start_byte : child.start_byte - node.start_byte]
        parts.append(Word(head.decode("utf-8", "replace")))
        parts.append(read_word(child, shell))
        at = child.end_byte
    parts.append(Word(source[at - node.start_byte :].decode("utf-8", "replace")))
    return join_words(parts)


def read_redirect(
    shell: Shell, node: Node, found: list[Redirect], stdin: Word | None
) -> Word | None:
    """Add a redirection, and return what the command reads then."""
    operator = next((child.type for child in node.children if not child.is_named), "<<<")
    descriptor = next((child.text or b"" for child in node.named_children
                       if child.type == "file_descriptor"), b"").decode()  # fmt: skip
    targets = [child for child in node.named_children if child.type != "file_descriptor"]
    words = [word for child in targets for word in read_fields(child, shell)]
    target = words[0] if words else UNKNOWN_WORD
    if operator == "<<<":
        return target._replace(text=f"{target.text}\n")
    found.append(Redirect(operator, target, descriptor))
    if operator == "<":
        known = shell.files.get(shell.find_path(target.text))
        return known or shell.add_call(Command((), None, (found[-1],)))
    return stdin


def send_output(shell: Shell, printed: Word, redirects: Sequence[Redirect]) -> Word:
    """Write what was printed to the files of its redirections; return what is left."""
    for each in redirects:
        if each.operator in _WRITES and each.descriptor in ("", "1"):
            shell.write(each.target.text, printed, adds=">>" in each.operator)
            printed = Word("")
    return printed


def _before(node: Node) -> bytes:
    previous = node.prev_sibling
    return previous.text or b"" if previous is not None and not previous.is_named else b""
