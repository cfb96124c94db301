"""docker-agent: hooks in the agent YAML, by today's rules (profile d2) or the older ones (d1).

Facts: docs/formats/docker-agent.md 1, 5. The deviations X1 to X9 are on unless `exact` asks for the
upstream program.
"""

from __future__ import annotations

from hookline.core.dialect import ABSENT, EventRow
from hookline.core.options import check_switches, read_choice
from hookline.dialects.docker_agent.table import NAME, OUTPUT_KEYS, PROFILES, TABLE, table
from hookline.dialects.kit.dialect import FolderDialect
from hookline.model.verdict import Decision, Reply, Stance
from hookline.wire.hookoutput import to_json_line
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

OPTIONS = ("profile", "exact", "allow_local", "gates_stop")
# Fields that are sent even when empty: a tool that printed nothing, and a call that cost nothing.
_SENT_EMPTY = frozenset({"session_id", "cwd", "hook_event_name", "tool_response", "cost"})


class DockerAgent(FolderDialect):
    """The dialect in one profile.

    `exact` switches hookline's deviations off, for comparing with upstream.

    With `allow_local`, `http_post` may call this machine and private networks. `gates_stop`: the
    host sends its agent back if a hook of another dialect refuses a stop, as `hookline run` does.

    Raises:
        ConfigError: an unknown profile, or a switch that is neither true nor false.
    """

    export_file = "export"

    def __init__(
        self,
        *,
        profile: str = "d2",
        exact: bool = False,
        allow_local: bool = False,
        gates_stop: bool = False,
    ) -> None:
        profile = read_choice(NAME, "profile", profile, PROFILES)
        check_switches(NAME, exact=exact, allow_local=allow_local, gates_stop=gates_stop)
        self.table = table(profile, exact=exact, gates_stop=gates_stop)
        super().__init__(facts=self.table, exact=exact, allow_local=allow_local)

    def encode_payload(self, event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
        """Return the payload of a hook: the fields that have a value and no others.

        So a script may test for a key. docs/formats/docker-agent.md 4
        """
        given = encode(event, TABLE, row, row.payload_name if row else spec.native_event)
        if row is None:
            return given
        response, kept = given.get("tool_response", ""), _SENT_EMPTY
        if response is None:
            given["tool_response"] = ""
        if "tool_error" in given:
            # Other hosts describe the error, or flag it in the response; here it is true or false.
            flagged = isinstance(response, dict) and response.get("is_error") is True
            given["tool_error"] = bool(given["tool_error"]) or flagged
        if row.exact and row.native == "tool_response_transform":
            given.pop("tool_error", None)  # X9
        if not row.exact:
            # An empty value of these fields says something: a sub-agent that failed, a call without
            # arguments.
            kept |= {
                "tool_input",
                *(each.native for each in row.fields if each.default is not ABSENT),
            }
        if not isinstance(given.get("tool_input"), dict):
            given.pop("tool_input", None)
        return {
            key: value
            for key, value in given.items()
            # Upstream drops zeros and false (X5).
            if value
            or (key in kept and value is not None)
            or (isinstance(value, int | float) and not row.exact)
        }

    def encode_reply(self, decision: Decision, _event: Event, row: EventRow | None) -> Reply:
        """Return the reply of a command hook: exit 0 and one object; no opinion is no output."""
        top: dict[str, Any] = {}
        specific: dict[str, Any] = {}
        word, rewrite, evidence = decision.stance.word, decision.rewrite, decision.evidence
        # A veto of `before_compaction` is written as a block: as a verdict only hookline reads it
        # (X3).
        if row is not None and row.grouped and word in row.verdicts:
            specific = {"permission_decision": word, "permission_decision_reason": decision.reason}
        elif decision.stance >= Stance.DENY:
            top = {"decision": "block", "reason": decision.reason}
        if decision.for_user:
            top["system_message"] = "\n".join(decision.for_user)
        effects: dict[str, Any] = {"transition": decision.effects.get("transition")}
        if rewrite is not None:
            effects[rewrite.target] = rewrite.patch if rewrite.target == "input" else rewrite.value
        effects["context"] = "\n".join(decision.for_agent) or None
        if evidence:
            effects["metadata"] = evidence if isinstance(evidence, dict) else {"evidence": evidence}
        for power, value in effects.items():
            if row is not None and power in row.powers and value is not None:
                specific[OUTPUT_KEYS[power]] = value
        if row is not None and specific:
            top["hook_specific_output"] = {"hook_event_name": row.payload_name, **specific}
        return Reply(stdout=to_json_line(top))
