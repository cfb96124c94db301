"""Reading shell_hooks.yaml: a list of entries, one event each."""

from __future__ import annotations

import posixpath

from hookline.core.dialect import Loaded
from hookline.dialects.starchild.command_line import line
from hookline.dialects.starchild.entry import (
    VARIABLE,
    Entry,
    conditions,
    failure,
    http,
    placed,
    sworn,
    timeout,
)
from hookline.dialects.starchild.master_switch import find_switch, told
from hookline.dialects.starchild.table import NAME
from hookline.errors import ConfigError
from hookline.model import kinds
from hookline.model.handler import Command
from hookline.model.spec import HookSpec
from hookline.text.suggestions import did_you_mean
from hookline.wire.fields import describe_value
from hookline.wire.sources import hook_name, read_tree, refuse_unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import EventRow, Source, Table
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem
    from hookline.wire.fields import Node

_KEYS = (
    "event", "type", "command", "url", "matcher", "timeout", "tool", "role", "on_error", "files", "env", "secret_env",
    "allow_result_rewrite",
)  # fmt: skip
_TYPES = ("command", "http")
# What a hook inherits beside the names in `env` (docs/formats/starchild.md 6).
_INHERITED = (
    "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME", "TMPDIR",
)  # fmt: skip


def load(
    source: Source, *, facts: Table, allow_local: bool = False, by_default: bool = False
) -> Loaded:
    """The hooks of a source, in declared order, and every problem that it has (docs/formats/starchild.md 1)."""
    loaded = _declared(source, facts, allow_local=allow_local)
    beside: list[Problem] = []
    switch = find_switch(source, beside, by_default=by_default)
    problems = (*loaded.problems, *beside)
    if switch is None or not loaded.specs:
        return loaded.replace(problems=problems) if beside else loaded
    if switch.is_on:
        specs = tuple(spec.replace(on=switch.origin) for spec in loaded.specs)
        return Loaded(specs=specs, problems=problems)
    specs = tuple(spec.replace(off=switch.origin) for spec in loaded.specs)
    return Loaded(specs=specs, problems=(*problems, told(switch.origin, len(specs))))


def _declared(source: Source, table: Table, *, allow_local: bool) -> Loaded:
    """The hooks as their own file has them."""
    problems: list[Problem] = []
    try:
        root = read_tree(source, problems)
        entries = _entries(root, table.severity_of_unknown_key("file", source.mode))
    except ConfigError as error:
        return refuse_unreadable(source, table, error)
    reader = _Reader(source, table, problems, allow_local=allow_local)
    specs = [spec for entry in entries for spec in reader.hook(entry)]
    return Loaded(specs=tuple(specs), problems=tuple(problems))


def _entries(root: Node, severity: str) -> list[Node]:
    """The entries of a file. `severity`: how bad an unknown key beside `hooks` is.

    Raises:
        ConfigError: the file, or its `hooks`, is something else.
    """
    if root.value is None:
        return []
    if not isinstance(root.value, dict):
        raise ConfigError(
            f"a shell_hooks.yaml must be a mapping, not {describe_value(root.value)}",
            name="config.type",
            place=root.origin().place,
        )
    root.check_known_keys(("hooks",), "a shell_hooks.yaml", severity=severity)
    if root.value.get("hooks") is None:
        root.complain(
            "key.missing",
            "no hooks here",
            hint="they stand in a list under `hooks`",
            severity="warning",
        )
        return []
    hooks = root.child("hooks")
    if isinstance(hooks.value, list):
        return list(hooks.children())
    hint = (
        "a mapping of events is a Hermes file: name it with --dialect hermes"
        if isinstance(hooks.value, dict)
        else "- event: ..."
    )
    raise ConfigError(
        f"`hooks` must be a list, not {describe_value(hooks.value)}",
        name="config.type",
        place=hooks.origin().place,
        hint=hint,
    )


class _Reader:
    """Reads the entries of one source. One that cannot be read stays in its place as a broken hook, to be missed aloud."""

    def __init__(
        self, source: Source, table: Table, problems: list[Problem], *, allow_local: bool
    ) -> None:
        self.source = source
        self.table = table
        self.problems = problems
        self.strict = source.mode == "strict"
        self.allow_local = allow_local
        self.folder = source.names.get("folder") or posixpath.dirname(source.file)

    def hook(self, entry: Node) -> Iterator[HookSpec]:
        """The hook of an entry; none where nobody can tell its event."""
        if not isinstance(entry.value, dict):
            entry.complain(
                "group.shape",
                f"an entry of `hooks` must be a mapping, not {describe_value(entry.value)}",
                hint="- event: ...",
            )
            return
        row = self._row(entry)
        if row is not None:
            yield self._spec(entry, row)

    def _row(self, entry: Node) -> EventRow | None:
        native = entry.text("event", required=True)
        if "event" not in entry.value or not isinstance(entry.value["event"], str):
            return None
        row = self.table.rows.get(native)
        if row is None:
            hint = self._meant(native) or f"known events: {', '.join(self.table.rows)}"
            entry.complain("event.unknown", f"unknown event `{native}`", "event", hint=hint)
            return None
        return row

    def _meant(self, native: str) -> str:
        """The event that somebody may have meant; by Claude Code's names too, which scripts for both are written after."""
        row = self.table.row_of_kind(kinds.native_names("claude").get(native, ""))
        return (
            f"Claude Code's `{native}` is `{row.native}` here"
            if row
            else did_you_mean(native, self.table.rows)
        )

    def _spec(self, node: Node, row: EventRow) -> HookSpec:
        before = node.mark()
        node.check_known_keys(
            _KEYS,
            f"an entry of `{row.native}`",
            severity=self.table.severity_of_unknown_key("hook", self.source.mode),
        )
        entry = Entry(node=node, row=row, strict=self.strict)
        handler, facts = self._handler(entry)
        facts["role"] = "guard" if entry.is_guard else ""
        facts["allow_result_rewrite"] = node.flag("allow_result_rewrite")
        if facts["allow_result_rewrite"]:
            placed(entry, "allow_result_rewrite", fits=row.appends)
        fields = {
            "timeout": timeout(node, strict=self.strict),
            "conditions": conditions(entry),
            "on_failure": failure(entry),
        }
        fields |= {"files": self._files(node), "sworn": sworn(node)}
        broken = node.errors_since(before)
        return HookSpec(
            id=f"{(self.source.file or 'config').rpartition('/')[2]}#{row.native}.{node.path[-1]}",
            dialect=NAME,
            kind=row.kind,
            native_event=row.native,
            handler=node.choose_handler(handler, broken),
            shadow=self.source.shadow,
            strict=self.strict,
            origin=node.origin(),
            name=_name(node),
            facts=facts,
            trusted=self.source.trusted,
            **fields,  # type: ignore[arg-type]  # checked by the constructor
        )

    def _handler(self, entry: Entry) -> tuple[Handler, dict[str, object]]:
        node = entry.node
        env = _variables(node)
        if node.choice("type", _TYPES, "command", name="handler.type") == "http":
            return http(entry, allow_local=self.allow_local), {
                "url": node.value.get("url"),
                "script": "",
            }
        for key in ("url", "secret_env"):
            if node.value.get(key) is not None:
                placed(entry, key, fits=False)
        read = line(node, self.folder)
        # Nothing but these is inherited: everything is dropped, and what may pass is filled in again when the hook runs.
        passed = {name: f"${{env.{name}}}" for name in (*_INHERITED, *env)}
        command = Command(
            argv=read.argv, env=passed, drop_env=("*",), expand="dotenv", kill_leftovers=self.strict
        )
        return command, {"script": read.script}

    def _files(self, node: Node) -> tuple[str, ...]:
        folder = self.folder if self.folder.startswith("/") else ""
        return tuple(
            posixpath.normpath(posixpath.join(folder, path)) for path in node.texts("files")
        )


def _variables(node: Node) -> tuple[str, ...]:
    names = node.texts("env")
    for name in names:
        if not VARIABLE.fullmatch(name):
            node.complain(
                "value.type",
                f"`{name:.40}` in `env` is no name of a variable",
                "env",
                hint="names only, without values",
            )
    return names


def _name(node: Node) -> str:
    """A hook's name: its command, or the address that it posts to."""
    command, url = node.value.get("command"), node.value.get("url")
    if isinstance(command, str) and command.strip() and node.value.get("type") != "http":
        return hook_name(command)
    return hook_name(f"POST {url}") if isinstance(url, str) else ""
