"""Metrics: counts of requests and decisions, and their times, in Prometheus format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from hookline.engine.catalog import make_dialect
from hookline.model import kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.model.event import Event
    from hookline.model.verdict import Decision

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5),
    *(1.0, 2.5, 5.0, 10.0, 30.0, 60.0),
)  # seconds


class Meter:
    """The counts of one server since its start; safe for threads."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.fires = self._counter(
            "hookline_fires", "events, by what was decided", "dialect", "kind", "stance"
        )
        self.faults = self._counter("hookline_faults", "hooks that failed", "dialect", "kind")
        self.refusals = self._counter(
            "hookline_refusals", "requests that got a problem instead of a decision", "code"
        )
        self.reloads = self._counter(
            "hookline_reloads", "readings of the files of hooks, by what came of it", "outcome"
        )
        for outcome in ("changed", "refused", "unchanged"):
            self.reloads.labels(outcome)
        self.seconds = Histogram(
            "hookline_fire_seconds",
            "from the event to its decision",
            ("dialect",),
            buckets=BOUNDS,
            registry=self.registry,
        )

    def _counter(self, name: str, meaning: str, *labels: str) -> Counter:
        return Counter(name, meaning, labels, registry=self.registry)

    def add_gauge(self, name: str, meaning: str, value: Callable[[], int]) -> None:
        """Show what a function returns at each reading of the metrics."""
        Gauge(name, meaning, registry=self.registry).set_function(value)

    def observe(self, event: Event, decision: Decision) -> None:
        """Count a decision; used as an engine's observer."""
        about = (event.dialect, _limit_kind(event))
        self.fires.labels(*about, decision.stance.word).inc()
        if faults := sum(verdict.fault is not None for verdict in decision.verdicts):
            self.faults.labels(*about).inc(faults)
        self.seconds.labels(event.dialect).observe(decision.seconds)

    def count_refusal(self, code: str) -> None:
        """Count a request that got a problem instead of a decision."""
        self.refusals.labels(code).inc()

    def page(self) -> bytes:
        """Return all metrics as text."""
        return generate_latest(self.registry)


def _limit_kind(event: Event) -> str:
    """Return the event's kind.

    `other` for unknown ones, because a client could invent any number of them.
    """
    if event.kind in kinds.NAMES:
        return event.kind
    known = make_dialect(event.dialect).table.row(event.native_name) is not None
    return event.kind if known else "other"
