"""Turns: the values that the run loop, the tool pipeline and the agent framework exchange."""

from __future__ import annotations

from typing import Protocol

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    from hookline.host.tool_call import ToolCall

    # Runs a tool with an input, and returns its result.
    RunTool: TypeAlias = Callable[[dict[str, Any]], Awaitable["ToolResult"]]


class ToolResult(Frozen):
    """What the model reads of a call: the tool's output, or why there is none.

    `value`: what the tool returned, while no hook has changed the text. `ran`: the tool was called.
    """

    text: str
    failed: bool = False
    value: Any = None
    ran: bool = True


class Reply(Frozen):
    """A reply of the model. `usage`: tokens by name. `cost`: in US dollars; None if unknown."""

    text: str
    calls: tuple[ToolCall, ...]
    usage: Mapping[str, int]
    cost: float | None = None


class RunResult(Frozen):
    """How a run ended: the reason of its last turn, the last reply, and the error, if any."""

    reason: str
    text: str = ""
    error: str = ""


class ModelError(Exception):
    """The model did not reply. `overflow`: the conversation is too long for it."""

    def __init__(self, message: str, *, overflow: bool = False) -> None:
        super().__init__(message)
        self.overflow = overflow


class ToolError(Exception):
    """A tool of the host failed; the model reads the message."""


class HookStop(Exception):  # noqa: N818 - it is not an error
    """A hook ended the run, with this reason."""


class Gate(Protocol):
    """What the framework asks the host about while a turn runs."""

    @property
    def contexts(self) -> Sequence[str]:
        """Return the texts that this model call gets beside the conversation."""

    async def check_messages(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
        """Return other messages for this model call; None for these.

        Raises:
            HookStop: a hook refuses the call.
        """

    async def run_call(self, call: ToolCall, run: RunTool) -> ToolResult:
        """Run a call, unless something refuses it."""

    async def transfer_task(self, agent: str, task: str, expected_output: str) -> str:
        """Return the answer of another agent to a task.

        Raises:
            ToolError: there is none.
        """

    def hand_over(self, agent: str) -> str:
        """Let another agent take over after this turn, and return what the model reads.

        Raises:
            ToolError: it may not.
        """
