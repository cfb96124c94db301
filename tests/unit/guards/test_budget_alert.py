"""The guard `budget_alert`: when it tells the user, and when it does not."""

import pytest

import hookline


@pytest.fixture
def make_engine(tmp_path):
    def make(**options):
        hook = {"use": "budget_alert", **({"with": options} if options else {})}
        return hookline.Engine.from_config(
            {"version": 1, "hooks": [hook]},
            dialect="hookline",
            trust="all",
            environ={"HOME": str(tmp_path)},
        )

    return make


def spend(engine, cost, session="s1"):
    """The notes after a turn that cost so much."""
    payload = {
        "event": "on_response_end",
        "session_id": session,
        "cwd": "/",
        "response": "Done.",
        "turn_cost_usd": cost,
    }
    decision = engine.fire("on_response_end", payload, dialect="starchild")
    assert decision.stance is hookline.Stance.SILENT
    assert decision.rewrite is None
    return list(decision.for_user)


def test_a_turn_over_the_limit_is_told(make_engine):
    """With both amounts; a turn at the limit is not over it."""
    engine = make_engine(limit_usd=0.5)
    assert spend(engine, 0.5) == []
    assert spend(engine, 0.75) == [
        "[budget_alert] this turn cost $0.7500, more than the limit of $0.5000"
    ]


def test_without_a_limit_it_is_a_dollar(make_engine):
    """The default is a dollar a turn."""
    engine = make_engine()
    assert spend(engine, 0.99) == []
    assert len(spend(engine, 1.01)) == 1


@pytest.mark.parametrize("cost", [0.0, None, "9", -3, True])
def test_without_a_real_cost_nothing_is_told(make_engine, cost):
    """A host that does not know the cost reports 0."""
    assert spend(make_engine(limit_usd=0), cost) == []


def test_a_session_is_told_of_once(make_engine):
    """When its sum crosses the limit; each session has its own sum."""
    engine = make_engine(session_limit_usd=2)
    assert [len(spend(engine, 0.9)) for _ in range(5)] == [0, 0, 1, 0, 0]
    assert spend(engine, 1.5, session="s2") == []


def test_both_limits_are_told(make_engine):
    """A turn may cross both."""
    assert len(spend(make_engine(limit_usd=1, session_limit_usd=2), 3)[0].splitlines()) == 2
