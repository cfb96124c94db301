"""Host: what all sessions of one program share: the agent file, the engine, agents and face."""

from __future__ import annotations

import os
import time
import uuid
from contextlib import AsyncExitStack
from typing import Any

from hookline.errors import ConfigError, HandlerError
from hookline.host.agent_spec import COMPACTION_THRESHOLD, Toolset
from hookline.host.env_references import expand_env
from hookline.host.firing import use_host_dialect
from hookline.host.framework.agent import HostAgent
from hookline.host.framework.conversation import (
    estimate_length,
    read_conversation,
    write_conversation,
)
from hookline.host.framework.models import join_models, make_model, make_scripted_model
from hookline.host.framework.tools import (
    is_capability,
    list_tool_names,
    make_background_jobs,
    make_filesystem,
    make_shell,
    make_team,
    make_think,
    make_todo,
    make_workspace,
    select_tools,
)
from hookline.host.loop import Run
from hookline.host.session import Session, SessionFiles
from hookline.host.spending import Spending
from hookline.host.team import describe_team
from hookline.wire.providers import PROVIDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

    from hookline.engine.engine import Engine
    from hookline.host.agent_spec import AgentFile, AgentSpec, ModelSpec
    from hookline.host.framework.models import Client
    from hookline.host.services import ChildRun
    from hookline.host.turns import Reply
    from hookline.host.updates import Face

_ORIGINAL = "{ORIGINAL_INSTRUCTIONS}"  # of a toolset; those of the framework are in its tools

# Tokens of a thinking budget up to which each level of effort is meant.
_EFFORTS: tuple[tuple[int, str | bool], ...] = (
    (0, False), (1024, "minimal"), (4096, "low"), (16_384, "medium"),
)  # fmt: skip


class Host:
    """Runs the agents of a file with the hooks of an engine; enter it, and leave it to close all.

    `new_id`: makes the ids of sessions. `clock`: seconds, for the budgets.
    """

    def __init__(
        self,
        file: AgentFile,
        engine: Engine,
        face: Face,
        *,
        cwd: str,
        environ: Mapping[str, str],
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.file = file
        self.engine = use_host_dialect(engine)
        self.face = face
        self.cwd = cwd
        self.environ = environ
        self.home = environ.get("HOME", "")
        self.files = SessionFiles(environ)
        self.spending = Spending(file)
        self.clock = clock
        self._new_id = new_id
        self._agents: dict[str, HostAgent] = {}
        self._models: dict[str, ModelSpec] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        async with AsyncExitStack() as stack:
            for agent in self._agents.values():
                stack.push_async_exit(agent)

    # -- sessions ----------------------------------------------------------------------------------

    def open_session(self, agent: str = "", *, resumed: str = "") -> Run:
        """Return the run of a new session, or of a saved one; `agent`: the one that begins.

        Raises:
            ConfigError: there is no such agent or session.
        """
        if resumed:
            session, conversation = self.files.load(resumed)
            try:
                session.messages = read_conversation(conversation)
                session.length = estimate_length(session.messages)
            except ValueError:
                raise self.files.make_unreadable_error(resumed) from None
            if not os.path.isdir(session.cwd):
                raise ConfigError(
                    f"the folder of the session `{resumed}` is gone: {session.cwd}",
                    name="config.option",
                    hint="begin a new one without --resume",
                )
            self.cwd = session.cwd  # where its tools worked so far
            if agent or session.agent not in self.file.agents:
                session.agent = self.file.choose_agent(agent).name
        else:
            spec = self.file.choose_agent(agent)
            session = Session(self._new_id(), spec.name, self.cwd)
        session.agent_mode = self.find_mode(session.agent)
        return Run(self, session)

    def continue_session(self, run: Run) -> Run:
        """Return the run of the next prompt of a session."""
        return Run(self, run.session)

    def open_child(self, parent: ChildRun, agent: str) -> Run:
        """Return the run of a session below another, for another agent."""
        above = parent.session
        session = Session(
            self._new_id(),
            agent,
            above.cwd,
            parent_id=above.id,
            mode=self.find_mode(agent),
            approvals=above.approvals,
        )
        return Run(self, session, parent.depth + 1)

    def find_mode(self, agent: str) -> str:
        """Return the mode of approval of an agent, if the person chose none."""
        return self.file.agents[agent].safety or self.file.host.safety

    def save(self, session: Session) -> None:
        """Write a session to its file."""
        self.files.save(session, write_conversation(session.messages))
        session.is_saved = True

    # -- agents ------------------------------------------------------------------------------------

    async def open_agent(self, name: str) -> HostAgent:
        """Return an agent with its tools open; it stays open until the host is left.

        Raises:
            ConfigError: its model cannot be called, one of its MCP servers does not start, or two
                of its tools have the same name.
        """
        if name not in self._agents:
            spec = self.file.agents[name]
            parts = self._make_tools(spec)
            agent = await self._make_agent(spec, [tools for _, tools in parts]).__aenter__()
            try:
                await _check_tool_names(parts, agent.model)
            except BaseException:
                await agent.__aexit__()
                raise
            self._agents[name] = agent
        return self._agents[name]

    def check_models(self) -> None:
        """Check that each model that an agent may call can be called, before anything starts.

        Raises:
            ConfigError: one cannot, with what to set.
        """
        for spec in self.file.agents.values():
            for each in (spec.model, *spec.fallbacks, self._find_summary_model(spec)):
                self._choose_model(each)

    def _find_summary_model(self, spec: AgentSpec) -> ModelSpec:
        """Return the model that shortens the conversations of an agent."""
        own = spec.compaction_model or self._choose_model(spec.model).compaction_model
        return own or spec.model

    def _find_model(self, agent: str, *, writes_summary: bool) -> ModelSpec:
        spec = self.file.agents[agent]
        return self._choose_model(self._find_summary_model(spec) if writes_summary else spec.model)

    def model_id(self, agent: str, *, writes_summary: bool = False) -> str:
        """Return a model of an agent as payloads name it: `provider/model`."""
        return self._find_model(agent, writes_summary=writes_summary).model_id

    def find_threshold(self, agent: str) -> float:
        """Return the part of its context window at which an agent's conversation is compacted."""
        spec = self.file.agents[agent]
        own = spec.compaction_threshold or self._choose_model(spec.model).compaction_threshold
        return own or COMPACTION_THRESHOLD

    def price(self, agent: str, reply: Reply, *, writes_summary: bool = False) -> Reply:
        """Return a reply with its cost, where the file says what its model costs."""
        price, usage = self._find_model(agent, writes_summary=writes_summary).price, reply.usage
        if price is None:
            return reply
        cached, written = usage.get("cached_input_tokens", 0), usage.get("cached_write_tokens", 0)
        fresh = usage.get("input_tokens", 0) - cached - written
        cost = (
            fresh * price.input
            + usage.get("output_tokens", 0) * price.output
            + cached * price.cache_read
            + written * price.cache_write
        )
        return reply.replace(cost=cost / 1_000_000)

    def describe_models(self, agent: str) -> list[dict[str, str]]:
        """Return the models of an agent, for `on_agent_switch`."""
        return [self._choose_model(self.file.agents[agent].model).describe(self.environ)]

    async def set_model(self, agent: str, model: ModelSpec) -> None:
        """Let an agent use another model from its next turn on; close its tools until then.

        Raises:
            ConfigError: it cannot be called.
        """
        if model.is_scripted and model.script is None:
            raise ConfigError(
                f"`{model.name:.80}` is no script of the agent file",
                name="config.option",
                hint="begin with `--model`, which reads a script",
            )
        model = self._choose_model(model)
        self._models[self.file.agents[agent].model.name] = model
        if (before := self._agents.pop(agent, None)) is not None:
            await before.__aexit__()

    def _choose_model(self, spec: ModelSpec) -> ModelSpec:
        """Return the model itself, or the first of its candidates whose key is set.

        Raises:
            ConfigError: it cannot be called, with what to set.
        """
        if spec.name in self._models:
            return self._models[spec.name]
        errors: list[HandlerError] = []
        for each in spec.candidates or (spec,):
            if each.is_scripted:
                return self._models.setdefault(spec.name, each)
            try:
                each.resolve_endpoint(self.environ)
            except HandlerError as error:
                errors.append(error)
            else:
                return self._models.setdefault(spec.name, each)
        raise ConfigError(
            f"the model `{spec.name}` cannot be called: {errors[0]}",
            name="config.option",
            hint="set it, choose another model with `--model`, or play a script instead of a"
            " model: `--model scripted/demo`",
            place=self.file.path,
        )

    def _make_model(self, spec: ModelSpec, agent: str) -> Client:
        chosen = self._choose_model(spec)
        if chosen.is_scripted:
            assert chosen.script is not None  # noqa: S101 - the agent file has read it
            return make_scripted_model(chosen.script, agent)
        settings: dict[str, Any] = {
            name: value
            for name in ("temperature", "max_tokens", "top_p", "frequency_penalty",
                         "presence_penalty", "parallel_tool_calls")
            if (value := getattr(chosen, name)) is not None
        }  # fmt: skip
        if chosen.thinking_budget is not None:
            settings["thinking"] = _find_effort(chosen.thinking_budget)
        return make_model(chosen.resolve_endpoint(self.environ), settings)

    def _make_agent(self, spec: AgentSpec, tools: Sequence[Any]) -> HostAgent:
        chosen = self._choose_model(spec.model)
        summary = self._find_summary_model(spec)
        tried = (
            spec.model,
            *(each for each in spec.fallbacks for _ in range(spec.fallback_retries + 1)),
        )
        models = [self._make_model(each, spec.name) for each in tried]
        descriptions = {name: each.description for name, each in self.file.agents.items()}
        team = describe_team(spec, descriptions)
        notes = (each.instruction.replace(_ORIGINAL, "").strip() for each in spec.toolsets)
        sandbox = self.file.host.sandbox
        workspace = make_workspace(self.cwd, self.environ, sandbox, self._list_keys())
        return HostAgent(
            join_models(models),
            instruction="\n\n".join(filter(None, (spec.instruction, *notes, team))),
            toolsets=[each for each in tools if not is_capability(each)],
            capabilities=[workspace, *filter(is_capability, tools)],
            context_limit=chosen.context_window,
            summary_model=self._make_model(summary, spec.name) if summary != spec.model else None,
        )

    def _make_tools(self, agent: AgentSpec) -> list[tuple[Toolset, Any]]:
        """Return what the framework takes for each toolset of an agent; its plan is one."""
        found: list[tuple[Toolset, Any]] = []
        for spec in agent.toolsets:
            if spec.type != "todo" or all(each.type != "todo" for each, _ in found):
                found.append((spec, self._make_toolset(agent, spec)))
        if agent.sub_agents or agent.handoffs:
            team = make_team(transfers=bool(agent.sub_agents), hands_over=bool(agent.handoffs))
            found.append((Toolset(type="sub_agents"), team))
        return found

    def _list_keys(self) -> set[str]:
        """Return the variables that hold keys of providers, those of the agent file included."""
        specs = [*self.file.models.values(), *(each.model for each in self.file.agents.values())]
        own = {spec.token_key for spec in specs if spec.token_key}
        return own.union(*(provider.keys for provider in PROVIDERS.values()))

    def _make_toolset(self, agent: AgentSpec, spec: Toolset) -> Any:
        env = {name: expand_env(value, self.environ) for name, value in spec.env.items()}
        is_limited = spec.read_only or agent.read_only
        match spec.type:
            case "filesystem":
                return make_filesystem(spec, self.cwd, read_only=is_limited)
            case "todo":
                return make_todo()
            case "shell":
                toolset = make_shell(env)
            case "background_jobs":
                toolset = make_background_jobs(env, self.cwd)
            case "think":
                toolset = make_think()
            case _:
                # Few agents have one.
                from hookline.host.framework.mcp_servers import make_mcp  # noqa: PLC0415

                headers = {
                    name: expand_env(value, self.environ) for name, value in spec.headers.items()
                }
                toolset = make_mcp(spec, self.cwd, env, headers)
        head = f"{spec.prefix}_" if spec.prefix else ""
        names = {*spec.tools, *(name.removeprefix(head) for name in spec.tools)}
        selected = select_tools(toolset, names, read_only=is_limited)
        return selected.prefixed(spec.prefix) if spec.prefix else selected


async def _check_tool_names(parts: Sequence[tuple[Toolset, Any]], model: Any) -> None:
    """Check that no two tools of an agent have the same name.

    Raises:
        ConfigError: two have, with the place of the second.
    """
    owners: dict[str, Toolset] = {}
    for spec, tools in parts:
        for name in await list_tool_names(tools, model):
            if (first := owners.setdefault(name, spec)) is spec:
                continue
            hint = "leave one out with `tools` of its toolset"
            if "mcp" in (first.type, spec.type):
                hint = f"give the MCP server a `name`, which its tools begin with; or {hint}"
            raise ConfigError(
                f"two tools have the name `{name}`: {_describe(first)} and {_describe(spec)}",
                name="toolset.clash",
                hint=hint,
                place=(spec if spec.origin.file else first).origin.with_line().place,
            )


def _describe(spec: Toolset) -> str:
    if spec.type == "mcp":
        return f"of the MCP server `{spec.name or spec.command or spec.url}`"
    return f"of `{spec.type}`"


def _find_effort(budget: str | int) -> str | bool:
    """Return a thinking budget as a level of effort, which is what each provider understands."""
    if isinstance(budget, int):
        return next((level for most, level in _EFFORTS if 0 <= budget <= most), "high")
    return {"none": False, "adaptive": True}.get(budget, budget)
