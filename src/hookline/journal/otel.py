"""OpenTelemetry: exports each event as a span, each hook as its child, and counts of decisions and failures.

It needs only the API package (the extra `otel`); without an SDK it sends nothing and costs almost nothing.
"""

from __future__ import annotations

import os
import time
from importlib.metadata import PackageNotFoundError, entry_points, version

from opentelemetry import metrics, trace
from opentelemetry.metrics import Observation
from opentelemetry.trace import Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from hookline.journal import semconv
from hookline.journal.labels import handler_kind
from hookline.journal.records import failure_name
from hookline.model.event import Generation, Prompt, ToolCall
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from opentelemetry.context import Context
    from opentelemetry.metrics import CallbackOptions, MeterProvider
    from opentelemetry.trace import TracerProvider
    from opentelemetry.util.types import AttributeValue

    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

_NANO = 1_000_000_000
# The second half of an event's name says whether it comes after the model or the tool.
_OUTPUTS = frozenset({"after", "failed", "error", "display", "stop"})


class Telemetry:
    """An observer of events: `Engine(observe=Telemetry())`, or one of a journal's `exports`.

    Without providers, it uses those of the process. `clock` returns seconds since 1970. `pending`
    returns how many approvals wait for a person.
    """

    def __init__(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        environ: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.time,
        pending: Callable[[], int] | None = None,
    ) -> None:
        released = _version()
        self.tracer = trace.get_tracer("hookline", released, tracer_provider)
        meter = metrics.get_meter("hookline", released, meter_provider)
        self.drafts = semconv.should_use_drafts(os.environ if environ is None else environ)
        self.clock = clock
        self._seconds = meter.create_histogram(semconv.RUN_DURATION, "s", "how long a hook took")
        self._decisions = meter.create_counter(
            semconv.DECISIONS, "{decision}", "events, by what was decided"
        )
        self._failures = meter.create_counter(
            semconv.FAILURES, "{failure}", "hooks that failed, by why"
        )
        if pending is not None:
            meter.create_observable_gauge(
                semconv.PENDING,
                [_observing(pending)],
                "{approval}",
                "approvals that wait for a person",
            )

    def __call__(
        self,
        event: Event,
        decision: Decision,
        spec_of: Callable[[str], HookSpec | None] = lambda _: None,
    ) -> None:
        """Export one event. Its span ends now and started `decision.seconds` ago."""
        end = int(self.clock() * _NANO)
        began = end - int(decision.seconds * _NANO)
        specs = [spec_of(verdict.hook_id) for verdict in decision.verdicts]
        span = self.tracer.start_span(
            f"{semconv.EVENT_SPAN} {decision.kind}",
            context=extract_parent(event),
            attributes=dict(self._of_event(event, decision)),
            start_time=began,
        )
        within = trace.set_span_in_context(span)
        for verdict, spec, start in zip(
            decision.verdicts, specs, _starts(decision, began), strict=True
        ):
            self._run(event, decision, verdict, spec, within, start)
        span.end(end)
        self._decisions.add(
            1, {semconv.DECISION: decision.stance.name.lower(), semconv.EVENT: decision.kind}
        )

    def _run(
        self,
        event: Event,
        decision: Decision,
        verdict: Verdict,
        spec: HookSpec | None,
        within: Context,
        start: int,
    ) -> None:
        name = semconv.RUN_GUARDRAIL if self.drafts else semconv.RUN_SPAN
        own = dict(_of_run(verdict, spec))
        drafts = dict(_of_guardrail(event, decision, verdict, spec)) if self.drafts else {}
        span = self.tracer.start_span(
            f"{name} {verdict.hook_id}",
            context=within,
            attributes={semconv.EVENT: decision.kind, **own, **drafts},
            start_time=start,
        )
        outcome = verdict.stance.name.lower()
        if verdict.fault is not None:
            outcome = "failed"
            reason = failure_name(verdict.fault)
            span.set_status(Status(StatusCode.ERROR, reason))
            self._failures.add(1, {semconv.REASON: reason, semconv.EVENT: decision.kind})
        span.end(start + int(verdict.seconds * _NANO))
        labels = {
            semconv.EVENT: decision.kind,
            semconv.HOOK: verdict.hook_id,
            semconv.HANDLER_KIND: handler_kind(spec),
            semconv.OUTCOME: outcome,
        }
        self._seconds.record(verdict.seconds, labels)

    def _of_event(self, event: Event, decision: Decision) -> Iterator[tuple[str, AttributeValue]]:
        yield semconv.EVENT, decision.kind
        yield semconv.DIALECT, decision.dialect
        yield semconv.DECISION, decision.stance.name.lower()
        yield semconv.DURATION, decision.seconds
        if event.session_id:
            yield semconv.SESSION, event.session_id
        if self.drafts:
            yield from _of_host(event)


def extract_parent(event: Event) -> Context | None:
    """Return the host's span that an event belongs to, from its W3C `traceparent`."""
    carried: dict[str, str] = {}
    for name in ("traceparent", "tracestate"):
        value = event.body.facts.get(name, event.raw.get(name))
        if isinstance(value, str):
            carried[name] = value
    return TraceContextTextMapPropagator().extract(carried) if "traceparent" in carried else None


def set_up() -> bool:
    """Set up an SDK from the environment, unless that is done (`opentelemetry-instrument`); return whether there is one.

    The entry point `opentelemetry_configurator` finds the SDK; the package opentelemetry-distro has one.
    """
    if not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return True
    found = list(entry_points(group="opentelemetry_configurator"))
    for each in found:
        each.load()().configure()
    return bool(found)


def _version() -> str:
    try:
        return version("hookline")
    except PackageNotFoundError:  # runs from a source tree
        return ""


# -- attributes --------------------------------------------------------------------------------------------------------


def _of_run(verdict: Verdict, spec: HookSpec | None) -> Iterator[tuple[str, AttributeValue]]:
    yield semconv.HOOK, verdict.hook_id
    yield semconv.HANDLER_KIND, handler_kind(spec)
    yield semconv.DURATION, verdict.seconds
    yield semconv.DECISION, verdict.stance.name.lower()
    yield semconv.SHADOW, verdict.shadow
    if verdict.exit_code is not None:
        yield semconv.EXIT_CODE, verdict.exit_code
    if spec is not None:
        yield semconv.FAILURE_MODE, spec.on_failure.name.lower()


def _of_host(event: Event) -> Iterator[tuple[str, AttributeValue]]:
    if event.session_id:
        yield semconv.CONVERSATION, event.session_id
    if isinstance(event.body, ToolCall):
        yield semconv.TOOL, event.body.tool
        if event.body.call_id:
            yield semconv.TOOL_CALL, event.body.call_id
    agent = event.body.facts.get("agent_name")
    if isinstance(agent, str) and agent:
        yield semconv.AGENT, agent


def _of_guardrail(
    event: Event, decision: Decision, verdict: Verdict, spec: HookSpec | None
) -> Iterator[tuple[str, AttributeValue]]:
    yield semconv.OPERATION, semconv.RUN_GUARDRAIL
    yield from _of_host(event)
    yield semconv.COMPONENT, (spec.name if spec is not None and spec.name else verdict.hook_id)
    yield semconv.TARGET_TYPE, "output" if event.kind.rpartition(".")[2] in _OUTPUTS else "input"
    if isinstance(event.body, ToolCall):
        yield semconv.TARGET_SUBTYPE, "tool_call"
        if event.body.call_id:
            yield semconv.TARGET_ID, event.body.call_id
    elif isinstance(event.body, Generation | Prompt):
        yield semconv.TARGET_SUBTYPE, "llm"
    yield semconv.VERDICT_TYPE, _verdict_type(verdict)
    if verdict.fault is not None:
        yield semconv.VERDICT_REASON, failure_name(verdict.fault)
    yield semconv.ACTION_TYPE, _action(decision, verdict)
    yield semconv.CONTENT_MODIFIED, verdict.rewrite is not None and not verdict.shadow


def _verdict_type(verdict: Verdict) -> str:
    if verdict.stance >= Stance.DENY:
        return "deny"
    if verdict.stance is Stance.ASK:
        return "escalate"
    if verdict.rewrite is not None:
        return "modify"
    return "warn" if verdict.fault is not None or verdict.for_user else "allow"


def _action(decision: Decision, verdict: Verdict) -> str:
    """Return what happened because of one hook; a shadow hook causes nothing."""
    if verdict.shadow:
        return "allow"
    return _verdict_type(verdict) if verdict.stance <= decision.stance else "allow"


def _starts(decision: Decision, began: int) -> Sequence[int]:
    """Return when each hook began: one after the other, if their times fit into the whole; else all at the start."""
    seconds = [verdict.seconds for verdict in decision.verdicts]
    if sum(seconds) > decision.seconds:
        return [began] * len(seconds)
    return [began + int(sum(seconds[:at]) * _NANO) for at in range(len(seconds))]


def _observing(pending: Callable[[], int]) -> Callable[[CallbackOptions], Iterable[Observation]]:
    def observe(_: CallbackOptions) -> Iterable[Observation]:
        return [Observation(pending())]

    return observe
