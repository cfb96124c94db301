"""OpenTelemetry: exports each event as a span, each hook as its child, and counts of both.

It needs only the API package (the extra `otel`); without an SDK it sends nothing and costs almost
nothing. Names that begin with `hooks.` are hookline's own and do not change. Those that begin with
`gen_ai.` are drafts of OpenTelemetry (semantic conventions for generative AI; guardrails: pull
request 427 there), which may still change, so they are used only if the environment names them.
"""

from __future__ import annotations

import os
import time
from importlib.metadata import entry_points

from opentelemetry import metrics, trace
from opentelemetry.metrics import Observation
from opentelemetry.trace import Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from hookline.journal.records import handler_kind
from hookline.model.event import Event, Generation, Prompt, ToolCall
from hookline.model.verdict import Decision, Failure, Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.context import Context
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider
    from opentelemetry.util.types import AttributeValue

    from hookline.model.spec import HookSpec

_NANO = 1_000_000_000
_GUARDRAIL = "run_guardrail"
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
        self.tracer = trace.get_tracer("hookline", tracer_provider=tracer_provider)
        meter = metrics.get_meter("hookline", meter_provider=meter_provider)
        self.drafts = should_use_drafts(environ or os.environ)
        self.clock = clock
        self._seconds = meter.create_histogram("hooks.run.duration", "s", "how long a hook took")
        self._decisions = meter.create_counter(
            "hooks.decisions", "{decision}", "events, by what was decided"
        )
        self._failures = meter.create_counter(
            "hooks.failures", "{failure}", "hooks that failed, by why"
        )
        if pending is not None:
            meter.create_observable_gauge(
                "hooks.pending_approvals",
                [lambda _: [Observation(pending())]],
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
        common = {"hooks.event": decision.kind, "hooks.decision": decision.stance.word}
        attributes = {
            **common,
            "hooks.dialect": decision.dialect,
            "hooks.duration": decision.seconds,
            **({"hooks.session": event.session_id} if event.session_id else {}),
            **(_describe_host(event) if self.drafts else {}),
        }
        span = self.tracer.start_span(
            f"hooks.event {decision.kind}",
            context=extract_parent(event),
            attributes=attributes,
            start_time=began,
        )
        within = trace.set_span_in_context(span)
        # Hooks began one after the other if their times fit into the whole, else all at the start.
        in_turn = sum(verdict.seconds for verdict in decision.verdicts) <= decision.seconds
        start = began
        for verdict in decision.verdicts:
            self._export_run(event, decision, verdict, spec_of(verdict.hook_id), within, start)
            if in_turn:
                start += int(verdict.seconds * _NANO)
        span.end(end)
        self._decisions.add(1, common)

    def _export_run(
        self,
        event: Event,
        decision: Decision,
        verdict: Verdict,
        spec: HookSpec | None,
        within: Context,
        start: int,
    ) -> None:
        stance = verdict.stance.word
        labels = {
            "hooks.event": decision.kind,
            "hooks.hook": verdict.hook_id,
            "hooks.handler.kind": handler_kind(spec),
        }
        attributes: dict[str, AttributeValue] = {
            **labels,
            "hooks.duration": verdict.seconds,
            "hooks.decision": stance,
            "hooks.shadow": verdict.shadow,
        }
        if verdict.exit_code is not None:
            attributes["hooks.exit_code"] = verdict.exit_code
        if spec is not None:
            attributes["hooks.failure_mode"] = spec.on_failure.word
        if self.drafts:
            attributes |= _describe_guardrail(event, decision, verdict, spec)
        span = self.tracer.start_span(
            f"{_GUARDRAIL if self.drafts else 'hooks.run'} {verdict.hook_id}",
            context=within,
            attributes=attributes,
            start_time=start,
        )
        if verdict.fault is not None:
            reason = failure_name(verdict.fault)
            span.set_status(Status(StatusCode.ERROR, reason))
            self._failures.add(1, {"hooks.reason": reason, "hooks.event": decision.kind})
        span.end(start + int(verdict.seconds * _NANO))
        outcome = stance if verdict.fault is None else "failed"
        self._seconds.record(verdict.seconds, labels | {"hooks.outcome": outcome})


def should_use_drafts(environ: Mapping[str, str]) -> bool:
    """Return whether the environment opts in to names that may still change."""
    chosen = environ.get("OTEL_SEMCONV_STABILITY_OPT_IN", "").replace(" ", "").split(",")
    return "gen_ai_latest_experimental" in chosen


def extract_parent(event: Event) -> Context | None:
    """Return the host's span that an event belongs to, from its W3C `traceparent`."""
    carried: dict[str, str] = {}
    for name in ("traceparent", "tracestate"):
        value = event.body.facts.get(name, event.raw.get(name))
        if isinstance(value, str):
            carried[name] = value
    return TraceContextTextMapPropagator().extract(carried) if "traceparent" in carried else None


def set_up() -> bool:
    """Set up an SDK from the environment, unless that is done (`opentelemetry-instrument`).

    Return whether there is one.

    The entry point `opentelemetry_configurator` finds the SDK; the package opentelemetry-distro has
    one.
    """
    if not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return True
    found = list(entry_points(group="opentelemetry_configurator"))
    for each in found:
        each.load()().configure()
    return bool(found)


def failure_name(fault: str) -> str:
    """Return why a hook failed in one word.

    A name of `Failure`, `exited` for an exit code, else `answer`.
    """
    for failure in Failure:
        if fault.startswith(failure.value):
            return failure.name.lower()
    return "exited" if fault.startswith("exited with status") else "answer"


def _describe_host(event: Event) -> dict[str, AttributeValue]:
    """Return the drafts' attributes of a session and a tool call."""
    is_call = isinstance(event.body, ToolCall)
    found = {
        "gen_ai.conversation.id": event.session_id,
        "gen_ai.tool.name": event.tool if is_call else "",
        "gen_ai.tool.call.id": event.body.value("call_id") if is_call else "",
        "gen_ai.agent.name": event.body.facts.get("agent_name"),
    }
    return {name: value for name, value in found.items() if value and isinstance(value, str)}


def _describe_guardrail(
    event: Event, decision: Decision, verdict: Verdict, spec: HookSpec | None
) -> dict[str, AttributeValue]:
    """Return the drafts' attributes of a hook's run."""
    host = _describe_host(event)
    kind = _verdict_type(verdict)
    has_effect = not verdict.shadow and verdict.stance <= decision.stance
    found: dict[str, AttributeValue] = {
        "operation.name": _GUARDRAIL,
        "guardrail.component.name": (spec.name if spec is not None else "") or verdict.hook_id,
        "guardrail.target.type": (
            "output" if event.kind.rpartition(".")[2] in _OUTPUTS else "input"
        ),
        "guardrail.verdict.type": kind,
        "guardrail.action.type": kind if has_effect else "allow",
        "guardrail.security.content.modified": verdict.rewrite is not None and not verdict.shadow,
    }
    if isinstance(event.body, ToolCall):
        found["guardrail.target.subtype"] = "tool_call"
    elif isinstance(event.body, Generation | Prompt):
        found["guardrail.target.subtype"] = "llm"
    if "gen_ai.tool.call.id" in host:
        found["guardrail.target.id"] = host["gen_ai.tool.call.id"]
    if verdict.fault is not None:
        found["guardrail.verdict.reason"] = failure_name(verdict.fault)
    return host | {f"gen_ai.{name}": value for name, value in found.items()}


def _verdict_type(verdict: Verdict) -> str:
    if verdict.stance >= Stance.DENY:
        return "deny"
    if verdict.stance is Stance.ASK:
        return "escalate"
    if verdict.rewrite is not None:
        return "modify"
    return "warn" if verdict.fault is not None or verdict.for_user else "allow"
