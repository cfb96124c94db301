"""A reply, read back as a hook's output, means the decision that it was made from."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.core.fit import fit
from hookline.core.fold import fold
from hookline.dialects.docker_agent import DockerAgent
from hookline.dialects.docker_agent.table import PROFILES
from hookline.model.event import Event, Rewrite
from hookline.model.verdict import Decision, Outcome, Stance
from tests.unit.dialects.docker_agent.support import EVENTS, one_event, one_hook, row_of

TEXTS = st.text(min_size=1).filter(lambda text: bool(text.strip()))
STANCES = {Stance.ALLOW: "allow", Stance.ASK: "ask", Stance.DENY: "deny", Stance.HALT: "halt"}
MESSAGES = [{"role": "user", "content": "y"}]
REWRITES = {
    "input": Rewrite(target="input", value={"cmd": "ls -h", "cwd": "/"}, patch={"cmd": "ls -h"}),
    "messages": Rewrite(target="messages", value=MESSAGES),
    "output": Rewrite(target="output", value=""),
    "summary": Rewrite(target="summary", value="short"),
}
DIALECTS = [
    DockerAgent(profile=profile, exact=exact) for profile, exact in product(PROFILES, (False, True))
]


def decision(event: Event, **fields: object) -> Decision:
    """A decision about an event."""
    return Decision(
        kind=event.kind, dialect=event.dialect, native_event=event.native_name, **fields
    )  # type: ignore[arg-type]


def read_back(dialect: DockerAgent, said: Decision, event: Event) -> Decision:
    """The decision that docker-agent takes from our reply."""
    reply = dialect.encode_decision(said, event)
    spec = one_hook(dialect, event.native_name, name="hookline", strict_output=True)
    verdict = dialect.decode_outcome(
        Outcome(exit_code=reply.exit_code, stdout=reply.stdout, stderr=reply.stderr), spec, event
    )
    assert verdict.fault is None
    return fit(
        fold([verdict], dialect.table.fold, event), row_of(dialect, event.native_name).powers
    )


def meaning(said: Decision) -> dict[str, object]:
    """What a decision makes its host do."""
    return {
        "stance": said.stance,
        "reason": said.reason,
        "rewrite": said.rewrite,
        "for_agent": "\n".join(said.for_agent),
        "for_user": "\n".join(said.for_user),
        "evidence": said.evidence,
        "effects": dict(said.effects),
        "lowered": said.lowered,
    }


@pytest.mark.parametrize("dialect", DIALECTS, ids=["d2", "d2-exact", "d1", "d1-exact"])
@pytest.mark.parametrize("event_name", EVENTS)
def test_every_stance_that_a_row_can_express_is_read_back(
    event_name: str, dialect: DockerAgent
) -> None:
    """Whatever the event, its reply keeps stance and reason, even under `strict_output`."""
    event = one_event(dialect, event_name)
    powers = row_of(dialect, event_name).powers
    for stance in [
        Stance.SILENT,
        *(stance for stance, power in STANCES.items() if power in powers),
    ]:
        said = decision(event, stance=stance, reason="because" if stance else "")

        assert meaning(read_back(dialect, said, event)) == meaning(said)


@pytest.mark.parametrize("event_name", EVENTS)
@given(data=st.data())
@settings(deadline=None)
def test_everything_that_a_row_can_express_is_read_back(
    event_name: str, data: st.DataObject
) -> None:
    """Stance, reason, rewrite, context, notes, metadata and route survive in any combination."""
    dialect = data.draw(st.sampled_from(DIALECTS))
    event = one_event(dialect, event_name)
    powers = row_of(dialect, event_name).powers
    stance = data.draw(
        st.sampled_from(
            [Stance.SILENT, *(stance for stance, power in STANCES.items() if power in powers)]
        )
    )
    rewrites = [rewrite for target, rewrite in REWRITES.items() if target in powers]
    routes = "transition" in powers and stance < Stance.DENY
    said = decision(
        event,
        stance=stance,
        reason=data.draw(TEXTS) if stance else "",
        rewrite=data.draw(st.sampled_from([None, *rewrites])),
        for_agent=tuple(data.draw(st.lists(TEXTS, max_size=2)) if "context" in powers else ()),
        for_user=tuple(data.draw(st.lists(TEXTS, max_size=2))),
        evidence=data.draw(st.none() | st.dictionaries(TEXTS, TEXTS, min_size=1))
        if "metadata" in powers
        else None,
        effects=data.draw(
            st.sampled_from(
                [{}, {"transition": {"action": "route", "agent": "b"}}] if routes else [{}]
            )
        ),
    )

    assert meaning(read_back(dialect, said, event)) == meaning(said)


@pytest.mark.parametrize("event_name", [*EVENTS, "on_moonrise"])
def test_silence_is_the_exact_no_op(event_name: str) -> None:
    """Exit 0 and not a byte on either stream."""
    dialect = DockerAgent()
    event = (
        one_event(dialect, event_name)
        if event_name in EVENTS
        else dialect.decode_event({}, event_name)
    )
    reply = dialect.encode_decision(decision(event), event)

    assert (reply.exit_code, reply.stdout, reply.stderr) == (0, "", "")


@pytest.mark.parametrize("event_name", [*EVENTS, "on_moonrise"])
@pytest.mark.parametrize("stance", list(Stance))
def test_a_reply_is_made_of_any_decision(stance: Stance, event_name: str) -> None:
    """A decision that does not fit its event raises nothing, and no denial becomes an approval."""
    dialect = DockerAgent()
    event = (
        one_event(dialect, event_name)
        if event_name in EVENTS
        else dialect.decode_event({}, event_name)
    )
    said = decision(
        event,
        stance=stance,
        rewrite=Rewrite(target="text", value="x"),
        for_agent=("x",),
        evidence=["x"],
        effects={"env": {"A": "1"}},
    )
    reply = dialect.encode_decision(said, event)

    assert reply.exit_code == 0
    assert stance < Stance.DENY or "allow" not in reply.stdout
