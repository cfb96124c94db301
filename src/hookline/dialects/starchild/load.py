"""Loads a shell_hooks.yaml: a list of entries, one event each, and the master switch in the `agent.yaml` beside it."""

from __future__ import annotations

import posixpath
import re

from hookline.core.dialect import Loaded
from hookline.dialects.starchild.command_line import read_argv
from hookline.dialects.starchild.table import DEFAULT_TIMEOUT, LONGEST_TIMEOUT
from hookline.errors import ConfigError
from hookline.model import kinds
from hookline.model.conditions import Flattened, Pattern
from hookline.model.event import ToolCall
from hookline.model.handler import Command, Http
from hookline.model.problem import Problem
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance
from hookline.text.suggestions import did_you_mean
from hookline.wire.fields import Node, describe_value, to_problem
from hookline.wire.groups import hook_id
from hookline.wire.matchers import read_regex
from hookline.wire.parsers import Tree, parse_yaml
from hookline.wire.sources import hook_name, read_tree, refuse_unreadable, strict_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookline.core.dialect import EventRow, Source, Table
    from hookline.model.conditions import Condition
    from hookline.model.problem import Origin
    from hookline.text.re2_regex import Regex

_KEYS = (
    "event", "type", "command", "url", "matcher", "timeout", "tool", "role", "on_error", "files", "env", "secret_env",
    "allow_result_rewrite",
)  # fmt: skip
# Type of a hook -> the keys that only such a hook has.
_OF_TYPE: Mapping[str, tuple[str, ...]] = {
    "command": ("command", "env"),
    "http": ("url", "secret_env"),
}
_ON_ERROR = ("open", "closed", "ask")
# What of an entry is approved with it, as it stands in the file, although other dialects leave it
# out.
_SWORN = ("timeout", "role", "on_error", "files", "allow_result_rewrite")
# What a hook inherits beside the names in `env` (docs/formats/starchild.md 6).
_INHERITED = (
    "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME", "TMPDIR",
)  # fmt: skip
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LOCAL_HINT = "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL=1 opens this machine and private networks"
_AGENT_FILE, _SWITCHES, _ENABLED = "agent.yaml", "shell_hooks", "enabled"


def load(
    source: Source, *, facts: Table, allow_local: bool = False, by_default: bool = False
) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source (docs/formats/starchild.md 1).

    Args:
        source: the file.
        facts: the events.
        allow_local: HTTP hooks may be on this machine or in a private network.
        by_default: the hooks are on where the `agent.yaml` does not say.
    """
    problems: list[Problem] = []
    try:
        root = read_tree(source, problems)
        entries = _list_entries(root, facts.severity_of_unknown_key("file", source.mode))
    except ConfigError as error:
        loaded = refuse_unreadable(source, facts, error)
    else:
        reader = _Reader(source, facts, allow_local=allow_local)
        specs = [spec for entry in entries for spec in reader.read(entry)]
        loaded = Loaded(specs=tuple(specs), problems=tuple(problems))
    return _apply_switch(loaded, source, by_default=by_default)


def _list_entries(root: Node, severity: str) -> list[Node]:
    """Return the entries of a file. `severity`: how bad an unknown key beside `hooks` is.

    Raises:
        ConfigError: the file, or its `hooks`, is something else.
    """
    if root.value is None:
        return []
    check_type(root, dict, "a shell_hooks.yaml must be a mapping")
    root.check_known_keys(("hooks",), "a shell_hooks.yaml", severity=severity)
    if root.value.get("hooks") is None:
        hint = "they stand in a list under `hooks`"
        root.complain("key.missing", "no hooks here", hint=hint, severity="warning")
        return []
    hooks = root.child("hooks")
    is_hermes = isinstance(hooks.value, dict)
    hint = "a mapping of events is a Hermes file: name it with --dialect hermes"
    check_type(hooks, list, "`hooks` must be a list", hint if is_hermes else "- event: ...")
    return list(hooks.children())


def check_type(node: Node, wanted: type, message: str, hint: str = "") -> None:
    """Check that a file, or its `hooks`, can be read.

    Raises:
        ConfigError: it has another type.
    """
    if not isinstance(node.value, wanted):
        why = f"{message}, not {describe_value(node.value)}"
        raise ConfigError(why, name="config.type", place=node.origin().place, hint=hint)


def make_spec(node: Node, row: EventRow, source: Source, table: Table, *, depth: int) -> HookSpec:
    """Return the hook of an entry, without what its keys say. `depth`: how many keys lead to the list of entries."""
    return HookSpec(
        id=hook_id(source.file, row.native, node, depth=depth),
        dialect=table.name,
        kind=row.kind,
        native_event=row.native,
        handler=Command(),
        timeout=table.default_timeout,
        shadow=source.shadow,
        strict=source.mode == "strict",
        origin=node.origin(),
        trusted=source.trusted,
    )


class _Reader:
    """Reads the entries of one source. One that it cannot read stays as a broken hook, so that decisions report it."""

    def __init__(self, source: Source, table: Table, *, allow_local: bool) -> None:
        self.source = source
        self.table = table
        self.strict = source.mode == "strict"
        self.allow_local = allow_local
        self.folder = source.names.get("folder") or posixpath.dirname(source.file)

    def read(self, entry: Node) -> Iterator[HookSpec]:
        """Yield the hook of an entry; nothing if its event is unknown."""
        if not entry.is_mapping("an entry of `hooks`", "group.shape"):
            return
        native = entry.text("event", required=True)
        row = self.table.rows.get(native)
        if row is not None:
            yield self._hook(entry, row)
        elif isinstance(entry.value.get("event"), str):
            # Scripts are often written for Claude Code, too.
            meant = self.table.row_of_kind(kinds.native_names("claude").get(native, ""))
            hint = did_you_mean(native, self.table.rows)
            if meant is not None:
                hint = f"Claude Code's `{native}` is `{meant.native}` here"
            hint = hint or f"known events: {', '.join(self.table.rows)}"
            entry.complain("event.unknown", f"unknown event `{native}`", "event", hint=hint)

    def _hook(self, node: Node, row: EventRow) -> HookSpec:
        mark = node.mark()
        severity = self.table.severity_of_unknown_key("hook", self.source.mode)
        node.check_known_keys(_KEYS, f"an entry of `{row.native}`", severity=severity)
        handler = self._handler(node, row)
        conditions = self._conditions(node, row)
        severity = "error" if self.strict else "warning"
        timeout = read_timeout(
            node, DEFAULT_TIMEOUT, LONGEST_TIMEOUT, wanted=int, severity=severity
        )
        on_failure = self._on_failure(node, row)
        rewrites = node.flag("allow_result_rewrite")
        if rewrites and not row.appends:
            _ignore(node, row, "allow_result_rewrite")
        folder = self.folder if self.folder.startswith("/") else ""
        files = [posixpath.normpath(posixpath.join(folder, path)) for path in node.texts("files")]
        command = node.value.get("command") if isinstance(handler, Command) else ""
        name = f"POST {handler.url}" if isinstance(handler, Http) and handler.url else command
        return make_spec(node, row, self.source, self.table, depth=1).replace(
            handler=node.choose_handler(handler, node.errors_since(mark)),
            conditions=conditions,
            timeout=timeout,
            on_failure=on_failure,
            name=hook_name(name) if isinstance(name, str) else "",
            facts={"role": "guard" if _is_guard(node) else "", "allow_result_rewrite": rewrites},
            files=tuple(files),
            sworn={key: node.value[key] for key in _SWORN if node.value.get(key) is not None},
        )

    def _handler(self, node: Node, row: EventRow) -> Command | Http:
        variables = node.texts("env")
        for name in variables:
            if not _VARIABLE.fullmatch(name):
                why = f"`{name:.40}` in `env` is no name of a variable"
                node.complain("value.type", why, "env", hint="names without values")
        kind = node.choice("type", _OF_TYPE, "command", name="handler.type")
        for key in _OF_TYPE["http" if kind == "command" else "command"]:
            if node.value.get(key) is not None:
                _ignore(node, row, key)
        if kind == "command":
            # Nothing but these is inherited: everything is dropped, and what may pass is filled in
            # when the hook runs.
            return Command(
                argv=read_argv(node, self.folder),
                env={name: f"${{env.{name}}}" for name in (*_INHERITED, *variables)},
                drop_env=("*",),
                expand="dotenv",
                kill_leftovers=self.strict,
            )
        from hookline.wire.http_spec import read_address  # noqa: PLC0415 - few hooks are called

        url = read_address(node, allow_local=self.allow_local, local_hint=_LOCAL_HINT)
        secret = node.text("secret_env")
        if node.value.get("secret_env") is not None and not _VARIABLE.fullmatch(secret):
            hint = "the name of a variable that holds the key, never the key itself"
            why = "`secret_env` is no name of a variable"
            node.complain("value.type", why, "secret_env", hint=hint)
        return Http(url=url, secret=secret, allow_local=self.allow_local)

    def _conditions(self, node: Node, row: EventRow) -> tuple[Condition, ...]:
        """Return what must hold of an event: `tool` and `matcher`, both where both are given (docs/formats/starchild.md 4)."""
        conditions: list[Condition] = []
        tool, matcher = _read_regex(node, row, "tool"), _read_regex(node, row, "matcher")
        if tool is not None and row.body is not ToolCall:
            why = f"`{row.native}` has no tool, so nothing could match"
            node.complain("key.misplaced", why, "tool", hint="look into its text with `matcher`")
        elif tool is not None:
            conditions.append(Pattern(field="tool", source=tool.source, regex=tool, full=True))
        if matcher is not None:
            found = Flattened(facts=row.searched, source=matcher.source, regex=matcher)
            conditions.append(found)
        return tuple(conditions)

    def _on_failure(self, node: Node, row: EventRow) -> Stance:
        """Return what a failure means: `on_error`, else closed for a guard, else open (docs/formats/starchild.md 7)."""
        if _is_guard(node):
            node.choice("role", ("guard",), "guard")
        given = node.value.get("on_error") is not None
        on_error = node.choice("on_error", _ON_ERROR, "open") if given else ""
        if on_error in ("closed", "ask") and not row.can_block:
            _ignore(node, row, "on_error")
        if not row.can_block or on_error == "open":
            return Stance.SILENT
        if on_error == "ask":
            return Stance.ASK if row.asks else row.blocks
        if on_error == "closed" or _is_guard(node):
            return row.blocks
        return strict_failure(row) if self.strict else Stance.SILENT


def _is_guard(node: Node) -> bool:
    """Return whether an entry must not vanish; a role that cannot be read was meant to say so."""
    return node.value.get("role") is not None


def _read_regex(node: Node, row: EventRow, key: str) -> Regex | None:
    text = node.text(key)
    what = f"`{key}` of entry {node.path[-1]} (`{row.native}`)"
    return read_regex(node, key, text, what) if text else None


def _ignore(node: Node, row: EventRow, key: str) -> None:
    why = f"`{key}` has no effect on this entry of `{row.native}`"
    node.complain("key.ignored", why, key, severity="warning")


def read_timeout(
    node: Node,
    default: int,
    longest: int,
    *,
    wanted: type | tuple[type, ...],
    severity: str = "warning",
) -> float:
    """Return the seconds under `timeout`. What is no time counts as the default, what is too long as the longest."""
    given = node.value.get("timeout")
    if given is None:
        return float(default)
    is_number = isinstance(given, wanted) and not isinstance(given, bool)
    if is_number and 0 < given <= longest:
        return float(given)
    seconds = longest if is_number and given > longest else default
    name, shown = "value.range" if is_number else "value.type", describe_value(given)
    why = f"`timeout` must be from 1 to {longest} seconds, not {shown}; it counts as {seconds}"
    node.complain(name, why, "timeout", severity=severity)
    return float(seconds)


# -- the master switch -------------------------------------------------------------------------------------------------


def _apply_switch(loaded: Loaded, source: Source, *, by_default: bool) -> Loaded:
    """Return the hooks as the `agent.yaml` beside their file switches them on or off (docs/formats/starchild.md 6).

    Without an `agent.yaml` there is no switch. What hookline cannot understand is a problem and
    switches nothing off, because a slip in another file must not silence a guard.
    """
    beside = source.companions.get(_AGENT_FILE)
    if beside is None:
        return loaded
    folder = source.names.get("folder") or posixpath.dirname(source.file)
    path, problems = posixpath.join(folder, _AGENT_FILE), list(loaded.problems)
    tree = Tree(value=[])  # it switches nothing
    try:
        tree = tree if beside.fault else parse_yaml(beside.text, path)
    except ConfigError as error:
        problems.append(to_problem(error, path, source.scope).replace(severity="warning"))
    root = Node(tree, path, source.scope, problems)
    if beside.fault:
        why = f"hookline cannot tell whether it switches hooks off: {beside.fault}"
        root.complain("config.unreadable", why, severity="warning")
    switch = _find_switch(root, by_default=by_default)
    specs = loaded.specs
    if switch is not None and specs:
        origin, is_on = switch
        specs = tuple(spec.replace(**{"on" if is_on else "off": origin}) for spec in specs)
        if not is_on:
            hooks = "1 hook" if len(specs) == 1 else f"{len(specs)} hooks"
            why = f"`{origin.pointer}` is not true, which switches {hooks} off"
            off = Problem(
                name="hook.off",
                message=why,
                hint="write `true`, or: hookline on",
                severity="warning",
                origin=origin,
            )
            problems.append(off)
    return Loaded(specs=specs, problems=tuple(problems))


def _find_switch(root: Node, *, by_default: bool) -> tuple[Origin, bool] | None:
    """Return the place of the key, and whether it switches the hooks on; None if it cannot be understood.

    Without the key the hooks are off, unless `by_default`; its place is then where the key would
    stand.
    """
    node = root
    if isinstance(root.value, dict) and root.value.get(_SWITCHES) is not None:
        node = root.child(_SWITCHES)
        if not node.is_mapping(f"`{_SWITCHES}`"):
            return None
    elif root.value is not None and not isinstance(root.value, dict):
        return None
    if node is root or _ENABLED not in node.value:
        place = node.origin()
        place = place.replace(pointer=f"{_SWITCHES}.{_ENABLED}", line=place.line or 1)
        return None if by_default else (place, False)
    enabled = node.value[_ENABLED]
    if isinstance(enabled, bool):
        return node.origin(_ENABLED), enabled
    why = f"`{_SWITCHES}.{_ENABLED}` must be true or false, not {describe_value(enabled)}"
    hint = "write `false` to switch the hooks off; until then they are on"
    node.complain("value.type", why, _ENABLED, hint=hint)
    return None
