"""Run hooks: the methods that an adapter calls, so that a host may pass an object of its own."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hookline.adapters.answers import (
        Approval,
        ModelAnswer,
        PromptAnswer,
        ResponseAnswer,
        ResultAnswer,
        StartAnswer,
        ToolAnswer,
    )


class RunHooks(Protocol):
    """What an adapter calls: `AgentHooks`, or an object of a host that has these methods."""

    def child(self, agent_id: str, agent_type: str = "", /) -> RunHooks: ...
    async def start_session(self) -> StartAnswer: ...
    async def submit_prompt(self, text: str, /) -> PromptAnswer: ...
    async def before_model(
        self, model: str, messages: Sequence[Any], tools: Sequence[str], /
    ) -> ModelAnswer: ...
    async def after_model(
        self, model: str, response: str, usage: Mapping[str, Any], /
    ) -> ResponseAnswer: ...
    async def model_error(self, model: str, error: BaseException, /) -> float | None: ...
    async def before_tool(
        self, tool: str, given: Mapping[str, Any], call_id: str, /
    ) -> ToolAnswer: ...
    async def approve(
        self, tool: str, given: Mapping[str, Any], call_id: str, question: str, /
    ) -> Approval: ...
    async def after_tool(
        self, tool: str, given: Mapping[str, Any], call_id: str, result: Any, duration: float, /
    ) -> ResultAnswer: ...
    async def tool_failed(
        self, tool: str, given: Mapping[str, Any], call_id: str, error: str, /
    ) -> ResultAnswer: ...
    async def stop(self, last_message: Any, /) -> str: ...
    async def run_failed(self, error: BaseException, /) -> None: ...
    async def limit_reached(self, limit: Any, /) -> None: ...
    async def start_subagent(self, task: str, /) -> StartAnswer: ...


# The hooks of the run that this code runs inside; an agent that starts here is its sub-agent.
RUNNING: ContextVar[RunHooks | None] = ContextVar("hookline_running", default=None)
