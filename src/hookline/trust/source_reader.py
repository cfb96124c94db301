r"""What a source text refers to: the commands of a shell text, the imports of a Python text.

A reference is a kind and its words. In words of shell text, `NAME` between two NUL characters
stands for a variable, and nothing between them for what only a run can tell.
"""

from __future__ import annotations

import ast
import re
import warnings

from hookline.text import shell
from hookline.trust.languages import SHELL, find_first_interpreter, find_interpreter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

# Kinds: "alone" (the text is one command), "fed" (a program of it runs what another prints), "run"
# with the words of a command, "set" with a variable and its value, "body" with a language and text
# in it, "function" with its name, "import" with level, module and names, "folder" with a folder of
# `sys.path`, "starts", "unsure".
Reference = tuple[str, ...]

MAX_SOURCE = 256 << 10  # bytes of a source text that is parsed
UNKNOWN = "\0\0"
_NEAR = 4  # words of a command, and parts between a substitution and its command
_NEAR_BYTES = 400
_BARE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./^- \t"
# An expansion whose value is that of its variable, or of a default.
_VARIABLE = r"(?s)\$\{(\w+)(?:\[[-0@]?\d*\])?(?:%/|:?[-=?].*)?\}"
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
    if text and not text.strip(_BARE):  # one command of words that mean themselves needs no grammar
        yield ("alone",)
        yield ("run", *text.split())
        return

    source = text.encode("utf-8", "replace")
    nodes = shell.parse_nodes(source)
    if nodes[0].has_error:
        yield ("unsure",)
    elif _is_alone(nodes[0]):
        yield ("alone",)
    if any(_feeds(node, source) for node in nodes):
        yield ("fed",)
    behind: dict[int, list[Node]] = {}
    for node in nodes:
        if node.type in {"redirected_statement", "command"}:
            owner, read, late = shell.split_redirections(node, source)
            behind.setdefault(owner.id, []).extend((*late, *read))
    for node in nodes:
        if node.type == "command":
            words = shell.command_words(node, source, behind.get(node.id, ()))
            yield ("run", *map(_read_word, words))
        else:
            yield from _read_node(node)


def _is_alone(root: Node) -> bool:
    """Whether a text is one command and nothing else."""
    statements = [each for each in root.named_children if each.type != "comment"]
    if len(statements) == 1 and statements[0].type == "redirected_statement":
        statements = statements[0].named_children[:1]
    return len(statements) == 1 and statements[0].type == "command"


def _feeds(node: Node, source: bytes) -> bool:
    """Whether an interpreter, `eval` or `source` runs what a pipeline or a substitution prints."""
    if node.type == "pipeline":
        return any(_runs_input(each, source) for each in node.named_children[1:])
    outer = node.parent if node.type in {"command_substitution", "process_substitution"} else None
    for _ in range(_NEAR):
        if outer is None or outer.type == "command":
            break
        outer = outer.parent
    return outer is not None and outer.type == "command" and _runs_input(outer, source)


def _runs_input(command: Node, source: bytes) -> bool:
    """Whether the first words of a command have an interpreter, or are `eval` or `source`."""
    start = command.start_byte
    words = (
        source[start : min(command.end_byte, start + _NEAR_BYTES)]
        .decode("utf-8", "replace")
        .split()
    )
    return words[:1] in (["eval"], ["source"], ["."]) or any(map(find_interpreter, words[:_NEAR]))


def _read_node(node: Node) -> Iterator[Reference]:
    match node.type:
        case "variable_assignment":
            value = node.child_by_field_name("value")
            parts = (
                () if value is None else value.named_children if value.type == "array" else [value]
            )
            yield from (("set", _read_text(node.children[0]), _read_word([each])) for each in parts)
        case "for_statement":
            values = node.children_by_field_name("value")
            yield from (
                ("set", _read_text(node.children[1]), _read_word([each])) for each in values
            )
        case "ERROR":
            yield ("run", *(_read_word([each]) for each in node.named_children))
        case "function_definition":
            yield ("function", _read_text(node.children_by_field_name("name")[0]))
        case "heredoc_body" | "herestring_redirect":
            outer = node.parent
            if outer is not None and node.type == "heredoc_body":
                outer = outer.parent
            owner = None if outer is None else outer.child(0)
            is_document = node.type == "heredoc_body"
            text = _read_text(node) if is_document else _read_word(node.named_children[-1:])
            yield ("body", find_first_interpreter(_read_text(owner)) if owner else "", text)


def _read_text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _read_word(parts: Iterable[Node]) -> str:
    return "".join(map(_read_piece, parts))


def _read_piece(node: Node) -> str:
    """Return a part of a word without its quotes, with variables marked."""
    text = _read_text(node)
    match node.type:
        case "command_name" | "concatenation":
            return _read_word(node.children)
        case "raw_string":
            return text[1:-1]
        case "ansi_c_string":
            return UNKNOWN if "\\" in text else text[2:-1]
        case "string":
            return _read_word(each for each in node.children if each.type != '"')
        case "string_content":
            return re.sub(r'\\(?:\n|([$`"\\]))', r"\1", text)
        case "simple_expansion" | "expansion":
            found = re.fullmatch(_VARIABLE, text) or re.fullmatch(r"\s*\$(\w+)", text)
            name = found[1] if found else ""
            return f"\0{'0' if name == 'BASH_SOURCE' else name}\0"
        case "process_substitution":
            return ""
    if node.child_count or re.search(r"(?<!\\)[*?]|(?<!\\)\[.", text):
        return UNKNOWN
    plain = re.sub(r"(?s)\\(?:\n|(.))", r"\1", text)
    return "\0HOME\0" + plain[1:] if text == "~" or text.startswith("~/") else plain


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
