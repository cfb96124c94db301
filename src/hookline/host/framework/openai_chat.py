"""Chat models of OpenAI and of services like it, whose answer is an error if it breaks off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse

if TYPE_CHECKING:
    from pydantic_ai.messages import FinishReason


class ChatModel(OpenAIChatModel):
    """A chat model whose streams are checked."""

    @property
    def _streamed_response_cls(self) -> type[OpenAIStreamedResponse]:
        return _ChatStream


class _ChatStream(OpenAIStreamedResponse):
    def _missing_finish_reason(self) -> FinishReason:
        # A few services never say that they are done; what was cut has no count of tokens either.
        if not self._usage.has_values():
            raise ModelAPIError(self.model_name, "the answer broke off before the model was done")
        return super()._missing_finish_reason()
