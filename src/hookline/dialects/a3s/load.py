"""Loads a3s's definitions: one hook, a list of hooks, or a list under `hooks`."""

from __future__ import annotations

import re

from hookline.core.dialect import EventRow, Loaded, Source
from hookline.dialects.a3s.decode_outcome import answer_without_handler
from hookline.dialects.a3s.globs import to_expression
from hookline.dialects.a3s.table import DEFAULT_PRIORITY, NAME, TABLE
from hookline.errors import ConfigError, did_you_mean
from hookline.model.spec import HookSpec, InProcess, Never, OneOf, PathPattern, Pattern, Problem
from hookline.model.verdict import Stance
from hookline.text.regex import compile_regex
from hookline.wire.fields import Node, describe_value
from hookline.wire.sources import make_spec, read_tree, refuse_unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.model.spec import Condition
    from hookline.text.re2_regex import Regex

_HOOK_KEYS = ("id", "event_type", "matcher", "config")
_MATCHER_KEYS = ("session_id", "tool", "path_pattern", "command_pattern", "skill")
_CONFIG_KEYS = ("priority", "timeout_ms", "async_execution", "fail_mode", "max_retries")
_FAIL_MODES = {"open": Stance.SILENT, "closed": Stance.DENY}
# The first of these whose value is text is the path of a call (docs/formats/a3s.md 4).
_PATH_KEYS = ("file_path", "path", "notebook_path")
_COMMAND_TOOLS = frozenset({"Bash", "bash"})
_HIGHEST = 2**31


def load(source: Source, *, substring: bool = False) -> Loaded:
    """Return the definitions of a source, in declared order, and every problem that it has.

    docs/formats/a3s.md 3

    `substring`: an expression that does not compile is searched as plain text, as upstream does,
    with a warning.
    """
    problems: list[Problem] = []
    try:
        root = read_tree(source, problems)
    except ConfigError as error:
        return refuse_unreadable(source, TABLE, error)
    specs: dict[str, HookSpec] = {}
    for node in _find_definitions(root):
        spec = _read_hook(node, source, substring=substring)
        if spec is None:
            continue
        if spec.id in specs:
            why = f"`{spec.id}` stands twice; this definition replaces the former"
            node.warn("hook.duplicate", why)
        if source.text is not None and type(spec.handler) is InProcess:
            only = "a file of a3s holds definitions only"
            why = f"`{spec.name}` has no handler and does nothing: {only}"
            hint = (
                "register it in Python with `hookline.a3s.HookEngine`,"
                " or from a process with `hookline.remote`"
            )
            node.warn("hook.never-runs", why, "id", hint=hint)
        specs[spec.id] = spec
    return Loaded(specs=tuple(specs.values()), problems=tuple(problems))


def _find_definitions(root: Node) -> Iterator[Node]:
    node = root
    if isinstance(node.value, dict):
        if "hooks" not in node.value:
            yield node
            return
        root.check_known_keys(("hooks",), "the document")
        node = root.child("hooks")
    if isinstance(node.value, list):
        yield from node.children()
    elif node.value is not None:
        node.complain("config.type", f"hooks must be a list, not {describe_value(node.value)}")


def _read_hook(node: Node, source: Source, *, substring: bool) -> HookSpec | None:
    """Return one definition; None where hookline cannot even tell its event.

    A definition with a mistake stays in its place as a broken hook.
    """
    mark = node.mark()
    if not node.is_mapping("a hook"):
        return None
    node.check_known_keys(_HOOK_KEYS, "a hook")
    native = node.text("event_type", required=True)
    row = TABLE.row(native)
    if row is None and native:
        hint = did_you_mean(native, TABLE.rows) or f"known events: {', '.join(TABLE.rows)}"
        node.complain("event.unknown", f"unknown event `{native}`", "event_type", hint=hint)
    name = node.text("id", required=True)
    if node.value.get("id") == "":
        node.complain("value.range", "the `id` of a hook is empty", "id")
    if row is None:
        return None
    name = name or node.pointer or "hook"
    handler = InProcess(call=answer_without_handler, name=name, read_by_dialect=True)
    spec = make_spec(
        source,
        NAME,
        row,
        node,
        id=name,
        name=name,
        handler=handler,
        conditions=tuple(_read_matcher(node, row, substring=substring)),
        rank=DEFAULT_PRIORITY,
        timeout=TABLE.default_timeout,
        on_failure=row.fails,
    )
    if node.value.get("config") is not None and node.child("config").is_mapping("`config`"):
        spec = _configure(spec, node.child("config"), row)
    return spec.replace(handler=node.choose_handler(handler, node.errors_since(mark)))


# -- matcher ---------------------------------------------------------------------------------------


def _read_matcher(hook: Node, row: EventRow, *, substring: bool) -> Iterator[Condition]:
    """Yield the conditions of a matcher in the order in which hookline checks them.

    A value that is no text is a problem and narrows nothing: the broken hook counts wherever it
    might have matched.
    """
    if hook.value.get("matcher") is None:
        return
    node = hook.child("matcher")
    if not node.is_mapping("`matcher`", "matcher.type"):
        return
    node.check_known_keys(_MATCHER_KEYS, "a matcher")
    carried = {"session_id", *({"tool", "path_pattern", "command_pattern"} if row.subject else ())}
    if any(field.native == "skill_name" for field in row.fields):
        carried.add("skill")
    for key in _MATCHER_KEYS:
        text = node.text(key)
        if not text and node.value.get(key) != "":
            continue
        if key not in carried:
            reason = f"`{row.native}` carries nothing that `{key}` could select"
            node.warn("matcher.not-applicable", reason, key, hint="the hook never runs")
            yield Never(reason=reason)
        match key:
            case "session_id" | "tool":
                yield OneOf(field=key, names=frozenset({text}))
            case "path_pattern":
                regex, climbs = _read_glob(node, key, text)
                yield PathPattern(keys=_PATH_KEYS, source=text, regex=regex, climbs=climbs)
            case "command_pattern":
                yield OneOf(field="tool", names=_COMMAND_TOOLS)
                regex = _read_regex(node, text, substring=substring)
                yield Pattern(field="input.command", source=text, regex=regex)
            case _:
                regex, _ = _read_glob(node, key, text)
                yield Pattern(field="skill_name", source=text, regex=regex, full=True)


def _read_regex(node: Node, source: str, *, substring: bool) -> Regex:
    try:
        return compile_regex(source)
    except ConfigError as error:
        if substring:
            hint = "it is searched as plain text"
            node.warn(error.name, error.message, "command_pattern", hint=hint)
            return compile_regex(re.escape(source))
        node.complain(error.name, error.message, "command_pattern", hint=error.hint)
        return compile_regex("")


def _read_glob(node: Node, key: str, pattern: str) -> tuple[Regex, bool]:
    """Return a glob as an expression, and whether it begins above its folder."""
    expression, climbs = to_expression(pattern)
    try:
        return compile_regex(expression), climbs
    except ConfigError as error:  # it is too large
        node.complain(error.name, f"`{key}: {pattern:.60}` cannot be used", key, hint=error.hint)
        return compile_regex("(?s).*"), climbs


# -- config ----------------------------------------------------------------------------------------


def _configure(spec: HookSpec, node: Node, row: EventRow) -> HookSpec:
    """Return a hook with the values of its `config`; a missing one keeps its default."""
    node.check_known_keys(_CONFIG_KEYS, "`config`")
    is_gate = row.fails is Stance.DENY
    timeout = _read_number(node, "timeout_ms", round(spec.timeout * TABLE.ticks_per_second), low=1)
    retries = _read_number(node, "max_retries", 0, low=0)
    detached = node.flag("async_execution")
    if detached and is_gate:
        why = f"`async_execution` is ignored on the gate `{row.native}`; the hook is awaited"
        node.warn("async.cannot-block", why, "async_execution")
    mode = node.choice("fail_mode", _FAIL_MODES, "closed" if is_gate else "open")
    return spec.replace(
        rank=_read_number(node, "priority", spec.rank, low=-_HIGHEST),
        timeout=timeout / TABLE.ticks_per_second,
        detached=detached and not is_gate,
        on_failure=_FAIL_MODES[mode],
        facts={"max_retries": retries} if retries else spec.facts,
    )


def _read_number(node: Node, key: str, default: int, *, low: int) -> int:
    """Return the whole number under a key, if it is one that fits; else the default."""
    value = node.integer(key)
    if value is None:
        return default
    if low <= value < _HIGHEST:
        return value
    hint = f"at least {low}, below {_HIGHEST}"
    node.complain("value.range", f"`{key}: {value}` is out of range", key, hint=hint)
    return default
