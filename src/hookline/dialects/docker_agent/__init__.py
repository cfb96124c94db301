"""docker-agent: hooks in the agent YAML, in today's rules (profile d2) and in those of the older document (profile d1).

Facts: docs/formats/docker-agent.md 1, 5. The deviations X1 to X9 are on unless `exact` asks for the upstream program.
"""

from __future__ import annotations

from hookline.core.failure import make_failed_verdict
from hookline.core.options import read_switch
from hookline.dialects.docker_agent.decode_outcome import Manner, decode_outcome
from hookline.dialects.docker_agent.load import Habits
from hookline.dialects.docker_agent.table import NAME, PROFILES, table
from hookline.dialects.kit.dialect import FolderDialect
from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Verdict

__all__ = ["NAME", "OPTIONS", "PROFILES", "DockerAgent"]

OPTIONS = ("profile", "exact", "allow_local")


class DockerAgent(FolderDialect):
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
        habits = Habits(
            shells=("$SHELL", "sh") if exact else ("bash", "sh"),
            whole_names=exact,
            allow_local=local,
        )
        facts = table(profile, exact=exact)
        super().__init__(__name__, facts, "encode_event export", facts=facts, habits=habits)

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:  # noqa: ARG002 - the protocol's
        row = self.row(spec.native_event)
        if row is None:
            return make_failed_verdict(spec, outcome)
        return decode_outcome(outcome, spec, row, self.manner)
