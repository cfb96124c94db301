"""Messages: converts a3s hooks, events and answers to and from the bridge's protobuf messages."""

from __future__ import annotations

import json
import math
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from hookline.core.dialect import Source
from hookline.core.failure import describe_failure
from hookline.dialects.a3s import A3S
from hookline.dialects.a3s.response import read_response
from hookline.errors import CodecError, ConfigError
from hookline.model.verdict import Failure, Outcome, RemoteHandlerError, Stance
from hookline.remote.proto import bridge_pb2 as pb
from hookline.wire.hookoutput import UnreadableError
from hookline.wire.json_reader import read_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from hookline.a3s import Hook
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

DIALECT = A3S()
PROTOCOL = 1
PAYLOAD = 4 << 20  # bytes of an event, or of a rewrite
_MOST_HOOKS = 1000  # of one instance
_MOST_PATTERNS = 128 << 10  # characters of their matchers together
_LONGEST_FAILURE = 4000  # characters
_LONGEST_DELAY = 2**53  # ms
_FAIL_MODES = {pb.FAIL_DEFAULT: None, pb.FAIL_OPEN: "open", pb.FAIL_CLOSED: "closed"}


def to_utf8(text: str) -> str:
    """Return a text without characters that UTF-8 cannot express."""
    return text.encode("utf-8", "replace").decode()


# -- hooks -----------------------------------------------------------------------------------------


def to_message(hook: Hook) -> pb.HookSpec:
    """Return a definition as a message.

    Raises:
        ValueError: a text is no UTF-8.
    """
    config = hook.config
    return pb.HookSpec(
        id=hook.id,
        event_type=str(hook.event_type),
        matcher=pb.Matcher(**hook.matcher) if hook.matcher is not None else None,
        priority=config.priority,
        timeout_ms=config.timeout_ms,
        observe_only=config.async_execution,
        max_retries=config.max_retries,
        fail_mode=f"FAIL_{(config.fail_mode or 'default').upper()}",
    )


def read_hooks(hooks: Collection[pb.HookSpec]) -> tuple[list[HookSpec], dict[str, str]]:
    """Return the hooks of a Registry, and why some of them were rejected, by id.

    A rejected hook with a known event is among the hooks as a broken one, so its gate is closed.

    Raises:
        ConfigError: the whole set is refused.
    """
    patterns = sum(len(text) for hook in hooks for _, text in hook.matcher.ListFields())
    if len(hooks) > _MOST_HOOKS or patterns > _MOST_PATTERNS:
        words = f"{len(hooks):,} hooks with {patterns:,} characters of matchers"
        most = f"{_MOST_HOOKS:,} and {_MOST_PATTERNS:,} are the most"
        raise ConfigError(f"{words}: {most}", name="remote.bounds")
    specs: list[HookSpec] = []
    rejected: dict[str, str] = {}
    for hook in hooks:
        loaded = DIALECT.load(Source(tree=_to_definition(hook), scope="process"))
        specs += loaded.specs
        for problem in loaded.problems:
            if problem.severity == "error":
                hint = f" ({problem.hint})" if problem.hint else ""
                rejected.setdefault(hook.id, f"{problem.message}{hint}")
    return specs, rejected


def _to_definition(hook: pb.HookSpec) -> dict[str, Any]:
    """Return a definition as its author would have written it."""
    config = {
        "priority": hook.priority,
        "timeout_ms": hook.timeout_ms or None,
        "async_execution": hook.observe_only,
        "max_retries": hook.max_retries,
        "fail_mode": _FAIL_MODES.get(hook.fail_mode, str(hook.fail_mode)),
    }
    matcher = {field.name: text for field, text in hook.matcher.ListFields()}
    return {"id": hook.id, "event_type": hook.event_type, "config": config, "matcher": matcher}


# -- events and answers ----------------------------------------------------------------------------


def make_invoke(spec: HookSpec, event: Event, generation: int) -> pb.Invoke:
    """Return the request to run a hook for an event.

    Raises:
        RemoteHandlerError: the event is too large.
        TypeError, ValueError, RecursionError: it is no JSON.
    """
    text = DIALECT.encode_event(event, spec).encode()
    if len(text) > PAYLOAD:
        why = f"its event has {len(text):,} bytes, and {PAYLOAD:,} are the most that is sent"
        raise RemoteHandlerError(Failure.NOT_STARTED, why)
    return pb.Invoke(
        invocation_id=uuid4().hex,
        hook_id=spec.name,
        generation=generation,
        event_type=spec.native_event,
        event_json=text,
        budget_ms=max(1, math.ceil(spec.timeout * 1000)),
        attempt=1,
        gating=spec.on_failure is not Stance.SILENT,
        reply_expected=True,
        traceparent=find_traceparent(event),
    )


def to_result(outcome: Outcome, invocation_id: str) -> pb.Result:
    """Return a handler's outcome as a message.

    Any fault of the handler is a failure, never a Continue.
    """
    failure = "" if outcome.failure is None else describe_failure(outcome)
    try:
        response = read_response(outcome.answer)
    except UnreadableError as error:
        failure = str(error)
    if failure:
        words = to_utf8(failure)[:_LONGEST_FAILURE]
        return pb.Result(invocation_id=invocation_id, failure=words)
    reason, modified, delay = response.reason, response.modified, response.retry_delay_ms
    return pb.Result(
        invocation_id=invocation_id,
        action=response.action.upper(),
        reason=None if reason is None else to_utf8(reason),
        modified_json=None if modified is None else json.dumps(modified).encode(),
        retry_delay_ms=None if delay is None else min(round(delay), _LONGEST_DELAY),
        handler_ms=round(outcome.seconds * 1000),
    )


def read_answer(result: pb.Result) -> dict[str, Any]:
    """Return what a Result says, for the dialect to read.

    Raises:
        RemoteHandlerError: the handler failed, or the answer has an unknown number or no JSON.
    """
    if result.HasField("failure"):
        words = result.failure[:_LONGEST_FAILURE] or "it failed and gave no reason"
        raise RemoteHandlerError(Failure.UNREADABLE, words)
    answer: dict[str, Any] = {}
    for field in ("reason", "retry_delay_ms"):
        if result.HasField(field):
            answer[field] = getattr(result, field)
    try:
        answer["action"] = pb.Action.Name(result.action)
        if result.HasField("modified_json"):
            text = result.modified_json
            answer["modified"] = read_json(text, "`modified_json`", constants=False)
    except (CodecError, ValueError) as error:
        raise RemoteHandlerError(Failure.UNREADABLE, str(error)) from None
    return answer


# -- tracing ---------------------------------------------------------------------------------------


def find_traceparent(event: Event) -> str:
    """Return the span that an event belongs to: its host's, or the current one of this process.

    Empty if there is none.
    """
    carried = event.raw.get("traceparent")
    found = {"traceparent": carried} if isinstance(carried, str) and carried.isascii() else {}
    if not found and "opentelemetry.trace" in sys.modules:  # this process may make spans
        from opentelemetry import propagate  # noqa: PLC0415 - an extra, and loaded

        propagate.inject(found)
    return found.get("traceparent", "")


@contextmanager
def use_traceparent(traceparent: str) -> Iterator[None]:
    """Make new spans within a block children of the caller's span, if this process makes spans."""
    if not traceparent or "opentelemetry.trace" not in sys.modules:
        yield
        return
    from opentelemetry import context, propagate  # noqa: PLC0415 - an extra, and loaded

    token = context.attach(propagate.extract({"traceparent": traceparent}))
    try:
        yield
    finally:
        context.detach(token)
