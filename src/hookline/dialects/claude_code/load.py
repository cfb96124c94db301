"""Reading Claude Code's settings, and the same tree in a plugin's `hooks.json` (docs/formats/claude-code.md 1, 2)."""

from __future__ import annotations

import json

from hookline.core.dialect import Loaded
from hookline.dialects.claude_code.combine import switches
from hookline.dialects.claude_code.handlers import TIMEOUTS, background, handler
from hookline.dialects.claude_code.matcher import matcher, rule
from hookline.dialects.claude_code.table import NAME, ROWS, TABLE
from hookline.model.frozen import Frozen
from hookline.model.kinds import kind
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance
from hookline.wire.groups import find_hooks_mapping, read_groups
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

# What a hook is called when it has no command.
_NAMED_BY = ("command", "url", "tool", "prompt", "type")
# In a subagent's front matter `Stop` means the subagent's (docs/formats/claude-code.md 1).
_IN_AGENT: Mapping[str, str] = {"Stop": "SubagentStop"}
_LONGEST = 1e9


class _Seat(Frozen):
    """What the hooks of one matcher group have in common. `matched`: its matcher can be applied at all."""

    row: EventRow
    matcher: str
    conditions: tuple[Condition, ...]
    matched: bool
    broken: str


def load(source: Source, *, allow_local: bool = False) -> Loaded:
    """The hooks of a source, in declared order, and every problem that it has.

    `allow_local`: HTTP hooks may be on this machine or in a private network.
    """
    problems: list[Problem] = []
    root = read_frame(source, problems, "a settings file")
    if root is None:
        return refuse_source(source, TABLE, problems)
    specs = [*switches(root, source), *_Reader(source, allow_local=allow_local).hooks(root)]
    return Loaded(specs=tuple(specs), problems=tuple(problems))


class _Reader:
    """Reads the hooks of one source."""

    def __init__(self, source: Source, *, allow_local: bool) -> None:
        self.source = source
        self.names = source.names
        self.strict = source.mode == "strict"
        self.allow_local = allow_local

    def hooks(self, root: Node) -> Iterator[HookSpec]:
        """The hooks below `hooks`; a settings file without them has none, and its other keys are not ours."""
        events = find_hooks_mapping(root, ROWS)
        if events is None:
            return
        rows = (
            {native: ROWS[_IN_AGENT.get(native, native)] for native in ROWS}
            if "agent" in self.names
            else ROWS
        )
        for row, group in read_groups(
            events, rows, severity=TABLE.severity_of_unknown_key("group", self.source.mode)
        ):
            if group.broken:
                yield self._spec(group.node, row, broken=group.broken)
            else:
                seat = self._seat(row, group)
                yield from (self._hook(hook, seat) for hook in group.hooks)

    @staticmethod
    def _seat(row: EventRow, group: Group) -> _Seat:
        demanded = read_conditions(group.node, row, matcher)
        return _Seat(
            row=row,
            matcher=str(group.node.value.get("matcher", "")),
            conditions=demanded or (),
            matched=demanded is not None,
            broken=group.node.errors_since(group.mark),
        )

    def _hook(self, hook: Node, seat: _Seat) -> HookSpec:
        before, row = hook.mark(), seat.row
        if not hook.is_mapping("a hook"):
            return self._spec(hook, row, broken=hook.errors_since(before))
        made = handler(hook, row, self.names, mode=self.source.mode, allow_local=self.allow_local)
        own = read_conditions(hook, row, rule, "if")
        timeout = self._timeout(hook, row)
        facts = self._facts(hook, row, timeout)
        fields = {
            "conditions": (*seat.conditions, *(own or ())),
            "timeout": timeout,
            "detached": "async" in facts or "rewake" in facts,
            "once": self._once(hook),
            "on_failure": self._on_failure(
                row, closed=self._closed(hook, row), matched=seat.matched and own is not None
            ),
            "name": hook_name(
                next(
                    (hook.value[key] for key in _NAMED_BY if isinstance(hook.value.get(key), str)),
                    "",
                )
            ),
            "identity": self._identity(hook, seat),
            "facts": facts,
        }
        return self._spec(
            hook, row, broken=seat.broken or hook.errors_since(before), handler=made, **fields
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
        where = ".".join(str(step) for step in node.path[2:] if step != "hooks")
        defaults: dict[str, object] = {
            "on_failure": self._on_failure(row, closed=False, matched=True),
            "timeout": row.timeout,
        }
        return HookSpec(
            id=f"{(self.source.file or 'config').rpartition('/')[2]}#{row.native}.{where}",
            dialect=NAME,
            kind=row.kind,
            native_event=row.native,
            handler=node.choose_handler(handler, broken),
            origin=node.origin(),
            shadow=self.source.shadow,
            strict=self.strict,
            trusted=self.source.trusted,
            **{**defaults, **fields},  # type: ignore[arg-type]
        )

    def _facts(self, hook: Node, row: EventRow, timeout: float) -> dict[str, object]:
        facts = background(hook, row, strict=self.strict)
        if status := hook.text("statusMessage"):
            facts["status"] = status
        if hook.value.get("timeout") is not None:
            facts["timeout"] = timeout
        if plugin := self.names.get("plugin_root"):
            facts["plugin"] = plugin
        if hook.value.get("type") == "prompt" and hook.flag("continueOnBlock"):
            facts["continue_on_block"] = True
            if row.judged is not Stance.HALT:
                why = f"`{row.native}` ends no turn, so `continueOnBlock` changes nothing"
                hook.complain("key.ignored", why, "continueOnBlock", severity="warning")
        return facts

    @staticmethod
    def _timeout(hook: Node, row: EventRow) -> float:
        given = hook.number("timeout")
        if given is None:
            return TIMEOUTS.get(str(hook.value.get("type")), row.timeout)
        if not 0 < given <= _LONGEST:
            hook.complain(
                "value.range",
                f"`timeout: {given}` is no time to wait",
                "timeout",
                hint="seconds, more than 0",
            )
            return row.timeout
        return float(given)

    @staticmethod
    def _closed(hook: Node, row: EventRow) -> bool:
        """Whether `onFailure: block` makes a failure refuse; at a stop gate the host ignores it."""
        if (said := hook.text("onFailure")) != "block":
            if said:
                hook.complain(
                    "value.choice",
                    f"`onFailure: {said}` is not known",
                    "onFailure",
                    hint="it can be `block`",
                )
            return False
        if row.blocks is Stance.SILENT or kind(row.kind).redo:
            hook.complain(
                "key.ignored",
                f"`onFailure` has no effect on `{row.native}`",
                "onFailure",
                severity="warning",
            )
            return False
        return True

    def _on_failure(self, row: EventRow, *, closed: bool, matched: bool) -> Stance:
        chosen = [resolve_failure(row, self.source.mode)]
        chosen += [row.blocks] if closed and matched else []
        chosen += [] if matched else [row.unmatched]
        return max(chosen)

    def _once(self, hook: Node) -> bool:
        if not hook.flag("once"):
            return False
        if "skill" in self.names or self.strict:
            return True
        why = "`once` works in the front matter of a skill only, so this hook runs every time"
        hook.complain("key.ignored", why, "once", severity="warning")
        return False

    def _identity(self, hook: Node, seat: _Seat) -> str:
        """The handler's text, `if` included; a plugin's or a skill's copy is another hook (1.8, 2.9).

        So is one that nobody approved, or that is only recorded: it must not take the place of one that counts. A matcher
        that is not about the tool belongs to it, because equal hooks are told apart before it is looked at.
        """
        whose = [
            self.names.get("plugin_root") or self.names.get("skill") or "",
            self.source.trusted,
            self.source.shadow,
        ]
        where = "" if seat.row.subject == "tool" else seat.matcher
        return json.dumps([whose, where, hook.value], sort_keys=True, default=str)
