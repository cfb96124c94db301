"""Decides whether a tool call runs: hooks, rules, the mode of the session, and the user's answer.

A state machine without IO. The caller drives it:

    state = start_approval(call, policy)
    while state.settlement is None:
        if state.event:  # fire this event with `state.call`
            state = take_result(state, await fire(state.event, state.call))
        else:  # ask the user, with `state.prompt`; one prompt at a time
            state = recheck_prompt(state, policy_of_now)
            if state.settlement is None:
                state = settle_prompt(state, await ask(state.call, state.prompt))

Then the caller fires `on_tool_approval_decision`, runs `state.call` or records `settlement.text`.
`docs/formats/docker-agent.md` 6 has the steps.
"""

from __future__ import annotations

import enum

from hookline.host.permissions import (
    NO_RULES,
    PermissionRules,
    covers_command,
    find_allowing_rule,
    find_denying_rule,
    suggest_grant,
)
from hookline.host.safety import SAFE, SafetyLabel, label_call
from hookline.model.frozen import Frozen
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.host.tool_call import ToolCall

TRANSFORM, GUARD, PREEMPT = "tool_input_transform", "tool_guard", "pre_tool_use:preempt"
PRE_TOOL_USE, PERMISSION_REQUEST = "pre_tool_use", "permission_request"
EVENTS = (TRANSFORM, GUARD, PREEMPT, PRE_TOOL_USE, PERMISSION_REQUEST)


class Mode(enum.StrEnum):
    """How a session approves calls that no rule names; `LEGACY` if it never chose a mode."""

    LEGACY = ""
    STRICT = "strict"
    BALANCED = "balanced"
    RESTRICTED = "restricted"
    AUTONOMOUS = "autonomous"


class Source(enum.StrEnum):
    """What settled a call: `approval_source` of the payload (docs/formats/docker-agent.md 4)."""

    YOLO = "yolo"
    MODE_BALANCED = "mode_balanced"
    MODE_RESTRICTED = "mode_restricted"
    SESSION_ALLOW = "session_permissions_allow"
    SESSION_DENY = "session_permissions_deny"
    TEAM_ALLOW = "team_permissions_allow"
    TEAM_DENY = "team_permissions_deny"
    PRE_TOOL_USE_ALLOW = "pre_tool_use_hook_allow"
    PRE_TOOL_USE_DENY = "pre_tool_use_hook_deny"
    PERMISSION_REQUEST_ALLOW = "permission_request_hook_allow"
    PERMISSION_REQUEST_DENY = "permission_request_hook_deny"
    GUARD_DENY = "tool_guard_deny"
    TRANSFORM_DENY = "tool_input_transform_deny"
    READ_ONLY_HINT = "readonly_hint"
    USER_APPROVED = "user_approved"
    USER_APPROVED_BALANCED = "user_approved_balanced"
    USER_APPROVED_AUTONOMOUS = "user_approved_autonomous"
    USER_APPROVED_TOOL = "user_approved_tool"
    USER_REJECTED = "user_rejected"
    CONTEXT_CANCELED = "context_canceled"
    NON_INTERACTIVE_DENY = "non_interactive_deny"


class Answer(enum.StrEnum):
    """What the user may answer at a prompt."""

    APPROVE = "approve"
    APPROVE_TOOL = "approve-tool"
    APPROVE_BALANCED = "approve-balanced"
    APPROVE_AUTONOMOUS = "approve-autonomous"
    REJECT = "reject"


class ApprovalPolicy(Frozen):
    """What a session and its team allow. `interactive`: there is a person to ask.

    `team`: the rules of the agent file. `session`: those of the session, with its grants.
    """

    mode: Mode = Mode.LEGACY
    team: PermissionRules = NO_RULES
    session: PermissionRules = NO_RULES
    interactive: bool = True


class HookResult(Frozen):
    """What the hooks of one event decided together.

    `stance`: DENY or HALT for a denial, a block or a failure that denies. `rewrite`: the complete
    new arguments, None to keep them. `metadata`: for the prompt.
    """

    stance: Stance = Stance.SILENT
    reason: str = ""
    rewrite: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] = {}


NO_RESULT = HookResult()


class Settlement(Frozen):
    """The end of an approval.

    Attributes:
        decision: `allow`, `deny` or `canceled`.
        source: what settled it.
        text: the response for the model, unless the call runs.
        blocked_by: the event whose hook refused; empty if none did.
        grant: a pattern to add to the session's rules that allow.
        mode: the mode that the session has from now on; None to keep it.
    """

    decision: str
    source: Source
    text: str = ""
    blocked_by: str = ""
    grant: str = ""
    mode: Mode | None = None


class Ruling(Frozen):
    """What rules and mode say of a call: ALLOW, ASK or DENY. `is_rule`: a rule said so."""

    stance: Stance
    source: Source | None = None
    is_rule: bool = False


class Approval(Frozen):
    """How far the approval of a call is.

    The next step is one of three: fire `event`; ask the user with `prompt` as the details; or, with
    a `settlement`, end. `call` has the arguments of now, and `label` belongs to them.
    """

    call: ToolCall
    policy: ApprovalPolicy
    label: SafetyLabel
    event: str = ""
    prompt: Mapping[str, Any] | None = None
    settlement: Settlement | None = None
    # What allows the call so far, whether it needs a prompt, and whether only a person may lift it.
    allowed_by: Source | None = None
    must_prompt: bool = False
    only_person: bool = False
    guard_asks: bool = False
    preempt_asks: bool = False
    hook_asks: bool = False
    is_recheck: bool = False
    hook_metadata: Mapping[str, Any] = {}


# -- the steps -------------------------------------------------------------------------------------


def start_approval(call: ToolCall, policy: ApprovalPolicy) -> Approval:
    """Return the approval of a call at its first step."""
    return Approval(call=call, policy=policy, label=label_call(call), event=TRANSFORM)


def take_result(state: Approval, result: HookResult = NO_RESULT) -> Approval:
    """Return the approval after the hooks of `state.event` have answered.

    Raises:
        ValueError: the approval waits for no event.
    """
    if state.settlement is not None or not state.event:
        raise ValueError("the approval waits for no event")
    if result.stance >= Stance.DENY:
        return _deny_by_hook(state, result.reason)
    return _STEPS[state.event](state, result)


def recheck_prompt(state: Approval, policy: ApprovalPolicy) -> Approval:
    """Return the approval with the rules and mode of now, before the user is asked.

    While a prompt waits for its turn, the answer to another one may have settled it.

    Raises:
        ValueError: the approval waits for no prompt.
    """
    _check_prompt(state)
    state = state.replace(policy=policy)
    ruling = decide_by_rules(state.call, policy, state.label)
    if ruling.stance is Stance.DENY:
        return _deny_by_rule(state, ruling)
    if state.only_person and state.preempt_asks and not (state.guard_asks or state.is_recheck):
        granted = _is_granted(state)
        return _settle_allowed(state, Source.SESSION_ALLOW) if granted else _start_prompt(state)
    if not state.only_person and ruling.stance is Stance.ALLOW and ruling.source is not None:
        return _settle_allowed(state, ruling.source)
    return _start_prompt(state)


def settle_prompt(
    state: Approval, answer: Answer, *, reason: str = "", grant: str = ""
) -> Approval:
    """Return the approval with the user's answer.

    Args:
        state: an approval that waits for the user.
        answer: what the user chose.
        reason: why the user rejects; the model gets it.
        grant: for `approve-tool` the pattern to allow from now on; by default `suggest_grant`.

    Raises:
        ValueError: the approval waits for no prompt.
    """
    _check_prompt(state)
    if answer is Answer.REJECT:
        text = _add_reason("The user rejected the tool call.", reason)
        return _settle(state, Settlement(decision="deny", source=Source.USER_REJECTED, text=text))
    settlement = Settlement(decision="allow", source=_APPROVALS[answer])
    if answer is Answer.APPROVE_TOOL:
        settlement = settlement.replace(grant=grant or suggest_grant(state.call))
    elif answer is Answer.APPROVE_BALANCED:
        settlement = settlement.replace(mode=Mode.BALANCED)
    elif answer is Answer.APPROVE_AUTONOMOUS:
        settlement = settlement.replace(mode=Mode.AUTONOMOUS)
    return _settle(state, settlement)


def cancel_approval(
    state: Approval, text: str = "The tool call was canceled by the user."
) -> Approval:
    """Return the approval as canceled; a settled one stays as it is."""
    if state.settlement is not None:
        return state
    canceled = Settlement(decision="canceled", source=Source.CONTEXT_CANCELED, text=text)
    return _settle(state, canceled)


def decide_by_rules(call: ToolCall, policy: ApprovalPolicy, label: SafetyLabel) -> Ruling:
    """Return what the rules say of a call, or the mode where no rule does.

    A denial of either scope wins. Then the session's rules count before the team's. A rule of the
    team that asks yields to a mode that decides by itself.
    """
    for rules, source in (
        (policy.session, Source.SESSION_DENY),
        (policy.team, Source.TEAM_DENY),
    ):
        if find_denying_rule(rules.deny, call):
            return Ruling(stance=Stance.DENY, source=source, is_rule=True)
    if find_allowing_rule(policy.session.allow, call):
        return Ruling(stance=Stance.ALLOW, source=Source.SESSION_ALLOW, is_rule=True)
    if find_denying_rule(policy.session.ask, call):
        return Ruling(stance=Stance.ASK, is_rule=True)
    if find_allowing_rule(policy.team.allow, call):
        return Ruling(stance=Stance.ALLOW, source=Source.TEAM_ALLOW, is_rule=True)
    ruling = _decide_by_mode(policy.mode, label)
    if policy.mode in {Mode.LEGACY, Mode.STRICT} and find_denying_rule(policy.team.ask, call):
        return ruling.replace(is_rule=True)
    return ruling


def _decide_by_mode(mode: Mode, label: SafetyLabel) -> Ruling:
    is_safe = label.label == SAFE
    if mode is Mode.AUTONOMOUS:
        return Ruling(stance=Stance.ALLOW, source=Source.YOLO)
    if mode is Mode.BALANCED and is_safe:
        return Ruling(stance=Stance.ALLOW, source=Source.MODE_BALANCED)
    if mode is Mode.RESTRICTED:
        stance = Stance.ALLOW if is_safe else Stance.DENY
        return Ruling(stance=stance, source=Source.MODE_RESTRICTED)
    return Ruling(stance=Stance.ASK)


# -- what follows each event -----------------------------------------------------------------------


def _after_transform(state: Approval, result: HookResult) -> Approval:
    return _rewrite(state, result).replace(event=GUARD)


def _after_guard(state: Approval, result: HookResult) -> Approval:
    return state.replace(
        event=PREEMPT,
        guard_asks=state.guard_asks or result.stance is Stance.ASK,
        hook_metadata={**state.hook_metadata, **result.metadata},
    )


def _after_preempt(state: Approval, result: HookResult) -> Approval:
    state = state.replace(
        preempt_asks=state.preempt_asks or result.stance is Stance.ASK,
        hook_metadata={**state.hook_metadata, **result.metadata},
    )
    ruling = decide_by_rules(state.call, state.policy, state.label)
    if ruling.stance is Stance.DENY:
        return _deny_by_rule(state, ruling)
    return _apply_recheck(state, ruling) if state.is_recheck else _apply_ruling(state, ruling)


def _apply_ruling(state: Approval, ruling: Ruling) -> Approval:
    state = state.replace(event=PRE_TOOL_USE)
    if state.guard_asks:
        return state.replace(must_prompt=True, only_person=True)
    if state.preempt_asks:
        if _is_granted(state):
            return state.replace(allowed_by=Source.SESSION_ALLOW)
        return state.replace(must_prompt=True, only_person=True)
    if ruling.stance is Stance.ALLOW:
        return state.replace(allowed_by=ruling.source)
    return state.replace(must_prompt=ruling.is_rule)


def _apply_recheck(state: Approval, ruling: Ruling) -> Approval:
    """Return the approval after the check of rewritten arguments: it may prompt, never approve."""
    asks = ruling.stance is Stance.ASK
    by_hook = state.allowed_by is Source.PRE_TOOL_USE_ALLOW
    if state.guard_asks or state.preempt_asks or state.hook_asks or (asks and ruling.is_rule):
        state = state.replace(allowed_by=None, must_prompt=True, only_person=True)
    elif asks and state.allowed_by is not None and not by_hook:
        # Rules and mode allowed the old arguments, and not these.
        state = state.replace(allowed_by=None, must_prompt=True)
    return _finish(state)


def _after_pre_tool_use(state: Approval, result: HookResult) -> Approval:
    if state.allowed_by is None and not state.must_prompt:
        if result.stance is Stance.ALLOW:
            state = state.replace(allowed_by=Source.PRE_TOOL_USE_ALLOW)
        elif result.stance is Stance.ASK:
            metadata = {**state.hook_metadata, **result.metadata}
            state = state.replace(must_prompt=True, hook_asks=True, hook_metadata=metadata)
    rewritten = _rewrite(state, result)
    if rewritten.call.arguments == state.call.arguments:
        return _finish(state)
    return rewritten.replace(event=GUARD, is_recheck=True)


def _finish(state: Approval) -> Approval:
    """Return the approval when no hook but `permission_request` is left."""
    if state.allowed_by is not None:
        return _settle_allowed(state, state.allowed_by)
    is_hinted = state.label.from_hint and state.label.label == SAFE
    if not state.must_prompt and state.policy.mode is Mode.LEGACY and is_hinted:
        return _settle_allowed(state, Source.READ_ONLY_HINT)
    return _start_prompt(state) if state.only_person else state.replace(event=PERMISSION_REQUEST)


def _after_permission_request(state: Approval, result: HookResult) -> Approval:
    if result.stance is Stance.ALLOW:
        return _settle_allowed(state, Source.PERMISSION_REQUEST_ALLOW)
    return _start_prompt(state, result.metadata)


_STEPS = {
    TRANSFORM: _after_transform,
    GUARD: _after_guard,
    PREEMPT: _after_preempt,
    PRE_TOOL_USE: _after_pre_tool_use,
    PERMISSION_REQUEST: _after_permission_request,
}
_APPROVALS = {
    Answer.APPROVE: Source.USER_APPROVED,
    Answer.APPROVE_TOOL: Source.USER_APPROVED_TOOL,
    Answer.APPROVE_BALANCED: Source.USER_APPROVED_BALANCED,
    Answer.APPROVE_AUTONOMOUS: Source.USER_APPROVED_AUTONOMOUS,
}


# -- parts of the steps ----------------------------------------------------------------------------


def _rewrite(state: Approval, result: HookResult) -> Approval:
    if result.rewrite is None or result.rewrite == state.call.arguments:
        return state
    call = state.call.replace(arguments=dict(result.rewrite))
    return state.replace(call=call, label=label_call(call))


def _is_granted(state: Approval) -> bool:
    """Return whether a grant of the session covers the call."""
    return covers_command(state.policy.session.allow, state.call)


def _start_prompt(state: Approval, metadata: Mapping[str, Any] | None = None) -> Approval:
    """Return the approval as it waits for the user, or its denial where there is none.

    Of the details, what the tool says counts least, and what its guards say most.
    """
    if not state.policy.interactive:
        text = (
            f"Tool '{state.call.tool}' requires user confirmation, and the session is not"
            " interactive."
        )
        denied = Settlement(decision="deny", source=Source.NON_INTERACTIVE_DENY, text=text)
        return _settle(state, denied)
    if state.prompt is not None:
        return state
    label = {"safety_label": state.label.label}
    if state.label.reason:
        label["reason"] = state.label.reason
    prompt = {**state.call.metadata, **(metadata or {}), **label, **state.hook_metadata}
    return state.replace(event="", prompt=prompt)


def _check_prompt(state: Approval) -> None:
    if state.settlement is not None or state.prompt is None:
        raise ValueError("the approval waits for no answer of the user")


def _settle(state: Approval, settlement: Settlement) -> Approval:
    return state.replace(event="", settlement=settlement)


def _settle_allowed(state: Approval, source: Source) -> Approval:
    return _settle(state, Settlement(decision="allow", source=source))


def _deny_by_rule(state: Approval, ruling: Ruling) -> Approval:
    tool = state.call.tool
    texts = {
        Source.SESSION_DENY: f"Tool '{tool}' is denied by session permissions.",
        Source.TEAM_DENY: f"Tool '{tool}' is denied by permissions configuration.",
        Source.MODE_RESTRICTED: (
            f"Tool '{tool}' is denied: in the mode `restricted` only calls that are known to be"
            " safe run."
        ),
    }
    source = ruling.source or Source.MODE_RESTRICTED
    return _settle(state, Settlement(decision="deny", source=source, text=texts[source]))


_DENIALS = {
    TRANSFORM: Source.TRANSFORM_DENY,
    GUARD: Source.GUARD_DENY,
    PREEMPT: Source.PRE_TOOL_USE_DENY,
    PRE_TOOL_USE: Source.PRE_TOOL_USE_DENY,
    PERMISSION_REQUEST: Source.PERMISSION_REQUEST_DENY,
}


def _deny_by_hook(state: Approval, reason: str) -> Approval:
    event = state.event
    if event == PRE_TOOL_USE:
        why = reason.strip() or "the hook gave no reason"
        text = f"Tool call blocked by hook: {why}"
    else:
        name = event.partition(":")[0]
        text = _add_reason(f"The tool call was rejected by a {name} hook.", reason)
    return _settle(
        state,
        Settlement(decision="deny", source=_DENIALS[event], text=text, blocked_by=event),
    )


def _add_reason(text: str, reason: str) -> str:
    return f"{text} Reason: {reason.strip()}" if reason.strip() else text
