"""Reads one agent of an agent file, and resolves the names in it."""

from __future__ import annotations

import os

from hookline.errors import ConfigError, did_you_mean
from hookline.host.agent_keys import AGENT, MODES, check_keys
from hookline.host.agent_spec import (
    FALLBACK_COOLDOWN,
    FALLBACK_RETRIES,
    MOST_CONSECUTIVE_CALLS,
    AgentSpec,
    SlashCommand,
)
from hookline.host.durations import read_duration
from hookline.host.text_files import read_text_file
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.host.agent_models import ModelReader
    from hookline.host.agent_spec import ModelSpec
    from hookline.host.agent_toolsets import ToolsetReader
    from hookline.wire.fields import Node


class AgentReader(Frozen):
    """What the agents of a file may refer to, and the reader of each agent."""

    folder: str
    names: tuple[str, ...]
    models: ModelReader
    toolsets: ToolsetReader
    commands: Mapping[str, Node]
    budgets: tuple[str, ...]

    def read_agent(self, name: str, node: Node) -> AgentSpec | None:
        """Return an agent; None, and a problem, if it has no model."""
        what = f"the agent `{name}`"
        if not node.is_mapping(what):
            return None
        check_keys(node, AGENT, what)
        toolsets = self.toolsets.read_agent(node)
        model = self._read_model(node)
        fields: dict[str, Any] = {
            **self._read_flags(node),
            **self._read_delegation(node),
            **self._read_limits(node),
            **self._read_fallback(node),
            "instruction": self._read_instruction(node),
            "commands": tuple(self._read_commands(node)),
        }
        if model is None:
            return None
        return AgentSpec(name=name, model=model, toolsets=toolsets, origin=node.origin(), **fields)

    def _read_model(self, node: Node) -> ModelSpec | None:
        mark = node.mark()
        model = self.models.resolve_key(node, "model")
        if model is None and not node.errors_since(mark) and not node.value.get("model"):
            hint = "name a key of `models`, or `provider/model` as in `openai/gpt-4o-mini`"
            node.complain("key.missing", "the key `model` is missing", hint=hint)
        return model

    def _read_flags(self, node: Node) -> dict[str, Any]:
        given = node.value.get("safety")
        return {
            "description": node.text("description"),
            "welcome_message": node.text("welcome_message"),
            "read_only": node.flag("readonly"),
            "safety": node.choice("safety", MODES, "") if given else "",
            "add_date": node.flag("add_date"),
            "add_environment_info": node.flag("add_environment_info"),
            "add_prompt_files": node.texts("add_prompt_files"),
            "prompt_files_depth": _read_count(node, "add_prompt_files_depth", 0),
            "redact_secrets": node.flag("redact_secrets", default=True),
        }

    def _read_delegation(self, node: Node) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "sub_agents": self._read_agents(node, "sub_agents"),
            "handoffs": self._read_agents(node, "handoffs"),
            "force_handoff": self._check_agent(node, node.text("force_handoff"), "force_handoff"),
        }
        if node.value.get("routing") is not None and node.child("routing").is_mapping("`routing`"):
            routing = node.child("routing")
            routing.check_known_keys(("allowed_agents", "default_agent"), "`routing`")
            if routing.text("default_agent"):
                hint = "hookline runs no evaluators"
                message = "hookline ignores `default_agent` of `routing`"
                routing.warn("key.ignored", message, "default_agent", hint=hint)
            fields["routes"] = self._read_agents(routing, "allowed_agents")
        return fields

    def _read_agents(self, node: Node, key: str) -> tuple[str, ...]:
        names = node.texts(key)
        return tuple(
            name for at, name in enumerate(names) if self._check_agent(node, name, key, at)
        )

    def _check_agent(self, node: Node, name: str, *key: str | int) -> str:
        """Return the name of an agent of the file; empty, and a problem, for another."""
        if not name or name in self.names:
            return name
        hint = did_you_mean(name, self.names) or f"agents of the file: {', '.join(self.names)}"
        if "/" in name or ":" in name:
            hint = "hookline fetches no agents; copy it into this file"
        node.complain("agent.unknown", f"unknown agent `{name:.80}`", *key, hint=hint)
        return ""

    def _read_limits(self, node: Node) -> dict[str, Any]:
        threshold = node.number("compaction_threshold")
        if threshold is not None and not 0 < threshold <= 1:
            why = f"`compaction_threshold: {threshold}` is no part of a window"
            node.complain("value.range", why, "compaction_threshold", hint="0.9 is 90 %")
            threshold = None
        budgets = node.texts("budgets")
        for at, name in enumerate(budgets):
            if name not in self.budgets:
                hint = did_you_mean(name, self.budgets) or "define it under `budgets` of the file"
                message = f"unknown budget `{name:.80}`"
                node.complain("value.choice", message, "budgets", at, hint=hint)
        return {
            "max_iterations": _read_count(node, "max_iterations", 0),
            "max_consecutive_calls": _read_count(node, "max_consecutive_tool_calls", 0)
            or MOST_CONSECUTIVE_CALLS,
            "history": _read_count(node, "num_history_items", 0),
            "compacts": node.flag("session_compaction", default=True),
            "compaction_threshold": threshold,
            "compaction_model": self.models.resolve_key(node, "compaction_model"),
            "budgets": budgets,
        }

    def _read_fallback(self, node: Node) -> dict[str, Any]:
        if node.value.get("fallback") is None or not node.child("fallback").is_mapping(
            "`fallback`"
        ):
            return {}
        fallback = node.child("fallback")
        fallback.check_known_keys(("models", "retries", "cooldown"), "`fallback`")
        retries = fallback.integer("retries", FALLBACK_RETRIES)
        if retries is None or retries < -1:
            why, hint = f"`retries: {retries}` is no count", "-1 is none, 0 the default of 2"
            fallback.complain("value.range", why, "retries", hint=hint)
            retries = 0
        return {
            "fallbacks": self.models.resolve_list(fallback, "models"),
            "fallback_retries": {-1: 0, 0: FALLBACK_RETRIES}.get(retries, retries),
            "cooldown": read_duration(fallback, "cooldown") or FALLBACK_COOLDOWN,
        }

    def _read_instruction(self, node: Node) -> str:
        """Return the system prompt: a text, a list of them, or the texts of files."""
        parts = _read_texts(node, "instruction")
        files = _read_texts(node, "instruction_file")
        if parts and files:
            why = "`instruction_file` has no effect beside `instruction`"
            node.complain("key.misplaced", why, "instruction_file", hint="use one of them")
            return ""
        if not files:
            return "\n\n".join(parts)
        return "\n\n".join(self._read_file(node, name) for name in files)

    def _read_file(self, node: Node, name: str) -> str:
        whole = os.path.normpath(os.path.join(self.folder, name))
        if os.path.isabs(name) or not whole.startswith(os.path.join(self.folder, "")):
            hint = "name a file below the folder of the agent file"
            why = f"`{name:.80}` is outside of the folder of the agent file"
            node.complain("value.choice", why, "instruction_file", hint=hint)
            return ""
        try:
            return read_text_file(whole)
        except ConfigError as error:
            node.complain(error.name, error.message, "instruction_file", hint=error.hint)
            return ""

    def _read_commands(self, node: Node) -> Iterator[SlashCommand]:
        """Yield the commands of an agent: those of the groups that it uses, then its own."""
        found: dict[str, SlashCommand] = {}
        for name in node.texts("use_commands"):
            if name in self.commands:
                found |= {each.name: each for each in _read_group(self.commands[name])}
                continue
            hint = did_you_mean(name, self.commands) or "define it under `commands` of the file"
            message = f"unknown group of commands `{name:.80}`"
            node.complain("value.choice", message, "use_commands", hint=hint)
        if node.value.get("commands") is not None:
            found |= {each.name: each for each in _read_group(node.child("commands"))}
        yield from found.values()


def _read_group(group: Node) -> Iterator[SlashCommand]:
    """Yield the commands of a mapping, or of a list of mappings."""
    if isinstance(group.value, list):
        for node in group.children():
            yield from _read_group(node)
        return
    if not group.is_mapping("`commands`"):
        return
    for node in group.children():
        name = str(node.path[-1])
        if isinstance(node.value, str):
            yield SlashCommand(name=name, instruction=node.value)
        elif node.is_mapping(f"the command `{name}`"):
            node.check_known_keys(("description", "instruction", "agent", "url"), "a command")
            for key in ("agent", "url"):
                if node.value.get(key):
                    message = f"hookline ignores `{key}` of a command"
                    node.warn("key.ignored", message, key, hint="the current agent gets its text")
            instruction, about = node.text("instruction"), node.text("description")
            yield SlashCommand(name=name, instruction=instruction or about, description=about)


def _read_texts(node: Node, key: str) -> tuple[str, ...]:
    """Return the text under a key, or the list of texts."""
    if isinstance(node.value.get(key), list):
        return node.texts(key)
    text = node.text(key)
    return (text,) if text else ()


def _read_count(node: Node, key: str, default: int) -> int:
    value = node.integer(key, default)
    if value is None or value < 0:
        node.complain("value.range", f"`{key}: {value}` is no count", key)
        return default
    return value
