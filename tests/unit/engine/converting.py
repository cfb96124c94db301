"""Conversions of small configurations, for tests of what comes out."""

from __future__ import annotations

from typing import Any

import hookline
from hookline.engine.catalog import make_dialect
from hookline.engine.convert import Conversion, convert
from hookline.wire.parsers import parse_yaml


def converted(
    tree: dict[str, Any], own: str, target: str, *, plain: bool = False, **given: Any
) -> Conversion:
    """A tree of one dialect in another."""
    return convert(
        hookline.Engine.from_config(tree, dialect=own, **given), make_dialect(target), plain=plain
    )


def claude(matcher: str = "", **keys: Any) -> dict[str, Any]:
    """A settings file with one hook on tools."""
    group = {"matcher": matcher} if matcher else {}
    return {
        "hooks": {
            "PreToolUse": [
                {**group, "hooks": [{"type": "command", "command": "./guard.sh"} | keys]}
            ]
        }
    }


def docker(conversion: Conversion) -> dict[str, Any]:
    """The first group of docker-agent's file."""
    group: dict[str, Any] = parse_yaml(conversion.files["hooks.yaml"]).value["hooks"][
        "pre_tool_use"
    ][0]
    return group
