"""Answers: what an agent must do after its hooks were asked, in terms that frameworks share."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class RunStoppedError(Exception):
    """A hook refused a prompt or a model request, or ended the run.

    Every adapter raises it out of the framework's own run function. `kind` is the canonical event.
    """

    def __init__(self, reason: str, kind: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind


class Call(Frozen):
    """What a person is asked about: a call of a tool, with the input that hooks left it.

    `tool` is empty if the question is about something else, such as a prompt.
    """

    tool: str = ""
    input: Any = None
    call_id: str = ""


class StartAnswer(Frozen):
    """Of a session or a sub-agent: `refusal` is empty, or says why it must not start."""

    refusal: str = ""
    context: tuple[str, ...] = ()


class PromptAnswer(Frozen):
    """The prompt to use; or a refusal. `context` is text for the model beside the prompt."""

    text: str
    refusal: str = ""
    context: tuple[str, ...] = ()


class ModelAnswer(Frozen):
    """The messages to send, None if they are unchanged; or a response in the model's place."""

    messages: list[Any] | None = None
    response: Any = None
    refusal: str = ""
    context: tuple[str, ...] = ()


class ResponseAnswer(Frozen):
    """The model's text to use.

    `refusal`: the model must answer again, and this says why; `ends`: why the run must end;
    `retry_after`: seconds to wait before it answers again.
    """

    response: Any
    refusal: str = ""
    ends: str = ""
    retry_after: float | None = None


class ToolAnswer(Frozen):
    """The input to run a tool with, unless `refusal` says why it must not run.

    `question`: a person must decide first, see `AgentHooks.approve`. `allowed`: a hook approved the
    call, so that a host may skip its own prompt. `has_result`: `result` stands in for the tool's.
    `ends`: why the whole run must end.
    """

    input: Any
    refusal: str = ""
    question: str = ""
    allowed: bool = False
    has_result: bool = False
    result: Any = None
    ends: str = ""
    context: tuple[str, ...] = ()


class Approval(Frozen):
    """What became of a question: `granted`, or why not.

    `answered`: a hook or a person did; without, no person could be asked.
    """

    granted: bool
    input: Any = None
    reason: str = ""
    answered: bool = True


class ResultAnswer(Frozen):
    """The result that the model sees, with text beside it. `ends`: why the run must end.

    `changed`: a hook replaced the result. `retry_after`: a hook wants the call repeated.
    """

    result: Any
    changed: bool = False
    context: tuple[str, ...] = ()
    ends: str = ""
    retry_after: float | None = None


class CompactionAnswer(Frozen):
    """Whether and how to compact: a refusal, instructions, or the summary of a hook."""

    refusal: str = ""
    instructions: str = ""
    summary: str | None = None
    context: tuple[str, ...] = ()
