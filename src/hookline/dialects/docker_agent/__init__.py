"""docker-agent: hooks in the agent YAML, in today's rules (profile d2) and in those of the older document (profile d1).

Facts: docs/formats/docker-agent.md 1, 5. The deviations X1 to X9 are on unless `exact` asks for the
upstream program.
"""

from __future__ import annotations

from hookline.core.options import read_choice, read_switch
from hookline.dialects.docker_agent.table import NAME, PROFILES, table
from hookline.dialects.kit.dialect import FolderDialect

__all__ = ["NAME", "OPTIONS", "PROFILES", "DockerAgent"]

OPTIONS = ("profile", "exact", "allow_local")


class DockerAgent(FolderDialect):
    """The dialect in one profile. `exact` switches hookline's deviations off, for comparing with upstream.

    With `allow_local`, `http_post` may call this machine and private networks.

    Raises:
        ConfigError: an unknown profile, or a switch that is neither true nor false.
    """

    def __init__(
        self, *, profile: str = "d2", exact: bool = False, allow_local: bool = False
    ) -> None:
        profile = read_choice(NAME, "profile", profile, PROFILES)
        exact = read_switch(NAME, "exact", exact)
        local = read_switch(NAME, "allow_local", allow_local)
        facts = table(profile, exact=exact)
        own = "encode_event export"
        super().__init__(__name__, facts, own, facts=facts, exact=exact, allow_local=local)
