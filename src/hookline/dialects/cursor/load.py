"""Reading Cursor's `hooks.json`: a flat list of entries for each event (docs/formats/cursor.md 2)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.cursor.matcher import matcher
from hookline.dialects.cursor.table import DEFAULT_LOOP_LIMIT, DEFAULT_TIMEOUT, NAME, ROWS, TABLE
from hookline.errors import ConfigError
from hookline.model.handler import Command
from hookline.model.kinds import kind
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance
from hookline.wire.fields import describe_value
from hookline.wire.groups import find_hooks_mapping, hook_id, read_entries
from hookline.wire.matchers import read_conditions
from hookline.wire.sources import hook_name, read_tree, refuse_unreadable, resolve_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import EventRow, Source
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem
    from hookline.wire.fields import Node

_ROOT_KEYS = ("version", "hooks", "$schema")
_KEYS = ("command", "type", "timeout", "loop_limit", "failClosed", "matcher")
_TYPES = ("command", "prompt")
_SHELL = ("sh",)
# A file of these scopes has no project: its commands start beside it.
_OWN_FOLDER = ("managed", "user")


def load(source: Source) -> Loaded:
    """The hooks of a source, in declared order, and every problem that it has."""
    problems: list[Problem] = []
    try:
        root = read_tree(source, problems)
        _must_be_mapping(root, "a hooks file")
        if root.value.get("hooks") is not None:
            _must_be_mapping(root.child("hooks"), "`hooks`")
    except ConfigError as error:
        return refuse_unreadable(source, TABLE, error)
    return Loaded(specs=tuple(_Reader(source).hooks(root)), problems=tuple(problems))


def _must_be_mapping(node: Node, what: str) -> None:
    if not isinstance(node.value, dict):
        raise ConfigError(
            f"{what} must be a mapping, not {describe_value(node.value)}",
            name="config.type",
            place=node.origin().place,
        )


class _Reader:
    """Reads the hooks of one source. What cannot be read stays in its place as a broken hook, so that it is missed aloud."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.strict = source.mode == "strict"
        self.folder, self.project = _places(source)

    def hooks(self, root: Node) -> Iterator[HookSpec]:
        """The hooks below `hooks`."""
        events = find_hooks_mapping(root, ROWS)
        self._around(root)
        if events is None:
            return
        for row, hook, broken in read_entries(
            events, ROWS, of="hooks", like='[{"command": "..."}]'
        ):
            yield self._spec(hook, row, broken=broken) if broken else self._hook(hook, row)

    def _around(self, root: Node) -> None:
        """What stands beside `hooks`."""
        misplaced = [key for key in root.value if key in ROWS]
        root.check_known_keys(
            (*_ROOT_KEYS, *misplaced),
            "a hooks file",
            severity=TABLE.severity_of_unknown_key("file", self.source.mode),
        )
        if root.value.get("hooks") is None and not misplaced:
            root.complain(
                "key.missing", "no hooks here", hint="they stand under `hooks`", severity="warning"
            )
        if "version" not in root.value:
            root.complain(
                "key.missing",
                "the key `version` is missing",
                hint='add `"version": 1`',
                severity="warning",
            )
        elif root.value["version"] != 1 or isinstance(root.value["version"], bool):
            said = f"`version` is {describe_value(root.value['version'])}, which is not known"
            root.complain("value.choice", said, "version", hint="it is `1`", severity="warning")

    def _hook(self, hook: Node, row: EventRow) -> HookSpec:
        before = hook.mark()
        if not self._is_entry(hook, row):
            return self._spec(hook, row, broken=hook.errors_since(before))
        made, closed = self._handler(hook), self._closed(hook, row)
        fields = {
            "conditions": read_conditions(hook, row, matcher) or (),
            "timeout": float(hook.duration("timeout") or DEFAULT_TIMEOUT),
            "on_failure": max(
                Stance.DENY if closed else Stance.SILENT, resolve_failure(row, self.source.mode)
            ),
            "name": hook_name(
                next(
                    (
                        text
                        for key in ("command", "prompt")
                        if isinstance(text := hook.value.get(key), str)
                    ),
                    "",
                )
            ),
            "facts": {**({"fail_closed": True} if closed else {}), **self._facts(hook, row)},
        }
        return self._spec(hook, row, broken=hook.errors_since(before), handler=made, **fields)

    @staticmethod
    def _is_entry(hook: Node, row: EventRow) -> bool:
        if not hook.is_mapping(f"an entry of `{row.native}`", "group.shape"):
            return False
        if "hooks" in hook.value and "command" not in hook.value:
            message = f"`{row.native}` takes a flat list of hooks, not matcher groups"
            hook.complain("group.shape", message, hint="put `matcher` beside `command`")
            return False
        return True

    def _handler(self, hook: Node) -> Handler | None:
        type_ = hook.choice("type", _TYPES, "command", name="handler.type")
        own = ("prompt", "model") if type_ == "prompt" else ()
        hook.check_known_keys(
            (*_KEYS, *own),
            f"a `{type_}` hook",
            severity=TABLE.severity_of_unknown_key("hook", self.source.mode),
        )
        if type_ == "prompt":
            hook.complain(
                "handler.unsupported",
                "`prompt` hooks need the host's own judge, which this version does not have",
                "type",
            )
            return None
        command = hook.text("command", required=True)
        if not command.strip() and isinstance(hook.value.get("command"), str):
            hook.complain("handler.command", "a hook needs a non-empty `command`", "command")
        if "://" in command:
            message = "`://` in a command makes Cursor drop the whole file"
            hook.complain(
                "hook.never-runs",
                message,
                "command",
                hint="put the address into a script",
                severity="warning",
            )
        return self._command(command)

    def _command(self, command: str) -> Command:
        project = self.project or "${event.project}"
        common = Command(
            env={
                "CURSOR_PROJECT_DIR": project,
                "CLAUDE_PROJECT_DIR": project,
                "CURSOR_VERSION": "${event.facts.cursor_version}",
            },
            working_dir=self.folder or self.project,
            kill_leftovers=self.strict,
        )
        return common.replace(script=command, shell=_SHELL)

    @staticmethod
    def _closed(hook: Node, row: EventRow) -> bool:
        """Whether `failClosed` makes a failure refuse; where nothing can be refused it has no effect."""
        if not hook.flag("failClosed"):
            return False
        if row.blocks is Stance.SILENT or kind(row.kind).redo:
            message = f"`failClosed` has no effect on `{row.native}`, where nothing can be refused"
            hook.complain("key.ignored", message, "failClosed", severity="warning")
            return False
        return True

    @staticmethod
    def _facts(hook: Node, row: EventRow) -> dict[str, object]:
        if "followup_message" in row.reads:
            return {"loop_limit": _loop_limit(hook)}
        if "loop_limit" in hook.value:
            message = f"`loop_limit` has no effect on `{row.native}`: only `stop` and `subagentStop` follow up"
            hook.complain("key.ignored", message, "loop_limit", severity="warning")
        return {}

    def _spec(
        self,
        node: Node,
        row: EventRow,
        *,
        broken: str,
        handler: Handler | None = None,
        **fields: object,
    ) -> HookSpec:
        defaults: dict[str, object] = {
            "on_failure": resolve_failure(row, self.source.mode),
            "timeout": DEFAULT_TIMEOUT,
        }
        return HookSpec(
            id=hook_id(self.source.file, row.native, node),
            dialect=NAME,
            kind=row.kind,
            native_event=row.native,
            handler=node.choose_handler(handler, broken),
            origin=node.origin(),
            shadow=self.source.shadow,
            strict=self.strict,
            trusted=self.source.trusted,
            **{**defaults, **fields},  # type: ignore[arg-type]  # checked by the constructor
        )


def _places(source: Source) -> tuple[str, str]:
    """The folder that a file's commands start in, where it is the file's own, and the project that the file belongs to."""
    folder = source.names.get("folder", "")
    if not folder.endswith("/.cursor"):
        return (folder if source.scope in _OWN_FOLDER else ""), source.names.get("project_dir", "")
    if source.scope in _OWN_FOLDER or folder == f"{source.names.get('home')}/.cursor":
        return folder, ""
    return "", folder.removesuffix("/.cursor")


def _loop_limit(hook: Node) -> int | None:
    """How often a hook may send the agent back; None for as often as it likes."""
    if hook.value.get("loop_limit", 0) is None:
        return None
    limit = hook.integer("loop_limit", DEFAULT_LOOP_LIMIT)
    if limit is None or limit < 0:
        hook.complain(
            "value.range",
            f"`loop_limit: {limit}` is no number of times",
            "loop_limit",
            hint="0 or more, or null for no limit",
        )
        return DEFAULT_LOOP_LIMIT
    return limit
