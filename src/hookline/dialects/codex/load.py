"""Reading Codex's `hooks.json`, the same tree below `[hooks]` in its TOML files, and a plugin's `hooks/hooks.json` (docs/formats/codex.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.codex.combine import switches
from hookline.dialects.codex.handlers import facts, handler, timeout
from hookline.dialects.codex.matcher import matcher
from hookline.dialects.codex.table import NAME, ROWS, TABLE
from hookline.dialects.codex.trust_key import trust_key
from hookline.model.spec import HookSpec
from hookline.wire.groups import find_hooks_mapping, hook_id, read_groups
from hookline.wire.matchers import read_conditions
from hookline.wire.sources import hook_name, read_frame, refuse_source, resolve_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import EventRow, Source
    from hookline.model.conditions import Condition
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem
    from hookline.wire.fields import Node

# Beside the events stand what the user said of each hook, and where policy keeps its scripts.
_BESIDE = ("state", "managed_dir", "windows_managed_dir")
_OF_A_HOOKS_FILE = ("hooks", "description", "$schema")


def load(source: Source) -> Loaded:
    """The hooks of a source, in declared order, and every problem that it has."""
    problems: list[Problem] = []
    root = read_frame(source, problems, "a file of hooks")
    if root is None:
        return refuse_source(source, TABLE, problems)
    events = find_hooks_mapping(root, ROWS)
    if source.file.endswith(".json"):  # the other tables of a TOML file are Codex's own
        root.check_known_keys(
            (*_OF_A_HOOKS_FILE, *ROWS),
            "a file of hooks",
            severity=TABLE.severity_of_unknown_key("file", source.mode),
        )
    specs = [
        *switches(root, source),
        *(_Reader(source).hooks(events) if events is not None else ()),
    ]
    return Loaded(specs=tuple(specs), problems=tuple(problems))


class _Reader:
    """Reads the hooks of one source."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.strict = source.mode == "strict"

    def hooks(self, events: Node) -> Iterator[HookSpec]:
        """The hooks of all events."""
        severity = TABLE.severity_of_unknown_key("group", self.source.mode)
        for row, group in read_groups(events, ROWS, beside=_BESIDE, severity=severity):
            if group.broken:
                yield self._spec(group.node, row, broken=group.broken)
            else:
                demanded = read_conditions(group.node, row, matcher) or ()
                broken = group.node.errors_since(group.mark)
                yield from (self._hook(hook, row, demanded, broken) for hook in group.hooks)

    def _hook(
        self, hook: Node, row: EventRow, demanded: tuple[Condition, ...], broken: str
    ) -> HookSpec:
        before = hook.mark()
        if not hook.is_mapping("a hook"):
            return self._spec(hook, row, broken=hook.errors_since(before))
        made = handler(hook, self.source.names, mode=self.source.mode)
        said = facts(hook, row)
        fields = {
            "conditions": demanded,
            "timeout": timeout(hook, row),
            "detached": "async" in said,
            "name": hook_name(hook.value["command"])
            if isinstance(hook.value.get("command"), str)
            else "",
        }
        *_, group_at, _, hook_at = hook.path
        key = trust_key(self.source.file, row.native, int(group_at), int(hook_at))
        return self._spec(
            hook,
            row,
            broken=broken or hook.errors_since(before),
            handler=made,
            facts={**said, "trust_key": key},
            **fields,
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
            id=hook_id(self.source.file, row.native, node),
            dialect=NAME,
            kind=row.kind,
            native_event=row.native,
            on_failure=resolve_failure(row, self.source.mode),
            origin=node.origin(),
            shadow=self.source.shadow,
            strict=self.strict,
            trusted=self.source.trusted,
            **{"timeout": row.timeout, **fields},  # type: ignore[arg-type]
        )
