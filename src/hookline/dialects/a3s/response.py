"""What an a3s handler answers: Continue, Block, Retry or Skip, as a value and as JSON."""

from __future__ import annotations

import math

from hookline.model.frozen import Frozen
from hookline.wire.fields import describe_value
from hookline.wire.hookoutput import UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

CONTINUE, BLOCK, RETRY, SKIP = ACTIONS = ("Continue", "Block", "Retry", "Skip")
_ACTIONS: Mapping[str, str] = {action.lower(): action for action in ACTIONS}
# Spellings of the delay, in the order in which they are looked for (docs/formats/a3s.md 12, 13).
_DELAYS = ("retry_delay_ms", "delay_ms", "delayMs")


class HookResponse(Frozen):
    """A handler's answer. `reason` belongs to Block and Retry, `modified` to Continue, `retry_delay_ms` to Retry.

    None is "not said": a Block without a reason has the default one, and an empty reason stays empty.
    """

    action: str = CONTINUE
    reason: str | None = None
    modified: Any = None
    retry_delay_ms: float | None = None
    hook_id: str | None = None

    @classmethod
    def continue_(cls) -> HookResponse:
        """Proceed."""
        return cls(action=CONTINUE)

    @classmethod
    def continue_with(cls, modified: Any) -> HookResponse:
        """Proceed, with something else: on a tool call, with these arguments in place of the old ones."""
        return cls(action=CONTINUE, modified=modified)

    @classmethod
    def block(cls, reason: str | None = None) -> HookResponse:
        """Refuse."""
        return cls(action=BLOCK, reason=reason)

    @classmethod
    def retry(cls, delay_ms: float | None = None) -> HookResponse:
        """Not now: the caller waits, and repeats the operation."""
        return cls(action=RETRY, retry_delay_ms=delay_ms)

    @classmethod
    def retry_with_reason(cls, delay_ms: float | None, reason: str) -> HookResponse:
        """`retry`, saying why."""
        return cls(action=RETRY, retry_delay_ms=delay_ms, reason=reason)

    @classmethod
    def skip(cls) -> HookResponse:
        """Proceed, and ask no further hook."""
        return cls(action=SKIP)

    def with_hook_id(self, hook_id: str) -> HookResponse:
        """The same answer, saying whose it is."""
        return self.replace(hook_id=hook_id)

    @classmethod
    def from_dict(cls, answer: Mapping[str, Any]) -> HookResponse:
        """An answer as a handler gives it: actions in any case, the delay in three spellings; what is unknown is ignored.

        Raises:
            UnreadableError: no action, an unknown one, or a value of the wrong type.
        """
        action = answer.get("action")
        if action is None:
            raise UnreadableError("the answer has no `action`")
        known = _ACTIONS.get(action.lower()) if isinstance(action, str) else None
        if known is None:
            raise UnreadableError(
                f"unknown action {_quoted(action)}, not one of {', '.join(ACTIONS)}"
            )
        given = {
            "reason": answer.get("reason"),
            "retry_delay_ms": _delay(answer),
            "hook_id": answer.get("hook_id"),
        }
        return _checked(cls(action=known, modified=plain(answer.get("modified")), **given))

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON, without what was not said."""
        said = {
            key: getattr(self, key) for key in ("reason", "modified", "retry_delay_ms", "hook_id")
        }
        return {
            "action": self.action,
            **{key: value for key, value in said.items() if value is not None},
        }


def response_of(answer: Any) -> HookResponse:
    """What a handler returned, as a response: nothing is Continue.

    Raises:
        UnreadableError: it is no answer.
    """
    if answer is None:
        return HookResponse()
    if isinstance(answer, HookResponse):
        return HookResponse.from_dict({**answer.to_dict(), "action": answer.action})
    if isinstance(answer, dict):
        return HookResponse.from_dict(answer)
    raise UnreadableError(f"the answer is {_quoted(answer)}, not an object with an `action`")


def _checked(response: HookResponse) -> HookResponse:
    """The response, if what its action reads is of the right type; what it does not read is dropped."""
    if response.action in (CONTINUE, SKIP):
        return response.replace(
            reason=None,
            retry_delay_ms=None,
            modified=response.modified if response.action == CONTINUE else None,
        )
    if response.reason is not None and not isinstance(response.reason, str):
        raise UnreadableError(f"`reason` is {_quoted(response.reason)}, not text")
    if response.action == BLOCK:
        return response.replace(retry_delay_ms=None, modified=None)
    delay = response.retry_delay_ms
    if delay is not None and (
        isinstance(delay, bool)
        or not isinstance(delay, int | float)
        or not math.isfinite(delay)
        or delay < 0
    ):
        raise UnreadableError(
            f"the delay of a Retry is {_quoted(delay)}, not a number of milliseconds"
        )
    return response.replace(modified=None)


def _delay(answer: Mapping[str, Any]) -> Any:
    return next((answer[key] for key in _DELAYS if answer.get(key) is not None), None)


def _quoted(value: Any) -> str:
    return (
        describe_value(value)
        if value is None or isinstance(value, bool | int | float | str | list | dict)
        else f"`{value!r:.80}`"
    )


def plain(value: Any) -> Any:
    """A copy of a value that is JSON; tuples become lists.

    Raises:
        UnreadableError: it holds something that JSON cannot say.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    try:
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return {key: plain(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [plain(part) for part in value]
    except RecursionError:
        raise UnreadableError("`modified` is nested too deeply") from None
    raise UnreadableError(f"`modified` holds {value!r:.80}, which JSON cannot say")
