"""Payloads: what each event of a3s carries, as JSON objects whose keys are also attributes."""

from __future__ import annotations

from typing import Any, ClassVar

from hookline.a3s.definitions import HookEventType


class Record(dict[str, Any]):
    """A JSON object: `args["file_path"]` is also `args.file_path`, unless a method of dict has that name.

    A declared field that is missing reads as None. An object without a class of its own, such as the
    arguments of a tool, has any field: `args.timeout or 30000` works as in the document's examples.
    """

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        if name in type(self).__annotations__:
            return None
        if type(self) is Record and not name.startswith("__"):
            return None
        raise AttributeError(f"there is no `{name}`, only {', '.join(map(str, self)) or 'nothing'}")


class ToolResult(Record):
    success: bool
    output: str
    exit_code: int | None
    duration_ms: int


class TokenUsage(Record):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ToolCallInfo(Record):
    name: str
    args: Any


class Payload(Record):
    """What an event carries. `event_type` is the event whose payload the class is."""

    event_type: ClassVar[HookEventType]

    def __init_subclass__(cls, *, of: HookEventType) -> None:
        cls.event_type = of
        PAYLOADS[of] = cls


PAYLOADS: dict[str, type[Payload]] = {}
# Parts of payloads that have a class of their own.
_PARTS: dict[str, type[Record]] = {
    "result": ToolResult,
    "usage": TokenUsage,
    "tool_calls": ToolCallInfo,
}


class PreToolUseEvent(Payload, of=HookEventType.PreToolUse):
    session_id: str
    tool: str
    args: Any
    working_directory: str
    recent_tools: list[str]


class PostToolUseEvent(Payload, of=HookEventType.PostToolUse):
    session_id: str
    tool: str
    args: Any
    result: ToolResult


class GenerateStartEvent(Payload, of=HookEventType.GenerateStart):
    session_id: str
    prompt: str
    system_prompt: str | None
    model_provider: str
    model_name: str
    available_tools: list[str]


class GenerateEndEvent(Payload, of=HookEventType.GenerateEnd):
    session_id: str
    prompt: str
    response_text: str
    tool_calls: list[ToolCallInfo]
    usage: TokenUsage
    duration_ms: int


class SessionStartEvent(Payload, of=HookEventType.SessionStart):
    session_id: str
    system_prompt: str | None
    model_provider: str
    model_name: str


class SessionEndEvent(Payload, of=HookEventType.SessionEnd):
    session_id: str
    total_tokens: int
    total_tool_calls: int
    duration_ms: int


class SkillLoadEvent(Payload, of=HookEventType.SkillLoad):
    skill_name: str
    tool_names: list[str]
    version: str | None
    description: str | None
    loaded_at: int


class SkillUnloadEvent(Payload, of=HookEventType.SkillUnload):
    skill_name: str
    tool_names: list[str]
    duration_ms: int


class PrePromptEvent(Payload, of=HookEventType.PrePrompt):
    session_id: str
    prompt: str
    system_prompt: str | None
    message_count: int


class PostResponseEvent(Payload, of=HookEventType.PostResponse):
    session_id: str
    response_text: str
    tool_calls_count: int
    usage: TokenUsage
    duration_ms: int


class OnErrorEvent(Payload, of=HookEventType.OnError):
    session_id: str
    error_type: str
    error_message: str
    context: Any


class PermissionRequestEvent(Payload, of=HookEventType.PermissionRequest):
    session_id: str
    tool_id: str
    tool: str
    args: Any


class PreCompactEvent(Payload, of=HookEventType.PreCompact):
    session_id: str
    message_count: int
    used_tokens: int
    max_tokens: int


class PostCompactEvent(Payload, of=HookEventType.PostCompact):
    session_id: str
    message_count_before: int
    message_count_after: int
    summary_generated: bool


class PreContextPerceptionEvent(Payload, of=HookEventType.PreContextPerception):
    session_id: str
    intent: str
    target_type: str
    target_name: str
    domain: str
    query: str | None
    working_directory: str
    urgency: str


class PostContextPerceptionEvent(Payload, of=HookEventType.PostContextPerception):
    session_id: str
    success: bool
    facts_retrieved: int
    files_retrieved: int
    error: str | None


class OnSuccessEvent(Payload, of=HookEventType.OnSuccess):
    session_id: str
    action_type: str
    action_summary: str
    duration_ms: int


class PreMemoryRecallEvent(Payload, of=HookEventType.PreMemoryRecall):
    session_id: str
    query: str
    memory_type: str
    max_results: int
    working_directory: str


class PostMemoryRecallEvent(Payload, of=HookEventType.PostMemoryRecall):
    session_id: str
    facts_retrieved: int
    success: bool
    error: str | None


class PrePlanningEvent(Payload, of=HookEventType.PrePlanning):
    session_id: str
    task_description: str
    available_strategies: list[str]
    constraints: Any


class PostPlanningEvent(Payload, of=HookEventType.PostPlanning):
    session_id: str
    strategy_used: str
    subtasks: list[Any]
    success: bool
    error: str | None


class PreReasoningEvent(Payload, of=HookEventType.PreReasoning):
    session_id: str
    reasoning_type: str
    problem_statement: str
    hints: Any


class PostReasoningEvent(Payload, of=HookEventType.PostReasoning):
    session_id: str
    conclusion: str
    steps_count: int
    success: bool
    error: str | None


class OnRateLimitEvent(Payload, of=HookEventType.OnRateLimit):
    session_id: str
    limit_type: str
    retry_after_ms: int
    current_usage: Any


class OnConfirmationEvent(Payload, of=HookEventType.OnConfirmation):
    session_id: str
    confirmation_type: str
    message: str
    options: Any


class IntentDetectionEvent(Payload, of=HookEventType.IntentDetection):
    session_id: str
    prompt: str
    workspace: str
    language_hint: str | None


class PreRunControlEvent(Payload, of=HookEventType.PreRunControl):
    session_id: str
    run_id: str
    request_id: str
    operation: str
    command: Any


class PostRunControlEvent(Payload, of=HookEventType.PostRunControl):
    session_id: str
    run_id: str
    request_id: str
    state: str
    sequence: int
    error: str | None


def copy_json(value: Any, kind: type[Record] = Record) -> Any:
    """Return a deep copy of a JSON value whose objects are readable by attributes."""
    if isinstance(value, dict):
        return kind((key, copy_json(part, _PARTS.get(key, Record))) for key, part in value.items())
    if isinstance(value, list | tuple):
        return [copy_json(part, kind) for part in value]
    return value
