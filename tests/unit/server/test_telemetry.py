"""A server sends spans and metrics by the OpenTelemetry SDK that is installed beside it."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.server.support import CALL, PATIENCE, Place
from tests.unit.server.test_lifecycle import ROOT, hookline_serve, told

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process

# A package as opentelemetry-distro is one: it sets up the SDK, here with exporters that write to a
# file.
PACKAGE = """
import os
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

def one_line(exported):
    return exported.to_json(indent=None) + "\\n"

class Configurator:
    def configure(self):
        folder = os.environ["FOLDER"]
        spans = open(os.path.join(folder, "spans"), "w", encoding="utf-8")
        counts = open(os.path.join(folder, "metrics"), "w", encoding="utf-8")
        exporter = ConsoleSpanExporter(out=spans, formatter=one_line)
        provider = TracerProvider()
        provider.add_span_processor(BatchSpanProcessor(exporter))
        trace.set_tracer_provider(provider)
        exporter = ConsoleMetricExporter(out=counts, formatter=one_line)
        metrics.set_meter_provider(MeterProvider([PeriodicExportingMetricReader(exporter)]))
"""
TRACE, HOST = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture
def distribution(tmp_path: Path) -> Path:
    """A folder in which that package is installed."""
    folder = tmp_path / "site"
    known = folder / "to_files-1.dist-info"
    known.mkdir(parents=True)
    (folder / "to_files.py").write_text(PACKAGE, encoding="utf-8")
    (known / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: to-files\nVersion: 1\n", encoding="utf-8"
    )
    (known / "entry_points.txt").write_text(
        "[opentelemetry_configurator]\nfiles = to_files:Configurator\n", encoding="utf-8"
    )
    return folder


def ended(folder: Path, more: dict[str, str]) -> None:
    """A server with a guard was asked in both ways, told of nothing wrong, and has ended."""
    path = folder / "socket"
    call = {**CALL, "traceparent": f"00-{TRACE}-{HOST}-01"}
    with hookline_serve(folder, "--unix", str(path), hook="echo no >&2; exit 2", more=more) as (
        process,
        _,
    ):
        place = Place(str(path))
        assert place.fire("PreToolUse", call).document["reason"] == "no"
        assert place.ask("POST", "/v1/answer/claude-code", call).status == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        assert process.stderr.read() == told(folder)


def lines(path: Path) -> list[Any]:
    """The documents of a file, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def points(documents: list[Any]) -> dict[str, list[tuple[dict[str, Any], int]]]:
    """The data points of each metric as it was told last: labels and count."""
    scopes = [
        scope for each in documents[-1]["resource_metrics"] for scope in each["scope_metrics"]
    ]
    found = [
        metric
        for scope in scopes
        if scope["scope"]["name"] == "hookline"
        for metric in scope["metrics"]
    ]
    return {
        metric["name"]: [
            (point["attributes"], point.get("value", point.get("count")))
            for point in metric["data"]["data_points"]
        ]
        for metric in found
    }


@pytest.mark.parametrize("journal", ["on", "off"])
def test_spans_and_metrics_leave_the_process(
    journal: str, distribution: Path, tmp_path: Path
) -> None:
    """They are exported before the process ends, with and without a journal."""
    environ = {
        "OTEL_TRACES_EXPORTER": "files",
        "HOOKLINE_JOURNAL": journal,
        "PYTHONPATH": f"{ROOT / 'src'}:{distribution}",
    }
    ended(tmp_path, environ)
    spans = lines(tmp_path / "spans")
    events = [span for span in spans if span["name"] == "hooks.event tool.before"]
    runs = [span for span in spans if span["name"].startswith("hooks.run ")]

    assert (len(events), len(runs), len(spans)) == (2, 2, 4)
    assert {span["context"]["trace_id"] for span in spans} == {f"0x{TRACE}"}
    assert [span["parent_id"] for span in events] == [f"0x{HOST}"] * 2
    assert [span["parent_id"] for span in runs] == [span["context"]["span_id"] for span in events]
    assert {span["attributes"]["hooks.decision"] for span in spans} == {"deny"}
    assert {span["attributes"]["hooks.dialect"] for span in events} == {"claude-code"}
    counted = points(lines(tmp_path / "metrics"))
    assert counted["hooks.decisions"] == [
        ({"hooks.decision": "deny", "hooks.event": "tool.before"}, 2)
    ]
    ((labels, count),) = counted["hooks.run.duration"]
    assert (labels["hooks.handler.kind"], labels["hooks.outcome"], count) == ("command", "deny", 2)


def test_nothing_is_exported_without_configuration(distribution: Path, tmp_path: Path) -> None:
    """Although an SDK is installed."""
    ended(tmp_path, {"PYTHONPATH": f"{ROOT / 'src'}:{distribution}"})

    assert not (tmp_path / "spans").exists()
