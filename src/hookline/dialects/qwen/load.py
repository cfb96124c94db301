"""Reads the `hooks` of Qwen Code's settings, and of an extension's `hooks.json` (docs/formats/qwen.md 1, 2)."""

from __future__ import annotations

import re

from hookline.core.dialect import Loaded
from hookline.dialects.qwen.table import (
    DEFAULT_TIMEOUT,
    DISPLAYED,
    NAME,
    ROWS,
    TABLE,
    TICKS_PER_SECOND,
)
from hookline.errors import ConfigError
from hookline.model.conditions import Pattern
from hookline.model.frozen import Frozen
from hookline.model.handler import Command
from hookline.model.spec import HookSpec, nearness
from hookline.model.verdict import Stance
from hookline.text.regex import compile_regex
from hookline.text.suggestions import did_you_mean
from hookline.wire.disable_flags import (
    drop_flags,
    is_from_unapproved_project,
    make_disable_flag,
    remove_hooks,
    report_disabled_hooks,
    select_project_flags,
    select_trusted_flags,
)
from hookline.wire.groups import find_hooks_mapping, hook_id, read_groups
from hookline.wire.jsonc import without_comments
from hookline.wire.matchers import EVERYTHING, is_ignored, read_conditions
from hookline.wire.sources import hook_name, read_frame, refuse_source, resolve_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookline.core.dialect import EventRow, Source
    from hookline.model.conditions import Condition
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem
    from hookline.wire.fields import Node
    from hookline.wire.groups import Group

_ALL_OFF = "disableAllHooks"
# Keys beside the events that older releases read.
_BESIDE = ("enabled", "disabled", "notifications")
_GROUP_KEYS = ("matcher", "sequential", "hooks")
_COMMON = ("type", "name", "description", "timeout", "statusMessage")
_OWN: Mapping[str, tuple[str, ...]] = {
    "command": ("command", "args", "env", "async", "shell", "failMode"),
    "http": ("url", "headers", "allowedEnvVars", "once"),
    "prompt": ("prompt", "model"),
}
# What the types need that hookline does not have.
_NEEDS: Mapping[str, str] = {
    "function": "the program of the host",
}
_SHELLS: Mapping[str, tuple[str, ...]] = {
    "": ("bash", "sh"),
    "bash": ("bash",),
    "powershell": ("pwsh", "powershell"),
}
# Type -> its default time limit; a file writes the time limit of these types in seconds.
_IN_SECONDS: Mapping[str, float] = {"http": 600.0, "prompt": 30.0}
_LONGEST = 1e12
# A command's time limit below this is in seconds, one from here on in milliseconds (docs/formats/qwen.md 2). Older releases read milliseconds only.
_FIRST_MILLISECONDS = 1000
_ENVIRONMENT: Mapping[str, str] = {
    "QWEN_PROJECT_DIR": "${event.project}",
    "GEMINI_PROJECT_DIR": "${event.project}",
    "CLAUDE_PROJECT_DIR": "${event.project}",
}


class _Place(Frozen):
    """What the hooks of one group have in common."""

    row: EventRow
    conditions: tuple[Condition, ...] = ()
    in_turn: bool = False
    broken: str = ""


def load(source: Source, *, allow_local: bool = False) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source.

    `allow_local`: HTTP hooks may be on this machine or in a private network.
    """
    problems: list[Problem] = []
    if source.text is not None:
        source = source.replace(text=without_comments(source.text))
    root = read_frame(source, problems, "a settings file", hooks="`hooks`")
    if root is None:
        return refuse_source(source, TABLE, problems)
    specs = [*_switches(root, source), *_Reader(source, allow_local=allow_local).read(root)]
    return Loaded(specs=tuple(specs), problems=tuple(problems))


def _switches(root: Node, source: Source) -> Iterator[HookSpec]:
    if root.value.get(_ALL_OFF) is not None:
        on = root.flag(_ALL_OFF)
        yield make_disable_flag(source, NAME, _ALL_OFF, root.origin(_ALL_OFF), {"on": on})


def _report_older_switches(events: Node) -> None:
    """Warn about `enabled` and `disabled` beside the events, where they switch a hook off in an older release."""
    for key, is_set in (
        ("enabled", events.value.get("enabled") is False),
        ("disabled", bool(events.value.get("disabled"))),
    ):
        if is_set:
            why = (
                f"`{key}` beside the events counts in older releases of Qwen Code only; hookline,"
                " like newer ones, runs the hooks"
            )
            hint = f"to switch hooks off, remove them or set `{_ALL_OFF}`"
            events.complain("key.ignored", why, key, hint=hint, severity="warning")


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """Return the hooks that are left when `disableAllHooks` is applied; the nearest file's counts, but policy's first."""
    left = drop_flags(specs)
    problems: list[Problem] = []
    for switches, reached in (
        (select_trusted_flags(specs), lambda _: True),
        (select_project_flags(specs), is_from_unapproved_project),
    ):
        counts = max(switches, key=lambda spec: nearness(spec.origin.scope), default=None)
        if counts is None or not counts.facts["on"]:
            continue
        gone = [spec for spec in left if reached(spec)]
        problems += report_disabled_hooks(
            counts.origin, f"`{_ALL_OFF}`", gone, at_home=is_from_unapproved_project(counts)
        )
        left = remove_hooks(left, gone)
    return Loaded(specs=tuple(left), problems=tuple(problems))


class _Reader:
    """Reads the hooks of one source."""

    def __init__(self, source: Source, *, allow_local: bool) -> None:
        self.source = source
        self.strict = source.mode == "strict"
        self.allow_local = allow_local

    def read(self, root: Node) -> Iterator[HookSpec]:
        """Yield the hooks below `hooks`."""
        events = find_hooks_mapping(root, ROWS)
        if events is None:
            return
        _report_older_switches(events)
        severity = TABLE.severity_of_unknown_key("group", self.source.mode)
        for row, group in read_groups(
            events, ROWS, keys=_GROUP_KEYS, beside=_BESIDE, severity=severity
        ):
            yield from self._group(row, group)

    def _group(self, row: EventRow, group: Group) -> Iterator[HookSpec]:
        if group.broken:
            yield self._spec(group.node, _Place(row=row, broken=group.broken))
            return
        demanded = read_conditions(group.node, row, matcher) or ()
        place = _Place(row=row, conditions=demanded, in_turn=group.node.flag("sequential"))
        place = place.replace(broken=group.node.errors_since(group.mark))
        yield from (self._hook(hook, place) for hook in group.hooks)

    def _hook(self, hook: Node, place: _Place) -> HookSpec:
        before = hook.mark()
        if not hook.is_mapping("a hook"):
            return self._spec(hook, place.replace(broken=hook.errors_since(before)))
        handler = self._handler(hook)
        name = hook.text("name")
        text = next(
            (
                hook.value[key]
                for key in ("command", "url", "prompt")
                if isinstance(hook.value.get(key), str)
            ),
            "",
        )
        facts = {key: said for key in ("description", "statusMessage") if (said := hook.text(key))}
        closed = hook.choice("failMode", ("open", "closed"), "open") == "closed"
        fields = {
            "timeout": _timeout(hook),
            "name": hook_name(name or text),
            "identity": f"{name}:{text}" if text else "",
            "detached": hook.flag("async"),
            "once": hook.flag("once"),
            "facts": facts,
        }
        if closed and place.row.blocks is not Stance.SILENT:
            fields["on_failure"] = place.row.blocks
        return self._spec(
            hook,
            place.replace(broken=place.broken or hook.errors_since(before)),
            handler=handler,
            **fields,
        )

    def _handler(self, hook: Node) -> Handler | None:
        kind = hook.text("type", required=True)
        if not isinstance(hook.value.get("type"), str):
            return None
        if kind in _OWN:
            severity = TABLE.severity_of_unknown_key("hook", self.source.mode)
            hook.check_known_keys((*_COMMON, *_OWN[kind]), f"a `{kind}` hook", severity=severity)
        if kind in _NEEDS:
            why = f"`{kind}` hooks need {_NEEDS[kind]}, which hookline does not have"
            hook.complain("handler.unsupported", why, "type", hint="write a command")
        elif kind not in _OWN:
            hint = did_you_mean(kind, _OWN) or "one of `command`, `http`, `prompt`"
            hook.complain("handler.type", f"unknown hook type `{kind}`", "type", hint=hint)
        elif kind == "prompt":
            from hookline.dialects.qwen.prompt_hook import read_prompt_hook  # noqa: PLC0415 - few hooks ask a model

            return read_prompt_hook(hook, allow_local=self.allow_local)
        elif kind == "http":
            from hookline.wire.http_spec import read_http_spec  # noqa: PLC0415 - few hooks are called

            return read_http_spec(hook, allow_local=self.allow_local)
        else:
            return self._command(hook)
        return None

    def _command(self, hook: Node) -> Command:
        script = hook.text("command", required=True)
        if not script.strip() and isinstance(hook.value.get("command"), str):
            hook.complain(
                "handler.command", "a command hook needs a non-empty `command`", "command"
            )
        shell = _SHELLS[hook.choice("shell", _SHELLS, "")]
        command = Command(env={**_ENVIRONMENT, **hook.mapping("env")}, kill_leftovers=self.strict)
        if hook.value.get("args") is not None:  # a program without a shell, in newer releases
            return command.replace(argv=(script, *hook.texts("args")))
        return command.replace(script=script, shell=shell)

    def _spec(
        self, node: Node, place: _Place, *, handler: Handler | None = None, **fields: object
    ) -> HookSpec:
        row = place.row
        defaults = {
            "timeout": DEFAULT_TIMEOUT,
            "on_failure": resolve_failure(row, self.source.mode),
        }
        return HookSpec(
            id=hook_id(self.source.file, row.native, node),
            dialect=NAME,
            kind=row.kind,
            native_event=row.native,
            handler=node.choose_handler(handler, place.broken),
            conditions=place.conditions,
            in_turn=place.in_turn,
            origin=node.origin(),
            shadow=self.source.shadow,
            strict=self.strict,
            trusted=self.source.trusted,
            **{**defaults, **fields},  # type: ignore[arg-type]
        )


def _timeout(hook: Node) -> float:
    """Return the time limit in seconds. A command's may be written in milliseconds."""
    kind = str(hook.value.get("type"))
    unit = "seconds" if kind in _IN_SECONDS else "milliseconds"
    given = hook.duration("timeout", unit=unit, longest=_LONGEST)
    if given is None:
        return _IN_SECONDS.get(kind, DEFAULT_TIMEOUT)
    if kind in _IN_SECONDS:
        return float(given)
    if given < _FIRST_MILLISECONDS:
        why = (
            f"`timeout: {given}` is {given} seconds; older releases of Qwen Code wait {given}"
            " milliseconds"
        )
        hint = f"for {given} seconds in every release write {given * TICKS_PER_SECOND}"
        hook.complain("value.range", why, "timeout", hint=hint, severity="warning")
        return float(given)
    return given / TICKS_PER_SECOND


def matcher(group: Node, row: EventRow) -> tuple[Condition, ...]:
    """Return the condition of a group's matcher: an expression that is searched in the subject.

    A display name as a whole, alone or between `|`, stands for the tool's id.

    Raises:
        ConfigError: `matcher.regex`, an expression that cannot be compiled.
    """
    text = group.text("matcher").strip()
    if text in (*EVERYTHING, ".*") or is_ignored(group, row):
        return ()
    entries = [entry for part in re.split(r"(?<!\\)\|", text) if (entry := part.strip())]
    if text[0] in "^(":
        entries = [text]
    if any(entry in ("*", ".*") for entry in entries):
        return ()
    if not entries:
        raise ConfigError(
            f"`{text}` names nothing, so the hooks of this group never run", name="matcher.regex"
        )
    expression = "|".join(entries)
    regex = compile_regex(expression, TABLE.regex_flavour)
    tools = [DISPLAYED[entry] for entry in entries if entry in DISPLAYED]
    if row.subject == "tool" and tools:
        regex = compile_regex(f"(?:{expression})|^(?:{'|'.join(tools)})$", TABLE.regex_flavour)
    return (Pattern(field=row.subject, source=text, regex=regex),)
