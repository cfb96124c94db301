"""Evaluates the words of a shell text: quotes, escapes, braces, variables, substitutions."""

from __future__ import annotations

from typing import NamedTuple

import bracex

from hookline.text import lazy_re as re
from hookline.text.script.arithmetic import calculate
from hookline.text.script.reading import (
    MOST_WORDS,
    UNKNOWN,
    UNKNOWN_WORD,
    Word,
    join_words,
    replace_text,
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
_PARAMETER = re.compile(
    r"\$?\{?([#!]?)([A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[([^\]]*)\])?(.*?)\}?$", re.DOTALL
)
_WORD_OPERATOR = re.compile(r"(:?[-=+?])(.*)", re.DOTALL)
_SLICE = re.compile(r":\s*(-?\d{1,9})(?:\s*:\s*(-?\d{1,9}))?")
_TRIM = re.compile(r"(##?|%%?)(.*)", re.DOTALL)
_REPLACE = re.compile(r"/([/#%]?)((?:[^/\\]|\\.)+)/?(.*)", re.DOTALL)
_CASES = {"^^": str.upper, ",,": str.lower}
_GLOB = re.compile(r"[*?\[]")
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
    if (several := _read_all(node, shell)) is not None:
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


_EVERY = re.compile(
    r"\"?\$(?:@|\{@(:.*)?\}|\{([A-Za-z_]\w*)\[@\](:\s*\d+\s*(?::\s*\d+\s*)?)?\})\"?"
)


def _read_all(node: Node, shell: Shell) -> list[Word] | None:
    """Return the positions or elements that `"$@"` or `"${NAME[@]}"` is; None for another word."""
    if node.type == "command_name" and len(node.named_children) == 1:
        node = node.named_children[0]
    if node.type not in ("string", "expansion", "simple_expansion"):
        return None
    match = _EVERY.fullmatch(_text(node))
    if match is None:
        return None
    values = shell.list_values(match[2] or "@")
    cut = _SLICE.fullmatch((match[1] or match[3] or "").strip())
    if cut is None:
        return None if match[1] or match[3] else values
    if not match[2]:  # the first position has the number one
        values = [shell.program, *values]
    start = int(cut[1])
    return values[start : start + int(cut[2])] if cut[2] else values[start:]


def read_word(node: Node, shell: Shell) -> Word:
    """Return one word of the text as one, as in an assignment."""
    pieces = list(_read_pieces(node, shell))
    if pieces and not pieces[0].is_quoted:
        pieces[0] = pieces[0]._replace(word=_expand_tilde(pieces[0].word, shell))
    return join_words([piece.word for piece in pieces]) if pieces else Word("")


def read_quoted(text: str) -> str:
    """Return a text as between double quotes, without what is expanded there."""
    return _ESCAPED_IN_QUOTES.sub(_drop_escape, text)


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
        yield Piece(Word(_LITERALS[kind](_text(node))), is_quoted=True)
    elif kind in ("string", "translated_string"):
        yield Piece(join_words(list(_read_string(node, shell))), is_quoted=True)
    elif kind in ("simple_expansion", "expansion", "command_substitution"):
        if (node.text or b"")[:1].isspace():  # the grammar counts the blanks before it to it
            text = _text(node)
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
        text = _text(node)
        yield Piece(Word(_ESCAPED.sub(_drop_escape, text)), is_quoted="\\" in text)


def _run_arithmetic(node: Node, shell: Shell) -> Word:
    """Return the value of `$((...))`, with the numbers that variables of the text have."""
    text = _text(node)
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
    value = expand_parameter(_text(node), shell)
    for inner in node.named_children:  # `${x:-$(command)}` runs it
        for found in _find_commands(inner):
            value = join_words([value, shell.run_substitution(found)])
    return value


def _drop_escape(at: Match[str]) -> str:
    return "" if at[1] == "\n" else at[1]


def _read_string(node: Node, shell: Shell) -> Iterator[Word]:
    """Yield the parts of a text in double quotes; the grammar leaves out some blanks."""
    source, at = node.text or b"", node.start_byte
    end = node.end_byte - 1
    begin = at + source.find(b'"') + 1
    for child in node.named_children:
        if child.type in ("string_content", "string"):
            continue
        if child.start_byte > begin:
            yield Word(read_quoted(_decode(source[begin - at : child.start_byte - at])))
        for piece in _read_pieces(child, shell, is_quoted=True):
            yield piece.word
        begin = child.end_byte
    yield Word(read_quoted(_decode(source[begin - at : end - at])))


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


def _decode(source: bytes) -> str:
    return source.decode("utf-8", "replace")


def _text(node: Node) -> str:
    return _decode(node.text or b"")


# -- variables -----------------------------------------------------------------------------------


def expand_parameter(text: str, shell: Shell) -> Word:
    """Return the value of `$NAME`, or of `${NAME...}` with what it does to the value."""
    match = _PARAMETER.match(text.lstrip())
    if match is None:
        return UNKNOWN_WORD
    sign, name, index, rest = match.groups()
    if sign == "#":
        return UNKNOWN_WORD
    value = shell.get(name, index)
    if sign == "!" and value.is_known:
        value = shell.get(value.text, None)
    if not rest:
        return value
    if operator := _WORD_OPERATOR.match(rest):
        return _choose(name, value, operator[1], operator[2], shell)
    if not value.is_known:
        return value
    return value._replace(text=_change(value.text, rest))


def _choose(name: str, value: Word, operator: str, text: str, shell: Shell) -> Word:
    """Return the value of `${NAME:-text}` and its kin; a variable that may be unset is taken so."""
    other = shell.expand_text(text.strip("\"'"))
    is_set = shell.has(name)
    if operator[-1] == "?":
        return value
    if operator[-1] == "+":
        return other if is_set else Word("")
    if is_set and (value.text or operator[0] != ":"):
        return value
    if operator[-1] == "=":
        shell.set(name, other)
    return other._replace(names=tuple(dict.fromkeys((*value.names, *other.names))))


def _change(text: str, rest: str) -> str:
    """Return a value after a slice, a trim, a replacement or a change of case."""
    if match := _SLICE.fullmatch(rest):
        start = int(match[1])
        size = int(match[2]) if match[2] else None
        part = text[start:] if start >= 0 or -start <= len(text) else ""
        return part if size is None else part[:size]
    if rest in _CASES:
        return _CASES[rest](text)
    if rest in ("^", ","):
        return text[:1].upper() + text[1:] if rest == "^" else text[:1].lower() + text[1:]
    if match := _TRIM.fullmatch(rest):
        return _trim(text, match[1], match[2].strip("\"'"))
    if (match := _REPLACE.fullmatch(rest)) and not _GLOB.search(match[2]):
        old, new = match[2].strip("\"'"), match[3].strip("\"'")
        return replace_text(text, old, new, -1 if match[1] == "/" else 1)
    return text if rest.startswith("@") else UNKNOWN


def _trim(text: str, operator: str, pattern: str) -> str:
    if not _GLOB.search(pattern):
        return text.removeprefix(pattern) if operator[0] == "#" else text.removesuffix(pattern)
    mark = pattern.strip("*")
    if _GLOB.search(mark) or not mark:
        return UNKNOWN
    if operator[0] == "#" and pattern == f"*{mark}":
        return text.rpartition(mark)[2] if operator == "##" else text.partition(mark)[2] or text
    if operator[0] == "%" and pattern == f"{mark}*":
        before = text.partition(mark) if operator == "%%" else text.rpartition(mark)
        return before[0] if before[1] else text
    return UNKNOWN


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
