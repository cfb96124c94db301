"""What a shell line would run: its simple commands, at any depth, with the quoting taken off.

The grammar gives syntax only, and it reads some lines otherwise than bash does; where that could hide a command, the line
counts as unreadable. Programs that run their arguments (`sudo`, `xargs`, `bash -c`) are commands like any other here.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from re import Match

    from tree_sitter import Node, Parser

_METACHARACTERS = frozenset(b";&|()<>")
_SIMPLE = ("command", "declaration_command", "unset_command")
_JOINED = ("command_name", "concatenation")
_REDIRECTS = ("file_redirect", "heredoc_redirect", "herestring_redirect")
# Words of bash's own grammar that the other grammar takes for a program and its arguments.
_PREFIXES = frozenset(("time", "-p", "--", "coproc", "!"))
_RESERVED = frozenset(
    ("{", "}", "if", "then", "elif", "else", "fi", "for", "select", "while", "until", "do", "done", "case", "esac", "function", "[[")
)


def simple_commands(line: str) -> tuple[str, ...] | None:
    """The text of every simple command that a line would run, in their order; None if the line cannot be read for sure.

    A text has no redirections and no leading assignments; its words are joined by one blank, without quotes. A word with
    expansions keeps its source.
    """
    if "\0" in line:  # bash drops it, and joins what it parts
        return None
    source = line.encode("utf-8", "replace")
    root = _parser().parse(source).root_node
    if root.has_error:
        return None
    nodes = list(_below(root))
    if any(_hides(node, source) for node in nodes) or not all(_is_blank(gap) for gap in _between_leaves(nodes, source)):
        return None
    try:
        return tuple(_commands(nodes, source))
    except _UnreadableError:
        return None


class _UnreadableError(Exception):
    """A part of the line that the grammar cannot have understood."""


@lru_cache(maxsize=1)
def _parser() -> Parser:
    import tree_sitter_bash  # noqa: PLC0415 - only rules that look into commands need the grammar
    from tree_sitter import Language, Parser  # noqa: PLC0415 - as above

    return Parser(Language(tree_sitter_bash.language()))


def _below(root: Node) -> Iterator[Node]:
    # A stack of our own: a hostile line nests deeper than Python's.
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if not _is_escaped_backquote(node):
            waiting.extend(reversed(node.children))


def _is_escaped_backquote(node: Node) -> bool:
    # One level of backslashes belongs to the back quotes, so what they hold is read again without it.
    return node.type == "command_substitution" and _text(node).startswith(b"`") and b"\\" in _text(node)


def _text(node: Node) -> bytes:
    return node.text or b""


# -- what the grammar does not see ---------------------------------------------------------------------------------------


def _hides(node: Node, source: bytes) -> bool:
    """Whether bash may find a command in a part that is something else to the grammar."""
    match node.type:
        case "comment":
            # The grammar also sees one in the middle of `x#;rm y`.
            return source[: node.start_byte][-1:].strip(b" \t\n;&|()<>") != b""
        case "concatenation" | "simple_expansion" | "variable_assignment":
            # `>$ rm` is one expansion to the grammar, and a file named `$` and a program to bash.
            return any(_gaps(node.children, source))
        case "command" | "declaration_command" | "unset_command" | "redirected_statement" | "file_redirect":
            return any(b"\n" in gap.replace(b"\\\n", b"") for gap in _gaps(node.children, source))
        case "heredoc_start":
            return not _METACHARACTERS.isdisjoint(_text(node))
        case "word":
            # A line that begins with a backslash is glued to the line before.
            return _has_live(_text(node), rb"[ \t\n`]|[$<>]\(|\$\{")
        case "heredoc_body" | "heredoc_content" | "string_content":
            return not (node.child_count or _is_verbatim(node)) and _has_live(_text(node), rb"`|\$[({]")
        case "raw_string" | "ansi_c_string":
            return False
    return node.is_named and not node.child_count and _has_live(_text(node), rb"`|[$<>]\(|\$\{")


def _gaps(parts: Iterable[Node], source: bytes) -> Iterator[bytes]:
    return (source[one.end_byte : other.start_byte] for one, other in pairwise(parts))


def _between_leaves(nodes: Iterable[Node], source: bytes) -> Iterator[bytes]:
    leaves = [node for node in nodes if not node.child_count or _is_escaped_backquote(node)]
    # The line begins and ends like a word that stands between blanks.
    yield b" " + source[: leaves[0].start_byte]
    yield from _gaps(leaves, source)
    yield b" " + source[leaves[-1].end_byte :]


def _is_blank(gap: bytes) -> bool:
    """Whether a gap separates words in bash too: blanks and ends of lines, escaped ones never alone."""
    rest = gap.replace(b"\\\n", b"")
    # `r\` at the end of a line and `m` on the next are one word; the grammar takes `\ ` for a blank.
    return not gap or (rest != b"" and not rest.strip(b" \t\n"))


def _has_live(text: bytes, expression: bytes) -> bool:
    """Whether the expression matches where no backslash takes away its meaning."""
    import re  # noqa: PLC0415 - only rules that look into commands need it

    return re.search(rb"(?<!\\)(?:\\\\)*(?:" + expression + rb")", text) is not None


def _is_verbatim(node: Node) -> bool:
    # A here-document whose delimiter is quoted is never expanded.
    around = node.parent
    starts = [_text(child) for child in around.children if child.type == "heredoc_start"] if around else []
    return any(mark in start for start in starts for mark in (b"'", b'"', b"\\"))


# -- commands and their words ----------------------------------------------------------------------------------------------


def _commands(nodes: Iterable[Node], source: bytes) -> Iterator[str]:
    late: dict[int, list[Node]] = {}
    for node in nodes:
        if node.type == "redirected_statement":
            owner = _last_command(node)
            late.setdefault(owner.id, []).extend(_after_redirects(node))
        if node.type == "test_command" and _text(node).startswith(b"[["):
            continue
        if node.type in _SIMPLE or node.type == "test_command" or node.id in late:
            yield from _command(node, late.get(node.id, []), source)
        elif _is_escaped_backquote(node):
            yield from _inside_backquotes(node)


def _last_command(statement: Node) -> Node:
    """The command that a redirection after `a && b` or `a | b` belongs to: the last; itself where there is none."""
    node = statement
    while node.type in {"redirected_statement", "list", "pipeline", "negated_command"}:
        inner = [child for child in node.named_children if child.type not in {*_REDIRECTS, "comment"}]
        if not inner:
            return statement
        node = inner[-1]
    return node


def _after_redirects(node: Node) -> Iterator[Node]:
    """The arguments that the grammar takes for further targets of a redirection: `git >log commit`."""
    for redirect in node.children:
        if redirect.type == "heredoc_redirect":
            yield from redirect.children_by_field_name("argument")
            yield from _after_redirects(redirect)
        elif redirect.type == "file_redirect":
            targets = redirect.children_by_field_name("destination")
            closing = any(child.type in {">&-", "<&-"} for child in redirect.children)
            yield from targets if closing else targets[1:]


def _command(node: Node, late: Iterable[Node], source: bytes) -> Iterator[str]:
    own = [node] if node.type == "test_command" else [child for child in node.children if child.type not in {*_REDIRECTS, "subshell"}]
    words = _words([*own, *late, *_after_redirects(node)], source)
    if node.type == "command":
        words = _without_assignments(words)
    while words and _source(words[0], source) in _PREFIXES:
        words = _without_assignments(words[1:])
    if words and _source(words[0], source) in _RESERVED:
        raise _UnreadableError
    if words:
        yield " ".join(_resolved(word, source) for word in words)


def _words(parts: Iterable[Node], source: bytes) -> list[list[Node]]:
    """The parts by word: what touches is one word."""
    words: list[list[Node]] = []
    for part in sorted(parts, key=lambda part: part.start_byte):
        if words and words[-1][-1].end_byte == part.start_byte:
            words[-1].append(part)
        else:
            words.append([part])
    return [word for word in words if not _names_descriptor(word, source)]


def _names_descriptor(word: list[Node], source: bytes) -> bool:
    # `{name}>file` lets bash choose a descriptor; to the grammar `{name}` is an argument.
    text = _source(word, source)
    end = word[-1].end_byte
    return text[:1] == "{" and text[-1:] == "}" and text[1:-1].isidentifier() and source[end : end + 1] in {b"<", b">"}


def _without_assignments(words: list[list[Node]]) -> list[list[Node]]:
    for at, word in enumerate(words):
        if word[0].type != "variable_assignment" and not _looks_assigned(word[0]):
            return words[at:]
    return []


def _looks_assigned(part: Node) -> bool:
    name, equals, _ = _text(part).partition(b"=")
    return bool(equals) and name.removesuffix(b"+").decode("utf-8", "replace").isidentifier()


def _source(word: list[Node], source: bytes) -> str:
    return source[word[0].start_byte : word[-1].end_byte].decode("utf-8", "replace")


def _inside_backquotes(node: Node) -> tuple[str, ...]:
    import re  # noqa: PLC0415 - only rules that look into commands need it

    quoted = node.parent is not None and node.parent.type == "string"
    inner = re.sub(rb'\\([$`\\"])' if quoted else rb"\\([$`\\])", rb"\1", _text(node)[1:-1])
    found = simple_commands(inner.decode("utf-8", "replace"))
    if found is None:
        raise _UnreadableError
    return found


# -- quoting ---------------------------------------------------------------------------------------------------------------


def _resolved(word: list[Node], source: bytes) -> str:
    """The word as its program would see it; its source where only the shell can tell."""
    pieces = [piece for part in word for piece in _pieces(part)]
    texts: list[bytes] = []
    for at, piece in enumerate(pieces):
        if _text(piece) == b"$" and at + 1 < len(pieces) and pieces[at + 1].type == "string":
            continue  # `$"..."` is a string to be translated
        static = _static(piece)
        if static is None:
            return _source(word, source)
        texts.append(static)
    return b"".join(texts).decode("utf-8", "replace")


def _pieces(part: Node) -> Iterator[Node]:
    if part.type not in _JOINED:
        yield part
        return
    for child in part.children:
        yield from _pieces(child)


def _static(piece: Node) -> bytes | None:
    """The text of a piece without its quotes; None if it holds an expansion."""
    import re  # noqa: PLC0415 - only rules that look into commands need it

    text = _text(piece)
    match piece.type:
        case "raw_string":
            return text[1:-1]
        case "ansi_c_string":
            return _ansi_c(text[2:-1])
        case "translated_string":
            return _static(piece.children[-1])
        case "string":
            plain = all(child.type == "string_content" or not child.is_named for child in piece.children)
            return re.sub(rb'\\(?:\n|([$`"\\]))', rb"\1", text[1:-1]) if plain else None
    return None if piece.child_count else re.sub(rb"\\(?:\n|(.))", rb"\1", text, flags=re.DOTALL)


_ANSI_C = (
    rb"\\(?:x\{(?P<braced>[0-9a-fA-F]{1,8})\}|x(?P<hex>[0-9a-fA-F]{1,2})|(?P<octal>[0-7]{1,3})"
    rb"|(?:u(?P<short>[0-9a-fA-F]{1,4})|U(?P<long>[0-9a-fA-F]{1,8}))|c(?P<control>.)|(?P<letter>.))"
)
_LETTERS = {b"a": b"\a", b"b": b"\b", b"e": b"\x1b", b"E": b"\x1b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def _ansi_c(text: bytes) -> bytes:
    """The text inside `$'...'`, which ends at the first zero byte."""
    import re  # noqa: PLC0415 - only rules that look into commands need it

    return re.sub(_ANSI_C, _unescaped, text, flags=re.DOTALL).partition(b"\0")[0]


def _unescaped(found: Match[bytes]) -> bytes:
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
