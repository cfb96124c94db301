"""Approving tool calls: a denial holds, a rewrite approves nothing, each path has one source."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from hookline.host.approval import (
    EVENTS,
    GUARD,
    PERMISSION_REQUEST,
    PRE_TOOL_USE,
    PREEMPT,
    TRANSFORM,
    Answer,
    Approval,
    ApprovalPolicy,
    HookResult,
    Mode,
    Source,
    recheck_prompt,
    settle_prompt,
    start_approval,
    take_result,
)
from hookline.host.permissions import PermissionRules, find_denying_rule, parse_rule
from hookline.host.tool_call import ToolCall
from hookline.model.verdict import Stance
from tests.laws.strategies import LAW

COMMANDS = ("ls", "make", "rm -rf /", "ls; make", "git push")
PATTERNS = ("shell", "shell:cmd=ls*", "shell:cmd=make*", "shell:cmd=git push*", "*", "read_file")
WEAK = (Stance.SILENT, Stance.ALLOW, Stance.ASK)
ALLOWED = {each for each in Source if "allow" in each or "user_approved" in each} | {
    Source.YOLO,
    Source.READ_ONLY_HINT,
    Source.MODE_BALANCED,
}
DENIED = {each for each in Source if each.endswith("deny")} | {Source.USER_REJECTED}
LONGEST = 7  # events: five, and the two guards once more

patterns = st.lists(st.sampled_from(PATTERNS).map(parse_rule), max_size=2).map(tuple)
rules = st.builds(PermissionRules, allow=patterns, ask=patterns, deny=patterns)
policies = st.builds(
    ApprovalPolicy,
    mode=st.sampled_from(Mode),
    team=rules,
    session=rules,
    interactive=st.booleans(),
)
calls = st.sampled_from(COMMANDS).map(
    lambda command: ToolCall(tool="shell", arguments={"cmd": command}, cwd="/p", home="/home/u")
) | st.booleans().map(lambda reads: ToolCall(tool="read_file", arguments={}, read_only=reads))
# What each guard says of each command; the other events say the same of all.
stances = st.sampled_from(Stance)
guards = st.fixed_dictionaries(
    {(event, command): stances for event in (GUARD, PREEMPT) for command in (*COMMANDS, "")}
)
weak_guards = st.fixed_dictionaries(
    {
        (event, command): st.sampled_from(WEAK)
        for event in (GUARD, PREEMPT)
        for command in (*COMMANDS, "")
    }
)


class Hooks(NamedTuple):
    """What the hooks say: `guards` of each command, `others` by event; and one rewrite."""

    guards: dict[tuple[str, str], Stance]
    others: dict[str, Stance]
    rewrite: str = ""

    def answer(self, event: str, call: ToolCall) -> HookResult:
        """Return the result of an event."""
        if event in {GUARD, PREEMPT}:
            return HookResult(stance=self.guards[event, call.command])
        rewrite = {"cmd": self.rewrite} if event == PRE_TOOL_USE and self.rewrite else None
        return HookResult(stance=self.others[event], rewrite=rewrite)


def hooks_of(guarding: st.SearchStrategy, late: st.SearchStrategy) -> st.SearchStrategy[Hooks]:
    """Hooks whose guards, and whose late events, say this."""
    others = st.fixed_dictionaries({TRANSFORM: late, PRE_TOOL_USE: late, PERMISSION_REQUEST: late})
    return st.builds(Hooks, guarding, others, st.sampled_from(("", *COMMANDS)))


every_hooks = hooks_of(guards, stances)
weak_hooks = hooks_of(weak_guards, st.sampled_from(WEAK))


def drive(call: ToolCall, policy: ApprovalPolicy, hooks: Hooks) -> tuple[Approval, list[str]]:
    """Return the approval when it is settled or waits for the user, and the events it fired."""
    state, fired = start_approval(call, policy), []
    while state.event:
        fired.append(state.event)
        state = take_result(state, hooks.answer(state.event, state.call))
    return state, fired


def strictness(state: Approval) -> int:
    """Allow, prompt, deny."""
    if state.settlement is None:
        return 1
    return 0 if state.settlement.decision == "allow" else 2


@LAW
@given(calls, policies, every_hooks, st.sampled_from(Answer))
def test_each_path_has_one_source(
    call: ToolCall, policy: ApprovalPolicy, hooks: Hooks, answer: Answer
) -> None:
    """It ends after a few events, and the source belongs to the decision."""
    state, fired = drive(call, policy, hooks)
    assert len(fired) <= LONGEST
    assert set(fired) <= set(EVENTS)
    assert (state.settlement is None) is (state.prompt is not None)
    if state.settlement is None:
        state = settle_prompt(state, answer)
    assert state.settlement is not None
    decision, source = state.settlement.decision, state.settlement.source
    if source is Source.MODE_RESTRICTED:
        return
    assert source in (ALLOWED if decision == "allow" else DENIED)
    assert bool(state.settlement.text) is (decision == "deny")


@LAW
@given(calls, policies, every_hooks)
def test_a_denial_holds(call: ToolCall, policy: ApprovalPolicy, hooks: Hooks) -> None:
    """Of a hook that was asked, and of a rule, whatever else allows the call."""
    state, fired = drive(call, policy, hooks)
    deny = (*policy.team.deny, *policy.session.deny)
    by_rule = find_denying_rule(deny, state.call) is not None
    by_hook = hooks.answer(fired[-1], state.call).stance >= Stance.DENY

    if by_rule or by_hook:
        assert strictness(state) == 2


@LAW
@given(calls, policies, weak_hooks)
def test_a_rewrite_makes_nothing_looser(
    call: ToolCall, policy: ApprovalPolicy, hooks: Hooks
) -> None:
    """The approval of a rewritten call is at least as strict as that of the call."""
    rewritten, _ = drive(call, policy, hooks)
    plain, _ = drive(call, policy, hooks._replace(rewrite=""))

    assert strictness(rewritten) >= strictness(plain)


@LAW
@given(calls, policies, weak_hooks, st.sampled_from((GUARD, PREEMPT)), stances)
def test_a_guard_makes_nothing_looser(
    call: ToolCall, policy: ApprovalPolicy, hooks: Hooks, event: str, added: Stance
) -> None:
    """Whatever it says, the approval is at least as strict as without it."""
    silent = {key: Stance.SILENT if key[0] == event else each for key, each in hooks.guards.items()}
    spoken = silent | {(event, call.command): added}
    without, _ = drive(call, policy, hooks._replace(guards=silent))
    with_it, _ = drive(call, policy, hooks._replace(guards=spoken))

    assert strictness(with_it) >= strictness(without)


@LAW
@given(calls, policies, policies, every_hooks)
def test_a_guard_that_asked_leaves_it_to_the_person(
    call: ToolCall, policy: ApprovalPolicy, later: ApprovalPolicy, hooks: Hooks
) -> None:
    """No later rule or mode approves the waiting call."""
    state, _ = drive(call, policy, hooks)

    if state.settlement is None and state.guard_asks:
        assert strictness(recheck_prompt(state, later)) >= 1


@LAW
@given(calls, policies, policies, every_hooks)
def test_a_denial_that_came_meanwhile_holds(
    call: ToolCall, policy: ApprovalPolicy, later: ApprovalPolicy, hooks: Hooks
) -> None:
    """A waiting call is denied by a rule that was added."""
    state, _ = drive(call, policy, hooks)

    if state.settlement is None and find_denying_rule(later.team.deny, state.call):
        assert strictness(recheck_prompt(state, later)) == 2
