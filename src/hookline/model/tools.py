"""Tool names: what the tools of one kind are called by each host, so that a matcher can travel.

The facts are `tools.json`, next to this module (harnesses.md 20; the names of each dialect's own page; vocabulary.md 4). A name may belong to
several families (`apply_patch` writes and edits, and so does Cursor's `Write`); families are never merged through such a name.
"""

from __future__ import annotations

import json
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


# Hosts whose spelling of an MCP tool's name is nobody else's of anything.
_PLAIN = ("claude-code", "kiro", "cursor")


@cache
def _data() -> Mapping[str, Any]:
    loader: Any = __spec__.loader  # as for the kinds: also from a zip file, without an import that costs start-up time
    read: dict[str, Any] = json.loads(loader.get_data(__file__.rpartition("tools")[0] + "tools.json"))
    return read


@cache
def families(name: str, dialect: str = "") -> tuple[str, ...]:
    """The families that a tool name belongs to: in that dialect's words, or, if these lack it, in any host's."""
    hosts_of = _data()["families"]
    own = tuple(family for family, hosts in hosts_of.items() if name in hosts.get(dialect, ()))
    return own or tuple(family for family, hosts in hosts_of.items() if any(name in names for names in hosts.values()))


def facets(kind: str, name: str, dialect: str = "") -> tuple[str, ...]:
    """The narrower kinds that an event about a tool also is: a shell's `tool.before` is a `shell.before` (vocabulary.md 4)."""
    narrower = _data()["facets"].get(kind)
    if not narrower:
        return ()
    of = ("mcp",) if mcp_parts(name, dialect) else families(name, dialect)
    return tuple(dict.fromkeys(narrower[family] for family in of if family in narrower))


def broader(kind: str) -> tuple[str, tuple[str, ...]] | None:
    """The wider kind that a narrower one is a part of, and the families whose calls it is; None for any other kind."""
    for wider, narrower in _data()["facets"].items():
        if kind in narrower.values():
            return wider, tuple(family for family, part in narrower.items() if part == kind)
    return None


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
    if mcp is not None and mcp[0]:
        names = [spelling.format(server=mcp[0], tool=mcp[1]) for spelling in _data()["mcp"].values()]
    else:
        names = [other for family in families(name, dialect) for hosts in _data()["families"][family].values() for other in hosts]
    return tuple(other for other in dict.fromkeys(names) if other != name)


def mcp_parts(name: str, dialect: str = "") -> tuple[str, str] | None:
    """Server and tool of an MCP tool's name; None for a name that is none. The server is empty where it is not told.

    The dialect's own spelling is tried first, then those that no other tool's name looks like. One that begins with the
    server (`{server}-{tool}`) is never recognised: it looks like any name.
    """
    spellings = _data()["mcp"]
    for spelling in (spellings.get(dialect, ""), *(spellings[host] for host in _PLAIN)):
        opening, _, rest = spelling.partition("{")
        between = rest.partition("}")[2].partition("{")[0]
        if not opening or not name.startswith(opening):
            continue
        server, _, tool = name.removeprefix(opening).partition(between) if between else ("", "", name.removeprefix(opening))
        if tool and (server or not between):
            return server, tool
    return None


def mcp_name(name: str, dialect: str) -> str | None:
    """An MCP tool's name as a dialect's host spells it; None where the host's spelling is unknown."""
    mcp, spelling = mcp_parts(name), _data()["mcp"].get(dialect)
    return spelling.format(server=mcp[0], tool=mcp[1]) if mcp and mcp[0] and spelling else None
