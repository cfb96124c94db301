"""Reading Claude Code's settings, and the same tree in a plugin's `hooks.json` (harnesses.md 2.1, 2.2)."""

from __future__ import annotations

import json

from hookline.core.dialect import Loaded
from hookline.dialects.claude_code.combine import switches
from hookline.dialects.claude_code.handlers import TIMEOUTS, background, handler
from hookline.dialects.claude_code.matching import matcher, rule
from hookline.dialects.claude_code.table import NAME, TABLE, row_of
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.model.handler import Broken
from hookline.model.kinds import kind
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance
from hookline.text.suggest import did_you_mean
from hookline.wire.sources import hook_name, read_tree, refusing_everything, strict_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hookline.core.dialect import Source
    from hookline.dialects.claude_code.table import Contract
    from hookline.model.conditions import Condition
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem
    from hookline.wire.fields import Node

_GROUP_KEYS = ("matcher", "hooks")
# What a hook is called when it has no command.
_NAMED_BY = ("command", "url", "tool", "prompt", "type")
# In a subagent's front matter `Stop` means the subagent's (2.1).
_IN_AGENT: Mapping[str, str] = {"Stop": "SubagentStop"}
_LONGEST = 1e9


class _Group(Frozen):
    """What the hooks of one matcher group have in common. `matched`: its matcher can be applied at all."""

    row: Contract
    matcher: str
    conditions: tuple[Condition, ...]
    matched: bool
    broken: str


def load(source: Source, *, allow_local: bool = False) -> Loaded:
    """The hooks of a source, in declared order, and every problem that it has.

    `allow_local`: HTTP hooks may be on this machine or in a private network.
    """
    problems: list[Problem] = []
    try:
        root = read_tree(source, problems)
    except ConfigError as error:
        return refusing_everything(source, TABLE, error)
    if not root.is_mapping("a settings file", "config.type") or not _has_place_for_hooks(root):
        wrong = problems[-1]
        refused = refusing_everything(source, TABLE, ConfigError(wrong.message, name=wrong.name, hint=wrong.hint, place=wrong.origin.place))
        return refused.replace(problems=tuple(problems))
    specs = [*switches(root, source), *_Reader(source, problems, allow_local=allow_local).events(root)]
    return Loaded(specs=tuple(specs), problems=tuple(problems))


def _has_place_for_hooks(root: Node) -> bool:
    return root.value.get("hooks") is None or root.child("hooks").is_mapping("hooks")


class _Reader:
    """Reads the hooks of one source."""

    def __init__(self, source: Source, problems: list[Problem], *, allow_local: bool) -> None:
        self.source = source
        self.names = source.names
        self.problems = problems
        self.strict = source.mode == "strict"
        self.allow_local = allow_local

    def events(self, root: Node) -> Iterator[HookSpec]:
        """The hooks below `hooks`; a settings file without them has none, and its other keys are not ours."""
        for misplaced in [key for key in root.value if key in TABLE.rows]:
            root.complain("key.misplaced", f"`{misplaced}` stands beside `hooks`", misplaced, hint="put it below `hooks`")
        if root.value.get("hooks") is None:
            return
        for event in root.child("hooks").children():
            native = str(event.path[-1])
            row = row_of(_IN_AGENT.get(native, native) if "agent" in self.names else native)
            if row is None:
                hint = did_you_mean(native, TABLE.rows) or f"known events: {', '.join(TABLE.rows)}"
                event.complain("event.unknown", f"unknown event `{native}`", hint=hint)
            elif isinstance(event.value, list):
                yield from (spec for group in event.children() for spec in self._group(group, row))
            elif event.value is not None:
                before = event.mark()
                event.complain("group.shape", f"`{native}` must be a list of matcher groups", hint="[{matcher, hooks: [...]}]")
                yield self._spec(event, row, broken=event.errors_since(before))

    def _group(self, group: Node, row: Contract) -> Iterator[HookSpec]:
        before = group.mark()
        if not self._is_group(group, row):
            yield self._spec(group, row, broken=group.errors_since(before))
            return
        group.only(_GROUP_KEYS, f"a group of `{row.native}`")
        conditions, matched = self._conditions(group, row, matcher)
        within = _Group(
            row=row, matcher=str(group.value.get("matcher", "")), conditions=conditions, matched=matched, broken=group.errors_since(before)
        )
        yield from (self._hook(hook, within) for hook in group.child("hooks").children())

    @staticmethod
    def _is_group(group: Node, row: Contract) -> bool:
        if not isinstance(group.value, dict) or ("hooks" not in group.value and "type" in group.value):
            hint = 'wrap it: {"hooks": [...]}'
            group.complain("group.shape", f"an entry of `{row.native}` must be a matcher group", hint=hint)
            return False
        if not isinstance(group.value.get("hooks"), list):
            group.complain("group.shape", f"a group of `{row.native}` needs `hooks`, a list of handlers")
            return False
        if not group.value["hooks"]:
            group.complain("group.empty", f"this group of `{row.native}` has no hooks", severity="warning")
        return True

    def _conditions(
        self, node: Node, row: Contract, read: Callable[[Node, Contract], tuple[Condition, ...]]
    ) -> tuple[tuple[Condition, ...], bool]:
        """What a matcher or an `if` demands, and whether it can be applied at all."""
        try:
            return read(node, row), True
        except ConfigError as error:
            node.complain(error.name, error.message, "if" if read is rule else "matcher", hint=error.hint)
            return (), False

    def _hook(self, hook: Node, group: _Group) -> HookSpec:
        before, row = hook.mark(), group.row
        if not hook.is_mapping("a hook"):
            return self._spec(hook, row, broken=hook.errors_since(before))
        made = handler(hook, row, self.names, kill_leftovers=self.strict, allow_local=self.allow_local)
        own, applies = self._conditions(hook, row, rule)
        timeout = self._timeout(hook, row)
        facts = self._facts(hook, timeout)
        fields = {
            "conditions": (*group.conditions, *own),
            "timeout": timeout,
            "detached": "async" in facts or "rewake" in facts,
            "once": self._once(hook),
            "on_failure": self._on_failure(row, closed=self._closed(hook, row), matched=group.matched and applies),
            "name": hook_name(next((hook.value[key] for key in _NAMED_BY if isinstance(hook.value.get(key), str)), "")),
            "identity": self._identity(hook, group),
            "facts": facts,
        }
        return self._spec(hook, row, broken=group.broken or hook.errors_since(before), handler=made, **fields)

    def _spec(self, node: Node, row: Contract, *, broken: str, handler: Handler | None = None, **fields: object) -> HookSpec:
        where = ".".join(str(step) for step in node.path[2:] if step != "hooks")
        defaults: dict[str, object] = {"on_failure": self._on_failure(row, closed=False, matched=True), "timeout": row.timeout}
        return HookSpec(
            id=f"{(self.source.file or 'config').rpartition('/')[2]}#{row.native}.{where}",
            dialect=NAME,
            kind=row.kind,
            native_event=row.native,
            handler=Broken(reason=broken) if broken or handler is None else handler,
            origin=node.origin(),
            shadow=self.source.shadow,
            strict=self.strict,
            trusted=self.source.trusted,
            **{**defaults, **fields},  # type: ignore[arg-type]
        )

    def _facts(self, hook: Node, timeout: float) -> dict[str, object]:
        facts = background(hook)
        if status := hook.text("statusMessage"):
            facts["status"] = status
        if hook.value.get("timeout") is not None:
            facts["timeout"] = timeout
        if plugin := self.names.get("plugin_root"):
            facts["plugin"] = plugin
        return facts

    @staticmethod
    def _timeout(hook: Node, row: Contract) -> float:
        given = hook.number("timeout")
        if given is None:
            return TIMEOUTS.get(str(hook.value.get("type")), row.timeout)
        if not 0 < given <= _LONGEST:
            hook.complain("value.range", f"`timeout: {given}` is no time to wait", "timeout", hint="seconds, more than 0")
            return row.timeout
        return float(given)

    @staticmethod
    def _closed(hook: Node, row: Contract) -> bool:
        """Whether `onFailure: block` makes a failure refuse; at a stop gate the host ignores it."""
        if (said := hook.text("onFailure")) != "block":
            if said:
                hook.complain("value.choice", f"`onFailure: {said}` is not known", "onFailure", hint="it can be `block`")
            return False
        if row.blocks is Stance.SILENT or kind(row.kind).redo:
            hook.complain("key.ignored", f"`onFailure` has no effect on `{row.native}`", "onFailure", severity="warning")
            return False
        return True

    def _on_failure(self, row: Contract, *, closed: bool, matched: bool) -> Stance:
        chosen = [row.fails]
        chosen += [row.blocks] if closed and matched else []
        chosen += [] if matched else [row.unmatched]
        chosen += [strict_failure(row)] if self.strict else []
        return max(chosen)

    def _once(self, hook: Node) -> bool:
        if not hook.flag("once"):
            return False
        if "skill" in self.names or self.strict:
            return True
        why = "`once` works in the front matter of a skill only, so this hook runs every time"
        hook.complain("key.ignored", why, "once", severity="warning")
        return False

    def _identity(self, hook: Node, group: _Group) -> str:
        """The handler's text, `if` included; a plugin's or a skill's copy is another hook (1.8, 2.9).

        So is one that nobody approved, or that is only recorded: it must not take the place of one that counts. A matcher
        that is not about the tool belongs to it, because equal hooks are told apart before it is looked at.
        """
        whose = [self.names.get("plugin_root") or self.names.get("skill") or "", self.source.trusted, self.source.shadow]
        where = "" if group.row.subject == "tool" else group.matcher
        return json.dumps([whose, where, hook.value], sort_keys=True, default=str)
