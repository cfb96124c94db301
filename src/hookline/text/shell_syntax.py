"""Lists the simple commands of a shell line as they are written, at any depth, without quotes.

Two readers of shell text exist. This one is for permission rules and for the files that a script
names: it follows no variable, runs no loop, and keeps the source of what only a run can tell. So
`sudo`, `xargs` and `bash -c` are plain commands here. `hookline.text.script` evaluates a text, and
is for guards.

tree-sitter gives syntax only, and it reads some lines differently from bash. Where that could hide
a command, the line counts as unreadable.
"""

from __future__ import annotations

import re
from itertools import pairwise

from hookline.text.grammars import make_bash_parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from re import Match

    from tree_sitter import Node

_OPERATORS = b";&|()<>"
_WORD_ENDS = b" \t\n" + _OPERATORS
_SIMPLE = ("command", "declaration_command", "unset_command")
_JOINED = ("command_name", "concatenation")
_REDIRECTS = ("file_redirect", "heredoc_redirect", "herestring_redirect")
_SUBSTITUTION = rb"`|\$(?:\\\n)*[({]"
# Words of bash's own grammar that the other grammar takes for a program and its arguments.
_PREFIXES = frozenset(("time", "-p", "--", "coproc", "!"))
_WORDS = "{ } if then elif else fi for select while until do done case esac function [["
_RESERVED = frozenset(_WORDS.split())


def parse_simple_commands(line: str) -> tuple[str, ...] | None:
    """Return the text of every simple command that a line would run, in order.

    None if the line cannot be read reliably. One blank joins the words of `parse_words`.
    """
    found = parse_words(line)
    return None if found is None else tuple(map(" ".join, found))


def parse_words(line: str) -> tuple[tuple[str, ...], ...] | None:
    """Return the words of every simple command that a line would run, in order, without quotes.

    None if the line cannot be read reliably.

    Redirections and leading assignments are left out. A word with expansions keeps its source.
    """
    if "\0" in line:  # bash drops it, and joins the text around it
        return None
    source = _quote_lost_dashes(line.encode("utf-8", "replace"))
    nodes = parse_nodes(source)
    edges = source[: nodes[:2][-1].start_byte], source[nodes[-1].end_byte :]
    # The line must begin and end as if blanks stood around it.
    if (
        nodes[0].has_error
        or not all(_is_blank(b" " + edge) for edge in edges)
        or any(_may_hide_command(node, source) for node in nodes)
    ):
        return None
    try:
        return tuple(_list_commands(nodes, source))
    except _UnreadableError:
        return None


class _UnreadableError(Exception):
    """The grammar cannot have understood a part of the line."""


def parse_nodes(source: bytes) -> list[Node]:
    """Return all parts of a line as the grammar reads it, each before its children."""
    found = []
    # An explicit stack: a hostile line nests deeper than Python's.
    waiting = [make_bash_parser().parse(source).root_node]
    while waiting:
        node = waiting.pop()
        found.append(node)
        if not _is_escaped_backquote(node):
            waiting.extend(reversed(node.children))
    return found


def _is_escaped_backquote(node: Node) -> bool:
    # One level of backslashes belongs to the back quotes, so the inner text is parsed again without
    # it.
    return (
        node.type == "command_substitution"
        and node.children[0].type == "`"
        and b"\\" in get_source(node)
    )


def get_source(node: Node) -> bytes:
    """Return the source of one part."""
    return node.text or b""


def list_words(node: Node, source: bytes, late: Iterable[Node]) -> list[list[Node]]:
    """Return the words of a simple command from its program on, each as its parts.

    `late` are words after a redirection.
    """
    return _from_program_on(_group_words([*_list_parts(node), *late], source), source)


def _list_parts(node: Node) -> list[Node]:
    """Return the parts of a simple command without its redirections."""
    return [child for child in node.children if child.type not in {*_REDIRECTS, "subshell"}]


def split_redirections(node: Node, source: bytes) -> tuple[Node, list[Node], list[Node]]:
    """Split a part with redirections: its command, the files it reads, arguments behind them."""
    inputs = filter(_is_input, node.children)
    files = [child.child_by_field_name("destination") for child in inputs]
    owner = _last_command(node) if node.type == "redirected_statement" else node
    late = list(_list_after_redirects(node, source))
    return owner, [file for file in files if file is not None], late


def _is_input(redirect: Node) -> bool:
    return redirect.type == "file_redirect" and any(
        child.type in {"<", "<>"} for child in redirect.children
    )


# -- where the grammar differs from bash -----------------------------------------------------------


def _quote_lost_dashes(source: bytes) -> bytes:
    """Return the line with each dash quoted that the grammar loses, as in `python - <<EOF`."""
    if b"<<" not in source:
        return source
    gaps = (
        (one.end_byte, other)
        for node in parse_nodes(source)
        for one, other in pairwise(node.children)
    )
    ends = [
        other.start_byte
        for end, other in gaps
        if other.type == "heredoc_redirect" and source[end : other.start_byte].strip() == b"-"
    ]
    for end in reversed(ends):
        dash = source.rindex(b"-", 0, end)
        source = source[:dash] + b"\\" + source[dash:]
    return source


def _may_hide_command(node: Node, source: bytes) -> bool:
    """Return whether bash may find a command where the grammar sees something else."""
    if not node.child_count:
        return _may_leaf_hide_command(node, source)
    if _is_escaped_backquote(node):
        return False
    gaps = [source[one.end_byte : other.start_byte] for one, other in pairwise(node.children)]
    match node.type:
        case "heredoc_body":
            return any(
                _has_unescaped(gap, _SUBSTITUTION)
                for gap in (source[node.start_byte : node.children[0].start_byte], *gaps)
            )
        case "concatenation" | "simple_expansion" | "translated_string" | "variable_assignment":
            # `>$ rm` is one expansion to the grammar, and a file named `$` and a program to bash.
            return any(gaps)
        case (
            "command"
            | "declaration_command"
            | "unset_command"
            | "redirected_statement"
            | "file_redirect"
        ):
            return not all(
                _is_blank(gap) and b"\n" not in gap.replace(b"\\\n", b"") for gap in gaps
            )
    return not all(_is_blank(gap) for gap in gaps)


def _may_leaf_hide_command(node: Node, source: bytes) -> bool:
    text = get_source(node)
    match node.type:
        case "comment":
            # The grammar also sees a comment in the middle of `x#;rm y`.
            return source[max(node.start_byte - 1, 0) : node.start_byte].strip(_WORD_ENDS) != b""
        case "heredoc_start":
            # `<<E;` and `<<'E'F`: the grammar stops too late, or too early.
            return (
                bool(set(text) & set(_OPERATORS))
                or source[node.end_byte : node.end_byte + 1].strip(_WORD_ENDS) != b""
            )
        case "raw_string" | "ansi_c_string":
            return False
        case "heredoc_body" | "heredoc_content" | "string_content":
            return _has_unescaped(text, _SUBSTITUTION) and not _is_verbatim(node)
        case "word" | "variable_name" | "special_variable_name":
            # The grammar joins a line that begins with a backslash to the line before.
            return _has_unescaped(text, rb"[ \t\n`]|[$<>]\(|\$\{")
        case "$":
            return source[node.end_byte : node.end_byte + 2] == b"\\\n"
    if node.is_named:
        return _has_unescaped(text, rb"[<>](?:\\\n)*\(|" + _SUBSTITUTION)
    # In a string, a sign includes the blanks before it; `-f<<` includes more.
    return text.lstrip(b" \t\n") != node.type.strip(" \t\n").encode()


def _is_blank(gap: bytes) -> bool:
    """Return whether a gap separates words in bash too; escaped newlines alone do not."""
    rest = gap.replace(b"\\\n", b"")
    # `r\` at the end of a line and `m` on the next are one word; the grammar takes `\ ` for a
    # blank.
    return not gap or (rest != b"" and not rest.strip(b" \t\n"))


def _has_unescaped(text: bytes, expression: bytes) -> bool:
    """Return whether the expression matches where no backslash takes away its meaning."""
    return re.search(rb"(?<!\\)(?:\\\\)*(?:" + expression + rb")", text) is not None


def _is_verbatim(node: Node) -> bool:
    # The shell does not expand a here-document whose delimiter is quoted.
    around = node.parent
    starts = (
        [get_source(child) for child in around.children if child.type == "heredoc_start"]
        if around
        else []
    )
    return any(mark in start for start in starts for mark in (b"'", b'"', b"\\"))


# -- commands and their words ----------------------------------------------------------------------


def _list_commands(nodes: Iterable[Node], source: bytes) -> Iterator[tuple[str, ...]]:
    late: dict[int, list[Node]] = {}
    for node in nodes:
        if node.type == "redirected_statement":
            owner = _last_command(node)
            late.setdefault(owner.id, []).extend(_list_after_redirects(node, source))
        if node.type == "test_command" and get_source(node).startswith(b"[["):
            continue
        if node.type in _SIMPLE or node.type == "test_command" or node.id in late:
            yield from _list_own_words(node, late.get(node.id, []), source)
        elif _is_escaped_backquote(node):
            yield from _read_backquotes(node)


def _last_command(statement: Node) -> Node:
    """Return the last command of `a && b` or `a | b`, which a redirection belongs to.

    The statement itself if there is none.
    """
    node = statement
    while node.type in {"redirected_statement", "list", "pipeline", "negated_command"}:
        inner = [
            child for child in node.named_children if child.type not in {*_REDIRECTS, "comment"}
        ]
        if not inner:
            return statement
        node = inner[-1]
    return node


def _list_after_redirects(node: Node, source: bytes) -> Iterator[Node]:
    """Yield arguments that the grammar takes for targets of a redirection: `git >log commit`."""
    for redirect in node.children:
        if redirect.type == "heredoc_redirect":
            yield from redirect.children_by_field_name("argument")
            yield from _list_after_redirects(redirect, source)
        elif redirect.type == "file_redirect":
            targets = redirect.children_by_field_name("destination")
            closing = any(child.type in {">&-", "<&-"} for child in redirect.children)
            words = _group_words(targets, source)
            yield from (part for word in words[0 if closing else 1 :] for part in word)


def _list_own_words(node: Node, late: Iterable[Node], source: bytes) -> Iterator[tuple[str, ...]]:
    """Yield the words of one simple command; nothing if it has only assignments and prefixes."""
    parts = _list_parts(node) if node.type in _SIMPLE else []
    if node.type == "test_command":
        parts = [node]
    words = _group_words([*parts, *late, *_list_after_redirects(node, source)], source)
    if node.type not in {"declaration_command", "test_command"}:
        words = _from_program_on(words, source)
    if words and _get_word_source(words[0], source) in _RESERVED:
        raise _UnreadableError
    if words:
        yield tuple(_resolve_word(word, source) for word in words)


def _group_words(parts: Iterable[Node], source: bytes) -> list[list[Node]]:
    """Group the parts by word: adjacent parts form one word."""
    words: list[list[Node]] = []
    for part in sorted(parts, key=lambda part: part.start_byte):
        if words and words[-1][-1].end_byte == part.start_byte:
            words[-1].append(part)
        else:
            words.append([part])
    return [word for word in words if not _names_descriptor(word, source)]


def _names_descriptor(word: list[Node], source: bytes) -> bool:
    # `{name}>file` lets bash choose a descriptor; to the grammar `{name}` is an argument.
    text = _get_word_source(word, source)
    end = word[-1].end_byte
    return (
        text[:1] == "{"
        and text[-1:] == "}"
        and _is_name(text[1:-1])
        and source[end : end + 1] in {b"<", b">"}
    )


def _from_program_on(words: list[list[Node]], source: bytes) -> list[list[Node]]:
    """Return the words without leading assignments, and without prefixes such as `time`."""
    for at, word in enumerate(words):
        text = _get_word_source(word, source)
        name, equals, _ = text.partition("=")
        assigned = word[0].type == "variable_assignment" or (
            equals and _is_name(name.removesuffix("+"))
        )
        if not assigned and text not in _PREFIXES:
            return words[at:]
    return []


def _is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier()


def _get_word_source(word: list[Node], source: bytes) -> str:
    return source[word[0].start_byte : word[-1].end_byte].decode("utf-8", "replace")


def _read_backquotes(node: Node) -> tuple[tuple[str, ...], ...]:
    quoted = node.parent is not None and node.parent.type == "string"
    inner = re.sub(rb'\\([$`\\"])' if quoted else rb"\\([$`\\])", rb"\1", get_source(node)[1:-1])
    found = parse_words(inner.decode("utf-8", "replace"))
    if found is None:
        raise _UnreadableError
    return found


# -- quoting ---------------------------------------------------------------------------------------


def _resolve_word(word: list[Node], source: bytes) -> str:
    """Return the word as its program would see it; its source where only the shell can tell."""
    pieces = [piece for part in word for piece in _list_pieces(part)]
    texts: list[bytes] = []
    for at, piece in enumerate(pieces):
        if get_source(piece) == b"$" and at + 1 < len(pieces) and pieces[at + 1].type == "string":
            continue  # `$"..."` is a string to be translated
        static = _get_static_text(piece)
        if static is None:
            return _get_word_source(word, source)
        texts.append(static)
    return b"".join(texts).decode("utf-8", "replace")


def _list_pieces(part: Node) -> Iterator[Node]:
    if part.type not in _JOINED:
        yield part
        return
    for child in part.children:
        yield from _list_pieces(child)


def _get_static_text(piece: Node) -> bytes | None:
    """Return the text of a piece without its quotes; None if it holds an expansion."""
    text = get_source(piece)
    match piece.type:
        case "raw_string":
            return text[1:-1]
        case "ansi_c_string":
            return _expand_ansi_c(text[2:-1])
        case "translated_string":
            return _get_static_text(piece.children[-1])
        case "string":
            plain = all(
                child.type == "string_content" or not child.is_named for child in piece.children
            )
            return re.sub(rb'\\(?:\n|([$`"\\]))', rb"\1", text[1:-1]) if plain else None
    return None if piece.child_count else re.sub(rb"\\(?:\n|(.))", rb"\1", text, flags=re.DOTALL)


_ANSI_C = (
    rb"\\(?:x\{(?P<braced>[0-9a-fA-F]{1,8})\}|x(?P<hex>[0-9a-fA-F]{1,2})|(?P<octal>[0-7]{1,3})"
    rb"|(?:u(?P<short>[0-9a-fA-F]{1,4})|U(?P<long>[0-9a-fA-F]{1,8}))|c(?P<control>.)|(?P<letter>.))"
)
_LETTERS = {
    b"a": b"\a",
    b"b": b"\b",
    b"e": b"\x1b",
    b"E": b"\x1b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
}


def _expand_ansi_c(text: bytes) -> bytes:
    """Return the text inside `$'...'`, which ends at the first zero byte."""
    return re.sub(_ANSI_C, _unescape, text, flags=re.DOTALL).partition(b"\0")[0]


def _unescape(found: Match[bytes]) -> bytes:
    kind = found.lastgroup
    digits = found[kind] if kind else b""
    match kind:
        case "braced" | "hex":
            return bytes((int(digits, 16) & 0xFF,))
        case "octal":
            return bytes((int(digits, 8) & 0xFF,))
        case "short" | "long":
            return chr(min(int(digits, 16), 0x10FFFF)).encode("utf-8", "replace")
        case "control":
            return bytes((0x7F if digits == b"?" else digits[0] & 0x1F,))
    return _LETTERS.get(digits, digits if digits in b"\\'\"?" else b"\\" + digits)
