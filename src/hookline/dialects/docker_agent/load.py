"""Reading docker-agent's configuration: an agent YAML, a settings file, or a drop-in with the events at the top."""

from __future__ import annotations

import json
from collections import Counter

from hookline.core.dialect import Loaded
from hookline.dialects.docker_agent.builtins import POST_TIMEOUT
from hookline.dialects.docker_agent.handlers import handler
from hookline.dialects.docker_agent.table import DEFAULT_TIMEOUT, NAME
from hookline.errors import ConfigError
from hookline.model.conditions import OneOf, Pattern
from hookline.model.frozen import Frozen
from hookline.model.handler import Command, Http, Model
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance
from hookline.text.regex import compile_regex
from hookline.text.suggestions import did_you_mean
from hookline.wire.fields import Node, describe_value
from hookline.wire.sources import hook_name, read_tree, refuse_unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from hookline.core.dialect import EventRow, Source, Table
    from hookline.model.conditions import Condition
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem

_HOOK_KEYS = (
    "type",
    "name",
    "command",
    "args",
    "timeout",
    "env",
    "working_dir",
    "on_error",
    "strict_output",
    "model",
    "prompt",
    "schema",
)
_GROUP_KEYS = ("matcher", "hooks", "preempt_yolo")
_ON_ERROR = ("warn", "ignore", "block")


class Habits(Frozen):
    """In what upstream's program loads differently: `shells` (X7); `whole_names`: an unnamed hook's is its script (X6).

    `allow_local`: `http_post` may call this machine and private networks.
    """

    shells: tuple[str, ...]
    whole_names: bool
    allow_local: bool = False


class _Block(Frozen):
    """One mapping of events in a file. `label` begins the ids of its hooks; `agents` are the agents it answers for."""

    node: Node
    label: str = ""
    agents: frozenset[str] = frozenset()


class _Seat(Frozen):
    """What is known of a hook before it is read: its event, the end of its id, and what must hold for it to take part.

    `broken`: why its group cannot be read.
    """

    row: EventRow
    where: str
    agents: frozenset[str]
    matcher: tuple[Condition, ...] = ()
    broken: str = ""

    def below(self, node: Node) -> _Seat:
        """The seat of an entry of the list that this one is of."""
        return self.replace(where=f"{self.where}.{node.path[-1]}")


def load(source: Source, *, facts: Table, habits: Habits) -> Loaded:
    """The hooks of a source, in declared order, and every problem that it has (docs/formats/docker-agent.md 3)."""
    problems: list[Problem] = []
    try:
        root = read_tree(source, problems)
        blocks = _blocks(root, facts)
    except ConfigError as error:
        return refuse_unreadable(source, facts, error)
    if not blocks:
        root.complain(
            "key.missing",
            "no hooks here",
            hint="they stand under `agents.<name>.hooks`",
            severity="warning",
        )
    reader = _Reader(source, facts, habits, problems, _models(root))
    specs = [spec for block in blocks for spec in reader.events(block)]
    return Loaded(
        specs=tuple(specs) if habits.whole_names else _tell_apart(specs), problems=tuple(problems)
    )


def _blocks(root: Node, table: Table) -> list[_Block]:
    """The mappings of events of a file, wherever one may stand.

    Raises:
        ConfigError: the file, or one of them, is something else.
    """
    if root.value is None:
        return []
    _must_be_mapping(root, "a docker-agent file")
    blocks = [*_of_agents(root), *_of_holders(root)]
    if any(table.row(key) for key in root.value):
        blocks.append(_Block(node=root))
    for block in blocks:
        _must_be_mapping(block.node, "`hooks`")
    return [block.replace(label="") for block in blocks] if len(blocks) == 1 else blocks


def _of_agents(root: Node) -> Iterator[_Block]:
    """What stands under `agents`. With several agents in the file, a block answers for its own agent.

    The first one also answers where no agent is named.
    """
    agents = root.value.get("agents")
    if not isinstance(agents, dict):
        return
    unnamed = {""}
    for agent in root.child("agents").children():
        if not isinstance(agent.value, dict) or agent.value.get("hooks") is None:
            continue
        name = str(agent.path[-1])
        yield _Block(
            node=agent.child("hooks"),
            label=f"{name}.",
            agents=frozenset({name, *unnamed} if len(agents) > 1 else ()),
        )
        unnamed = set()


def _of_holders(root: Node) -> Iterator[_Block]:
    """`hooks` at the top of a drop-in, and `settings.hooks` of the user's file: for every agent."""
    if root.value.get("hooks") is not None:
        yield _Block(node=root.child("hooks"), label="hooks.")
    settings = root.value.get("settings")
    if isinstance(settings, dict) and settings.get("hooks") is not None:
        yield _Block(node=root.child("settings").child("hooks"), label="settings.hooks.")


def _models(root: Node) -> Node | None:
    """The names that an agent file gives to models; None where it has none."""
    return (
        root.child("models")
        if isinstance(root.value, dict) and isinstance(root.value.get("models"), dict)
        else None
    )


def _must_be_mapping(node: Node, what: str) -> None:
    if not isinstance(node.value, dict):
        raise ConfigError(
            f"{what} must be a mapping, not {describe_value(node.value)}",
            name="config.type",
            place=node.origin().place,
        )


class _Reader:
    """Reads the hooks of one source. What cannot be read stays in its place as a broken hook, so that it is missed aloud."""

    def __init__(
        self,
        source: Source,
        table: Table,
        habits: Habits,
        problems: list[Problem],
        models: Node | None,
    ) -> None:
        self.source = source
        self.models = models
        self.table = table
        self.habits = habits
        self.problems = problems

    def events(self, block: _Block) -> Iterator[HookSpec]:
        """The hooks of one mapping of events."""
        for event in block.node.children():
            native = str(event.path[-1])
            row = self.table.rows.get(native)
            if row is None or ":" in native:
                public = [known for known in self.table.rows if ":" not in known]
                hint = did_you_mean(native, public) or f"known events: {', '.join(public)}"
                event.complain("event.unknown", f"unknown event `{native}`", hint=hint)
                continue
            seat = _Seat(row=row, where=block.label + native, agents=block.agents)
            before = event.mark()
            if not isinstance(event.value, list | None):
                event.complain(
                    "group.shape", f"`{native}` must be a list", hint="begin each entry with `- `"
                )
                yield self._spec(event, seat, None, event.errors_since(before))
            elif event.value:
                for entry in event.children():
                    yield from (self._group if row.grouped else self._flat)(
                        entry, seat.below(entry)
                    )

    def _group(self, group: Node, seat: _Seat) -> Iterator[HookSpec]:
        native, before = seat.row.native, group.mark()
        if not isinstance(group.value, dict):
            group.complain(
                "group.shape",
                f"an entry of `{native}` must be a matcher group",
                hint="- matcher: ... with hooks: [...]",
            )
        elif "hooks" not in group.value and ("type" in group.value or "command" in group.value):
            group.complain(
                "group.shape",
                f"`{native}` takes matcher groups, not a flat hook",
                hint="put the hook below `- hooks:`",
            )
        elif not isinstance(group.value.get("hooks"), list) or not group.value["hooks"]:
            group.complain(
                "group.empty",
                f"a group of `{native}` needs at least one hook",
                hint="add `hooks:` with a list",
            )
        if broken := group.errors_since(before):
            yield self._spec(group, seat, None, broken)
            return
        severity = self.table.severity_of_unknown_key("group", self.source.mode)
        group.check_known_keys(_GROUP_KEYS, f"a group of `{native}`", severity=severity)
        seat = seat.replace(row=self._lane(group, seat.row), matcher=self._matcher(group))
        seat = seat.replace(broken=group.errors_since(before))
        for hook in group.child("hooks").children():
            yield self._hook(hook, seat.below(hook))

    def _flat(self, hook: Node, seat: _Seat) -> Iterator[HookSpec]:
        before = hook.mark()
        if isinstance(hook.value, dict) and isinstance(hook.value.get("hooks"), list):
            hook.complain(
                "group.shape",
                f"`{seat.row.native}` takes a flat list of hooks, not matcher groups",
                hint="it has no tool",
            )
            yield self._spec(hook, seat, None, hook.errors_since(before))
        else:
            yield self._hook(hook, seat)

    def _lane(self, group: Node, row: EventRow) -> EventRow:
        if "preempt_yolo" not in group.value:
            return row
        if row.native != "pre_tool_use":
            group.complain(
                "key.misplaced",
                f"`preempt_yolo` belongs to `pre_tool_use`, not to `{row.native}`",
                "preempt_yolo",
            )
            return row
        lane = self.table.rows["pre_tool_use:preempt"]
        return lane if group.flag("preempt_yolo") else row

    def _matcher(self, group: Node) -> tuple[Condition, ...]:
        """RE2, full match on the tool's name, case-sensitive; the text is compiled as it stands, so `(?i)x` works."""
        text = group.text("matcher")
        if text in ("", "*"):
            return ()
        try:
            regex = compile_regex(text, self.table.regex_flavour)
            return (Pattern(field="tool", source=text, regex=regex, full=True),)
        except ConfigError as error:
            group.complain(error.name, error.message, "matcher", hint=error.hint)
            return ()

    def _hook(self, hook: Node, seat: _Seat) -> HookSpec:
        before = hook.mark()
        if not hook.is_mapping("a hook"):
            return self._spec(hook, seat, None, hook.errors_since(before))
        severity = self.table.severity_of_unknown_key("hook", self.source.mode)
        hook.check_known_keys(_HOOK_KEYS, f"a hook of `{seat.row.native}`", severity=severity)
        habits, strict = self.habits, self.source.mode == "strict"
        runs = handler(
            hook,
            seat.row,
            habits.shells,
            strict=strict,
            allow_local=habits.allow_local,
            models=self.models,
        )
        timeout = self._timeout(
            hook, POST_TIMEOUT if isinstance(runs, Http) else float(DEFAULT_TIMEOUT)
        )
        name = hook.text("name") or _name_without_key(hook.value, whole=self.habits.whole_names)
        on_error = self._on_error(hook, seat.row)
        strict_output = hook.flag("strict_output")
        broken = seat.broken or hook.errors_since(before)
        if not broken and runs is None:
            hook.complain("handler.type", "the hook has no `type`", "type", hint="`type: command`")
            broken = hook.errors_since(before)
        return self._spec(hook, seat, runs, broken).replace(
            timeout=timeout,
            on_failure=self._on_failure(
                seat.row, on_error, says=hook.value.get("on_error") is not None
            ),
            name=name,
            identity=_identity(
                hook.value
                if type(runs) is not Model
                else {**hook.value, "model": [runs.names, runs.base_url]},
                seat.agents,
            ),
            facts={"on_error": on_error, "strict_output": strict_output},
        )

    def _spec(self, node: Node, seat: _Seat, handler: Handler | None, broken: str) -> HookSpec:
        return HookSpec(
            id=f"{(self.source.file or 'config').rpartition('/')[2]}#{seat.where}",
            dialect=NAME,
            kind=seat.row.kind,
            native_event=seat.row.native,
            handler=node.choose_handler(handler, broken),
            conditions=(*seat.matcher, *_of_agent(seat.row, seat.agents)),
            timeout=float(DEFAULT_TIMEOUT),
            on_failure=self._on_failure(seat.row, "warn", says=False),
            shadow=self.source.shadow,
            strict=self.source.mode == "strict",
            origin=node.origin(),
            trusted=self.source.trusted,
        )

    # -- keys of a hook --------------------------------------------------------------------------------------------

    @staticmethod
    def _timeout(hook: Node, usual: float) -> float:
        seconds = hook.integer("timeout") or 0
        if seconds < 0:
            hook.complain(
                "value.range",
                f"`timeout: {seconds}` is negative",
                "timeout",
                hint=f"whole seconds; 0 means {usual:g}",
            )
        return float(seconds) if seconds > 0 else usual

    @staticmethod
    def _on_error(hook: Node, row: EventRow) -> str:
        chosen = hook.choice("on_error", _ON_ERROR, "warn")
        if chosen == "block" and not row.can_block:
            hook.complain(
                "key.misplaced",
                f"`on_error: block` is not supported on `{row.native}`, which cannot block",
                "on_error",
            )
        return chosen

    def _on_failure(self, row: EventRow, on_error: str, *, says: bool) -> Stance:
        if row.always_denies:
            return Stance.DENY
        if on_error == "block" or (self.source.mode == "strict" and not says):
            return row.blocks
        return Stance.SILENT


def _of_agent(row: EventRow, agents: frozenset[str]) -> tuple[Condition, ...]:
    """That the event is one of these agents'. `subagent_stop` names the child and runs on its parent's hooks."""
    return (OneOf(field="agent", names=agents),) if agents and row.native != "subagent_stop" else ()


def _identity(definition: Mapping[str, object], agents: frozenset[str]) -> str:
    """All keys of a definition that have a value; absent `args` or `env` equal empty ones (docs/formats/docker-agent.md 5, step 1).

    The agents belong to it: otherwise the hook of one agent would stand in for the same hook of another, and not run.
    """
    told = {
        key: part
        for key, part in definition.items()
        if part or (part is not None and key not in ("args", "env"))
    }
    return json.dumps([sorted(agents), told], sort_keys=True, default=str)


def _name_without_key(hook: Mapping[str, Any], *, whole: bool) -> str:
    """The name of a hook that has none: the first line of its script, shortened; all of it where it is to be `whole` (X6)."""
    command, model = hook.get("command"), hook.get("model") if hook.get("type") == "model" else None
    if isinstance(command, str):
        return command if whole else hook_name(command)
    return "" if not isinstance(model, str) else "model" if whole else hook_name(f"model {model}")


def _tell_apart(specs: Sequence[HookSpec]) -> tuple[HookSpec, ...]:
    """The hooks; those whose scripts begin alike have the end of their ids behind that line, because it tells nobody which one it is."""
    count = Counter(spec.name for spec in specs if _is_first_line(spec))
    return tuple(
        spec.replace(name=f"{spec.name} ({spec.id.rpartition('#')[2]})")
        if count[spec.name] > 1 and _is_first_line(spec)
        else spec
        for spec in specs
    )


def _is_first_line(spec: HookSpec) -> bool:
    """Whether a hook is called by the first line of several."""
    handler = spec.handler
    return (
        type(handler) is Command
        and "\n" in handler.script.strip()
        and spec.name == hook_name(handler.script)
    )
