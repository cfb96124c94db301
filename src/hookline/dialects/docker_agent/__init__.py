"""docker-agent: hooks in the agent YAML, in today's rules (profile d2) and in those of the older document (profile d1).

Facts: docs/formats/docker-agent.md 1, 5. The deviations X1 to X9 are on unless `exact` asks for the upstream program.
"""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.core.failure import make_failed_verdict
from hookline.core.options import read_switch
from hookline.dialects.docker_agent.decode_outcome import Manner, decode_outcome
from hookline.dialects.docker_agent.encode_decision import encode_decision
from hookline.dialects.docker_agent.encode_event import payload
from hookline.dialects.docker_agent.load import Habits, load
from hookline.dialects.docker_agent.table import NAME, PROFILES, table
from hookline.errors import ConfigError
from hookline.wire.payload import decode, encode_wire_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Declaration, EventRow, Source, Written
    from hookline.model.event import Event, Json
    from hookline.model.outcome import Outcome
    from hookline.model.reply import Reply
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

__all__ = ["NAME", "OPTIONS", "PROFILES", "DockerAgent"]

OPTIONS = ("profile", "exact", "allow_local")
_NAMES = {"native": "hook_event_name", "session_id": "session_id", "cwd": "cwd"}


class DockerAgent:
    """The dialect in one profile. `exact` switches hookline's deviations off, for comparing with upstream.

    With `allow_local`, `http_post` may call this machine and private networks.
    """

    def __init__(
        self, *, profile: str = "d2", exact: bool = False, allow_local: bool = False
    ) -> None:
        if profile not in PROFILES:
            raise ConfigError(
                f"unknown profile `{profile}` of {NAME}",
                name="config.option",
                hint=f"one of {', '.join(PROFILES)}",
            )
        exact, local = (
            read_switch(NAME, "exact", exact),
            read_switch(NAME, "allow_local", allow_local),
        )
        self.table = table(profile, exact=exact)
        self.manner = Manner(
            forgives_exits=profile == "d1",
            forgives_output=profile == "d1",
            camel=not exact,
            reason_from_stdout=not exact,
            whole_names=exact,
            explains=not exact,
            redacts=not exact,
        )
        # X7: bash wherever there is one, because the published scripts rely on it; upstream takes the login shell.
        self.habits = Habits(
            shells=("$SHELL", "sh") if exact else ("bash", "sh"),
            whole_names=exact,
            allow_local=local,
        )

    def load(self, source: Source) -> Loaded:
        return load(source, self.table, self.habits)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        return Loaded(specs=specs)

    def decode_event(self, payload: Json, native: str = "") -> Event:
        return decode(payload, self.table, native, _NAMES)

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        return encode_wire_text(
            payload(event, self.table, self._row(spec.native_event), spec.native_event), self.table
        )

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:  # noqa: ARG002 - the protocol's
        row = self._row(spec.native_event)
        return (
            decode_outcome(outcome, spec, row, self.manner)
            if row
            else make_failed_verdict(spec, outcome)
        )

    def encode_decision(self, decision: Decision, event: Event) -> Reply:
        return encode_decision(decision, self._row(event.native_name))

    def _row(self, native: str) -> EventRow | None:
        return self.table.row(native)

    def export(self, declarations: tuple[Declaration, ...]) -> Written:
        """Hooks as the files that this dialect keeps them in."""
        from hookline.dialects.docker_agent.export import export  # noqa: PLC0415 - only who converts a file needs it

        return export(declarations)
