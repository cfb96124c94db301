"""Prompt templates: jinja2's sandbox, which also reads the plain part of Go's text/template.

Of Go it covers what docker-agent documents: fields (`{{ .ToolName }}`, `{{ .tool_input.cmd }}`),
the whole payload (`{{ . }}`), calls (`{{ toJSON .ToolInput }}`, `{{ truncate 200 .cmd }}`) and
pipelines (`{{ .ToolInput | toJSON | truncate 200 }}`). The author of a prompt is trusted like the
author of a command; the payload is not. So values are bounded, and their attributes and methods are
out of reach.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from jinja2 import ChainableUndefined, StrictUndefined, TemplateSyntaxError, nodes
from jinja2.ext import Extension
from jinja2.lexer import Token
from jinja2.runtime import LoopContext, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from hookline.errors import HandlerError
from hookline.wire.template_parts import Faults, Inserted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jinja2.lexer import TokenStream

_MOST_WRITTEN = 64 << 10  # characters of a template
_MOST_SHOWN = 64 << 10  # characters of one value in a prompt
_LONGEST = 1 << 20  # characters of a value while it is worked on
# Filling goes on up to this multiple of the prompt's limit, to learn which values are too long.
_OVERSIZE = 16
_PAYLOAD = "payload"
_OPERANDS = ("dot", "string", "integer")
_GO_WORDS = frozenset((
    "if", "else", "end", "range", "with", "define", "template", "block", "break", "continue",
    "print", "printf", "println", "index", "len",
))  # fmt: skip
_HINT = (
    "there are fields as `{{ .ToolName }}`, `toJSON` and `truncate`, and jinja2's own spelling, as"
    " `{% if tool_input %}`"
)


# -- values ------------------------------------------------------------------------------------


def to_json(value: Any) -> str:
    """Return a value as compact JSON; what is no JSON is null."""
    _refuse_missing(value)
    if isinstance(value, Undefined):
        return "null"
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=lambda _: None)
    return text[:_LONGEST]


def to_text(value: Any) -> str:
    """Return a value as a prompt shows it: texts as they are, everything else as JSON."""
    _refuse_missing(value)
    if isinstance(value, Undefined) or value is None:
        return ""
    return value[:_LONGEST] if isinstance(value, str) else to_json(value)


def _refuse_missing(value: Any) -> None:
    """Check that a value is in the payload, where that matters.

    Raises:
        HandlerError: it is not.
    """
    if isinstance(value, StrictUndefined):
        raise HandlerError(f"there is no `{value._undefined_name}` in the payload")


def truncate(first: Any, second: Any = 0) -> str:
    """Cut a text to a number of bytes and append `…`.

    Takes number and text in any order. 0 cuts nothing.
    """
    is_number = isinstance(first, int) and not isinstance(first, bool)
    most, value = (first, second) if is_number else (second, first)
    text = to_text(value)
    raw = text.encode("utf-8", "replace")
    if not isinstance(most, int) or most <= 0 or len(raw) <= most:
        return text
    return raw[:most].decode("utf-8", "ignore") + "…"


def _join(values: Any, between: str = "") -> str:
    items = values if isinstance(values, list | tuple | dict) else ()
    return between.join(map(to_text, items))[:_LONGEST]


def _insert(value: Any) -> Inserted:
    """Return a printed value as a part of the prompt that comes from the event."""
    text = to_text(value)
    return Inserted(text[:_MOST_SHOWN], missing=max(0, len(text) - _MOST_SHOWN))


class _Fields(dict[str, Any]):
    """The payload; its fields also have the names of Go's program: `ToolInput` is `tool_input`."""

    def __missing__(self, key: str) -> Any:
        known = to_snake_case(key)
        return self[known] if known != key and known in self else ChainableUndefined(name=key)


class _KnownFields(_Fields):
    """The same, where a missing field is an error."""

    def __missing__(self, key: str) -> Any:
        value = super().__missing__(key)
        if isinstance(value, Undefined):
            raise HandlerError(f"there is no `{key}` in the payload")
        return value


def to_snake_case(name: str) -> str:
    """Return a field's name in Go as the payload's key: `ToolUseID` is `tool_use_id`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


# -- Go's syntax -------------------------------------------------------------------------------


class _GoSyntax(Extension):
    """Translates Go's fields, calls and pipelines to jinja2's, token by token."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        tokens = iter(stream)
        for token in tokens:
            yield token
            if token.type == "variable_begin":
                inside: list[Token] = []
                for each in tokens:
                    if each.type == "variable_end":
                        yield from _translate(inside)
                        yield each
                        break
                    inside.append(each)


def _translate(tokens: list[Token]) -> list[Token]:
    """Return the tokens between two pairs of braces as jinja2's.

    Tokens that are not Go's stay as they are.

    Raises:
        TemplateSyntaxError: Go's syntax goes beyond fields, `toJSON` and `truncate`.
    """
    kinds = [token.type for token in tokens] + ["", ""]
    word = tokens[0].value if kinds[0] == "name" else ""
    if word in _GO_WORDS and kinds[1] in ("", "name", *_OPERANDS):
        message = f"`{word}` is of Go's templates, of which prompts have the plain part only"
        raise TemplateSyntaxError(message, tokens[0].lineno)
    if kinds[0] != "dot" and not (word in _HELPERS and kinds[1] in _OPERANDS):
        return tokens
    commands: list[list[Token]] = [[]]
    for token in tokens:
        if token.type == "pipe":
            commands.append([])
        else:
            commands[-1].append(token)
    made: list[Token] = []
    for at, command in enumerate(commands):
        pipe = [Token(tokens[0].lineno, "pipe", "|")] if at else []
        made += [*pipe, *_translate_command(command, tokens[0].lineno, is_first=not at)]
    return made


def _translate_command(command: list[Token], line: int, *, is_first: bool) -> list[Token]:
    """Return one command of a pipeline: an operand, or a function with its operands."""
    left = list(command)
    if is_first and left and left[0].type == "dot":
        made = _take_operand(left, line)
    else:
        name = left.pop(0) if left and left[0].type == "name" else None
        if name is None or name.value not in _HELPERS:
            what = f"there is no function `{name.value}`" if name else "a function is expected here"
            raise TemplateSyntaxError(what, line)
        made = [name]
        if left:
            made.append(Token(line, "lparen", "("))
            while left and left[0].type in _OPERANDS:
                made += [*_take_operand(left, line), Token(line, "comma", ",")]
            made.append(Token(line, "rparen", ")"))
    if left:
        raise TemplateSyntaxError(f"`{left[0].value}` is not expected here", line)
    return made


def _take_operand(left: list[Token], line: int) -> list[Token]:
    """Take an operand from the tokens: a literal, `.` for the payload, or a path of fields."""
    if left[0].type != "dot":
        return [left.pop(0)]
    made = [Token(line, "name", _PAYLOAD)]
    if len(left) == 1 or left[1].type not in ("name", "dot"):
        left.pop(0)
        return made
    while left and left[0].type == "dot":
        dot = left.pop(0)
        if not left or left[0].type != "name":
            raise TemplateSyntaxError("a name of a field is expected behind `.`", line)
        made += [dot, left.pop(0)]
    return made


# -- the sandbox -------------------------------------------------------------------------------

_HELPERS: dict[str, Callable[..., str]] = {"toJSON": to_json, "truncate": truncate}


class _Sandbox(ImmutableSandboxedEnvironment):
    """Templates reach entries of the payload and properties of a loop, no other attribute."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, LoopContext):
            return super().getattr(obj, attribute)
        return self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        try:
            return obj[argument]
        except (LookupError, TypeError):
            return self.undefined(name=str(argument))


def _parse(prompt: str, *, is_strict: bool = False) -> tuple[_Sandbox, nodes.Template]:
    """Parse a prompt. `is_strict`: what the payload does not have is an error when it is shown.

    Raises:
        TemplateSyntaxError: it is not a template, or it names what is Python's.
    """
    if len(prompt) > _MOST_WRITTEN:
        raise TemplateSyntaxError(f"it is longer than {_MOST_WRITTEN:,} characters", 1)
    environment = _Sandbox(
        extensions=[_GoSyntax],
        undefined=StrictUndefined if is_strict else ChainableUndefined,
        finalize=_insert,
        keep_trailing_newline=True,
        autoescape=False,
        cache_size=0,
    )
    environment.filters |= {**_HELPERS, "tojson": to_json, "string": to_text, "join": _join}
    environment.globals = {**_HELPERS, "range": environment.globals["range"]}
    tree = environment.parse(prompt)
    for node in tree.find_all(nodes.Getattr):
        if node.attr.startswith("__"):
            raise TemplateSyntaxError(f"there is no `{node.attr}`", node.lineno)
    return environment, tree


def check_template(prompt: str) -> Faults:
    """Return what is wrong with a prompt, and which fields of the payload it names."""
    try:
        environment, tree = _parse(prompt)
        environment.compile(tree)
    except TemplateSyntaxError as error:
        why = (error.message or "it cannot be read").rstrip(".")
        return Faults(error=f"line {error.lineno}: {why}", hint=_HINT)
    except Exception as error:  # noqa: BLE001 - one hook's prompt must not stop the others
        return Faults(error=f"it cannot be read ({type(error).__name__})", hint=_HINT)
    names = list(tree.find_all(nodes.Name))
    bound = {name.name for name in names if name.ctx == "store"}
    bound |= {_PAYLOAD, "loop", *environment.globals}
    read = [name.name for name in names if name.name not in bound]
    read += [
        part.attr
        for part in tree.find_all(nodes.Getattr)
        if isinstance(part.node, nodes.Name) and part.node.name == _PAYLOAD
    ]
    return Faults(fields=tuple(dict.fromkeys(read)))


def fill_template(
    prompt: str,
    payload: dict[str, Any],
    *,
    most: int,
    late: Callable[[], bool],
    is_strict: bool = False,
) -> list[str]:
    """Fill a prompt with a payload's values, part by part; each value is an `Inserted`.

    `is_strict`: a key that the payload does not have is an error.

    Raises:
        HandlerError: it is not a template, filling fails or takes too long, or it grows far beyond
            `most` characters.
    """
    try:
        environment, tree = _parse(prompt, is_strict=is_strict)
        fields = {key: value for key, value in payload.items() if key not in environment.globals}
        template = environment.from_string(tree)
        known = (_KnownFields if is_strict else _Fields)(payload)
        return _collect(template.generate({**fields, _PAYLOAD: known}), most, late)
    except HandlerError:
        raise
    except Exception as error:  # noqa: BLE001 - it is reported as the template's fault
        why = f"{type(error).__name__}: {error!s:.200}"
        raise HandlerError(f"the prompt cannot be filled in: {why}") from None


def _collect(generated: Iterator[str], most: int, late: Callable[[], bool]) -> list[str]:
    parts: list[str] = []
    size = 0
    for part in generated:
        parts.append(part)
        size += len(part)
        if late():
            raise HandlerError("the prompt takes too long to fill in")
        if size > _OVERSIZE * max(most, _MOST_SHOWN):
            raise HandlerError(f"the prompt grows far beyond {most:,} characters")
    return parts
