"""Names of telemetry: those of OpenTelemetry's drafts, which may still change, and hookline's own, which do not.

The drafts (semantic conventions for generative AI; guardrails: pull request 427 there) are used only where
`OTEL_SEMCONV_STABILITY_OPT_IN` names them. hookline has no counterpart of `hooks.cached`, because it never reuses a hook's
earlier answer: a hook runs for each event that it matches, or not at all (`once`).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

OPT_IN, EXPERIMENTAL = "OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai_latest_experimental"

# -- hookline's own ----------------------------------------------------------------------------------------------------
EVENT_SPAN, RUN_SPAN = "hooks.event", "hooks.run"
EVENT, DIALECT, SESSION, DECISION, SHADOW = (
    "hooks.event",
    "hooks.dialect",
    "hooks.session",
    "hooks.decision",
    "hooks.shadow",
)
HOOK, HANDLER_KIND, EXIT_CODE, DURATION = (
    "hooks.hook",
    "hooks.handler.kind",
    "hooks.exit_code",
    "hooks.duration",
)
FAILURE_MODE, OUTCOME, REASON = "hooks.failure_mode", "hooks.outcome", "hooks.reason"
RUN_DURATION, DECISIONS, FAILURES, PENDING = (
    "hooks.run.duration",
    "hooks.decisions",
    "hooks.failures",
    "hooks.pending_approvals",
)

# -- drafts ------------------------------------------------------------------------------------------------------------
OPERATION, RUN_GUARDRAIL = "gen_ai.operation.name", "run_guardrail"
CONVERSATION, AGENT = "gen_ai.conversation.id", "gen_ai.agent.name"
TOOL, TOOL_CALL = "gen_ai.tool.name", "gen_ai.tool.call.id"
_GUARDRAIL = "gen_ai.guardrail"
COMPONENT = f"{_GUARDRAIL}.component.name"
TARGET_TYPE, TARGET_SUBTYPE, TARGET_ID = (
    f"{_GUARDRAIL}.target.type",
    f"{_GUARDRAIL}.target.subtype",
    f"{_GUARDRAIL}.target.id",
)
VERDICT_TYPE, VERDICT_REASON = f"{_GUARDRAIL}.verdict.type", f"{_GUARDRAIL}.verdict.reason"
ACTION_TYPE, CONTENT_MODIFIED = (
    f"{_GUARDRAIL}.action.type",
    f"{_GUARDRAIL}.security.content.modified",
)


_ASKING = (
    "OTEL_TRACES_EXPORTER",
    "OTEL_METRICS_EXPORTER",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
)


def is_telemetry_requested(environ: Mapping[str, str]) -> bool:
    """Return whether the environment names a destination for telemetry."""
    if environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    return any(environ.get(name, "none") not in ("", "none") for name in _ASKING)


def should_use_drafts(environ: Mapping[str, str]) -> bool:
    """Return whether the environment opts in to names that may still change."""
    return EXPERIMENTAL in environ.get(OPT_IN, "").replace(" ", "").split(",")
