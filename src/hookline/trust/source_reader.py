r"""What a source text refers to: the commands of a shell text, the imports of a Python text.

A reference is a kind and its words. In words of shell text, `NAME` between two NUL characters stands for a variable, and nothing
between them for what only a run can tell.

A shell text is split into commands and words, whatever constructs stand around them. So more may be found than it runs, and a construct
that is rare hides nothing.
"""

from __future__ import annotations

import ast
import re
import warnings

from hookline.trust.languages import SHELL, find_first_interpreter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Kinds: "alone" (the text is one command), "fed" (a program of it runs what another prints), "run" with the words of a command, "set"
# with a variable and its value, "body" with a language and text in it, "function" with its name, "import" with level, module and names,
# "folder" with a folder of `sys.path`, "starts", "unsure".
Reference = tuple[str, ...]

MAX_SOURCE = 256 << 10  # bytes of a source text that is parsed
UNKNOWN = "\0\0"
_MAX_DEPTH = 16  # substitutions within each other
_HEREDOC = r"(?<!<)<<(?!<)-?[ \t]*[\"'\\]?([A-Za-z_]\w*)[\"']?"
_SUBSTITUTION = r"\$\(([^()]*)\)|`([^`]*)`"
_FUNCTION = r"(?<![\w-])([\w-]+)[ \t]*\(\)"
# What parts words, writes to a file, reads one, ends a command; then the parts of words.
_PIECE = (
    r"(?s)(?P<blank>[ \t]+|\\\n|(?<![^\s;&|()])\#[^\n]*|\d*>&\d)|(?P<write>\d*&?>+\|?)|(?P<read><+)|(?P<end>[;&|()\n]+)"
    r"""|\$?'(?P<raw>[^']*)'|\$?"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>(?:[^\s;&|()<>'"\\]|\\.)+)|(?P<other>.)"""
)
_VARIABLE = r"\$\{(\w+)(?:\[[-0@]?\d*\]|%/|:?[-=?][^}]{0,999})?\}|\$(\w+)"
_EXPANSION = rf"(?s)\\(?:\n|(.))|{_VARIABLE}|\$\{{[^}}]{{0,999}}\}}|\$\S"
_ASSIGNMENT = r"(?s)([A-Za-z_]\w*)\+?=(.*)"
# Words before a command, and those that declare variables.
_KEYWORDS = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "fi", "done", "esac"})  # fmt: skip
_DECLARATIONS = frozenset({"export", "local", "readonly", "declare", "typeset"})
# A text in which an interpreter, `eval` or `source` runs what a command prints.
_FEEDS = (
    r"""\beval\b|<\(|\s-\w{0,9}c\s{1,9}["']?(?:\$\(|`)"""
    r"|\|\s{0,9}(?:[^\s|]{1,99}\s{1,9}){0,3}?[^\s|]{0,99}?(?:sh|python3?|node|perl|ruby)(?![\w./-])"
)
_PYTHON_STARTERS = frozenset({"subprocess", "runpy", "importlib", "exec", "__import__", "system", "popen", "execv", "execvp", "spawnv"})  # fmt: skip


def read_source(language: str, data: bytes) -> tuple[Reference, ...]:
    """Return the references of a source text; ("unsure",) among them if a part of it cannot be read."""
    if len(data) > MAX_SOURCE:
        return (("unsure",),)
    try:
        if language == SHELL:
            return tuple(_read_shell(data.translate(None, b"\0").decode("utf-8", "replace")))
        return tuple(dict.fromkeys(_read_python(data.decode("utf-8-sig", "replace"))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (("unsure",),)


# -- shell ---------------------------------------------------------------------------------------


def _read_shell(text: str) -> Iterator[Reference]:
    if re.search(_FEEDS, text):
        yield ("fed",)
    yield from (("function", name) for name in re.findall(_FUNCTION, text))
    text, documents = _split_documents(text)
    yield from documents
    texts = [text]
    for _ in range(_MAX_DEPTH):
        inner = [first or second for first, second in re.findall(_SUBSTITUTION, texts[0])]
        texts[0] = re.sub(_SUBSTITUTION, UNKNOWN, texts[0])
        texts += inner
    commands = [command for each in texts for command in _split_commands(each) if command]
    if len(commands) == 1 and commands[0][0] not in _KEYWORDS:
        yield ("alone",)
    for words in commands:
        yield from _read_command(words)


def _split_documents(text: str) -> tuple[str, list[Reference]]:
    """Return the text without its here-documents, and those that a shell or Python reads."""
    lines: list[str] = []
    documents: list[Reference] = []
    body: list[str] = []
    language = end = ""
    for line in text.split("\n"):
        if end and line.strip() == end:
            documents += [("body", language, "\n".join(body))] if language else []
            body, end = [], ""
        elif end:
            body.append(line)
        elif found := re.search(_HEREDOC, line):
            language, end = find_first_interpreter(line), found[1]
            lines.append(line[: found.start()] + line[found.end() :])
        else:
            lines.append(line)
    return "\n".join(lines + body), documents


def _split_commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each command of a text without substitutions."""
    words: list[str] = []
    word, is_written = None, False
    for found in re.finditer(_PIECE, f"{text}\n"):
        kind = found.lastgroup or ""
        if kind in {"raw", "quoted", "plain"}:
            piece = found[kind] if kind == "raw" else _mark_variables(found[kind], kind)
            is_home = word is None and kind == "plain" and re.match(r"~(/|$)", piece)
            word = (word or "") + (f"\0HOME\0{piece[1:]}" if is_home else piece)
            continue
        if word is not None:
            words += [] if is_written else [word]
            word, is_written = None, False
        if kind == "write":
            is_written = True
        elif kind == "other":
            yield ["\0unsure"]
        elif kind == "end":
            yield words
            words = []


def _mark_variables(piece: str, kind: str) -> str:
    """Return a part of a word without its backslashes, with variables and patterns marked."""

    def mark(found: re.Match[str]) -> str:
        name = found[2] or found[3]
        if found[0].startswith("\\"):
            return found[1] or ""
        return f"\0{'0' if name == 'BASH_SOURCE' else name}\0" if name else UNKNOWN

    marked = re.sub(_EXPANSION, mark, piece)
    has_pattern = kind == "plain" and re.search(r"(?<!\\)[*?]", piece)
    return UNKNOWN if has_pattern else marked


def _read_command(words: list[str]) -> Iterator[Reference]:
    """Yield what the assignments and the words of one command refer to."""
    if words[0] == "\0unsure":
        yield ("unsure",)
        return
    while words and (
        (found := re.fullmatch(_ASSIGNMENT, words[0])) or words[0] in _KEYWORDS | _DECLARATIONS
    ):
        if found:
            yield ("set", found[1], found[2])
        words = words[1:]
    if words[:1] == ["for"]:
        yield from (("set", words[1], each) for each in words[3:])
    elif words:
        yield ("run", *words)


# -- Python --------------------------------------------------------------------------------------


def _read_python(text: str) -> Iterator[Reference]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (("import", "0", alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = (alias.name for alias in node.names)
            yield ("import", str(node.level), node.module or "", *names)
        elif isinstance(node, ast.Call):
            yield from _read_call(node)


def _read_call(node: ast.Call) -> Iterator[Reference]:
    """Yield what a call adds to `sys.path`, or that it starts an unknown program."""
    name = ast.unparse(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else ""
    if name in {"sys.path.insert", "sys.path.append", "sys.path.extend"}:
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield ("folder", part.value)
    elif _PYTHON_STARTERS.intersection(name.split(".")):
        yield ("starts",)
