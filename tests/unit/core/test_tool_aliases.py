"""A matcher that knows a tool's names in all hosts, and one that does not."""

from __future__ import annotations

from typing import Any

import pytest

import hookline
from hookline.core.condition_descriptions import explain_mismatch
from hookline.core.tool_aliases import rename_for_hook, rename_rewrite_back
from hookline.model.event import Event, Rewrite, ToolCall
from hookline.model.spec import Command, HookSpec, OneOf

HOOK = HookSpec(
    id="h",
    dialect="claude-code",
    kind="tool.before",
    native_event="PreToolUse",
    handler=Command(script="x"),
)
CALL = {
    "session_id": "s",
    "tool_name": "shell",
    "tool_use_id": "c",
    "tool_input": {"cmd": "rm -rf /tmp/x"},
}


def engine(matcher: str, *, rule: str = "", match_tools: str = "native") -> hookline.Engine:
    """Claude Code's hook that denies, on an engine that a docker-agent host asks."""
    handler: dict[str, Any] = {
        "type": "command",
        "command": "exit 2",
        **({"if": rule} if rule else {}),
    }
    tree = {"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [handler]}]}}
    return hookline.Engine.from_config(tree, dialect="claude-code", match_tools=match_tools)


@pytest.mark.process
@pytest.mark.parametrize(
    ("matcher", "rule", "native", "foreign"),
    [
        ("Bash", "", "silent", "deny"),
        ("Edit|Bash", "", "silent", "deny"),
        ("^Ba.h$", "", "silent", "deny"),
        ("run_shell_command", "", "silent", "deny"),
        ("Read", "", "silent", "silent"),
        ("shell", "", "deny", "deny"),
        ("Bash", "Bash(rm *)", "silent", "deny"),
        ("Bash", "Bash(ls *)", "silent", "silent"),
        ("", "Bash(rm *)", "silent", "deny"),
    ],
)
def test_a_matcher_for_bash_sees_shell_unless_asked_not_to(
    matcher: str, rule: str, native: str, foreign: str
) -> None:
    """Every host's name of the tool, unless `match_tools` is "native"."""
    for match_tools, stance in (("native", native), ("auto", foreign), ("canonical", foreign)):
        decision = engine(matcher, rule=rule, match_tools=match_tools).fire(
            "pre_tool_use", CALL, dialect="docker-agent"
        )

        assert decision.stance.name.lower() == stance


def test_why_not_says_that_all_names_were_tried() -> None:
    """An explanation is honest about what was compared."""
    asked = engine("Read", match_tools="canonical")
    event = asked.event("pre_tool_use", CALL, dialect="docker-agent")

    assert (
        explain_mismatch(asked.hooks[0], event)
        == "it runs only when the tool is `Read`; here it is `shell`, and no other host's name "
        "for it fits"
    )


def test_an_unknown_matching_is_refused() -> None:
    """As every other setting is."""
    with pytest.raises(hookline.ConfigError, match="unknown match_tools `canonic`"):
        engine("Bash", match_tools="canonic")


def told(
    dialect: str, tool: str, given: Any, *, matcher: str = "", match_tools: str = "canonical"
) -> ToolCall:
    """The payload of a hook of Claude Code for a call of a host's tool."""
    conditions = (OneOf(field="tool", names=frozenset({matcher})),) if matcher else ()
    spec = HOOK.replace(conditions=conditions, match_tools=match_tools)
    body = rename_for_hook(
        spec, Event(kind="tool.before", dialect=dialect, body=ToolCall(tool=tool, input=given))
    ).body
    assert isinstance(body, ToolCall)
    return body


@pytest.mark.parametrize(
    ("dialect", "tool", "given", "name", "keys"),
    [
        ("docker-agent", "shell", {"cmd": "ls"}, "Bash", {"command": "ls"}),
        (
            "docker-agent",
            "shell",
            {"cmd": "ls", "command": "x"},
            "Bash",
            {"cmd": "ls", "command": "x"},
        ),
        (
            "copilot",
            "create",
            {"path": "a", "file_text": "b"},
            "Write",
            {"file_path": "a", "content": "b"},
        ),
        ("gemini", "mcp_git_status", {"cmd": 1}, "mcp__git__status", {"cmd": 1}),
        ("cursor", "MCP:status", {}, "MCP:status", {}),
        ("docker-agent", "frobnicate", {"cmd": "x"}, "frobnicate", {"cmd": "x"}),
        ("docker-agent", "shell", None, "Bash", None),
        ("claude-code", "Bash", {"cmd": "x"}, "Bash", {"cmd": "x"}),
        ("claude-code", "bash", {"command": "x"}, "Bash", {"command": "x"}),
        ("claude-code", "write", {"filePath": "a"}, "Write", {"file_path": "a"}),
        (
            "claude-code",
            "edit",
            {"path": "a", "edits": []},
            "Edit",
            {"file_path": "a", "edits": []},
        ),
    ],
)
def test_a_call_is_told_in_the_hooks_own_words(
    dialect: str, tool: str, given: Any, name: str, keys: Any
) -> None:
    """Name and keys of the input.

    It overwrites no existing key, and keeps unknown ones.
    """
    body = told(dialect, tool, given)

    assert (body.tool, body.input) == (name, keys)


def test_of_several_names_it_is_the_one_that_the_hook_is_for() -> None:
    """`apply_patch` writes and edits."""
    assert told("codex", "apply_patch", {}, matcher="Edit").tool == "Edit"
    assert told("codex", "apply_patch", {}, matcher="Write").tool == "Write"
    assert told("codex", "apply_patch", {}, match_tools="native").tool == "apply_patch"


@pytest.mark.parametrize(
    ("given", "value", "back"),
    [
        ({"cmd": "ls"}, {"command": "ls -h"}, {"cmd": "ls -h"}),
        ({"command": "ls"}, {"command": "ls -h"}, {"command": "ls -h"}),
        ({}, {"command": "ls", "timeout": 5}, {"cmd": "ls", "timeout": 5}),
        ({"cmd": "ls"}, "no object", "no object"),
    ],
)
def test_a_rewrite_lands_under_the_hosts_keys(given: Any, value: Any, back: Any) -> None:
    """Those that its input has, else its usual ones."""
    event = Event(
        kind="tool.before", dialect="docker-agent", body=ToolCall(tool="shell", input=given)
    )
    spec = HOOK.replace(match_tools="canonical")

    landed = rename_rewrite_back(
        Rewrite(target="input", value=value), spec, event, rename_for_hook(spec, event)
    )

    assert landed is not None
    assert landed.value == back


@pytest.mark.parametrize(
    ("tool", "given", "value", "back"),
    [
        ("write", {"filePath": "a"}, {"file_path": "b", "content": "c"}, {"filePath": "b"}),
        ("edit", {"filePath": "a", "oldString": "x"}, {"old_string": "y"}, {"oldString": "y"}),
        ("write", {"path": "a"}, {"file_path": "b"}, {"path": "b"}),
        ("bash", {"command": "a"}, {"command": "b"}, {"command": "b"}),
    ],
)
def test_a_rewrite_lands_under_the_keys_of_a_guest(
    tool: str, given: Any, value: Any, back: Any
) -> None:
    """A plugin in opencode or pi asks in the dialect of Claude Code."""
    event = Event(kind="tool.before", dialect="claude-code", body=ToolCall(tool=tool, input=given))
    spec = HOOK.replace(match_tools="canonical")

    landed = rename_rewrite_back(
        Rewrite(target="input", value=value), spec, event, rename_for_hook(spec, event)
    )

    assert landed is not None
    assert landed.value.items() >= back.items()


def test_other_rewrites_stay_as_they_are() -> None:
    """A result has no keys that hosts agree about."""
    event = Event(
        kind="tool.after", dialect="docker-agent", body=ToolCall(tool="shell", input={"cmd": "x"})
    )
    spec = HOOK.replace(match_tools="canonical")
    rewrite = Rewrite(target="output", value={"cmd": 1})

    assert rename_rewrite_back(rewrite, spec, event, rename_for_hook(spec, event)) is rewrite
    assert rename_rewrite_back(None, spec, event, rename_for_hook(spec, event)) is None
