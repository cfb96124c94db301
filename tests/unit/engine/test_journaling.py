"""Journaling: which journal is kept, and that no fault of it stops a command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from hookline.engine.journaling import (
    find_journal_folder,
    make_telemetry,
    open_journal,
    read_limits,
)
from hookline.errors import ConfigError


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A home with a folder for settings."""
    (tmp_path / ".config" / "hookline").mkdir(parents=True)
    return {"HOME": str(tmp_path)}


def choose(environ: dict[str, str], text: str) -> None:
    """Write the settings."""
    (Path(environ["HOME"]) / ".config/hookline/settings.toml").write_text(
        f"[journal]\n{text}\n", encoding="utf-8"
    )


def kept(environ: dict[str, str]) -> tuple[Any, list[str]]:
    """The journal, and the messages."""
    told: list[str] = []
    return open_journal(environ, told.append), told


def test_one_is_kept_by_default(environ: dict[str, str]) -> None:
    """Hashes of payloads, for 90 days, in the folder of state."""
    journal, told = kept(environ)

    assert told == []
    assert journal.files.folder == f"{environ['HOME']}/.local/state/hookline/journal"
    assert (journal.policy.how, journal.files.keep_days, journal.files.sync) == ("hash", 90, False)


def test_settings_choose(environ: dict[str, str]) -> None:
    """All of them."""
    choose(environ, 'payload = "masked"\nkeep_days = 7\nkeep_mb = 3\nsync = true\npath = "~/audit"')
    journal, told = kept(environ)

    assert told == []
    assert (
        journal.policy.how,
        journal.files.keep_days,
        journal.files.keep_bytes,
        journal.files.sync,
    ) == ("masked", 7, 3 << 20, True)
    assert read_limits(environ) == {"keep_days": 7, "keep_bytes": 3 << 20}


@pytest.mark.parametrize("value", ["off", "0", "no", "OFF"])
def test_the_environment_switches_it_off(value: str, environ: dict[str, str]) -> None:
    """For one process."""
    assert kept(environ | {"HOOKLINE_JOURNAL": value}) == (None, [])


def test_settings_switch_it_off_and_the_environment_on_again(environ: dict[str, str]) -> None:
    """What is nearer to the process counts."""
    choose(environ, "enabled = false")

    assert kept(environ) == (None, [])
    assert kept(environ | {"HOOKLINE_JOURNAL": "on"})[0] is not None
    assert kept(environ | {"HOOKLINE_JOURNAL": "/elsewhere"})[0].files.folder == "/elsewhere"


def test_it_can_be_read_where_it_is_switched_off(environ: dict[str, str]) -> None:
    """What was written before is still there."""
    assert (
        find_journal_folder(environ | {"HOOKLINE_JOURNAL": "off"})
        == f"{environ['HOME']}/.local/state/hookline/journal"
    )


def test_wrong_settings_are_told_and_do_not_switch_it_off(environ: dict[str, str]) -> None:
    """The defaults keep the least."""
    choose(environ, 'payload = "all"')
    journal, told = kept(environ)

    assert journal.policy.how == "hash"
    assert len(told) == 1
    assert "HKL1403" in told[0]
    with pytest.raises(ConfigError):
        find_journal_folder(environ)


@pytest.mark.parametrize("wrong", [{"HOOKLINE_JOURNAL": "here"}, {"HOME": "/nowhere/at/all"}])
def test_a_missing_place_is_reported(wrong: dict[str, str], environ: dict[str, str]) -> None:
    """A relative path would differ in every project; hookline makes no home."""
    journal, told = kept(environ | wrong)

    assert (journal, len(told)) == (None, 1)
    assert told[0].startswith("HKL")


def test_telemetry_is_asked_for_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """If its package is missing, a message says so."""
    told: list[str] = []
    off = {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_SDK_DISABLED": "true"}
    for environ in ({}, {"OTEL_TRACES_EXPORTER": "none"}, off):
        assert make_telemetry(environ, told.append) == ()
    monkeypatch.setattr("hookline.journal.otel.set_up", lambda: True)
    for name in ("OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"):
        assert len(make_telemetry({name: "otlp"}, told.append)) == 1
    assert told == []
    monkeypatch.setattr("hookline.journal.otel.set_up", lambda: False)
    assert len(make_telemetry({"OTEL_TRACES_EXPORTER": "otlp"}, told.append)) == 1
    assert "no SDK" in told.pop()
    monkeypatch.setitem(sys.modules, "hookline.journal.otel", None)
    assert make_telemetry({"OTEL_TRACES_EXPORTER": "otlp"}, told.append) == ()
    assert "HKL6010" in told[0]


def test_telemetry_tells_how_many_approvals_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """The count comes from the server."""
    from opentelemetry.sdk.metrics import MeterProvider  # noqa: PLC0415 - only this test
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader  # noqa: PLC0415 - as above

    reader = InMemoryMetricReader()
    monkeypatch.setattr("hookline.journal.otel.set_up", lambda: True)
    monkeypatch.setattr("opentelemetry.metrics._internal._METER_PROVIDER", MeterProvider([reader]))
    make_telemetry({"OTEL_TRACES_EXPORTER": "otlp"}, print, lambda: 7)
    found = reader.get_metrics_data()
    points = {
        metric.name: [point.value for point in metric.data.data_points]
        for resource in (found.resource_metrics if found else ())
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }

    assert points["hooks.pending_approvals"] == [7]


def test_a_journal_that_is_off_still_exports(environ: dict[str, str]) -> None:
    """Telemetry is chosen apart from it."""
    journal = open_journal(environ | {"HOOKLINE_JOURNAL": "off"}, print, exports=[lambda *_: None])

    assert journal is not None
    assert journal.files is None
