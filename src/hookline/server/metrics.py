"""Metrics: what the server was asked, what it said and how long that took, as Prometheus reads it (text format 0.0.4)."""

from __future__ import annotations

from collections import Counter
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from hookline.engine.catalog import make_dialect
from hookline.model import kinds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hookline.model.event import Event
    from hookline.model.verdict import Decision

    _Labels: TypeAlias = tuple[tuple[str, str], ...]

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    30.0,
    60.0,
)  # seconds


class Meter:
    """The counts of one server, since it started; from any thread, because gRPC and reloads have threads of their own."""

    def __init__(self) -> None:
        self.fires: Counter[_Labels] = Counter()
        self.faults: Counter[_Labels] = Counter()
        self.refusals: Counter[_Labels] = Counter()
        self.reloads: Counter[_Labels] = Counter(
            {(("outcome", outcome),): 0 for outcome in ("changed", "refused", "unchanged")}
        )
        self.slots: Counter[tuple[str, int]] = Counter()
        self.seconds: dict[str, float] = {}
        self._lock = Lock()

    def observe(self, event: Event, decision: Decision) -> None:
        """Count a decision: an engine's observer."""
        about = (("dialect", event.dialect), ("kind", _bounded(event)))
        faults = sum(verdict.fault is not None for verdict in decision.verdicts)
        slot = sum(decision.seconds > bound for bound in BOUNDS)
        with self._lock:
            self.fires[(*about, ("stance", decision.stance.name.lower()))] += 1
            if faults:
                self.faults[about] += faults
            self.slots[event.dialect, slot] += 1
            self.seconds[event.dialect] = self.seconds.get(event.dialect, 0.0) + decision.seconds

    def refused(self, code: str) -> None:
        """Count a request that got a problem instead of a decision."""
        with self._lock:
            self.refusals[(("code", code),)] += 1

    def reloaded(self, outcome: str) -> None:
        """Count a reading of the files of hooks: "changed", "unchanged", or "refused", which is what a file was."""
        with self._lock:
            self.reloads[(("outcome", outcome),)] += 1

    def page(self, gauges: Mapping[str, tuple[str, int]]) -> str:
        """All of it as text; `gauges` are names, what they mean, and their values."""
        with self._lock:
            lines = self._counts()
        for name, (meaning, value) in gauges.items():
            lines += [*_head(name, meaning, "gauge"), f"{name} {value}"]
        return "\n".join(lines) + "\n"

    def _counts(self) -> list[str]:
        lines: list[str] = []
        lines += _counted("hookline_fires_total", "events, by what was decided", self.fires)
        lines += _counted("hookline_faults_total", "hooks that failed", self.faults)
        lines += _counted(
            "hookline_refusals_total",
            "requests that got a problem instead of a decision",
            self.refusals,
        )
        lines += _counted(
            "hookline_reloads_total",
            "readings of the files of hooks, by what came of it",
            self.reloads,
        )
        lines += self._histogram("hookline_fire_seconds", "from the event to its decision")
        return lines

    def _histogram(self, name: str, meaning: str) -> Iterator[str]:
        yield from _head(name, meaning, "histogram")
        for dialect in sorted(self.seconds):
            label, below = f'dialect="{dialect}"', 0
            for slot, bound in enumerate((*BOUNDS, None)):
                below += self.slots[dialect, slot]
                yield f'{name}_bucket{{{label},le="{"+Inf" if bound is None else f"{bound:g}"}"}} {below}'
            yield f"{name}_sum{{{label}}} {self.seconds[dialect]:.6f}"
            yield f"{name}_count{{{label}}} {below}"


def _bounded(event: Event) -> str:
    """The event's kind; `other` for one that no table has, because whoever asks could make up any number of them."""
    if event.kind in kinds.NAMES:
        return event.kind
    return (
        event.kind
        if make_dialect(event.dialect).table.row(event.native_name) is not None
        else "other"
    )


def _head(name: str, meaning: str, sort: str) -> tuple[str, str]:
    return f"# HELP {name} {meaning}", f"# TYPE {name} {sort}"


def _counted(name: str, meaning: str, counts: Mapping[_Labels, int]) -> Iterable[str]:
    yield from _head(name, meaning, "counter")
    for labels, count in sorted(counts.items()):
        said = ",".join(f'{label}="{_escaped(value)}"' for label, value in labels)
        yield f"{name}{{{said}}} {count}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
