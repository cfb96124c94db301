"""The page of the Python API: each public name, for mkdocstrings to fill in from its docstring."""

from __future__ import annotations

import inspect
from importlib import import_module

_HEAD = """\
# Python

The public names of hookline. The [site](../index.md) shows their signatures and docstrings here;
in a checkout read them with `python -m pydoc NAME`. Names that are not on this page may change.
"""
_MODULES = {
    "hookline": "Engines, events, decisions, and what a Python hook returns.",
    "hookline.remote": "Hooks and agents in [other processes](../how-to/remote-hooks.md).",
    "hookline.a3s": "The API of [A3S](../formats/a3s.md).",
    "hookline.chat": "`/hooks` commands for a chat.",
}
# Frameworks that are not installed here cannot be imported, so their names stand here.
_ADAPTERS = (
    "agent_hooks.AgentHooks",
    "answers.RunStoppedError",
    "pydantic_ai.HooksCapability",
    "pydantic_messages.messages_from_json",
    "pydantic_messages.messages_to_json",
    "claude_agent_sdk.add_hooks",
    "langchain.HooksMiddleware",
    "openai_agents.HookedRunner",
    "openai_agents.HookedStream",
    "openai_agents.add_hooks",
)


def python_page() -> str:
    """Every name in `__all__` of the public modules, by the module that defines it."""
    parts = [_HEAD]
    for name, words in _MODULES.items():
        module = import_module(name)
        parts += [f"## {name}\n", f"{words}\n"]
        for public in module.__all__:
            found = getattr(module, public)
            if inspect.isclass(found) or inspect.isfunction(found):
                parts.append(f"::: {found.__module__}.{found.__qualname__}")
        parts.append("")
    parts += [
        "## hookline.adapters\n",
        "Hooks in [agent frameworks](../how-to/agent-frameworks.md).\n",
    ]
    parts += [f"::: hookline.adapters.{name}" for name in _ADAPTERS]
    return "\n".join(parts).rstrip("\n") + "\n"
