"""The trace context goes along: what an event carries, or the span that it was raised in.

And handlers run in it.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hookline import Engine
from hookline.remote.bridge import Bridge
from hookline.remote.tracing import find_traceparent, use_traceparent
from tests.unit.remote.support import CALL, attached, on_loop

CARRIED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (CARRIED, CARRIED),
        ("", ""),
        ("00-a-b-01", ""),
        (CARRIED.upper(), ""),
        (f"{CARRIED}\n", ""),
        (7, ""),
    ],
    ids=["one", "none", "no ids", "capitals", "a line more", "a number"],
)
@on_loop
async def test_what_an_event_carries_goes_along(given: object, told: str) -> None:
    """If it is a trace context; whatever else a host says there goes nowhere."""
    end, _ = await attached(Bridge(engine := Engine()))
    asked = asyncio.get_running_loop().create_task(
        engine.fire_async("pre_tool_use", {**CALL, "traceparent": given}, dialect="a3s")
    )
    invoke = await end.next("invoke")
    end.answer(invoke)
    await asked

    assert invoke.traceparent == told


def test_where_nobody_traces_handlers_run_as_they_are() -> None:
    """Nothing is needed for that."""
    with use_traceparent("nonsense"):
        assert find_traceparent(Engine().event("pre_tool_use", CALL, dialect="a3s")) == ""


@on_loop
async def test_the_span_that_an_event_is_raised_in_goes_along() -> None:
    """Where OpenTelemetry is on; the handler makes its own spans below it."""
    trace = pytest.importorskip("opentelemetry.trace", reason="the extra `otel` is not installed")
    sdk: Any = pytest.importorskip(
        "opentelemetry.sdk.trace", reason="the SDK of OpenTelemetry is not installed"
    )
    end, _ = await attached(Bridge(engine := Engine()))
    tracer = sdk.TracerProvider().get_tracer("test")
    with tracer.start_as_current_span("turn") as turn:
        asked = asyncio.get_running_loop().create_task(
            engine.fire_async("pre_tool_use", CALL, dialect="a3s")
        )
    invoke = await end.next("invoke")
    end.answer(invoke)
    await asked
    context = turn.get_span_context()

    assert invoke.traceparent[:-2] == f"00-{context.trace_id:032x}-{context.span_id:016x}-"
    with use_traceparent(invoke.traceparent), tracer.start_as_current_span("handler") as handler:
        assert handler.parent.span_id == context.span_id
    assert trace.get_current_span().get_span_context().span_id == 0
