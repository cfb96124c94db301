"""Redirections and here-documents: where the data of a command comes from and goes to."""

from __future__ import annotations

from hookline.text import lazy_re as re
from hookline.text.script.nodes import get_text
from hookline.text.script.reading import (
    MOST_WORDS,
    UNKNOWN_WORD,
    Command,
    Redirect,
    Word,
    join_words,
)
from hookline.text.script.words import read_fields, read_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from hookline.text.script.state import Shell

_BACKQUOTED = re.compile(r"(?<!\\)`((?:[^`\\]|\\.)+)`", re.DOTALL)
_NO_TARGETS = ("file_descriptor", "ERROR")
_WRITES = (">", ">|", ">>", "&>", "&>>")


def read_heredoc(
    shell: Shell,
    node: Node,
    found: list[Redirect],
    after: list[tuple[Node, bool]],
    words: list[Word],
) -> Word:
    """Return the text of a here-document.

    What follows on its line goes to `after`; the other words of the command go to `words`.
    """
    start, is_piped = "", False
    text: list[Word] = []
    arguments = {child.id for child in node.children_by_field_name("argument")}
    for child in node.children:
        if child.id in arguments:
            words += read_fields(child, shell)
        elif child.type == "heredoc_start":
            start = get_text(child)
        elif child.type == "heredoc_body":
            text.append(_read_heredoc_body(shell, child, start))
        elif child.type in ("file_redirect", "herestring_redirect"):
            words += read_redirect(shell, child, found, None)[1]
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
    for match in _BACKQUOTED.finditer(source.decode("utf-8", "replace")):
        shell.run_text(match[1], None, ())
    return join_words(parts)


def read_redirect(
    shell: Shell, node: Node, found: list[Redirect], stdin: Word | None
) -> tuple[Word | None, list[Word]]:
    """Add a redirection; return what the command reads then, and the words after its target."""
    operator = next((child.type for child in node.children if not child.is_named), "<<<")
    descriptor = next((child.text or b"" for child in node.named_children
                       if child.type == "file_descriptor"), b"").decode()  # fmt: skip
    targets = [child for child in node.named_children if child.type not in _NO_TARGETS]
    words = read_fields(targets[0], shell) if targets else []
    target = words[0] if words else UNKNOWN_WORD
    if len(targets) > MOST_WORDS:
        shell.unverified.append(f"more than {MOST_WORDS} words of one command")
    read: Word | None
    if operator == "<<<" or any(child.type == "ERROR" for child in node.children):
        read = target._replace(text=f"{target.text}\n")
    elif operator == "<":
        found.append(Redirect(operator, target, descriptor))
        known = shell.files.get(shell.find_path(target.text))
        read = known or shell.add_call(Command((), None, (found[-1],)))
    else:
        found.append(Redirect(operator, target, descriptor))
        number = target.text if operator == "<&" else ""
        stdin = read = shell.files.get(f"/dev/fd/{number}", stdin)
        descriptor = ""
    if descriptor not in ("", "0"):
        shell.files[f"/dev/fd/{descriptor}"] = read or UNKNOWN_WORD
        read = stdin
    return read, _read_rest(shell, targets[1:MOST_WORDS], read)


def _read_rest(shell: Shell, nodes: Sequence[Node], stdin: Word | None) -> list[Word]:
    """Return the words after a redirection; a `>(command)` among them reads what it reads."""
    outer, shell.stdin = shell.stdin, stdin or shell.stdin
    words = [word for node in nodes for word in read_fields(node, shell)]
    shell.stdin = outer
    return words


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
