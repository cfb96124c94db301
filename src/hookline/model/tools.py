"""Tool names and input keys: how each host names the tools of one kind, and their inputs.

The facts are in `tools.json`, next to this module (docs/formats/comparison.md 12; the names of each
dialect's own page; docs/formats/vocabulary.md 4). A name may belong to several families
(`apply_patch` writes and edits, and so does Cursor's `Write`). Such a name never merges families.
"""

from __future__ import annotations

from functools import cache

from hookline.model.facts import read_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_MCP = "mcp"
_OTHERS = "*"
# The keys under which known tools have a path.
_PATH_KEYS = ("file_path", "path", "filePath", "notebook_path", "filename", "file", "paths")


@cache
def _data() -> Mapping[str, Any]:
    return read_facts("tools.json")


# -- names -----------------------------------------------------------------------------------------


@cache
def families(name: str, dialect: str = "") -> tuple[str, ...]:
    """Return the families of a tool name in a dialect, or, if it lacks the name, in any host."""
    hosts_of = _data()["families"]
    own = tuple(family for family, hosts in hosts_of.items() if name in hosts.get(dialect, ()))
    return own or tuple(
        family
        for family, hosts in hosts_of.items()
        if any(name in names for names in hosts.values())
    )


def known_families() -> tuple[str, ...]:
    """Return every family of tools."""
    return tuple(_data()["families"])


def list_names(family: str, dialect: str) -> tuple[str, ...]:
    """Return how a dialect's host names the tools of a family.

    Empty if it has none, or they are unknown.
    """
    return tuple(_data()["families"].get(family, {}).get(dialect, ()))


@cache
def list_equivalent_names(name: str, dialect: str = "") -> tuple[str, ...]:
    """Return every other name of a dialect's tool in any host, each once.

    For an MCP tool, every host's spelling.
    """
    mcp = mcp_parts(name, dialect)
    if mcp is not None:
        # A server that the name does not show counts as itself, so that `mcp__.*` still matches
        # the tool.
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


def translate_name(name: str, dialect: str, target: str) -> tuple[str, ...]:
    """Return how the target's host names a dialect's tool, the usual name first.

    Empty if unknown.
    """
    mcp = mcp_parts(name, dialect)
    if mcp is not None:
        spelling = _data()["mcp"].get(target)
        return (
            (spelling.format(server=mcp[0], tool=mcp[1]),)
            if spelling and (mcp[0] or "{server}" not in spelling)
            else ()
        )
    names = [other for family in families(name, dialect) for other in list_names(family, target)]
    # Kimi's hooks know `Shell`; that Kimi Code calls it `Bash` too does not make them know that.
    is_newer = dialect != target and name in _data()["newer"].get(target, ())
    return (name,) if name in names and not is_newer else tuple(dict.fromkeys(names))


# -- MCP -------------------------------------------------------------------------------------------


@cache
def mcp_parts(name: str, dialect: str = "") -> tuple[str, str] | None:
    """Return server and tool of an MCP tool's name; None if it is not one.

    The server is empty if the name does not show it.

    The dialect's own spelling is tried first, then the unambiguous ones, which no other tool's name
    resembles.
    """
    spellings = _data()["mcp"]
    for spelling in (
        spellings.get(dialect, ""),
        *(spellings[host] for host in _data()["unmistakable"]),
    ):
        found = _split_name(name, spelling) if spelling else None
        if found and not (spelling.startswith("{") and families(name, dialect)):
            return found
    return None


def _split_name(name: str, spelling: str) -> tuple[str, str] | None:
    """Return server and tool if a name has this spelling; the first separator counts."""
    opening, _, rest = spelling.partition("{")
    between = rest.partition("}")[2].partition("{")[0]
    if not name.startswith(opening):
        return None
    left = name.removeprefix(opening)
    server, _, tool = left.partition(between) if between else ("", "", left)
    return (server, tool) if tool and (server or not between) else None


# -- kinds -----------------------------------------------------------------------------------------


def facets(kind: str, name: str, dialect: str = "") -> tuple[str, ...]:
    """Return the narrower kinds of an event about a tool (docs/formats/vocabulary.md 4).

    A shell's `tool.before` is a `shell.before`.
    """
    narrower = _data()["facets"].get(kind)
    if not narrower:
        return ()
    of = (_MCP,) if mcp_parts(name, dialect) else families(name, dialect)
    return tuple(dict.fromkeys(narrower[family] for family in of if family in narrower))


def find_broader_kind(kind: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the wider kind of a narrower one, and the families of tools whose calls it covers.

    None for other kinds.
    """
    for wider, narrower in _data()["facets"].items():
        if kind in narrower.values():
            return wider, tuple(family for family, part in narrower.items() if part == kind)
    return None


# -- inputs ----------------------------------------------------------------------------------------


@cache
def input_names(name: str, dialect: str, target: str) -> Mapping[str, str]:
    """Return the input keys that a tool's counterpart in the target's host names otherwise.

    Keys of any host are understood, because hosts disagree even within themselves (`cmd`,
    `command`).
    """
    renamed: dict[str, str] = {}
    for family in families(name, dialect):
        for keys in _data()["inputs"].get(family, {}).values():
            wanted = keys.get(target, keys[_OTHERS])
            renamed |= {key: wanted for key in keys.values() if key != wanted}
    return renamed


def list_paths(value: Any) -> Iterator[str]:
    """Yield the paths that a tool's input names."""
    if not isinstance(value, dict):
        return
    for key in _PATH_KEYS:
        found = value.get(key)
        if isinstance(found, str):
            yield found
        elif isinstance(found, list):
            yield from (path for path in found if isinstance(path, str))
