"""Reads `hooks.json` of OpenHands (docs/formats/openhands.md 1, 2, 4)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.openhands.table import ALIASES, DEFAULT_TIMEOUT, NAME, ROWS, TABLE
from hookline.errors import ConfigError
from hookline.model.conditions import Never, OneOf, Pattern
from hookline.model.handler import Command
from hookline.model.spec import HookSpec
from hookline.text.regex import accepts, compile_regex
from hookline.text.suggestions import did_you_mean
from hookline.wire.disable_flags import (
    drop_flags,
    make_disable_flag,
    remove_hooks,
    report_disabled_hooks,
    select_trusted_flags,
)
from hookline.wire.groups import hook_id, read_groups
from hookline.wire.matchers import EVERYTHING, read_conditions
from hookline.wire.sources import hook_name, read_frame, refuse_source, resolve_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookline.core.dialect import EventRow, Source
    from hookline.model.conditions import Condition
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem
    from hookline.wire.fields import Node

_HOOK_KEYS = (
    "type", "name", "command", "prompt", "system_prompt", "tools", "timeout", "max_iterations", "async",
)  # fmt: skip
_TYPES = ("command", "prompt", "agent")
# What the types need that hookline does not have.
_NEEDS: Mapping[str, str] = {"agent": "a language model with tools"}
_METACHARACTERS = frozenset("|.*+?[]()^$\\")
_ENVIRONMENT: Mapping[str, str] = {
    "OPENHANDS_PROJECT_DIR": "${event.cwd}",
    "OPENHANDS_SESSION_ID": "${event.session_id}",
}
_LONGEST = 10**9
_PROJECT_FILE = "hooks.json"
_BY_NAME: Mapping[str, EventRow] = {
    **ROWS,
    **{alias: ROWS[name] for alias, name in ALIASES.items()},
}


def load(source: Source) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source."""
    problems: list[Problem] = []
    root = read_frame(source, problems, "a file of hooks")
    if root is None:
        return refuse_source(source, TABLE, problems)
    specs = [*_Reader(source).read(root)]
    if source.scope == "project":
        specs.append(make_disable_flag(source, NAME, _PROJECT_FILE, root.origin(), {}))
    return Loaded(specs=tuple(specs), problems=tuple(problems))


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """Return the hooks without those of the user's file where the project has a file of its own.

    The host reads the first file that exists. A project's file that is not approved replaces nothing.
    """
    left = drop_flags(specs)
    problems: list[Problem] = []
    for each in select_trusted_flags(specs):
        gone = [spec for spec in left if spec.origin.scope == "user"]
        problems += report_disabled_hooks(each.origin, "the project's file", gone)
        left = remove_hooks(left, gone)
    return Loaded(specs=tuple(left), problems=tuple(problems))


class _Reader:
    """Reads the hooks of one source."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.strict = source.mode == "strict"
        self.depth = 1

    def read(self, root: Node) -> Iterator[HookSpec]:
        """Yield the hooks below `hooks`, or, without that key, those of the events at the top."""
        events = root
        if root.value.get("hooks") is not None:
            events, self.depth = root.child("hooks"), 2
            root.check_known_keys(("hooks",), "a file of hooks", severity=self._severity("file"))
        self._refuse_repeated(events)
        for row, group in read_groups(events, _BY_NAME, severity=self._severity("group")):
            if group.broken:
                yield self._spec(group.node, row, broken=group.broken)
                continue
            demanded = read_conditions(group.node, row, matcher) or ()
            broken = group.node.errors_since(group.mark)
            yield from (self._hook(hook, row, demanded, broken) for hook in group.hooks)

    def _severity(self, place: str) -> str:
        return TABLE.severity_of_unknown_key(place, self.source.mode)

    @staticmethod
    def _refuse_repeated(events: Node) -> None:
        for alias, name in ALIASES.items():
            if alias in events.value and name in events.value:
                why = (
                    f"`{alias}` and `{name}` are one event, and OpenHands refuses a file with both"
                )
                events.complain("config.duplicate-key", why, alias, hint="join the two lists")

    def _hook(
        self, hook: Node, row: EventRow, demanded: tuple[Condition, ...], broken: str
    ) -> HookSpec:
        before = hook.mark()
        if not hook.is_mapping("a hook"):
            return self._spec(hook, row, broken=hook.errors_since(before))
        hook.check_known_keys(_HOOK_KEYS, "a hook", severity=self._severity("hook"))
        handler = self._handler(hook, row)
        name = hook.text("name")
        text = hook.value.get("command") or hook.value.get("prompt")
        fields = {
            "conditions": demanded,
            "timeout": _timeout(hook),
            "detached": hook.flag("async"),
            "name": hook_name(name or (text if isinstance(text, str) else "")),
        }
        return self._spec(
            hook, row, broken=broken or hook.errors_since(before), handler=handler, **fields
        )

    def _handler(self, hook: Node, row: EventRow) -> Handler | None:
        kind = hook.text("type", "command")
        if kind == "prompt":
            from hookline.dialects.openhands.prompt_hook import read_prompt_hook  # noqa: PLC0415 - few hooks ask a model

            return read_prompt_hook(hook)
        if kind in _NEEDS:
            why = f"`{kind}` hooks need {_NEEDS[kind]}, which hookline does not have"
            hook.complain("handler.unsupported", why, "type", hint="write a command")
            return None
        if kind not in _TYPES:
            hint = did_you_mean(kind, _TYPES) or "`command` is the type that runs a program"
            hook.complain("handler.type", f"unknown hook type `{kind}`", "type", hint=hint)
            return None
        script = hook.text("command", required=True)
        if not script.strip() and isinstance(hook.value.get("command"), str):
            hook.complain(
                "handler.command", "a command hook needs a non-empty `command`", "command"
            )
        tool = {"OPENHANDS_TOOL_NAME": "${event.tool}"} if row.subject else {}
        return Command(  # noqa: S604 - the name of an interpreter
            script=script,
            shell=("sh",),
            env={**_ENVIRONMENT, "OPENHANDS_EVENT_TYPE": row.native, **tool},
            kill_leftovers=self.strict,
        )

    def _spec(
        self,
        node: Node,
        row: EventRow,
        *,
        broken: str,
        handler: Handler | None = None,
        **fields: object,
    ) -> HookSpec:
        fields["handler"] = node.choose_handler(handler, broken)
        return HookSpec(
            id=hook_id(self.source.file, row.native, node, depth=self.depth),
            dialect=NAME,
            kind=row.kind,
            native_event=row.native,
            on_failure=resolve_failure(row, self.source.mode),
            origin=node.origin(),
            shadow=self.source.shadow,
            strict=self.strict,
            trusted=self.source.trusted,
            **{"timeout": DEFAULT_TIMEOUT, **fields},  # type: ignore[arg-type]
        )


def _timeout(hook: Node) -> float:
    """Return the time limit in seconds: a whole number, at least 1."""
    given = hook.integer("timeout")
    if given is None:
        return DEFAULT_TIMEOUT
    if not 1 <= given <= _LONGEST:
        why = f"`timeout: {given}` is no time to wait"
        hook.complain("value.range", why, "timeout", hint="whole seconds, 1 or more")
        return DEFAULT_TIMEOUT
    return float(given)


def matcher(group: Node, row: EventRow) -> tuple[Condition, ...]:
    """Return the condition of a group's matcher: one name, or an expression for the whole name.

    Text between slashes, and text with a metacharacter, is an expression.

    Raises:
        ConfigError: `matcher.regex`, an expression that cannot be compiled.
    """
    text = group.text("matcher")
    if text in EVERYTHING:
        return ()
    if not row.subject:
        why = f"`{row.native}` has no tool, so a group with the matcher `{text}` never runs"
        hint = "leave the matcher out, or write `*`"
        group.complain("hook.never-runs", why, "matcher", hint=hint, severity="warning")
        return (Never(reason=why),)
    between_slashes = len(text) > 2 and text[0] == text[-1] == "/"  # noqa: PLR2004 - two slashes
    if not between_slashes and _METACHARACTERS.isdisjoint(text):
        return (OneOf(field=row.subject, names=frozenset((text,))),)
    expression = text[1:-1] if between_slashes else text
    try:
        regex = compile_regex(expression, TABLE.regex_flavour)
    except ConfigError as error:
        if between_slashes or accepts(text, TABLE.regex_flavour):
            raise
        why = f"{error.message}; so OpenHands compares it as it stands, with one tool name"
        group.complain("matcher.regex", why, "matcher", hint=error.hint, severity="warning")
        return (OneOf(field=row.subject, names=frozenset((text,))),)
    return (Pattern(field=row.subject, source=text, regex=regex, full=True),)
