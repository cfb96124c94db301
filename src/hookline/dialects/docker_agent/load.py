"""Loads docker-agent's configuration: an agent YAML, a settings file, or a drop-in with the events at the top."""

from __future__ import annotations

import json
from collections import Counter

from hookline.core.dialect import Loaded
from hookline.dialects.docker_agent.handlers import POST_TIMEOUT, read_handler
from hookline.dialects.kit.matcher import MatcherFormat, read_matcher
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.model.spec import Command, Http, Model, OneOf
from hookline.model.verdict import Stance
from hookline.wire.sources import (
    hook_id,
    hook_name,
    make_spec,
    read_entries,
    read_tree,
    refuse_source,
    refuse_unreadable,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from hookline.core.dialect import EventRow, Source, Table
    from hookline.model.spec import Condition, Handler, HookSpec, Problem
    from hookline.wire.fields import Node

_HOOK_KEYS = (
    "type", "name", "command", "args", "timeout", "env", "working_dir", "on_error", "strict_output", "model", "prompt", "schema",
)  # fmt: skip
_GROUP_KEYS = ("matcher", "hooks", "preempt_yolo")
_MATCHER = MatcherFormat(full=True)
_ON_ERROR = ("warn", "ignore", "block")


class _Block(Frozen):
    """One mapping of events in a file.

    `label` begins the ids of its hooks; `agents`: the agents that it is for (none: all).
    """

    node: Node
    label: str = ""
    agents: frozenset[str] = frozenset()


def load(source: Source, *, facts: Table, exact: bool, allow_local: bool) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem that it has (docs/formats/docker-agent.md 3).

    `exact`: with the shells (X7) and names (X6) of upstream's program. `allow_local`: `http_post`
    may call this machine and private networks.
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
    named = isinstance(root.value, dict) and isinstance(root.value.get("models"), dict)
    loader = _Loader(
        source=source,
        table=facts,
        models=root.child("models") if named else None,
        exact=exact,
        allow_local=allow_local,
    )
    specs = [spec for block in blocks for spec in loader.load(block)]
    if not exact:
        specs = list(_tell_apart(specs))
    return Loaded(specs=tuple(specs), problems=tuple(problems))


def _find_blocks(root: Node, table: Table) -> Iterator[_Block]:
    """Yield the mappings of events of a file, wherever one may stand.

    With several agents in the file, the block of an agent is for that agent. The first one also
    answers where no agent is named.
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


class _Loader(Frozen):
    """Loads the hooks of one source. A hook that it cannot read stays in its place as a broken one.

    `models`: the names that the file gives to models.
    """

    source: Source
    table: Table
    models: Node | None
    exact: bool
    allow_local: bool

    def load(self, block: _Block) -> Iterator[HookSpec]:
        """Yield the hooks of one mapping of events."""
        public = {native: row for native, row in self.table.rows.items() if ":" not in native}
        found = read_entries(block.node, public, of="hooks", like="begin each entry with `- `")
        for row, entry, broken in found:
            if broken:
                yield self._spec(entry, row, block, broken=broken)
            elif row.grouped:
                yield from self._load_group(entry, row, block)
            else:
                yield self._load_hook(entry, row, block)

    def _load_group(self, group: Node, row: EventRow, block: _Block) -> Iterator[HookSpec]:
        mark, given = group.mark(), group.value
        if not isinstance(given, dict) or (
            "hooks" not in given and ("type" in given or "command" in given)
        ):
            why = f"`{row.native}` takes matcher groups, not a flat hook"
            group.complain("group.shape", why, hint="put the hook below `- hooks:`")
        elif not isinstance(given.get("hooks"), list) or not given["hooks"]:
            why = f"a group of `{row.native}` needs at least one hook"
            group.complain("group.empty", why, hint="add `hooks:` with a list")
        if broken := group.errors_since(mark):
            yield self._spec(group, row, block, broken=broken)
            return
        group.check_known_keys(_GROUP_KEYS, f"a group of `{row.native}`")
        lane = self._choose_lane(group, row)
        matcher = read_matcher(group, row, self.table, _MATCHER, self.source.mode) or ()
        broken = group.errors_since(mark)
        for hook in group.child("hooks").children():
            yield self._load_hook(hook, lane, block, matcher, broken)

    def _choose_lane(self, group: Node, row: EventRow) -> EventRow:
        if "preempt_yolo" not in group.value:
            return row
        if row.native != "pre_tool_use":
            why = f"`preempt_yolo` belongs to `pre_tool_use`, not to `{row.native}`"
            group.complain("key.misplaced", why, "preempt_yolo")
            return row
        return self.table.rows["pre_tool_use:preempt"] if group.flag("preempt_yolo") else row

    def _load_hook(
        self,
        hook: Node,
        row: EventRow,
        block: _Block,
        matcher: tuple[Condition, ...] = (),
        broken: str = "",
    ) -> HookSpec:
        """Return one hook; `broken`: why its group cannot be read."""
        mark, strict = hook.mark(), self.source.mode == "strict"
        flat = hook.is_mapping("a hook") and not row.grouped
        if flat and isinstance(hook.value.get("hooks"), list):
            why = f"`{row.native}` takes a flat list of hooks, not matcher groups"
            hook.complain("group.shape", why, hint="it has no tool")
        if wrong := hook.errors_since(mark):
            return self._spec(hook, row, block, matcher, broken=wrong)
        given = hook.value
        hook.check_known_keys(_HOOK_KEYS, f"a hook of `{row.native}`")
        # X7: bash wherever there is one, because the published scripts rely on it; upstream takes
        # the login shell.
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
            "identity": _identify(given, handler, block.agents),
            "facts": {"on_error": on_error, "strict_output": hook.flag("strict_output")},
        }
        if given.get("on_error") is not None and not row.fails:
            fields["on_failure"] = row.blocks if on_error == "block" else Stance.SILENT
        broken = broken or hook.errors_since(mark)
        return self._spec(hook, row, block, matcher, broken=broken, handler=handler, **fields)

    def _spec(
        self,
        node: Node,
        row: EventRow,
        block: _Block,
        matcher: tuple[Condition, ...] = (),
        *,
        broken: str,
        handler: Handler | None = None,
        **fields: Any,
    ) -> HookSpec:
        source, depth = self.source, len(block.node.path) + 1
        # `subagent_stop` names the child and runs on its parent's hooks.
        if block.agents and row.native != "subagent_stop":
            matcher = (*matcher, OneOf(field="agent", names=block.agents))
        return make_spec(
            source,
            self.table.name,
            row,
            node,
            id=hook_id(source.file, block.label + str(node.path[depth - 1]), node, depth=depth),
            handler=node.choose_handler(handler, broken),
            conditions=matcher,
            **{"on_failure": row.blocks if source.mode == "strict" else row.fails, **fields},
        )


def _identify(
    definition: Mapping[str, Any], handler: Handler | None, agents: frozenset[str]
) -> str:
    """Return all keys of a definition that have a value.

    Absent `args` or `env` equal empty ones (docs/formats/docker-agent.md 5, step 1).

    The agents belong to it: otherwise the hook of one agent would stand in for the same hook of
    another, and not run.
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
    """Return the name of a hook that has none: the first line of its script, shortened.

    With `exact` all of it (X6).
    """
    command, model = hook.get("command"), hook.get("model")
    if isinstance(command, str):
        return command if exact else hook_name(command)
    if hook.get("type") != "model" or not isinstance(model, str):
        return ""
    return "model" if exact else hook_name(f"model {model}")


def _tell_apart(specs: Sequence[HookSpec]) -> Iterator[HookSpec]:
    """Yield the hooks; of scripts that have several lines and the same name, the end of the id joins the name."""
    count = Counter(spec.name for spec in specs)
    for spec in specs:
        script = spec.handler.script.strip() if type(spec.handler) is Command else ""
        where = (
            f" ({spec.id.rpartition('#')[2]})" if count[spec.name] > 1 and "\n" in script else ""
        )
        yield spec.replace(name=spec.name + where)
