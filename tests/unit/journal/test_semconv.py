"""Names of telemetry: drafts only where somebody asked for them."""

from __future__ import annotations

import pytest

from hookline.journal import semconv


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        ("", False),
        ("http", False),
        ("gen_ai_latest_experimental", True),
        ("http, gen_ai_latest_experimental", True),
    ],
)
def test_drafts_are_used_where_they_are_named(value: str, asked: object) -> None:
    """In the variable that OpenTelemetry has for it."""
    assert semconv.should_use_drafts({semconv.OPT_IN: value}) == asked


@pytest.mark.parametrize(
    ("environ", "asked"),
    [
        ({}, False),
        ({"OTEL_TRACES_EXPORTER": "none"}, False),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://localhost:4318/v1/traces"}, True),
        ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://localhost:4318/v1/metrics"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_telemetry_is_sent_where_the_environment_says_so(
    environ: dict[str, str], asked: object
) -> None:
    """And nowhere by default."""
    assert semconv.is_telemetry_requested(environ) == asked


def test_ours_begin_with_hooks_and_drafts_with_gen_ai() -> None:
    """So that nobody takes one for the other."""
    names = {
        name: value
        for name, value in vars(semconv).items()
        if name.isupper() and isinstance(value, str) and "." in value
    }

    assert {value.partition(".")[0] for value in names.values()} == {"hooks", "gen_ai"}
