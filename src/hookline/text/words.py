"""Words: the simple commands of a shell text with the place of each word, and what a word is once its variables are filled in.

A text that is one command of plain words is read without the grammar, which costs 20 ms to load.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node


class Word:
    """A word at `start` up to `end` in the text's UTF-8 bytes; `value` is None where only the shell can tell."""

    __slots__ = ("end", "start", "value")

    def __init__(self, *, start: int, end: int, value: str | None) -> None:
        self.start = start
        self.end = end
        self.value = value


class Simple:
    """One simple command: a program and its arguments, without assignments and redirections."""

    __slots__ = ("words",)

    def __init__(self, *, words: tuple[Word, ...]) -> None:
        self.words = words


# Words that the shell itself answers to: no file is run for them.
BUILTINS = frozenset({
    "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "command", "compgen", "complete", "continue", "declare",
    "dirs", "disown", "do", "done", "echo", "elif", "else", "enable", "esac", "eval", "exec", "exit", "export", "false", "fc",
    "fg", "fi", "for", "function", "getopts", "hash", "help", "history", "if", "in", "jobs", "kill", "let", "local", "logout",
    "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "select", "set", "shift", "shopt",
    "suspend", "test", "then", "time", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "until",
    "wait", "while", "{", "}", "[", "[[", ":", "!", ".", "source",
})  # fmt: skip
_PIECE = re.compile(
    r"(?P<blank>[ \t\n]+)"
    r"|'(?P<raw>[^']*)'"
    r'|"(?P<quoted>(?:[^"\\`$]|\\["\\$`]|\$\{\w+\}|\$[A-Za-z_]\w*)*)"'
    r"|\$\{(?P<braced>[A-Za-z_]\w*)\}|\$(?P<bare>[A-Za-z_]\w*)"
    r"|(?P<plain>[\w@%+=:,./^-]+|~(?=/|[ \t\n]|$)|\\[^\n])",
    re.ASCII,
)
_IN_QUOTES = re.compile(r"\$\{(\w+)\}|\$([A-Za-z_]\w*)|\\([\"\\$`])", re.ASCII)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)
# A value of these characters is one word to a shell, quoted or not.
_ONE_WORD = re.compile(r"[\w@%+=:,./-]+")


def commands(text: str, variables: Mapping[str, str]) -> tuple[Simple, ...] | None:
    """The simple commands of a text for a POSIX shell, in their order; None where the text cannot be read for sure."""
    plain = _plain(text, variables)
    return plain if plain is not None else _grammatical(text, variables)


def _plain(text: str, variables: Mapping[str, str]) -> tuple[Simple, ...] | None:
    """One command of plain words; None where there may be more to it."""
    words: list[Word] = []
    begun, value = -1, ""
    at, last = len(text) - len(text.lstrip(" \t\n")), len(text.rstrip(" \t\n"))
    while at < last:
        found = _PIECE.match(text, at)
        if found is None or (found["blank"] is not None and "\n" in found["blank"]):
            return None  # what is on another line is another command
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
    # An assignment before the program, as `X=1 ./y`, is for the grammar.
    return (Simple(words=tuple(words)),) if words and not _ASSIGNMENT.match(text.lstrip()) else None


def _piece(found: re.Match[str], variables: Mapping[str, str], *, first: bool) -> str | None:
    """What one piece of a word comes to; None where it is not certain."""
    if found["raw"] is not None:
        return found["raw"]
    if found["quoted"] is not None:
        return _unquoted(found["quoted"], variables)
    if name := found["braced"] or found["bare"]:
        known = variables.get(name)
        return known if known is not None and _ONE_WORD.fullmatch(known) else None
    plain = found["plain"]
    if plain == "~":
        return variables.get("HOME") if first else plain
    return plain.removeprefix("\\")


def _unquoted(inner: str, variables: Mapping[str, str]) -> str | None:
    names = [each[1] or each[2] for each in _IN_QUOTES.finditer(inner) if each[1] or each[2]]
    if any(name not in variables for name in names):
        return None
    return _IN_QUOTES.sub(lambda each: each[3] or variables[each[1] or each[2]], inner)


def _word(text: str, start: int, end: int, value: str) -> Word:
    return Word(start=len(text[:start].encode()), end=len(text[:end].encode()), value=value)


# -- by the grammar ----------------------------------------------------------------------------------------------------


def _grammatical(text: str, variables: Mapping[str, str]) -> tuple[Simple, ...] | None:
    from hookline.text import shell  # noqa: PLC0415 - most hooks are one command of plain words

    if shell.simple_commands(text) is None or "<<" in text:
        return None
    source = text.encode("utf-8", "replace")
    nodes = shell.nodes(source)
    assigned = {shell.text_of(node).partition(b"=")[0].removesuffix(b"+").decode() for node in nodes if node.type == "variable_assignment"}
    loops = {shell.text_of(node.children[1]).decode() for node in nodes if node.type == "for_statement" and len(node.children) > 1}
    known = {name: value for name, value in variables.items() if name not in assigned | loops}
    return tuple(Simple(words=words) for node in nodes if node.type == "command" and (words := _words_of(node, source, known)))


def _words_of(node: Node, source: bytes, variables: Mapping[str, str]) -> tuple[Word, ...]:
    from hookline.text import shell  # noqa: PLC0415 - as above

    found = []
    for word in shell.command_words(node, source):
        start, end = word[0].start_byte, word[-1].end_byte
        read = _plain(source[start:end].decode("utf-8", "replace"), variables)
        one = read[0].words if read else ()
        found.append(Word(start=start, end=end, value=one[0].value if len(one) == 1 else None))
    return tuple(found)
