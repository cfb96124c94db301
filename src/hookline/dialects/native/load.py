"""Loads `hookline.yaml` (docs/formats/hookline.md 2)."""

from __future__ import annotations

from typing import NamedTuple

from hookline.core.dialect import Loaded, Source
from hookline.dialects.native import NAME, TABLE
from hookline.dialects.native.conditions import read_matcher
from hookline.dialects.native.fields import (
    COMMON,
    DEFAULTS,
    FILE,
    HANDLERS,
    HOOK,
    SETTINGS,
    SOURCE,
    read_keys,
    read_values,
    read_words,
)
from hookline.dialects.native.guards import read_exceptions
from hookline.dialects.native.handlers import is_builtin, read_handler
from hookline.errors import ConfigError, did_you_mean
from hookline.guards.table import GUARDS, is_observer
from hookline.model.builtins import BUILTINS, is_observing
from hookline.model.kinds import find_by_native_name
from hookline.model.spec import CLONED, Builtin
from hookline.model.tools import find_broader_kind
from hookline.model.verdict import Stance
from hookline.wire.fields import Node, describe_value, to_problem
from hookline.wire.hook_ids import make_hook_id, name_source, number_equal
from hookline.wire.sources import (
    hook_name,
    make_spec,
    read_tree,
    refuse_source,
    resolve_failure,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.spec import Handler, HookSpec, Problem

_VERSION = 1
# Problems at the top of a file that lose no hook.
_HARMLESS = ("key.misplaced",)


def load(source: Source, *, allow_local: bool = False) -> Loaded:
    """Return the hooks of a file, in declared order, and every problem that it has.

    A hook with a mistake stays as a broken one. Where a mistake may hide hooks, there is a broken
    one for each event that could be guarded, beside those that can be read.
    """
    source = source.replace(mode="strict")
    problems: list[Problem] = []
    try:
        root = read_tree(source, problems)
    except ConfigError as error:
        return _refuse(source, [to_problem(error, source.file, source.scope)])
    if root.value is None:  # nothing but comments
        return Loaded()
    if not root.is_mapping("hookline.yaml", "config.type"):
        return _refuse(source, problems)
    _check_top(root)
    defaults = _read_defaults(root)
    _check_sources(root, source)
    exceptions = read_exceptions(root)
    lost = list(problems)
    specs = []
    for hook in _list_hooks(root):
        before = hook.mark()
        rows = _find_rows(hook)
        if not rows:
            lost += problems[before:]
        given = Given(source, defaults, exceptions, allow_local)
        specs += [_read_hook(hook, row, given) for row in rows]
    wrong = next((each for each in lost if each.name not in _HARMLESS), None)
    refused = _refuse(source, problems, wrong).specs if wrong else ()
    return Loaded(specs=number_equal((*specs, *refused), set()), problems=tuple(problems))


def _refuse(source: Source, problems: list[Problem], wrong: Problem | None = None) -> Loaded:
    """Return a broken hook for each event that can be refused, once for each call of a tool."""
    refused = refuse_source(source, TABLE, problems, wrong)
    specs = (spec for spec in refused.specs if find_broader_kind(spec.kind) is None)
    return refused.replace(specs=tuple(specs))


def _check_top(root: Node) -> None:
    """Report what is wrong with the keys at the top of a file."""
    for key in SETTINGS:
        if key in root.value:
            why = f"`{key}` is no part of hookline.yaml"
            hint = "your settings are in `~/.config/hookline/settings.toml`"
            root.complain("key.misplaced", why, key, hint=hint)
    root.check_known_keys((*FILE, *SETTINGS), "hookline.yaml")
    hooks = root.value.get("hooks")
    if hooks is not None and not isinstance(hooks, list):
        why = f"`hooks` must be a list, not {describe_value(hooks)}"
        root.complain("value.type", why, "hooks", hint="begin each hook with `- on: EVENT`")
    version = root.value.get("version")
    if "version" not in root.value:
        root.complain("key.missing", "the key `version` is missing", hint="add `version: 1`")
    elif version != _VERSION or isinstance(version, bool):
        why = f"`version` is {describe_value(version)}"
        root.complain("value.choice", why, "version", hint="this hookline reads version 1")


def _check_sources(root: Node, source: Source) -> None:
    """Report what is wrong with the links to other files; the engine reads them."""
    if root.value.get("sources") is None:
        return
    node = root.child("sources")
    if not isinstance(node.value, list):
        why = f"`sources` must be a list, not {describe_value(node.value)}"
        root.complain("value.type", why, "sources", hint="begin each with `- path: FILE`")
        return
    for entry in node.children():
        if not entry.is_mapping("a source"):
            continue
        read_keys(entry, SOURCE, "a source")
        entry.text("path", required=True)
        if "trust" in entry.value and source.scope in CLONED:
            why = "`trust` of a source is no part of a project's file"
            hint = "its hooks need your approval: hookline approve"
            entry.complain("key.misplaced", why, "trust", hint=hint)


def _read_defaults(root: Node) -> Mapping[str, Mapping[str, Any]]:
    """Return what the hooks of each event have unless they say otherwise."""
    if root.value.get("defaults") is None:
        return {}
    node = root.child("defaults")
    if not node.is_mapping("`defaults`"):
        return {}
    found = {}
    for event in node.children():
        name = str(event.path[-1])
        if name not in TABLE.rows:
            event.complain("event.unknown", f"unknown event `{name}`", hint=_suggest_event(name))
        elif event.is_mapping(f"`{name}`"):
            event.check_known_keys(DEFAULTS, f"`{name}`")
            found[name] = read_values(event, DEFAULTS)
    return found


def _list_hooks(root: Node) -> Iterator[Node]:
    given = root.value.get("hooks")
    if isinstance(given, list):
        yield from root.child("hooks").children()


def _find_rows(hook: Node) -> tuple[EventRow, ...]:
    """Return the row of a hook's event; for a guard or a builtin without `on`, those of its events.

    Without a known event it returns none, and reports a problem.
    """
    if not hook.is_mapping("a hook"):
        return ()
    guard = GUARDS.get(str(hook.value.get("use")))
    if guard is not None and hook.value.get("on") is None:
        return tuple(TABLE.rows[event] for event in guard.events)
    builtin = BUILTINS.get(str(hook.value.get("use")))
    if builtin is not None and builtin.mounts and hook.value.get("on") is None:
        return tuple(TABLE.rows[event] for event in builtin.mounts)
    if hook.value.get("on") is None and not is_builtin(hook):
        return ()
    name = hook.text("on", required=True)
    row = TABLE.rows.get(name)
    if row is None and name:
        hint = _suggest_event(name)
        hook.complain("event.unknown", f"unknown event `{name}`", "on", hint=hint)
    return (row,) if row else ()


def _suggest_event(name: str) -> str:
    """Return the canonical event that is meant, also by the name that a host has for it."""
    canonical = find_by_native_name(name)
    near = f"did you mean `{canonical}`?" if canonical else did_you_mean(name, TABLE.rows)
    return near or "`hookline show EVENT` tells the events; one is `tool.before`"


class Given(NamedTuple):
    """What the hooks of a file share."""

    source: Source
    defaults: Mapping[str, Mapping[str, Any]]
    exceptions: tuple[Mapping[str, str], ...]
    allow_local: bool


def _read_hook(hook: Node, row: EventRow, shared: Given) -> HookSpec:
    source = shared.source
    mark = hook.mark()
    hook.check_known_keys(HOOK, "a hook")
    given = {**shared.defaults.get(row.native, {}), **read_values(hook, COMMON)}
    handler = read_handler(
        hook, row, source, exceptions=shared.exceptions, allow_local=shared.allow_local
    )
    conditions = read_matcher(hook, row)
    own = given.get("id", "")
    is_mounted = hook.value.get("on") is None and hook.value.get("use") in BUILTINS
    if is_mounted or (isinstance(handler, Builtin) and handler.name in GUARDS):
        own = f"{own or hook.value['use']}.{row.native}"
    spec = make_spec(
        source,
        NAME,
        row,
        hook,
        id=f"{name_source(source)}#{own}" if own else make_hook_id(source, row.native, hook),
        name=given.get("name") or own or hook_name(_describe(hook)),
        handler=hook.choose_handler(handler, hook.errors_since(mark)),
        conditions=conditions,
        rank=given.get("rank", 0),
        timeout=given.get("timeout") or TABLE.default_timeout,
        detached=given.get("detached", False),
        once=given.get("once", False),
        on_failure=given.get("on_failure", _find_failure_rule(handler, row, source)),
        files=() if hook.errors_since(mark) else tuple(hook.value.get("files") or ()),
        match_tools="canonical",
        facts=_find_facts(given, source),
    )
    return spec.replace(shadow=True) if given.get("shadow") else spec


def _find_failure_rule(handler: Handler | None, row: EventRow, source: Source) -> Stance:
    """Return what a failure means; what only observes refuses nothing by failing."""
    is_silent = is_observer(handler) or is_observing(handler)
    return Stance.SILENT if is_silent else resolve_failure(row, source.mode)


def _find_facts(given: Mapping[str, Any], source: Source) -> dict[str, str]:
    """Return what the hook says of itself, and the folder of the pack that it belongs to."""
    found = {
        "description": given.get("description"),
        "plugin": source.names.get("plugin_root"),
    }
    return {name: str(value) for name, value in found.items() if value}


def _describe(hook: Node) -> str:
    """Return what a hook without a name runs or says."""
    for key in HANDLERS:
        given = hook.value.get(key)
        if isinstance(given, str | list):
            return " ".join(map(str, read_words(hook, key)))
    return ""
