"""What an agent file describes: agents, models, toolsets, budgets, and the host's own settings."""

from __future__ import annotations

from hookline.errors import ConfigError, did_you_mean
from hookline.host.env_references import expand_env
from hookline.host.permissions import NO_RULES, PermissionRules
from hookline.model.frozen import Frozen
from hookline.model.spec import Model, Origin, Problem
from hookline.wire.providers import resolve_endpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.host.script_file import Script
    from hookline.wire.providers import Endpoint

EMPTY: Mapping[str, str] = {}
NO_HOOKS: Mapping[str, Any] = {}
SCRIPTED = "scripted"
COMPACTION_THRESHOLD = 0.9  # of the context window
MOST_CONSECUTIVE_CALLS = 5
FALLBACK_RETRIES = 2
FALLBACK_COOLDOWN = 60.0  # seconds


class Price(Frozen):
    """What a model costs, in USD for a million tokens."""

    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0


class ModelSpec(Frozen):
    """A model: the provider, its own name, and how to call it.

    Attributes:
        name: how the file refers to it: its key in `models`, or `provider/model`.
        provider: a name in `wire.providers.PROVIDERS`, or `scripted`. With `base_url` it may be any
            name; such an address speaks like OpenAI's.
        provider_name: its key in `providers`, if the file describes it there.
        model: the provider's own name for it; the path of the script if the provider is `scripted`.
        base_url: an address other than the provider's; may hold `${env.X}` and `${X}`.
        unload_api: where its engine unloads it, for the builtin `unload`.
        token_key: the environment variable that holds the key; empty for the provider's own.
        max_tokens: of one reply.
        context_window: tokens; 0 if unknown.
        thinking_budget: a level such as `high`, or a number of tokens.
        compaction_threshold: the part of the context window at which the host compacts.
        compaction_model: the model that writes the summary; None for this one.
        candidates: `first_available`: the first one whose key is set is the model. Then `provider`
            is empty.
        script: the steps of a scripted model.
    """

    name: str
    provider: str = ""
    provider_name: str = ""
    model: str = ""
    base_url: str = ""
    unload_api: str = ""
    token_key: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    parallel_tool_calls: bool | None = None
    context_window: int = 0
    thinking_budget: str | int | None = None
    compaction_threshold: float | None = None
    compaction_model: ModelSpec | None = None
    price: Price | None = None
    candidates: tuple[ModelSpec, ...] = ()
    script: Script | None = None

    @property
    def model_id(self) -> str:
        """The model as payloads name it: `provider/model`."""
        return f"{self.provider_name or self.provider}/{self.model}"

    def describe(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Return the model as `from_agent_models` of `on_agent_switch` has it."""
        provider, base_url = self.provider_name or self.provider, expand_env(self.base_url, environ)
        more = {"base_url": base_url, "unload_api": expand_env(self.unload_api, environ)}
        found = {"provider": provider, "model": self.model}
        return found | {key: value for key, value in more.items() if value}

    @property
    def is_scripted(self) -> bool:
        """Whether a script answers, and no provider is called."""
        return self.provider == SCRIPTED

    def resolve_endpoint(self, environ: Mapping[str, str]) -> Endpoint:
        """Return the address and key to call, in this environment; not for a scripted model.

        Raises:
            HandlerError: the address is refused, or the key is not set.
        """
        return resolve_endpoint(
            Model(
                names=(f"{self.provider}/{self.model}",),
                prompt="",
                provider=self.provider,
                base_url=expand_env(self.base_url, environ),
                key=self.token_key,
                allow_local=True,
            ),
            environ,
        )


class PostEdit(Frozen):
    """A command that runs after the agent changed a file; `${file}` in it is the file's path."""

    pattern: str
    command: str


class Toolset(Frozen):
    """A set of tools of an agent.

    Attributes:
        type: `shell`, `filesystem`, `think`, `todo` or `mcp`.
        prefix: what the names of its tools begin with (`mcp`).
        tools: the names of the tools that the agent has; empty for all.
        instruction: replaces the toolset's own; `{ORIGINAL_INSTRUCTIONS}` in it stands for that.
        read_only: leave out each tool that is not read-only.
        env: variables for the programs it starts (`shell`, `mcp`); values may hold `${env.X}`.
        command, args, working_dir: an MCP server that is a program.
        url, transport, headers: an MCP server at an address; `transport` is `streamable` or `sse`.
        startup_timeout, call_timeout: seconds for an MCP server; None for the host's own limit.
        ignore_vcs: leave out `.git` and what `.gitignore` names (`filesystem`).
        allow_list, deny_list: folders that file tools may and may not touch; a denial wins.
        post_edit: commands after a change of a file (`filesystem`).
        shared: all agents of the file share its state (`todo`).
        origin: where it stands.
    """

    type: str
    name: str = ""
    prefix: str = ""
    tools: tuple[str, ...] = ()
    instruction: str = ""
    read_only: bool = False
    env: Mapping[str, str] = EMPTY
    command: str = ""
    args: tuple[str, ...] = ()
    working_dir: str = ""
    url: str = ""
    transport: str = "streamable"
    headers: Mapping[str, str] = EMPTY
    startup_timeout: float | None = None
    call_timeout: float | None = None
    ignore_vcs: bool = True
    allow_list: tuple[str, ...] = ()
    deny_list: tuple[str, ...] = ()
    post_edit: tuple[PostEdit, ...] = ()
    shared: bool = False
    origin: Origin = Origin()


class SlashCommand(Frozen):
    """A prompt that a person starts by its name; `instruction` may be empty."""

    name: str
    instruction: str
    description: str = ""


class Budget(Frozen):
    """What a run may spend; None for no limit. `seconds`: the sum of its turns."""

    name: str = ""
    cost: float | None = None
    tokens: int | None = None
    seconds: float | None = None


class AgentSpec(Frozen):
    """One agent.

    Attributes:
        name: its key in `agents`.
        model: what answers.
        fallbacks: the models to try after it, each `fallback_retries` times more; `cooldown` is how
            many seconds the host stays with one that worked.
        instruction: the system prompt.
        sub_agents: agents that it may give a task with `transfer_task`.
        handoffs: agents that it may give the conversation with `handoff`.
        force_handoff: the agent that always gets the conversation after a final answer; or empty.
        routes: agents that a routing hook may choose; None for any.
        safety: the mode of approval of new sessions; empty if the file names none.
        max_iterations: model calls before the host asks whether to continue; 0 for no cap.
        max_consecutive_calls: equal batches of tool calls before the host ends the run.
        history: how many messages the model gets; 0 for all.
        compacts: whether the host compacts a long conversation.
        compaction_threshold: the part of the context window at which it does; None for the model's.
        add_prompt_files, prompt_files_depth: files for the prompt, and how deep nested ones are
            listed.
        budgets: the names of the shared budgets that it spends.
        origin: where it stands.
    """

    name: str
    model: ModelSpec
    description: str = ""
    instruction: str = ""
    welcome_message: str = ""
    toolsets: tuple[Toolset, ...] = ()
    sub_agents: tuple[str, ...] = ()
    handoffs: tuple[str, ...] = ()
    force_handoff: str = ""
    routes: tuple[str, ...] | None = None
    fallbacks: tuple[ModelSpec, ...] = ()
    fallback_retries: int = FALLBACK_RETRIES
    cooldown: float = FALLBACK_COOLDOWN
    read_only: bool = False
    safety: str = ""
    max_iterations: int = 0
    max_consecutive_calls: int = MOST_CONSECUTIVE_CALLS
    history: int = 0
    compacts: bool = True
    compaction_threshold: float | None = None
    compaction_model: ModelSpec | None = None
    budgets: tuple[str, ...] = ()
    commands: tuple[SlashCommand, ...] = ()
    add_date: bool = False
    add_environment_info: bool = False
    add_prompt_files: tuple[str, ...] = ()
    prompt_files_depth: int = 0
    redact_secrets: bool = True
    origin: Origin = Origin()

    @property
    def mounted_hooks(self) -> Mapping[str, Any]:
        """The hooks that the agent's flags add, in the shape of `agents.<name>.hooks`.

        docs/formats/agent-file.md 5
        """
        hooks: dict[str, list[Any]] = {}
        if self.add_environment_info:
            hooks.setdefault("session_start", []).append(_mount("add_environment_info"))
        if self.add_date:
            hooks.setdefault("turn_start", []).append(_mount("add_date"))
        if self.add_prompt_files:
            depth = [f"--depth={self.prompt_files_depth}"] if self.prompt_files_depth else []
            mounted = _mount("add_prompt_files", *depth, *self.add_prompt_files)
            hooks.setdefault("turn_start", []).append(mounted)
        if self.redact_secrets:
            redact = _mount("redact_secrets")
            hooks["tool_input_transform"] = [{"hooks": [redact]}]
            hooks["before_llm_call"] = [redact]
            hooks["tool_response_transform"] = [{"hooks": [redact]}]
        limit = _mount("limit_large_tool_results")
        hooks.setdefault("tool_response_transform", []).append({"hooks": [limit]})
        hooks.setdefault("session_end", []).append(limit)
        return hooks


def _mount(name: str, *args: str) -> dict[str, Any]:
    return {"type": "builtin", "command": name, **({"args": list(args)} if args else {})}


class SandboxSettings(Frozen):
    """Where commands run. `kind`: `bubblewrap`, or empty for no sandbox.

    `network`: they may reach it. `writable`: folders besides the working folder that they may
    change.
    """

    kind: str = ""
    network: bool = False
    writable: tuple[str, ...] = ()


class HostSettings(Frozen):
    """hookline's own settings of a run, from the key `hookline` and from docker-agent's `runtime`.

    Attributes:
        profile: the rules by which the hooks run, `d2` or `d1` (docs/formats/docker-agent.md 1).
        snapshot: take a snapshot of the working folder at each turn, to undo it.
        sandbox: where commands run.
        safety: the mode of approval of new sessions, if an agent names none.
        allow_local: hooks may call addresses of this machine and of private networks.
    """

    profile: str = "d2"
    snapshot: bool = False
    sandbox: SandboxSettings = SandboxSettings()
    safety: str = ""
    allow_local: bool = False


class AgentFile(Frozen):
    """A file whose every name is resolved.

    `agents`: in the order of the file. `models`: those of its key `models`, whether an agent uses
    them or not. `budget`: of a whole run.
    """

    path: str
    agents: Mapping[str, AgentSpec]
    models: Mapping[str, ModelSpec]
    permissions: PermissionRules = NO_RULES
    budget: Budget | None = None
    budgets: Mapping[str, Budget]
    host: HostSettings = HostSettings()

    @property
    def root(self) -> AgentSpec:
        """The agent that a run starts with: `root`, else the first one."""
        return self.agents.get("root") or next(iter(self.agents.values()))

    def choose_agent(self, name: str = "") -> AgentSpec:
        """Return the agent of this name; the root agent without a name.

        Raises:
            ConfigError: `agent.unknown`.
        """
        if not name:
            return self.root
        if name in self.agents:
            return self.agents[name]
        hint = did_you_mean(name, self.agents) or f"agents of the file: {', '.join(self.agents)}"
        raise ConfigError(
            f"no agent `{name:.80}`", name="agent.unknown", hint=hint, place=self.path
        )


class LoadedAgentFile(Frozen):
    """What came of reading a file: the description, if it has no error, and all problems."""

    agent_file: AgentFile | None
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that keep the file from running."""
        return tuple(each for each in self.problems if each.severity == "error")
