"""Master: whether the `agent.yaml` beside a shell_hooks.yaml switches the hooks of that file off (docs/formats/starchild.md 6)."""

from __future__ import annotations

import posixpath

from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.model.problem import Origin, Problem
from hookline.wire.fields import Node, describe_value, to_problem
from hookline.wire.parsers import parse_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Source

_FILE = "agent.yaml"
_TABLE, _KEY = "shell_hooks", "enabled"


class Switch(Frozen):
    """A key of a file, and whether it switches the hooks on."""

    origin: Origin
    is_on: bool


def find_switch(
    source: Source, problems: list[Problem], *, by_default: bool = False
) -> Switch | None:
    """The key that switches the hooks of a source on or off; None where none does.

    Only `true` switches them on: without the key they are off, unless `by_default` (the variable of older hosts). Without an
    `agent.yaml` there is no switch. What hookline cannot understand is a problem and switches nothing off, because a slip
    in another file must not silence a guard.
    """
    beside = source.companions.get(_FILE)
    if beside is None:
        return None
    path = posixpath.join(source.names.get("folder") or posixpath.dirname(source.file), _FILE)
    if beside.fault:
        origin = Origin(file=path, scope=source.scope)
        message = f"nobody can tell whether it switches hooks off: {beside.fault}"
        problems.append(
            Problem(name="config.unreadable", message=message, severity="warning", origin=origin)
        )
        return None
    try:
        root = Node(parse_yaml(beside.text, path), path, source.scope, problems)
        return _key_of(root, by_default=by_default)
    except ConfigError as error:
        # The rest of the file is the agent's, which says what is wrong with that.
        problems.append(to_problem(error, path, source.scope).replace(severity="warning"))
        return None


def _key_of(root: Node, *, by_default: bool) -> Switch | None:
    if root.value is None or (isinstance(root.value, dict) and root.value.get(_TABLE) is None):
        return None if by_default else _missing(root)
    if not isinstance(root.value, dict):
        return None
    table = root.child(_TABLE)
    if not table.is_mapping(f"`{_TABLE}`"):
        return None
    if _KEY not in table.value:
        return None if by_default else _missing(table)
    enabled = table.value[_KEY]
    if not isinstance(enabled, bool):
        message = f"`{table.pointer}.{_KEY}` must be true or false, not {describe_value(enabled)}"
        table.complain(
            "value.type",
            message,
            _KEY,
            hint="write `false` to switch the hooks off; until then they are on",
        )
        return None
    return Switch(origin=table.origin(_KEY), is_on=enabled)


def _missing(node: Node) -> Switch:
    """A switch that is off, with the place where the key would stand."""
    origin = node.origin()
    place = origin.replace(pointer=f"{_TABLE}.{_KEY}", line=origin.line or 1)
    return Switch(origin=place, is_on=False)


def told(off: Origin, count: int) -> Problem:
    """A word about the hooks that are off."""
    hooks = "1 hook" if count == 1 else f"{count} hooks"
    message = f"`{off.pointer}` is not true, which switches {hooks} off"
    return Problem(
        name="hook.off",
        message=message,
        hint="write `true`, or: hookline on",
        severity="warning",
        origin=off,
    )
