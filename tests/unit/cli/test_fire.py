"""`hookline fire`: payloads, pages, colours."""

from __future__ import annotations

import pytest

from hookline.cli.fire import render_decision
from hookline.cli.output import Paint
from hookline.model.event import Rewrite
from hookline.model.verdict import Decision, Lowered, Stance, Verdict
from tests.unit.cli.support import DOCKER, LS, SUDO, Desk


def test_a_denial_is_told_with_its_reason_and_its_hooks(desk: Desk) -> None:
    """The exit code is 1, and each hook has a line."""
    told = desk.type("fire", "pre_tool_use", "-c", DOCKER, stdin=SUDO)

    assert told.code == 1
    assert told.out.startswith("deny  pre_tool_use (tool.before, docker-agent) in ")
    assert "  docker-agent/hooks.yaml#root.pre_tool_use.kvbpbk  deny after " in told.out


@pytest.mark.parametrize("sent", [b"ls", b"[]", b"\xff", b"[" * 100_000, b'"x"'])
def test_a_payload_that_is_no_object_is_refused(sent: bytes, desk: Desk) -> None:
    """One line with the code."""
    told = desk.type("fire", "pre_tool_use", "-c", DOCKER, stdin=sent)

    assert (told.code, told.out) == (2, "")
    assert told.err.startswith("hookline fire: HKL4001 the payload ")
    assert told.err.count("\n") == 1


def test_a_payload_may_be_a_file(desk: Desk) -> None:
    """With --input."""
    name = desk.file("payload.json", '{"tool_name": "shell", "tool_input": {"cmd": "ls"}}')

    assert (
        desk.type("fire", "pre_tool_use", "-c", DOCKER, "--input", name, "--json").document[
            "stance"
        ]
        == "allow"
    )


def test_colour_is_never_the_only_bearer_of_a_meaning(desk: Desk) -> None:
    """Without colour the text is the same."""
    plain = desk.type("fire", "pre_tool_use", "-c", DOCKER, stdin=LS).out.splitlines()[0]
    painted = desk.type(
        "fire", "pre_tool_use", "-c", DOCKER, "--color", "always", stdin=LS
    ).out.splitlines()[0]

    assert "\x1b[1;32mallow\x1b[0m" in painted.replace("\x1b[32m", "\x1b[1;32m")
    assert plain.startswith("allow  ")


def test_a_page_tells_every_effect() -> None:
    """The page shows each effect of a decision."""
    decision = Decision(
        kind="stop",
        dialect="d",
        native_event="Stop",
        stance=Stance.DENY,
        reason="one\ntwo",
        rewrite=Rewrite(target="text", value="new"),
        for_agent=("for it",),
        for_user=("for them",),
        retry_after=2.0,
        redo=True,
        effects={"title": "T"},
        lowered=(Lowered(effect="ask", reason="cannot"),),
        verdicts=(Verdict(hook_id="h", stance=Stance.DENY, fault="broke", shadow=True),),
    )

    assert list(render_decision(decision.to_dict(), Paint(on=False))) == [
        "deny  Stop (stop, d) in 0.0 ms",
        "  reason: one\n    two",
        "  redo: the agent goes on working",
        "  retry: after 2 s",
        '  text: "new"',
        '  title: "T"',
        "  for the agent: for it",
        "  for the user: for them",
        "  lowered: ask: cannot",
        "  h (shadow)  deny after 0.0 ms: broke",
    ]


def test_a_decision_without_hooks_says_so() -> None:
    """The page says why the decision is silent."""
    decision = Decision(kind="stop", dialect="d", native_event="Stop")

    assert list(render_decision(decision.to_dict(), Paint(on=False)))[-1] == "  no hook took part"
