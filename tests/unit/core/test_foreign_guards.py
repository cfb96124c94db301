"""Guards of one host at the events of another: they match its tools without any option."""

from __future__ import annotations

from typing import Any

import pytest

import hookline
from hookline.core.condition_descriptions import explain_mismatch, find_alias
from hookline.core.tool_aliases import rename_for_hook

GUARD = {"type": "command", "command": "guard"}


def groups(event: str, matcher: str) -> dict[str, Any]:
    """A file of Claude Code's family with one guard of the shell."""
    return {"hooks": {event: [{"matcher": matcher, "hooks": [GUARD]}]}}


# Hook's dialect -> its shell, its key of the command, and a file with a guard of it.
GUARDS: dict[str, tuple[str, str, Any]] = {
    "claude-code": ("Bash", "command", groups("PreToolUse", "Bash")),
    "codex": ("Bash", "command", groups("PreToolUse", "^Bash$")),
    "gemini": ("run_shell_command", "command", groups("BeforeTool", "run_shell_command")),
    "qwen": ("run_shell_command", "command", groups("PreToolUse", "^run_shell_command$")),
    "copilot": ("bash", "command", {"version": 1, "hooks": {
        "preToolUse": [{"type": "command", "bash": "guard", "matcher": "bash"}]}}),
    "cursor": ("Shell", "command", {"version": 1, "hooks": {
        "preToolUse": [{"command": "guard", "matcher": "Shell"}]}}),
    "kimi": ("Shell", "command", {"hooks": [
        {"event": "PreToolUse", "matcher": "Shell", "command": "guard"}]}),
    "docker-agent": ("shell", "cmd", groups("pre_tool_use", "shell")),
}  # fmt: skip
# Host -> an event before its shell runs, as its current release sends it.
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "claude-code": ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}}),
    "codex": ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}}),
    "gemini": ("BeforeTool",
               {"tool_name": "run_shell_command", "tool_input": {"command": "ls"}}),
    "qwen": ("PreToolUse", {"tool_name": "run_shell_command", "tool_input": {"command": "ls"}}),
    "copilot": ("preToolUse", {"toolName": "bash", "toolArgs": '{"command": "ls"}'}),
    "cursor": ("preToolUse", {"tool_name": "Shell", "tool_input": {"command": "ls"}}),
    "kimi": ("PreToolUse", {"tool_name": "Shell", "tool_input": {"command": "ls"}}),
    "docker-agent": ("pre_tool_use", {"tool_name": "shell", "tool_input": {"cmd": "ls"}}),
}  # fmt: skip
# How hosts call what is no shell.
READS = {"claude-code": "Read", "gemini": "read_file", "copilot": "view", "kimi": "ReadFile"}


@pytest.mark.parametrize("host", CALLS)
@pytest.mark.parametrize("dialect", GUARDS)
def test_a_guard_of_the_shell_is_for_the_shell_of_each_host(dialect: str, host: str) -> None:
    """It gets the call under its own host's name of the tool and of the command."""
    shell, key, tree = GUARDS[dialect]
    native, payload = CALLS[host]
    engine = hookline.Engine.from_config(tree, dialect=dialect)
    (spec,) = engine.hooks
    event = engine.event(native, payload, dialect=host)
    seen = rename_for_hook(spec, event)
    # Codex calls its shell `shell` in older releases, and its matchers cover that. Copilot's
    # matchers know `Bash`.
    shell = "shell" if (dialect, event.tool) == ("codex", "shell") else shell
    knows = shell == event.tool or (dialect, event.tool) == ("copilot", "Bash")

    assert explain_mismatch(spec, event) == ""
    assert (seen.tool, seen.input) == (shell, {key: "ls"})
    assert find_alias(spec, event) == ("" if knows else shell)


@pytest.mark.parametrize("host", READS)
@pytest.mark.parametrize("dialect", GUARDS)
def test_it_is_for_no_other_tool(dialect: str, host: str) -> None:
    """Reading a file is no shell, under whatever name."""
    named = "toolName" if host == "copilot" else "tool_name"
    engine = hookline.Engine.from_config(GUARDS[dialect][2], dialect=dialect)
    event = engine.event(CALLS[host][0], {named: READS[host]}, dialect=host)

    assert explain_mismatch(engine.hooks[0], event).startswith("it runs only when the tool ")


@pytest.mark.parametrize(
    ("matcher", "match_tools", "selected"),
    [
        ("Bash", "auto", True),
        ("shell", "auto", False),
        ("run_shell_command", "auto", False),
        ("^sh", "auto", False),
        ("shell", "canonical", True),
        ("Bash", "native", True),
    ],
)
def test_at_its_own_host_a_matcher_means_what_it_says(
    matcher: str, match_tools: str, *, selected: bool
) -> None:
    """Only `canonical` adds other names there."""
    tree = groups("PreToolUse", matcher)
    engine = hookline.Engine.from_config(tree, dialect="claude-code", match_tools=match_tools)
    event = engine.event(*CALLS["claude-code"], dialect="claude-code")

    assert (explain_mismatch(engine.hooks[0], event) == "") is selected


@pytest.mark.process
@pytest.mark.parametrize("host", CALLS)
def test_a_guard_of_claude_code_refuses_everywhere(host: str) -> None:
    """It reads the command where Claude Code sends it."""
    guard = 'grep -q \'"tool_name": "Bash".*"command": "ls"\' && exit 2'
    hook = {"type": "command", "command": guard}
    tree = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    engine = hookline.Engine.from_config(tree, dialect="claude-code")
    native, payload = CALLS[host]

    decision = engine.fire(native, {"session_id": "s", **payload}, dialect=host)

    assert decision.stance is hookline.Stance.DENY
    assert [verdict.fault for verdict in decision.verdicts] == [None]
