"""The guard `claims`: sends an agent back that says it did what the record does not show."""

from __future__ import annotations

from hookline.guards.claims.record import read_steps, record_event
from hookline.guards.finding import Answer, Finding
from hookline.model.event import Rewrite, Stop
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookline.guards.claims.claim import Claim
    from hookline.guards.claims.judgement import Evidence, Judgement
    from hookline.guards.world import World
    from hookline.model.event import Event

REDOS = 2
IDLE = 2 * 3600.0  # seconds after which the count of redos begins again
_LONGEST = 160  # characters of a sentence in a finding
# Options, and the variables that say the same.
_LEDGERS = {
    "previews": ("PREVIEWS_REGISTRY",),
    "posts": ("AGENTX_LEDGER_FILE", "AGENTX_LEDGER"),
    "jobs": ("SCHEDULED_JOBS",),
}


def judge(event: Event, options: Mapping[str, Any], world: World) -> Answer | None:
    """Record a tool call, or judge what a reply claims."""
    if event.kind.startswith("tool."):
        return record_call(event, world)
    reply = read_reply(event)
    if not reply:
        return None
    # The words of two languages, which a call of a tool does not need.
    from hookline.guards.claims.detection import find_claims  # noqa: PLC0415
    from hookline.guards.claims.judgement import judge_claim  # noqa: PLC0415

    evidence = gather_evidence(event, options, world)
    judged = [(claim, judge_claim(claim, evidence)) for claim in find_claims(reply)]
    doubtful = [(claim, found) for claim, found in judged if found.state != "backed"]
    if not doubtful:
        return None
    if event.kind == "response.before":
        return _append_note(reply, doubtful)
    return _refuse(doubtful, options, world)


def record_call(event: Event, world: World) -> Answer | None:
    """Return the memory with what a call of a tool adds to it."""
    state = record_event(event, world.state, world.now, world.clock)
    return None if state is None else Answer(state=state)


def read_reply(event: Event) -> str:
    """Return the agent's last words of an event; empty if it has none."""
    body = event.body
    if isinstance(body, Stop):
        text = body.last_message
        if not text:
            text = body.facts.get("summary") or body.facts.get("response")
        return text if isinstance(text, str) else ""
    return event.text


def gather_evidence(event: Event, options: Mapping[str, Any], world: World) -> Evidence:
    """Return what the guard recorded, and what the files say that the options name."""
    from hookline.guards.claims.judgement import Evidence  # noqa: PLC0415 - for replies only
    from hookline.guards.claims.ledgers import read_ledger  # noqa: PLC0415 - as above

    steps = tuple(read_steps(world.state))
    names = event.body.facts.get("tool_names")
    ledgers = {
        name: read_ledger(
            options.get(name) or next(filter(None, map(world.environ.get, variables)), ""),
            world.read_file,
        )
        for name, variables in _LEDGERS.items()
    }
    # Without a session there is no memory, and so no record.
    is_recorded = bool(event.session_id) and ("seen" in world.state or bool(steps) or not names)
    return Evidence(steps=steps, now=world.now, is_recorded=is_recorded, **ledgers)


def count_redos(state: Mapping[str, Any], now: float) -> int:
    """Return how often the guard sent the agent back in this session, up to two idle hours ago."""
    last, count = state.get("redone_at", 0.0), state.get("redos", 0)
    return count if isinstance(count, int) and now - last <= IDLE else 0


def _refuse(
    doubtful: Sequence[tuple[Claim, Judgement]], options: Mapping[str, Any], world: World
) -> Answer:
    """Send the agent back for what is unbacked, as often as allowed; warn of everything else."""
    redos, limit = count_redos(world.state, world.now), options.get("redos", REDOS)
    can_redo = redos < limit
    findings = tuple(
        Finding(
            rule=f"claim.{claim.kind}",
            reason=f"{found.reason}, but the reply says it"
            if found.state == "unbacked"
            else f"a claim of the reply cannot be checked, because {found.reason}",
            evidence=_shorten(claim.sentence),
            instead=found.instead,
            stance=Stance.DENY if found.state == "unbacked" and can_redo else Stance.SILENT,
        )
        for claim, found in doubtful
    )
    state = None
    if any(finding.stance is Stance.DENY for finding in findings):
        state = {**world.state, "redos": redos + 1, "redone_at": world.now}
    return Answer(findings=findings, state=state)


def _append_note(reply: str, doubtful: Sequence[tuple[Claim, Judgement]]) -> Answer | None:
    """Append an honest note for what is unbacked; a block quote, so that it claims nothing."""
    lines = [
        f"> Not verified: {_shorten(claim.sentence)} ({found.reason})"
        for claim, found in doubtful
        if found.state == "unbacked"
    ]
    if not lines:
        return None
    text = "\n".join([reply.rstrip(), "", *dict.fromkeys(lines)])
    return Answer(rewrite=Rewrite(target="text", value=text))


def _shorten(text: str) -> str:
    plain = " ".join(text.split()).rstrip(".")
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]} ..."
