"""Definitions: the event of a hook, what it selects there, and how it runs."""

from __future__ import annotations

import enum
from functools import partialmethod

from hookline.core.dialect import Source
from hookline.dialects.a3s.table import TABLE
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.dialects.a3s import A3S
    from hookline.model.spec import HookSpec, Problem


class HookEventType(enum.StrEnum):
    """The events of a3s.

    A member is its snake_case name; `HookEventType("PreToolUse")` is read as well.
    """

    PreToolUse = "pre_tool_use"
    PostToolUse = "post_tool_use"
    GenerateStart = "generate_start"
    GenerateEnd = "generate_end"
    SessionStart = "session_start"
    SessionEnd = "session_end"
    SkillLoad = "skill_load"
    SkillUnload = "skill_unload"
    PrePrompt = "pre_prompt"
    PostResponse = "post_response"
    OnError = "on_error"
    PermissionRequest = "permission_request"
    PreCompact = "pre_compact"
    PostCompact = "post_compact"
    PreContextPerception = "pre_context_perception"
    PostContextPerception = "post_context_perception"
    OnSuccess = "on_success"
    PreMemoryRecall = "pre_memory_recall"
    PostMemoryRecall = "post_memory_recall"
    PrePlanning = "pre_planning"
    PostPlanning = "post_planning"
    PreReasoning = "pre_reasoning"
    PostReasoning = "post_reasoning"
    OnRateLimit = "on_rate_limit"
    OnConfirmation = "on_confirmation"
    IntentDetection = "intent_detection"
    PreRunControl = "pre_run_control"
    PostRunControl = "post_run_control"

    @classmethod
    def _missing_(cls, value: object) -> HookEventType | None:
        native = TABLE.aliases.get(value) if isinstance(value, str) else None
        return cls(native) if native else None


class HookMatcher(dict[str, str]):
    """What a hook selects.

    All fields that are given must hold; a matcher without any selects every event of the type.

    `tool` and `session_id` are exact; `path_pattern` and `skill` are globs; `command_pattern` is an
    expression (RE2). Registration reports an unknown field.
    """

    def __init__(self, **fields: str | None) -> None:
        super().__init__({key: text for key, text in fields.items() if text is not None})

    @classmethod
    def new(cls) -> HookMatcher:
        """Return a matcher that selects everything."""
        return cls()

    @classmethod
    def _of(cls, key: str, text: str) -> HookMatcher:
        return cls(**{key: text})

    def _with(self, key: str, text: str) -> HookMatcher:
        return HookMatcher(**{**self, key: text})

    tool = partialmethod(_of, "tool")
    path = partialmethod(_of, "path_pattern")
    command = partialmethod(_of, "command_pattern")
    session = partialmethod(_of, "session_id")
    skill = partialmethod(_of, "skill")
    with_tool = partialmethod(_with, "tool")
    with_path = partialmethod(_with, "path_pattern")
    with_command = partialmethod(_with, "command_pattern")
    with_session = partialmethod(_with, "session_id")
    with_skill = partialmethod(_with, "skill")


class HookConfig(Frozen):
    """How a hook runs. `priority`: lower runs first.

    `fail_mode`: open or closed; by default closed on gates only.

    `async_execution`: started without waiting, except on a gate. `max_retries`: how often a Retry
    of this hook is followed (0: 3 times).
    """

    priority: int = 100
    timeout_ms: int = 30_000
    async_execution: bool = False
    fail_mode: str | None = None
    max_retries: int = 0


class Hook(Frozen):
    """A definition. Registration reports what is wrong with it."""

    id: str
    event_type: str
    matcher: HookMatcher | None = None
    config: HookConfig = HookConfig()

    @classmethod
    def new(cls, hook_id: str, event_type: str) -> Hook:
        """Return a hook on every event of a type, in either spelling."""
        known = event_type in TABLE.rows or event_type in TABLE.aliases
        return cls(id=hook_id, event_type=HookEventType(event_type) if known else event_type)

    def with_matcher(self, matcher: Mapping[str, Any] | None) -> Hook:
        """Return the same hook, for what the matcher selects."""
        made = HookMatcher(**matcher) if isinstance(matcher, dict) else matcher
        return self.replace(matcher=made)

    def with_config(self, config: HookConfig | Mapping[str, Any]) -> Hook:
        """Return the same hook, run as the configuration says, with defaults for the rest.

        A mapping with an unknown key stays as it is, and registration refuses it.
        """
        if isinstance(config, dict) and set(config) <= set(HookConfig.__fields__):
            config = HookConfig(**config)
        return self.replace(config=config)

    def to_dict(self) -> dict[str, Any]:
        """Return the definition as JSON."""
        config: Any = self.config
        if isinstance(config, HookConfig):
            config = config.as_dict()
        return {
            "id": self.id,
            "event_type": str(self.event_type),
            "matcher": self.matcher,
            "config": config,
        }


class ReadDefinition(Frozen):
    """A definition that was read: as written, as the core has it, and with its warnings."""

    hook: Hook
    spec: HookSpec
    warnings: tuple[Problem, ...]


def read_definition(definition: Hook | Mapping[str, Any], dialect: A3S) -> ReadDefinition:
    """Check a definition.

    Raises:
        ConfigError: it cannot be used; names the first fault.
    """
    tree = definition.to_dict() if isinstance(definition, Hook) else definition
    loaded = dialect.load(Source(tree=tree, scope="process"))
    fault = next((problem for problem in loaded.problems if problem.severity == "error"), None)
    if fault is not None:
        raise ConfigError(fault.message, name=fault.name, hint=fault.hint)
    if len(loaded.specs) != 1:
        hint = '{"id": ..., "event_type": ...}'
        raise ConfigError("a definition must be one hook", name="config.type", hint=hint)
    (spec,) = loaded.specs
    hook = Hook.new(spec.name, spec.native_event).with_matcher(tree.get("matcher"))
    hook = hook.with_config(tree.get("config") or {})
    return ReadDefinition(hook=hook, spec=spec, warnings=loaded.problems)
