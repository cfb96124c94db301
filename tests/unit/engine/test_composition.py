"""Hooks of every dialect, found in their places, take part in one event in their own formats."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline.engine.catalog import NAMES

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process

# `{keep}` is a program that keeps its payload.
HOOK = {"type": "command", "command": "{keep}"}
GROUP = {"hooks": [HOOK]}
# Dialect -> the path of its file, and that file.
FILES = {
    "claude-code": ("home/.claude/settings.json", {"hooks": {"PreToolUse": [GROUP]}}),
    "codex": ("home/.codex/hooks.json", {"hooks": {"PreToolUse": [GROUP]}}),
    "kimi": ("home/.kimi/config.toml", '[[hooks]]\nevent = "PreToolUse"\ncommand = """{keep}"""\n'),
    "cursor": ("home/.cursor/hooks.json",
               {"version": 1, "hooks": {"preToolUse": [{"command": "{keep}"}]}}),
    "copilot": ("home/.copilot/hooks/keep.json",
                {"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "{keep}"}]}}),
    "gemini": ("home/.gemini/settings.json",
               {"hooks": {"BeforeTool": [{"hooks": [{**HOOK, "name": "k"}]}]}}),
    "qwen": ("home/.qwen/settings.json", {"hooks": {"PreToolUse": [GROUP]}}),
    "openhands": ("home/.openhands/hooks.json",
                  {"pre_tool_use": [{"hooks": [{"command": "{keep}"}]}]}),
    "cline": ("home/.cline/hooks/PreToolUse.sh", "#!/bin/sh\n{keep}\n"),
    "docker-agent": ("home/.config/cagent/hooks.d/keep.yaml",
                     {"hooks": {"pre_tool_use": [GROUP]}}),
    "hermes": ("home/.hermes/config.yaml", {"hooks": {"pre_tool_call": [{"command": "{keep}"}]}}),
    "agenthooks": ("home/.config/agents/hooks/keep/HOOK.md",
                   "---\nname: keep\ndescription: Keeps it\ntrigger: pre-tool-call\n---\n"),
    "starchild": ("project/config/shell_hooks.yaml",
                  {"hooks": [{"event": "pre_tool_call", "command": "{keep}"}]}),
}  # fmt: skip
# Dialect -> the key under which its payload has the tool's name, and a further key and value that
# are its own.
WORDS = {
    "claude-code": ("tool_name", "hook_event_name", "PreToolUse"),
    "codex": ("tool_name", "hook_event_name", "PreToolUse"),
    "kimi": ("tool_name", "hook_event_name", "PreToolUse"),
    "cursor": ("tool_name", "hook_event_name", "preToolUse"),
    "copilot": ("toolName", "sessionId", "s-1"),
    "gemini": ("tool_name", "hook_event_name", "BeforeTool"),
    "qwen": ("tool_name", "hook_event_name", "PreToolUse"),
    "openhands": ("tool_name", "event_type", "PreToolUse"),
    "cline": (
        "hookName",
        "preToolUse",
        {"toolName": "run_commands", "parameters": {"command": "make"}},
    ),
    "docker-agent": ("tool_name", "hook_event_name", "pre_tool_use"),
    "hermes": ("tool_name", "hook_event_name", "pre_tool_call"),
    "agenthooks": ("tool_name", "event_type", "pre-tool-call"),
    "starchild": ("tool_name", "event", "pre_tool_call"),
}
PAYLOAD = {
    "session_id": "s-1",
    "tool_name": "Bash",
    "tool_input": {"command": "make"},
    "hook_event_name": "PreToolUse",
}
# How each host calls its shell, which a hook is told for the shell of another host. A script of
# Cline is sent the name of its event there, and the tool in a section of its own.
TOOLS = {
    "claude-code": "Bash", "codex": "Bash", "kimi": "Shell", "cursor": "Shell", "copilot": "bash",
    "gemini": "run_shell_command", "qwen": "run_shell_command", "openhands": "terminal",
    "cline": "tool_call", "docker-agent": "shell", "hermes": "terminal", "agenthooks": "Shell",
    "starchild": "bash",
}  # fmt: skip
# The file of one hook cannot say what is run; and a3s' hooks are functions.
ELSEWHERE = {"a3s", "hookline"}


def keeper(folder: Path, dialect: str) -> str:
    """A command line that keeps what it is sent, in a file named after its dialect."""
    return shlex.join(["sh", "-c", f"cat > {folder / 'kept' / dialect}.json"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A home and a project with a file of every dialect in its place."""
    (tmp_path / "kept").mkdir()
    for dialect, (place, held) in FILES.items():
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        keep = keeper(tmp_path, dialect)
        text = held if isinstance(held, str) else json.dumps(held)
        path.write_text(
            text.replace("{keep}", keep if isinstance(held, str) else json.dumps(keep)[1:-1]),
            encoding="utf-8",
        )
    script = tmp_path / "home/.config/agents/hooks/keep/scripts/run"
    script.parent.mkdir()
    script.write_text(f"#!/bin/sh\n{keeper(tmp_path, 'agenthooks')}\n", encoding="utf-8")
    script.chmod(0o755)
    return tmp_path


def discovered(folder: Path, **given: Any) -> hookline.Engine:
    """An engine that looks around in the project."""
    environ = {"HOME": str(folder / "home"), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    return hookline.Engine.discover(folder / "project", environ=environ, **given)


def kept(folder: Path) -> dict[str, Any]:
    """What each dialect's hook was sent."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in (folder / "kept").iterdir()
    }


def test_every_dialect_with_files_is_here() -> None:
    """The table has all of them."""
    assert set(FILES) == set(WORDS) == set(NAMES) - ELSEWHERE


def test_one_event_asks_the_hooks_of_every_dialect_in_their_own_words(folder: Path) -> None:
    """Each is sent the payload of its own dialect."""
    engine = discovered(folder, trust="all")

    engine.fire("PreToolUse", PAYLOAD, dialect="claude-code")

    assert [str(problem) for problem in engine.problems if problem.severity == "error"] == []
    sent = kept(folder)
    for dialect, (tool, key, value) in WORDS.items():
        assert sent[dialect][tool] == TOOLS[dialect], dialect
        assert sent[dialect][key] == value, dialect


@pytest.mark.parametrize(
    ("host", "event", "payload"),
    [
        (
            "docker-agent",
            "pre_tool_use",
            {"session_id": "s-1", "tool_name": "Bash", "tool_input": {"command": "make"}},
        ),
        (
            "gemini",
            "BeforeTool",
            {"session_id": "s-1", "tool_name": "Bash", "tool_input": {"command": "make"}},
        ),
        (
            "copilot",
            "preToolUse",
            {"sessionId": "s-1", "toolName": "Bash", "toolArgs": '{"command": "make"}'},
        ),
        (
            "cursor",
            "preToolUse",
            {"conversation_id": "s-1", "tool_name": "Bash", "tool_input": {"command": "make"}},
        ),
        (
            "agenthooks",
            "pre-tool-call",
            {"session_id": "s-1", "tool_name": "Bash", "tool_input": {"command": "make"}},
        ),
        (
            "hookline",
            "tool.before",
            {"session_id": "s-1", "tool": "Bash", "input": {"command": "make"}},
        ),
    ],
)
def test_each_host_gets_an_answer(
    folder: Path, host: str, event: str, payload: dict[str, Any]
) -> None:
    """The host's dialect does not matter to the hooks."""
    discovered(folder, trust="all").fire(event, payload, dialect=host)

    sent = kept(folder)
    assert sorted(sent) == sorted(FILES)
    for dialect, (tool, _, _) in WORDS.items():
        as_sent = dialect == host and dialect not in ("copilot", "cline")
        assert sent[dialect][tool] == ("Bash" if as_sent else TOOLS[dialect]), dialect


def test_a_users_hooks_come_before_a_projects(folder: Path) -> None:
    """Dialects follow each other by their strongest scope (docs/architecture.md 4.3)."""
    decision = discovered(folder, trust="all").fire("PreToolUse", PAYLOAD, dialect="claude-code")

    assert len(decision.verdicts) == len(FILES)
    assert decision.verdicts[-1].hook_id.startswith("config/shell_hooks.yaml#")


def test_what_a_clone_brings_along_does_not_run_unasked(folder: Path) -> None:
    """Hookline lists the hook, prints a notice, and does not run it."""
    discovered(folder).fire("PreToolUse", PAYLOAD, dialect="claude-code")

    assert sorted(kept(folder)) == sorted(set(FILES) - {"starchild"})


def test_a_denial_of_any_dialect_is_the_decision(folder: Path) -> None:
    """It does not matter which hook denies, and in which format."""
    path = folder / FILES["kimi"][0]
    path.write_text(
        '[[hooks]]\nevent = "PreToolUse"\ncommand = "echo not today >&2; exit 2"\n',
        encoding="utf-8",
    )

    reply = discovered(folder, trust="all").answer(
        "gemini", {"hook_event_name": "BeforeTool", "tool_name": "x", "tool_input": {}}
    )

    assert "not today" in reply.stdout + reply.stderr


CURSOR = {
    "version": 1,
    "hooks": {"beforeShellExecution": [{"command": "jq -r .command >&2; exit 2"}]},
}
GUARD = """
import json, sys
call = json.load(sys.stdin)
path = call["tool_input"].get("file_path", "")
if call["tool_name"] == "Bash" and "rm -rf" in call["tool_input"]["command"]:
    said = {"permissionDecision": "deny", "permissionDecisionReason": "no"}
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **said}}))
elif call["tool_name"] == "Bash":
    given = {**call["tool_input"], "command": call["tool_input"]["command"] + " -h"}
    said = {"updatedInput": given}
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **said}}))
elif call["tool_name"] in ("Write", "Edit") and path.endswith(".env"):
    sys.exit(2)
"""


@pytest.mark.parametrize(
    ("host", "event", "tool", "given", "stance", "rewritten"),
    [
        ("docker-agent", "pre_tool_use", "shell", {"cmd": "rm -rf /"}, "DENY", None),
        (
            "docker-agent",
            "pre_tool_use",
            "shell",
            {"cmd": "ls", "timeout": 5},
            "SILENT",
            {"cmd": "ls -h", "timeout": 5},
        ),
        (
            "gemini",
            "BeforeTool",
            "run_shell_command",
            {"command": "ls"},
            "SILENT",
            {"command": "ls -h"},
        ),
        (
            "docker-agent",
            "pre_tool_use",
            "write_file",
            {"path": "a/.env", "content": "x"},
            "DENY",
            None,
        ),
        ("kimi", "PreToolUse", "WriteFile", {"path": "a/.env", "content": "x"}, "DENY", None),
        ("copilot", "preToolUse", "create", {"path": "a/.env", "file_text": "x"}, "DENY", None),
        ("kimi", "PreToolUse", "WriteFile", {"path": "a.txt", "content": "x"}, "SILENT", None),
    ],
)
def test_a_hook_reads_a_foreign_call_by_its_own_names_and_keys(
    host: str,
    event: str,
    tool: str,
    given: dict[str, Any],
    stance: str,
    rewritten: Any,
    tmp_path: Path,
) -> None:
    """With `match_tools: canonical`; what it rewrites lands under the host's keys."""
    (tmp_path / "guard.py").write_text(GUARD, encoding="utf-8")
    handler = {"type": "command", "command": f"{sys.executable} {tmp_path / 'guard.py'}"}
    tree = {"hooks": {"PreToolUse": [{"matcher": "Bash|Write|Edit", "hooks": [handler]}]}}
    engine = hookline.Engine.from_config(tree, dialect="claude-code", match_tools="canonical")
    call = (
        {"toolName": tool, "toolArgs": json.dumps(given)}
        if host == "copilot"
        else {"tool_name": tool, "tool_input": given}
    )

    decision = engine.fire(event, call, dialect=host)

    assert [verdict.fault for verdict in decision.verdicts] == [None]
    assert decision.stance.name == stance
    assert (decision.rewrite.value if decision.rewrite else None) == rewritten


def test_a_hook_on_shell_commands_is_told_the_command_whatever_its_key() -> None:
    """docker-agent's shell tool has it under `cmd`."""
    engine = hookline.Engine.from_config(CURSOR, dialect="cursor")

    assert (
        engine.fire(
            "pre_tool_use",
            {"tool_name": "shell", "tool_input": {"cmd": "rm -rf /"}},
            dialect="docker-agent",
        ).reason
        == "rm -rf /"
    )


@pytest.mark.parametrize(
    ("host", "event", "tool"),
    [
        ("gemini", "BeforeTool", "mcp_github_create"),
        ("cursor", "preToolUse", "MCP:create"),
        ("copilot", "preToolUse", "github-create"),
    ],
)
@pytest.mark.parametrize("matcher", ["mcp__github__.*", "^mcp__", "mcp__github__create"])
def test_a_guard_of_mcp_tools_is_asked_by_every_spelling(
    host: str, event: str, tool: str, matcher: str
) -> None:
    """If a name does not tell its server, hookline asks the guard rather than skip it."""
    tree = {
        "hooks": {
            "PreToolUse": [
                {"matcher": matcher, "hooks": [{"type": "command", "command": "exit 2"}]}
            ]
        }
    }
    engine = hookline.Engine.from_config(tree, dialect="claude-code", match_tools="canonical")
    call = (
        {"toolName": tool, "toolArgs": "{}"}
        if host == "copilot"
        else {"tool_name": tool, "tool_input": {}}
    )

    assert engine.fire(event, call, dialect=host).stance is hookline.Stance.DENY
