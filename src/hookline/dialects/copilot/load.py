"""Reading Copilot's files: hook files, policies, and the `hooks` of a settings file (docs/formats/comparison.md 1; docs/formats/copilot.md 2)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.copilot.combine import is_settings, switched
from hookline.dialects.copilot.handlers import handler
from hookline.dialects.copilot.matcher import matcher
from hookline.dialects.copilot.table import CONTRACTS, DEFAULT_TIMEOUT, NAME, SILENT, TABLE
from hookline.errors import ConfigError
from hookline.model.handler import Http
from hookline.model.spec import HookSpec
from hookline.wire.fields import to_problem
from hookline.wire.groups import find_hooks_mapping, hook_id, read_entries
from hookline.wire.matchers import read_conditions
from hookline.wire.sources import (
    has_place_for_hooks,
    hook_name,
    read_tree,
    refuse_source,
    resolve_failure,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hookline.core.dialect import EventRow, Source
    from hookline.model.conditions import Condition
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem
    from hookline.model.verdict import Stance
    from hookline.wire.fields import Node

_KEYS = ("version", "disableAllHooks", "hooks", "description", "$schema")
_GROUP_KEYS = ("matcher", "hooks")
_NAMED_BY = ("bash", "command", "powershell", "exec", "url", "prompt", "type")
_VERSION = 1


def load(source: Source, *, allow_local: bool = False) -> Loaded:
    """The hooks of a source, in declared order, and every problem that it has.

    `allow_local`: HTTP hooks may be on this machine or in a private network.
    """
    problems: list[Problem] = []
    try:
        root = read_tree(source, problems)
    except ConfigError as error:
        return _refused(source, (to_problem(error, source.file, source.scope),))
    if not _is_readable(root, source):
        return _refused(source, problems)
    specs = tuple(_Reader(source, allow_local=allow_local).hooks(root))
    return Loaded(specs=switched(root, source, specs), problems=tuple(problems))


def _refused(source: Source, problems: Sequence[Problem]) -> Loaded:
    """A file that cannot be read: the host leaves it out, and goes on; here its hooks are missed aloud."""
    if source.mode == "strict":
        return refuse_source(source, TABLE, problems)
    open_rows = {native: row.replace(fails=SILENT) for native, row in TABLE.rows.items()}
    return refuse_source(source, TABLE.replace(rows=open_rows), problems)


def _is_readable(root: Node, source: Source) -> bool:
    """Whether the file's frame is as it should be; what is wrong with a single hook is that hook's affair."""
    if not root.is_mapping("a file of hooks", "config.type"):
        return False
    if not is_settings(source):
        root.check_known_keys(
            (*_KEYS, *CONTRACTS),
            "a file of hooks",
            severity=TABLE.severity_of_unknown_key("file", source.mode),
        )
        if "version" not in root.value:
            root.complain(
                "key.missing",
                "the key `version` is missing",
                hint="`version: 1`",
                severity="warning",
            )
        elif root.value["version"] != _VERSION or isinstance(root.value["version"], bool):
            hint = "this format is version 1"
            root.complain(
                "value.choice",
                f"`version: {root.value['version']}` is not known",
                "version",
                hint=hint,
            )
            return False
    return has_place_for_hooks(root)


class _Reader:
    """Reads the hooks of one source. What cannot be read stays in its place as a broken hook, so that it is missed aloud."""

    def __init__(self, source: Source, *, allow_local: bool) -> None:
        self.source = source
        self.strict = source.mode == "strict"
        self.allow_local = allow_local

    def hooks(self, root: Node) -> Iterator[HookSpec]:
        """The hooks below `hooks`, in file order, whichever way their keys are spelled."""
        events = find_hooks_mapping(root, CONTRACTS)
        if events is None:
            return
        for row, entry, broken in read_entries(
            events, CONTRACTS, of="hooks", like="[{type: command, bash: ...}]", known=TABLE.rows
        ):
            if broken:
                yield self._spec(entry, row, broken=broken)
            else:
                yield from self._entry(entry, row)

    def _entry(self, entry: Node, row: EventRow) -> Iterator[HookSpec]:
        """A hook; or under a PascalCase key, as Claude's files have it, a group of them with one matcher (1.1)."""
        if not isinstance(entry.value, dict) or "hooks" not in entry.value:
            yield self._hook(entry, row)
            return
        before = entry.mark()
        if row.native != row.called:
            hint = "flat entries, or the key in PascalCase"
            entry.complain(
                "group.shape", f"`{row.native}` takes flat hooks, not matcher groups", hint=hint
            )
        elif not isinstance(entry.value["hooks"], list):
            entry.complain(
                "group.shape", f"a group of `{row.native}` needs `hooks`, a list of handlers"
            )
        if entry.errors_since(before):
            yield self._spec(entry, row, broken=entry.errors_since(before))
            return
        entry.check_known_keys(
            _GROUP_KEYS,
            f"a group of `{row.native}`",
            severity=TABLE.severity_of_unknown_key("group", self.source.mode),
        )
        demanded = read_conditions(entry, row, self._matcher) or ()
        broken = entry.errors_since(before)
        yield from (
            self._hook(hook, row, demanded, broken) for hook in entry.child("hooks").children()
        )

    def _matcher(self, node: Node, row: EventRow) -> tuple[Condition, ...]:
        return matcher(node, row, strict=self.strict)

    def _hook(
        self, hook: Node, row: EventRow, demanded: tuple[Condition, ...] = (), broken: str = ""
    ) -> HookSpec:
        before = hook.mark()
        if not hook.is_mapping("a hook"):
            return self._spec(hook, row, broken=hook.errors_since(before))
        made = handler(
            hook, row, self.source.names, mode=self.source.mode, allow_local=self.allow_local
        )
        fields = {
            "conditions": (*demanded, *(read_conditions(hook, row, self._matcher) or ())),
            "timeout": self._timeout(hook),
            "name": hook_name(
                next(
                    (hook.value[key] for key in _NAMED_BY if isinstance(hook.value.get(key), str)),
                    "",
                )
            ),
        }
        return self._spec(
            hook, row, broken=broken or hook.errors_since(before), handler=made, **fields
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
        unread = bool(broken) or handler is None
        return HookSpec(
            id=hook_id(self.source.file, row.native, node),
            dialect=NAME,
            kind=row.kind,
            native_event=row.native,
            handler=node.choose_handler(handler, broken),
            on_failure=self._on_failure(row, opens=unread or type(handler) is Http),
            origin=node.origin(),
            shadow=self.source.shadow,
            strict=self.strict,
            trusted=self.source.trusted,
            **{"timeout": DEFAULT_TIMEOUT, **fields},  # type: ignore[arg-type]
        )

    def _on_failure(self, row: EventRow, *, opens: bool) -> Stance:
        """A hook that the host cannot read, or asks over HTTP, never fails closed there (1.4, 6)."""
        return SILENT if opens and not self.strict else resolve_failure(row, self.source.mode)

    @staticmethod
    def _timeout(hook: Node) -> float:
        """Seconds; `timeoutSec` counts before `timeout`."""
        key = "timeoutSec" if hook.value.get("timeoutSec") is not None else "timeout"
        return float(hook.duration(key) or DEFAULT_TIMEOUT)
