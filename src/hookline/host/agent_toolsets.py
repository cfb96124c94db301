"""Reads the toolsets of an agent file, and the MCP servers that it names."""

from __future__ import annotations

import re

from hookline.errors import did_you_mean
from hookline.host.agent_keys import (
    EVERY_TOOLSET_KEY,
    LIFECYCLE,
    MISSING_TOOLS,
    MISSING_TOOLSETS,
    REMOTE,
    TOOLSET_KEYS,
    TOOLSETS,
    check_keys,
)
from hookline.host.agent_spec import PostEdit, Toolset
from hookline.host.durations import read_duration
from hookline.model.frozen import Frozen
from hookline.text.urls import describe_url, explain_refused_url

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.wire.fields import Node

_TRANSPORTS = {"": "streamable", "streamable": "streamable", "streamable-http": "streamable",
               "http": "streamable", "sse": "sse"}  # fmt: skip
_DOCKER = "docker:"
_CATALOG_NAME = re.compile(r"[\w][\w.-]*")


class ToolsetReader(Frozen):
    """Reads toolsets.

    `servers`: the mappings of the key `mcps`, by name. `shared`: those of the key `toolsets`.
    """

    servers: Mapping[str, Node]
    shared: Mapping[str, Node]

    def check_all(self) -> None:
        """File the problems of every shared toolset and server, used or not."""
        for node in self.shared.values():
            self.read(node)
        for name, node in self.servers.items():
            if node.is_mapping(f"the MCP server `{name}`"):
                self._read_server(node, f"the MCP server `{name}`")

    def read_agent(self, agent: Node) -> tuple[Toolset, ...]:
        """Return the toolsets of an agent: its own, then those that it uses."""
        return (*self._read_own(agent), *self._read_used(agent))

    def _read_own(self, agent: Node) -> Iterator[Toolset]:
        value = agent.value.get("toolsets")
        if value is None:
            return
        if not isinstance(value, list):
            hint = "begin each toolset with `- type: `"
            agent.complain("value.type", "`toolsets` must be a list", "toolsets", hint=hint)
            return
        for node in agent.child("toolsets").children():
            if (toolset := self.read(node)) is not None:
                yield toolset

    def _read_used(self, agent: Node) -> Iterator[Toolset]:
        for name in agent.texts("use_toolsets"):
            if name not in self.shared:
                hint = did_you_mean(name, self.shared) or "define it under `toolsets` of the file"
                message = f"unknown toolset `{name:.80}`"
                agent.complain("toolset.unknown", message, "use_toolsets", hint=hint)
                continue
            # `check_all` files the problems of a shared toolset once.
            node = self.shared[name]
            mark = node.mark()
            toolset = self.read(node)
            del node.problems[mark:]
            if toolset is not None:
                yield toolset

    def read(self, node: Node) -> Toolset | None:
        """Return a toolset; None if it is wrong, or if hookline leaves it out."""
        if not node.is_mapping("a toolset"):
            return None
        kind = node.text("type", required=True)
        if not kind:
            return None
        what = f"the toolset `{kind}`"
        if kind in MISSING_TOOLSETS:
            hint = f"hookline has {', '.join(TOOLSETS)}; the agent runs without these tools"
            node.warn("key.ignored", f"hookline leaves out {what}", "type", hint=hint)
            return None
        if kind not in TOOLSETS:
            hint = did_you_mean(kind, (*TOOLSETS, *MISSING_TOOLSETS)) or (
                f"known toolsets: {', '.join(TOOLSETS)}"
            )
            node.complain("toolset.unknown", f"unknown toolset `{kind:.80}`", "type", hint=hint)
            return None
        _check_keys(node, kind, what)
        if kind == "mcp":
            return self._read_server(node, what)
        return Toolset(type=kind, **_read_common(node, kind), **_READERS[kind](node))

    def _read_server(self, node: Node, what: str) -> Toolset | None:
        """Return an MCP server, with what the server that it refers to has."""
        if "type" not in node.value:
            keys = {name: key for name, key in TOOLSET_KEYS["mcp"].items() if name != "type"}
            check_keys(node, keys, what)
        own = {**_read_common(node, "mcp"), **_read_mcp(node)}
        ref = node.text("ref")
        ways = [key for key in ("command", "remote", "ref") if node.value.get(key)]
        if len(ways) != 1:
            why = f"{what} needs exactly one of `command`, `remote` and `ref`"
            node.complain("key.missing" if not ways else "key.misplaced", why, *ways[1:2])
            return None
        if not ref:
            return Toolset(type="mcp", **own)
        if ref.startswith(_DOCKER):
            return _read_catalog_server(node, ref.removeprefix(_DOCKER), own)
        if any(node is server for server in self.servers.values()):
            hint = "refer to it from a toolset; here write `docker:NAME`, or `command`"
            node.complain("value.choice", f"{what} refers to another server", "ref", hint=hint)
            return None
        if ref not in self.servers:
            hint = did_you_mean(ref, self.servers) or "define it under `mcps`"
            node.complain("toolset.unknown", f"unknown MCP server `{ref:.80}`", "ref", hint=hint)
            return None
        return self._merge(ref, own)

    def _merge(self, ref: str, own: Mapping[str, Any]) -> Toolset | None:
        """Return a server of the key `mcps` with the changes of the toolset that names it."""
        base = self.servers[ref]
        mark = base.mark()
        server = self._read_server(base, ref) if isinstance(base.value, dict) else None
        del base.problems[mark:]
        if server is None:
            return None
        plain = Toolset(type="mcp").as_dict()
        changes = {key: value for key, value in own.items() if value != plain[key]}
        env = {**server.env, **own.get("env", {})}
        return server.replace(**{"name": ref, **changes, "env": env})


def _read_catalog_server(node: Node, name: str, own: Mapping[str, Any]) -> Toolset | None:
    """Return a server of Docker's catalog, as Docker's own gateway starts it."""
    if not _CATALOG_NAME.fullmatch(name):
        hint = "write `docker:NAME`, as in `docker:duckduckgo`"
        node.complain("value.choice", f"`{name:.80}` is no name of a server", "ref", hint=hint)
        return None
    args = ("mcp", "gateway", "run", f"--servers={name}")
    return Toolset(type="mcp", **{**own, "name": name, "command": "docker", "args": args})


def _check_keys(node: Node, kind: str, what: str) -> None:
    """File a problem about each key that this kind of toolset does not have."""
    keys = TOOLSET_KEYS[kind]
    for name in node.value:
        if name not in keys and name in EVERY_TOOLSET_KEY:
            node.complain("key.misplaced", f"{what} has no key `{name}`", name,
                          hint=f"its keys: {', '.join(keys)}")  # fmt: skip
    known = {**dict.fromkeys(EVERY_TOOLSET_KEY, keys["type"]), **keys}
    check_keys(node, known, what)


def _read_common(node: Node, kind: str) -> dict[str, Any]:
    tools, known = node.texts("tools"), TOOLSETS[kind]
    missing = MISSING_TOOLS.get(kind, {})
    for at, name in enumerate(tools):
        if name in missing:
            message = f"hookline has no tool `{name}`"
            node.warn("key.ignored", message, "tools", at, hint=missing[name])
        elif known is not None and name not in known:
            hint = did_you_mean(name, known) or f"its tools: {', '.join(known)}"
            message = f"the toolset `{kind}` has no tool `{name:.80}`"
            node.complain("toolset.unknown", message, "tools", at, hint=hint)
    return {
        "tools": tools,
        "instruction": node.text("instruction"),
        "read_only": node.flag("readonly"),
        "origin": node.origin(),
    }


def _read_shell(node: Node) -> dict[str, Any]:
    return {"env": node.mapping("env")}


def _read_filesystem(node: Node) -> dict[str, Any]:
    return {
        "ignore_vcs": node.flag("ignore_vcs", default=True),
        "allow_list": node.texts("allow_list"),
        "deny_list": node.texts("deny_list"),
        "post_edit": tuple(_read_post_edits(node)),
    }


def _read_post_edits(node: Node) -> Iterator[PostEdit]:
    value = node.value.get("post_edit")
    if value is None:
        return
    if not isinstance(value, list):
        node.complain("value.type", "`post_edit` must be a list", "post_edit")
        return
    for edit in node.child("post_edit").children():
        if edit.is_mapping("an entry of `post_edit`"):
            edit.check_known_keys(("path", "cmd"), "an entry of `post_edit`")
            pattern, command = edit.text("path", required=True), edit.text("cmd", required=True)
            yield PostEdit(pattern=pattern, command=command)


def _read_todo(node: Node) -> dict[str, Any]:
    return {"shared": node.flag("shared")}


def _read_think(_node: Node) -> dict[str, Any]:
    return {}


def _read_mcp(node: Node) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": node.text("name"),
        "prefix": node.text("name"),
        "command": node.text("command"),
        "args": node.texts("args"),
        "env": node.mapping("env"),
        "working_dir": node.text("working_dir"),
    }
    if node.value.get("remote") is not None and node.child("remote").is_mapping("`remote`"):
        remote = node.child("remote")
        check_keys(remote, REMOTE, "`remote`")
        url = remote.text("url", required=True)
        if url and "$" not in url and (why := explain_refused_url(url, allow_local=True)):
            remote.complain("handler.url", f"{describe_url(url)} cannot be called: {why}", "url")
        word = remote.choice("transport_type", _TRANSPORTS, "")
        found |= {"url": url, "transport": _TRANSPORTS[word], "headers": remote.mapping("headers")}
    if node.value.get("lifecycle") is not None and node.child("lifecycle").is_mapping(
        "`lifecycle`"
    ):
        lifecycle = node.child("lifecycle")
        check_keys(lifecycle, LIFECYCLE, "`lifecycle`")
        for key in ("startup_timeout", "call_timeout"):
            found[key] = read_duration(lifecycle, key)
    return found


_READERS = {
    "shell": _read_shell,
    "background_jobs": _read_shell,
    "filesystem": _read_filesystem,
    "think": _read_think,
    "todo": _read_todo,
}
