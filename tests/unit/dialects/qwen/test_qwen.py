"""Qwen Code: events of other hosts, conversion, and where its files lie."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hookline import Engine
from hookline.core.dialect import Declaration, Source
from hookline.core.match import holds
from hookline.dialects.qwen import Qwen
from hookline.dialects.qwen.table import TABLE
from hookline.model.event import Event, ToolCall

if TYPE_CHECKING:
    from pathlib import Path

DIALECT = Qwen()
BEFORE = TABLE.rows["PreToolUse"]


def test_a_result_of_another_host_becomes_an_object() -> None:
    """A hook reads what the model and what the user sees."""
    tree = {"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}}
    (spec,) = DIALECT.load(Source(tree=tree)).specs
    body = ToolCall(tool="Bash", input={}, result="a.py")
    event = Event(kind="tool.after", dialect="claude-code", native_name="PostToolUse", body=body)

    sent = json.loads(DIALECT.encode_event(event, spec))

    assert sent["tool_response"] == {"llmContent": "a.py", "returnDisplay": "a.py"}


def test_a_written_guard_stays_closed() -> None:
    """`failMode` says that a failure denies, and the matcher matches the same tool."""
    declared = Declaration(
        row=BEFORE, command="x", tools=("run_shell_command",), timeout=2.5, closed=True
    )
    written = DIALECT.export((declared,))
    (group,) = json.loads(written.files["settings.json"])["hooks"]["PreToolUse"]
    (spec,) = DIALECT.load(Source(text=written.files["settings.json"], file="settings.json")).specs

    assert written.lost == ()
    assert group["hooks"] == [
        {"type": "command", "command": "x", "timeout": 2500, "failMode": "closed"}
    ]
    for tool, matches in (("run_shell_command", True), ("run_shell_command_2", False)):
        event = Event(kind="tool.before", body=ToolCall(tool=tool))
        assert all(holds(condition, event) for condition in spec.conditions) is matches
    assert spec.timeout == pytest.approx(2.5)


def test_a_variable_moves_the_user_s_file(tmp_path: Path) -> None:
    """`QWEN_HOME` is the folder itself."""
    file = tmp_path / "elsewhere" / "settings.json"
    file.parent.mkdir()
    tree = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}
    file.write_text(json.dumps(tree), encoding="utf-8")
    environ = {"HOME": str(tmp_path / "home"), "QWEN_HOME": str(file.parent)}

    engine = Engine.discover(tmp_path, environ=environ)

    assert [(hook.dialect, hook.native_event) for hook in engine.hooks] == [("qwen", "Stop")]
