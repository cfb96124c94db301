"""Answers: what an agent must do after its hooks were asked, in terms that frameworks share."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class RunStoppedError(Exception):
    """A hook refused a prompt, a model request or a sub-agent, or ended the run.

    Every adapter raises it out of the framework's own run function. `kind` is the canonical event.
    """

    def __init__(self, reason: str, kind: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind

    @classmethod
    def find(cls, error: BaseException | None) -> RunStoppedError | None:
        """Return the error that a framework made another one of, if it is one of these."""
        while error is not None and not isinstance(error, cls):
            error = error.__cause__
        return error


class Call(Frozen):
    """What a person is asked about: a call of a tool, with the input that hooks left it.

    `tool` is empty if the question is about something else, such as a prompt.
    """

    tool: str = ""
    input: Any = None
    call_id: str = ""


class PromptAnswer(Frozen):
    """The prompt to use; `context` is text for the model beside it."""

    text: str
    context: tuple[str, ...] = ()


class ModelAnswer(Frozen):
    """The messages to send, None if they are unchanged; or a response in the model's place."""

    messages: list[Any] | None = None
    response: Any = None
    context: tuple[str, ...] = ()


class ResponseAnswer(Frozen):
    """The model's text to use. `refusal`: the model must answer again, and this says why."""

    response: Any
    refusal: str = ""


class ToolAnswer(Frozen):
    """The input to run a tool with, unless `refusal` says why it must not run.

    `question` is a refusal's if a hook wanted a person to decide, and there was none to ask. A
    framework that can pause may leave it to the caller. `has_result`: `result` stands in for the
    tool's, and `context` is text beside it. Of a call that runs, the text comes with its result.
    """

    input: Any
    refusal: str = ""
    question: str = ""
    has_result: bool = False
    result: Any = None
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
    """The result that the model sees, with text beside it. `changed`: a hook replaced it."""

    result: Any
    changed: bool = False
    context: tuple[str, ...] = ()
