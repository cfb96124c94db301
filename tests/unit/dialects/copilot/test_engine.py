"""Copilot in an engine: hooks of both keys, hooks of other dialects, clock, cap and export."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookline import Engine
from hookline.core.dialect import Declaration
from hookline.dialects.copilot import Copilot

STOP = {"sessionId": "s", "cwd": "/", "stopReason": "end_turn"}
CALL = {"sessionId": "s", "cwd": "/", "toolName": "bash", "toolArgs": '{"command":"ls"}'}


def tree(**events: Any) -> dict[str, Any]:
    """A file of hooks."""
    return {"version": 1, "hooks": events}


@pytest.mark.process
@pytest.mark.parametrize("native", ["preToolUse", "PreToolUse"])
def test_a_moment_runs_every_hook_once(native: str) -> None:
    """Hooks of both keys, a canonical one and another dialect's, whichever key the host calls."""
    engine = Engine.from_config(
        tree(preToolUse=[{"bash": "exit 0"}], PreToolUse=[{"bash": "exit 0"}]), dialect="copilot"
    )
    claude = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}}
    engine.add_source(claude, dialect="claude-code")
    engine.on("tool.before")(lambda _: None)
    payload = (
        CALL
        if native == "preToolUse"
        else {"session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {}}
    )
    decision = engine.fire(native, payload, dialect="copilot")

    assert len({verdict.hook_id for verdict in decision.verdicts}) == len(decision.verdicts) == 4


@pytest.mark.process
def test_a_hook_is_told_the_time_where_the_host_does_not_say_it() -> None:
    """In milliseconds under a camelCase key, as ISO under a PascalCase one."""
    told = 'read -r line; case "$line" in *"$WANT"*) exit 0;; *) exit 3;; esac'
    hooks = tree(
        preToolUse=[{"bash": told, "env": {"WANT": '"timestamp":86400000,'}}],
        PreToolUse=[{"bash": told, "env": {"WANT": '"timestamp":"1970-01-02T00:00:00.000Z"'}}],
    )
    engine = Engine.from_config(hooks, dialect="copilot", clock=lambda: 86400.0)
    decision = engine.fire("preToolUse", CALL, dialect="copilot")

    assert [verdict.exit_code for verdict in decision.verdicts] == [0, 0]


@pytest.mark.process
def test_variables_are_filled_in() -> None:
    """In the values of `env`, when the hook runs."""
    hooks = tree(
        preToolUse=[{"bash": '[ "$TO" = "/home/me/x-$Y" ]', "env": {"TO": "$HOME/x-${NAME}"}}]
    )
    engine = Engine.from_config(
        hooks,
        dialect="copilot",
        environ={"HOME": "/home/me", "NAME": "$Y", "Y": "$Y", "PATH": "/usr/bin:/bin"},
    )

    assert engine.fire("preToolUse", CALL, dialect="copilot").allowed


@pytest.mark.process
def test_an_agent_is_sent_back_eight_times() -> None:
    """Then it may stop, with a notice to the user."""
    says = '{"decision": "block", "reason": "tests fail"}'
    engine = Engine.from_config(tree(agentStop=[{"bash": f"echo '{says}'"}]), dialect="copilot")
    replies = [engine.answer("copilot", STOP).stdout for _ in range(9)]

    assert [json.loads(reply) for reply in replies[:8]] == [json.loads(says)] * 8
    assert json.loads(replies[8])["type"] == "progress"


def test_hooks_are_written_as_they_are_read() -> None:
    """Names and expressions cover the whole name; what the format cannot say is reported."""
    dialect = Copilot()
    rows = dialect.table.rows
    written = dialect.export((
        Declaration(row=rows["preToolUse"], command="guard", tools=("bash", "github-x.y"),
                    timeout=5.0, closed=True),
        Declaration(row=rows["postToolUse"], command="lint", pattern="^edit", closed=True),
        Declaration(row=rows["agentStop"], command="stop"),
    ))  # fmt: skip

    assert json.loads(written.files["hooks/hooks.json"]) == tree(
        preToolUse=[
            {"type": "command", "bash": "guard", "timeoutSec": 5.0, "matcher": r"bash|github\-x\.y"}
        ],
        postToolUse=[
            {"type": "command", "bash": "lint", "timeoutSec": 60.0, "matcher": ".*(?:^edit).*"}
        ],
        agentStop=[{"type": "command", "bash": "stop", "timeoutSec": 60.0}],
    )
    assert written.lost == ((1, "that a failure of the hook denies"),)
