"""Reading Copilot's files: hook files, policies, and the `hooks` of a settings file (harnesses.md 1.1, 6)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.copilot.combine import is_settings, switched
from hookline.dialects.copilot.handlers import handler
from hookline.dialects.copilot.matching import matcher
from hookline.dialects.copilot.table import CONTRACTS, DEFAULT_TIMEOUT, NAME, SILENT, TABLE, contract
from hookline.errors import ConfigError
from hookline.model.handler import Broken, Http
from hookline.model.spec import HookSpec
from hookline.text.suggest import did_you_mean
from hookline.wire.sources import hook_name, read_tree, refusing_everything, strict_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Source
    from hookline.dialects.copilot.table import Contract
    from hookline.model.conditions import Condition
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem
    from hookline.model.verdict import Stance
    from hookline.wire.fields import Node

_KEYS = ("version", "disableAllHooks", "hooks", "description", "$schema")
_GROUP_KEYS = ("matcher", "hooks")
_NAMED_BY = ("bash", "command", "powershell", "exec", "url", "prompt", "type")
_VERSION = 1
_LONGEST = 1e9


def load(source: Source, *, allow_local: bool = False) -> Loaded:
    """The hooks of a source, in declared order, and every problem that it has.

    `allow_local`: HTTP hooks may be on this machine or in a private network.
    """
    problems: list[Problem] = []
    try:
        root = read_tree(source, problems)
    except ConfigError as error:
        return _refused(source, error)
    if not _is_readable(root, source):
        wrong = next(problem for problem in problems if problem.severity == "error")
        frame = ConfigError(wrong.message, name=wrong.name, hint=wrong.hint, place=wrong.origin.place)
        return _refused(source, frame).replace(problems=tuple(problems))
    specs = tuple(_Reader(source, problems, allow_local=allow_local).events(root))
    return Loaded(specs=switched(root, source, specs), problems=tuple(problems))


def _refused(source: Source, error: ConfigError) -> Loaded:
    """A file that cannot be read: the host leaves it out, and goes on; here its hooks are missed aloud."""
    if source.mode == "strict":
        return refusing_everything(source, TABLE, error)
    open_rows = {native: row.replace(fails=SILENT) for native, row in TABLE.rows.items()}
    return refusing_everything(source, TABLE.replace(rows=open_rows), error)


def _is_readable(root: Node, source: Source) -> bool:
    """Whether the file's frame is as it should be; what is wrong with a single hook is that hook's affair."""
    if not root.is_mapping("a file of hooks", "config.type"):
        return False
    if not is_settings(source):
        root.only((*_KEYS, *CONTRACTS), "a file of hooks", severity="warning")
        if "version" not in root.value:
            root.complain("key.missing", "the key `version` is missing", hint="`version: 1`", severity="warning")
        elif root.value["version"] != _VERSION or isinstance(root.value["version"], bool):
            hint = "this format is version 1"
            root.complain("value.choice", f"`version: {root.value['version']}` is not known", "version", hint=hint)
            return False
    return root.value.get("hooks") is None or root.child("hooks").is_mapping("hooks")


class _Reader:
    """Reads the hooks of one source. What cannot be read stays in its place as a broken hook, so that it is missed aloud."""

    def __init__(self, source: Source, problems: list[Problem], *, allow_local: bool) -> None:
        self.source = source
        self.problems = problems
        self.strict = source.mode == "strict"
        self.allow_local = allow_local

    def events(self, root: Node) -> Iterator[HookSpec]:
        """The hooks below `hooks`, in file order, whichever way their keys are spelled."""
        for misplaced in [key for key in root.value if key in CONTRACTS]:
            root.complain("key.misplaced", f"`{misplaced}` stands beside `hooks`", misplaced, hint="put it below `hooks`")
        if root.value.get("hooks") is None:
            return
        for event in root.child("hooks").children():
            native = str(event.path[-1])
            row = contract(native)
            if row is None:
                hint = did_you_mean(native, CONTRACTS) or f"known events: {', '.join(TABLE.rows)}"
                event.complain("event.unknown", f"unknown event `{native}`", hint=hint)
            elif isinstance(event.value, list):
                yield from (spec for entry in event.children() for spec in self._entry(entry, row))
            elif event.value is not None:
                before = event.mark()
                event.complain("group.shape", f"`{native}` must be a list of hooks", hint="[{type: command, bash: ...}]")
                yield self._spec(event, row, broken=event.errors_since(before))

    def _entry(self, entry: Node, row: Contract) -> Iterator[HookSpec]:
        """A hook; or under a PascalCase key, as Claude's files have it, a group of them with one matcher (1.1)."""
        if not isinstance(entry.value, dict) or "hooks" not in entry.value:
            yield self._hook(entry, row)
            return
        before = entry.mark()
        if row.native != row.spelling:
            hint = "flat entries, or the key in PascalCase"
            entry.complain("group.shape", f"`{row.native}` takes flat hooks, not matcher groups", hint=hint)
        elif not isinstance(entry.value["hooks"], list):
            entry.complain("group.shape", f"a group of `{row.native}` needs `hooks`, a list of handlers")
        if entry.errors_since(before):
            yield self._spec(entry, row, broken=entry.errors_since(before))
            return
        entry.only(_GROUP_KEYS, f"a group of `{row.native}`", severity="warning")
        conditions, broken = self._matcher(entry, row)
        yield from (self._hook(hook, row, conditions, broken) for hook in entry.child("hooks").children())

    def _hook(self, hook: Node, row: Contract, conditions: tuple[Condition, ...] = (), broken: str = "") -> HookSpec:
        before = hook.mark()
        if not hook.is_mapping("a hook"):
            return self._spec(hook, row, broken=hook.errors_since(before))
        made = handler(hook, row, self.source.names, kill_leftovers=self.strict, allow_local=self.allow_local)
        own, _ = self._matcher(hook, row)
        fields = {
            "conditions": (*conditions, *own),
            "timeout": self._timeout(hook),
            "name": hook_name(next((hook.value[key] for key in _NAMED_BY if isinstance(hook.value.get(key), str)), "")),
        }
        return self._spec(hook, row, broken=broken or hook.errors_since(before), handler=made, **fields)

    def _matcher(self, node: Node, row: Contract) -> tuple[tuple[Condition, ...], str]:
        """The condition, and why it cannot be applied: the host skips such a hook."""
        before = node.mark()
        try:
            return matcher(node, row), node.errors_since(before)
        except ConfigError as error:
            hint = "leave the matcher out to take everything" if node.value["matcher"] == "*" else error.hint
            node.complain(error.name, error.message, "matcher", hint=hint)
            return (), node.errors_since(before)

    def _spec(self, node: Node, row: Contract, *, broken: str, handler: Handler | None = None, **fields: object) -> HookSpec:
        where = ".".join(str(step) for step in node.path[2:] if step != "hooks")
        unread = bool(broken) or handler is None
        return HookSpec(
            id=f"{(self.source.file or 'config').rpartition('/')[2]}#{row.native}{'.' if where else ''}{where}",
            dialect=NAME,
            kind=row.kind,
            native_event=row.native,
            handler=Broken(reason=broken) if unread or handler is None else handler,
            on_failure=self._on_failure(row, opens=unread or type(handler) is Http),
            origin=node.origin(),
            shadow=self.source.shadow,
            strict=self.strict,
            trusted=self.source.trusted,
            **{"timeout": DEFAULT_TIMEOUT, **fields},  # type: ignore[arg-type]
        )

    def _on_failure(self, row: Contract, *, opens: bool) -> Stance:
        """A hook that the host cannot read, or asks over HTTP, never fails closed there (1.4, 6)."""
        if self.strict:
            return max(strict_failure(row), row.fails)
        return SILENT if opens else row.fails

    @staticmethod
    def _timeout(hook: Node) -> float:
        """Seconds; `timeoutSec` counts before `timeout`."""
        key = "timeoutSec" if hook.value.get("timeoutSec") is not None else "timeout"
        given = hook.number(key)
        if given is None:
            return DEFAULT_TIMEOUT
        if not 0 < given <= _LONGEST:
            hook.complain("value.range", f"`{key}: {given}` is no time to wait", key, hint="seconds, more than 0")
            return DEFAULT_TIMEOUT
        return float(given)
