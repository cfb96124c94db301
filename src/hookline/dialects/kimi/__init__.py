"""Kimi CLI, and its newer edition Kimi Code: `[[hooks]]` in the user's config.toml.

Facts: docs/formats/kimi.md; of the processes, docs/formats/agenthooks.md 10.
"""

from __future__ import annotations

import json

from hookline.core.dialect import EventRow, Loaded
from hookline.dialects.kimi.table import TABLE, UNEXPLAINED
from hookline.dialects.kit.dialect import FolderDialect
from hookline.model.spec import HookSpec, Problem
from hookline.model.verdict import Decision, Reply, Stance
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.event import Event, Json


class Kimi(FolderDialect):
    """The dialect of Kimi. It has no options."""

    table = TABLE

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        """Return all hooks, and report equal commands, of which the first that matches runs.

        Facts: docs/formats/kimi.md 6.
        """
        firsts: dict[tuple[object, ...], HookSpec] = {}
        problems: list[Problem] = []
        for spec in specs:
            key = (spec.native_event, spec.identity, spec.shadow, spec.trusted)
            first = firsts.setdefault(key, spec)
            if first is not spec and spec.identity and _overlap(first, spec):
                why = (
                    f"`{spec.name}` stands twice for `{spec.native_event}`; where both match,"
                    f" only `{first.id}` runs, with its timeout"
                )
                problem = Problem.warning("hook.duplicate", why, origin=spec.origin, hook=spec.name)
                problems.append(problem)
        return Loaded(specs=specs, problems=tuple(problems))

    def decode_event(self, payload: Json, native: str = "") -> Event:
        """Return a payload of the host as an event.

        A prompt may be a list of parts; hooks and matchers see its text.
        """
        if not isinstance(payload, dict) or not isinstance(payload.get("prompt"), list):
            return super().decode_event(payload, native)
        plain = {**payload, "prompt": to_text(payload["prompt"])}
        return super().decode_event(plain, native).replace(raw=payload)

    def encode_payload(self, event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
        """Return the payload of a hook: results as text, long ones cut (docs/formats/kimi.md 2)."""
        payload = super().encode_payload(event, spec, row)
        for field, longest in row.cut.items() if row else ():
            payload[field] = to_text(payload[field])[:longest]
        return payload

    def encode_reply(self, decision: Decision, _event: Event, row: EventRow | None) -> Reply:
        """Return the reply: exit 0, and a deny or nothing at all.

        JSON, because a wrapper may change an exit code.
        """
        if row is None or not row.can_block or decision.stance < Stance.DENY:
            return Reply()
        denial = {
            "hookEventName": row.native,
            "permissionDecision": "deny",
            "permissionDecisionReason": decision.reason or UNEXPLAINED,
        }
        return Reply(stdout=to_json_line({"hookSpecificOutput": denial}))


def to_text(value: Json) -> str:
    """Return the text of a prompt or a result: of a list of parts, the parts that are text.

    Of any other value, its JSON.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, dict) and "type" in part for part in value):
        return " ".join(part["text"] for part in value if isinstance(part.get("text"), str))
    return json.dumps(value, ensure_ascii=False)


def _overlap(first: HookSpec, second: HookSpec) -> bool:
    """Return whether two hooks surely match the same event, as far as their matchers tell."""
    return not first.conditions or not second.conditions or first.conditions == second.conditions
