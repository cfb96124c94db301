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
# Part of a file -> the keys that it, or each entry of it, may have.
_PARTS: Mapping[str, tuple[str, ...]] = {
    "defaults": (*DEFAULTABLE, "async_"),
    "disable": ("name",),
    "override": ("name", *OPTIONS, "async_"),
}


class Change(Frozen):
    """What one part of a file says of the hook of that name, or, without a name, of every hook.

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
    changes: tuple[Change, ...] = ()
    if "hooks" in root.value:
        changes = tuple(_read_changes(root.child("hooks"), source.mode))
    weigh(root, 0, source.mode)
    flag = make_disable_flag(source, NAME, SETTINGS, root.origin(), {"changes": changes})
    return flag.replace(id=f"{NAME}/{SETTINGS}")


def _read_changes(hooks: Node, mode: str) -> Iterator[Change]:
    hooks.check_known_keys((*_FLAGS, *_PARTS), "the table `hooks`", name="field.unknown")
    for key in _FLAGS:
        flag = hooks.flag(key)
        if isinstance(hooks.value.get(key), bool):
            yield Change(origin=hooks.origin(key), options={key: flag})
    for key in _PARTS:
        if hooks.value.get(key) is None:
            continue
        part = hooks.child(key)
        if key == "defaults":
            if part.is_mapping("`defaults`"):
                yield from _read_change(part, key, "the defaults", mode)
        elif isinstance(part.value, list):
            for entry in part.children():
                yield from _read_entry(entry, key, mode)
        else:
            why = f"`{key}` must be a list of tables, not {describe_value(part.value)}"
            part.complain("value.type", why, hint=f"[[hooks.{key}]]")


def _read_entry(entry: Node, key: str, mode: str) -> Iterator[Change]:
    """Yield what an entry of `disable` or `override` says of the hook that it names."""
    what = f"an entry of `{key}`"
    if not entry.is_mapping(what):
        return
    name = as_text(entry.value.get("name", "")).strip()
    if name:
        yield from _read_change(entry, key, what, mode, name)
    else:
        why = f"{what} needs the `name` of a hook"
        entry.complain("name.missing", why, hint='name = "my-hook"')


def _read_change(part: Node, key: str, what: str, mode: str, name: str = "") -> Iterator[Change]:
    """Yield the change that one part asks for; nothing if one of its options is wrong."""
    mark = part.mark()
    part.check_known_keys(_PARTS[key], what, name="field.unknown")
    options = {"enabled": False} if key == "disable" else read_options(part, _PARTS[key])
    if not weigh(part, mark, mode, name):
        yield Change(origin=part.origin(), name=name, options=options)
