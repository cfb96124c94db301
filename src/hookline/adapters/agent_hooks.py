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
    CompactionAnswer,
    ModelAnswer,
    PromptAnswer,
    ResponseAnswer,
    ResultAnswer,
    StartAnswer,
    ToolAnswer,
)
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
        "compact.before",
        "subagent.start",
    }
)
_MOST_STORED = 256  # answers about calls that are not over
_MOST_SESSIONS = 256
_NO_PERSON = "a hook wants a person to decide, and there is none to ask"
_WITHHELD = "hookline withheld the result, because it could not ask the hooks about it"


class AgentHooks:
    """The hooks of one agent in one session.

    Args:
        engine: whose hooks are asked.
        session_id: by which stop gates are counted; a new one by default.
        cwd: the agent's folder; that of the engine by default.
        agent: the id of a sub-agent; empty for the agent itself.
        agent_type: the name of the sub-agent's kind.
        ask: asks a person; without it, a question is a refusal.
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
        self._stored: OrderedDict[tuple[str, str], tuple[Any, ToolAnswer]] = OrderedDict()
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

    # -- session and prompt --------------------------------------------------------------------

    async def start_session(self, source: str = "startup", model: str = "") -> StartAnswer:
        """Report that the session begins; its context is for the model."""
        decision = await self._fire("session.start", source=source, model=model)
        return StartAnswer(refusal=_find_refusal(decision), context=decision.for_agent)

    async def end_session(self, reason: str = "") -> None:
        """Report that the session ends."""
        await self._fire("session.end", reason=reason)
        self._forget()

    async def submit_prompt(self, text: str, source: str = "user") -> PromptAnswer:
        """Ask about a prompt. `source`: `hook` for one that repeats what a stop hook said."""
        self._forget()
        decision = await self._fire("prompt.submit", prompt=text, source=source)
        refusal = await self._settle(decision)
        rewrite = decision.rewrite
        new = rewrite.value if rewrite is not None and rewrite.target == "text" else text
        return PromptAnswer(text=new, refusal=refusal, context=decision.for_agent)

    # -- model ---------------------------------------------------------------------------------

    async def before_model(
        self, model: str, messages: Sequence[Any], tools: Sequence[str] = ()
    ) -> ModelAnswer:
        """Ask about a request to the model. `messages` and `tools` are plain JSON."""
        decision = await self._fire(
            "model.request", model=model, messages=[*messages], tools=[*tools]
        )
        rewrite = decision.rewrite
        return ModelAnswer(
            messages=rewrite.value if rewrite and rewrite.target == "messages" else None,
            response=decision.effects.get("return"),
            refusal=await self._settle(decision),
            context=decision.for_agent,
        )

    async def after_model(
        self, model: str, response: str, usage: Mapping[str, Any] | None = None
    ) -> ResponseAnswer:
        """Ask about the text that the model answered. `usage`: counts of tokens, by name."""
        decision = await self._fire(
            "model.response", model=model, response=response, usage=dict(usage or {})
        )
        rewrite = decision.rewrite
        return ResponseAnswer(
            response=rewrite.value if rewrite and rewrite.target == "text" else response,
            refusal="" if decision.stance is Stance.HALT else _find_refusal(decision),
            ends=_find_end(decision),
            retry_after=decision.retry_after,
        )

    async def model_error(self, model: str, error: BaseException) -> float | None:
        """Report a failed request; return after how many seconds a hook wants it repeated."""
        details = {"type": type(error).__name__, "model": model}
        decision = await self._fire("model.error", error=str(error), error_details=details)
        return decision.retry_after

    # -- tools ---------------------------------------------------------------------------------

    async def before_tool(
        self, tool: str, given: Mapping[str, Any], call_id: str = ""
    ) -> ToolAnswer:
        """Ask about a call of a tool before it runs; `given` is its input as plain JSON.

        Asked again about the same call, it returns the answer of the first time, and no hook runs
        again: frameworks ask again when they resume a run after a question.
        """
        key = (call_id, tool)
        stored = self._stored.get(key) if call_id else None
        if stored is not None and stored[0] == given:
            return stored[1]
        decision = await self._fire("tool.before", **self._describe(tool, given, call_id))
        rewrite = decision.rewrite
        asks = decision.stance is Stance.ASK or bool(decision.effects.get("defer"))
        answer = ToolAnswer(
            input=rewrite.value if rewrite and rewrite.target == "input" else given,
            refusal=_find_refusal(decision),
            question=(decision.reason or _NO_PERSON) if asks else "",
            allowed=decision.stance is Stance.ALLOW,
            has_result="return" in decision.effects,
            result=decision.effects.get("return"),
            ends=_find_end(decision),
            context=decision.for_agent,
        )
        if call_id:
            self._stored[key] = given, answer
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
        rewrite = decision.rewrite
        new = rewrite.value if rewrite and rewrite.target == "input" else given
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
        """Ask about the result of a tool that ran. `duration` in seconds."""
        about = self._describe(tool, given, call_id)
        self._forget((call_id, tool))
        decision = await self._fire("tool.after", **about, result=result, duration=duration)
        rewrite = decision.rewrite
        if rewrite is not None and rewrite.target == "output":
            return _make_result(decision, rewrite.value, changed=True)
        if decision.stance is Stance.DENY and not decision.verdicts:  # the hooks were not asked
            return _make_result(decision, _WITHHELD, changed=True)
        return _make_result(decision, result)

    async def tool_failed(
        self,
        tool: str,
        given: Mapping[str, Any],
        call_id: str,
        error: str,
        *,
        is_interrupt: bool = False,
    ) -> ResultAnswer:
        """Ask about a call that ran and failed. A call that a hook refused did not run."""
        about = self._describe(tool, given, call_id)
        self._forget((call_id, tool))
        decision = await self._fire("tool.failure", **about, error=error, is_interrupt=is_interrupt)
        return _make_result(decision, error)

    def _forget(self, key: tuple[str, str] | None = None) -> None:
        """Drop the stored answers about a call; without a key, all."""
        for stored in (self._stored, self._unanswered):
            if key is None:
                stored.clear()
            else:
                stored.pop(key, None)

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

    # -- sub-agents and compaction -------------------------------------------------------------

    async def start_subagent(self, task: str) -> StartAnswer:
        """Ask whether this sub-agent may start; its context is for the sub-agent."""
        decision = await self._fire("subagent.start", agent_type=self.agent_type, task=task)
        return StartAnswer(refusal=await self._settle(decision), context=decision.for_agent)

    async def before_compaction(
        self, trigger: str = "auto", tokens: int | None = None, instructions: str = ""
    ) -> CompactionAnswer:
        """Ask about a compaction of the history."""
        about = {"trigger": trigger, "tokens": tokens, "instructions": instructions}
        decision = await self._fire("compact.before", **about)
        rewrite = decision.rewrite
        return CompactionAnswer(
            refusal=await self._settle(decision),
            instructions=decision.effects.get("instructions", instructions),
            summary=rewrite.value if rewrite and rewrite.target == "summary" else None,
            context=decision.for_agent,
        )

    async def after_compaction(self, summary: str, tokens: int | None = None) -> tuple[str, ...]:
        """Report a compaction; return text for the model."""
        decision = await self._fire("compact.after", summary=summary, tokens=tokens)
        return decision.for_agent

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

    async def _settle(self, decision: Decision) -> str:
        """Return why something must not happen; a person answers a question first."""
        if decision.stance is not Stance.ASK:
            return _find_refusal(decision)
        question = decision.reason or _NO_PERSON
        if self.ask is None:
            return question
        return "" if await self._ask(question, Call()) else f"the user did not allow it: {question}"

    async def _ask(self, question: str, call: Call) -> bool:
        if self.ask is None:
            return False
        try:
            return await self.ask(question, call)
        except Exception as error:  # noqa: BLE001 - a question without an answer is no consent
            self.notify(f"the question `{question}` failed: {error}")
            return False


class AgentSessions:
    """The hooks of each session that an adapter began; `options` are those of `AgentHooks`."""

    def __init__(self, engine: Engine, **options: Any) -> None:
        self._engine = engine
        self._options = options
        self._known: OrderedDict[str, AgentHooks] = OrderedDict()

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._known

    def find(self, session_id: str, agent: str = "", agent_type: str = "") -> AgentHooks:
        """Return the hooks of a session, or of a sub-agent in it; made when first asked for."""
        key = f"{session_id}\n{agent}" if agent else session_id
        if key not in self._known:
            about: dict[str, Any] = {
                "session_id": session_id,
                "agent": agent,
                "agent_type": agent_type,
            }
            self._known[key] = AgentHooks(self._engine, **about, **self._options)
            while len(self._known) > _MOST_SESSIONS:
                self._known.popitem(last=False)
        return self._known[key]

    async def end(self, reason: str = "") -> None:
        """Report the end of every session."""
        while self._known:
            _, hooks = self._known.popitem(last=False)
            if not hooks.agent:
                await hooks.end_session(reason)


def _find_refusal(decision: Decision) -> str:
    if decision.stance < Stance.DENY:
        return ""
    return decision.reason or "a hook refused it"


def _find_end(decision: Decision) -> str:
    if decision.stance is not Stance.HALT:
        return ""
    return decision.reason or "a hook ended the run"


def _make_result(decision: Decision, result: Any, *, changed: bool = False) -> ResultAnswer:
    """Return the answer about a call that ran: a denial is feedback for the model."""
    feedback = (decision.reason,) if decision.stance is Stance.DENY and decision.reason else ()
    return ResultAnswer(
        result=result,
        changed=changed,
        context=(*feedback, *decision.for_agent),
        ends=_find_end(decision),
        retry_after=decision.retry_after,
    )
