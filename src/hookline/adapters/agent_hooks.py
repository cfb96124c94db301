"""Agent hooks: the moments of one agent's run, each asked of an engine.

A framework's adapter calls these methods where the framework has the moment, and does what the
answer says. It knows no framework itself; a host that has its own loop can call it directly.
"""

from __future__ import annotations

import logging
import uuid
from collections import OrderedDict

from hookline.adapters.answers import (
    Approval,
    Call,
    ModelAnswer,
    PromptAnswer,
    ResponseAnswer,
    ResultAnswer,
    RunStoppedError,
    ToolAnswer,
)
from hookline.model.frozen import Frozen
from hookline.model.verdict import Decision, Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    from hookline.engine.engine import Engine

    # The question, and what it is about -> whether the person agrees.
    Ask: TypeAlias = Callable[[str, Call], Awaitable[bool]]
    Notify: TypeAlias = Callable[[str], None]

_DIALECT = "hookline"
# Where the action must not happen if the hooks cannot be asked.
_CLOSED = frozenset(
    {
        "prompt.submit",
        "model.request",
        "model.response",
        "tool.before",
        "tool.permission.request",
        "subagent.start",
    }
)
_MOST_STORED = 256  # answers about calls that are not over
_NO_PERSON = "a hook wants a person to decide, and there is none to ask"
_WITHHELD = "hookline withheld the result, because it could not ask the hooks about it"


class _Stored(Frozen):
    """The answer about a call that is not over, and what hooks said to the model before it."""

    given: Any
    answer: ToolAnswer
    context: tuple[str, ...]


class AgentHooks:
    """The hooks of one agent in one session.

    A method that asks before something happens raises `RunStoppedError` if the run must not go on.

    Args:
        engine: whose hooks are asked.
        session_id: by which stop gates are counted; a new one by default.
        cwd: the agent's folder; that of the engine by default.
        agent: the id of a sub-agent; empty for the agent itself.
        agent_type: the name of the sub-agent's kind.
        ask: asks a person, for calls in parallel at the same time; without it, a question is a
            refusal.
        notify: receives the texts for the user; by default they are logged as warnings.
        tools: the framework's name of a tool -> its name for hooks, such as `shell`.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        session_id: str = "",
        cwd: str = "",
        agent: str = "",
        agent_type: str = "",
        ask: Ask | None = None,
        notify: Notify | None = None,
        tools: Mapping[str, str] | None = None,
    ) -> None:
        self.engine = engine
        self.session_id = session_id or uuid.uuid4().hex
        self.cwd = cwd or engine.cwd
        self.agent = agent
        self.agent_type = agent_type
        self.ask = ask
        self.notify = notify or logging.getLogger("hookline").warning
        self.tools = tools or {}
        self._has_started = False
        self._stored: OrderedDict[tuple[str, str], _Stored] = OrderedDict()
        self._unanswered: dict[tuple[str, str], Approval] = {}

    def child(self, agent_id: str, agent_type: str = "") -> AgentHooks:
        """Return the hooks of a sub-agent of this one."""
        return type(self)(
            self.engine,
            session_id=self.session_id,
            cwd=self.cwd,
            agent=agent_id,
            agent_type=agent_type,
            ask=self.ask,
            notify=self.notify,
            tools=self.tools,
        )

    def is_same_run(self, other: AgentHooks | None) -> bool:
        """Return whether other hooks ask the same engine about the same agent."""
        return other is not None and (self.engine, self.session_id, self.agent) == (
            other.engine,
            other.session_id,
            other.agent,
        )

    # -- the begin of a turn ---------------------------------------------------------------------

    async def begin_turn(self, text: str) -> PromptAnswer:
        """Ask about the prompt that begins a turn; first of a session, about the session too.

        For a sub-agent it asks whether it may start.

        Raises:
            RunStoppedError: a hook refused it.
        """
        if self.agent:
            return PromptAnswer(text=text, context=await self.start_subagent(text))
        context = () if self._has_started else await self.start_session()
        answer = await self.submit_prompt(text)
        return answer.replace(context=(*context, *answer.context))

    async def start_session(self, source: str = "startup") -> tuple[str, ...]:
        """Report that the session begins; return text for the model.

        Raises:
            RunStoppedError: a hook ended the run.
        """
        self._has_started = True
        decision = await self._fire("session.start", source=source)
        await self._stop_if_refused(decision)
        return decision.for_agent

    async def end_session(self, reason: str = "") -> None:
        """Report that the session ends."""
        await self._fire("session.end", reason=reason)
        self._has_started = False
        self._forget()

    async def submit_prompt(self, text: str) -> PromptAnswer:
        """Ask about a prompt.

        Raises:
            RunStoppedError: a hook refused it.
        """
        self._forget()
        decision = await self._fire("prompt.submit", prompt=text, source="user")
        await self._stop_if_refused(decision)
        return PromptAnswer(text=_read(decision, "text", text), context=decision.for_agent)

    async def start_subagent(self, task: str) -> tuple[str, ...]:
        """Ask whether this sub-agent may start; return text for its model.

        Raises:
            RunStoppedError: a hook refused it.
        """
        decision = await self._fire("subagent.start", agent_type=self.agent_type, task=task)
        await self._stop_if_refused(decision)
        return decision.for_agent

    # -- model ---------------------------------------------------------------------------------

    async def before_model(
        self, model: str, messages: Sequence[Any], tools: Sequence[str] = ()
    ) -> ModelAnswer:
        """Ask about a request to the model. `messages` and `tools` are plain JSON.

        Raises:
            RunStoppedError: a hook refused it.
        """
        decision = await self._fire(
            "model.request", model=model, messages=[*messages], tools=[*tools]
        )
        await self._stop_if_refused(decision)
        return ModelAnswer(
            messages=_read(decision, "messages", None),
            response=decision.effects.get("return"),
            context=decision.for_agent,
        )

    async def after_model(
        self, model: str, response: str, usage: Mapping[str, Any], *, is_last: bool = False
    ) -> ResponseAnswer:
        """Ask about the text that the model answered.

        Args:
            model: its name.
            response: its text.
            usage: counts of tokens, by name.
            is_last: the model cannot be asked again, so that a refusal ends the run.

        Raises:
            RunStoppedError: a hook ended the run.
        """
        decision = await self._fire(
            "model.response", model=model, response=response, usage=dict(usage)
        )
        _stop_if_halted(decision)
        refusal = _find_refusal(decision)
        if refusal and is_last:
            raise RunStoppedError(refusal, decision.kind)
        return ResponseAnswer(response=_read(decision, "text", response), refusal=refusal)

    async def model_error(self, model: str, error: BaseException) -> float | None:
        """Report a failed request; return after how many seconds a hook wants it repeated."""
        details = {"type": type(error).__name__, "model": model}
        decision = await self._fire("model.error", error=str(error), error_details=details)
        return decision.retry_after

    # -- tools ---------------------------------------------------------------------------------

    async def before_tool(
        self,
        tool: str,
        given: Mapping[str, Any],
        call_id: str = "",
        *,
        is_approved: bool = False,
    ) -> ToolAnswer:
        """Ask about a call of a tool before it runs, and settle a question about it.

        Asked again about the same call, it returns the answer of the first time, and no hook runs
        again: frameworks ask again when they resume a run after a question.

        Args:
            tool: the framework's name.
            given: the input as plain JSON.
            call_id: of this call.
            is_approved: a person has decided already, so that no question is asked.

        Raises:
            RunStoppedError: a hook ended the run.
        """
        answer = await self._ask_before_tool(tool, given, call_id)
        if not answer.question:
            return answer
        if is_approved:
            return answer.replace(question="")
        question = answer.question
        approval = await self.approve(tool, answer.input, call_id, question)
        return answer.replace(
            input=approval.input,
            refusal=approval.reason,
            question="" if approval.answered else question,
        )

    async def _ask_before_tool(
        self, tool: str, given: Mapping[str, Any], call_id: str
    ) -> ToolAnswer:
        key = (call_id, tool)
        stored = self._stored.get(key) if call_id else None
        if stored is not None and stored.given == given:
            return stored.answer
        decision = await self._fire("tool.before", **self._describe(tool, given, call_id))
        _stop_if_halted(decision)
        asks = decision.stance is Stance.ASK or bool(decision.effects.get("defer"))
        refusal, context = _find_refusal(decision), decision.for_agent
        has_result = "return" in decision.effects
        answer = ToolAnswer(
            input=_read(decision, "input", given),
            refusal="\n\n".join((refusal, *context)) if refusal else "",
            question=(decision.reason or _NO_PERSON) if asks else "",
            has_result=has_result,
            result=decision.effects.get("return"),
            context=context if has_result else (),
        )
        self._stored[key] = _Stored(given=given, answer=answer, context=context)
        while len(self._stored) > _MOST_STORED:
            self._stored.popitem(last=False)
        return answer

    async def approve(
        self, tool: str, given: Mapping[str, Any], call_id: str, question: str
    ) -> Approval:
        """Settle a question about a call: hooks on permission requests first, then a person.

        Without both it is not granted, and not `answered`. It is stored, as in `before_tool`.
        """
        stored = self._unanswered.get((call_id, tool))
        if stored is not None and stored.input == given:
            return stored
        about = self._describe(tool, given, call_id)
        decision = await self._fire("tool.permission.request", **about, reason=question)
        new = _read(decision, "input", given)
        source = "hook"
        if refusal := _find_refusal(decision):
            approval = Approval(granted=False, input=new, reason=refusal)
        elif decision.stance is Stance.ALLOW:
            approval = Approval(granted=True, input=new)
        elif self.ask is None:
            approval = Approval(granted=False, input=new, reason=question, answered=False)
            self._unanswered[call_id, tool] = approval
            return approval
        else:
            call = Call(tool=tool, input=new, call_id=call_id)
            granted, source = await self._ask(question, call), "user"
            reason = "" if granted else f"the user did not allow it: {question}"
            approval = Approval(granted=granted, input=new, reason=reason)
        decided = "allow" if approval.granted else "deny"
        await self._fire("tool.permission.resolved", **about, decision=decided, source=source)
        return approval

    async def after_tool(
        self,
        tool: str,
        given: Mapping[str, Any],
        call_id: str,
        result: Any,
        duration: float | None = None,
    ) -> ResultAnswer:
        """Ask about the result of a tool that ran. `duration` in seconds.

        Raises:
            RunStoppedError: a hook ended the run.
        """
        about = self._describe(tool, given, call_id)
        context = self._take_context(tool, call_id)
        decision = await self._fire("tool.after", **about, result=result, duration=duration)
        rewrite = decision.rewrite
        if rewrite is not None and rewrite.target == "output":
            return _make_result(decision, context, rewrite.value, changed=True)
        if decision.stance is Stance.DENY and not decision.verdicts:  # the hooks were not asked
            return _make_result(decision, context, _WITHHELD, changed=True)
        return _make_result(decision, context, result)

    async def tool_failed(
        self, tool: str, given: Mapping[str, Any], call_id: str, error: str
    ) -> ResultAnswer:
        """Ask about a call that ran and failed. A call that a hook refused did not run.

        Raises:
            RunStoppedError: a hook ended the run.
        """
        about = self._describe(tool, given, call_id)
        context = self._take_context(tool, call_id)
        decision = await self._fire("tool.failure", **about, error=error)
        return _make_result(decision, context, error)

    def _take_context(self, tool: str, call_id: str) -> tuple[str, ...]:
        """Drop the stored answers about a call; return what hooks said to the model before it."""
        self._unanswered.pop((call_id, tool), None)
        stored = self._stored.pop((call_id, tool), None)
        return stored.context if stored else ()

    def _forget(self) -> None:
        self._stored.clear()
        self._unanswered.clear()

    def _describe(self, tool: str, given: Mapping[str, Any], call_id: str) -> dict[str, Any]:
        return {"tool": self.tools.get(tool, tool), "input": given, "call_id": call_id}

    # -- the end of a turn ---------------------------------------------------------------------

    async def stop(self, last_message: Any = "") -> str:
        """Return what the agent must still do; empty if it may stop.

        The engine counts, and lets the agent stop after the limit. For a sub-agent it asks about
        the end of that.
        """
        if self.agent:
            about = {"agent_type": self.agent_type, "result": last_message}
            decision = await self._fire("subagent.stop", **about)
        else:
            decision = await self._fire("stop", last_message=last_message)
        if not decision.redo:
            return ""
        return "\n".join((decision.reason or "go on", *decision.for_agent))

    async def run_failed(self, error: BaseException) -> None:
        """Report that the run ends with an error."""
        about = {"type": type(error).__name__}
        await self._fire("stop.failure", error=str(error) or type(error).__name__, **about)

    async def limit_reached(self, limit: Any) -> None:
        """Report that the run ends because it reached a limit of requests."""
        await self._fire("limit.iterations", limit=limit)

    # -- asking --------------------------------------------------------------------------------

    async def _fire(self, kind: str, **payload: Any) -> Decision:
        """Return the decision on an event; a refusal if a gate cannot be asked."""
        named = {name: value for name, value in payload.items() if value is not None}
        named |= {"session_id": self.session_id, "cwd": self.cwd}
        if self.agent:
            named["agent_id"] = self.agent
        try:
            decision = await self.engine.fire_async(kind, named, dialect=_DIALECT)
        except Exception as error:  # noqa: BLE001 - whatever it is, a gate must not open
            reason = f"hookline could not ask the hooks: {error}"
            closes = kind in _CLOSED or kind == "tool.after"
            stance = Stance.DENY if closes else Stance.SILENT
            decision = Decision(
                kind=kind,
                dialect=_DIALECT,
                native_event=kind,
                stance=stance,
                reason=reason,
                for_user=(f"{kind}: {reason}",),
            )
        for text in decision.for_user:
            self.notify(text)
        return decision

    async def _stop_if_refused(self, decision: Decision) -> None:
        """Stop the run if a hook refuses; a person answers a question first."""
        reason = _find_refusal(decision)
        if decision.stance is Stance.ASK:
            question = decision.reason or _NO_PERSON
            if self.ask is None:
                reason = question
            elif not await self._ask(question, Call()):
                reason = f"the user did not allow it: {question}"
        if reason:
            raise RunStoppedError(reason, decision.kind)

    async def _ask(self, question: str, call: Call) -> bool:
        if self.ask is None:
            return False
        try:
            return await self.ask(question, call)
        except Exception as error:  # noqa: BLE001 - a question without an answer is no consent
            self.notify(f"the question `{question}` failed: {error}")
            return False


def _find_refusal(decision: Decision) -> str:
    if decision.stance < Stance.DENY:
        return ""
    return decision.reason or "a hook refused it"


def _stop_if_halted(decision: Decision) -> None:
    if decision.stance is Stance.HALT:
        raise RunStoppedError(decision.reason or "a hook ended the run", decision.kind)


def _read(decision: Decision, target: str, unchanged: Any) -> Any:
    """Return what a hook put in the place of a value; the value itself if none did."""
    rewrite = decision.rewrite
    return rewrite.value if rewrite is not None and rewrite.target == target else unchanged


def _make_result(
    decision: Decision, context: tuple[str, ...], result: Any, *, changed: bool = False
) -> ResultAnswer:
    """Return the answer about a call that ran: a denial is feedback for the model."""
    _stop_if_halted(decision)
    feedback = (decision.reason,) if decision.stance is Stance.DENY and decision.reason else ()
    texts = (*context, *feedback, *decision.for_agent)
    return ResultAnswer(result=result, changed=changed, context=texts)
