r"""What a source text refers to: the commands of a shell text, the imports of Python, JavaScript and TypeScript.

A reference is a kind and its words. In words of shell text, `NAME` between two NUL characters stands for a variable, nothing between
them for what only a run can tell, `\1` parts alternatives, and `\2` behind a path stands for the folder of that path.
"""

from __future__ import annotations

import re

from hookline.trust.languages import JAVASCRIPT, NODE_MODULES, PYTHON, SHELL, find_interpreter

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

# "alone": the text is one command. "run": its words; "fed": as well, and an interpreter reads what it prints. "words": other words.
# "read": the command, a file it reads. "body": the command, text on its input. "set": a variable, its value. "function": its name.
# "import": level, module, names. "folder": a folder of `sys.path`. "require": a path. "module": a package. "starts", "unsure".
Reference = tuple[str, ...]

MAX_SOURCE = 512 << 10  # bytes of a source text that is parsed
UNKNOWN = "\0\0"
_MAX_ALTERNATIVES = 8
_MAX_DEPTH = 64  # parts of a shell text within each other
_BARE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./^- \t"
_EXPANSION = r"(?s)\$\{(\w+)(?:\[[-0@]?\d*\])?(.*)\}"
_REQUIRED = (
    r"""(?:\bfrom|\bimport|\brequire(?:\.resolve)?)\s{0,9}\(?\s{0,9}(["'`])([^"'`\n]{1,999})\1"""
)
_PYTHON_STARTERS = frozenset({"subprocess", "runpy", "importlib", "exec", "__import__", "system", "popen", "execv", "execvp", "spawnv"})  # fmt: skip


def read_source(language: str, data: bytes) -> tuple[Reference, ...]:
    """Return the references of a source text; ("unsure",) among them if a part of it cannot be read."""
    if len(data) > MAX_SOURCE:
        return (("unsure",),)
    try:
        if language == SHELL:
            return tuple(_read_shell(data.translate(None, b"\0\1\2")))
        text = data.decode("utf-8-sig", "replace")
        if language == PYTHON:
            return tuple(dict.fromkeys(_read_python(text)))
        return tuple(dict.fromkeys(_read_javascript(text))) if language == JAVASCRIPT else ()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (("unsure",),)


# -- Python and JavaScript -------------------------------------------------------------------------------------------------


def _read_python(text: str) -> Iterator[Reference]:
    import ast  # noqa: PLC0415 - only for sources that the cache does not know
    import warnings  # noqa: PLC0415 - as above

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
    """Return what a call adds to `sys.path`, or that it starts an unknown program."""
    import ast  # noqa: PLC0415 - as above

    name = ast.unparse(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else ""
    if name in {"sys.path.insert", "sys.path.append", "sys.path.extend"}:
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield ("folder", part.value)
    elif _PYTHON_STARTERS.intersection(name.split(".")):
        yield ("starts",)


def _read_javascript(text: str) -> Iterator[Reference]:
    for found in re.finditer(_REQUIRED, text):
        name = found[2]
        if name.startswith((".", "/")):
            yield ("require", name)
        elif not name.startswith(("node:", "bun:")) and name.split("/")[0] not in NODE_MODULES:
            yield ("module", name)
    if "child_process" in text or "Bun.spawn" in text or "Deno.Command" in text:
        yield ("starts",)


# -- shell -----------------------------------------------------------------------------------------------------------------


def _read_shell(source: bytes) -> Iterator[Reference]:
    text = source.decode("utf-8", "replace")
    if text and not text.strip(_BARE):  # one command of words that mean themselves needs no grammar
        yield ("alone",)
        yield ("run", *text.split())
        return
    from hookline.text import shell  # noqa: PLC0415 - loads tree-sitter: only for sources that the cache does not know

    source = text.encode("utf-8", "replace")
    nodes = shell.parse_nodes(source)
    if nodes[0].has_error:
        yield ("unsure",)
    elif _is_alone(nodes[0]):
        yield ("alone",)
    behind: dict[int, list[Node]] = {}
    for node in nodes:
        if node.type in {"redirected_statement", "command"}:
            owner, read, late = shell.split_redirections(node, source)
            behind.setdefault(owner.id, []).extend(late)
            yield from (("read", _read_text(owner), _read_word([each])) for each in read)
    for node in nodes:
        yield from _read_node(node, source, behind.get(node.id, ()))


def _is_alone(root: Node) -> bool:
    """Whether a text is one command and nothing else."""
    statements = [each for each in root.named_children if each.type != "comment"]
    if len(statements) == 1 and statements[0].type == "redirected_statement":
        statements = statements[0].named_children[:1]
    return len(statements) == 1 and statements[0].type == "command"


def _read_node(node: Node, source: bytes, late: Iterable[Node]) -> Iterator[Reference]:
    from hookline.text import shell  # noqa: PLC0415 - as above

    match node.type:
        case "command":
            words = map(_read_word, shell.command_words(node, source, late))
            yield ("fed" if _is_fed(node) else "run", *words)
        case "variable_assignment":
            value = node.child_by_field_name("value")
            if value is not None and value.type != "array":
                yield ("set", _read_text(node.children[0]), _read_word([value]))
        case "array" | "ERROR":
            yield ("words", *(_read_word([each]) for each in node.named_children))
        case "for_statement":
            values = [_read_word([each]) for each in node.children_by_field_name("value")]
            yield ("words", *values)
            yield from (("set", _read_text(node.children[1]), value) for value in values)
        case "function_definition":
            yield ("function", _read_text(node.children_by_field_name("name")[0]))
        case "heredoc_body":
            yield ("body", _find_owner(node), _read_text(node))
        case "herestring_redirect":
            yield ("body", _find_owner(node), _read_word(node.named_children[-1:]))


def _read_text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _find_owner(node: Node) -> str:
    """Return the text of the command that a here-document is for."""
    around = node.parent
    if around is not None and node.type == "heredoc_body":
        around = around.parent
    return "" if around is None else _read_text(around).partition("<<")[0]


def _is_fed(node: Node) -> bool:
    """Whether an interpreter, `eval` or `source` runs what a command prints."""
    inner, outer = node, node.parent
    for _ in range(_MAX_DEPTH):
        if outer is None or outer.type == "function_definition":
            return False
        if outer.type == "pipeline" and outer.child_count > _MAX_DEPTH:
            return True
        if outer.type == "pipeline":
            behind = [each for each in outer.children if each.start_byte >= inner.end_byte]
            if any(_runs_input(_read_text(each)) for each in behind):
                return True
        if outer.type == "command" and _runs_input(_read_text(outer.children[0])):
            return True
        inner, outer = outer, outer.parent
    return False


def _runs_input(command: str) -> bool:
    """Whether a command may run what it reads: one of its words is an interpreter, `eval` or `source`."""
    return any(
        word in {"eval", "source", "."} or find_interpreter(word) for word in command.split()[:8]
    )


def _read_word(parts: Iterable[Node]) -> str:
    """Return the alternatives of a word."""
    return "\1".join(_join(map(_read_piece, parts)))


def _join(pieces: Iterable[list[str]]) -> list[str]:
    found = [""]
    for piece in pieces:
        found = [one + other for one in found for other in piece][:_MAX_ALTERNATIVES]
    return found


def _read_piece(node: Node) -> list[str]:
    """Return the possible values of a part of a word, without its quotes."""
    text = _read_text(node)
    match node.type:
        case "command_name" | "concatenation":
            return _join(map(_read_piece, node.children))
        case "raw_string":
            return [text[1:-1]]
        case "ansi_c_string":
            return [UNKNOWN if "\\" in text else text[2:-1]]
        case "string":
            return _join(
                [re.sub(r'\\(?:\n|([$`"\\]))', r"\1", _read_text(each))] if each.type == "string_content"
                else _read_piece(each)
                for each in node.children if each.type != '"'
            )  # fmt: skip
        case "simple_expansion":
            return [_read_variable(text.lstrip(" \t\n")[1:])]
        case "expansion":
            return _read_expansion(node, text)
        case "command_substitution":
            return _read_substitution(node)
        case "process_substitution":
            return [""]
    if node.child_count or re.search(r"(?<!\\)[*?]|(?<!\\)\[.", text):
        return [UNKNOWN]
    plain = re.sub(r"(?s)\\(?:\n|(.))", r"\1", text)
    return ["\0HOME\0" + plain[1:] if text == "~" or text.startswith("~/") else plain]


def _read_variable(name: str) -> str:
    return f"\0{'0' if name == 'BASH_SOURCE' else name}\0" if name.isalnum() or name.isidentifier() else UNKNOWN  # fmt: skip


def _read_expansion(node: Node, text: str) -> list[str]:
    """Read `${name}` in its usual forms: with a default, or with the last part of a path cut off."""
    found = re.fullmatch(_EXPANSION, text)
    if found is None:
        return [UNKNOWN]
    name, rest = _read_variable(found[1]), found[2]
    if not rest or rest == "%/" or rest.startswith((":?", "?")):
        return [name]
    if rest == "%/*" or re.fullmatch(r"(:[aAP])?:h", rest):
        return [f"{name}\2"]
    if re.match(r":?[-=]", rest):
        return [name, *(_read_piece(node.named_children[1]) if node.named_child_count > 1 else ())]
    return [UNKNOWN]


def _read_substitution(node: Node) -> list[str]:
    """Read the usual spellings of a file's own folder, the working folder and the repository; else unknown."""
    commands = list(_list_commands(node))
    names = [_read_text(each.children[0]) for each in commands]
    targets = [_join([_read_piece(each.children[-1])]) for each in commands]
    if names == ["dirname"]:
        return [f"{target}\2" for target in targets[0]]
    if names in (["cd", "pwd"], ["realpath"], ["readlink"]):
        return targets[0]
    if names[:1] == ["git"] and "--show-toplevel" in _read_text(commands[0]):
        return ["\0git\0", *(["\0PWD\0"] if "pwd" in names else ())]
    return ["\0PWD\0"] if names == ["pwd"] else [UNKNOWN]


def _list_commands(node: Node) -> Iterator[Node]:
    """Return the commands of a substitution in order, without those of inner substitutions."""
    for child in node.children:
        if child.type == "command":
            yield child
        elif child.type in {"list", "redirected_statement", "pipeline"}:
            yield from _list_commands(child)
