"""What an a3s handler answers: Continue, Block, Retry or Skip, as a value and as JSON."""

from __future__ import annotations

import json
import math

from hookline.model.frozen import Frozen
from hookline.wire.fields import describe_value
from hookline.wire.hookoutput import UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

CONTINUE, BLOCK, RETRY, SKIP = ACTIONS = ("Continue", "Block", "Retry", "Skip")
_ACTIONS = {action.lower(): action for action in ACTIONS}
# Spellings of the delay, in the order in which they are looked for (docs/formats/a3s.md 12, 13).
_DELAYS = ("retry_delay_ms", "delay_ms", "delayMs")


class HookResponse(Frozen):
    """A handler's answer.

    `reason` belongs to Block and Retry, `modified` to Continue, `retry_delay_ms` to Retry.

    None is a value that the handler did not give: such a Block has the default reason; an empty
    reason stays empty.
    """

    action: str = CONTINUE
    reason: str | None = None
    modified: Any = None
    retry_delay_ms: float | None = None
    hook_id: str | None = None

    @classmethod
    def continue_(cls) -> HookResponse:
        """Proceed."""
        return cls()

    @classmethod
    def continue_with(cls, modified: Any) -> HookResponse:
        """Proceed with a new value: on a tool call, with these arguments."""
        return cls(modified=modified)

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
        """Not now, for this reason."""
        return cls(action=RETRY, retry_delay_ms=delay_ms, reason=reason)

    @classmethod
    def skip(cls) -> HookResponse:
        """Proceed, and ask no further hook."""
        return cls(action=SKIP)

    def with_hook_id(self, hook_id: str) -> HookResponse:
        """Return the same answer with the id of its hook."""
        return self.replace(hook_id=hook_id)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON, without the values that are None."""
        return {field: value for field, value in self.as_dict().items() if value is not None}


def read_response(answer: Any) -> HookResponse:
    """Return what a handler returned as a checked response; None is Continue.

    Actions may be in any case, and the delay has three spellings. Unknown keys, and those that the
    action does not read, do not count.

    Raises:
        UnreadableError: no action, an unknown one, or a value of the wrong type.
    """
    if answer is None:
        return HookResponse()
    if isinstance(answer, HookResponse):
        answer = answer.to_dict()
    if not isinstance(answer, dict):
        raise UnreadableError(f"the answer is `{answer!r:.80}`, not an object with an `action`")
    given, reason = answer.get("action"), answer.get("reason")
    if given is None:
        raise UnreadableError("the answer has no `action`")
    action = _ACTIONS.get(given.lower()) if isinstance(given, str) else None
    if action is None:
        known = ", ".join(ACTIONS)
        raise UnreadableError(f"unknown action {describe_value(given)}, not one of {known}")
    if action not in (BLOCK, RETRY):
        reason = None
    if not isinstance(reason, str | None):
        raise UnreadableError(f"`reason` is `{reason!r:.80}`, not text")
    return HookResponse(
        action=action,
        reason=reason,
        modified=_read_modified(answer) if action == CONTINUE else None,
        retry_delay_ms=_read_delay(answer) if action == RETRY else None,
        hook_id=answer.get("hook_id"),
    )


def _read_modified(answer: Mapping[str, Any]) -> Any:
    """Return a copy, so that the handler cannot change it later."""
    try:
        return json.loads(json.dumps(answer.get("modified"), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise UnreadableError(f"`modified` is no JSON, or nested too deeply: {error}") from None


def _read_delay(answer: Mapping[str, Any]) -> float | None:
    delay = next((answer[key] for key in _DELAYS if answer.get(key) is not None), None)
    number = isinstance(delay, int | float) and not isinstance(delay, bool)
    if delay is None or (number and math.isfinite(delay) and delay >= 0):
        return delay
    raise UnreadableError(f"the delay of a Retry is `{delay!r:.80}`, not a number of milliseconds")
