"""OpenTelemetry: spans, their parents and names, and metrics, as an SDK receives them."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import hookline
from hookline.journal import otel
from hookline.journal.otel import Telemetry, failure_name
from hookline.model.verdict import Failure
from tests.unit.journal.support import fired

DRAFTS = {"OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental"}
CALL = {"session_id": "s", "tool": "shell", "input": {"command": "ls"}, "call_id": "c"}


class Collector:
    """An SDK in memory, and the telemetry that sends to it."""

    def __init__(self, environ: dict[str, str], **settings: Any) -> None:
        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.meter = MeterProvider([self.reader])
        self.told = Telemetry(
            tracer_provider=provider,
            meter_provider=self.meter,
            environ=environ,
            clock=lambda: 1000.0,
            **settings,
        )

    def spans(self) -> dict[str, ReadableSpan]:
        """What was sent, by name."""
        return {span.name: span for span in self.exporter.get_finished_spans()}

    def points(self) -> dict[str, list[Any]]:
        """The data points of every metric."""
        data = self.reader.get_metrics_data()
        assert data is not None
        metrics = [
            metric
            for each in data.resource_metrics
            for scope in each.scope_metrics
            for metric in scope.metrics
        ]
        return {metric.name: list(metric.data.data_points) for metric in metrics}


def refuse(_: object) -> object:
    """A guard."""
    return hookline.deny("no, because of the payload")


def test_an_event_is_a_span_and_each_hook_its_child() -> None:
    """They end now, and began as long ago as it took."""
    collector = Collector({})
    event, decision, spec_of = fired(refuse, payload=CALL)
    collector.told(event, decision, spec_of)
    spans = collector.spans()
    parent, child = spans["hooks.event tool.before"], spans["hooks.run python#refuse"]

    assert child.parent is not None
    assert parent.context is not None
    assert child.parent.span_id == parent.context.span_id
    assert (parent.end_time, parent.start_time) == (
        1000 * 10**9,
        1000 * 10**9 - int(decision.seconds * 10**9),
    )
    assert dict(child.attributes or {}) == {
        "hooks.event": "tool.before",
        "hooks.hook": "python#refuse",
        "hooks.handler.kind": "inprocess",
        "hooks.duration": decision.verdicts[0].seconds,
        "hooks.decision": "deny",
        "hooks.shadow": False,
        "hooks.failure_mode": "silent",
    }


VERDICTS = [
    (refuse, "deny", "deny", False),
    (lambda _: hookline.ask("sure?"), "escalate", "escalate", False),
    (lambda _: hookline.rewrite({"command": "true"}), "modify", "modify", True),
    (lambda _: hookline.note("look"), "warn", "warn", False),
    (lambda _: None, "allow", "allow", False),
]


@pytest.mark.parametrize(("hook", "verdict", "action", "modified"), VERDICTS)
def test_the_drafts_are_there_where_they_are_asked_for(
    hook: Any, verdict: str, action: str, modified: object
) -> None:
    """With the names of the semantic conventions, and without any content."""
    collector = Collector(DRAFTS)
    collector.told(*fired(hook, payload=CALL))
    (span,) = [
        each for name, each in collector.spans().items() if name.startswith("run_guardrail ")
    ]
    said = {
        key.removeprefix("gen_ai."): value
        for key, value in (span.attributes or {}).items()
        if key.startswith("gen_ai.")
    }

    assert said == {
        "operation.name": "run_guardrail",
        "conversation.id": "s",
        "tool.name": "shell",
        "tool.call.id": "c",
        "guardrail.component.name": span.name.removeprefix("run_guardrail python#"),
        "guardrail.target.type": "input",
        "guardrail.target.subtype": "tool_call",
        "guardrail.target.id": "c",
        "guardrail.verdict.type": verdict,
        "guardrail.action.type": action,
        "guardrail.security.content.modified": modified,
    }
    assert "because of the payload" not in repr(dict(span.attributes or {}))


def test_a_hook_that_is_only_observed_does_nothing() -> None:
    """Its result is recorded apart from the decision."""
    engine = hookline.Engine()
    engine.on("tool.before", shadow=True)(refuse)
    event = engine.event("tool.before", CALL)
    collector = Collector(DRAFTS)
    collector.told(event, engine.fire(event))
    span = collector.spans()["run_guardrail python#refuse"]

    assert (span.attributes or {})["gen_ai.guardrail.verdict.type"] == "deny"
    assert (span.attributes or {})["gen_ai.guardrail.action.type"] == "allow"


@pytest.mark.parametrize("carried", ["facts", "raw"])
def test_the_hosts_span_is_the_parent(carried: str) -> None:
    """By the `traceparent` that its event carries."""
    trace, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    event, decision, spec_of = fired(refuse, payload=CALL)
    named = {"traceparent": f"00-{trace}-{span}-01"}
    event = (
        event.replace(raw=named)
        if carried == "raw"
        else event.replace(body=event.body.replace(facts=named))
    )
    collector = Collector({})
    collector.told(event, decision, spec_of)
    parent = collector.spans()["hooks.event tool.before"].parent

    assert parent is not None
    assert (f"{parent.trace_id:032x}", f"{parent.span_id:016x}") == (trace, span)


def test_what_is_no_traceparent_begins_a_trace() -> None:
    """A host may send anything."""
    event, decision, spec_of = fired(refuse, payload=CALL)
    collector = Collector({})
    collector.told(event.replace(raw={"traceparent": "nonsense"}), decision, spec_of)

    assert collector.spans()["hooks.event tool.before"].parent is None


def test_decisions_failures_and_times_are_counted() -> None:
    """By what was decided, why a hook failed, and which hook it was."""
    collector = Collector({}, pending=lambda: 7)
    collector.told(*fired(refuse, payload=CALL))
    collector.told(*fired(lambda _: 1 / 0, payload=CALL))
    points = collector.points()

    assert {
        (point.attributes["hooks.decision"], point.value) for point in points["hooks.decisions"]
    } == {("deny", 1), ("silent", 1)}
    assert [
        (point.attributes["hooks.reason"], point.value) for point in points["hooks.failures"]
    ] == [("raised", 1)]
    assert {point.attributes["hooks.outcome"] for point in points["hooks.run.duration"]} == {
        "deny",
        "failed",
    }
    assert [point.value for point in points["hooks.pending_approvals"]] == [7]


def test_an_engine_can_be_observed_without_a_journal() -> None:
    """Any observer is an observer."""
    collector = Collector({})
    engine = hookline.Engine(observe=collector.told)
    engine.on("tool.before")(refuse)
    engine.fire("tool.before", CALL)

    assert len(collector.spans()) == 2


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
    assert otel.should_use_drafts({"OTEL_SEMCONV_STABILITY_OPT_IN": value}) == asked


class Configurator:
    """What an SDK brings along to be set up by."""

    asked = 0

    def load(self) -> type[Configurator]:
        """An entry point leads to its class."""
        return type(self)

    def configure(self) -> None:
        """As the environment says."""
        Configurator.asked += 1


def test_an_sdk_is_set_up_by_what_it_brings_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where none does, that is known."""
    monkeypatch.setattr(
        otel,
        "entry_points",
        lambda group: [Configurator()] * (group == "opentelemetry_configurator"),
    )
    assert otel.set_up()
    assert Configurator.asked == 1
    monkeypatch.setattr(otel, "entry_points", lambda **_: [])
    assert not otel.set_up()
    monkeypatch.setattr(otel.trace, "get_tracer_provider", TracerProvider)
    assert otel.set_up()


def test_hooks_in_turn_begin_one_after_the_other() -> None:
    """As far as their times tell."""
    collector = Collector({})
    event, decision, spec_of = fired(lambda _: None, lambda _: None)
    slow = decision.replace(
        seconds=3.0, verdicts=tuple(each.replace(seconds=1.0) for each in decision.verdicts)
    )
    collector.told(event, slow, spec_of)
    starts = sorted(
        span.start_time or 0
        for name, span in collector.spans().items()
        if name.startswith("hooks.run")
    )

    assert starts[-1] - (collector.spans()["hooks.event tool.before"].start_time or 0) in (0, 10**9)


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        *((f"{each.value}: x", each.name.lower()) for each in Failure),
        ("exited with status 3: x", "exited"),
        ("returned 3", "answer"),
    ],
)
def test_a_failure_is_one_of_few_words(fault: str, word: str) -> None:
    """A metric can count by these words."""
    assert failure_name(fault) == word
