"""What hooks cost an agent: the same agent bare, with the adapter, and in the reference host."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

import hookline
from bench.measure import Case, Goal, Report, awaits, finish, options, rounds_of, wait_for_quiet
from hookline.adapters.pydantic_ai import HooksCapability
from hookline.host.agent_spec import AgentFile, AgentSpec, ModelSpec
from hookline.host.framework.agent import HostAgent
from hookline.host.framework.tools import make_think
from hookline.host.host import Host
from hookline.host.permissions import PermissionRules, parse_rule

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pydantic_ai.messages import ModelMessage

    from hookline.host.updates import Question, Update

TURNS = 10  # of a run, each with one call of a tool; then an answer
HOOKS = 10
INSTRUCTION = "You think."
# Seconds until a model answers: at once, and far faster than any real one.
DELAYS = {"at once": 0.0, "after 50 ms": 0.05}


class QuietFace:
    """A person who is not there."""

    is_interactive = False

    def show(self, update: Update) -> None:
        """Show nothing."""

    async def approve(self, _: Question) -> tuple[str, str]:
        """Refuse."""
        return "reject", ""

    async def may_extend(self, _: int) -> bool:
        """Refuse."""
        return False


def make_model(delay: float) -> FunctionModel:
    """Return a model that asks for a tool in each turn, and then answers."""

    async def reply(messages: list[ModelMessage], _: Any) -> ModelResponse:
        if delay:
            await asyncio.sleep(delay)
        at = sum(isinstance(message, ModelResponse) for message in messages)
        if at >= TURNS:
            return ModelResponse(parts=[TextPart("Done.")])
        return ModelResponse(parts=[ToolCallPart("think", {"thought": f"{at}"}, f"call_{at}")])

    return FunctionModel(reply)


def run_bare(delay: float) -> Callable[[], Awaitable[object]]:
    """Return what runs the agent without hookline."""
    agent: Agent[None, str] = Agent(
        make_model(delay), instructions=INSTRUCTION, toolsets=[make_think()]
    )
    return partial(agent.run, "go")


def run_adapted(folder: str, delay: float) -> Callable[[], Awaitable[object]]:
    """Return what runs the agent with the adapter and ten hooks on each tool call."""
    hooks = HooksCapability(make_engine(folder, HOOKS))
    agent: Agent[None, str] = Agent(
        make_model(delay),
        instructions=INSTRUCTION,
        toolsets=[make_think()],
        capabilities=[hooks],
    )
    return partial(agent.run, "go")


def make_engine(folder: str, hooks: int) -> hookline.Engine:
    """Return an engine with so many hooks on each tool call."""
    engine = hookline.Engine(cwd=folder, environ={"HOME": folder})
    for at in range(hooks):
        engine.on("tool.before", name=f"hook {at}")(quiet)
    return engine


async def quiet(_event: hookline.Event) -> None:
    """A hook that has no opinion."""


class BenchHost(Host):
    """The reference host with an agent of one tool, which needs no agent file."""

    model: FunctionModel

    async def open_agent(self, name: str) -> HostAgent:
        """Return the agent."""
        if name not in self._agents:
            self._agents[name] = HostAgent(
                self.model, instruction=INSTRUCTION, toolsets=[make_think()], capabilities=[]
            )
        return self._agents[name]

    def save(self, session: object) -> None:
        """Write no file."""


def run_hosted(folder: str, delay: float, hooks: int) -> Callable[[], Awaitable[object]]:
    """Return what runs the agent in the host, with so many hooks on each tool call."""
    engine = make_engine(folder, hooks)
    model = ModelSpec(name="bench", provider="scripted", model="bench")
    spec = AgentSpec(name="root", model=model, instruction=INSTRUCTION, max_consecutive_calls=0)
    file = AgentFile(
        path="bench",
        agents={"root": spec},
        models={},
        budgets={},
        permissions=PermissionRules(allow=(parse_rule("think"),)),
    )
    host = BenchHost(file, engine, QuietFace(), cwd=folder, environ={"HOME": folder})
    host.model = make_model(delay)

    async def run() -> object:
        result = await host.open_session().run("go")
        if result.text != "Done.":
            raise RuntimeError(result)
        return result

    return run


def list_cases(loop: asyncio.AbstractEventLoop, folder: str) -> list[Case]:
    """Return all cases: bare, with the adapter, and in the host without hooks and with ten."""
    cases = []
    for label, delay in DELAYS.items():
        floor = f"bare, {label}"
        named = {
            floor: run_bare(delay),
            f"adapter, {HOOKS} hooks, {label}": run_adapted(folder, delay),
            f"host, no hooks, {label}": run_hosted(folder, delay, 0),
            f"host, {HOOKS} hooks, {label}": run_hosted(folder, delay, HOOKS),
        }
        cases += [
            Case(
                name=name,
                sample=awaits(loop, run),
                floor="" if name == floor else floor,
                heading=f"{TURNS} turns with a model that answers {label}",
            )
            for name, run in named.items()
        ]
    return cases


def main() -> int:
    """Measure, print, and return the exit code."""
    given = options(
        "A run of the reference host and of the same agent without hookline.", rounds=9
    ).parse_args()
    busy = wait_for_quiet(given.wait)
    loop = asyncio.new_event_loop()
    with tempfile.TemporaryDirectory() as folder:
        results = rounds_of(list_cases(loop, folder), rounds=given.rounds, batch=0.2)
    loop.close()
    goals = tuple(
        Goal(
            text=f"{way}, ten in-process hooks, a model that answers {label}",
            case=f"{way}, {HOOKS} hooks, {label}",
            against=f"bare, {label}",
            target=1.1,
            bound=bound,
        )
        for way, label, bound in (
            ("adapter", "at once", 1.5),
            ("host", "at once", 3.0),
            ("adapter", "after 50 ms", 1.2),
            ("host", "after 50 ms", 1.2),
        )
    )
    report = Report(name="host", unit="ms", results=results, goals=goals)
    return finish(report, given, busy)


if __name__ == "__main__":
    sys.exit(main())
