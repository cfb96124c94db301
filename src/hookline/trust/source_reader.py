r"""Reads what a source text refers to: the commands of a shell text, the imports of a Python text.

A reference is a kind and its words. In words of shell text, `NAME` between two NUL characters
stands for a variable, and nothing between them for what only a run can tell.
"""

from __future__ import annotations

import ast
import re
import warnings

from hookline.text import shell
from hookline.trust.languages import SHELL, find_first_interpreter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

    from hookline.trust.inspection import Reference

# Kinds: "alone" (the text is one command), "run" with the words of a command, "set" with a variable
# and its value, "body" with a language and text in it, "function" with its name, "import" with
# level, module and names, "folder" with a folder of `sys.path`, "starts", "unsure".
MAX_SOURCE = 256 << 10  # bytes of a source text that is parsed
UNKNOWN = "\0\0"
_BARE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./^- \t"
# An expansion whose value is that of its variable, or of a default.
_VARIABLE = r"(?s)\s*\$(?:(\w+)|\{(\w+)(?:\[[-0@]?\d*\])?(?:%/|:?[-=?].*)?\})"
_PATH_CALLS = {"sys.path.insert", "sys.path.append", "sys.path.extend"}
_STARTERS = {"subprocess", "runpy", "importlib", "exec", "__import__", "system", "popen", "execv", "execvp", "spawnv"}  # fmt: skip


def read_source(language: str, data: bytes) -> tuple[Reference, ...]:
    """Return the references of a source text; ("unsure",) among them if it is partly unreadable."""
    if len(data) > MAX_SOURCE:
        return (("unsure",),)
    try:
        if language == SHELL:
            return tuple(_read_shell(data.translate(None, b"\0").decode("utf-8", "replace")))
        return tuple(dict.fromkeys(_read_python(data.decode("utf-8-sig", "replace"))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (("unsure",),)


def _read_shell(text: str) -> Iterator[Reference]:
    if text and not text.strip(_BARE):  # one command of words that mean themselves
        yield ("alone",)
        yield ("run", *text.split())
        return
    source = text.encode("utf-8", "replace")
    nodes = shell.parse_nodes(source)
    statements = [each for each in nodes[0].named_children if each.type != "comment"]
    if statements and statements[0].type == "redirected_statement":
        statements = statements[0].named_children[:1] + statements[1:]
    if nodes[0].has_error:
        yield ("unsure",)
    elif [each.type for each in statements] == ["command"]:
        yield ("alone",)
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


def _read_node(node: Node) -> Iterator[Reference]:
    match node.type:
        case "variable_assignment":
            value = node.child_by_field_name("value")
            if value is not None:
                yield ("set", _read_text(node.children[0]), _read_word([value]))
        case "ERROR":
            yield ("run", *(_read_word([each]) for each in node.named_children))
        case "function_definition":
            yield ("function", _read_text(node.children_by_field_name("name")[0]))
        case "heredoc_body" | "herestring_redirect":
            is_document = node.type == "heredoc_body"
            outer = node.parent.parent if node.parent and is_document else node.parent
            program = _read_text(outer.children[0]) if outer and outer.children else ""
            text = _read_text(node) if is_document else _read_word(node.named_children[-1:])
            yield ("body", find_first_interpreter(program), text)


def _read_text(node: Node) -> str:
    return shell.node_text(node).decode("utf-8", "replace")


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
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = ast.unparse(node.func)
            if name in _PATH_CALLS:
                yield from (("folder", part.value) for part in ast.walk(node)
                            if isinstance(part, ast.Constant) and isinstance(part.value, str))  # fmt: skip
            elif _STARTERS.intersection(name.split(".")):
                yield ("starts",)
