"""The record of a session that a guard keeps: what its tool calls did, and how each ended."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from hookline.guards.claims.acts import find_acts, find_edited_files
from hookline.guards.claims.links import find_urls
from hookline.model.event import ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from hookline.model.event import Event

_MOST_STEPS = 120
_MOST_NAMED = 12  # files, ids and links that a step keeps
_LONGEST_RESULT = 32 << 10  # characters, from each end
_EXIT_KEYS = ("exit_code", "exitCode", "returncode", "return_code", "status_code_of_process")
_EXIT_TEXT = re.compile(
    r"(?:^|\n)\W{0,3}"
    r"(?:exit(?:ed)?(?: with)?(?: code| status)?|return code|process exited with code)"
    r"\W{1,3}(\d{1,3})\b",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b([1-9]\d*) (?:failed|failures?|failing|errors?)\b|^FAILED\b|^FAIL\b", re.MULTILINE
)
_REJECTED = re.compile(
    r"\[(?:remote )?rejected\]|^error: failed to push|^fatal: |nothing to commit"
    r"|no changes added to",
    re.MULTILINE,
)
_PASSED = re.compile(r"\b(\d+) (?:passed|passing|tests? passed|tests? ok)\b|\bRan (\d+) tests?\b")
_HASHES = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b|\b[a-f0-9]{7,40}(?=\])")


class Step(NamedTuple):
    """One tool call that matters to a claim.

    `is_ok` is None until its end is known. `at`: seconds since 1970. `passed`: the number of tests
    that its output says passed.
    """

    tool: str
    acts: tuple[str, ...]
    at: float
    is_ok: bool | None = None
    call: str = ""
    files: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    passed: int | None = None


def read_steps(state: Mapping[str, Any]) -> list[Step]:
    """Return the steps that a memory holds, oldest first; what it cannot read is left out."""
    rows = state.get("steps", ())
    return [Step(*map(_freeze, row)) for row in rows if isinstance(row, list) and len(row) <= 9]  # noqa: PLR2004 - fields


def write_steps(steps: Iterable[Step]) -> list[list[Any]]:
    """Return steps as JSON values."""
    return [[list(each) if isinstance(each, tuple) else each for each in step] for step in steps]


def record_event(
    event: Event,
    state: Mapping[str, Any],
    now: float,
    clock: Callable[[], float] | None = None,
) -> dict[str, Any] | None:
    """Return a memory with what an event of a tool adds; None if it adds nothing.

    `clock`: seconds, to end the reading of a hostile line.
    """
    steps = _record_step(event, state, now, clock)
    if steps is not None:
        return {**state, "seen": True, "steps": write_steps(steps)}
    return None if state.get("seen") else {**state, "seen": True}


def _record_step(
    event: Event, state: Mapping[str, Any], now: float, clock: Callable[[], float] | None
) -> list[Step] | None:
    body = event.body
    if not isinstance(body, ToolCall):
        return None
    steps = read_steps(state)
    if event.kind == "tool.before":
        acts = find_acts(body.tool, body.input, event.dialect, clock)
        if not acts:
            return None
        files = find_edited_files(body.input, clock)
        return [*steps, Step(body.tool, acts, now, None, body.call_id, files)][-_MOST_STEPS:]
    if event.kind in ("tool.after", "tool.failure"):
        return _end_step(event, body, steps, now, clock)
    return None


def _end_step(
    event: Event,
    body: ToolCall,
    steps: list[Step],
    now: float,
    clock: Callable[[], float] | None,
) -> list[Step] | None:
    """Write how a call ended into the step that began it; without one, make it."""
    place = next(
        (
            place
            for place in reversed(range(len(steps)))
            if steps[place].is_ok is None
            and steps[place].tool == body.tool
            and (not body.call_id or not steps[place].call or steps[place].call == body.call_id)
        ),
        None,
    )
    if place is None:
        acts = find_acts(body.tool, body.input, event.dialect, clock)
        if not acts:
            return None
        files = find_edited_files(body.input, clock)
        steps.append(Step(body.tool, acts, now, None, body.call_id, files))
        place = len(steps) - 1
    text = _result_text(body)
    has_failed = event.kind == "tool.failure" or body.error is not None or _says_failed(body, text)
    step = steps[place]
    if "test" in step.acts and _FAILED.search(text):
        has_failed = True
    if {"push", "commit"} & set(step.acts) and _REJECTED.search(text):
        has_failed = True
    counts = [int(one or other) for one, other in _PASSED.findall(text)]
    steps[place] = step._replace(
        is_ok=not has_failed,
        ids=tuple(dict.fromkeys(_HASHES.findall(text)))[:_MOST_NAMED],
        urls=find_urls(text)[:_MOST_NAMED],
        passed=max(counts) if counts else None,
    )
    return steps[-_MOST_STEPS:]


def _result_text(body: ToolCall) -> str:
    found = [body.result, body.error]
    texts = [each if isinstance(each, str) else _flatten(each) for each in found if each]
    text = "\n".join(texts)
    if len(text) <= 2 * _LONGEST_RESULT:
        return text
    return f"{text[:_LONGEST_RESULT]}\n{text[-_LONGEST_RESULT:]}"


def _flatten(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(each if isinstance(each, str) else _dump(each) for each in value.values())
    return _dump(value)


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str).replace("\\n", "\n")


def _says_failed(body: ToolCall, text: str) -> bool:
    result = body.result
    if isinstance(result, dict):
        if result.get("is_error") is True or result.get("isError") is True:
            return True
        codes = [result[key] for key in _EXIT_KEYS if isinstance(result.get(key), int)]
        if codes:
            return bool(codes[0])
    found = _EXIT_TEXT.search(text)
    return bool(found and int(found[1]))


def _freeze(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
