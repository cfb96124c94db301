"""The table of hosts: where each keeps its hooks, and how an entry for hookline is written there.

Facts and the versions that were tried: docs/formats/hosts.md.
"""

from __future__ import annotations

import os

from hookline.errors import ConfigError
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# How a file holds hooks. GROUPS: Claude Code's shape, a list of groups for each event. FLAT: a list
# of handlers for each event. TABLES: one list of handlers, each with its event. OWN: a file that
# holds nothing but hookline's entries. SCRIPTS: a program for each event. PLUGIN: a module.
GROUPS, FLAT, TABLES, OWN, SCRIPTS, PLUGIN = "groups", "flat", "tables", "own", "scripts", "plugin"


class Host(Frozen):
    """One host.

    `programs`: names of its executable; where another host's has the same name, `prints` is what
    its own prints as its version. `folder`: its settings folder, in which `{home}` and
    `{config}` are filled in; the variable `moved_by` moves it, to a folder that has `inside` in it.
    `user_file` is below that folder, or absolute; `project_file` is below the project.

    `form`: see above. `events`: those at which it calls hookline. `unit`: how many units of its
    `timeout` are a second; 0 where an entry has none. `longest`: its maximum in seconds; 0: none.
    `command_key` and `timeout_key`: their names in an entry. `entry`: fields of every entry, and
    `gate` of those before an action. `is_wrapped`: an entry before an action needs the closing
    form, because the host goes on when a program fails. `refuses_failed`: at every event, it takes
    a failed program for a refusal, unless the exit code is 1. `at_root`: the events are keys of the
    file itself, not of its `hooks`. `version`: what a new file says as its version.

    `speaks`: the dialect that it is asked in. `has_http`: it can call `hookline serve`.
    `other_file`: where beside the file it also takes hooks from, in TOML. `needs_trust`: it runs an
    entry only after `codex_trust` has asked it to trust that. `allows_comments`, `allows_mark`:
    whether it reads a JSON file with comments, with a byte order mark. `verified`: the versions
    with which this was tried. `notes`: what `install` says. `sessions`: files below its folder that
    each session writes; "" where that is not known.
    """

    name: str
    title: str
    programs: tuple[str, ...]
    folder: str
    prints: str = ""
    moved_by: str = ""
    inside: str = ""
    user_file: str = ""
    other_file: str = ""
    project_file: str = ""
    form: str = GROUPS
    events: tuple[str, ...] = ()
    unit: int = 1
    longest: int = 0
    command_key: str = "command"
    timeout_key: str = "timeout"
    entry: Mapping[str, str] = {"type": "command"}
    gate: Mapping[str, object] = {}
    is_wrapped: bool = True
    refuses_failed: bool = False
    at_root: bool = False
    version: int = 0
    speaks: str = ""
    has_http: bool = False
    allows_comments: bool = False
    allows_mark: bool = False
    needs_trust: bool = False
    verified: str = ""
    notes: tuple[str, ...] = ()
    sessions: str = ""

    def find_folder(self, environ: Mapping[str, str]) -> str:
        """Return the host's settings folder, whether it exists or not."""
        moved = environ.get(self.moved_by, "") if self.moved_by else ""
        home = require_home(environ)
        config = environ.get("XDG_CONFIG_HOME", "")
        config = config if os.path.isabs(config) else f"{home}/.config"
        return f"{moved}{self.inside}" if moved else self.folder.format(home=home, config=config)

    def find_file(self, environ: Mapping[str, str], project: str = "") -> str:
        """Return the file that holds the entries: the user's, or that of a project's folder.

        Of SCRIPTS it is their folder. Empty if the host has no such file.
        """
        if project:
            return self.project_file and os.path.join(project, self.project_file)
        name = self.user_file.format(home=require_home(environ))
        return os.path.join(self.find_folder(environ), name)

    @property
    def is_guest(self) -> bool:
        """Whether hookline runs every hook of the dialect, because the host itself runs none."""
        return self.form == PLUGIN

    @property
    def dialect(self) -> str:
        """The dialect in which it asks hookline."""
        return self.speaks or self.name


def require_home(environ: Mapping[str, str]) -> str:
    """Return the user's home.

    Raises:
        ConfigError: the environment does not name it.
    """
    home = environ.get("HOME", "")
    if not os.path.isabs(home):
        raise ConfigError(
            f"`HOME` is {f'`{home}`, no absolute path' if home else 'not set'}, so hookline cannot"
            " tell where agent hosts keep their files",
            name="install.home",
            hint="set it, or name your home: --home DIR",
        )
    return home.rstrip("/")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_RESTART = "restart running sessions of {title}: they keep the hooks that they began with"
# An unknown event stops the start of Kimi; these are known to every version with hooks.
_KIMI_EVENTS = _words(
    "SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure SubagentStart "
    "SubagentStop PreCompact PostCompact Notification Stop StopFailure SessionEnd"
)
_KIMI_ASK = "{title} never asks for a hook: an ask of a hook is a refusal there"
_CLAUDE_EVENTS = _words(
    "SessionStart UserPromptSubmit PreToolUse PermissionRequest PostToolUse "
    "PostToolUseFailure Notification SubagentStart SubagentStop PreCompact Stop "
    "SessionEnd "
)
HOSTS: dict[str, Host] = {
    host.name: host
    for host in (
        Host(
            name="claude-code",
            title="Claude Code",
            programs=("claude",),
            folder="{home}/.claude",
            moved_by="CLAUDE_CONFIG_DIR",
            user_file="settings.json",
            project_file=".claude/settings.json",
            events=_CLAUDE_EVENTS,
            gate={"onFailure": "block"},  # 2.1.295 and later; older versions ignore it
            has_http=True,
            allows_mark=True,
            verified="2.1.332, 2.1.330, 2.1.197",
            notes=(_RESTART,),
            sessions="projects/*/*.jsonl",
        ),
        Host(
            name="codex",
            title="Codex",
            programs=("codex",),
            folder="{home}/.codex",
            moved_by="CODEX_HOME",
            user_file="hooks.json",
            other_file="config.toml",
            project_file=".codex/hooks.json",
            events=_words(
                "SessionStart UserPromptSubmit PreToolUse PermissionRequest PostToolUse "
                "PreCompact PostCompact SubagentStart SubagentStop Stop Interrupt SessionEnd"
            ),
            needs_trust=True,
            verified="0.169.0",
            notes=(_RESTART, "Codex never asks for a hook: an ask of a hook is a refusal there"),
            sessions="sessions/*/*/*/*.jsonl",
        ),
        Host(
            name="gemini",
            title="Gemini CLI",
            programs=("gemini",),
            folder="{home}/.gemini",
            moved_by="GEMINI_CLI_HOME",
            inside="/.gemini",
            user_file="settings.json",
            project_file=".gemini/settings.json",
            # The events of single model requests are left out: each part of a reply raises one.
            events=_words(
                "SessionStart BeforeAgent BeforeTool AfterTool AfterAgent PreCompress "
                "Notification SessionEnd"
            ),
            unit=1000,
            entry={"type": "command", "name": "hookline"},
            refuses_failed=True,
            allows_comments=True,
            verified="0.61.0",
            notes=(_RESTART, "without a terminal Gemini CLI cannot ask: an ask is a refusal there"),
            sessions="tmp/*/chats/*.json*",
        ),
        Host(
            name="qwen",
            title="Qwen Code",
            programs=("qwen",),
            folder="{home}/.qwen",
            moved_by="QWEN_HOME",
            user_file="settings.json",
            project_file=".qwen/settings.json",
            events=_CLAUDE_EVENTS,
            unit=1000,
            entry={"type": "command", "name": "hookline"},
            has_http=True,
            allows_comments=True,
            verified="0.24.4, 0.15.10",
            notes=(_RESTART,),
            sessions="projects/*/chats/*.jsonl",
        ),
        Host(
            name="cursor",
            title="Cursor",
            programs=("cursor", "cursor-agent"),
            folder="{home}/.cursor",
            user_file="hooks.json",
            project_file=".cursor/hooks.json",
            form=FLAT,
            version=1,
            # `failClosed` counts silence as a failure, and hookline is silent without an opinion.
            events=_words(
                "sessionStart beforeSubmitPrompt preToolUse beforeShellExecution "
                "beforeMCPExecution beforeReadFile postToolUse postToolUseFailure "
                "afterFileEdit subagentStart subagentStop preCompact stop sessionEnd"
            ),
            entry={},
            notes=(_RESTART,),
        ),
        Host(
            name="copilot",
            title="Copilot CLI",
            programs=("copilot",),
            folder="{home}/.copilot",
            moved_by="COPILOT_HOME",
            user_file="hooks/hookline.json",
            project_file=".github/hooks/hookline.json",
            form=FLAT,
            version=1,
            events=_words(
                "sessionStart userPromptSubmitted preToolUse permissionRequest postToolUse "
                "postToolUseFailure errorOccurred notification subagentStart subagentStop "
                "agentStop preCompact sessionEnd"
            ),
            command_key="bash",
            timeout_key="timeoutSec",
            is_wrapped=False,  # it refuses the call when a program fails, whatever the exit code
            verified="1.0.102",
            notes=(_RESTART,),
            sessions="session-state/*/events.jsonl",
        ),
        Host(
            name="kimi",
            title="Kimi CLI",
            programs=("kimi",),
            prints="kimi, version",
            folder="{home}/.kimi",
            moved_by="KIMI_SHARE_DIR",
            user_file="config.toml",
            form=TABLES,
            events=_KIMI_EVENTS,
            longest=600,
            entry={},
            verified="1.47.0",
            notes=(_RESTART, _KIMI_ASK),
            sessions="sessions/*/*/context.jsonl",
        ),
        Host(
            name="kimi-code",
            title="Kimi Code",
            programs=("kimi",),
            prints=r"^\d",
            folder="{home}/.kimi-code",
            moved_by="KIMI_CODE_HOME",
            user_file="config.toml",
            form=TABLES,
            speaks="kimi",
            events=_KIMI_EVENTS,
            longest=600,
            entry={},
            verified="2.1.0",
            notes=(_RESTART, _KIMI_ASK),
            sessions="sessions/*/*/state.json",
        ),
        Host(
            name="docker-agent",
            title="docker-agent",
            programs=("docker-agent", "cagent"),
            folder="{home}/.config/cagent",
            user_file="hooks.d/hookline.yaml",
            form=OWN,
            at_root=True,
            events=_words(
                "session_start user_prompt_submit pre_tool_use permission_request "
                "tool_response_transform post_tool_use before_compaction subagent_stop "
                "notification on_error stop session_end"
            ),
            notes=(_RESTART,),
        ),
        Host(
            name="openhands",
            title="OpenHands",
            programs=("openhands",),
            folder="{home}/.openhands",
            user_file="hooks.json",
            project_file=".openhands/hooks.json",
            events=_words("SessionStart UserPromptSubmit PreToolUse PostToolUse Stop SessionEnd"),
            notes=(_RESTART, "OpenHands reads your file only where the project has none"),
        ),
        Host(
            name="cline",
            title="Cline",
            programs=("cline",),
            folder="{home}/.cline",
            moved_by="CLINE_DIR",
            # The command line program reads `~/.cline/hooks` too. Both would call hookline twice.
            user_file="{home}/Documents/Cline/Hooks",
            project_file=".clinerules/hooks",
            form=SCRIPTS,
            events=_words(
                "TaskStart TaskResume UserPromptSubmit PreToolUse PostToolUse PreCompact "
                "Notification TaskComplete TaskCancel"
            ),
            unit=0,
            longest=30,
            verified="3.0.65",
            sessions="data/sessions/*/*.json",
            notes=(
                'in the extension of Cline, switch "Enable Hooks" on',
                "Cline ends the run when a hook refuses a call",
            ),
        ),
        Host(
            name="hermes",
            title="Hermes",
            programs=("hermes",),
            folder="{home}/.hermes",
            moved_by="HERMES_HOME",
            user_file="config.yaml",
            form=FLAT,
            events=_words(
                "on_session_start pre_llm_call pre_tool_call pre_approval_request "
                "post_tool_call post_llm_call subagent_start subagent_stop on_session_end"
            ),
            longest=300,
            entry={},
            gate={"fail_closed": True},
            notes=(
                "start `hermes` once in a terminal: it asks whether each entry may run",
                "without a terminal Hermes runs them only with `hermes --accept-hooks`",
            ),
        ),
        Host(
            name="opencode",
            title="opencode",
            programs=("opencode",),
            folder="{config}/opencode",
            user_file="plugins/hookline.js",
            project_file=".opencode/plugins/hookline.js",
            verified="1.18.33",
            notes=(
                _RESTART,
                "`opencode --pure` runs without plugins, and so without hookline",
                "`opencode run` ends before a stop hook could send the agent back",
            ),
            form=PLUGIN,
            unit=0,
            is_wrapped=False,
            speaks="claude-code",
            events=_words("PreToolUse PostToolUse SessionStart UserPromptSubmit Stop"),
        ),
        Host(
            name="pi",
            title="pi",
            programs=("pi",),
            folder="{home}/.pi/agent",
            moved_by="PI_CODING_AGENT_DIR",
            user_file="extensions/hookline.ts",
            project_file=".pi/extensions/hookline.ts",
            verified="0.74.2, 0.73.1",
            notes=(
                _RESTART,
                "`pi --no-extensions` runs without hookline",
                "`pi -p` ends before a stop hook could send the agent back",
            ),
            sessions="sessions/*/*.jsonl",
            form=PLUGIN,
            unit=0,
            is_wrapped=False,
            speaks="claude-code",
            events=_words(
                "PreToolUse PostToolUse PostToolUseFailure SessionStart UserPromptSubmit Stop "
                "SessionEnd"
            ),
        ),
    )
}
