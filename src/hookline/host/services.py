"""Services: what the runs of a program share, as they see it; `host.Host` has it."""

from __future__ import annotations

from typing import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.engine.engine import Engine
    from hookline.host.agent_spec import AgentFile
    from hookline.host.framework.agent import HostAgent
    from hookline.host.session import Session
    from hookline.host.spending import Spending
    from hookline.host.turns import Reply, RunResult
    from hookline.host.updates import Face


class ChildRun(Protocol):
    """A run, as another one starts it. `depth`: sessions above its own."""

    session: Session
    depth: int

    async def run(self, prompt: str | None) -> RunResult:
        """Run until the agent is done."""


class Services(Protocol):
    """What all runs of a program share; `host.Host` has it."""

    file: AgentFile
    engine: Engine
    face: Face
    home: str
    environ: Mapping[str, str]
    spending: Spending
    clock: Callable[[], float]

    async def open_agent(self, name: str) -> HostAgent:
        """Return an agent with its tools open."""

    def open_child(self, parent: ChildRun, agent: str) -> ChildRun:
        """Return the run of a session below another."""

    def save(self, session: Session) -> None:
        """Write a session to its file."""

    def model_id(self, agent: str, *, writes_summary: bool = False) -> str:
        """Return the model of an agent, or the one for its summaries: `provider/model`."""

    def find_threshold(self, agent: str) -> float:
        """Return the part of its context window at which an agent's conversation is compacted."""

    def find_mode(self, agent: str) -> str:
        """Return the mode of approval of an agent, if the person chose none."""

    def price(self, agent: str, reply: Reply, *, writes_summary: bool = False) -> Reply:
        """Return a reply with its cost, where the file says what its model costs."""

    def describe_models(self, agent: str) -> list[dict[str, str]]:
        """Return the models of an agent, for `on_agent_switch`."""
