"""Evaluates the words of a shell text: quotes, escapes, braces, blanks, substitutions."""

from __future__ import annotations

from typing import NamedTuple

import bracex

from hookline.text import lazy_re as re
from hookline.text.script.arithmetic import calculate
from hookline.text.script.nodes import get_text
from hookline.text.script.parameters import expand_parameter, expand_several
from hookline.text.script.reading import (
    MOST_WORDS,
    UNKNOWN,
    UNKNOWN_WORD,
    Word,
    join_words,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from re import Match

    from tree_sitter import Node

    from hookline.text.script.state import Shell

_MOST_BRACES, _LONGEST_BRACES = 64, 2048
_MOST_PIECES = 2048  # of a word
_LONGEST_SUM = 64  # characters of an expression that is calculated
_SUMMAND = re.compile(r"(?<![\w#])\$?\{?([A-Za-z_]\w*)\}?")
_NO_NUMBER = re.compile(r"""['";]""")  # in arithmetic
_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_ESCAPED_IN_QUOTES = re.compile(r'\\([$`"\\\n])')
_ANSI = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c(.)|(.))",
    re.DOTALL,
)
_ANSI_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b",
                 "f": "\f", "v": "\v"}  # fmt: skip
_TO_QUOTE = re.compile(r"([\\{},])")
_SHELL_BLANKS = re.compile(r"[ \t\n]+")


class Piece(NamedTuple):
    """A part of a word. `is_quoted`: no braces or tilde count in it; `splits`: its blanks do."""

    word: Word
    is_quoted: bool = False
    splits: bool = False


def append_fields(words: list[Word], node: Node, shell: Shell) -> None:
    """Append the words that one word of the text becomes.

    The grammar takes `@<(command)` for two words; here they are one.
    """
    more = read_fields(node, shell)
    before = node.prev_sibling
    is_glued = before is not None and before.end_byte == node.start_byte
    if is_glued and node.type == "process_substitution" and words and more:
        words[-1:] = [join_words([words[-1], more[0]])]
    else:
        words += more


def read_fields(node: Node, shell: Shell) -> list[Word]:
    """Return the words that one word of the text becomes."""
    shell.budget.check()
    if (several := _read_several(node, shell)) is not None:
        return several
    pieces = list(_read_pieces(node, shell))
    if len(pieces) == 1 and not pieces[0].splits and "{" not in pieces[0].word.text:
        piece = pieces[0]
        return [piece.word if piece.is_quoted else _expand_tilde(piece.word, shell)]
    if pieces and not pieces[0].is_quoted:
        pieces[0] = pieces[0]._replace(word=_expand_tilde(pieces[0].word, shell))
    fields: list[Word] = []
    marks: list[str] = []
    is_open = False  # whether the next part belongs to the last field
    for piece in pieces:
        text = piece.word.text
        marks.append(_TO_QUOTE.sub(r"\\\1", text) if piece.is_quoted
                     else text.replace("\\", "\\\\"))  # fmt: skip
        parts = _split_blanks(piece.word, shell.separators) if piece.splits else [piece.word]
        is_open = is_open and not (piece.splits and text[:1] in shell.separators and text)
        if parts and is_open:
            fields[-1] = join_words([fields[-1], parts[0]])
            parts = parts[1:]
        fields += parts
        is_open = bool(fields) and not (piece.splits and text and text[-1] in shell.separators)
    if not pieces:
        return [Word("")]
    if len(fields) == 1 and any("{" in each.word.text and not each.is_quoted for each in pieces):
        return _expand_braces(fields[0], "".join(marks))
    return fields


def _read_several(node: Node, shell: Shell) -> list[Word] | None:
    """Return the words that `"$@"` or `"${NAME[@]}"` is; None for another word."""
    if node.type == "command_name" and len(node.named_children) == 1:
        node = node.named_children[0]
    if node.type not in ("string", "expansion", "simple_expansion"):
        return None
    return expand_several(get_text(node), shell)


def read_word(node: Node, shell: Shell) -> Word:
    """Return one word of the text as one, as in an assignment."""
    pieces = list(_read_pieces(node, shell))
    if pieces and not pieces[0].is_quoted:
        pieces[0] = pieces[0]._replace(word=_expand_tilde(pieces[0].word, shell))
    return join_words([piece.word for piece in pieces]) if pieces else Word("")


def _expand_tilde(word: Word, shell: Shell) -> Word:
    if not word.text.startswith("~"):
        return word
    name, slash, rest = word.text[1:].partition("/")
    if name == "+":
        folder = shell.cwd or UNKNOWN
    elif not name:
        folder = shell.home
    else:
        folder = f"/home/{name}" if name.isidentifier() and name != "root" else f"~{name}"
        folder = "/root" if name == "root" else folder
    return word._replace(text=f"{folder}{slash}{rest}")


def _split_blanks(word: Word, separators: str) -> list[Word]:
    if separators == " \t\n":
        parts = _SHELL_BLANKS.split(word.text)
    else:
        parts = re.split(f"[{re.escape(separators)}]+", word.text) if separators else [word.text]
    return [word._replace(text=part) for part in parts if part]


def _expand_braces(word: Word, pattern: str) -> list[Word]:
    if len(pattern) > _LONGEST_BRACES:
        return [word._replace(text=UNKNOWN)]
    try:
        texts = bracex.expand(pattern, limit=_MOST_BRACES)
    except (bracex.ExpansionLimitException, ValueError):
        return [word._replace(text=UNKNOWN)]
    return [word._replace(text=text) for text in texts if text]


# -- the parts of a word -------------------------------------------------------------------------


def _read_pieces(node: Node, shell: Shell, *, is_quoted: bool = False) -> Iterator[Piece]:
    kind = node.type
    if kind in _LITERALS:
        yield Piece(Word(_LITERALS[kind](get_text(node))), is_quoted=True)
    elif kind in ("string", "translated_string"):
        yield Piece(join_words(list(_read_string(node, shell))), is_quoted=True)
    elif kind in ("simple_expansion", "expansion", "command_substitution"):
        if (node.text or b"")[:1].isspace():  # the grammar counts the blanks before it to it
            text = get_text(node)
            yield Piece(Word(text[: len(text) - len(text.lstrip())]), is_quoted=True)
        yield Piece(_read_expansion(node, shell), is_quoted=is_quoted, splits=not is_quoted)
    elif kind == "process_substitution":
        yield Piece(shell.run_process(node), is_quoted=True)
    elif kind == "arithmetic_expansion":
        yield Piece(_run_arithmetic(node, shell), is_quoted=True)
    elif kind == "concatenation" or (kind == "command_name" and node.named_child_count):
        for child in node.children[:_MOST_PIECES]:
            shell.budget.check()
            yield from _read_pieces(child, shell)
        if node.child_count > _MOST_PIECES:
            shell.unverified.append(f"a word of more than {_MOST_PIECES} parts")
            yield Piece(UNKNOWN_WORD, is_quoted=True)
    else:
        text = get_text(node)
        yield Piece(Word(_ESCAPED.sub(_drop_escape, text)), is_quoted="\\" in text)


def _run_arithmetic(node: Node, shell: Shell) -> Word:
    """Return the value of `$((...))`, with the numbers that variables of the text have."""
    text = get_text(node)
    if _NO_NUMBER.search(text):
        shell.unverified.append("brackets that are arithmetic, or a substitution")
    commands = list(_find_commands(node))
    for found in commands:
        shell.run_substitution(found)
    plain = text.removeprefix("$((").removesuffix("))")
    if commands or len(plain) > _LONGEST_SUM:
        return UNKNOWN_WORD
    value = calculate(_SUMMAND.sub(lambda at: shell.get(at[1], None).text, plain))
    return UNKNOWN_WORD if value is None else Word(str(value))


def _read_expansion(node: Node, shell: Shell) -> Word:
    """Return the value of a variable or of a command's output."""
    if node.type == "command_substitution":
        return shell.run_substitution(node)
    value = expand_parameter(get_text(node), shell)
    for inner in node.named_children:  # `${x:-$(command)}` runs it
        for found in _find_commands(inner):
            value = join_words([value, shell.run_substitution(found)])
    return value


def _drop_escape(at: Match[str]) -> str:
    return "" if at[1] == "\n" else at[1]


def _read_string(node: Node, shell: Shell) -> Iterator[Word]:
    """Yield the parts of a text in double quotes; the grammar leaves out some blanks."""
    source, start = node.text or b"", node.start_byte
    at = source.find(b'"') + 1
    for child in node.named_children:
        if child.type in ("string_content", "string"):
            continue
        if child.start_byte - start > at:
            yield _read_quoted(source[at : child.start_byte - start])
        for piece in _read_pieces(child, shell, is_quoted=True):
            yield piece.word
        at = child.end_byte - start
    yield _read_quoted(source[at:-1])


def _read_quoted(source: bytes) -> Word:
    """Return a text as between double quotes, without what is expanded there."""
    text = source.decode("utf-8", "replace")
    return Word(_ESCAPED_IN_QUOTES.sub(_drop_escape, text))


def _find_commands(node: Node) -> Iterator[Node]:
    if node.type == "command_substitution":
        yield node
        return
    for child in node.named_children:
        yield from _find_commands(child)


def _unescape_ansi(at: Match[str]) -> str:
    hexadecimal, octal, short, long, control, letter = at.groups()
    if code := hexadecimal or short or long:
        return chr(min(int(code, 16), 0x10FFFF))
    if octal:
        return chr(int(octal, 8) & 0xFF)
    if control:
        return chr(ord(control) & 0x1F)
    return _ANSI_LETTERS.get(letter, letter)


_LITERALS: dict[str, Callable[[str], str]] = {
    "raw_string": lambda text: text[1:-1],
    "ansi_c_string": lambda text: _ANSI.sub(_unescape_ansi, text[2:-1]),
}


def expand_lexed(words: Sequence[str], shell: Shell) -> list[Word]:
    """Return words of the lexer, with braces and the home folder as the shell would have them."""
    found: list[Word] = []
    for text in words[: MOST_WORDS + 1]:
        if text.startswith("{") and text.endswith("}") and "," in text:
            parts = [each for each in text[1:-1].split(",") if each]
            found += [shell.expand_text(each) if each[0] == "$" else Word(each) for each in parts]
        elif text == "~" or text.startswith("~/"):
            found.append(Word(shell.home + text[1:]))
        else:
            found.append(shell.expand_text(text) if "$" in text and '"' not in text else Word(text))
    return found
