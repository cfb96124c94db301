"""Counts and times, as Prometheus reads them."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from hookline.model.event import Event
from hookline.model.verdict import Decision, Stance, Verdict
from hookline.server.metrics import BOUNDS, Meter
from tests.unit.server.support import count_of

CALL = Event(kind="tool.before", dialect="docker-agent", native_name="pre_tool_use")


def decided(seconds: float = 0.0, stance: Stance = Stance.SILENT, *faults: str) -> Decision:
    """A decision that took so long, with hooks that failed."""
    verdicts = tuple(
        Verdict(hook_id="h", stance=Stance.SILENT, fault=fault or None) for fault in faults
    )
    return Decision(
        kind="k", dialect="d", native_event="n", stance=stance, seconds=seconds, verdicts=verdicts
    )


def test_a_decision_is_counted_by_dialect_kind_and_stance() -> None:
    """The metrics count failed hooks too."""
    meter = Meter()
    meter.observe(CALL, decided(0.0, Stance.DENY, "timed out", ""))
    meter.observe(CALL, decided(0.0, Stance.DENY))
    meter.observe(CALL.replace(kind="stop"), decided())
    meter.add_gauge("hookline_hooks", "hooks", lambda: 3)
    page = meter.page().decode().splitlines()
    counted = 'hookline_fires_total{dialect="docker-agent",kind="%s",stance="%s"} %s'

    assert counted % ("tool.before", "deny", "2.0") in page
    assert counted % ("stop", "silent", "1.0") in page
    assert [line for line in page if line.startswith("hookline_faults_total")] == [
        'hookline_faults_total{dialect="docker-agent",kind="tool.before"} 1.0'
    ]
    assert "hookline_hooks 3.0" in page


@pytest.mark.parametrize(
    ("seconds", "below"),
    [(0.0, 0.001), (0.001, 0.001), (0.0011, 0.0025), (59.0, 60.0), (61.0, None)],
    ids=str,
)
def test_a_time_is_in_its_bucket_and_in_all_above(seconds: float, below: float | None) -> None:
    """Bounds are inclusive; the last bucket has everything."""
    meter = Meter()
    meter.observe(CALL, decided(seconds))
    lines = [line for line in meter.page().decode().splitlines() if "_bucket" in line]
    counts = [float(line.rpartition(" ")[2]) for line in lines]
    at = BOUNDS.index(below) if below is not None else len(BOUNDS)

    assert counts == [0] * at + [1] * (len(BOUNDS) + 1 - at)
    assert lines[-1].startswith('hookline_fire_seconds_bucket{dialect="docker-agent",le="+Inf"}')
    assert count_of(meter, "hookline_fire_seconds_sum", dialect="docker-agent") == seconds


def test_invented_names_are_one_kind() -> None:
    """A client could fill the memory with them otherwise."""
    meter = Meter()
    for native in ("one", "two"):
        meter.observe(CALL.replace(kind=f"x.docker-agent.{native}", native_name=native), decided())

    assert count_of(meter, "hookline_fires_total", kind="other", stance="silent") == 2


def test_every_metric_says_what_it_is() -> None:
    """The page is one that Prometheus' own parser reads, and each metric has a line of help."""
    meter = Meter()
    meter.observe(CALL, decided(0.1, Stance.DENY, "fault"))
    meter.count_refusal("HKL5003")
    meter.add_gauge("hookline_hooks", "hooks", lambda: 3)
    page = meter.page().decode()
    metrics = {metric.name: metric for metric in text_string_to_metric_families(page)}
    names = {"fires", "faults", "refusals", "reloads", "fire_seconds", "hooks"}

    assert {f"hookline_{name}" for name in names} <= metrics.keys()
    assert all(metric.documentation for metric in metrics.values())
    assert count_of(meter, "hookline_refusals_total", code="HKL5003") == 1
