"""Writing: trees as the text of a file, and matchers as the dialects spell them."""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.core.dialect import Declaration


def as_json(tree: Any) -> str:
    """A tree as JSON, two blanks a level."""
    return json.dumps(tree, indent=2, ensure_ascii=False) + "\n"


def as_yaml(tree: Any) -> str:
    """A tree as YAML; long texts stay on one line."""
    from io import StringIO  # noqa: PLC0415 - only who converts a file writes YAML

    from ruamel.yaml import YAML  # noqa: PLC0415 - as above

    yaml = YAML(typ="rt")
    yaml.width = 1 << 20
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = StringIO()
    yaml.dump(tree, out)
    return out.getvalue()


def as_toml(tree: Any) -> str:
    """A tree as TOML; what is None is left out."""
    import tomlkit  # noqa: PLC0415 - only who converts a file writes TOML

    return tomlkit.dumps(tree)


def without_shell(declaration: Declaration) -> str:
    """The command for a host that splits it into words and starts no shell: one of the words is then a shell."""
    import shlex  # noqa: PLC0415 - only who converts a file writes commands

    return (
        declaration.command if declaration.split else shlex.join(("sh", "-c", declaration.command))
    )


def searched(declaration: Declaration) -> str:
    """The tools of a declaration as an expression to be searched in a name; empty for every tool."""
    if declaration.tools:
        return f"^(?:{_alternatives(declaration.tools)})$"
    return declaration.pattern


def covering(declaration: Declaration) -> str:
    """The tools of a declaration as an expression that must cover the whole name; empty for every tool."""
    if declaration.tools:
        return _alternatives(declaration.tools)
    return f".*(?:{declaration.pattern}).*" if declaration.pattern else ""


def _alternatives(names: tuple[str, ...]) -> str:
    return "|".join(re.escape(name) for name in names)


def grouped(
    declarations: tuple[Declaration, ...],
    hook: Callable[[Declaration], Any],
    matcher: Callable[[Declaration], str],
) -> dict[str, Any]:
    """The tree of the Claude family: event -> groups of a matcher and hooks; neighbours with one matcher share a group."""
    events: dict[str, list[Any]] = {}
    for declaration in declarations:
        groups = events.setdefault(declaration.row.native, [])
        text = matcher(declaration) if declaration.row.subject == "tool" else ""
        if not groups or groups[-1].get("matcher", "") != text:
            groups.append({"matcher": text, "hooks": []} if text else {"hooks": []})
        groups[-1]["hooks"].append(hook(declaration))
    return events


def whole_seconds(declaration: Declaration, longest: int) -> int:
    """The timeout in whole seconds, rounded up, at least 1 and at most `longest`."""
    return min(max(1, -int(-declaration.timeout // 1)), longest)


def too_long(declarations: tuple[Declaration, ...], longest: float) -> list[tuple[int, str]]:
    """What is lost where a format knows no timeout beyond `longest` seconds."""
    return [
        (at, f"a timeout of more than {longest:g} s")
        for at, given in enumerate(declarations)
        if given.timeout > longest
    ]


def left_open(
    declarations: tuple[Declaration, ...], *, where: Callable[[Declaration], bool] = lambda _: True
) -> list[tuple[int, str]]:
    """What is lost where a format cannot say that a failure denies."""
    return [
        (at, "that a failure of the hook denies")
        for at, given in enumerate(declarations)
        if given.closed and where(given)
    ]
