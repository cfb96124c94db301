"""Tool names and input keys: what the tools of one kind are called by each host, and what they are given.

The facts are `tools.json`, next to this module (docs/formats/comparison.md 12; the names of each dialect's own page; docs/formats/vocabulary.md 4). A name
may belong to several families (`apply_patch` writes and edits, and so does Cursor's `Write`); families are never merged through
such a name.
"""

from __future__ import annotations

import json
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_MCP = "mcp"
_OTHERS = "*"


@cache
def _data() -> Mapping[str, Any]:
    loader: Any = (
        __spec__.loader
    )  # as for the kinds: also from a zip file, without an import that costs start-up time
    read: dict[str, Any] = json.loads(
        loader.get_data(__file__.rpartition("tools")[0] + "tools.json")
    )
    return read


# -- names -------------------------------------------------------------------------------------------------------------


@cache
def families(name: str, dialect: str = "") -> tuple[str, ...]:
    """The families that a tool name belongs to: in that dialect's words, or, if these lack it, in any host's."""
    hosts_of = _data()["families"]
    own = tuple(family for family, hosts in hosts_of.items() if name in hosts.get(dialect, ()))
    return own or tuple(
        family
        for family, hosts in hosts_of.items()
        if any(name in names for names in hosts.values())
    )


def known_families() -> tuple[str, ...]:
    """Every family of tools."""
    return tuple(_data()["families"])


def called(family: str, dialect: str) -> tuple[str, ...]:
    """What a dialect's host calls the tools of a family; empty where it has none, or nobody knows."""
    return tuple(_data()["families"].get(family, {}).get(dialect, ()))


@cache
def alike(name: str, dialect: str = "") -> tuple[str, ...]:
    """Every other name of a dialect's tool, in any host's words, each once; of an MCP tool every host's spelling."""
    mcp = mcp_parts(name, dialect)
    if mcp is not None:
        # A server that the name does not tell stands for itself, so that `mcp__.*` still sees the tool.
        names = [
            spelling.format(server=mcp[0] or _OTHERS, tool=mcp[1])
            for spelling in _data()["mcp"].values()
        ]
    else:
        names = [
            other
            for family in families(name, dialect)
            for hosts in _data()["families"][family].values()
            for other in hosts
        ]
    return tuple(other for other in dict.fromkeys(names) if other != name)


def translated(name: str, dialect: str, target: str) -> tuple[str, ...]:
    """What the target's host calls a dialect's tool, the usual name first; empty where nobody knows."""
    mcp = mcp_parts(name, dialect)
    if mcp is not None:
        spelling = _data()["mcp"].get(target)
        return (
            (spelling.format(server=mcp[0], tool=mcp[1]),)
            if spelling and (mcp[0] or "{server}" not in spelling)
            else ()
        )
    names = [other for family in families(name, dialect) for other in called(family, target)]
    return (name,) if name in names else tuple(dict.fromkeys(names))


# -- MCP ---------------------------------------------------------------------------------------------------------------


@cache
def mcp_parts(name: str, dialect: str = "") -> tuple[str, str] | None:
    """Server and tool of an MCP tool's name; None for a name that is none. The server is empty where it is not told.

    The dialect's own spelling is tried first, then the unmistakable ones, which no other tool's name looks like.
    """
    spellings = _data()["mcp"]
    for spelling in (
        spellings.get(dialect, ""),
        *(spellings[host] for host in _data()["unmistakable"]),
    ):
        found = _parted(name, spelling) if spelling else None
        if found and not (spelling.startswith("{") and families(name, dialect)):
            return found
    return None


def _parted(name: str, spelling: str) -> tuple[str, str] | None:
    """Server and tool, where a name is spelled so; the first separator counts."""
    opening, _, rest = spelling.partition("{")
    between = rest.partition("}")[2].partition("{")[0]
    if not name.startswith(opening):
        return None
    left = name.removeprefix(opening)
    server, _, tool = left.partition(between) if between else ("", "", left)
    return (server, tool) if tool and (server or not between) else None


# -- kinds -------------------------------------------------------------------------------------------------------------


def facets(kind: str, name: str, dialect: str = "") -> tuple[str, ...]:
    """The narrower kinds that an event about a tool also is: a shell's `tool.before` is a `shell.before` (docs/formats/vocabulary.md 4)."""
    narrower = _data()["facets"].get(kind)
    if not narrower:
        return ()
    of = (_MCP,) if mcp_parts(name, dialect) else families(name, dialect)
    return tuple(dict.fromkeys(narrower[family] for family in of if family in narrower))


def broader(kind: str) -> tuple[str, tuple[str, ...]] | None:
    """The wider kind that a narrower one is a part of, and the families whose calls it is; None for any other kind."""
    for wider, narrower in _data()["facets"].items():
        if kind in narrower.values():
            return wider, tuple(family for family, part in narrower.items() if part == kind)
    return None


# -- inputs ------------------------------------------------------------------------------------------------------------


@cache
def input_names(name: str, dialect: str, target: str) -> Mapping[str, str]:
    """Input keys of a dialect's tool that the target's host has another key for: old key -> new key.

    Any host's key for a thing is understood, because hosts are not of one mind about their own (`cmd`, `command`).
    """
    renamed: dict[str, str] = {}
    for family in families(name, dialect):
        for keys in _data()["inputs"].get(family, {}).values():
            wanted = keys.get(target, keys[_OTHERS])
            renamed |= {key: wanted for key in keys.values() if key != wanted}
    return renamed
