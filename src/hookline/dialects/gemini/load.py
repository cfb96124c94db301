"""Reading the `hooks` of Gemini CLI's settings, and of an extension's `hooks.json` (docs/formats/gemini.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.gemini.combine import SWITCH_KEYS, SWITCHES, switches
from hookline.dialects.gemini.matcher import matcher
from hookline.dialects.gemini.table import DEFAULT_TIMEOUT, NAME, ROWS, TABLE, TICKS_PER_SECOND
from hookline.model.frozen import Frozen
from hookline.model.handler import Command
from hookline.model.spec import HookSpec
from hookline.text.suggestions import did_you_mean
from hookline.wire.groups import find_hooks_mapping, hook_id, read_groups
from hookline.wire.jsonc import without_comments
from hookline.wire.matchers import read_conditions
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

_GROUP_KEYS = ("matcher", "sequential", "hooks")
_HOOK_KEYS = ("type", "name", "command", "timeout", "description", "env")
_TYPES = ("command", "runtime")
_SHELLS = ("bash", "sh")
_LONGEST = 1e12  # milliseconds
# Nobody waits so short a time on purpose; in seconds, as other hosts count, it is a common timeout.
_HARDLY_ANY = 100
# What the host writes for the separator of a path, for files that serve every system.
_SEPARATORS: Mapping[str, str] = {"${/}": "/", "${pathSeparator}": "/"}
_ENVIRONMENT: Mapping[str, str] = {
    "GEMINI_PROJECT_DIR": "${event.project}",
    "GEMINI_SESSION_ID": "${event.session_id}",
    "GEMINI_CWD": "${event.cwd}",
    "CLAUDE_PROJECT_DIR": "${event.project}",  # for scripts that were written for Claude Code (docs/formats/comparison.md 11)
}


class _Seat(Frozen):
    """What the hooks of one group have in common."""

    row: EventRow
    conditions: tuple[Condition, ...] = ()
    in_turn: bool = False
    broken: str = ""


def load(source: Source) -> Loaded:
    """The hooks of a source, in declared order, and every problem that it has."""
    problems: list[Problem] = []
    if source.text is not None:
        source = source.replace(text=without_comments(source.text))
    root = read_frame(source, problems, "a settings file", hooks="`hooks`")
    if root is None:
        return refuse_source(source, TABLE, problems)
    specs = [*switches(root, source), *_Reader(source).hooks(root)]
    return Loaded(specs=tuple(specs), problems=tuple(problems))


class _Reader:
    """Reads the hooks of one source."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.strict = source.mode == "strict"

    def hooks(self, root: Node) -> Iterator[HookSpec]:
        """The hooks below `hooks`; a settings file without them has none, and its other keys are not ours."""
        events = find_hooks_mapping(root, ROWS)
        if events is None:
            return
        for key in [key for key in SWITCH_KEYS if key in events.value]:
            events.complain(
                "key.misplaced",
                f"`{key}` is no event, and is not read here",
                key,
                hint=f"put it below `{SWITCHES}`",
            )
        for row, group in read_groups(
            events,
            ROWS,
            keys=_GROUP_KEYS,
            beside=SWITCH_KEYS,
            severity=TABLE.severity_of_unknown_key("group", self.source.mode),
        ):
            yield from self._group(row, group)

    def _group(self, row: EventRow, group: Group) -> Iterator[HookSpec]:
        if group.broken:
            yield self._spec(group.node, _Seat(row=row, broken=group.broken))
            return
        demanded = read_conditions(group.node, row, matcher) or ()
        seat = _Seat(row=row, conditions=demanded, in_turn=group.node.flag("sequential"))
        seat = seat.replace(broken=group.node.errors_since(group.mark))
        yield from (self._hook(hook, seat) for hook in group.hooks)

    def _hook(self, hook: Node, seat: _Seat) -> HookSpec:
        before = hook.mark()
        if not hook.is_mapping("a hook"):
            return self._spec(hook, seat.replace(broken=hook.errors_since(before)))
        handler = self._handler(hook)
        name, command = hook.text("name"), hook.value.get("command")
        command = command if isinstance(command, str) else ""
        fields = {
            "timeout": _timeout(hook),
            "name": hook_name(name or command),
            "identity": f"{name}:{command}"
            if command
            else "",  # wherever it was declared (docs/formats/comparison.md 8)
            "facts": {"called": name or command}
            | ({"description": said} if (said := hook.text("description")) else {}),
        }
        return self._spec(
            hook,
            seat.replace(broken=seat.broken or hook.errors_since(before)),
            handler=handler,
            **fields,
        )

    def _handler(self, hook: Node) -> Handler | None:
        kind = hook.text("type", required=True)
        hook.check_known_keys(
            _HOOK_KEYS, "a hook", severity=TABLE.severity_of_unknown_key("hook", self.source.mode)
        )
        if kind == "runtime":
            why = "a `runtime` hook is a function inside the host, which no file can declare"
            hook.complain("handler.unsupported", why, "type", hint="make it a command")
        elif kind == "command":
            return self._command(hook)
        elif isinstance(hook.value.get("type"), str):
            hint = did_you_mean(kind, _TYPES) or "one of `command`, `runtime`"
            hook.complain("handler.type", f"unknown hook type `{kind}`", "type", hint=hint)
        return None

    def _command(self, hook: Node) -> Command:
        script = hook.text("command", required=True)
        if not script.strip() and isinstance(hook.value.get("command"), str):
            hook.complain(
                "handler.command", "a command hook needs a non-empty `command`", "command"
            )
        root = self.source.names.get("plugin_root")
        places = {"extensionPath": root, "workspacePath": "${event.cwd}"} if root else {}
        return Command(
            script=script,
            shell=_SHELLS,
            env={**_ENVIRONMENT, **places, **hook.mapping("env")},
            substitute={
                **_SEPARATORS,
                **{f"${{{name}}}": place for name, place in places.items()},
            },
            kill_leftovers=self.strict,
        )

    def _spec(
        self, node: Node, seat: _Seat, *, handler: Handler | None = None, **fields: object
    ) -> HookSpec:
        row = seat.row
        return HookSpec(
            id=hook_id(self.source.file, row.native, node),
            dialect=NAME,
            kind=row.kind,
            native_event=row.native,
            handler=node.choose_handler(handler, seat.broken),
            conditions=seat.conditions,
            in_turn=seat.in_turn,
            on_failure=resolve_failure(row, self.source.mode),
            origin=node.origin(),
            shadow=self.source.shadow,
            strict=self.strict,
            trusted=self.source.trusted,
            **{"timeout": DEFAULT_TIMEOUT, **fields},  # type: ignore[arg-type]
        )


def _timeout(hook: Node) -> float:
    """Seconds, from the milliseconds of the file."""
    given = hook.duration("timeout", unit="milliseconds", longest=_LONGEST)
    if given is None:
        return DEFAULT_TIMEOUT
    if given < _HARDLY_ANY:
        why = f"`timeout: {given}` is {given} milliseconds"
        hook.complain(
            "value.range",
            why,
            "timeout",
            hint=f"for {given} seconds write {given * TICKS_PER_SECOND}",
            severity="warning",
        )
    return given / TICKS_PER_SECOND
