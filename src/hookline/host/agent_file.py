"""Reads an agent file of docker-agent, and every file that it names, before anything starts."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase as fnmatch

from hookline.core.dialect import Source
from hookline.dialects.docker_agent import DockerAgent
from hookline.errors import ConfigError, did_you_mean
from hookline.host.agent_keys import (
    HIGHEST_VERSION,
    HOST,
    METADATA,
    MISSING_TOOLS,
    MODES,
    RUNTIME,
    TOOLSETS,
    TOP,
    check_keys,
)
from hookline.host.agent_models import ModelReader, read_providers
from hookline.host.agent_reader import AgentReader
from hookline.host.agent_spec import (
    AgentFile,
    Budget,
    HostSettings,
    LoadedAgentFile,
    SandboxSettings,
)
from hookline.host.agent_toolsets import ToolsetReader
from hookline.host.durations import read_duration
from hookline.host.permissions import NO_RULES, PermissionRules, parse_rule
from hookline.host.script_file import find_script, read_script
from hookline.host.text_files import read_text_file
from hookline.model.frozen import Frozen
from hookline.wire.fields import Node, to_problem
from hookline.wire.parsers import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.host.permissions import PermissionRule
    from hookline.host.script_file import Script
    from hookline.model.spec import Problem

PROFILES = ("d2", "d1")
_SCOPE = "explicit"
# Those of all toolsets, and those of teams.
_TOOLS = (
    "transfer_task",
    "handoff",
    *(name for names in TOOLSETS.values() for name in names or ()),
)

_MISSING = {name: hint for tools in MISSING_TOOLS.values() for name, hint in tools.items()}


def load_agent_file(path: str) -> LoadedAgentFile:
    """Return what an agent file describes, and all problems of it and of the files that it names.

    docs/formats/agent-file.md
    """
    problems: list[Problem] = []
    try:
        text = read_text_file(path)
        root = Node(parse(text, path), path, _SCOPE, problems)
    except ConfigError as error:
        return LoadedAgentFile(agent_file=None, problems=(to_problem(error, path, _SCOPE),))
    agent_file = None
    if root.is_mapping("an agent file", "config.type"):
        agent_file = _Reader(root=root, folder=os.path.dirname(os.path.abspath(path))).read()
        is_local = agent_file is not None and agent_file.host.allow_local
        problems += _check_hooks(text, path, root, allow_local=is_local)
    if any(each.severity == "error" for each in problems):
        agent_file = None
    ordered = sorted(problems, key=lambda each: (each.origin.file != path, each.origin.line))
    return LoadedAgentFile(agent_file=agent_file, problems=tuple(ordered))


def _check_hooks(text: str, path: str, root: Node, *, allow_local: bool) -> list[Problem]:
    """Return the problems of the hooks, as their own loader finds them."""
    agents = root.value.get("agents")
    blocks = agents.values() if isinstance(agents, dict) else ()
    if not any(isinstance(each, dict) and each.get("hooks") for each in blocks):
        return []
    return list(DockerAgent(allow_local=allow_local).load(Source(file=path, text=text)).problems)


class _Reader(Frozen):
    """Reads the parts of an agent file. `folder`: that of the file, for the paths in it."""

    root: Node
    folder: str

    def read(self) -> AgentFile | None:
        root = self.root
        check_keys(root, TOP, "an agent file")
        self._check_version()
        self._check_metadata()
        models = ModelReader(
            nodes=self._children("models"),
            providers=read_providers(self._part("providers")),
            read_script=self._read_script,
            found={},
            open=set(),
        )
        toolsets = ToolsetReader(servers=self._children("mcps"), shared=self._children("toolsets"))
        toolsets.check_all()
        budgets = {name: _read_budget(node) for name, node in self._children("budgets").items()}
        parts = AgentReader(
            folder=self.folder,
            names=tuple(self._children("agents")),
            models=models,
            toolsets=toolsets,
            commands=self._children("commands"),
            budgets=tuple(budgets),
        )
        nodes = self._children("agents")
        agents = {name: parts.read_agent(name, node) for name, node in nodes.items()}
        if not root.value.get("agents"):
            hint = "add `agents:` with at least one agent"
            root.complain("key.missing", "the file describes no agent", hint=hint)
        budget = self._part("budget")
        found = [agent for agent in agents.values() if agent is not None]
        has_servers = any(each.type == "mcp" for agent in found for each in agent.toolsets)
        agent_file = AgentFile(
            path=root.file,
            agents={name: agent for name, agent in agents.items() if agent is not None},
            models=models.read_all(),
            permissions=self._read_permissions(has_servers=has_servers),
            budget=_read_budget(budget) if budget else None,
            budgets=budgets,
            host=self._read_host(),
        )
        return agent_file if agent_file.agents else None

    def _part(self, key: str) -> Node | None:
        """Return the mapping under a key of the file; None if there is none."""
        if self.root.value.get(key) is None:
            return None
        node = self.root.child(key)
        return node if isinstance(node.value, dict) else None

    def _children(self, key: str) -> dict[str, Node]:
        """Return the parts of the mapping under a key, by name."""
        node = self._part(key)
        return {str(child.path[-1]): child for child in node.children()} if node else {}

    def _check_version(self) -> None:
        version = self.root.value.get("version")
        if version is None or str(version) in map(str, range(HIGHEST_VERSION + 1)):
            return
        hint = f"hookline reads the keys of version {HIGHEST_VERSION}"
        self.root.warn("key.ignored", f"unknown version `{version!s:.20}`", "version", hint=hint)

    def _check_metadata(self) -> None:
        for key in ("agents", "models", "providers", "mcps", "toolsets", "commands", "budgets",
                    "permissions", "runtime", "budget", "hookline", "metadata"):  # fmt: skip
            if self.root.value.get(key) is not None:
                self.root.child(key).is_mapping(f"`{key}`")
        if (node := self._part("metadata")) is not None:
            node.check_known_keys(METADATA, "`metadata`")

    def _read_script(self, path: str) -> Script:
        """Return the script of a file; its problems join those of the agent file.

        Raises:
            ConfigError: it cannot be read, or has errors.
        """
        whole = find_script(path, self.folder)
        script, problems = read_script(read_text_file(whole), whole)
        self.root.problems.extend(problems)
        if script is None:
            raise ConfigError(f"the script `{path}` has errors", name="model.unknown")
        return script

    def _read_permissions(self, *, has_servers: bool) -> PermissionRules:
        node = self._part("permissions")
        if node is None:
            return NO_RULES
        scopes = ("allow", "ask", "deny")
        node.check_known_keys(scopes, "`permissions`")
        rules = {key: tuple(_read_rules(node, key, has_servers=has_servers)) for key in scopes}
        return PermissionRules(**rules)

    def _read_host(self) -> HostSettings:
        """Return hookline's settings: those of the key `hookline`, else those of `runtime`."""
        safety, sandbox = "", SandboxSettings()
        if (runtime := self._part("runtime")) is not None:
            check_keys(runtime, RUNTIME, "`runtime`")
            safety = runtime.choice("safety", MODES, "") if runtime.value.get("safety") else ""
            if runtime.flag("sandbox"):
                sandbox = SandboxSettings(kind="bubblewrap")
        node = self._part("hookline")
        if node is None:
            return HostSettings(safety=safety, sandbox=sandbox)
        check_keys(node, HOST, "`hookline`")
        return HostSettings(
            profile=node.choice("profile", PROFILES, "d2"),
            snapshot=node.flag("snapshot"),
            sandbox=_read_sandbox(node) or sandbox,
            safety=safety,
            allow_local=node.flag("allow_local"),
        )


_SANDBOXES = ("bubblewrap", "none")


def _read_sandbox(node: Node) -> SandboxSettings | None:
    """Return the sandbox: `bubblewrap`, `none`, or a mapping with its settings."""
    value = node.value.get("sandbox")
    if value is None:
        return None
    if not isinstance(value, dict):
        kind = node.choice("sandbox", _SANDBOXES, "none")
        return SandboxSettings(kind="" if kind == "none" else kind)
    sandbox = node.child("sandbox")
    sandbox.check_known_keys(("type", "network", "writable"), "`sandbox`")
    kind = sandbox.choice("type", _SANDBOXES, "bubblewrap")
    return SandboxSettings(
        kind="" if kind == "none" else kind,
        network=sandbox.flag("network"),
        writable=sandbox.texts("writable"),
    )


def _read_rules(node: Node, key: str, *, has_servers: bool) -> Iterator[PermissionRule]:
    """Return the rules of a list; warn of a tool that hookline does not have.

    `has_servers`: an MCP server may have it, so only what looks like a misspelling is a warning.
    """
    for at, pattern in enumerate(node.texts(key)):
        try:
            rule = parse_rule(pattern)
        except ConfigError as error:
            node.complain(error.name, error.message, key, at, hint=error.hint)
            continue
        yield rule
        if any(fnmatch(name, rule.tool.lower()) for name in _TOOLS):
            continue
        hint = _MISSING.get(rule.tool) or did_you_mean(rule.tool, _TOOLS)
        if hint or not has_servers:
            message = f"hookline has no tool `{rule.tool:.80}`, so the rule selects none"
            node.warn("toolset.unknown", message, key, at, hint=hint)


def _read_budget(node: Node) -> Budget:
    if not node.is_mapping("a budget"):
        return Budget()
    node.check_known_keys(("max_cost", "max_tokens", "max_time"), "a budget")
    cost, tokens = node.number("max_cost"), node.integer("max_tokens")
    for key, value in (("max_cost", cost), ("max_tokens", tokens)):
        if value is not None and value < 0:
            node.complain("value.range", f"`{key}: {value}` is no limit", key, hint="0 is no limit")
    return Budget(
        name=str(node.path[-1]) if len(node.path) > 1 else "",
        cost=cost or None,
        tokens=tokens or None,
        seconds=read_duration(node, "max_time"),
    )
