"""The time limit of the matchers of one event."""

from __future__ import annotations

from typing import Any

from hookline.core.dialect import Source
from hookline.core.dispatch import dispatch
from hookline.core.plan import plan
from hookline.core.registry import Registry
from hookline.engine.catalog import make_dialect
from hookline.model.verdict import Outcome


class Clock:
    """A clock that moves on by so many seconds whenever it is read."""

    def __init__(self, step: float) -> None:
        self.now = 0.0
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def _asked(
    matchers: list[str], tool: str, clock: Clock, mode: str = "fidelity"
) -> tuple[list[str], Any]:
    """The commands that Claude Code runs for a call of a tool, and the decision."""
    dialect = make_dialect("claude-code")
    groups = [
        {"matcher": matcher, "hooks": [{"type": "command", "command": f"h{at}"}]}
        for at, matcher in enumerate(matchers)
    ]
    loaded = dialect.load(Source(tree={"hooks": {"PreToolUse": groups}}, mode=mode))
    registry = Registry().with_(loaded.specs, dialect)
    event = dialect.decode_event(
        {
            "hook_event_name": "PreToolUse",
            "session_id": "s",
            "cwd": "/w",
            "tool_name": tool,
            "tool_input": {},
        }
    )
    ran: list[str] = []
    asking = dispatch(plan(registry, event, dialect), event, clock)
    try:
        runs = next(asking)
        while True:
            ran += [run.spec.name for run in runs]
            runs = asking.send(tuple(Outcome(exit_code=0) for _ in runs))
    except StopIteration as stop:
        return ran, stop.value


def test_the_matchers_of_an_event_share_200_ms() -> None:
    """Hooks with a later matcher fail then, and the user gets a notice."""
    ran, decision = _asked(
        ["a(?=b)", "(?=ab)", "(?!x)ab", "ab(?!c)", "Write|ab"], "ab", Clock(0.08)
    )

    assert ran == ["h0", "h1", "h2", "h4"]
    assert [verdict.fault for verdict in decision.verdicts if verdict.fault] == [
        (
            "its matcher took too long: the matchers of this event took 200 ms; write it without "
            "look-around or nested repetitions"
        )
    ]
    assert any("hook `h3` failed: its matcher took too long" in text for text in decision.for_user)


def test_a_strict_hook_whose_matcher_is_too_late_refuses() -> None:
    """A guard never disappears because a text is hard to match."""
    _, decision = _asked(["(?=ab)", "(?!x)ab"], "ab", Clock(0.3), "strict")

    assert decision.stance.name == "ASK"


def test_matchers_of_re2_cost_nothing() -> None:
    """Only what may take long is measured."""
    ran, decision = _asked(["a.*", "^[^x]", "^(?:a|x)", "[ab]+"], "ab", Clock(9.0))

    assert ran == ["h0", "h1", "h2", "h3"]
    assert not any(verdict.fault for verdict in decision.verdicts)
