"""Results of detached hooks, and the decision that delivers them."""

from __future__ import annotations

import pytest

from hookline.core.deferred_results import (
    MOST_CHARACTERS,
    DeferredResult,
    add_deferred,
    can_deliver_all,
    can_deliver_wakes,
    count_characters,
    make_deferred,
    parse_deferred,
    report_dropped,
)
from hookline.core.dialect import FoldRule, Table
from hookline.core.plan import Plan
from hookline.model.event import Event, Prompt, Rewrite, Stop
from hookline.model.verdict import Decision, Lowered, Stance, Verdict

HEARD = Table(name="d", rows={}, late=frozenset({"context", "note", "wake"}))
DEAF = Table(name="d", rows={})
OVER = "the hook ran in the background, and its moment was over"
PROMPT = Event(
    kind="prompt.submit",
    dialect="d",
    native_name="Prompt",
    session_id="s",
    cwd="/",
    body=Prompt(prompt="x"),
)
STOP = Event(kind="stop", dialect="d", native_name="Stop", session_id="s", cwd="/", body=Stop())
TURN = Plan(groups=(), rule=FoldRule(), powers=frozenset({"context", "note", "deny"}))
GATE = TURN.replace(redoes=True)
ASKED = Decision(kind="prompt.submit", dialect="d", native_event="Prompt")
STOPPED = ASKED.replace(kind="stop", native_event="Stop")


# -- what is kept ----------------------------------------------------------------------------------


def test_what_informs_is_kept() -> None:
    """Words for the agent and for the user still count when the moment is over."""
    late = make_deferred(
        Verdict(hook_id="h", for_agent="a", for_user="u", exit_code=0, seconds=2.0), HEARD
    )

    assert late == DeferredResult(
        hook_id="h", for_agent="a", for_user="u", exit_code=0, seconds=2.0
    )


@pytest.mark.parametrize("table", [DEAF, HEARD.replace(late=frozenset({"note"}))])
def test_the_table_says_which_late_results_count(table: Table) -> None:
    """A dialect without late results keeps none, and one with late notes keeps notes."""
    late = make_deferred(Verdict(hook_id="h", for_agent="a", for_user="u"), table)

    assert (late and (late.for_agent, late.for_user)) == (None if table is DEAF else ("", "u"))


@pytest.mark.parametrize(
    ("verdict", "lost"),
    [
        (Verdict(stance=Stance.DENY, reason="no"), ("deny",)),
        (Verdict(stance=Stance.HALT), ("halt",)),
        (
            Verdict(stance=Stance.ALLOW, rewrite=Rewrite(target="input", value={})),
            ("allow", "input"),
        ),
        (Verdict(retry_after=1.0, effects={"title": "t"}), ("retry", "title")),
    ],
)
def test_what_decides_is_lost_and_listed(verdict: Verdict, lost: tuple[str, ...]) -> None:
    """A stance, a rewrite or an effect only counts while the event waits."""
    late = make_deferred(verdict, HEARD)

    assert late is not None
    assert late.lost == tuple(f"{effect}: {OVER}" for effect in lost)


def test_a_silent_hook_leaves_nothing() -> None:
    """Nor does a shadow hook with any output."""
    assert make_deferred(Verdict(hook_id="h", exit_code=0, seconds=1.0), HEARD) is None
    assert make_deferred(Verdict(hook_id="h", for_agent="a", shadow=True), HEARD) is None


def test_a_failure_is_told_and_decides_nothing() -> None:
    """Not even where a failure of this hook is a denial."""
    late = make_deferred(
        Verdict(hook_id="h", stance=Stance.DENY, reason="r", fault="timed out"), HEARD
    )

    assert late is not None
    assert (late.for_user, late.lost, late.fault) == (
        "hook `h` failed in the background: timed out",
        (),
        "timed out",
    )


def test_a_wake_is_a_message_and_a_summary() -> None:
    """The message is the agent's, the summary the user's."""
    late = make_deferred(
        Verdict(hook_id="h", effects={"wake": {"message": "m", "summary": "s"}}), HEARD
    )

    assert late is not None
    assert (late.wake, late.for_user, late.lost) == ("m", "s", ())


def test_an_endless_text_is_cut_and_says_so() -> None:
    """An agent is informed, not drowned."""
    late = make_deferred(Verdict(hook_id="h", for_agent="x" * (MOST_CHARACTERS + 1)), HEARD)

    assert late is not None
    assert late.for_agent.endswith(
        f"x\n(cut by hookline: {MOST_CHARACTERS} of {MOST_CHARACTERS + 1} characters)"
    )
    assert count_characters([late]) == len(late.for_agent)


def test_what_is_kept_comes_back_the_same() -> None:
    """Through what JSON can say."""
    late = DeferredResult(
        hook_id="h",
        for_agent="a",
        for_user="u",
        wake="w",
        lost=("deny: x",),
        fault="f",
        exit_code=2,
        seconds=0.5,
        identity="i",
        content="c",
    )

    assert parse_deferred(late.to_dict()) == late


def test_what_an_older_version_kept_is_told_all_the_same() -> None:
    """It has no record of what the hook was approved as."""
    kept = {
        name: value
        for name, value in DeferredResult(hook_id="h", for_agent="a").to_dict().items()
        if name not in ("identity", "content")
    }

    assert parse_deferred(kept) == DeferredResult(hook_id="h", for_agent="a")


def test_a_late_result_names_the_approval() -> None:
    """It has the approval's hash, as that of a hook that was waited for."""
    late = make_deferred(Verdict(hook_id="h", for_agent="a", identity="i", content="c"), HEARD)
    assert late is not None
    (said,) = add_deferred(ASKED, PROMPT, TURN, [late]).verdicts

    assert (said.identity, said.content, said.late) == ("i", "c", True)


@pytest.mark.parametrize("given", [None, [], {}, {"hook_id": "h", "lost": [], "else": 1}])
def test_what_is_no_answer_is_refused(given: object) -> None:
    """It raises ValueError and no other error."""
    with pytest.raises(ValueError, match="no "):
        parse_deferred(given)


# -- what is told ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "decision", "plan", "all_", "wakes"),
    [
        (PROMPT, ASKED, TURN, True, False),
        (PROMPT, ASKED.replace(stance=Stance.ASK), TURN, True, False),
        (
            PROMPT,
            ASKED.replace(stance=Stance.DENY),
            TURN,
            False,
            False,
        ),  # the prompt is erased, and with it what goes along
        (PROMPT, ASKED, TURN.replace(powers=frozenset({"note"})), False, False),
        (PROMPT.replace(kind="tool.before"), ASKED, TURN, False, False),
        (STOP, STOPPED, GATE, False, True),
        (STOP, STOPPED, TURN, False, False),  # a host whose stop cannot be refused
        (STOP, STOPPED.replace(stance=Stance.DENY, redo=True), GATE, False, True),
        (
            STOP,
            STOPPED.replace(stance=Stance.DENY, redo=True),
            GATE.replace(powers=frozenset({"deny"})),
            False,
            False,
        ),
        (STOP, STOPPED.replace(stance=Stance.HALT), GATE, False, False),
        (STOP.replace(kind="subagent.stop"), STOPPED, GATE, False, False),
    ],
)
def test_a_turn_tells_everything_and_a_stop_what_wakes(
    event: Event, decision: Decision, plan: Plan, all_: bool, wakes: bool
) -> None:
    """A result that a refusal or the host's format would lose stays for the next turn."""
    assert (
        can_deliver_all(event, decision, plan, HEARD),
        can_deliver_wakes(event, decision, plan),
    ) == (
        all_,
        wakes,
    )


def test_the_table_says_where_results_are_delivered() -> None:
    """The table says where a host begins its turns."""
    assert not can_deliver_all(
        PROMPT, ASKED, TURN, HEARD.replace(delivers=frozenset({"session.start"}))
    )


def test_a_turn_begins_with_what_came_late() -> None:
    """Late results follow those of this event's hooks, in order and with names."""
    own = Verdict(hook_id="own", for_agent="now")
    decision = add_deferred(
        ASKED.replace(verdicts=(own,), seconds=0.1), PROMPT, TURN,
        [DeferredResult(hook_id="a", for_agent="first", wake="up"),
         DeferredResult(hook_id="b", for_user="second", lost=("deny: over",))],
    )  # fmt: skip

    assert (decision.stance, decision.for_agent, decision.for_user) == (
        Stance.SILENT,
        ("now", "up\nfirst"),
        ("second",),
    )
    assert decision.lowered == (Lowered(effect="deny", reason="over", hook="b"),)
    assert [(verdict.hook_id, verdict.late) for verdict in decision.verdicts] == [
        ("own", False),
        ("a", True),
        ("b", True),
    ]
    assert decision.seconds == 0.1


def test_a_stop_is_answered_by_a_redo() -> None:
    """The point of waking is that the agent goes on working.

    All that wakes is in the one reason.
    """
    decision = add_deferred(
        STOPPED,
        STOP,
        GATE,
        [
            DeferredResult(hook_id="a", wake="one", for_user="u"),
            DeferredResult(hook_id="b", wake="two"),
        ],
    )

    assert (decision.stance, decision.redo, decision.reason, decision.for_user) == (
        Stance.DENY,
        True,
        "one\ntwo",
        ("u",),
    )


def test_where_a_hook_sends_the_agent_back_already_the_wake_goes_along() -> None:
    """As context, because a decision gives one reason."""
    own = Verdict(hook_id="own", stance=Stance.DENY, reason="tests")
    decision = add_deferred(
        STOPPED.replace(stance=Stance.DENY, redo=True, verdicts=(own,)),
        STOP,
        GATE,
        [DeferredResult(hook_id="a", wake="one")],
    )

    assert (decision.redo, decision.reason, decision.for_agent) == (True, "tests", ("one",))


def test_dropped_results_are_reported() -> None:
    """The user gets a notice, and the decision lists it."""
    decision = report_dropped(ASKED, {"h": 2})
    why = "2 of its answers from the background fell out, because too many were waiting (HKL2006)"

    assert decision.for_user == (f"hook `h`: {why}",)
    assert decision.lowered == (Lowered(effect="context", reason=why, hook="h"),)
    assert report_dropped(ASKED, {}) is ASKED
