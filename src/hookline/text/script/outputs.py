"""What simple programs print, where that follows from their words and their input alone."""

from __future__ import annotations

import base64
import binascii
import bz2
import lzma
import posixpath
import zlib
from typing import TYPE_CHECKING, Protocol

from hookline.text import lazy_re as re
from hookline.text.script.arithmetic import calculate
from hookline.text.script.find_arguments import find_pattern, is_narrow, list_roots
from hookline.text.script.reading import MOST_BYTES, Word, join_words, replace_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    class _Decompressor(Protocol):
        def decompress(self, data: bytes, limit: int, /) -> bytes: ...


_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|([abefnrtv\\]))")
_LETTERS = dict(zip("abefnrtv\\", "\a\b\x1b\f\n\r\t\v\\", strict=True))
_FORMAT = re.compile(r"%([-+ 0#]*\d{0,2}(?:\.\d{1,2})?)([sbcdiouxXq%])")
_DECODES = frozenset(("-d", "-D", "--decode", "-di", "-id"))
_RANGES = {"a-z": "abcdefghijklmnopqrstuvwxyz", "A-Z": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
           "0-9": "0123456789", "[:lower:]": "abcdefghijklmnopqrstuvwxyz",
           "[:upper:]": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}  # fmt: skip
_HALF = re.compile(r"([a-zA-Z0-9])-([a-zA-Z0-9])")


def find_output(
    program: str,
    words: Sequence[Word],
    stdin: Word | None,
    files: Mapping[str, Word],
    cwd: str = "",
) -> Word | None:
    """Return what a program prints; None if that is not known.

    `words` are those after the program. `files`: what the text wrote to files before. `cwd`: the
    folder that it runs in; empty if that is unknown.
    """
    texts = [word.text for word in words]
    if program in _LISTERS:
        return _LISTERS[program](words, cwd)
    if program == "echo":
        options = [text for text in texts[:1] if re.fullmatch("-[neE]+", text)]
        output = join_words(list(words[len(options) :]), " ") if words[len(options) :] else Word("")
        is_escaped = any("e" in text for text in options)
        end = "" if any("n" in text for text in options) else "\n"
        return output._replace(text=(_unescape(output.text) if is_escaped else output.text) + end)
    if program == "printf":
        return _print_format(words)
    if program in ("cat", "tac", "head", "tail", "tee") or (program == "dd" and not texts):
        return _find_input(words, stdin, files)
    given = _find_input(words, stdin, files)
    if given is None or not given.is_known:
        return None
    text = _transform(program, texts, given.text)
    return None if text is None else given._replace(text=text)


def _print_folder(_words: Sequence[Word], cwd: str) -> Word | None:
    return Word(f"{cwd}\n") if cwd else None


def _print_names(words: Sequence[Word], cwd: str) -> Word | None:
    """Return the listing of a folder as a glob for all that is in it, and files as they are."""
    operands = [word for word in words if not word.text.startswith("-")]
    if not operands:
        return Word("*\n") if cwd else None
    shows_paths = any("d" in word.text for word in words if word.text.startswith("-"))
    shows_paths = shows_paths or len(operands) > 1 or bool(_FILE.search(operands[0].text))
    return join_words(operands, "\n") if shows_paths else Word("*\n")


# A path that is a glob, or has the name of a file: an extension, or that of a key or a setting.
_FILE = re.compile(r"[*?\[]|[^/]\.\w+$|(?:^|/)(?:id_\w+|\.(?:env|netrc|pgpass|\w+rc))$")


def _print_found(words: Sequence[Word], _cwd: str) -> Word | None:
    """Return the folders that a search begins with, for all that it finds there."""
    texts = [word.text for word in words]
    roots = list_roots(words)
    if is_narrow(texts):
        roots = [
            root._replace(text=f"{root.text.rstrip('/')}/{find_pattern(texts)}") for root in roots
        ]
    return join_words(roots, "\n")


def _print_path(words: Sequence[Word], cwd: str) -> Word | None:
    """Return the path that `realpath` or `readlink -f` prints, if no link is on the way."""
    operands = [word for word in words if not word.text.startswith("-")]
    if len(operands) != 1 or not operands[0].is_known or not cwd:
        return None
    path = operands[0].text
    whole = path if path.startswith("/") else f"{cwd}/{path}"
    return operands[0]._replace(text=f"{posixpath.normpath(whole)}\n")


def _print_parent(words: Sequence[Word], _cwd: str) -> Word | None:
    operands = [word for word in words if not word.text.startswith("-")]
    if len(operands) != 1 or not operands[0].is_known:
        return None
    return operands[0]._replace(text=f"{posixpath.dirname(operands[0].text.rstrip('/')) or '.'}\n")


def _print_name(words: Sequence[Word], _cwd: str) -> Word | None:
    """Return the program that `which` finds, by its name."""
    operands = [word for word in words if not word.text.startswith("-")]
    return operands[0]._replace(text=f"{operands[0].text}\n") if operands else None


def _print_base(words: Sequence[Word], _cwd: str) -> Word | None:
    """Return the name of a path, without a suffix if one is given."""
    match [word for word in words if word.is_known and not word.text.startswith("-")]:
        case [path]:
            return path._replace(text=f"{posixpath.basename(path.text.rstrip('/'))}\n")
        case [path, suffix]:
            name = posixpath.basename(path.text.rstrip("/"))
            return path._replace(text=f"{name.removesuffix(suffix.text)}\n")
        case _:
            return None


def _print_of_git(words: Sequence[Word], cwd: str) -> Word | None:
    """Return the folder of the repository, in which the working folder is; or all of its files."""
    texts = [word.text for word in words]
    if texts == ["rev-parse", "--show-toplevel"]:
        return Word(f"{cwd}\n") if cwd else None
    if texts[:1] == ["ls-files"] and _SHOWS_ALL.issuperset(texts[1:]):
        return Word("*\n")
    if texts[:1] == ["ls-tree"] and {"-r", "--name-only"}.issubset(texts) and len(texts) == _WHOLE:
        return Word("*\n")
    return None


_SHOWS_ALL = frozenset(
    ("-z", "-c", "--cached", ".", "--", ":/", "--full-name", "--recurse-submodules")
)
_WHOLE = 4  # words of `ls-tree -r --name-only HEAD`


def _print_account(words: Sequence[Word], _cwd: str) -> Word | None:
    """Return the usual entry of an account, as `getent passwd NAME` prints it."""
    match [word.text for word in words]:
        case ["passwd", name] if name.isidentifier():
            home = "/root" if name == "root" else f"/home/{name}"
            return Word(f"{name}:x:1000:1000::{home}:/bin/sh\n")
        case _:
            return None


def _print_processes(words: Sequence[Word], _cwd: str) -> Word | None:
    """Return `-1`, which stands for every process, where all of them are listed."""
    texts = [word.text for word in words]
    operands = [text for text in texts if not text.startswith("-")]
    is_all = any(_EVERY_PROCESS.fullmatch(text) for text in texts)
    narrows = any(text.startswith(("-p", "-C", "-q", "--p", "-t")) for text in texts)
    is_all = (is_all and not narrows) or operands in (["."], [".*"], [""])
    return Word("-1\n") if is_all else None


# `ps -e`, `ps ax`, `ps aux`, `ps -Ao pid`.
_EVERY_PROCESS = re.compile(r"-[A-Za-z]*[eA][A-Za-z]*|-?[afwu]*ax[afwuo]*|-?axo|aux\w*")


_LISTERS: Mapping[str, Callable[[Sequence[Word], str], Word | None]] = {
    "pwd": _print_folder,
    "ls": _print_names,
    "find": _print_found,
    "gfind": _print_found,
    "realpath": _print_path,
    "readlink": _print_path,
    "dirname": _print_parent,
    "basename": _print_base,
    "which": _print_name,
    "git": _print_of_git,
    "ps": _print_processes,
    "pgrep": _print_processes,
    "getent": _print_account,
}


def _find_input(
    words: Sequence[Word], stdin: Word | None, files: Mapping[str, Word]
) -> Word | None:
    """Return what a filter reads: files that the text wrote, or its standard input."""
    operands = [word for word in words if not word.text.startswith("-") or word.text == "-"]
    found = [files[word.text] for word in operands if word.text in files]
    if found:
        return join_words(found)
    return stdin


def _transform(program: str, texts: Sequence[str], given: str) -> str | None:
    options = frozenset(texts)
    if program in ("base64", "gbase64") or (program == "openssl" and "base64" in
                                            {text.lstrip("-") for text in texts}):  # fmt: skip
        return _decode(base64.b64decode, given) if options & _DECODES else None
    if program in ("gunzip", "zcat", "gzip", "bunzip2", "bzcat", "bzip2", "unxz", "xzcat", "xz"):
        decodes = program[0] in "uz" or "un" in program or "cat" in program
        return _decompress(program, given) if decodes or options & _DECODES else None
    if program == "openssl" and {"-d", "enc"} <= options and {"-base64", "-a"} & options:
        return _decode(base64.b64decode, given)
    if program == "base32":
        return _decode(base64.b32decode, given) if options & _DECODES else None
    if program in ("xxd", "hexdump") and any("r" in text for text in texts if text.startswith("-")):
        return _decode(bytes.fromhex, given)
    if program == "rev":
        return "\n".join(line[::-1] for line in given.split("\n"))
    if program == "tr" and texts[1:]:
        return _translate(texts, given)
    if program == "cut" and (match := _FIELD.fullmatch(" ".join(texts))):
        return _cut(match[1] or match[4], int(match[2] or match[3]), given)
    if program == "sed" and [text for text in texts[:-1] if text not in ("-e", "-E", "-r")] == []:
        return _substitute(texts[-1], given) if texts else None
    return None


_FIELD = re.compile(r"-d ?(\S) -f ?(\d)|-f ?(\d) -d ?(\S)")


def _cut(separator: str, number: int, given: str) -> str:
    """Return one field of each line; a line without the separator stays as it is."""
    lines = [line.split(separator) for line in given.split("\n")]
    return "\n".join(line[number - 1] if number <= len(line) else "" if line[1:] else line[0]
                     for line in lines)  # fmt: skip


def _decode(decode: Callable[[str], bytes], given: str) -> str | None:
    """Return decoded data; each byte as one character where it is no text."""
    try:
        data = decode("".join(given.split()))
    except (ValueError, binascii.Error):
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


_MOST_DECOMPRESSED = 64 << 10  # bytes


def _decompress(program: str, given: str) -> str | None:
    """Return the beginning of what was compressed."""
    makers: Mapping[str, Callable[[], _Decompressor]] = {
        "z": lambda: zlib.decompressobj(16 + zlib.MAX_WBITS),
        "b": bz2.BZ2Decompressor,
        "x": lzma.LZMADecompressor,
    }
    kind = "b" if "bz" in program or "bun" in program else "x" if "x" in program else "z"
    try:
        data = makers[kind]().decompress(given.encode("latin-1"), _MOST_DECOMPRESSED)
        return data.decode()
    except (ValueError, OSError, EOFError, zlib.error, lzma.LZMAError):
        return None


def _translate(texts: Sequence[str], given: str) -> str | None:
    if texts[0] == "-d":
        letters = _spell(texts[1])
        return "".join(char for char in given if char not in letters)
    old, new = _spell(texts[0]), _spell(texts[1])
    if texts[0].startswith("-") or not old or not new:
        return None
    table = {ord(char): new[min(at, len(new) - 1)] for at, char in enumerate(old)}
    return given.translate(table)


def _spell(letters: str) -> str:
    for name, all_ in _RANGES.items():
        letters = letters.replace(name, all_)
    return _HALF.sub(
        lambda at: "".join(map(chr, range(ord(at[1]), ord(at[2]) + 1))), _unescape(letters)
    )


def _substitute(script: str, given: str) -> str | None:
    """Return the result of `s/old/new/`, where `old` is a plain text."""
    match script[2:].split(script[1:2] or "/"):
        case ["^" | "$" as place, new, "" | "g"] if script[0] == "s" and "\\" not in new:
            head, tail = (new, "") if place == "^" else ("", new)
            ends = given.endswith("\n")
            lines = given.removesuffix("\n").split("\n")
            if len(lines) * len(new) > MOST_BYTES:
                return None
            return "\n".join(f"{head}{line}{tail}" for line in lines) + ("\n" if ends else "")
        case [old, new, "" | "g" as flag] if script[0] == "s":
            if re.search(r"[.*\[\]^$\\]", old) or "\\" in new:
                return None
            count = -1 if flag else 1
            return "\n".join(replace_text(line, old, new, count) for line in given.split("\n"))
    return None


def _print_format(words: Sequence[Word]) -> Word:
    words = [word for word in words if word.text != "--"]
    if not words:
        return Word("")
    head, rest = words[0], list(words[1:])
    whole = join_words([head, *rest])
    texts = [word.text for word in rest]
    out: list[str] = []
    while True:
        before = len(texts)
        out.append(_FORMAT.sub(lambda at: _format_one(at[1], at[2], texts), _unescape(head.text)))
        if not texts or len(texts) == before or len(out) * len(head.text) > MOST_BYTES:
            break
    return whole._replace(text="".join(out))


def _format_one(flags: str, kind: str, texts: list[str]) -> str:
    if kind == "%":
        return "%"
    text = texts.pop(0) if texts else ""
    if kind in "diouxX":
        number = calculate(text) if text else 0
        return f"%{flags}{kind}" % number if number is not None else text
    return _unescape(text) if kind == "b" else text[:1] if kind == "c" else text


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(
        lambda at: chr(int(at[1], 16)) if at[1] else chr(int(at[2], 8) & 0xFF) if at[2]
        else _LETTERS[at[3]], text.replace("\\c", "")
    )  # fmt: skip
