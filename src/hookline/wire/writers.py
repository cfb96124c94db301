"""Writers: trees as the text of a file, and matchers in the spelling of each dialect."""

from __future__ import annotations

import json
import re
import shlex
from io import StringIO

import tomlkit
from ruamel.yaml import YAML

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.core.dialect import Declaration


def to_json(tree: Any) -> str:
    """Return a tree as JSON, indented by two blanks."""
    return json.dumps(tree, indent=2, ensure_ascii=False) + "\n"


def to_yaml(tree: Any) -> str:
    """Return a tree as YAML; long texts stay on one line."""
    yaml = YAML(typ="rt")
    yaml.width = 1 << 20
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = StringIO()
    yaml.dump(tree, out)
    return out.getvalue()


def to_toml(tree: Any) -> str:
    """Return a tree as TOML without the keys that are None."""
    return tomlkit.dumps(tree)


def wrap_in_shell(declaration: Declaration) -> str:
    """Return the command for a host without a shell; where it needs one, it runs `sh -c`."""
    return (
        declaration.command if declaration.split else shlex.join(("sh", "-c", declaration.command))
    )


def to_search_pattern(declaration: Declaration) -> str:
    """Return the tools of a declaration as an expression to search in a name.

    Empty for every tool.
    """
    if declaration.tools:
        return f"^(?:{_alternatives(declaration.tools)})$"
    return declaration.pattern


def to_full_pattern(declaration: Declaration) -> str:
    """Return the tools of a declaration as an expression that must match the whole name.

    Empty for every tool.
    """
    if declaration.tools:
        return _alternatives(declaration.tools)
    return f".*(?:{declaration.pattern}).*" if declaration.pattern else ""


def _alternatives(names: tuple[str, ...]) -> str:
    return "|".join(re.escape(name) for name in names)


def arrange_hooks(
    declarations: tuple[Declaration, ...],
    hook: Callable[[Declaration], Any],
    matcher: Callable[[Declaration], str],
    *,
    flat: bool = False,
) -> dict[str, Any]:
    """Return the tree `event -> groups of a matcher and hooks`.

    Adjacent hooks with the same matcher share a group. `flat`: an event has a list of hooks
    instead; a hook of a tool has its matcher among its keys.
    """
    events: dict[str, list[Any]] = {}
    for declaration in declarations:
        entries = events.setdefault(declaration.row.native, [])
        text = matcher(declaration) if declaration.row.subject == "tool" else ""
        selects = {"matcher": text} if text else {}
        if flat:
            entries.append({**hook(declaration), **selects})
            continue
        if not entries or entries[-1].get("matcher", "") != text:
            entries.append({**selects, "hooks": []})
        entries[-1]["hooks"].append(hook(declaration))
    return events


def round_timeout(declaration: Declaration, longest: int) -> int:
    """Return the timeout in whole seconds, rounded up, at least 1 and at most `longest`."""
    return min(max(1, -int(-declaration.timeout // 1)), longest)


def list_long_timeouts(
    declarations: tuple[Declaration, ...], longest: float
) -> list[tuple[int, str]]:
    """Return what a format loses that has no timeout beyond `longest` seconds."""
    return [
        (at, f"a timeout of more than {longest:g} s")
        for at, given in enumerate(declarations)
        if given.timeout > longest
    ]


def list_lost_denials(
    declarations: tuple[Declaration, ...], *, where: Callable[[Declaration], bool] = lambda _: True
) -> list[tuple[int, str]]:
    """Return what a format loses that cannot say that a failure denies."""
    return [
        (at, "that a failure of the hook denies")
        for at, given in enumerate(declarations)
        if given.closed and where(given)
    ]
