"""The simple commands of a shell text: each word's place, and its value with variables expanded.

A single command of plain words is read without the grammar, which takes 20 ms to load.
"""

from __future__ import annotations

import re

from hookline.text import shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tree_sitter import Node


class Word:
    """A word from `start` to `end`, counted in UTF-8 bytes.

    `value` is None where only the shell can tell.
    """

    __slots__ = ("end", "start", "value")

    def __init__(self, *, start: int, end: int, value: str | None) -> None:
        self.start = start
        self.end = end
        self.value = value


class SimpleCommand:
    """One simple command: a program and its arguments, without assignments and redirections.

    `reads`: the files that its redirections read. `sets`: what it assigns, by name; None where only
    the shell can tell. A command with either may have no words. `apart`: a redirection stands
    between its words.
    """

    __slots__ = ("apart", "reads", "sets", "words")

    def __init__(
        self,
        *,
        words: tuple[Word, ...] = (),
        reads: tuple[Word, ...] = (),
        sets: tuple[tuple[str, str | None], ...] = (),
        apart: bool = False,
    ) -> None:
        self.words = words
        self.reads = reads
        self.sets = sets
        self.apart = apart


# Commands of the shell itself: they start no file.
BUILTINS = frozenset({
    "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "command", "compgen",
    "complete", "continue", "declare", "dirs", "disown", "do", "done", "echo", "elif", "else",
    "enable", "esac", "eval", "exec", "exit", "export", "false", "fc", "fg", "fi", "for",
    "function", "getopts", "hash", "help", "history", "if", "in", "jobs", "kill", "let", "local",
    "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly",
    "return", "select", "set", "shift", "shopt", "suspend", "test", "then", "time", "times", "trap",
    "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "until", "wait", "while", "{",
    "}", "[", "[[", ":", "!", ".", "source",
})  # fmt: skip
# Texts, so that `re` compiles them only when the first hook needs one.
_PIECE = (
    r"(?a)(?P<blank>[ \t\n]+)"
    r"|'(?P<raw>[^']*)'"
    r'|"(?P<quoted>(?:[^"\\`$]|\\["\\$`]|\$\{\w+\}|\$[A-Za-z_]\w*)*)"'
    r"|\$\{(?P<braced>[A-Za-z_]\w*)\}|\$(?P<bare>[A-Za-z_]\w*)"
    r"|(?P<plain>[\w@%+=:,./^-]+|~(?=/|[ \t\n]|$)|\\[^\n]|\{\})"
)
_IN_QUOTES = r"(?a)\$\{(\w+)\}|\$([A-Za-z_]\w*)|\\([\"\\$`])"
_ASSIGNMENT = r"(?a)[A-Za-z_]\w*\+?="
# A value of these characters is one word to a shell, quoted or not.
_ONE_WORD = r"[\w@%+=:,./-]+"
# Characters that mean themselves to a shell, and the blanks between words.
_BARE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./^- \t"


def parse_commands(text: str, variables: Mapping[str, str]) -> tuple[SimpleCommand, ...] | None:
    """Return the simple commands of a POSIX shell text, in order.

    None if the text cannot be read reliably.
    """
    plain = _plain(text, variables)
    return plain if plain is not None else _grammatical(text, variables)


def _plain(text: str, variables: Mapping[str, str]) -> tuple[SimpleCommand, ...] | None:
    """Return one command of plain words; None if there may be more to it."""
    words = _plain_words(text, variables)
    # The grammar handles an assignment before the program, as in `X=1 ./y`.
    return (
        (SimpleCommand(words=tuple(words)),)
        if words and not ("=" in text and re.match(_ASSIGNMENT, text.lstrip()))
        else None
    )


def _plain_words(text: str, variables: Mapping[str, str]) -> list[Word] | None:
    if not text.strip(_BARE):
        return list(_bare_words(text))
    words: list[Word] = []
    begun, value = -1, ""
    piece_at = re.compile(_PIECE).match
    at, last = len(text) - len(text.lstrip(" \t\n")), len(text.rstrip(" \t\n"))
    while at < last:
        found = piece_at(text, at)
        if found is None or (found["blank"] is not None and "\n" in found["blank"]):
            return None  # the next line is another command
        if found["blank"] is not None:
            if begun >= 0:
                words.append(_word(text, begun, at, value))
            begun, value = -1, ""
        else:
            piece = _piece(found, variables, first=begun < 0)
            if piece is None:
                return None
            begun, value = at if begun < 0 else begun, value + piece
        at = found.end()
    if begun >= 0:
        words.append(_word(text, begun, at, value))
    return words


def _bare_words(text: str) -> Iterator[Word]:
    """Yield the words of a text in which each character means itself, as in most hooks.

    This needs no expression.
    """
    at = 0
    for value in text.split():
        at = text.index(value, at)
        yield _word(text, at, at + len(value), value)
        at += len(value)


def _piece(found: re.Match[str], variables: Mapping[str, str], *, first: bool) -> str | None:
    """Return the value of one piece of a word; None if it is not certain."""
    if found["raw"] is not None:
        return found["raw"]
    if found["quoted"] is not None:
        return _unquoted(found["quoted"], variables)
    if name := found["braced"] or found["bare"]:
        known = variables.get(name)
        return known if known is not None and re.fullmatch(_ONE_WORD, known) else None
    plain = found["plain"]
    if plain == "~":
        return variables.get("HOME") if first else plain
    return plain.removeprefix("\\")


def _unquoted(inner: str, variables: Mapping[str, str]) -> str | None:
    names = [each[1] or each[2] for each in re.finditer(_IN_QUOTES, inner) if each[1] or each[2]]
    if any(name not in variables for name in names):
        return None
    return re.sub(_IN_QUOTES, lambda each: each[3] or variables[each[1] or each[2]], inner)


def _word(text: str, start: int, end: int, value: str) -> Word:
    return Word(start=len(text[:start].encode()), end=len(text[:end].encode()), value=value)


# -- by the grammar --------------------------------------------------------------------------------


def _grammatical(text: str, variables: Mapping[str, str]) -> tuple[SimpleCommand, ...] | None:

    if shell.parse_simple_commands(text) is None or "<<" in text:
        return None
    source = text.encode("utf-8", "replace")
    nodes = shell.parse_nodes(source)
    assigned = {_name_of(node) for node in nodes if node.type == "variable_assignment"}
    loops = {
        shell.node_text(node.children[1]).decode()
        for node in nodes
        if node.type == "for_statement" and len(node.children) > 1
    }
    known = {name: value for name, value in variables.items() if name not in assigned | loops}
    reads, late = _redirections(nodes, source)
    return tuple(_simples(nodes, source, known, variables, reads, late))


def _redirections(
    nodes: list[Node], source: bytes
) -> tuple[dict[int, list[Node]], dict[int, list[Node]]]:
    """Return, by command, the files that redirections read, and the arguments behind them."""
    reads: dict[int, list[Node]] = {}
    late: dict[int, list[Node]] = {}
    for node in nodes:
        if node.type in {"redirected_statement", "command"}:
            owner, read, behind = shell.split_redirections(node, source)
            reads.setdefault(owner.id, []).extend(read)
            late.setdefault(owner.id, []).extend(behind)
    return reads, late


def _simples(
    nodes: list[Node],
    source: bytes,
    known: Mapping[str, str],
    variables: Mapping[str, str],
    reads: Mapping[int, list[Node]],
    late: Mapping[int, list[Node]],
) -> Iterator[SimpleCommand]:

    for node in nodes:
        read = tuple(
            _read(each.start_byte, each.end_byte, source, known) for each in reads.get(node.id, ())
        )
        if node.type == "command":
            behind = late.get(node.id, [])
            words = tuple(
                _read(word[0].start_byte, word[-1].end_byte, source, known)
                for word in shell.command_words(node, source, behind)
            )
            sets = tuple(
                _set(each, source, variables)
                for each in node.children
                if each.type == "variable_assignment"
            )
            yield SimpleCommand(words=words, reads=read, sets=sets, apart=bool(behind))
        elif node.type == "variable_assignment" and (
            node.parent is None or node.parent.type != "command"
        ):
            yield SimpleCommand(sets=(_set(node, source, variables),))
        elif read:
            yield SimpleCommand(reads=read)


def _read(start: int, end: int, source: bytes, variables: Mapping[str, str]) -> Word:
    """Return the word between two places, with its value if it is one certain word."""
    one = _plain_words(source[start:end].decode("utf-8", "replace"), variables) or ()
    return Word(start=start, end=end, value=one[0].value if len(one) == 1 else None)


def _set(node: Node, source: bytes, variables: Mapping[str, str]) -> tuple[str, str | None]:
    value = node.child_by_field_name("value")
    return _name_of(node), "" if value is None else _read(
        value.start_byte, value.end_byte, source, variables
    ).value


def _name_of(node: Node) -> str:

    return shell.node_text(node).partition(b"=")[0].removesuffix(b"+").decode("utf-8", "replace")
