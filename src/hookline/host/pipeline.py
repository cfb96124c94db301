"""Pipeline: takes a tool call through hooks, rules and the person, and then runs the tool.

docs/formats/docker-agent.md 6
"""

from __future__ import annotations

import asyncio

from hookline.host.approval import (
    PERMISSION_REQUEST,
    PRE_TOOL_USE,
    Answer,
    ApprovalPolicy,
    HookResult,
    Mode,
    cancel_approval,
    recheck_prompt,
    settle_prompt,
    start_approval,
    take_result,
)
from hookline.host.permissions import PermissionRules, parse_rule
from hookline.host.turns import ToolResult
from hookline.host.updates import Question
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.host.approval import Approval, Settlement
    from hookline.host.firing import HostEvents
    from hookline.host.session import Session
    from hookline.host.tool_call import ToolCall
    from hookline.host.turns import RunTool
    from hookline.host.updates import Face
    from hookline.model.verdict import Decision

_SKIPPED = "skipped because a post_tool_use hook signalled run termination"
# The event of the engine for a step of the approval: that of `pre_tool_use` is without its lane.
_NATIVE = {PRE_TOOL_USE: "pre_tool_use:default"}


class ToolPipeline:
    """Runs the tool calls of one run; calls of a batch run at once, prompts one at a time.

    `team`: the rules of the agent file. `halted`: why a hook ended the run after a tool. `seen`:
    the ids of the calls that came here.
    """

    def __init__(
        self,
        events: HostEvents,
        session: Session,
        face: Face,
        *,
        team: PermissionRules,
        home: str,
    ) -> None:
        self.halted = ""
        self.seen: set[str] = set()
        self._events = events
        self._session = session
        self._face = face
        self._team = team
        self._home = home

    def is_halted(self) -> bool:
        """Return whether a hook has ended the run after a tool."""
        return bool(self.halted)

    async def run_call(self, call: ToolCall, run_tool: RunTool) -> ToolResult:
        """Return the result of a call, or why it did not run."""
        self.seen.add(call.call_id)
        if self.is_halted():
            return ToolResult(text=_SKIPPED, failed=True, ran=False)
        call = call.replace(cwd=self._session.cwd, home=self._home)
        shown = {"call_id": call.call_id, "tool": call.tool}
        self._events.show("tool.called", **shown, input=dict(call.arguments or {}))
        approval = await self._approve(call)
        settlement = approval.settlement
        assert settlement is not None  # noqa: S101 - `_approve` ends with one
        allowed = approval.call
        await self._report(approval, settlement)
        if settlement.decision != "allow":
            self._events.show(
                "tool.refused",
                **shown,
                input=dict(allowed.arguments or {}),
                reason=settlement.text,
                source=settlement.source.value,
            )
            return ToolResult(text=settlement.text, failed=True, ran=False)
        if allowed.arguments != call.arguments:
            before, after = dict(call.arguments or {}), dict(allowed.arguments or {})
            self._events.show("tool.rewritten", **shown, before=before, after=after)
        if self.is_halted():  # by a call of the same batch, meanwhile
            self._events.show(
                "tool.refused",
                **shown,
                input=dict(allowed.arguments or {}),
                reason=_SKIPPED,
                source="post_tool_use_hook",
            )
            return ToolResult(text=_SKIPPED, failed=True, ran=False)
        result = await run_tool(dict(allowed.arguments or {}))
        return await self._finish(allowed, result)

    def show_unknown(self, call: ToolCall, text: str) -> None:
        """Show a call that never came here: there is no such tool, or its input is invalid."""
        shown = {"call_id": call.call_id, "tool": call.tool}
        self._events.show("tool.called", **shown, input=dict(call.arguments or {}))
        self._events.show("tool.done", **shown, text=text, failed=True)

    async def _approve(self, call: ToolCall) -> Approval:
        """Return the settled approval of a call; a cancellation is told to the hooks first."""
        state = start_approval(call, self._policy())
        try:
            while state.settlement is None:
                if state.event:
                    state = take_result(state, await self._fire_step(state))
                else:
                    state = await self._ask_person(state)
        except asyncio.CancelledError:
            canceled = cancel_approval(state)
            assert canceled.settlement is not None  # noqa: S101 - it was just canceled
            await self._report(canceled, canceled.settlement)
            raise
        return state

    def _policy(self) -> ApprovalPolicy:
        session = self._session
        return ApprovalPolicy(
            mode=Mode(session.mode),
            team=self._team,
            session=PermissionRules(
                allow=tuple(parse_rule(text) for text in session.approvals.grants)
            ),
            interactive=self._face.is_interactive,
        )

    async def _fire_step(self, state: Approval) -> HookResult:
        event = _NATIVE.get(state.event, state.event)
        decision = await self._events.fire(event, **self._describe(state))
        return _read_decision(decision, is_request=state.event == PERMISSION_REQUEST)

    async def _ask_person(self, state: Approval) -> Approval:
        async with self._session.approvals.prompting:
            state = recheck_prompt(state, self._policy())
            if state.settlement is not None:
                return state
            await self._events.fire("on_user_input")
            facts = dict(state.prompt or {})
            answer, reason = await self._face.approve(
                Question(
                    session_id=self._session.id,
                    agent=self._session.agent,
                    tool=state.call.tool,
                    input=dict(state.call.arguments or {}),
                    reason=str(facts.get("reason", "")),
                    facts=facts,
                )
            )
            state = settle_prompt(state, Answer(answer), reason=reason)
            settlement = state.settlement
            if settlement is not None:
                if settlement.grant:
                    self._session.approvals.grants.append(settlement.grant)
                if settlement.mode is not None:
                    self._session.approvals.choose_mode(settlement.mode.value)
        return state

    async def _report(self, approval: Approval, settlement: Settlement) -> None:
        await self._events.fire(
            "on_tool_approval_decision",
            approval_decision=settlement.decision,
            approval_source=settlement.source.value,
            safety_label=approval.label.label,
            **self._describe(approval),
        )

    async def _finish(self, call: ToolCall, result: ToolResult) -> ToolResult:
        """Let the hooks change the result of a tool that ran, and end the run."""
        facts: dict[str, Any] = {
            **_describe_call(call, self._session.mode),
            "tool_response": result.text,
            "tool_error": result.failed,
        }
        decision = await self._events.fire("tool_response_transform", **facts)
        rewrite = decision.rewrite
        if rewrite is not None and rewrite.target == "output" and rewrite.value != result.text:
            result = ToolResult(text=str(rewrite.value), failed=result.failed)
            facts["tool_response"] = result.text
        self._events.show(
            "tool.done",
            call_id=call.call_id,
            tool=call.tool,
            text=result.text,
            failed=result.failed,
        )
        if call.managed:
            return result
        decision = await self._events.fire("post_tool_use", **facts)
        if decision.for_agent:
            texts = (result.text, *decision.for_agent)
            result = ToolResult(text="\n\n".join(texts), failed=result.failed)
        if not decision.allowed:
            self.halted = self.halted or decision.reason or "a post_tool_use hook ended the run"
        return result

    def _describe(self, state: Approval) -> dict[str, Any]:
        return _describe_call(state.call, self._session.mode)


def _describe_call(call: ToolCall, mode: str) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "tool_name": call.tool,
        "tool_use_id": call.call_id,
        "tool_category": call.category,
        "tool_read_only": call.read_only,
    }
    if call.arguments is not None:
        facts["tool_input"] = dict(call.arguments)
    if mode:
        facts["safety_policy"] = mode
    return facts


def _read_decision(decision: Decision, *, is_request: bool) -> HookResult:
    rewrite = decision.rewrite
    changed = rewrite.value if rewrite is not None and rewrite.target == "input" else None
    stance, evidence = decision.stance, decision.evidence
    if is_request and stance is Stance.ASK:
        stance = Stance.SILENT
    metadata = dict(evidence) if isinstance(evidence, dict) else {}
    if stance is Stance.ASK and decision.reason:
        metadata = {"reason": decision.reason, **metadata}
    return HookResult(stance=stance, reason=decision.reason, rewrite=changed, metadata=metadata)
