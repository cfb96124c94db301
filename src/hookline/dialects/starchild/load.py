"""Loads a shell_hooks.yaml, with the master switch in the `agent.yaml` beside it."""

from __future__ import annotations

import posixpath
import re

from hookline.core.dialect import EventRow, Loaded, Source, Table
from hookline.dialects.starchild.command_line import read_argv
from hookline.dialects.starchild.table import DEFAULT_TIMEOUT, LONGEST_TIMEOUT
from hookline.errors import ConfigError, did_you_mean
from hookline.model import kinds
from hookline.model.event import ToolCall
from hookline.model.spec import Command, Flattened, HookSpec, Http, Pattern, Problem
from hookline.model.verdict import Stance
from hookline.wire.fields import Node, describe_value, to_problem
from hookline.wire.hook_ids import make_hook_id, number_equal
from hookline.wire.parsers import parse_yaml
from hookline.wire.sources import (
    hook_name,
    make_spec,
    read_regex,
    read_tree,
    refuse_source,
    strict_failure,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.model.spec import Condition


_KEYS = (
    "event", "type", "command", "url", "matcher", "timeout", "tool", "role", "on_error", "files",
    "env", "secret_env", "allow_result_rewrite",
)  # fmt: skip
# Type of a hook -> the keys that only hooks of the other type have.
_OF_OTHER_TYPE = {
    "command": ("url", "secret_env"),
    "http": ("command", "env"),
}
# What of an entry is approved with it, as it stands in the file, although other dialects leave it
# out.
_SWORN = ("timeout", "role", "on_error", "files", "allow_result_rewrite")
# What a hook inherits beside the names in `env` (docs/formats/starchild.md 6).
_INHERITED = (
    "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_MONETARY",
    "LC_NUMERIC", "LC_TIME", "TMPDIR",
)  # fmt: skip
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LOCAL_HINT = "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL=1 opens this machine and private networks"
_AGENT_FILE, _SWITCH = "agent.yaml", ("shell_hooks", "enabled")


def load(
    source: Source, *, facts: Table, allow_local: bool = False, by_default: bool = False
) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source.

    docs/formats/starchild.md 1

    Args:
        source: the file.
        facts: the events.
        allow_local: HTTP hooks may be on this machine or in a private network.
        by_default: the hooks are on where the `agent.yaml` does not say.
    """
    problems: list[Problem] = []
    hint = "a mapping of events is a Hermes file: name it with --dialect hermes"
    root = read_root(source, problems, list, "a shell_hooks.yaml", hint)
    if root is None:
        return _apply_switch(refuse_source(source, facts, problems), source, by_default=by_default)
    severity = facts.severity_of_unknown_key("file", source.mode)
    root.check_known_keys(("hooks",), "a shell_hooks.yaml", severity=severity)
    entries: list[Node] = []
    if root.value.get("hooks") is not None:
        entries = list(root.child("hooks").children())
    elif root.tree.value is not None:
        root.warn("key.missing", "no hooks here", hint="they stand in a list under `hooks`")
    specs: list[HookSpec] = []
    for entry in entries:
        if not entry.is_mapping("an entry of `hooks`", "group.shape"):
            continue
        native = entry.text("event", required=True)
        if native in facts.rows:
            row = facts.rows[native]
            specs.append(_read_hook(entry, row, source, facts, allow_local=allow_local))
        elif native:
            # Scripts are often written for Claude Code, too.
            meant = facts.row_of_kind(kinds.native_names("claude").get(native, ""))
            hint = f"Claude Code's `{native}` is `{meant.native}` here" if meant else ""
            hint = hint or did_you_mean(native, facts.rows)
            hint = hint or f"known events: {', '.join(facts.rows)}"
            entry.complain("event.unknown", f"unknown event `{native}`", "event", hint=hint)
    loaded = Loaded(specs=number_equal(specs, set()), problems=tuple(problems))
    return _apply_switch(loaded, source, by_default=by_default)


def read_root(
    source: Source, problems: list[Problem], wanted: type, what: str, hint: str
) -> Node | None:
    """Return the root of a file whose `hooks` is as wanted; else None, and file a problem.

    `what`: the noun for the file.
    """
    try:
        root = read_tree(source, problems)
    except ConfigError as error:
        problems.append(to_problem(error, source.file, source.scope))
        return None
    if root.value is None:
        root.value = {}
    if not root.is_mapping(what, "config.type"):
        return None
    hooks = root.value.get("hooks")
    if hooks is None or isinstance(hooks, wanted):
        return root
    kind = "a mapping" if wanted is dict else "a list"
    why = f"`hooks` must be {kind}, not {describe_value(hooks)}"
    root.complain("config.type", why, "hooks", hint=hint)
    return None


def _read_hook(
    node: Node, row: EventRow, source: Source, table: Table, *, allow_local: bool
) -> HookSpec:
    """Return the hook of an entry.

    One that cannot be read stays as a broken hook, so that decisions report it.
    """
    mark, is_strict = node.mark(), source.mode == "strict"
    severity = table.severity_of_unknown_key("hook", source.mode)
    node.check_known_keys(_KEYS, f"an entry of `{row.native}`", severity=severity)
    folder = _folder(source)
    kind = node.choice("type", _OF_OTHER_TYPE, "command", name="handler.type")
    ignored = [key for key in _OF_OTHER_TYPE[kind] if node.value.get(key) is not None]
    name = node.value.get("command")
    if kind == "command":
        handler: Command | Http = _read_command(node, folder, kill_leftovers=is_strict)
    else:
        handler = _read_http(node, allow_local=allow_local)
        name = f"POST {handler.url}"
    conditions = tuple(_read_conditions(node, row))
    severity = "error" if is_strict else "warning"
    timeout = read_timeout(node, DEFAULT_TIMEOUT, LONGEST_TIMEOUT, wanted=int, severity=severity)
    # A role that cannot be read was meant to say that the entry must not vanish.
    is_guard = node.value.get("role") is not None
    node.choice("role", ("guard",), "guard")
    # What a failure means (docs/formats/starchild.md 7).
    stances = {
        "open": Stance.SILENT,
        "closed": row.blocks,
        "ask": Stance.ASK if row.asks else row.blocks,
    }
    on_failure = strict_failure(row) if is_strict else Stance.SILENT
    if is_guard or node.value.get("on_error") is not None:
        given = node.choice("on_error", stances, "closed" if is_guard else "open")
        on_failure = stances[given]
        ignored += ["on_error"] if given != "open" and not (is_guard or row.can_block) else []
    rewrites = node.flag("allow_result_rewrite")
    ignored += ["allow_result_rewrite"] if rewrites and not row.appends else []
    for key in ignored:
        node.warn("key.ignored", f"`{key}` has no effect on this entry of `{row.native}`", key)
    start = folder if folder.startswith("/") else ""
    files = (posixpath.normpath(posixpath.join(start, path)) for path in node.texts("files"))
    return make_spec(
        source,
        table.name,
        row,
        node,
        id=make_hook_id(source, row.native, node),
        handler=node.choose_handler(handler, node.errors_since(mark)),
        conditions=conditions,
        timeout=timeout,
        on_failure=on_failure,
        name=hook_name(name) if isinstance(name, str) else "",
        facts={"role": "guard" if is_guard else "", "allow_result_rewrite": rewrites},
        files=tuple(files),
        sworn={key: node.value[key] for key in _SWORN if node.value.get(key) is not None},
    )


def _folder(source: Source) -> str:
    return source.names.get("folder") or posixpath.dirname(source.file)


def _read_command(node: Node, folder: str, *, kill_leftovers: bool) -> Command:
    variables = node.texts("env")
    for name in variables:
        if not _VARIABLE.fullmatch(name):
            why = f"`{name:.40}` in `env` is no name of a variable"
            node.complain("value.type", why, "env", hint="names without values")
    # Nothing but these is inherited: everything is dropped, and what may pass is filled in when
    # the hook runs.
    return Command(
        argv=read_argv(node, folder),
        env={name: f"${{env.{name}}}" for name in (*_INHERITED, *variables)},
        drop_env=("*",),
        expand="dotenv",
        kill_leftovers=kill_leftovers,
    )


def _read_http(node: Node, *, allow_local: bool) -> Http:
    from hookline.wire.http_spec import read_address  # noqa: PLC0415 - few hooks are called

    url = read_address(node, allow_local=allow_local, local_hint=_LOCAL_HINT)
    secret = node.text("secret_env")
    if node.value.get("secret_env") is not None and not _VARIABLE.fullmatch(secret):
        why = "`secret_env` is no name of a variable"
        hint = "the name of a variable that holds the key, never the key itself"
        node.complain("value.type", why, "secret_env", hint=hint)
    return Http(url=url, secret=secret, allow_local=allow_local)


def _read_conditions(node: Node, row: EventRow) -> Iterator[Condition]:
    """Yield what must hold of an event: `tool` and `matcher` (docs/formats/starchild.md 4)."""
    for key in ("tool", "matcher"):
        text = node.text(key)
        what = f"`{key}` of entry {node.path[-1]} (`{row.native}`)"
        regex = read_regex(node, key, text, what) if text else None
        if regex is None:
            continue
        if key == "matcher":
            yield Flattened(facts=row.searched, source=text, regex=regex)
        elif row.body is ToolCall:
            yield Pattern(field="tool", source=text, regex=regex, full=True)
        else:
            why = f"`{row.native}` has no tool, so nothing could match"
            node.complain("key.misplaced", why, "tool", hint="look into its text with `matcher`")


def read_timeout(
    node: Node,
    default: int,
    longest: int,
    *,
    wanted: type | tuple[type, ...],
    severity: str = "warning",
) -> float:
    """Return the seconds under `timeout`.

    What is no time counts as the default, what is too long as the longest.
    """
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


def _apply_switch(loaded: Loaded, source: Source, *, by_default: bool) -> Loaded:
    """Return the hooks, switched on or off by the `agent.yaml` (docs/formats/starchild.md 6).

    Without an `agent.yaml` there is no switch. What hookline cannot understand is a problem and
    switches nothing off, because a slip in another file must not silence a guard.
    """
    beside = source.companions.get(_AGENT_FILE)
    if beside is None:
        return loaded
    path, problems = posixpath.join(_folder(source), _AGENT_FILE), list(loaded.problems)
    why = f"hookline cannot tell whether it switches hooks off: {beside.fault}"
    error = ConfigError(why, name="config.unreadable")
    try:
        tree = None if beside.fault else parse_yaml(beside.text, path)
    except ConfigError as wrong:
        tree, error = None, wrong
    if tree is None:
        problem = to_problem(error, path, source.scope).replace(severity="warning")
        return loaded.replace(problems=(*problems, problem))
    root = Node(tree, path, source.scope, problems)
    is_on, specs = _read_switch(root, by_default=by_default), loaded.specs
    if is_on is not None and specs:
        origin = root.origin(*_SWITCH)
        specs = tuple(spec.replace(**{"on" if is_on else "off": origin}) for spec in specs)
        if not is_on:
            hooks = "1 hook" if len(specs) == 1 else f"{len(specs)} hooks"
            why = f"`{origin.pointer}` is not true, which switches {hooks} off"
            root.warn("hook.off", why, *_SWITCH, hint="write `true`, or: hookline on")
    return Loaded(specs=specs, problems=tuple(problems))


def _read_switch(root: Node, *, by_default: bool) -> bool | None:
    """Return whether the file switches the hooks on; None if hookline cannot understand it.

    Without the key the hooks are off, unless `by_default`.
    """
    key, flag = _SWITCH
    if not isinstance(root.value, dict | None):
        return None
    given = (root.value or {}).get(key)
    if given is None or (isinstance(given, dict) and flag not in given):
        return None if by_default else False
    node = root.child(key)
    if not node.is_mapping(f"`{key}`"):
        return None
    if isinstance(given[flag], bool):
        return bool(given[flag])
    why = f"`{key}.{flag}` must be true or false, not {describe_value(given[flag])}"
    hint = "write `false` to switch the hooks off; until then they are on"
    node.complain("value.type", why, flag, hint=hint)
    return None
