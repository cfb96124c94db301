"""Reading a3s's definitions: one hook, a list of hooks, or a list under `hooks`, as JSON or a tree."""

from __future__ import annotations

import re

from hookline.core.dialect import Loaded
from hookline.dialects.a3s.decode_outcome import nobody
from hookline.dialects.a3s.globs import climbs, expression
from hookline.dialects.a3s.table import (
    DEFAULT_PRIORITY,
    DEFAULT_TIMEOUT,
    NAME,
    TABLE,
    TICKS_PER_SECOND,
    row_of,
)
from hookline.errors import ConfigError
from hookline.model.conditions import Never, OneOf, PathPattern, Pattern
from hookline.model.handler import InProcess
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance
from hookline.text.regex import compile_regex
from hookline.text.suggestions import did_you_mean
from hookline.wire.fields import describe_value
from hookline.wire.sources import read_tree, refuse_unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookline.core.dialect import EventRow, Source
    from hookline.model.conditions import Condition
    from hookline.model.problem import Problem
    from hookline.text.re2_regex import Regex
    from hookline.wire.fields import Node

HOOK_KEYS = ("id", "event_type", "matcher", "config")
MATCHER_KEYS = ("tool", "path_pattern", "command_pattern", "session_id", "skill")
CONFIG_KEYS = ("priority", "timeout_ms", "async_execution", "fail_mode", "max_retries")
_FAIL_MODES: Mapping[str, Stance] = {"open": Stance.SILENT, "closed": Stance.DENY}
# The first of these whose value is text is the path of a call (docs/formats/a3s.md 4).
_PATH_KEYS = ("file_path", "path", "notebook_path")
_COMMAND_TOOLS = frozenset({"Bash", "bash"})
_HIGHEST = 2**31


def load(source: Source, *, substring: bool = False) -> Loaded:
    """The definitions of a source, in declared order, and every problem that it has (docs/formats/a3s.md 3).

    `substring`: an expression that does not compile is searched as plain text, as upstream does, with a warning.
    """
    problems: list[Problem] = []
    try:
        root = read_tree(source, problems)
    except ConfigError as error:
        return refuse_unreadable(source, TABLE, error)
    reader = _Reader(source, substring=substring)
    specs: dict[str, HookSpec] = {}
    for node in _definitions(root):
        spec = reader.hook(node)
        if spec is None:
            continue
        if spec.id in specs:
            node.complain(
                "hook.duplicate",
                f"`{spec.id}` stands twice; this definition replaces the former",
                severity="warning",
            )
        if source.text is not None and type(spec.handler) is InProcess:
            _warn_without_handler(node, spec)
        specs[spec.id] = spec
    return Loaded(specs=tuple(specs.values()), problems=tuple(problems))


def _warn_without_handler(node: Node, spec: HookSpec) -> None:
    """Complain that a definition in a file does nothing: only a program can add its handler."""
    node.complain(
        "hook.never-runs",
        f"`{spec.name}` has no handler and does nothing: a file of a3s holds definitions only",
        "id",
        hint="register it in Python with `hookline.a3s.HookEngine`, or from a process with `hookline.remote`",
        severity="warning",
    )


def _definitions(root: Node) -> Iterator[Node]:
    node = root
    if isinstance(node.value, dict) and "hooks" in node.value:
        severity = TABLE.severity_of_unknown_key("file", "")
        root.check_known_keys(("hooks",), "the document", severity=severity)
        node = root.child("hooks")
    elif isinstance(node.value, dict):
        yield node
        return
    if isinstance(node.value, list):
        yield from node.children()
    elif node.value is not None:
        node.complain("config.type", f"hooks must be a list, not {describe_value(node.value)}")


class _Reader:
    """Reads definitions. One that cannot be read stays in its place as a broken hook, so that it is missed aloud."""

    def __init__(self, source: Source, *, substring: bool) -> None:
        self.source = source
        self.substring = substring

    def hook(self, node: Node) -> HookSpec | None:
        """One definition; None where not even its event is known."""
        before = node.mark()
        if not node.is_mapping("a hook"):
            return None
        severity = TABLE.severity_of_unknown_key("hook", self.source.mode)
        node.check_known_keys(HOOK_KEYS, "a hook", severity=severity)
        row = self._event(node)
        name = node.text("id", required=True)
        if not name and node.value.get("id") is not None:
            node.complain("value.range", "the `id` of a hook is empty", "id")
        if row is None:
            return None
        spec = self._spec(node, row, name or node.pointer or "hook")
        return spec.replace(handler=node.choose_handler(spec.handler, node.errors_since(before)))

    def _event(self, node: Node) -> EventRow | None:
        native = node.text("event_type", required=True)
        row = row_of(native)
        if row is None and native:
            hint = did_you_mean(native, TABLE.rows) or f"known events: {', '.join(TABLE.rows)}"
            node.complain("event.unknown", f"unknown event `{native}`", "event_type", hint=hint)
        return row

    def _spec(self, node: Node, row: EventRow, name: str) -> HookSpec:
        conditions = (
            tuple(self._conditions(node.child("matcher"), row))
            if node.value.get("matcher") is not None
            else ()
        )
        spec = HookSpec(
            id=name,
            dialect=NAME,
            kind=row.kind,
            native_event=row.native,
            handler=InProcess(call=nobody, name=name, read_by_dialect=True),
            conditions=conditions,
            rank=DEFAULT_PRIORITY,
            timeout=DEFAULT_TIMEOUT,
            shadow=self.source.shadow,
            on_failure=row.fails,
            strict=self.source.mode == "strict",
            origin=node.origin(),
            name=name,
            trusted=self.source.trusted,
        )
        if node.value.get("config") is None or not node.child("config").is_mapping("`config`"):
            return spec
        return _configured(spec, node.child("config"), row)

    def _conditions(self, node: Node, row: EventRow) -> Iterator[Condition]:
        """In the order in which they are checked: session, tool, path, command, skill."""
        if not node.is_mapping("`matcher`", "matcher.type"):
            return
        node.check_known_keys(MATCHER_KEYS, "a matcher")
        # What is no text is complained of, and then narrows nothing: the broken hook is missed wherever it may have counted.
        given = {
            key: text
            for key in MATCHER_KEYS
            if (text := node.text(key)) or node.value.get(key) == ""
        }
        if "session_id" in given:
            yield OneOf(field="session_id", names=frozenset({given["session_id"]}))
        yield from _applicable(node, given, row)
        if "tool" in given:
            yield OneOf(field="tool", names=frozenset({given["tool"]}))
        if "path_pattern" in given:
            yield self._path(node, given["path_pattern"])
        if "command_pattern" in given:
            yield OneOf(field="tool", names=_COMMAND_TOOLS)
            yield Pattern(
                field="input.command",
                source=given["command_pattern"],
                regex=self._regex(node, given["command_pattern"]),
            )
        if "skill" in given:
            regex = _glob(node, "skill", given["skill"])
            yield Pattern(field="skill_name", source=given["skill"], regex=regex, full=True)

    def _path(self, node: Node, pattern: str) -> Condition:
        regex = _glob(node, "path_pattern", pattern)
        return PathPattern(keys=_PATH_KEYS, source=pattern, regex=regex, climbs=climbs(pattern))

    def _regex(self, node: Node, source: str) -> Regex:
        try:
            return compile_regex(source)
        except ConfigError as error:
            if self.substring:
                hint = "it is searched as plain text"
                node.complain(
                    error.name, error.message, "command_pattern", hint=hint, severity="warning"
                )
                return compile_regex(re.escape(source))
            node.complain(error.name, error.message, "command_pattern", hint=error.hint)
            return compile_regex("")


def _glob(node: Node, key: str, pattern: str) -> Regex:
    try:
        return compile_regex(expression(pattern))
    except ConfigError as error:  # as large as an expression may not be
        node.complain(error.name, f"`{key}: {pattern:.60}` cannot be used", key, hint=error.hint)
        return compile_regex("(?s).*")


def _applicable(node: Node, given: Mapping[str, str], row: EventRow) -> Iterator[Condition]:
    """A filter on what the event does not carry holds for none; said aloud, because somebody expected otherwise."""
    carried = {"session_id", *({"tool", "path_pattern", "command_pattern"} if row.subject else ())}
    if any(field.native == "skill_name" for field in row.fields):
        carried.add("skill")
    for key in given:
        if key not in carried:
            reason = f"`{row.native}` carries nothing that `{key}` could select"
            node.complain(
                "matcher.not-applicable",
                reason,
                key,
                hint="the hook never runs",
                severity="warning",
            )
            yield Never(reason=reason)


def _configured(spec: HookSpec, node: Node, row: EventRow) -> HookSpec:
    """A hook with what its `config` says; what it does not say keeps its default."""
    node.check_known_keys(CONFIG_KEYS, "`config`")
    timeout = _within(node, "timeout_ms", low=1)
    retries = _within(node, "max_retries", low=0)
    detached = node.flag("async_execution")
    if detached and row.fails is Stance.DENY:
        why = f"`async_execution` is ignored on the gate `{row.native}`; the hook is awaited"
        node.complain("async.cannot-block", why, "async_execution", severity="warning")
    mode = (
        node.choice("fail_mode", _FAIL_MODES, "") if node.value.get("fail_mode") is not None else ""
    )
    priority = _within(node, "priority", low=-_HIGHEST)
    return spec.replace(
        rank=spec.rank if priority is None else priority,
        timeout=spec.timeout if timeout is None else timeout / TICKS_PER_SECOND,
        detached=detached and row.fails is not Stance.DENY,
        on_failure=_FAIL_MODES.get(mode, spec.on_failure),
        facts={"max_retries": retries} if retries else spec.facts,
    )


def _within(node: Node, key: str, *, low: int) -> int | None:
    """The whole number under a key, if it is one that fits."""
    value = node.integer(key)
    if value is None or low <= value < _HIGHEST:
        return value
    node.complain(
        "value.range",
        f"`{key}: {value}` is out of range",
        key,
        hint=f"at least {low}, below {_HIGHEST}",
    )
    return None
