"""Loop: runs a session, turn by turn, and fires the events of its life.

The order of events is that of docs/formats/docker-agent.md 7.
"""

from __future__ import annotations

import asyncio

from hookline.errors import ConfigError
from hookline.handlers.builtins.response_cache import find_cached_response
from hookline.host.compaction import compact, is_nearly_full
from hookline.host.firing import HostEvents
from hookline.host.framework.conversation import (
    find_result,
    make_reply_message,
    make_user_message,
    repair_conversation,
)
from hookline.host.pipeline import ToolPipeline
from hookline.host.post_edit import run_post_edit
from hookline.host.shielding import finish
from hookline.host.team import Team
from hookline.host.turns import HookStop, ModelError, RunResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookline.host.agent_spec import AgentSpec
    from hookline.host.framework.agent import HostAgent
    from hookline.host.services import Services
    from hookline.host.session import Session
    from hookline.host.tool_call import ToolCall
    from hookline.host.turns import Reply, RunTool, ToolResult

_MORE_ITERATIONS = 10  # that a person allows at once
_POLLING = frozenset({"view_background_job"})


class _Ended(Exception):  # noqa: N818 - it is not an error
    """The run is over, for a reason of `turn_end`, and with an error if it has one."""

    def __init__(self, reason: str, error: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.error = error


class Run:
    """One run of a session: from its start or a prompt until the agent has nothing left to do."""

    def __init__(self, host: Services, session: Session, depth: int = 0) -> None:
        self.host = host
        self.session = session
        self.depth = depth  # sessions above this one
        self.events = HostEvents(host.engine, host.face, session)
        self.pipeline = ToolPipeline(
            self.events, session, host.face, team=host.file.permissions, home=host.home
        )
        self.team = Team(self, host, self.events)
        self.agent: HostAgent | None = None
        self._batches: list[tuple[tuple[str, str], ...]] = []
        self._has_compacted = False  # because of an error of the model
        self._has_tried = False  # to compact, since the last reply

    @property
    def spec(self) -> AgentSpec:
        """The agent of now, as the file describes it."""
        return self.host.file.agents[self.session.agent]

    @property
    def is_root(self) -> bool:
        """Whether no other session started this one."""
        return not self.session.parent_id

    async def run(self, prompt: str | None) -> RunResult:
        """Run until the agent is done; `prompt`: what the person wrote, if a person did.

        A session has a run for each prompt. The events of the end are fired on every way out, also
        on cancellation.
        """
        session = self.session
        session.iteration, session.most_iterations = 0, self.spec.max_iterations
        source = "resume" if session.is_resumed else "startup"
        result = RunResult(reason="canceled", error="canceled")
        try:
            decision = await self.events.fire("session_start", source=source)
            known = session.contexts.get("session", ())
            fresh = tuple(text for text in decision.for_agent if text not in known)
            session.contexts["session"] = (*known, *fresh)
            if prompt is not None:
                await self._submit(prompt)
                self._replay_answer(prompt)
            result = await self._run_agent(prompt or session.last_prompt)
        except _Ended as ended:
            result = RunResult(reason=ended.reason, text=session.last_text, error=ended.error)
        finally:
            await finish(self._end(result))
        return result

    def _replay_answer(self, prompt: str) -> None:
        """Give the answer that `cache_response` has kept, if a hook mounts it, and end the run."""
        hooks, session = self.host.engine.hooks, self.session
        if not any(getattr(hook.handler, "name", "") == "cache_response" for hook in hooks):
            return
        found = find_cached_response(
            prompt, project=session.cwd, agent=session.agent, environ=self.host.environ
        )
        if found is not None:
            session.messages.append(make_reply_message(found.answer))
            session.last_text = found.answer
            self.events.show("text", text=found.answer)
            raise _Ended("normal")

    async def _end(self, result: RunResult) -> None:
        self.session.messages = repair_conversation(self.session.messages)
        self.session.is_resumed = True  # from its next run on
        if self.is_root:
            await self._save()
        self.events.show(
            "session.ended",
            reason=result.reason,
            text=result.text,
            usage={
                "input_tokens": self.session.input_tokens,
                "output_tokens": self.session.output_tokens,
            },
            cost=self.session.cost,
        )
        await self.events.fire("session_end", reason="stream_ended")
        if self.is_root and self.host.face.is_interactive:
            await self.events.fire("on_user_input")

    async def _save(self) -> None:
        """Write the session to its file; if that fails, the person can go on without it."""
        try:
            self.host.save(self.session)
        except OSError as error:
            await self.events.notify("warning", f"the session could not be saved: {error}")

    async def _submit(self, prompt: str) -> None:
        """Add the person's prompt, unless a hook refuses it."""
        session = self.session
        session.last_prompt = prompt
        decision = await self.events.fire("user_prompt_submit", prompt=prompt)
        if not decision.allowed:
            await self.events.notify_error(f"the prompt was refused: {decision.reason}")
            raise _Ended("hook_blocked", decision.reason)
        if decision.rewrite is not None and decision.rewrite.target == "text":
            prompt = str(decision.rewrite.value)
        session.contexts["prompt"] = decision.for_agent
        session.messages.append(make_user_message(prompt))

    async def _run_agent(self, task: str) -> RunResult:
        """Run the turns of an agent, and of each that a control event routes to."""
        session = self.session
        control = {"invocation_id": session.id, "task_input": task}
        decision = await self.events.fire("before_agent_run", step_id=session.agent, **control)
        if not decision.allowed:
            await self.events.notify_error(f"the agent was not started: {decision.reason}")
            raise _Ended("hook_blocked", decision.reason)
        await self._follow_route(decision)
        while True:
            result = await self._run_turns()
            decision = await self.events.fire(
                "after_agent_complete", step_id=session.agent, output=session.last_text, **control
            )
            if not decision.allowed:
                return result.replace(reason="hook_blocked", error=decision.reason)
            if not await self._follow_route(decision):
                return result

    async def _follow_route(self, decision: Any) -> bool:
        target = (decision.effects.get("transition") or {}).get("agent", "")
        if not target or target == self.session.agent:
            return False
        allowed = self.spec.routes if self.spec.routes is not None else tuple(self.host.file.agents)
        if target not in allowed:
            text = f"a hook routes to `{target}`, to which `{self.session.agent}` cannot"
            await self.events.notify_error(text)
            raise _Ended("hook_blocked", text)
        await self.team.switch_agent(target, "route")
        return True

    async def compact(self, *, source: str, reason: str, focus: str = "") -> bool:
        """Shorten the conversation, as `compaction.compact`; return whether it did."""
        agent = self.agent or await self.host.open_agent(self.session.agent)
        done = await compact(
            self.session, agent, self.events, TurnGate(self, writes_summary=True),
            self._count_summary, source=source, reason=reason, focus=focus,
        )  # fmt: skip
        if done and self.is_root:
            await self._save()
        return done

    def _count_summary(self, reply: Reply) -> None:
        reply = self.host.price(self.session.agent, reply, writes_summary=True)
        self.session.count(reply.usage, reply.cost)
        self.host.spending.add(self.spec, usage=reply.usage, cost=reply.cost)

    async def run_post_edit(self, call: ToolCall) -> list[str]:
        """Run the commands after a change of a file; return what went wrong with them."""
        call = call.replace(cwd=self.session.cwd)
        return await run_post_edit(self.spec, call, self.host.environ)

    def _is_full(self, agent: HostAgent, *, grown: bool = False) -> bool:
        threshold = self.host.find_threshold(self.session.agent)
        return self.spec.compacts and is_nearly_full(self.session, agent, threshold, grown=grown)

    # -- turns -------------------------------------------------------------------------------------

    async def _run_turns(self) -> RunResult:
        session = self.session
        try:
            while True:
                self.agent = await self._open_agent()
                await self._check_limits()
                session.iteration += 1
                if not self._has_tried and self._is_full(self.agent):
                    await self.compact(source="auto", reason="threshold")
                self._has_tried = False
                await self._drain_queue()
                if not await self._run_turn(self.agent):
                    return RunResult(reason="normal", text=session.last_text)
                await self.team.take_handoff()
        except _Ended as ended:
            return RunResult(reason=ended.reason, text=session.last_text, error=ended.error)

    async def _open_agent(self) -> HostAgent:
        try:
            return await self.host.open_agent(self.session.agent)
        except ConfigError as error:
            await self.events.notify_error(str(error))
            raise _Ended("error", str(error)) from error

    async def _check_limits(self) -> None:
        """End the run at a budget, or at its iteration limit unless the person allows more."""
        session, most = self.session, self.session.most_iterations
        if spent := self.host.spending.explain_excess(self.spec):
            await self.events.notify("warning", spent)
            raise _Ended("budget_exceeded", spent)
        if not most or session.iteration < most:
            return
        text = f"the agent reached its limit of {most} iterations"
        await self.events.notify("warning", text, also="on_max_iterations")
        if self.is_root or self.host.face.is_interactive:
            await self.events.fire("on_user_input")
        if not await self.host.face.may_extend(most):
            session.messages.append(make_reply_message(f"Stopped: {text}."))
            raise _Ended("max_iterations", text)
        session.most_iterations = most + _MORE_ITERATIONS
        await self.events.fire(
            "on_session_resume",
            previous_max_iterations=most,
            new_max_iterations=session.most_iterations,
        )

    async def _drain_queue(self) -> bool:
        """Add what the person wrote meanwhile; return whether there was something."""
        session = self.session
        texts = list(session.queued)
        session.queued.clear()
        if not texts:
            return False
        decision = await self.events.fire("user_steering_messages_submit", steering_messages=texts)
        if not decision.allowed:
            await self.events.notify_error(f"a message was refused: {decision.reason}")
            raise _Ended("hook_blocked", decision.reason)
        session.contexts["prompt"] = (*session.contexts.get("prompt", ()), *decision.for_agent)
        session.messages += [make_user_message(text) for text in texts]
        session.last_prompt = texts[-1]
        return True

    async def _run_turn(self, agent: HostAgent) -> bool:
        """Run one turn; return whether another follows. `turn_end` fires on every way out."""
        reason, name = "error", self.session.agent
        try:
            reason = await self._take_turn(agent)
        except ModelError as error:
            if error.overflow and not self._has_compacted:
                self._has_compacted = await self.compact(source="overflow", reason="overflow")
                if self._has_compacted:
                    return True
            await self.events.notify_error(str(error))
            raise _Ended("error", str(error)) from error
        except HookStop as stop:
            reason = "hook_blocked"
            await self.events.notify_error(str(stop))
            raise _Ended(reason, str(stop)) from None
        except _Ended as ended:
            reason = ended.reason
            raise
        except asyncio.CancelledError:
            reason = "canceled"
            raise
        finally:
            self.session.contexts["turn"] = ()
            await finish(self._end_turn(reason, name))
        return reason != "normal"

    async def _end_turn(self, reason: str, agent: str) -> None:
        self.events.show("turn.ended", reason=reason)
        await self.events.fire("turn_end", agent=agent, reason=reason)

    async def _take_turn(self, agent: HostAgent) -> str:
        """Ask the model, run its tools, and return the reason with which the turn ends."""
        session = self.session
        decision = await self.events.fire("turn_start")
        session.contexts["turn"] = decision.for_agent
        sent = await agent.trim(session.messages, self.spec.history)
        left_out = session.messages[: len(session.messages) - len(sent)]
        began, waited = self.host.clock(), self.team.waited
        async with agent.open_turn(sent, TurnGate(self)) as turn:
            reply = self.host.price(session.agent, await turn.ask_model(self._show_text))
            session.messages = [*left_out, *turn.messages]
            self.host.spending.add(self.spec, usage=reply.usage, cost=reply.cost)
            await self._record_reply(reply)
            try:
                await turn.use_tools()
            finally:
                session.messages = [*left_out, *turn.messages]
                waited = self.team.waited - waited  # a sub-agent counts its own seconds
                seconds = max(0.0, self.host.clock() - began - waited)
                self.host.spending.add_seconds(self.spec, seconds)
        for call in reply.calls:
            if call.call_id not in self.pipeline.seen:
                self.pipeline.show_unknown(call, find_result(session.messages, call.call_id))
        self.pipeline.seen.clear()
        if self.pipeline.halted:
            await self.events.notify_error(self.pipeline.halted)
            raise _Ended("hook_blocked", self.pipeline.halted)
        await self._detect_loop(reply.calls)
        if await self._drain_queue():
            return "steered"
        if reply.calls:
            if self._is_full(agent, grown=True):
                self._has_tried = True
                await self.compact(source="tool_overflow", reason="threshold")
            return "continue"
        return await self._stop(reply)

    def _show_text(self, text: str) -> None:
        self.events.show("text", text=text)

    async def _record_reply(self, reply: Reply) -> None:
        session = self.session
        session.count(reply.usage, reply.cost)
        session.length = reply.usage.get("input_tokens", 0)
        session.last_text = reply.text or session.last_text
        self.events.show("reply", text=reply.text, usage=dict(reply.usage), cost=reply.cost)
        facts: dict[str, Any] = {} if reply.cost is None else {"cost": reply.cost}
        await self.events.fire(
            "after_llm_call",
            model_id=self.host.model_id(session.agent),
            stop_response=reply.text,
            last_user_message=session.last_prompt,
            usage=dict(reply.usage),
            **facts,
        )

    async def _detect_loop(self, calls: Sequence[ToolCall]) -> None:
        batch = tuple((call.tool, repr(sorted((call.arguments or {}).items()))) for call in calls)
        if not batch or all(tool in _POLLING for tool, _ in batch):
            self._batches.clear()
            return
        self._batches = [*(each for each in self._batches if each == batch), batch]
        most = self.spec.max_consecutive_calls
        if most and len(self._batches) >= most:
            text = f"the agent called `{batch[0][0]}` {most} times in a row with the same input"
            await self.events.notify_error(text)
            raise _Ended("loop_detected", text)

    async def _stop(self, reply: Reply) -> str:
        """The model is done: ask the hooks, then the queues, whether to go on."""
        session = self.session
        decision = await self.events.fire(
            "stop", stop_response=reply.text, last_user_message=session.last_prompt
        )
        if decision.redo:
            session.messages.append(make_user_message(decision.reason))
            return "continue"
        if self.spec.force_handoff:
            await self.team.switch_agent(self.spec.force_handoff, "force_handoff")
            return "force_handoff"
        if await self._drain_queue():
            return "steered"
        if session.follow_ups:
            text = session.follow_ups.popleft()
            asked = await self.events.fire("user_followup_submit", prompt=text)
            if not asked.allowed:
                await self.events.notify_error(f"a message was refused: {asked.reason}")
                raise _Ended("hook_blocked", asked.reason)
            session.contexts["prompt"] = asked.for_agent
            session.last_prompt = text
            session.messages.append(make_user_message(text))
            return "continue"
        return "normal"


class TurnGate:
    """Answers the framework during a turn of a run, or while a model `writes_summary`."""

    def __init__(self, run: Run, *, writes_summary: bool = False) -> None:
        self._run = run
        self._writes_summary = writes_summary

    @property
    def contexts(self) -> list[str]:
        """Return what hooks added for the session, for the prompt, and for this turn."""
        held = self._run.session.contexts
        return [text for name in ("session", "prompt", "turn") for text in held.get(name, ())]

    async def check_messages(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
        """Fire `before_llm_call`; return the messages of a hook, or None for those given.

        Raises:
            HookStop: a hook refuses the call.
        """
        run = self._run
        decision = await run.events.fire(
            "before_llm_call",
            model_id=run.host.model_id(run.session.agent, writes_summary=self._writes_summary),
            iteration=run.session.iteration,
            messages=messages,
        )
        if not decision.allowed:
            raise HookStop(decision.reason or "a hook refused the model call")
        if decision.rewrite is not None and decision.rewrite.target == "messages":
            changed: list[dict[str, Any]] = decision.rewrite.value
            return changed
        return None

    async def run_call(self, call: ToolCall, run: RunTool) -> ToolResult:
        """Run a call of a tool through the pipeline."""
        result = await self._run.pipeline.run_call(call, run)
        if result.ran and not result.failed:
            for fault in await self._run.run_post_edit(call):
                await self._run.events.notify("warning", fault)
        return result

    async def transfer_task(self, agent: str, task: str, expected_output: str) -> str:
        """Return the answer of another agent to a task; raises as `Team.transfer_task`."""
        return await self._run.team.transfer_task(agent, task, expected_output)

    def hand_over(self, agent: str) -> str:
        """Let another agent take over after this turn; raises as `Team.hand_over`."""
        return self._run.team.hand_over(agent)
