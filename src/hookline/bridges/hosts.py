"""The table of agent hosts: where each keeps its hooks, and what an entry of hookline looks like.

A row is a host that `hookline install` knows. A difference between two hosts is a value here, never
a branch elsewhere.
"""

from __future__ import annotations

import os
import shutil

from hookline.errors import ConfigError, did_you_mean
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# Forms of a host's file, each with its own editor.
JSON, TOML, YAML, YAML_OWN, SCRIPTS, PLUGIN = (
    "json", "toml", "yaml", "yaml-own", "scripts", "plugin",
)  # fmt: skip
# How an entry before an action fails closed when hookline is gone or broken.
WRAPPED, BARE, SCRIPT, THROWS = "wrapped", "bare", "script", "throws"
COMMAND, TIMEOUT = "{command}", "{timeout}"
USER, PROJECT = "user", "project"


class Host(Frozen):
    """One host.

    `programs`: their names on the PATH. `version`: the arguments that print the version.
    `folder`: the configuration folder, which `variable` moves: to `moved`, where `{}` is its value.
    `user`, `project`: the files in which hookline registers; of `user`, those whose folder exists,
    else the first. `sessions`: a pattern of the files that the host writes while it runs.

    `form`: how the file is written. `grouped`: handlers lie in groups with a matcher. `comments`:
    the host reads JSON with comments. `top`: keys that a new file needs. `keys`: the table that
    holds the events. `events`: those that hookline registers; `!` marks a gate before an action.
    `entry`: the handler. `gate`: more keys of a gate's handler. `unit`: `timeout` counts so many
    in a second. `longest`: the most seconds that the host accepts; 0: any. `fixed`: seconds that no
    file can change; 0: the entry has a timeout.

    `closes`: how a gate fails closed. `http`: the handler that asks `hookline serve`; empty: the
    host has none that fails closed. `arguments`: more arguments of `hookline answer`. `dialect`:
    the dialect that it speaks, if not its own name. `trust`: the step by which the host trusts a
    new entry. `verified`: the version of the real program with which this was tried; empty: never.
    `off`: keys of its settings that switch hooks off, with the value that does. `notes`: what
    `install` says.
    """

    name: str
    title: str
    programs: tuple[str, ...]
    version: tuple[str, ...] = ("--version",)
    folder: str
    variable: str = ""
    moved: str = "{}"
    user: tuple[str, ...]
    project: str = ""
    sessions: str = ""
    form: str = JSON
    grouped: bool = True
    comments: bool = False
    top: Mapping[str, Any] = {}
    keys: str = "hooks"
    events: str
    entry: Mapping[str, Any] = {"type": "command", "command": COMMAND, "timeout": TIMEOUT}
    gate: Mapping[str, Any] = {}
    unit: int = 1
    longest: float = 0.0
    fixed: float = 0.0
    closes: str = WRAPPED
    http: Mapping[str, Any] = {}
    arguments: tuple[str, ...] = ()
    dialect: str = ""
    trust: str = ""
    verified: str = ""
    off: Mapping[str, Any] = {}
    notes: tuple[str, ...] = ()

    @property
    def speaks(self) -> str:
        """The dialect that `hookline answer` speaks with this host."""
        return self.dialect or self.name

    @property
    def event_names(self) -> tuple[str, ...]:
        """The events that hookline registers."""
        return tuple(event.rstrip("!") for event in self.events.split())

    @property
    def gates(self) -> frozenset[str]:
        """The events before an action, whose entry fails closed."""
        return frozenset(event[:-1] for event in self.events.split() if event.endswith("!"))


HOSTS: Mapping[str, Host] = {
    row.name: row
    for row in (
        Host(
            name="claude-code",
            title="Claude Code",
            programs=("claude",),
            folder="~/.claude",
            variable="CLAUDE_CONFIG_DIR",
            user=("{folder}/settings.json",),
            project=".claude/settings.json",
            sessions="{folder}/projects/*/*.jsonl",
            events="PreToolUse! PermissionRequest PostToolUse PostToolUseFailure UserPromptSubmit"
            " SessionStart SessionEnd Stop SubagentStart SubagentStop PreCompact Notification",
            gate={"onFailure": "block"},
            http={
                "type": "http",
                "url": "{url}",
                "timeout": TIMEOUT,
                "headers": {"Authorization": "Bearer $HOOKLINE_TOKEN"},
                "allowedEnvVars": ["HOOKLINE_TOKEN"],
            },
            verified="2.1.330",
            off={"disableAllHooks": True, "allowManagedHooksOnly": True},
        ),
        Host(
            name="codex",
            title="Codex",
            programs=("codex",),
            folder="~/.codex",
            variable="CODEX_HOME",
            user=("{folder}/hooks.json",),
            project=".codex/hooks.json",
            sessions="{folder}/sessions/*/*/*/*.jsonl",
            events="PreToolUse! PermissionRequest PostToolUse UserPromptSubmit SessionStart"
            " SessionEnd Stop SubagentStart SubagentStop PreCompact PostCompact",
            trust="app-server",
            verified="0.169.0",
            notes=("Codex never asks a person for a hook: hookline turns `ask` into a refusal",),
        ),
        Host(
            name="gemini",
            title="Gemini CLI",
            programs=("gemini",),
            folder="~/.gemini",
            variable="GEMINI_CLI_HOME",
            moved="{}/.gemini",
            user=("{folder}/settings.json",),
            project=".gemini/settings.json",
            comments=True,
            events="BeforeTool! AfterTool BeforeAgent AfterAgent SessionStart SessionEnd"
            " PreCompress Notification",
            entry={
                "type": "command",
                "name": "hookline",
                "command": COMMAND,
                "timeout": TIMEOUT,
            },
            unit=1000,
            verified="0.61.0",
            notes=("without a terminal Gemini CLI never asks: `ask` becomes a refusal there",),
        ),
        Host(
            name="qwen",
            title="Qwen Code",
            programs=("qwen",),
            folder="~/.qwen",
            variable="QWEN_HOME",
            user=("{folder}/settings.json",),
            project=".qwen/settings.json",
            comments=True,
            events="PreToolUse! PermissionRequest PostToolUse PostToolUseFailure UserPromptSubmit"
            " SessionStart SessionEnd Stop SubagentStart SubagentStop PreCompact Notification",
            unit=1000,
            verified="0.15.10",
            notes=(
                (
                    "Qwen Code applies no change of a tool's input, and without a terminal it"
                    " never asks"
                ),
            ),
        ),
        Host(
            name="cursor",
            title="Cursor",
            programs=("cursor", "cursor-agent"),
            folder="~/.cursor",
            user=("{folder}/hooks.json",),
            project=".cursor/hooks.json",
            grouped=False,
            top={"version": 1},
            events="preToolUse! beforeShellExecution! beforeMCPExecution! postToolUse"
            " postToolUseFailure beforeSubmitPrompt sessionStart sessionEnd stop subagentStart"
            " subagentStop preCompact",
            entry={"command": COMMAND, "timeout": TIMEOUT},
            notes=(
                (
                    "Cursor may load the hooks of Claude Code too (`third-party skills`);"
                    " then it asks hookline twice"
                ),
            ),
        ),
        Host(
            name="copilot",
            title="GitHub Copilot CLI",
            programs=("copilot",),
            folder="~/.copilot",
            variable="COPILOT_HOME",
            user=("{folder}/hooks/hookline.json",),
            project=".github/hooks/hookline.json",
            grouped=False,
            top={"version": 1},
            events="preToolUse! permissionRequest! postToolUse postToolUseFailure"
            " userPromptSubmitted sessionStart sessionEnd agentStop subagentStart subagentStop"
            " preCompact errorOccurred notification",
            entry={"type": "command", "bash": COMMAND, "timeoutSec": TIMEOUT},
            closes=BARE,
            verified="1.0.102",
        ),
        Host(
            name="kimi",
            title="Kimi CLI",
            programs=("kimi",),
            folder="~/.kimi",
            variable="KIMI_SHARE_DIR",
            user=("{folder}/config.toml", "{home}/.kimi-code/config.toml"),
            form=TOML,
            grouped=False,
            events="PreToolUse! PostToolUse PostToolUseFailure UserPromptSubmit SessionStart"
            " SessionEnd Stop SubagentStart SubagentStop PreCompact PostCompact",
            entry={"event": "{event}", "command": COMMAND, "timeout": TIMEOUT},
            longest=600,
            verified="1.47.0",
            notes=("Kimi CLI never asks a person for a hook: `ask` becomes a refusal",),
        ),
        Host(
            name="docker-agent",
            title="docker-agent",
            programs=("docker-agent", "cagent"),
            version=("version",),
            folder="~/.config/cagent",
            user=("{folder}/hooks.d/hookline.yaml",),
            form=YAML_OWN,
            keys="",
            events="pre_tool_use! post_tool_use user_prompt_submit session_start session_end stop"
            " subagent_stop pre_compact notification on_error",
        ),
        Host(
            name="openhands",
            title="OpenHands",
            programs=("openhands",),
            folder="~/.openhands",
            user=("{folder}/hooks.json",),
            project=".openhands/hooks.json",
            events="PreToolUse! PostToolUse UserPromptSubmit SessionStart SessionEnd Stop",
            notes=(
                (
                    "OpenHands reads the user's file only where the project has no"
                    " `.openhands/hooks.json`"
                ),
            ),
        ),
        Host(
            name="cline",
            title="Cline",
            programs=("cline",),
            folder="~/.cline",
            variable="CLINE_DIR",
            user=("{home}/Documents/Cline/Hooks/{event}", "{folder}/hooks/{event}.sh"),
            project=".clinerules/hooks/{event}",
            form=SCRIPTS,
            events="PreToolUse! PostToolUse UserPromptSubmit TaskStart TaskResume TaskComplete"
            " TaskCancel",
            fixed=30,
            closes=SCRIPT,
            notes=(
                (
                    "Cline runs hooks only with the setting `Enable Hooks` on,"
                    " and none with `--yolo`"
                ),
            ),
        ),
        Host(
            name="hermes",
            title="Hermes",
            programs=("hermes",),
            folder="~/.hermes",
            variable="HERMES_HOME",
            user=("{folder}/config.yaml",),
            form=YAML,
            grouped=False,
            events="pre_tool_call! post_tool_call pre_llm_call on_session_start"
            " on_session_finalize pre_verify subagent_start subagent_stop",
            entry={"command": COMMAND, "timeout": TIMEOUT},
            gate={"fail_closed": True},
            longest=300,
            notes=(
                (
                    "Hermes asks at a terminal before it runs each new entry; without one set"
                    " `hooks_auto_accept: true` in its config.yaml or HERMES_ACCEPT_HOOKS=1"
                ),
                "a profile of Hermes has its own config.yaml: install there with HERMES_HOME set",
            ),
        ),
        Host(
            name="opencode",
            title="opencode",
            programs=("opencode",),
            folder="~/.config/opencode",
            variable="XDG_CONFIG_HOME",
            moved="{}/opencode",
            user=("{folder}/plugins/hookline.js",),
            project=".opencode/plugins/hookline.js",
            form=PLUGIN,
            events="PreToolUse! PostToolUse SessionStart UserPromptSubmit Stop",
            closes=THROWS,
            arguments=("--match-tools", "canonical"),
            dialect="claude-code",
            verified="1.18.33",
            notes=("opencode never asks for a plugin: `ask` becomes a refusal",),
        ),
        Host(
            name="pi",
            title="pi",
            programs=("pi",),
            folder="~/.pi/agent",
            variable="PI_CODING_AGENT_DIR",
            user=("{folder}/extensions/hookline.ts",),
            project=".pi/extensions/hookline.ts",
            form=PLUGIN,
            events="PreToolUse! PostToolUse SessionStart UserPromptSubmit Stop",
            closes=THROWS,
            arguments=("--match-tools", "canonical"),
            dialect="claude-code",
            verified="0.74.2",
        ),
    )
}


def find_host(name: str) -> Host:
    """Return the row of a host.

    Raises:
        ConfigError: hookline cannot register with a host of this name.
    """
    if name in HOSTS:
        return HOSTS[name]
    hint = did_you_mean(name, HOSTS) or f"one of {', '.join(HOSTS)}"
    raise ConfigError(f"unknown host `{name}`", name="install.host", hint=hint)


def find_folder(host: Host, environ: Mapping[str, str]) -> str:
    """Return the host's configuration folder of this user.

    Raises:
        ConfigError: as `find_home`.
    """
    moved = environ.get(host.variable, "") if host.variable else ""
    if moved:
        return host.moved.format(os.path.abspath(moved))
    return f"{find_home(environ)}{host.folder[1:]}"


def find_home(environ: Mapping[str, str]) -> str:
    """Return this user's home.

    Raises:
        ConfigError: `HOME` is not set, or is no absolute path.
    """
    home = environ.get("HOME", "")
    if not os.path.isabs(home):
        raise ConfigError(
            f"`HOME` is {'not an absolute path' if home else 'not set'}",
            name="install.home",
            hint="set it, or name your home: --home DIR",
        )
    return home.rstrip("/")


def list_paths(host: Host, scope: str, environ: Mapping[str, str], project: str) -> list[str]:
    """Return the files in which hookline registers; `{event}` is left in those of scripts.

    Raises:
        ConfigError: as `find_home`; or the host has no file of a project.
    """
    if scope == PROJECT:
        if not host.project:
            raise ConfigError(
                f"{host.title} reads no hook file of a project",
                name="install.host",
                hint=f"hookline install {host.name} --user",
            )
        return [f"{project.rstrip('/')}/{host.project}"]
    names = {"folder": find_folder(host, environ), "home": find_home(environ), "event": "{event}"}
    paths = [path.format_map(names) for path in host.user]
    return [path for path in paths if _is_used(path, names["home"])] or paths[:1]


def _is_used(path: str, home: str) -> bool:
    """Whether the folder of a program is there, in which it keeps this file."""
    folder = os.path.dirname(path)
    above = os.path.dirname(folder)
    return os.path.isdir(folder) or (above != home and os.path.isdir(above))


def find_program(host: Host, environ: Mapping[str, str]) -> str:
    """Return the path of the host's program; empty if the PATH has none."""
    found = (shutil.which(name, path=environ.get("PATH")) for name in host.programs)
    return next(filter(None, found), "")


def find_hosts(environ: Mapping[str, str]) -> list[Host]:
    """Return the hosts of this machine: their program is on the PATH, or their folder is there.

    Raises:
        ConfigError: as `find_home`.
    """
    return [
        host
        for host in HOSTS.values()
        if find_program(host, environ) or os.path.isdir(find_folder(host, environ))
    ]
