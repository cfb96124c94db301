"""Settings: the `hooks.toml` of a level, which switches hooks off and changes what they declare (docs/formats/agenthooks.md 3)."""

from __future__ import annotations

from hookline.dialects.agenthooks.fields import (
    SETTABLE,
    as_text,
    detached_of,
    matcher_of,
    metadata_of,
    only,
    priority_of,
    timeout_of,
)
from hookline.dialects.agenthooks.table import NAME, SETTINGS
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.wire.disable_flags import make_disable_flag
from hookline.wire.fields import describe_value, to_problem
from hookline.wire.sources import read_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import Source
    from hookline.dialects.agenthooks.findings import Findings
    from hookline.model.problem import Origin
    from hookline.model.spec import HookSpec

_KEYS = ("enabled", "debug", "defaults", "disable", "override")
# Field of an override or of the defaults -> how it is read, by the rules of front matter.
_READ: Mapping[str, Callable[[Mapping[str, Any], Findings], Any]] = {
    "timeout": timeout_of,
    "async": lambda given, found: detached_of(given, None, found),
    "priority": priority_of,
    "matcher": lambda given, found: matcher_of(given, None, found),
    "metadata": metadata_of,
}


class Change(Frozen):
    """What one part of a settings file says: of the hook of that name, or, without a name, of every hook."""

    origin: Origin
    name: str = ""
    fields: Mapping[str, Any] = {}


class Settings(Frozen):
    """What one file says. `enabled` and `debug` are None where it does not say."""

    enabled: bool | None = None
    debug: bool | None = None
    defaults: tuple[Change, ...] = ()
    disabled: tuple[Change, ...] = ()
    overrides: tuple[Change, ...] = ()

    def __str__(self) -> str:
        """What it says, for whoever has it shown."""
        flags = [
            f"{key}: {str(value).lower()}"
            for key, value in (("enabled", self.enabled), ("debug", self.debug))
            if value is not None
        ]
        lists = (
            ("defaults of", self.defaults),
            ("disables", self.disabled),
            ("overrides", self.overrides),
        )
        parts = [
            f"{what} {', '.join(change.name or ', '.join(change.fields) for change in part)}"
            for what, part in lists
            if part
        ]
        return "; ".join([*flags, *parts]) or "nothing"


def carrier(source: Source, settings: Settings, found: Findings) -> HookSpec:
    """The settings as a hook that never runs, which is how they travel to `combine`."""
    carried = make_disable_flag(
        source, NAME, SETTINGS, found.origin("hooks", "enabled"), {"settings": settings}
    )
    return carried.replace(id=f"{NAME}/{SETTINGS}")


def read_settings(source: Source, found: Findings) -> Settings | None:
    """What a `hooks.toml` says, or None when it cannot be read at all; a part with an error in it says nothing."""
    try:
        found.tree = read_tree(source, found.problems).tree
    except ConfigError as error:
        found.problems.append(to_problem(error, source.file, source.scope))
        return None
    root = found.tree.value
    if not isinstance(root, dict) or not isinstance(root.get("hooks", {}), dict):
        found.add("config.type", f"`{SETTINGS}` must hold a table `hooks`", hint="[hooks]")
        return None
    only(root, ("hooks",), "field.unknown", "settings", found)
    given, part = root.get("hooks", {}), found.below("hooks")
    only(given, _KEYS, "field.unknown", "table `hooks`", part)
    return Settings(
        enabled=_flag(given, "enabled", part),
        debug=_flag(given, "debug", part),
        defaults=tuple(_defaults(given, part)),
        disabled=tuple(_entries(given, "disable", (), part)),
        overrides=tuple(_entries(given, "override", tuple(_READ), part)),
    )


def _flag(given: Mapping[str, Any], key: str, found: Findings) -> bool | None:
    value = given.get(key)
    if value is None or isinstance(value, bool):
        return value
    found.add("value.type", f"`{key}` must be true or false, not {describe_value(value)}", key)
    return None


def _defaults(given: Mapping[str, Any], found: Findings) -> Iterator[Change]:
    value = given.get("defaults")
    if isinstance(value, dict):
        change = _change(value, SETTABLE, "defaults", found.below("defaults"))
        if change is not None:
            yield change
    elif value is not None:
        found.add(
            "value.type",
            f"`defaults` must be a table, not {describe_value(value)}",
            "defaults",
            hint="[hooks.defaults]",
        )


def _entries(
    given: Mapping[str, Any], key: str, fields: tuple[str, ...], found: Findings
) -> Iterator[Change]:
    """The entries of a list of tables, each with the name of a hook."""
    value = given.get(key)
    if value is not None and not isinstance(value, list):
        found.add(
            "value.type",
            f"`{key}` must be a list of tables, not {describe_value(value)}",
            key,
            hint=f"[[hooks.{key}]]",
        )
        return
    for at, entry in enumerate(value or ()):
        part = found.below(key, at)
        if isinstance(entry, dict):
            yield from _entry(entry, key, fields, part)
        else:
            part.add(
                "value.type",
                f"an entry of `{key}` must be a table, not {describe_value(entry)}",
                hint=f"[[hooks.{key}]] and below it `name`",
            )


def _entry(
    given: Mapping[str, Any], key: str, fields: tuple[str, ...], found: Findings
) -> Iterator[Change]:
    name = as_text(given["name"]).strip() if given.get("name") is not None else ""
    if not name:
        found.add(
            "name.missing",
            f"an entry of `{key}` needs the `name` of a hook",
            hint='name = "my-hook"',
        )
        return
    before = len(found.problems)
    change = _change(given, ("name", *fields), f"entry of `{key}`", found)
    found.problems[before:] = [problem.replace(hook=name) for problem in found.problems[before:]]
    if change is not None:
        yield change.replace(name=name)


def _change(
    given: Mapping[str, Any], fields: tuple[str, ...], what: str, found: Findings
) -> Change | None:
    """The fields of one part; None where one of them is an error."""
    before = found.mark()
    only(
        given, (*fields, *(("async_",) if "async" in fields else ())), "field.unknown", what, found
    )
    told = {
        "async" if key == "async_" else key for key, value in given.items() if value is not None
    }
    read = {key: _READ[key](given, found) for key in fields if key in _READ and key in told}
    return None if found.wrong_since(before) else Change(origin=found.origin(), fields=read)
