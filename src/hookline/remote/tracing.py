"""Tracing: the W3C trace context that goes along with an event to whoever is asked about it, and that a handler runs in."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.model.event import Event

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


def traceparent_of(event: Event) -> str:
    """The span that an event belongs to: the one that its host says, or the current one of this process; empty where there is none."""
    carried = event.body.facts.get("traceparent", event.raw.get("traceparent"))
    if isinstance(carried, str) and _TRACEPARENT.fullmatch(carried):
        return carried
    if "opentelemetry.trace" not in sys.modules:  # nobody here makes spans
        return ""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415 - an extra, and loaded

    found: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(found)
    return found.get("traceparent", "")


@contextmanager
def within(traceparent: str) -> Iterator[None]:
    """Spans that are made meanwhile belong to the span of whoever asked, if anybody here makes spans."""
    if not _TRACEPARENT.fullmatch(traceparent) or "opentelemetry.trace" not in sys.modules:
        yield
        return
    from opentelemetry import context  # noqa: PLC0415 - an extra, and loaded
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415 - as above

    token = context.attach(TraceContextTextMapPropagator().extract({"traceparent": traceparent}))
    try:
        yield
    finally:
        context.detach(token)
