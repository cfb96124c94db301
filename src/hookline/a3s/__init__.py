r"""hookline.a3s: the hooks of A3S under their own names, run by hookline's engine.

engine = HookEngine()
no_rm = Hook.new("no-rm", HookEventType.PreToolUse)
engine.register(no_rm.with_matcher(HookMatcher.command(r"rm\s+-rf")))
engine.register_handler("no-rm", lambda event: HookResponse.block("no"))
result = await engine.fire(PreToolUseEvent(tool="Bash", args={"command": "rm -rf /"}))
"""

from __future__ import annotations

from hookline.a3s.channel import EventChannel
from hookline.a3s.definitions import Hook, HookConfig, HookEventType, HookMatcher
from hookline.a3s.engine import HookEngine
from hookline.a3s.events import (
    GenerateEndEvent,
    GenerateStartEvent,
    HookEvent,
    IntentDetectionEvent,
    OnConfirmationEvent,
    OnErrorEvent,
    OnRateLimitEvent,
    OnSuccessEvent,
    Payload,
    PermissionRequestEvent,
    PostCompactEvent,
    PostContextPerceptionEvent,
    PostMemoryRecallEvent,
    PostPlanningEvent,
    PostReasoningEvent,
    PostResponseEvent,
    PostRunControlEvent,
    PostToolUseEvent,
    PreCompactEvent,
    PreContextPerceptionEvent,
    PreMemoryRecallEvent,
    PrePlanningEvent,
    PrePromptEvent,
    PreReasoningEvent,
    PreRunControlEvent,
    PreToolUseEvent,
    Record,
    SessionEndEvent,
    SessionStartEvent,
    SkillLoadEvent,
    SkillUnloadEvent,
    TokenUsage,
    ToolCallInfo,
    ToolResult,
)
from hookline.dialects.a3s.encode_decision import HookResult
from hookline.dialects.a3s.response import HookResponse

__all__ = [
    "EventChannel",
    "GenerateEndEvent",
    "GenerateStartEvent",
    "Hook",
    "HookConfig",
    "HookEngine",
    "HookEvent",
    "HookEventType",
    "HookMatcher",
    "HookResponse",
    "HookResult",
    "IntentDetectionEvent",
    "OnConfirmationEvent",
    "OnErrorEvent",
    "OnRateLimitEvent",
    "OnSuccessEvent",
    "Payload",
    "PermissionRequestEvent",
    "PostCompactEvent",
    "PostContextPerceptionEvent",
    "PostMemoryRecallEvent",
    "PostPlanningEvent",
    "PostReasoningEvent",
    "PostResponseEvent",
    "PostRunControlEvent",
    "PostToolUseEvent",
    "PreCompactEvent",
    "PreContextPerceptionEvent",
    "PreMemoryRecallEvent",
    "PrePlanningEvent",
    "PrePromptEvent",
    "PreReasoningEvent",
    "PreRunControlEvent",
    "PreToolUseEvent",
    "Record",
    "SessionEndEvent",
    "SessionStartEvent",
    "SkillLoadEvent",
    "SkillUnloadEvent",
    "TokenUsage",
    "ToolCallInfo",
    "ToolResult",
]
