"""The table of agent hosts that `make hosts` runs: how each is installed, started and set up."""

from __future__ import annotations

from types import MappingProxyType

from hookline.bridges import hosts
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_NONE: Mapping[str, str] = MappingProxyType({})


class Host(Frozen):
    """One agent host, by its name in `hookline.bridges.hosts`.

    `$url`, `$home`, `$project` and `$prompt` are filled in where a row names them. `package`: of
    npm with its version; of PyPI with `==`. `start`: the words of a run without a person. `runs`:
    the tool that runs a command, and the key of its command. `files`: what the home needs for the
    model service. `ends`: a refusal before a tool ends the run, so the model does not read the
    reason. `foreign`: the host whose guard is put to the test; its names of tools are other
    ones. `lacks`: scenarios that do not apply, beside those for which the format has no word, and
    why.
    """

    name: str
    package: str
    start: str
    runs: tuple[str, str]
    environ: Mapping[str, str] = _NONE
    files: Mapping[str, str] = _NONE
    ends: bool = False
    foreign: str = "claude-code"
    lacks: Mapping[str, str] = _NONE

    @property
    def facts(self) -> hosts.Host:
        """What hookline knows about it."""
        return hosts.HOSTS[self.name]


_ENDS = "`pi -p` ends before a stop hook could send the agent back"
_IDLE = "`opencode run` ends before a stop hook could send the agent back"
# What must run, or `make hosts` fails.
NEEDED = ("claude-code", "codex", "gemini")
HOSTS = (
    Host(
        name="claude-code",
        package="@anthropic-ai/claude-code@2.1.332",
        start="-p $prompt --allowedTools Bash",
        runs=("Bash", "command"),
        environ={
            "ANTHROPIC_BASE_URL": "$url",
            "ANTHROPIC_API_KEY": "scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
        foreign="gemini",
    ),
    Host(
        name="codex",
        package="@openai/codex@0.169.0",
        start="exec --skip-git-repo-check -s danger-full-access $prompt",
        runs=("exec_command", "cmd"),
        files={
            ".codex/config.toml": """\
model = "scripted"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "$url/v1"
wire_api = "responses"
"""
        },
        foreign="gemini",
    ),
    Host(
        name="gemini",
        package="@google/gemini-cli@0.61.0",
        start="--yolo -m gemini-2.5-flash -p $prompt",
        runs=("run_shell_command", "command"),
        environ={
            "GEMINI_API_KEY": "scripted",
            "GOOGLE_GEMINI_BASE_URL": "$url",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        files={
            ".gemini/settings.json": """\
{
  "security": {"auth": {"selectedType": "gemini-api-key"}}
}
"""
        },
    ),
    Host(
        name="qwen",
        package="@qwen-code/qwen-code@0.24.4",
        start="--yolo -p $prompt",
        runs=("run_shell_command", "command"),
        environ={
            "OPENAI_API_KEY": "scripted",
            "OPENAI_BASE_URL": "$url/v1",
            "OPENAI_MODEL": "scripted",
        },
        files={
            ".qwen/settings.json": """\
{
  "security": {"auth": {"selectedType": "openai"}},
  "$$version": 4
}
"""  # a file without a version gets one at the start
        },
    ),
    Host(
        name="copilot",
        package="@github/copilot@1.0.102",
        start="--allow-all-tools -p $prompt",
        runs=("bash", "command"),
        environ={
            "COPILOT_PROVIDER_BASE_URL": "$url/v1",
            "COPILOT_PROVIDER_API_KEY": "scripted",
            "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_MODEL": "scripted",
        },
    ),
    Host(
        name="opencode",
        package="opencode-ai@1.18.33",
        start="run -m scripted/scripted $prompt",
        runs=("bash", "command"),
        environ={
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "npm_config_fetch_retries": "0",  # it installs what plugins may import
        },
        files={
            ".config/opencode/opencode.json": """\
{
  "provider": {
    "scripted": {
      "npm": "@ai-sdk/openai-compatible",
      "options": {"baseURL": "$url/v1", "apiKey": "scripted"},
      "models": {"scripted": {}}
    }
  }
}
"""
        },
        lacks={"stop redo": _IDLE},
    ),
    Host(
        name="pi",
        package="@mariozechner/pi-coding-agent@0.73.1",
        start="--provider scripted --model scripted -p $prompt",
        runs=("bash", "command"),
        files={
            ".pi/agent/models.json": """\
{
  "providers": {
    "scripted": {
      "baseUrl": "$url/v1",
      "api": "openai-completions",
      "apiKey": "scripted",
      "models": [{"id": "scripted"}]
    }
  }
}
"""
        },
        lacks={"stop redo": _ENDS},
    ),
    Host(
        name="kimi",
        package="kimi-cli==1.47.0",
        start="--print -p $prompt",
        runs=("Shell", "command"),
        files={
            ".kimi/config.toml": """\
default_model = "scripted"

[providers.scripted]
type = "openai_legacy"
base_url = "$url/v1"
api_key = "scripted"

[models.scripted]
provider = "scripted"
model = "scripted"
max_context_size = 100000
"""
        },
    ),
    Host(
        name="kimi-code",
        package="@moonshot-ai/kimi-code@2.1.0",
        start="-p $prompt",
        runs=("Bash", "command"),
        files={
            ".kimi-code/config.toml": """\
default_model = "scripted"

[providers.scripted]
type = "openai"
base_url = "$url/v1"
api_key = "scripted"

[models.scripted]
provider = "scripted"
model = "scripted"
max_context_size = 100000
"""
        },
        foreign="gemini",
    ),
    Host(
        name="cline",
        package="cline@3.0.65",
        start="$prompt",
        runs=("run_commands", "commands"),
        environ={"CLINE_SESSION_BACKEND_MODE": "local"},  # else a daemon stays behind
        files={
            ".cline/data/settings/providers.json": """\
{
  "version": 1,
  "lastUsedProvider": "openai-compatible",
  "modes": {},
  "providers": {
    "openai-compatible": {
      "settings": {
        "provider": "openai-compatible",
        "apiKey": "scripted",
        "model": "scripted",
        "baseUrl": "$url/v1"
      },
      "updatedAt": "2026-01-01T00:00:00.000Z",
      "tokenSource": "manual"
    }
  }
}
"""
        },
        ends=True,
        lacks={
            "prompt block": "the command line program fires no `UserPromptSubmit`",
            "parallel calls": "a refusal ends the run, and with it the other calls of the turn",
        },
    ),
)
