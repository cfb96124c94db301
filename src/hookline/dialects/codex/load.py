"""Reading Codex's `hooks.json`, the same tree below `[hooks]` in its TOML files, and a plugin's `hooks/hooks.json` (harnesses.md 3)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.codex.combine import switches
from hookline.dialects.codex.handlers import facts, handler, timeout
from hookline.dialects.codex.matching import matcher
from hookline.dialects.codex.table import DEFAULT_TIMEOUT, NAME, TABLE
from hookline.dialects.codex.trust import trust_key
from hookline.errors import ConfigError
from hookline.model.handler import Broken
from hookline.model.spec import HookSpec
from hookline.wire.groups import groups, hook_id
from hookline.wire.sources import hook_name, read_tree, refusing_everything, strict_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Source
    from hookline.model.conditions import Condition
    from hookline.model.problem import Problem
    from hookline.wire.fields import Node
    from hookline.wire.groups import Group

# Beside the events stand what the user said of each hook, and where policy keeps its scripts.
_BESIDE = ("state", "managed_dir", "windows_managed_dir")
_OF_A_HOOKS_FILE = ("hooks", "description", "$schema")


def load(source: Source) -> Loaded:
    """The hooks of a source, in declared order, and every problem that it has."""
    problems: list[Problem] = []
    try:
        root = read_tree(source, problems)
    except ConfigError as error:
        return refusing_everything(source, TABLE, error)
    if not root.is_mapping("a file of hooks", "config.type") or not _has_place_for_hooks(root):
        wrong = problems[-1]
        refused = refusing_everything(source, TABLE, ConfigError(wrong.message, name=wrong.name, hint=wrong.hint, place=wrong.origin.place))
        return refused.replace(problems=tuple(problems))
    for misplaced in [key for key in root.value if key in TABLE.rows]:
        root.complain("key.misplaced", f"`{misplaced}` stands beside `hooks`", misplaced, hint="put it below `hooks`")
    if source.file.endswith(".json"):  # the other tables of a TOML file are Codex's own
        root.only((*_OF_A_HOOKS_FILE, *TABLE.rows), "a file of hooks", severity="warning")
    specs = [*switches(root, source), *_Reader(source).hooks(root)]
    return Loaded(specs=tuple(specs), problems=tuple(problems))


def _has_place_for_hooks(root: Node) -> bool:
    return root.value.get("hooks") is None or root.child("hooks").is_mapping("hooks")


class _Reader:
    """Reads the hooks of one source."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.strict = source.mode == "strict"

    def hooks(self, root: Node) -> Iterator[HookSpec]:
        """The hooks below `hooks`; a file without them has none."""
        if root.value.get("hooks") is None:
            return
        events = root.child("hooks")
        for group in groups(events, TABLE, beside=_BESIDE, severity="warning"):
            if group.broken:
                yield self._spec(group.node, group, events, broken=group.broken)
            else:
                yield from self._group(group, events)

    def _group(self, group: Group, events: Node) -> Iterator[HookSpec]:
        before = group.node.mark()
        conditions = self._conditions(group)
        broken = group.node.errors_since(before)
        yield from (self._hook(hook, group, events, conditions, broken) for hook in group.hooks)

    @staticmethod
    def _conditions(group: Group) -> tuple[Condition, ...]:
        try:
            return matcher(group.node, group.row)
        except ConfigError as error:
            group.node.complain(error.name, error.message, "matcher", hint=error.hint)
            return ()

    def _hook(self, hook: Node, group: Group, events: Node, conditions: tuple[Condition, ...], broken: str) -> HookSpec:
        before = hook.mark()
        if not hook.is_mapping("a hook"):
            return self._spec(hook, group, events, broken=hook.errors_since(before))
        made = handler(hook, self.source.names, kill_leftovers=self.strict)
        said = facts(hook)
        fields = {
            "handler": made,
            "conditions": conditions,
            "timeout": timeout(hook),
            "detached": "async" in said,
            "name": hook_name(hook.value["command"]) if isinstance(hook.value.get("command"), str) else "",
        }
        key = trust_key(self.source.file, group.row.native, int(group.node.path[-1]), int(hook.path[-1]))
        return self._spec(hook, group, events, broken=broken or hook.errors_since(before), facts={**said, "trust_key": key}, **fields)

    def _spec(self, node: Node, group: Group, events: Node, *, broken: str, **fields: object) -> HookSpec:
        row = group.row
        if broken:
            fields["handler"] = Broken(reason=broken)
        return HookSpec(
            id=hook_id(self.source.file, row.native, node, events),
            dialect=NAME,
            kind=row.kind,
            native_event=row.native,
            on_failure=max(row.fails, strict_failure(row)) if self.strict else row.fails,
            origin=node.origin(),
            shadow=self.source.shadow,
            strict=self.strict,
            trusted=self.source.trusted,
            **{"timeout": DEFAULT_TIMEOUT, **fields},  # type: ignore[arg-type]
        )
