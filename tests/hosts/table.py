"""The table of agent hosts that `make hosts` runs: how each is installed, started and set up."""

from __future__ import annotations

from types import MappingProxyType

from hookline.bridges import hosts
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    Tool: TypeAlias = tuple[str, Mapping[str, Any] | str]  # its name, and its input

_NONE: Mapping[str, str] = MappingProxyType({})


class Host(Frozen):
    """One agent host, by its name in `hookline.bridges.hosts`.

    `$url`, `$home`, `$project` and `$prompt` are filled in where a row names them. `package`: of
    npm with its version; of PyPI with `==`. `start`: the words of a run without a person. `runs`:
    the tool that runs a command, and the key of its command. `files`: what the home needs for the
    model service. `ends`: a refusal before a tool ends the run, so the model does not read the
    reason. `foreign`: the host whose guard is put to the test; its names of tools are other
    ones. `files_by`: its tools that `read`, `write` and `edit` a file, each with its input, in
    which `$path`, `$text`, `$old` and `$new` are filled in. `read` is there only where the host
    wants a file to be read first. `lacks`: scenarios that do not apply, beside those for which the
    format has no word, and why.
    """

    name: str
    package: str
    start: str
    runs: tuple[str, str]
    environ: Mapping[str, str] = _NONE
    files: Mapping[str, str] = _NONE
    ends: bool = False
    foreign: str = "claude-code"
    files_by: Mapping[str, Tool] = MappingProxyType({})
    lacks: Mapping[str, str] = _NONE

    @property
    def facts(self) -> hosts.Host:
        """What hookline knows about it."""
        return hosts.HOSTS[self.name]


_ENDS = "`pi -p` ends before a stop hook could send the agent back"
_SILENT = "the command line program fires no `UserPromptSubmit`"
_IDLE = "`opencode run` ends before a stop hook could send the agent back"
# How hosts name the tools and inputs that several of them share.
_OLD_NEW = {"old_string": "$old", "new_string": "$new"}
_BEGIN, _END = "*** Begin Patch\n", "\n*** End Patch\n"
_GEMINI_WRITE = ("write_file", {"file_path": "$path", "content": "$text"})
# What must run, or `make hosts` fails.
NEEDED = ("claude-code", "codex", "gemini")
HOSTS = (
    Host(
        name="claude-code",
        package="@anthropic-ai/claude-code@2.1.332",
        start="-p $prompt --allowedTools Bash,Edit,Read,Write",
        runs=("Bash", "command"),
        files_by={
            "read": ("Read", {"file_path": "$path"}),
            "write": ("Write", {"file_path": "$path", "content": "$text"}),
            "edit": ("Edit", {"file_path": "$path", **_OLD_NEW}),
        },
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
        files_by={
            "write": ("apply_patch", f"{_BEGIN}*** Add File: $path\n+$text{_END}"),
            "edit": ("apply_patch", f"{_BEGIN}*** Update File: $path\n@@\n-$old\n+$new{_END}"),
        },
        files={
            ".codex/config.toml": """\
model = "gpt-5.5"
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
        start="--yolo -m gemini-2.5-flash --include-directories $home/.gemini -p $prompt",
        runs=("run_shell_command", "command"),
        files_by={
            "write": _GEMINI_WRITE,
            "edit": ("replace", {"file_path": "$path", "instruction": "Change it.", **_OLD_NEW}),
        },
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
        files_by={
            "read": ("read_file", {"file_path": "$path"}),
            "write": _GEMINI_WRITE,
            "edit": ("edit", {"file_path": "$path", **_OLD_NEW}),
        },
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
        files_by={
            "write": ("create", {"path": "$path", "file_text": "$text"}),
            "edit": ("edit", {"path": "$path", "old_str": "$old", "new_str": "$new"}),
        },
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
        files_by={
            "write": ("write", {"filePath": "$path", "content": "$text"}),
            "edit": ("edit", {"filePath": "$path", "oldString": "$old", "newString": "$new"}),
        },
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
        files_by={
            "write": ("write", {"path": "$path", "content": "$text"}),
            "edit": ("edit", {"path": "$path", "edits": [{"oldText": "$old", "newText": "$new"}]}),
        },
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
        files_by={
            "write": ("WriteFile", {"path": "$path", "content": "$text"}),
            "edit": ("StrReplaceFile", {"path": "$path", "edit": {"old": "$old", "new": "$new"}}),
        },
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
        files_by={
            "read": ("Read", {"path": "$path"}),
            "write": ("Write", {"path": "$path", "content": "$text"}),
            "edit": ("Edit", {"path": "$path", **_OLD_NEW}),
        },
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
        files_by={
            "write": ("editor", {"path": "$path", "new_text": "$text"}),
            "edit": ("editor", {"path": "$path", "old_text": "$old", "new_text": "$new"}),
        },
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
            "prompt block": _SILENT,
            "secrets": _SILENT,
            "slow prompt": _SILENT,
            "parallel calls": "a refusal ends the run, and with it the other calls of the turn",
        },
    ),
)
