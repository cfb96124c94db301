"""A reply, read back as a hook's output, means the decision that it was made from.

Silence is nothing at all.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.core.fit import fit
from hookline.core.fold import fold
from hookline.dialects.starchild import Starchild
from hookline.dialects.starchild.hermes import Hermes
from hookline.model.event import Event, Rewrite
from hookline.model.verdict import Decision, Outcome, Reply, Stance
from tests.unit.dialects.starchild.support import (
    EVENTS,
    HERMES_EVENTS,
    hermes_event,
    one_event,
    one_hook,
    row_of,
)

REWRITES = {
    "input": Rewrite(
        target="input", value={"command": "ls -h", "cwd": "/"}, patch={"command": "ls -h"}
    ),
    "text": Rewrite(target="text", value="***"),
    "output": Rewrite(target="output", value="***"),
}
DIALECT = Starchild(approver=True)


def decision(event: Event, **fields: object) -> Decision:
    """A decision about an event."""
    return Decision(
        kind=event.kind, dialect=event.dialect, native_event=event.native_name, **fields
    )  # type: ignore[arg-type]


def read_back(said: Decision, event: Event) -> Decision:
    """The decision that a Starchild host takes from our reply."""
    reply = DIALECT.encode_decision(said, event)
    keys = {"allow_result_rewrite": True} if event.native_name == "transform_tool_result" else {}
    spec = one_hook(DIALECT, event.native_name, mode="strict", **keys)
    verdict = DIALECT.decode_outcome(
        Outcome(exit_code=reply.exit_code, stdout=reply.stdout, stderr=reply.stderr), spec, event
    )
    assert verdict.fault is None
    return fit(
        fold([verdict], DIALECT.table.fold, event), row_of(DIALECT, event.native_name).powers
    )


@pytest.mark.parametrize("event_name", EVENTS)
def test_every_stance_that_a_row_can_express_is_read_back(event_name: str) -> None:
    """Block and ask, with their reasons."""
    event, row = one_event(DIALECT, event_name), row_of(DIALECT, event_name)
    for stance, power in ((Stance.ASK, "ask"), (Stance.DENY, "deny")):
        if power in row.powers:
            back = read_back(decision(event, stance=stance, reason="why"), event)

            assert (back.stance, back.reason) == (stance, "why")


@pytest.mark.parametrize("event_name", EVENTS)
@given(
    context=st.text("ab ", max_size=4).map(str.strip),
    note=st.text("ab ", max_size=4).map(str.strip),
    target=st.sampled_from(["", *REWRITES]),
)
@settings(deadline=None)
def test_every_effect_that_a_row_can_express_is_read_back(
    event_name: str, context: str, note: str, target: str
) -> None:
    """Contexts, notes and rewrites; of a result also with the note at its end."""
    event, row = one_event(DIALECT, event_name), row_of(DIALECT, event_name)
    rewrite = REWRITES.get(target) if target in row.powers else None
    shown = note if "note" in row.powers else ""
    if row.appends and shown:
        value = f"{rewrite.value if rewrite else '42 rows'}\n\n{shown}"
        rewrite = Rewrite(target="output", value=value)
    told = context if "context" in row.powers else ""
    said = decision(
        event,
        rewrite=rewrite,
        for_agent=(told,) if told else (),
        for_user=(shown,) if shown else (),
    )

    back = read_back(said, event)

    assert (back.rewrite, back.for_agent, back.for_user, back.lowered) == (
        said.rewrite,
        said.for_agent,
        said.for_user,
        (),
    )


@pytest.mark.parametrize("event_name", EVENTS)
def test_silence_is_empty(event_name: str) -> None:
    """The exact no-op: exit 0 and not a byte."""
    event = one_event(DIALECT, event_name)

    assert DIALECT.encode_decision(decision(event), event) == Reply()


@pytest.mark.parametrize("event_name", HERMES_EVENTS)
def test_silence_is_empty_in_hermes(event_name: str) -> None:
    """So it is in the other dialect of the family."""
    event = hermes_event(event_name)

    assert Hermes().encode_decision(decision(event), event) == Reply()


def test_what_hermes_has_no_key_for_goes_to_its_log() -> None:
    """A note for the user is printed on stderr."""
    event = hermes_event("pre_tool_call")

    assert Hermes().encode_decision(decision(event, for_user=("look",)), event) == Reply(
        stderr="look\n"
    )
