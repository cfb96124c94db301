"""The sandbox for prompt templates: jinja2 without access to Python, and the basic part of Go's text/template.

A list of node types, filters and functions says what a template may contain; anything else is refused before it runs.
Templates have no variables, no arithmetic and no calls except to our helpers, so no value can outgrow the payload.
All loops share one limit of rounds, and filling ends when the prompt is long enough. Each single step is bounded too,
because nothing else runs in this process meanwhile.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

from jinja2 import ChainableUndefined, TemplateSyntaxError, nodes
from jinja2.filters import do_default, do_first, do_items, do_last, do_trim
from jinja2.runtime import LoopContext, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import pass_context

from hookline.errors import HandlerError
from hookline.wire.go_templates import GO_FUNCTIONS, PAYLOAD_NAME, GoTemplateExtension
from hookline.wire.template_parts import Faults
from hookline.wire.template_values import (
    MOST_SHOWN,
    join_values,
    mark_inserted,
    to_json,
    to_text,
    truncate,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from jinja2.runtime import Context

# The rounds that all loops of a prompt may take together.
_ROUNDS = 10_000
# Limits for the template text: characters, parts and levels.
_MOST_WRITTEN = 64 << 10
_MOST_PARTS = 10_000
_DEEPEST = 64
# Filling continues up to this multiple of the prompt's limit, to learn which values are too long.
_OVERSIZE = 16
_LOOP = ("index", "index0", "revindex", "revindex0", "first", "last", "length")
_HINT = "there are fields as `{{ .ToolName }}`, `toJSON` and `truncate`, and jinja2's own spelling, as `{% if tool_input %}`"
_FORBIDDEN_NAMES = frozenset({"self", "super", "caller", "varargs", "kwargs"})
_ALLOWED: tuple[type[nodes.Node], ...] = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Getattr, nodes.Getitem, nodes.Filter,
    nodes.Call, nodes.If, nodes.CondExpr, nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Test, nodes.For,
    nodes.Tuple, nodes.List, nodes.Keyword, nodes.Neg,
)  # fmt: skip


# -- functions for templates -----------------------------------------------------------------------------------------------

_HELPERS: dict[str, Callable[..., Any]] = dict(zip(GO_FUNCTIONS, (to_json, truncate), strict=True))
_FILTERS: dict[str, Callable[..., Any]] = {
    **_HELPERS, "tojson": to_json, "join": join_values, "string": to_text, "default": do_default, "d": do_default, "first": do_first,
    "last": do_last, "items": do_items, "trim": lambda value: do_trim(to_text(value)), "lower": lambda value: to_text(value).lower(),
    "upper": lambda value: to_text(value).upper(), "length": lambda value: 0 if isinstance(value, Undefined) else len(value),
}  # fmt: skip
_TESTS = frozenset(
    (
        "defined",
        "undefined",
        "none",
        "string",
        "number",
        "mapping",
        "sequence",
        "true",
        "false",
        "boolean",
        "in",
        "eq",
        "ne",
    )
)


class _Bounds:
    """The limits left to one filling."""

    def __init__(self, late: Callable[[], bool]) -> None:
        self.rounds = _ROUNDS
        self.late = late

    def count_round(self) -> None:
        self.rounds -= 1
        if self.rounds < 0:
            raise HandlerError(f"the prompt's loops go round more than {_ROUNDS:,} times")
        if self.late():
            raise HandlerError("the prompt takes too long to fill in")


@pass_context
def _iterate_bounded(context: Context, values: Iterable[Any]) -> Iterator[Any]:
    """Yield the values of a loop; each counts as a round."""
    bounds: _Bounds = context.parent["_bounds"]
    for value in values:
        bounds.count_round()
        yield value


class _Fields(dict[str, Any]):
    """The payload, whose fields also have the names of Go's program: `ToolInput` is `tool_input`."""

    def __missing__(self, key: str) -> Any:
        return (
            self[known]
            if (known := to_snake_case(key)) != key and known in self
            else ChainableUndefined(name=key)
        )


def to_snake_case(name: str) -> str:
    """Return a field's name in Go as the payload's key: `ToolUseID` is `tool_use_id`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


# -- the environment -----------------------------------------------------------------------------------------------------


class _Sandbox(ImmutableSandboxedEnvironment):
    """Templates reach no attribute of any object, except entries of the payload and the properties of a loop."""

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
        return obj in (*_HELPERS.values(), _make_range)


def _make_range(*bounds: int) -> range:
    """Return a range that is no longer than the rounds of a prompt."""
    return range(*(bound if isinstance(bound, int) else 0 for bound in bounds))[: _ROUNDS + 1]


def _environment() -> _Sandbox:
    made = _Sandbox(
        extensions=[GoTemplateExtension],
        undefined=ChainableUndefined,
        finalize=mark_inserted,
        keep_trailing_newline=True,
        autoescape=False,
        cache_size=0,
    )
    made.filters = {**_FILTERS, "_bounded": _iterate_bounded}
    made.tests = {name: test for name, test in made.tests.items() if name in _TESTS}
    made.globals = {**_HELPERS, "range": _make_range}
    return made


def _parse(prompt: str) -> tuple[_Sandbox, nodes.Template]:
    """Parse a prompt into a tree that contains only what prompts may contain.

    Raises:
        TemplateSyntaxError: it is not a template, or contains anything else.
    """
    if len(prompt) > _MOST_WRITTEN:
        raise TemplateSyntaxError(f"it is longer than {_MOST_WRITTEN:,} characters", 1)
    environment = _environment()
    tree = environment.parse(prompt)
    looped = [loop.iter for loop in _walk(tree) if isinstance(loop, nodes.For)]
    called = [call.node for call in _walk(tree) if isinstance(call, nodes.Call)]
    counted = {id(call.node) for call in looped if isinstance(call, nodes.Call)}
    named = {id(node) for node in called}
    for node in _walk(tree):
        if why := _explain_mention(node, named, counted) or _explain_refused_node(node):
            raise TemplateSyntaxError(why, node.lineno)
    for loop in list(tree.find_all(nodes.For)):
        loop.iter = nodes.Filter(
            loop.iter, "_bounded", [], [], None, None, lineno=loop.lineno, environment=environment
        )
    return environment, tree


def _walk(tree: nodes.Node) -> Iterator[nodes.Node]:
    """Yield every part of a tree.

    Raises:
        TemplateSyntaxError: it has too many, or they are nested too deeply.
    """
    left = [(tree, 0)]
    for parts in itertools.count(1):
        if not left:
            return
        node, depth = left.pop()
        if depth > _DEEPEST:
            raise TemplateSyntaxError(f"it is nested more than {_DEEPEST} levels deep", node.lineno)
        if parts > _MOST_PARTS:
            raise TemplateSyntaxError(f"it has more than {_MOST_PARTS:,} parts", node.lineno)
        yield node
        left += [(inner, depth + 1) for inner in node.iter_child_nodes()]


def _explain_mention(node: nodes.Node, called: Collection[int], counted: Collection[int]) -> str:
    """Return why a helper may not be named here; empty if this is not a helper, or it may."""
    if not isinstance(node, nodes.Name) or node.name not in (*_HELPERS, "range"):
        return ""
    if id(node) not in called:
        return f"`{node.name}` must be called, as in `{{{{ toJSON .ToolInput }}}}`"
    if node.name == "range" and id(node) not in counted:
        return "`range` is for loops only, as in `{% for i in range(3) %}`"
    return ""


def _explain_refused_node(node: nodes.Node) -> str:
    """Return why a prompt may not contain this node; empty if it may."""
    match node:
        case nodes.Name(name=name) if name.startswith("_") or name in _FORBIDDEN_NAMES:
            return f"there is no `{name}`"
        case nodes.Getattr(attr=name) if name.startswith("__"):
            return f"there is no `{name}`"
        case nodes.Filter(name=name) if name not in _FILTERS:
            return f"there is no filter `{name}`"
        case nodes.Test(name=name) if name not in _TESTS:
            return f"there is no test `{name}`"
        case nodes.Call(node=nodes.Name(name=name), dyn_args=None, dyn_kwargs=None) if (
            name in _HELPERS or name == "range"
        ):
            return ""
        case nodes.Call():
            return "only `toJSON`, `truncate` and `range` can be called"
        case nodes.For(recursive=True):
            return "a loop cannot call itself"
        case _ if type(node) in _ALLOWED:
            return ""
    return f"a prompt cannot have `{type(node).__name__.lower()}`"


# -- checking and filling --------------------------------------------------------------------------------------------------


def check_template(prompt: str) -> Faults:
    """Return what is wrong with a prompt, and which fields of the payload it names."""
    try:
        environment, tree = _parse(prompt)
        environment.compile(tree)
    except TemplateSyntaxError as error:
        return Faults(
            error=f"line {error.lineno}: {(error.message or 'it cannot be read').rstrip('.')}",
            hint=_HINT,
        )
    except Exception as error:  # noqa: BLE001 - a fault in one hook's prompt must not stop the others
        return Faults(error=f"it cannot be read ({type(error).__name__})", hint=_HINT)
    bound = {name.name for name in tree.find_all(nodes.Name) if name.ctx == "store"} | {
        PAYLOAD_NAME,
        "loop",
        *environment.globals,
    }
    read = [name.name for name in tree.find_all(nodes.Name) if name.name not in bound]
    read += [
        part.attr
        for part in tree.find_all(nodes.Getattr)
        if isinstance(part.node, nodes.Name) and part.node.name == PAYLOAD_NAME
    ]
    return Faults(fields=tuple(dict.fromkeys(read)))


def fill_template(
    prompt: str, payload: dict[str, Any], *, most: int, late: Callable[[], bool]
) -> list[str]:
    """Fill a prompt with a payload's values, part by part; each value is an `Inserted`.

    Raises:
        HandlerError: it is not a template, filling fails, or it grows far beyond `most` characters.
    """
    try:
        environment, tree = _parse(prompt)
        template = environment.from_string(tree)
        fields = _Fields(payload)
        named = {
            key: value
            for key, value in payload.items()
            if not key.startswith("_") and key not in environment.globals
        }
        return _collect(
            template.generate({**named, PAYLOAD_NAME: fields, "_bounds": _Bounds(late)}), most, late
        )
    except HandlerError:
        raise
    except Exception as error:  # noqa: BLE001 - a fault in the template is reported as the template's
        raise HandlerError(
            f"the prompt cannot be filled in: {type(error).__name__}: {error!s:.200}"
        ) from None


def _collect(generated: Iterable[str], most: int, late: Callable[[], bool]) -> list[str]:
    parts: list[str] = []
    size = 0
    for part in generated:
        parts.append(part)
        size += len(part)
        if late():
            raise HandlerError("the prompt takes too long to fill in")
        if size > _OVERSIZE * max(most, MOST_SHOWN):
            raise HandlerError(f"the prompt grows far beyond {most:,} characters")
    return parts
