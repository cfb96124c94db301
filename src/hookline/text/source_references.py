r"""Reads source texts: their language, and what they refer to, as commands and imports.

A reference is a kind and its words. In words of shell text, `NAME` between two NUL characters
stands for a variable, and nothing between them for what only a run can tell.
"""

from __future__ import annotations

import ast
import posixpath
import re
import warnings
from itertools import takewhile

from hookline.text import shell_syntax

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from tree_sitter import Node

    Reference: TypeAlias = Sequence[str]

# Kinds: "run" with the words of a command, "alone" with those of the only one of a text, "set" with
# a variable and its value, "import" with level, module and names, "unseen" with what cannot be
# followed, in words.
MAX_SOURCE = 256 << 10  # bytes of a source text that is parsed
UNKNOWN = "\0\0"
UNSURE = ("unseen", "parts of {} that hookline cannot read")
STARTS = ("unseen", "what {} starts")
# An expansion whose value is that of its variable, or of a default.
_VARIABLE = r"(?s)\s*\$(?:(\w+)|\{(\w+)(?:\[[-0@]?\d*\])?(?:%/|:?[-=?].*)?\})"
_STARTERS = {
    "subprocess", "runpy", "importlib", "exec", "__import__", "system", "popen", "execv", "execvp",
    "spawnv",
}  # fmt: skip

SHELL, PYTHON, OTHER = "shell", "python", "other"
# The language of a file by its suffix; a file with such a suffix is code.
_SUFFIXES = {
    # Files that end with `.cmd` are often for a shell as well.
    **dict.fromkeys((".sh", ".bash", ".zsh", ".ksh", ".fish", ".cmd", ".bat"), SHELL),
    ".py": PYTHON,
    **dict.fromkeys((".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"), OTHER),
    **dict.fromkeys((".rb", ".pl", ".php", ".lua", ".r", ".ps1", ".jar", ".wasm"), OTHER),
}
_INTERPRETERS = {
    **dict.fromkeys(("sh", "bash", "dash", "zsh", "ksh", "ash", "fish"), SHELL),
    **dict.fromkeys(("python", "pypy"), PYTHON),
    **dict.fromkeys(("node", "nodejs", "bun", "deno", "tsx", "ts-node"), OTHER),
    **dict.fromkeys(("ruby", "perl", "php", "lua", "Rscript", "pwsh", "powershell", "java"), OTHER),
}
# Formatters, linters and test runners: the words behind them are data.
_DATA_PROGRAMS = """
actionlint ava bandit bats biome black clang-format codespell ctest cypress dprint eslint flake8
gofmt goimports golangci-lint hadolint isort jest ktlint markdownlint mocha mypy nox oxlint
php-cs-fixer phpstan phpunit playwright pre-commit prettier pylint pyright pytest rspec rubocop
ruff rustfmt semgrep shellcheck shfmt sqlfluff stylelint swiftlint tox tsc vitest yamllint yapf
"""
DATA_PROGRAMS = frozenset(_DATA_PROGRAMS.split())
# Programs that run none of the files that they are given, and that every system has.
_TOOLS = """
awk base64 basename cat chmod cmp cp curl cut date diff dirname egrep expr fgrep file git grep
gzip head hostname id jq ln logger ls md5sum mkdir mktemp mv notify-send osascript ps readlink
realpath rg rm rmdir say sed seq sha256sum shasum sleep sort stat tail tar tee tr tty uname uniq
wc wget which whoami yq
"""
TOOLS = frozenset(_TOOLS.split())
# Commands of the shell itself: they start no file.
_BUILTINS = """
alias bg bind break builtin caller case cd command compgen complete continue declare dirs disown
do done echo elif else enable esac eval exec exit export false fc fg fi for function getopts hash
help history if in jobs kill let local logout mapfile popd printf pushd pwd read readarray
readonly return select set shift shopt suspend test then time times trap true type typeset ulimit
umask unalias unset until wait while { } [ [[ : ! . source
"""
BUILTINS = frozenset(_BUILTINS.split())
# Words that run the program behind them.
_LAUNCHERS = """
exec command builtin time nohup env sudo doas nice ionice timeout gtimeout setsid stdbuf
caffeinate xargs !
"""
LAUNCHERS = frozenset(_LAUNCHERS.split())


def find_interpreter(word: str) -> str:
    """Return the language that a program runs, by its name; empty for other programs."""
    name = word.rpartition("/")[2].removesuffix(".exe")
    return _INTERPRETERS.get(name) or _INTERPRETERS.get(name.rstrip("0123456789."), "")


def is_tool(program: str) -> bool:
    """Whether a program is an interpreter, or runs nothing but what its words name."""
    name = program.rpartition("/")[2]
    return name in TOOLS or name in LAUNCHERS or find_interpreter(name) != ""


def find_language(path: str, first_line: str = "") -> str:
    """Return the language of a file by its `#!` line, else by its suffix; empty if it is data."""
    interpreters = filter(None, map(find_interpreter, first_line[2:].split()))
    suffix = posixpath.splitext(path)[1].lower()
    return next(interpreters, "") or _SUFFIXES.get(suffix, OTHER if first_line else "")


def find_program_index(words: Sequence[str]) -> int:
    """Return the index of a command's program, after such words as `env A=b` and `timeout 5`."""
    at, is_led = 0, False
    while at < len(words):
        if words[at].rpartition("/")[2] in LAUNCHERS:
            is_led = True
        elif not is_led or not (words[at][:1] in {*"-+0123456789"} or "=" in words[at]):
            break
        at += 1
    return at


def find_code_option(language: str, word: str) -> str:
    """Return the letter of an option that takes code or, "m", a module; empty for other words."""
    letters = word[1:] if word.startswith("-") and word[1:2] != "-" else ""
    if language == SHELL:
        return "c" if "c" in letters else ""
    return letters[-1:] if language == PYTHON and letters[-1:] in ("c", "m") else ""


def find_script(program: str, words: Sequence[str]) -> str:
    """Return the script that an interpreter is given behind its options; empty if there is none."""
    language = SHELL if program in {".", "source"} else find_interpreter(program)
    options = list(takewhile(lambda word: word.startswith("-"), words))
    script = "".join(words[len(options) :][:1])
    has_code = any(find_code_option(language, option) for option in options)
    return script if language and not has_code and find_language(script) else ""


def read_source(language: str, data: bytes) -> tuple[Reference, ...]:
    """Return the references of a source text; `UNSURE` among them if it is partly unreadable."""
    if len(data) > MAX_SOURCE:
        return (UNSURE,)
    try:
        if language == SHELL:
            return tuple(_read_shell(data.replace(b"\0", b"").decode("utf-8", "replace")))
        return tuple(dict.fromkeys(_read_python(data.decode("utf-8-sig", "replace"))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (UNSURE,)


def _read_shell(text: str) -> Iterator[Reference]:
    source = text.encode()
    nodes = shell_syntax.parse_nodes(source)
    statements = [each for each in nodes[0].named_children if each.type != "comment"]
    if statements and statements[0].type == "redirected_statement":
        statements = statements[0].named_children[:1] + statements[1:]
    alone = [each.id for each in statements if [each.type for each in statements] == ["command"]]
    if nodes[0].has_error:
        yield UNSURE
    behind: dict[int, list[Node]] = {}
    for node in nodes:
        if node.type in {"redirected_statement", "command"}:
            owner, read, late = shell_syntax.split_redirections(node, source)
            behind.setdefault(owner.id, []).extend((*late, *read))
    for node in nodes:
        if node.type == "command":
            words = shell_syntax.list_words(node, source, behind.get(node.id, ()))
            yield ("alone" if node.id in alone else "run", *map(_read_word, words))
        value = node.child_by_field_name("value")
        if node.type == "variable_assignment" and value is not None:
            yield ("set", _read_text(node.children[0]), _read_word([value]))


def _read_text(node: Node) -> str:
    return shell_syntax.get_source(node).decode("utf-8", "replace")


def _read_word(parts: Iterable[Node]) -> str:
    return "".join(map(_read_piece, parts))


def _read_piece(node: Node) -> str:
    """Return a part of a word without its quotes, with variables marked."""
    text = _read_text(node)
    match node.type:
        case "command_name" | "concatenation" | "string":
            return _read_word(each for each in node.children if each.type != '"')
        case "raw_string":
            return text[1:-1]
        case "ansi_c_string":
            return UNKNOWN if "\\" in text else text[2:-1]
        case "string_content":
            return re.sub(r'\\(?:\n|([$`"\\]))', r"\1", text)
        case "simple_expansion" | "expansion":
            found = re.fullmatch(_VARIABLE, text)
            name = found[1] or found[2] if found else ""
            return f"\0{'0' if name == 'BASH_SOURCE' else name}\0"
        case "process_substitution":
            return ""
    if node.child_count or re.search(r"(?<!\\)[*?]|(?<!\\)\[.", text):
        return UNKNOWN
    plain = re.sub(r"(?s)\\(?:\n|(.))", r"\1", text)
    return "\0HOME\0" + plain[1:] if text == "~" or text.startswith("~/") else plain


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
        elif getattr(node, "id", getattr(node, "attr", "")) in _STARTERS:
            yield STARTS
