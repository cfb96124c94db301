"""Loads docker-agent's configuration: an agent YAML, a settings file, or a drop-in with the events at the top."""

from __future__ import annotations

import json
from collections import Counter

from hookline.core.dialect import Loaded
from hookline.dialects.docker_agent.handlers import POST_TIMEOUT, read_handler
from hookline.errors import ConfigError
from hookline.model.conditions import OneOf, Pattern
from hookline.model.frozen import Frozen
from hookline.model.handler import Command, Http, Model
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance
from hookline.text.regex import compile_regex
from hookline.wire.groups import hook_id, read_entries
from hookline.wire.sources import hook_name, read_tree, refuse_source, refuse_unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from hookline.core.dialect import EventRow, Source, Table
    from hookline.model.conditions import Condition
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem
    from hookline.wire.fields import Node

_HOOK_KEYS = (
    "type", "name", "command", "args", "timeout", "env", "working_dir", "on_error", "strict_output", "model", "prompt", "schema",
)  # fmt: skip
_GROUP_KEYS = ("matcher", "hooks", "preempt_yolo")
_ON_ERROR = ("warn", "ignore", "block")


class _Block(Frozen):
    """One mapping of events in a file. `label` begins the ids of its hooks; `agents`: the agents that it is for (none: all)."""

    node: Node
    label: str = ""
    agents: frozenset[str] = frozenset()


class _Place(Frozen):
    """Where a hook stands: its event, its block, and what its group demands. `broken`: why the group cannot be read."""

    row: EventRow
    block: _Block
    matcher: tuple[Condition, ...] = ()
    broken: str = ""


def load(source: Source, *, facts: Table, exact: bool, allow_local: bool) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem that it has (docs/formats/docker-agent.md 3).

    `exact`: with the shells (X7) and names (X6) of upstream's program. `allow_local`: `http_post` may call this machine and
    private networks.
    """
    problems: list[Problem] = []
    try:
        root = read_tree(source, problems)
    except ConfigError as error:
        return refuse_unreadable(source, facts, error)
    if root.value is not None and not root.is_mapping("a docker-agent file", "config.type"):
        return refuse_source(source, facts, problems)
    blocks = list(_find_blocks(root, facts)) if root.value else []
    if not all(block.node.is_mapping("`hooks`", "config.type") for block in blocks):
        return refuse_source(source, facts, problems)
    if not blocks:
        hint = "they stand under `agents.<name>.hooks`"
        root.complain("key.missing", "no hooks here", hint=hint, severity="warning")
    if len(blocks) == 1:
        blocks = [blocks[0].replace(label="")]
    loader = _Loader(source, facts, root, exact=exact, allow_local=allow_local)
    specs = [spec for block in blocks for spec in loader.load(block)]
    named = specs if exact else _tell_apart(specs)
    return Loaded(specs=tuple(named), problems=tuple(problems))


def _find_blocks(root: Node, table: Table) -> Iterator[_Block]:
    """Yield the mappings of events of a file, wherever one may stand.

    With several agents in the file, the block of an agent is for that agent. The first one also answers where no agent is
    named.
    """
    agents, settings = root.value.get("agents"), root.value.get("settings")
    if isinstance(agents, dict):
        unnamed = {""}
        for agent in root.child("agents").children():
            if isinstance(agent.value, dict) and agent.value.get("hooks") is not None:
                name = str(agent.path[-1])
                names = frozenset({name} | unnamed if len(agents) > 1 else ())
                yield _Block(node=agent.child("hooks"), label=f"{name}.", agents=names)
                unnamed = set()
    if root.value.get("hooks") is not None:
        yield _Block(node=root.child("hooks"), label="hooks.")
    if isinstance(settings, dict) and settings.get("hooks") is not None:
        yield _Block(node=root.child("settings").child("hooks"), label="settings.hooks.")
    if any(table.row(key) for key in root.value):
        yield _Block(node=root)


class _Loader:
    """Loads the hooks of one source. A hook that it cannot read stays in its place as a broken one."""

    def __init__(
        self, source: Source, table: Table, root: Node, *, exact: bool, allow_local: bool
    ) -> None:
        self.source = source
        self.table = table
        self.exact = exact
        self.allow_local = allow_local
        named = isinstance(root.value, dict) and isinstance(root.value.get("models"), dict)
        self.models = root.child("models") if named else None

    def load(self, block: _Block) -> Iterator[HookSpec]:
        """Yield the hooks of one mapping of events."""
        public = {native: row for native, row in self.table.rows.items() if ":" not in native}
        found = read_entries(block.node, public, of="hooks", like="begin each entry with `- `")
        for row, entry, broken in found:
            place = _Place(row=row, block=block, broken=broken)
            if broken:
                yield self._spec(entry, place)
            elif row.grouped:
                yield from self._load_group(entry, place)
            else:
                yield self._load_flat(entry, place)

    def _load_group(self, group: Node, place: _Place) -> Iterator[HookSpec]:
        native, mark, given = place.row.native, group.mark(), group.value
        if not isinstance(given, dict) or (
            "hooks" not in given and ("type" in given or "command" in given)
        ):
            why = f"`{native}` takes matcher groups, not a flat hook"
            group.complain("group.shape", why, hint="put the hook below `- hooks:`")
        elif not isinstance(given.get("hooks"), list) or not given["hooks"]:
            why = f"a group of `{native}` needs at least one hook"
            group.complain("group.empty", why, hint="add `hooks:` with a list")
        if broken := group.errors_since(mark):
            yield self._spec(group, place.replace(broken=broken))
            return
        severity = self.table.severity_of_unknown_key("group", self.source.mode)
        group.check_known_keys(_GROUP_KEYS, f"a group of `{native}`", severity=severity)
        place = place.replace(row=self._choose_lane(group, place.row), matcher=self._match(group))
        place = place.replace(broken=group.errors_since(mark))
        for hook in group.child("hooks").children():
            yield self._load_hook(hook, place)

    def _load_flat(self, hook: Node, place: _Place) -> HookSpec:
        mark = hook.mark()
        if isinstance(hook.value, dict) and isinstance(hook.value.get("hooks"), list):
            why = f"`{place.row.native}` takes a flat list of hooks, not matcher groups"
            hook.complain("group.shape", why, hint="it has no tool")
            return self._spec(hook, place.replace(broken=hook.errors_since(mark)))
        return self._load_hook(hook, place)

    def _choose_lane(self, group: Node, row: EventRow) -> EventRow:
        if "preempt_yolo" not in group.value:
            return row
        if row.native != "pre_tool_use":
            why = f"`preempt_yolo` belongs to `pre_tool_use`, not to `{row.native}`"
            group.complain("key.misplaced", why, "preempt_yolo")
            return row
        return self.table.rows["pre_tool_use:preempt"] if group.flag("preempt_yolo") else row

    def _match(self, group: Node) -> tuple[Condition, ...]:
        """Return the matcher as a full match on the tool's name; its text is compiled as it stands, so `(?i)x` works."""
        text = group.text("matcher")
        if text in ("", "*"):
            return ()
        try:
            regex = compile_regex(text, self.table.regex_flavour)
        except ConfigError as error:
            group.complain(error.name, error.message, "matcher", hint=error.hint)
            return ()
        return (Pattern(field="tool", source=text, regex=regex, full=True),)

    def _load_hook(self, hook: Node, place: _Place) -> HookSpec:
        mark, row, strict = hook.mark(), place.row, self.source.mode == "strict"
        if not hook.is_mapping("a hook"):
            return self._spec(hook, place.replace(broken=hook.errors_since(mark)))
        given = hook.value
        severity = self.table.severity_of_unknown_key("hook", self.source.mode)
        hook.check_known_keys(_HOOK_KEYS, f"a hook of `{row.native}`", severity=severity)
        # X7: bash wherever there is one, because the published scripts rely on it; upstream takes the login shell.
        handler = read_handler(
            hook,
            row,
            ("$SHELL", "sh") if self.exact else ("bash", "sh"),
            self.models,
            strict=strict,
            allow_local=self.allow_local,
        )
        usual = POST_TIMEOUT if isinstance(handler, Http) else self.table.default_timeout
        seconds = hook.integer("timeout") or 0
        if seconds < 0:
            why = f"`timeout: {seconds}` is negative"
            hint = f"whole seconds; 0 means {usual:g}"
            hook.complain("value.range", why, "timeout", hint=hint)
        on_error = hook.choice("on_error", _ON_ERROR, "warn")
        if on_error == "block" and not row.can_block:
            why = f"`on_error: block` is not supported on `{row.native}`, which cannot block"
            hook.complain("key.misplaced", why, "on_error")
        fields: dict[str, Any] = {
            "timeout": float(seconds) if seconds > 0 else usual,
            "name": hook.text("name") or _name_hook(given, exact=self.exact),
            "identity": _identify(given, handler, place.block.agents),
            "facts": {"on_error": on_error, "strict_output": hook.flag("strict_output")},
        }
        if given.get("on_error") is not None and not row.always_denies:
            fields["on_failure"] = row.blocks if on_error == "block" else Stance.SILENT
        broken = place.broken or hook.errors_since(mark)
        return self._spec(hook, place.replace(broken=broken), handler, **fields)

    def _spec(
        self, node: Node, place: _Place, handler: Handler | None = None, **fields: Any
    ) -> HookSpec:
        row, source, block, conditions = place.row, self.source, place.block, place.matcher
        depth = len(block.node.path) + 1
        # `subagent_stop` names the child and runs on its parent's hooks.
        if block.agents and row.native != "subagent_stop":
            conditions = (*conditions, OneOf(field="agent", names=block.agents))
        return HookSpec(
            id=hook_id(source.file, block.label + str(node.path[depth - 1]), node, depth=depth),
            dialect=self.table.name,
            kind=row.kind,
            native_event=row.native,
            handler=node.choose_handler(handler, place.broken),
            conditions=conditions,
            shadow=source.shadow,
            strict=source.mode == "strict",
            origin=node.origin(),
            trusted=source.trusted,
            **{
                "timeout": self.table.default_timeout,
                "on_failure": row.blocks if source.mode == "strict" else row.fails,
                **fields,
            },
        )


def _identify(
    definition: Mapping[str, Any], handler: Handler | None, agents: frozenset[str]
) -> str:
    """Return all keys of a definition that have a value; absent `args` or `env` equal empty ones (docs/formats/docker-agent.md 5, step 1).

    The agents belong to it: otherwise the hook of one agent would stand in for the same hook of another, and not run.
    """
    if type(handler) is Model:
        definition = {**definition, "model": [handler.names, handler.base_url]}
    given = {
        key: part
        for key, part in definition.items()
        if part or (part is not None and key not in ("args", "env"))
    }
    return json.dumps([sorted(agents), given], sort_keys=True, default=str)


def _name_hook(hook: Mapping[str, Any], *, exact: bool) -> str:
    """Return the name of a hook that has none: the first line of its script, shortened; with `exact` all of it (X6)."""
    command, model = hook.get("command"), hook.get("model")
    if isinstance(command, str):
        return command if exact else hook_name(command)
    if hook.get("type") != "model" or not isinstance(model, str):
        return ""
    return "model" if exact else hook_name(f"model {model}")


def _tell_apart(specs: Sequence[HookSpec]) -> Iterator[HookSpec]:
    """Yield the hooks; those whose scripts begin with the same line have the end of their ids behind that line."""
    count = Counter(spec.name for spec in specs if _is_first_line(spec))
    for spec in specs:
        ambiguous = count[spec.name] > 1 and _is_first_line(spec)
        where = spec.id.rpartition("#")[2]
        yield spec.replace(name=f"{spec.name} ({where})") if ambiguous else spec


def _is_first_line(spec: HookSpec) -> bool:
    """Return whether a hook is named by the first line of several."""
    handler = spec.handler
    return (
        type(handler) is Command
        and "\n" in handler.script.strip()
        and spec.name == hook_name(handler.script)
    )
