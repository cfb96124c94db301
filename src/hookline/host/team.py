"""Team: gives work of an agent to the other agents of its file."""

from __future__ import annotations

from hookline.host.framework.conversation import make_user_message
from hookline.host.shielding import finish
from hookline.host.turns import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.host.agent_spec import AgentSpec
    from hookline.host.firing import HostEvents
    from hookline.host.services import ChildRun, Services

_DEEPEST = 8  # sessions below one another


def describe_team(spec: AgentSpec, descriptions: dict[str, str]) -> str:
    """Return what an agent is told of those that it may call; empty if there are none."""
    blocks = [
        (spec.sub_agents, "With `transfer_task` you can give a task to one of these agents:"),
        (spec.handoffs, "With `handoff` you can let one of these agents take over:"),
    ]
    texts = []
    for names, head in blocks:
        if names:
            lines = [f"- {name}: {descriptions.get(name, '')}".rstrip(": ") for name in names]
            texts.append("\n".join([head, *lines]))
    return "\n\n".join(texts)


class Team:
    """The agents that those of one run may call.

    `handoff`: the one that takes over next. `waited`: seconds for the answers of sub-agents.
    """

    def __init__(self, run: ChildRun, services: Services, events: HostEvents) -> None:
        self.handoff = ""
        self.waited = 0.0
        self._run = run
        self._services = services
        self._events = events

    async def switch_agent(self, name: str, kind: str) -> None:
        """Let another agent go on with the session."""
        session = self._run.session
        await self._fire_switch(session.agent, name, kind)
        session.agent = name
        session.agent_mode = self._services.find_mode(name)

    async def take_handoff(self) -> None:
        """Let the agent take over to which the last turn handed over, if it did."""
        if self.handoff:
            target, self.handoff = self.handoff, ""
            await self.switch_agent(target, "handoff")

    async def _fire_switch(self, before: str, after: str, kind: str) -> None:
        models = self._services.describe_models(before)
        await self._events.fire_switch(before, after, kind, models)

    async def transfer_task(self, agent: str, task: str, expected_output: str) -> str:
        """Run a task in a session of another agent, and return its answer.

        Raises:
            ToolError: there is no such sub-agent, or it did not finish.
        """
        caller = self._run.session.agent
        names = self._services.file.agents[caller].sub_agents
        if agent not in names:
            raise ToolError(f"there is no sub-agent `{agent}`; there are: {', '.join(names)}")
        if self._run.depth >= _DEEPEST:
            raise ToolError(f"agents are nested {_DEEPEST} deep")
        await self._fire_switch(caller, agent, "transfer_task")
        child = self._services.open_child(self._run, agent)
        wish = f"{task}\n\nExpected output:\n{expected_output}" if expected_output else task
        child.session.last_prompt = task
        child.session.messages.append(make_user_message(wish))
        error, began = "canceled", self._services.clock()
        try:
            error = (await child.run(None)).error
        finally:
            self.waited += self._services.clock() - began
            await finish(self._end_child(child, caller, error))
        if error:
            raise ToolError(f"the agent `{agent}` did not finish: {error}")
        return child.session.last_text

    async def _end_child(self, child: ChildRun, caller: str, error: str) -> None:
        agent, used = child.session.agent, child.session
        usage = {"input_tokens": used.input_tokens, "output_tokens": used.output_tokens}
        self._run.session.count(usage, used.cost)
        await self._events.fire(
            "subagent_stop",
            agent=agent,
            session_id=child.session.id,
            parent_session_id=self._run.session.id,
            parent_agent_name=caller,
            stop_response="" if error else child.session.last_text,
        )
        await self._fire_switch(agent, caller, "transfer_task_return")

    def hand_over(self, agent: str) -> str:
        """Let another agent take over after this turn.

        Raises:
            ToolError: this agent may not hand over to it.
        """
        names = self._services.file.agents[self._run.session.agent].handoffs
        if agent not in names:
            raise ToolError(f"`{agent}` cannot take over; there are: {', '.join(names)}")
        self.handoff = agent
        return f"`{agent}` takes over"
