"""The catalogue of dialects: makes a dialect by its name and options, and imports it only then."""

from __future__ import annotations

import sys

from hookline.errors import ConfigError
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import Dialect

# Name -> module and class. A dialect is imported when it is named, so `answer` pays for one only.
_DIALECTS = {
    "hookline": ("hookline.dialects.native", "Native"),
    "docker-agent": ("hookline.dialects.docker_agent", "DockerAgent"),
    "claude-code": ("hookline.dialects.claude_code", "ClaudeCode"),
    "codex": ("hookline.dialects.codex", "Codex"),
    "kimi": ("hookline.dialects.kimi", "Kimi"),
    "a3s": ("hookline.dialects.a3s", "A3S"),
    "cursor": ("hookline.dialects.cursor", "Cursor"),
    "copilot": ("hookline.dialects.copilot", "Copilot"),
    "gemini": ("hookline.dialects.gemini", "Gemini"),
    "qwen": ("hookline.dialects.qwen", "Qwen"),
    "openhands": ("hookline.dialects.openhands", "OpenHands"),
    "cline": ("hookline.dialects.cline", "Cline"),
    "agenthooks": ("hookline.dialects.agenthooks", "AgentHooks"),
    "starchild": ("hookline.dialects.starchild", "Starchild"),
    "hermes": ("hookline.dialects.starchild.hermes", "Hermes"),
}
NAMES = tuple(_DIALECTS)


def make_dialect(
    name: str, options: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None
) -> Dialect:
    """A dialect by its name, with options such as docker-agent's `profile`.

    An option that is not given is on where the variable of `environ` that the dialect has for it (its `SWITCHES`) is `1`,
    or another of the dialect's `SWITCH_WORDS`.

    Raises:
        ConfigError: no such dialect, or no such option.
    """
    known = _DIALECTS.get(name)
    if known is None:
        hint = did_you_mean(name, NAMES) or f"one of {', '.join(NAMES)}"
        raise ConfigError(f"unknown dialect `{name}`", name="config.dialect", hint=hint)
    __import__(known[0])  # importlib would cost more than the dialect
    module = sys.modules[known[0]]
    for option in options or {}:
        if option not in module.OPTIONS:
            hint = (
                did_you_mean(option, module.OPTIONS)
                or f"its options: {', '.join(module.OPTIONS) or 'none'}"
            )
            raise ConfigError(f"`{name}` has no option `{option}`", name="config.option", hint=hint)
    words = getattr(module, "SWITCH_WORDS", ("1",))
    switched = {
        option: True
        for variable, option in getattr(module, "SWITCHES", {}).items()
        if (environ or {}).get(variable, "").lower() in words
    }
    made: Dialect = getattr(module, known[1])(**switched | dict(options or {}))
    return made
