"""The approval of tool calls: what each hook, rule, mode and answer settles."""

from __future__ import annotations

import pytest

from hookline.host.approval import (
    Answer,
    Approval,
    ApprovalPolicy,
    HookResult,
    Mode,
    Source,
    cancel_approval,
    recheck_prompt,
    settle_prompt,
    start_approval,
    take_result,
)
from hookline.host.permissions import PermissionRules, parse_rule
from hookline.host.tool_call import ToolCall
from hookline.model.verdict import Stance

READ = ToolCall(tool="read_file", arguments={"path": "a"}, read_only=True)
LIST = ToolCall(tool="shell", arguments={"cmd": "ls"}, category="shell")
BUILD = ToolCall(tool="shell", arguments={"cmd": "make"}, category="shell")
ERASE = ToolCall(tool="shell", arguments={"cmd": "rm -rf /"}, category="shell")
ALLOW = HookResult(stance=Stance.ALLOW)
ASK = HookResult(stance=Stance.ASK)
DENY = HookResult(stance=Stance.DENY, reason="no")
AUTONOMOUS = ApprovalPolicy(mode=Mode.AUTONOMOUS)


def rules(**patterns: str) -> PermissionRules:
    """Rules with one pattern of each kind."""
    return PermissionRules(**{kind: (parse_rule(text),) for kind, text in patterns.items()})


def rewrite(command: str, stance: Stance = Stance.SILENT) -> HookResult:
    """The result of a hook that rewrites the command."""
    return HookResult(stance=stance, rewrite={"cmd": command})


def drive(
    call: ToolCall, policy: ApprovalPolicy | None = None, **results: HookResult | list[HookResult]
) -> tuple[Approval, list[str]]:
    """Return the approval when it is settled or waits for the user, and the events it fired.

    `results`: what each event answers, in turn if it is a list; `preempt` is the preempt lane.
    """
    state, fired = start_approval(call, policy or ApprovalPolicy()), []
    while state.event:
        fired.append(state.event)
        name = "preempt" if state.event.endswith("preempt") else state.event
        given = results.get(name, HookResult())
        if isinstance(given, list):
            given = given[min(fired.count(state.event), len(given)) - 1]
        state = take_result(state, given)
    return state, fired


def outcome(state: Approval) -> str:
    """`prompt`, or the source that settled."""
    return "prompt" if state.settlement is None else str(state.settlement.source)


@pytest.mark.parametrize(
    ("mode", "call", "found"),
    [
        (Mode.LEGACY, READ, "readonly_hint"),
        (Mode.LEGACY, LIST, "prompt"),
        (Mode.LEGACY, BUILD, "prompt"),
        (Mode.STRICT, READ, "prompt"),
        (Mode.STRICT, LIST, "prompt"),
        (Mode.BALANCED, READ, "mode_balanced"),
        (Mode.BALANCED, LIST, "mode_balanced"),
        (Mode.BALANCED, BUILD, "prompt"),
        (Mode.BALANCED, ERASE, "prompt"),
        (Mode.RESTRICTED, LIST, "mode_restricted"),
        (Mode.RESTRICTED, BUILD, "mode_restricted"),
        (Mode.AUTONOMOUS, ERASE, "yolo"),
    ],
)
def test_a_mode_decides_by_the_label(mode: Mode, call: ToolCall, found: str) -> None:
    """Where no rule and no hook says anything."""
    state, _ = drive(call, ApprovalPolicy(mode=mode))

    assert outcome(state) == found


def test_restricted_denies_what_is_not_safe() -> None:
    """The model learns why."""
    state, _ = drive(BUILD, ApprovalPolicy(mode=Mode.RESTRICTED))

    assert state.settlement is not None
    assert state.settlement.decision == "deny"
    assert "restricted" in state.settlement.text


@pytest.mark.parametrize(
    ("policy", "found"),
    [
        (ApprovalPolicy(mode=Mode.AUTONOMOUS, team=rules(deny="shell")), Source.TEAM_DENY),
        (ApprovalPolicy(mode=Mode.AUTONOMOUS, session=rules(deny="shell")), Source.SESSION_DENY),
        (
            ApprovalPolicy(session=rules(allow="shell"), team=rules(deny="shell")),
            Source.TEAM_DENY,
        ),
        (ApprovalPolicy(mode=Mode.STRICT, session=rules(allow="shell")), Source.SESSION_ALLOW),
        (ApprovalPolicy(mode=Mode.RESTRICTED, team=rules(allow="shell")), Source.TEAM_ALLOW),
        (ApprovalPolicy(mode=Mode.AUTONOMOUS, session=rules(ask="shell")), "prompt"),
        (ApprovalPolicy(mode=Mode.AUTONOMOUS, team=rules(ask="shell")), Source.YOLO),
        (ApprovalPolicy(session=rules(ask="shell"), team=rules(allow="shell")), "prompt"),
    ],
)
def test_rules_come_before_the_mode(policy: ApprovalPolicy, found: str) -> None:
    """A denial of either scope first, then the session's rules, then the team's."""
    state, _ = drive(BUILD, policy)

    assert outcome(state) == found


def test_a_rule_of_the_team_that_asks_counts_without_a_mode() -> None:
    """Also for a tool that only reads."""
    state, _ = drive(READ, ApprovalPolicy(team=rules(ask="read_*")))

    assert outcome(state) == "prompt"


@pytest.mark.parametrize(
    ("event", "source", "text"),
    [
        (
            "tool_input_transform",
            Source.TRANSFORM_DENY,
            "The tool call was rejected by a tool_input_transform hook. Reason: no",
        ),
        (
            "tool_guard",
            Source.GUARD_DENY,
            "The tool call was rejected by a tool_guard hook. Reason: no",
        ),
        (
            "preempt",
            Source.PRE_TOOL_USE_DENY,
            "The tool call was rejected by a pre_tool_use hook. Reason: no",
        ),
        ("pre_tool_use", Source.PRE_TOOL_USE_DENY, "Tool call blocked by hook: no"),
    ],
)
def test_a_hook_that_denies_holds_under_every_mode(event: str, source: str, text: str) -> None:
    """docs/formats/docker-agent.md 6."""
    policy = AUTONOMOUS.replace(team=rules(allow="shell"), session=rules(allow="shell"))
    state, _ = drive(BUILD, policy, **{event: DENY})

    assert state.settlement is not None
    assert (state.settlement.source, state.settlement.text) == (source, text)
    assert state.settlement.blocked_by


def test_a_guard_that_asks_always_prompts() -> None:
    """No mode, grant or other hook lifts it; a rule that denies still does."""
    policy = AUTONOMOUS.replace(session=rules(allow="shell"))
    state, fired = drive(LIST, policy, tool_guard=ASK, pre_tool_use=ALLOW, permission_request=ALLOW)

    assert outcome(state) == "prompt"
    assert "permission_request" not in fired
    assert outcome(recheck_prompt(state, policy)) == "prompt"
    denied, _ = drive(LIST, AUTONOMOUS.replace(team=rules(deny="shell")), tool_guard=ASK)
    assert outcome(denied) == Source.TEAM_DENY


def test_a_grant_of_the_session_answers_the_preempt_lane() -> None:
    """Not the mode, not a rule of the team, and not for joined commands."""
    granted = ApprovalPolicy(session=rules(allow="shell:cmd=make*"))
    joined = BUILD.replace(arguments={"cmd": "make; rm -rf ~"})
    whole = ApprovalPolicy(session=rules(allow="shell"))

    assert outcome(drive(BUILD, granted, preempt=ASK)[0]) == Source.SESSION_ALLOW
    assert outcome(drive(joined, granted, preempt=ASK)[0]) == "prompt"
    assert outcome(drive(joined, whole, preempt=ASK)[0]) == "prompt"
    assert outcome(drive(BUILD, AUTONOMOUS, preempt=ASK)[0]) == "prompt"
    assert (
        outcome(drive(BUILD, ApprovalPolicy(team=rules(allow="shell")), preempt=ASK)[0]) == "prompt"
    )


def test_pre_tool_use_settles_what_is_open() -> None:
    """It allows or asks where rules and mode said nothing."""
    assert outcome(drive(BUILD, pre_tool_use=ALLOW)[0]) == Source.PRE_TOOL_USE_ALLOW
    assert outcome(drive(READ, pre_tool_use=ASK)[0]) == "prompt"


def test_pre_tool_use_lifts_no_prompt_of_a_rule() -> None:
    """X1 of docs/formats/docker-agent.md 1: it runs for each call, and only makes it stricter."""
    asked, fired = drive(BUILD, ApprovalPolicy(session=rules(ask="shell")), pre_tool_use=ALLOW)
    allowed, _ = drive(BUILD, AUTONOMOUS, pre_tool_use=ASK)

    assert outcome(asked) == "prompt"
    assert "pre_tool_use" in fired
    assert outcome(allowed) == Source.YOLO


def test_a_rewrite_is_checked_again_once() -> None:
    """Guard, preempt lane and rules see the new arguments."""
    state, fired = drive(LIST, pre_tool_use=rewrite("make", Stance.ALLOW))

    assert state.call.arguments == {"cmd": "make"}
    assert fired.count("tool_guard") == fired.count("pre_tool_use:preempt") == 2
    assert fired.count("pre_tool_use") == fired.count("tool_input_transform") == 1
    assert outcome(state) == Source.PRE_TOOL_USE_ALLOW


def test_a_rewrite_to_the_same_arguments_is_none() -> None:
    """The guard is not asked again."""
    _, fired = drive(LIST, pre_tool_use=rewrite("ls"))

    assert fired.count("tool_guard") == 1


def test_a_rewrite_never_approves() -> None:
    """A rule or mode that allows the new arguments does not help."""
    policy = ApprovalPolicy(mode=Mode.BALANCED, session=rules(allow="shell:cmd=make*"))
    harmless, _ = drive(ERASE, ApprovalPolicy(mode=Mode.BALANCED), pre_tool_use=rewrite("ls"))
    granted, _ = drive(ERASE, policy, pre_tool_use=rewrite("make"))

    assert outcome(harmless) == "prompt"
    assert outcome(granted) == "prompt"


def test_a_rewrite_may_prompt_or_deny() -> None:
    """By a guard, by a rule, and where the mode allowed the old arguments only."""
    balanced = ApprovalPolicy(mode=Mode.BALANCED)
    denying = AUTONOMOUS.replace(team=rules(deny="shell:cmd=make*"))

    assert outcome(drive(LIST, balanced, pre_tool_use=rewrite("make"))[0]) == "prompt"
    assert outcome(drive(LIST, denying, pre_tool_use=rewrite("make"))[0]) == Source.TEAM_DENY
    guarded, fired = drive(
        LIST,
        AUTONOMOUS,
        tool_guard=[HookResult(), ASK],
        pre_tool_use=rewrite("make"),
        permission_request=ALLOW,
    )
    assert outcome(guarded) == "prompt"
    assert "permission_request" not in fired


def test_a_rewritten_ask_uses_no_earlier_grant() -> None:
    """The person has not seen these arguments."""
    policy = ApprovalPolicy(mode=Mode.STRICT, session=rules(allow="shell:cmd=rm*"))
    state, fired = drive(
        LIST, policy, pre_tool_use=rewrite("rm -r x", Stance.ASK), permission_request=ALLOW
    )
    assert outcome(state) == "prompt"
    assert "permission_request" not in fired
    assert outcome(recheck_prompt(state, policy)) == "prompt"


def test_the_transform_rewrites_before_the_rules() -> None:
    """The label belongs to the new arguments."""
    state, _ = drive(ERASE, ApprovalPolicy(mode=Mode.BALANCED), tool_input_transform=rewrite("ls"))

    assert outcome(state) == Source.MODE_BALANCED
    assert state.label.label == "safe"


def test_permission_request_stands_in_for_the_user() -> None:
    """It allows, denies, or adds to the prompt."""
    denied, _ = drive(BUILD, permission_request=DENY)
    asked, _ = drive(
        BUILD,
        permission_request=HookResult(metadata={"risk": "low", "safety_label": "safe"}),
        tool_guard=HookResult(metadata={"team": "infra"}),
    )
    assert outcome(drive(BUILD, permission_request=ALLOW)[0]) == Source.PERMISSION_REQUEST_ALLOW
    assert outcome(denied) == Source.PERMISSION_REQUEST_DENY
    assert asked.prompt == {"risk": "low", "safety_label": "unknown", "team": "infra"}


def test_without_a_person_a_prompt_is_a_denial() -> None:
    """After `permission_request` had its chance."""
    policy = ApprovalPolicy(interactive=False)

    assert outcome(drive(BUILD, policy)[0]) == Source.NON_INTERACTIVE_DENY
    assert outcome(drive(BUILD, policy, tool_guard=ASK)[0]) == Source.NON_INTERACTIVE_DENY
    allowed, _ = drive(BUILD, policy, permission_request=ALLOW)
    assert outcome(allowed) == Source.PERMISSION_REQUEST_ALLOW


@pytest.mark.parametrize(
    ("answer", "source", "grant", "mode"),
    [
        (Answer.APPROVE, Source.USER_APPROVED, "", None),
        (Answer.APPROVE_TOOL, Source.USER_APPROVED_TOOL, "shell:cmd=make*", None),
        (Answer.APPROVE_BALANCED, Source.USER_APPROVED_BALANCED, "", Mode.BALANCED),
        (Answer.APPROVE_AUTONOMOUS, Source.USER_APPROVED_AUTONOMOUS, "", Mode.AUTONOMOUS),
        (Answer.REJECT, Source.USER_REJECTED, "", None),
    ],
)
def test_the_user_answers(answer: Answer, source: str, grant: str, mode: Mode | None) -> None:
    """An approval may hold for more than this call."""
    state = settle_prompt(drive(BUILD)[0], answer, reason="later")

    assert state.settlement is not None
    assert state.settlement.source == source
    assert (state.settlement.grant, state.settlement.mode) == (grant, mode)
    rejected = "The user rejected the tool call. Reason: later"
    assert state.settlement.text == (rejected if answer is Answer.REJECT else "")


def test_a_waiting_prompt_is_settled_by_another_answer() -> None:
    """A mode or a grant that came meanwhile counts, and so does a denial."""
    state, _ = drive(BUILD)

    assert outcome(recheck_prompt(state, AUTONOMOUS)) == Source.YOLO
    granted = ApprovalPolicy(session=rules(allow="shell"))
    assert outcome(recheck_prompt(state, granted)) == Source.SESSION_ALLOW
    denied = ApprovalPolicy(session=rules(deny="shell"))
    assert outcome(recheck_prompt(state, denied)) == Source.SESSION_DENY
    preempted, _ = drive(BUILD, preempt=ASK)
    assert outcome(recheck_prompt(preempted, AUTONOMOUS)) == "prompt"
    assert outcome(recheck_prompt(preempted, granted)) == Source.SESSION_ALLOW


def test_a_cancelled_approval() -> None:
    """It is no denial, and changes nothing that is settled."""
    state = cancel_approval(start_approval(BUILD, AUTONOMOUS))
    settled, _ = drive(BUILD, AUTONOMOUS)

    assert state.settlement is not None
    assert (state.settlement.decision, state.settlement.source) == (
        "canceled",
        Source.CONTEXT_CANCELED,
    )
    assert cancel_approval(settled) is settled


def test_steps_out_of_order_are_refused() -> None:
    """They are mistakes of the caller."""
    settled, _ = drive(BUILD, AUTONOMOUS)
    waiting, _ = drive(BUILD)

    with pytest.raises(ValueError, match="no event"):
        take_result(settled)
    with pytest.raises(ValueError, match="no event"):
        take_result(waiting)
    with pytest.raises(ValueError, match="no answer"):
        settle_prompt(start_approval(BUILD, AUTONOMOUS), Answer.APPROVE)
