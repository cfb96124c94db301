"""Loads docker-agent's configuration: an agent YAML, a settings file, or a drop-in."""

from __future__ import annotations

import json
from collections import Counter

from hookline.core.dialect import EventRow, Loaded, Source, Table
from hookline.dialects.docker_agent.handlers import POST_TIMEOUT, read_handler
from hookline.dialects.kit.matcher import MatcherFormat, read_matcher
from hookline.errors import ConfigError
from hookline.model.builtins import is_observing
from hookline.model.frozen import Frozen
from hookline.model.spec import Command, HookSpec, Http, Model, OneOf, Problem
from hookline.model.verdict import Stance
from hookline.wire.hook_ids import make_hook_id, number_equal
from hookline.wire.sources import (
    hook_name,
    make_spec,
    read_entries,
    read_tree,
    refuse_source,
    refuse_unreadable,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.model.spec import Condition, Handler
    from hookline.wire.fields import Node

_HOOK_KEYS = (
    "type", "name", "command", "args", "timeout", "env", "working_dir", "on_error", "strict_output",
    "model", "prompt", "schema",
)  # fmt: skip
_GROUP_KEYS = ("matcher", "hooks", "preempt_yolo")
_MATCHER = MatcherFormat(full=True)
_ON_ERROR = ("warn", "ignore", "block")


def load(source: Source, *, facts: Table, exact: bool, allow_local: bool) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem that it has.

    docs/formats/docker-agent.md 3

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
    if not all(node.is_mapping("`hooks`", "config.type") for node, _, _ in blocks):
        return refuse_source(source, facts, problems)
    if not blocks:
        root.warn("key.missing", "no hooks here", hint="they stand under `agents.<name>.hooks`")
    specs: list[HookSpec] = []
    for node, label, agents in blocks:
        loader = _Loader(
            source=source,
            table=facts,
            root=root,
            node=node,
            label=label,
            agents=agents,
            exact=exact,
            allow_local=allow_local,
        )
        specs += loader.load()
    found = number_equal(specs, set())
    names = Counter(spec.name for spec in found)
    if not exact:
        found = tuple(_tell_apart(spec) if names[spec.name] > 1 else spec for spec in found)
    return Loaded(specs=found, problems=tuple(problems))


def _find_blocks(root: Node, table: Table) -> Iterator[tuple[Node, str, frozenset[str]]]:
    """Yield each mapping of events of a file, how the ids of its hooks begin, and its agents.

    No agents are all of them. With several agents in the file, the block of an agent is for that
    agent. The first one also answers where no agent is named.
    """
    agents, settings = root.value.get("agents"), root.value.get("settings")
    if isinstance(agents, dict):
        unnamed = {""}
        for agent in root.child("agents").children():
            if isinstance(agent.value, dict) and agent.value.get("hooks") is not None:
                name = str(agent.path[-1])
                names = frozenset({name} | unnamed if len(agents) > 1 else ())
                yield agent.child("hooks"), f"{name}.", names
                unnamed = set()
    if root.value.get("hooks") is not None:
        yield root.child("hooks"), "", frozenset()
    if isinstance(settings, dict) and settings.get("hooks") is not None:
        yield root.child("settings").child("hooks"), "settings.", frozenset()
    if any(table.row(key) for key in root.value):
        yield root, "", frozenset()


class _Loader(Frozen):
    """Loads the hooks of one mapping of events, as `_find_blocks` finds it.

    A hook that it cannot read stays in its place as a broken one.
    """

    source: Source
    table: Table
    root: Node
    node: Node
    label: str
    agents: frozenset[str]
    exact: bool
    allow_local: bool

    def load(self) -> Iterator[HookSpec]:
        """Yield the hooks."""
        public = {native: row for native, row in self.table.rows.items() if ":" not in native}
        found = read_entries(self.node, public, of="hooks", like="begin each entry with `- `")
        for row, entry, broken in found:
            if broken:
                yield self._spec(entry, row, broken=broken)
            elif row.grouped:
                yield from self._load_group(entry, row)
            else:
                yield self._load_hook(entry, row)

    def _load_group(self, group: Node, row: EventRow) -> Iterator[HookSpec]:
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
            yield self._spec(group, row, broken=broken)
            return
        group.check_known_keys(_GROUP_KEYS, f"a group of `{row.native}`")
        matcher = read_matcher(group, row, self.table, _MATCHER, self.source.mode) or ()
        if "preempt_yolo" in given and row.native != "pre_tool_use":
            why = f"`preempt_yolo` belongs to `pre_tool_use`, not to `{row.native}`"
            group.complain("key.misplaced", why, "preempt_yolo")
        elif group.flag("preempt_yolo"):
            row = self.table.rows["pre_tool_use:preempt"]
        broken = group.errors_since(mark)
        for hook in group.child("hooks").children():
            yield self._load_hook(hook, row, matcher, broken)

    def _load_hook(
        self, hook: Node, row: EventRow, matcher: tuple[Condition, ...] = (), broken: str = ""
    ) -> HookSpec:
        """Return one hook; `broken`: why its group cannot be read."""
        mark, given = hook.mark(), hook.value
        is_group = hook.is_mapping("a hook") and isinstance(given.get("hooks"), list)
        if is_group and not row.grouped:
            why = f"`{row.native}` takes a flat list of hooks, not matcher groups"
            hook.complain("group.shape", why, hint="it has no tool")
        if wrong := hook.errors_since(mark):
            return self._spec(hook, row, matcher, broken=wrong)
        hook.check_known_keys(_HOOK_KEYS, f"a hook of `{row.native}`")
        handler = read_handler(
            hook,
            row,
            self.root,
            exact=self.exact,
            strict=self.source.mode == "strict",
            allow_local=self.allow_local,
        )
        usual = POST_TIMEOUT if isinstance(handler, Http) else self.table.default_timeout
        seconds = hook.integer("timeout") or 0
        if seconds < 0:
            why, hint = f"`timeout: {seconds}` is negative", f"whole seconds; 0 means {usual:g}"
            hook.complain("value.range", why, "timeout", hint=hint)
        on_error = hook.choice("on_error", _ON_ERROR, "warn")
        if on_error == "block" and not row.can_block:
            why = f"`on_error: block` is not supported on `{row.native}`, which cannot block"
            hook.complain("key.misplaced", why, "on_error")
        fields: dict[str, Any] = {
            "timeout": float(seconds) if seconds > 0 else usual,
            "name": hook.text("name") or _name_hook(given, exact=self.exact),
            "identity": _identify(given, handler, self.agents),
            "facts": {"on_error": on_error, "strict_output": hook.flag("strict_output")},
        }
        if given.get("on_error") is not None and not row.fails:
            fields["on_failure"] = row.blocks if on_error == "block" else Stance.SILENT
        elif is_observing(handler):
            fields["on_failure"] = Stance.SILENT
        broken = broken or hook.errors_since(mark)
        return self._spec(hook, row, matcher, handler, broken=broken, **fields)

    def _spec(
        self,
        node: Node,
        row: EventRow,
        matcher: tuple[Condition, ...] = (),
        handler: Handler | None = None,
        *,
        broken: str,
        **fields: Any,
    ) -> HookSpec:
        source = self.source
        if self.agents and row.native == "subagent_stop":
            # It names the child, and runs on the hooks of its parent, which upstream does not name.
            matcher = (*matcher, OneOf(field="parent_agent", names=self.agents | {""}))
        elif self.agents:
            matcher = (*matcher, OneOf(field="agent", names=self.agents))
        return make_spec(
            source,
            self.table.name,
            row,
            node,
            id=make_hook_id(source, self.label + str(node.path[len(self.node.path)]), node),
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


def _tell_apart(spec: HookSpec) -> HookSpec:
    """Return a hook whose name another one has; of several lines by its id."""
    if type(spec.handler) is Command and "\n" in spec.handler.script.strip():
        return spec.replace(name=f"{spec.name} ({spec.id.rpartition('#')[2]})")
    return spec
