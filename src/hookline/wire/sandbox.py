"""The sandbox that prompts are filled in: jinja2 without Python behind it, and the plain part of Go's text/template.

What a template may say is a list of node types, filters and functions; whatever is not on it is refused before the template runs.
It has no variables, no arithmetic and no calls but those of its own helpers, so that nothing in it can grow beyond the payload;
its loops share one number of rounds, and all of it ends when the prompt is long enough.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from jinja2 import ChainableUndefined, TemplateError, TemplateSyntaxError, nodes
from jinja2.filters import do_default, do_first, do_items, do_last, do_trim
from jinja2.runtime import LoopContext, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import pass_context

from hookline.errors import HandlerError
from hookline.wire.gospelling import CALLED, WHOLE, GoSpelling
from hookline.wire.templates import Faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from jinja2.runtime import Context

# Rounds of all loops of one prompt together, and characters of a text beyond which no prompt shows anything of it.
_ROUNDS = 10_000
_LONGEST = 1 << 20
_LOOP = ("index", "index0", "revindex", "revindex0", "first", "last", "length")
_HINT = "there are fields as `{{ .ToolName }}`, `toJSON` and `truncate`, and jinja2's own spelling, as `{% if tool_input %}`"
_FORBIDDEN_NAMES = frozenset({"self", "super", "caller", "varargs", "kwargs"})
_ALLOWED: tuple[type[nodes.Node], ...] = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Getattr, nodes.Getitem, nodes.Filter,
    nodes.Call, nodes.If, nodes.CondExpr, nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Test, nodes.For,
    nodes.Tuple, nodes.List, nodes.Keyword, nodes.Neg,
)  # fmt: skip


# -- helpers of templates ------------------------------------------------------------------------------------------------


def _as_json(value: Any) -> str:
    """Any value as compact JSON."""
    if isinstance(value, Undefined):
        return "null"
    return json.dumps(_short(value), ensure_ascii=False, separators=(",", ":"), default=str)


def _truncated(first: Any, second: Any = 0) -> str:
    """A text of at most so many bytes, with `…` behind it where it was cut; number and text in any order. 0 cuts nothing."""
    most, value = (first, second) if isinstance(first, int) and not isinstance(first, bool) else (second, first)
    text = _text(value)
    if not isinstance(most, int) or most <= 0 or len(raw := text.encode("utf-8", "replace")) <= most:
        return text
    return raw[:most].decode("utf-8", "ignore") + "…"


def _text(value: Any) -> str:
    """A value as a prompt shows it: texts as they stand, everything else as JSON."""
    if isinstance(value, Undefined) or value is None:
        return ""
    return str(_short(value)) if isinstance(value, str) else _as_json(value)


def _short(value: Any) -> Any:
    return value[:_LONGEST] if isinstance(value, str) else value


def _joined(values: Any, between: str = "") -> str:
    parts: list[str] = []
    size = 0
    for value in values if isinstance(values, list | tuple | dict) else ():
        parts.append(_text(value))
        size += len(parts[-1]) + len(between)
        if size > _LONGEST:
            break
    return _text(between).join(parts)


_HELPERS: dict[str, Callable[..., Any]] = dict(zip(CALLED, (_as_json, _truncated), strict=True))
_FILTERS: dict[str, Callable[..., Any]] = {
    **_HELPERS, "tojson": _as_json, "join": _joined, "string": _text, "default": do_default, "d": do_default, "first": do_first,
    "last": do_last, "items": do_items, "trim": lambda value: do_trim(_text(value)), "lower": lambda value: _text(value).lower(),
    "upper": lambda value: _text(value).upper(), "length": lambda value: 0 if isinstance(value, Undefined) else len(value),
}  # fmt: skip
_TESTS = frozenset(
    ("defined", "undefined", "none", "string", "number", "mapping", "sequence", "true", "false", "boolean", "in", "eq", "ne")
)


class _Bounds:
    """What one filling may still do."""

    def __init__(self, late: Callable[[], bool]) -> None:
        self.rounds = _ROUNDS
        self.late = late

    def step(self) -> None:
        self.rounds -= 1
        if self.rounds < 0:
            raise HandlerError(f"the prompt's loops go round more than {_ROUNDS:,} times")
        if self.late():
            raise HandlerError("the prompt takes too long to fill in")


@pass_context
def _bounded(context: Context, values: Iterable[Any]) -> Iterator[Any]:
    """The values of a loop, each of which is a round of its prompt."""
    bounds: _Bounds = context.parent["_bounds"]
    for value in values:
        bounds.step()
        yield value


class _Fields(dict[str, Any]):
    """The payload, whose fields also answer to the names that Go's program gives them: `ToolInput` is `tool_input`."""

    def __missing__(self, key: str) -> Any:
        return self[known] if (known := snake(key)) != key and known in self else ChainableUndefined(name=key)


def snake(name: str) -> str:
    """A field's name in Go as the payload's key: `ToolUseID` is `tool_use_id`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


# -- the environment -----------------------------------------------------------------------------------------------------


class _Sandbox(ImmutableSandboxedEnvironment):
    """No attribute of any object is in reach, but the entries of the payload and what a loop knows of itself."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        return self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, Undefined):
            return obj
        if isinstance(obj, LoopContext) and argument in _LOOP:
            return getattr(obj, argument)
        if isinstance(obj, dict | list | tuple | str):
            try:
                return obj[argument]
            except (LookupError, TypeError):
                pass
        return self.undefined(name=str(argument))

    def is_safe_callable(self, obj: Any) -> bool:
        return obj in (*_HELPERS.values(), _numbers)


def _numbers(*bounds: int) -> range:
    """A range, of which a prompt goes through no more than its rounds."""
    return range(*(bound if isinstance(bound, int) else 0 for bound in bounds))


def _environment() -> _Sandbox:
    made = _Sandbox(
        extensions=[GoSpelling], undefined=ChainableUndefined, finalize=_text, keep_trailing_newline=True, autoescape=False, cache_size=0
    )
    made.filters = {**_FILTERS, "_bounded": _bounded}
    made.tests = {name: test for name, test in made.tests.items() if name in _TESTS}
    made.globals = {**_HELPERS, "range": _numbers}
    return made


def _parsed(prompt: str) -> tuple[_Sandbox, nodes.Template]:
    """A prompt as a tree that holds nothing but what prompts may say.

    Raises:
        TemplateSyntaxError: it is no template, or says something else.
    """
    environment = _environment()
    tree = environment.parse(prompt)
    called = [call.node for call in tree.find_all(nodes.Call)]
    for node in _all(tree):
        if why := _mention(node, called) or _refusal(node):
            raise TemplateSyntaxError(why, node.lineno)
    for loop in list(tree.find_all(nodes.For)):
        loop.iter = nodes.Filter(loop.iter, "_bounded", [], [], None, None, lineno=loop.lineno, environment=environment)
    return environment, tree


def _all(node: nodes.Node) -> Iterator[nodes.Node]:
    yield node
    for child in node.iter_child_nodes():
        yield from _all(child)


def _mention(node: nodes.Node, called: list[nodes.Expr]) -> str:
    """Why a helper may not be named without being called; empty if this is none, or is called."""
    if not isinstance(node, nodes.Name) or node.name not in (*_HELPERS, "range") or any(node is each for each in called):
        return ""
    return f"`{node.name}` must be called, as in `{{{{ toJSON .ToolInput }}}}`"


def _refusal(node: nodes.Node) -> str:
    """Why a prompt may not say this; empty if it may."""
    match node:
        case nodes.Name(name=name) if name.startswith("_") or name in _FORBIDDEN_NAMES:
            return f"there is no `{name}`"
        case nodes.Getattr(attr=name) if name.startswith("__"):
            return f"there is no `{name}`"
        case nodes.Filter(name=name) if name not in _FILTERS:
            return f"there is no filter `{name}`"
        case nodes.Test(name=name) if name not in _TESTS:
            return f"there is no test `{name}`"
        case nodes.Call(node=nodes.Name(name=name), dyn_args=None, dyn_kwargs=None) if name in _HELPERS or name == "range":
            return ""
        case nodes.Call():
            return "only `toJSON`, `truncate` and `range` can be called"
        case nodes.For(recursive=True):
            return "a loop cannot call itself"
        case _ if type(node) in _ALLOWED:
            return ""
    return f"a prompt cannot have `{type(node).__name__.lower()}`"


# -- what is done with a prompt ------------------------------------------------------------------------------------------


def examined(prompt: str) -> Faults:
    """What is wrong with a prompt, and which fields of the payload it names."""
    try:
        environment, tree = _parsed(prompt)
        environment.compile(tree)
    except TemplateSyntaxError as error:
        return Faults(error=f"line {error.lineno}: {(error.message or 'it cannot be read').rstrip('.')}", hint=_HINT)
    except (TemplateError, RecursionError) as error:
        return Faults(error=f"{type(error).__name__}: {error}", hint=_HINT)
    bound = {name.name for name in tree.find_all(nodes.Name) if name.ctx == "store"} | {WHOLE, "loop", *environment.globals}
    read = [name.name for name in tree.find_all(nodes.Name) if name.name not in bound]
    read += [part.attr for part in tree.find_all(nodes.Getattr) if isinstance(part.node, nodes.Name) and part.node.name == WHOLE]
    return Faults(fields=tuple(dict.fromkeys(read)))


def filled(prompt: str, payload: dict[str, Any], *, most: int, late: Callable[[], bool]) -> str:
    """A prompt with a payload's values; what lies beyond `most` characters, and one more, is not worked out.

    Raises:
        HandlerError: it is no template, or it cannot be filled in.
    """
    try:
        environment, tree = _parsed(prompt)
        template = environment.from_string(tree)
        fields = _Fields(payload)
        named = {key: value for key, value in payload.items() if not key.startswith("_") and key not in environment.globals}
        context = {**named, WHOLE: fields, "_bounds": _Bounds(late)}
        parts: list[str] = []
        size = 0
        for part in template.generate(context):
            parts.append(part)
            size += len(part)
            if size > most or late():
                break
    except HandlerError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in somebody's template is that template's fault
        raise HandlerError(f"the prompt cannot be filled in: {type(error).__name__}: {error!s:.200}") from None
    if late():
        raise HandlerError("the prompt takes too long to fill in")
    return "".join(parts)
