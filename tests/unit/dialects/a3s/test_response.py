"""Answers of a3s: factories, JSON in and out, and what is no answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.dialects.a3s.response import HookResponse, read_response
from hookline.wire.hookoutput import UnreadableError

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4),
    lambda parts: (
        st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=3), parts, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("response", "document"),
    [
        (HookResponse.continue_(), {"action": "Continue"}),
        (HookResponse.continue_with({"a": 1}), {"action": "Continue", "modified": {"a": 1}}),
        (HookResponse.continue_with(modified=False), {"action": "Continue", "modified": False}),
        (HookResponse.block("no"), {"action": "Block", "reason": "no"}),
        (HookResponse.block(""), {"action": "Block", "reason": ""}),
        (HookResponse.block(), {"action": "Block"}),
        (HookResponse.retry(5000), {"action": "Retry", "retry_delay_ms": 5000}),
        (HookResponse.retry(0), {"action": "Retry", "retry_delay_ms": 0}),
        (
            HookResponse.retry_with_reason(10, "busy"),
            {"action": "Retry", "retry_delay_ms": 10, "reason": "busy"},
        ),
        (HookResponse.skip(), {"action": "Skip"}),
        (HookResponse.skip().with_hook_id("h"), {"action": "Skip", "hook_id": "h"}),
    ],
)
def test_a_response_is_its_json(response: HookResponse, document: dict[str, object]) -> None:
    """Each factory, as JSON, and back."""
    assert response.to_dict() == document
    assert read_response(document) == response
    assert read_response(response) == response


@given(modified=JSON)
def test_any_json_value_may_be_modified(modified: object) -> None:
    """What comes back is equal, and no part of it is the handler's own."""
    response = read_response({"action": "continue", "modified": modified})

    assert response.modified == modified
    if isinstance(modified, dict | list):
        assert response.modified is not modified


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"action": None},
        {"action": "allow"},
        {"action": 1},
        {"action": ["Block"]},
        {"action": "Block", "reason": 5},
        {"action": "Retry", "reason": []},
        {"action": "Retry", "retry_delay_ms": "5"},
        {"action": "Retry", "retry_delay_ms": True},
        {"action": "Retry", "delay_ms": -1},
        {"action": "Retry", "delayMs": float("nan")},
        {"action": "Retry", "delayMs": float("inf")},
        {"action": "Continue", "modified": object()},
        {"action": "Continue", "modified": [float("nan")]},
        "Block",
        True,
        [],
        HookResponse(action="Stop"),
    ],
)
def test_what_is_no_answer(answer: object) -> None:
    """It cannot be read, and the error says why."""
    with pytest.raises(UnreadableError):
        read_response(answer)


def test_what_holds_itself_is_no_answer() -> None:
    """A value that contains itself is refused."""
    endless: list[object] = []
    endless.append(endless)

    with pytest.raises(UnreadableError, match="nested too deeply"):
        read_response(HookResponse.continue_with(endless))
    assert read_response(HookResponse.continue_with((1, (2,)))).modified == [1, [2]]
