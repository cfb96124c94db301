"""Definitions: the event of a hook, what it selects there, and how it runs."""

from __future__ import annotations

import enum
import json

from hookline.core.dialect import Source
from hookline.dialects.a3s import A3S
from hookline.dialects.a3s.load import CONFIG_KEYS, MATCHER_KEYS
from hookline.dialects.a3s.table import TABLE
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.wire.parsers import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, overload

    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec


class HookEventType(enum.StrEnum):
    """The events of a3s. A member is its snake_case name; `HookEventType("PreToolUse")` is read as well."""

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


def parse_event_type(name: str) -> str:
    """Return an event by its name in either spelling; an unknown name stays, so that its receiver can refuse it."""
    try:
        return HookEventType(name)
    except ValueError:
        return name


class _Named:
    """A field of a matcher that is a factory when asked of the class: `HookMatcher.tool("Bash")` and `matcher.tool`."""

    def __init__(self, field: str) -> None:
        self.field = field

    if TYPE_CHECKING:

        @overload
        def __get__(
            self, matcher: None, owner: type[HookMatcher]
        ) -> Callable[[str], HookMatcher]: ...
        @overload
        def __get__(self, matcher: HookMatcher, owner: type[HookMatcher]) -> str | None: ...

    def __get__(self, matcher: HookMatcher | None, owner: type[HookMatcher]) -> Any:
        if matcher is None:
            return lambda text: owner(**{self.field: text})
        return matcher._given.get(self.field)


class HookMatcher:
    """What a hook selects. All fields that are given must hold; a matcher without any selects every event of the type.

    `tool` and `session_id` are exact; `path_pattern` and `skill` are globs; `command_pattern` is an expression (RE2).
    """

    __slots__ = ("_given",)
    _given: dict[str, str]

    def __init__(
        self,
        *,
        tool: str | None = None,
        path_pattern: str | None = None,
        command_pattern: str | None = None,
        session_id: str | None = None,
        skill: str | None = None,
    ) -> None:
        given = {
            "tool": tool, "path_pattern": path_pattern, "command_pattern": command_pattern, "session_id": session_id, "skill": skill,
        }  # fmt: skip
        self._given = {field: text for field, text in given.items() if text is not None}

    tool = _Named("tool")
    skill = _Named("skill")

    @property
    def path_pattern(self) -> str | None:
        return self._given.get("path_pattern")

    @property
    def command_pattern(self) -> str | None:
        return self._given.get("command_pattern")

    @property
    def session_id(self) -> str | None:
        return self._given.get("session_id")

    @classmethod
    def new(cls) -> HookMatcher:
        """Return a matcher that selects everything."""
        return cls()

    @classmethod
    def path(cls, pattern: str) -> HookMatcher:
        return cls(path_pattern=pattern)

    @classmethod
    def command(cls, pattern: str) -> HookMatcher:
        return cls(command_pattern=pattern)

    @classmethod
    def session(cls, session_id: str) -> HookMatcher:
        return cls(session_id=session_id)

    def with_tool(self, name: str) -> HookMatcher:
        return HookMatcher(**{**self._given, "tool": name})

    def with_path(self, pattern: str) -> HookMatcher:
        return HookMatcher(**{**self._given, "path_pattern": pattern})

    def with_command(self, pattern: str) -> HookMatcher:
        return HookMatcher(**{**self._given, "command_pattern": pattern})

    def with_session(self, session_id: str) -> HookMatcher:
        return HookMatcher(**{**self._given, "session_id": session_id})

    def with_skill(self, pattern: str) -> HookMatcher:
        return HookMatcher(**{**self._given, "skill": pattern})

    def to_dict(self) -> dict[str, str]:
        return dict(self._given)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HookMatcher) and other._given == self._given

    def __hash__(self) -> int:
        return hash(tuple(sorted(self._given.items())))

    def __repr__(self) -> str:
        return (
            f"HookMatcher({', '.join(f'{field}={text!r}' for field, text in self._given.items())})"
        )


class HookConfig(Frozen):
    """How a hook runs. `priority`: lower runs first. `fail_mode`: open or closed; by default closed on gates only.

    `async_execution`: started without waiting, except on a gate. `max_retries`: how often a Retry of this hook is
    followed (0: 3 times).
    """

    priority: int = 100
    timeout_ms: int = 30_000
    async_execution: bool = False
    fail_mode: str | None = None
    max_retries: int = 0

    def to_dict(self) -> dict[str, Any]:
        fields = {field: getattr(self, field) for field in type(self).__fields__}
        return {field: value for field, value in fields.items() if value is not None}


class Hook(Frozen):
    """A definition. Registration reports what is wrong with it."""

    id: str
    event_type: str
    matcher: HookMatcher | None = None
    config: HookConfig = HookConfig()

    @classmethod
    def new(cls, hook_id: str, event_type: str) -> Hook:
        """Return a hook on every event of a type, in either spelling."""
        return cls(id=hook_id, event_type=parse_event_type(event_type))

    def with_matcher(self, matcher: HookMatcher | Mapping[str, Any] | None) -> Hook:
        """Return the same hook, for what the matcher selects."""
        return self.replace(matcher=_make_value(HookMatcher, matcher, MATCHER_KEYS))

    def with_config(self, config: HookConfig | Mapping[str, Any]) -> Hook:
        """Return the same hook, run as the configuration says, with defaults for the rest."""
        return self.replace(config=_make_value(HookConfig, config, CONFIG_KEYS))

    @classmethod
    def from_dict(cls, definition: Mapping[str, Any]) -> Hook:
        """Return a definition from a JSON object.

        Raises:
            ConfigError: a key is unknown or missing, or a value cannot be used.
        """
        return read_definition(definition, A3S()).hook

    @classmethod
    def from_json(cls, text: str) -> Hook:
        """Return a definition from JSON text.

        Raises:
            ConfigError: it is not JSON, or as `from_dict`.
        """
        return cls.from_dict(parse_json(text).value)

    def to_dict(self, *, pascal: bool = False) -> dict[str, Any]:
        """Return the definition as JSON; its event in snake_case, or as the document's members are spelled (`PreToolUse`)."""
        event = parse_event_type(self.event_type)
        document: dict[str, Any] = {
            "id": self.id,
            "event_type": event.name if pascal and isinstance(event, HookEventType) else str(event),
        }
        for key in ("matcher", "config"):
            part = getattr(self, key)
            if part is not None:
                document[key] = (
                    part.to_dict() if isinstance(part, HookMatcher | HookConfig) else part
                )
        return document

    def to_json(self, *, pascal: bool = False) -> str:
        return json.dumps(self.to_dict(pascal=pascal), ensure_ascii=False)


def _make_value(cls: type[Any], given: Any, known: Iterable[str]) -> Any:
    """Return a mapping as a value of the class; with an unknown key it stays a mapping, which registration refuses."""
    if not isinstance(given, dict) or not set(given) <= set(known):
        return given
    return cls(**{key: value for key, value in given.items() if value is not None})


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
        raise ConfigError(
            "a definition must be one hook",
            name="config.type",
            hint='{"id": ..., "event_type": ...}',
        )
    (spec,) = loaded.specs
    hook = (
        Hook.new(spec.name, spec.native_event)
        .with_matcher(tree.get("matcher"))
        .with_config(tree.get("config") or {})
    )
    return ReadDefinition(hook=hook, spec=spec, warnings=loaded.problems)
