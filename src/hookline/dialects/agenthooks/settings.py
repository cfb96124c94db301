"""Reads the `hooks.toml` of a level, which switches hooks off and changes their options (docs/formats/agenthooks.md 3)."""

from __future__ import annotations

from hookline.dialects.agenthooks.fields import (
    DEFAULTABLE,
    OPTIONS,
    read_options,
    weigh,
)
from hookline.dialects.agenthooks.table import NAME, SETTINGS
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.wire.disable_flags import make_disable_flag
from hookline.wire.fields import as_text, describe_value
from hookline.wire.sources import read_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import Source
    from hookline.model.spec import HookSpec, Origin, Problem
    from hookline.wire.fields import Node

_FLAGS = ("enabled", "debug")
_LISTS: Mapping[str, tuple[str, ...]] = {"disable": (), "override": OPTIONS}


class Change(Frozen):
    """What one part of a file says: about the hook of that name, or, without a name, about every hook.

    `options`: as `read_options` returns them, and `enabled` and `debug`.
    """

    origin: Origin
    name: str = ""
    options: Mapping[str, Any] = {}


def read_settings(source: Source, problems: list[Problem]) -> HookSpec:
    """Return the changes as a fact of a hook that never runs, because `combine` receives only hooks.

    A part with an error in it says nothing.

    Raises:
        ConfigError: the file cannot be read at all.
    """
    root = read_tree(source, problems)
    if not isinstance(root.value, dict) or not isinstance(root.value.get("hooks", {}), dict):
        message, place = f"`{SETTINGS}` must hold a table `hooks`", root.origin().place
        raise ConfigError(message, name="config.type", place=place, hint="[hooks]")
    root.check_known_keys(("hooks",), "the settings", name="field.unknown")
    hooks = root.child("hooks") if "hooks" in root.value else None
    facts = {"changes": tuple(_read_changes(hooks, source.mode)) if hooks else ()}
    weigh(root, 0, source.mode, "")
    flag = make_disable_flag(source, NAME, SETTINGS, root.origin(), facts)
    return flag.replace(id=f"{NAME}/{SETTINGS}")


def _read_changes(hooks: Node, mode: str) -> Iterator[Change]:
    known = (*_FLAGS, "defaults", *_LISTS)
    hooks.check_known_keys(known, "the table `hooks`", name="field.unknown")
    for key in _FLAGS:
        flag = hooks.flag(key)
        if isinstance(hooks.value.get(key), bool):
            yield Change(origin=hooks.origin(key), options={key: flag})
    if hooks.value.get("defaults") is not None:
        part = hooks.child("defaults")
        if part.is_mapping("`defaults`"):
            yield from _read_change(part, DEFAULTABLE, "the defaults", mode)
    for key, options in _LISTS.items():
        for change in _read_entries(hooks, key, options, mode):
            yield change if options else change.replace(options={"enabled": False})


def _read_entries(hooks: Node, key: str, options: tuple[str, ...], mode: str) -> Iterator[Change]:
    """Yield the entries of a list of tables, each with the name of a hook."""
    if hooks.value.get(key) is None:
        return
    entries, hint = hooks.child(key), f"[[hooks.{key}]]"
    if not isinstance(entries.value, list):
        why = f"`{key}` must be a list of tables, not {describe_value(entries.value)}"
        entries.complain("value.type", why, hint=hint)
        return
    what = f"an entry of `{key}`"
    for entry in entries.children():
        if not entry.is_mapping(what):
            continue
        name = as_text(entry.value.get("name", "")).strip()
        if name:
            yield from _read_change(entry, options, what, mode, name)
        else:
            why = f"{what} needs the `name` of a hook"
            entry.complain("name.missing", why, hint='name = "my-hook"')


def _read_change(
    part: Node, options: tuple[str, ...], what: str, mode: str, name: str = ""
) -> Iterator[Change]:
    """Yield the change that one part asks for; nothing if one of its options is wrong."""
    mark = part.mark()
    known = (*(("name",) if name else ()), *options, *(("async_",) if options else ()))
    part.check_known_keys(known, what, name="field.unknown")
    stated = read_options(part, options)
    if not weigh(part, mark, mode, name):
        yield Change(origin=part.origin(), name=name, options=stated)
