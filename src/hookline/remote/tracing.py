"""Tracing: the W3C trace context that accompanies an event to a remote handler."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.model.event import Event

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


def find_traceparent(event: Event) -> str:
    """Return the span that an event belongs to: its host's, or the current one of this process.

    Empty if there is none.
    """
    carried = event.body.facts.get("traceparent", event.raw.get("traceparent"))
    if isinstance(carried, str) and _TRACEPARENT.fullmatch(carried):
        return carried
    if "opentelemetry.trace" not in sys.modules:  # this process makes no spans
        return ""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415 - an extra, and loaded

    found: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(found)
    return found.get("traceparent", "")


@contextmanager
def use_traceparent(traceparent: str) -> Iterator[None]:
    """Make new spans within a block children of the caller's span, if this process makes spans."""
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
