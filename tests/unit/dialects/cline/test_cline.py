"""Cline: folders of scripts, events of other hosts, and conversion."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hookline import Engine
from hookline.config.hook_files import is_program, list_files, read_source
from hookline.core.dialect import Declaration, Source
from hookline.dialects.cline import Cline
from hookline.dialects.cline.load import PROGRAMS
from hookline.dialects.cline.table import TABLE
from hookline.model.event import Event, Prompt, ToolCall
from hookline.model.verdict import Stance

if TYPE_CHECKING:
    from pathlib import Path

DIALECT = Cline()


def _script(path: Path, text: str, *, executable: bool = True) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755 if executable else 0o644)
    return path


def test_the_folder_knows_the_events_and_endings_of_the_loader() -> None:
    """Both tables name the same files."""
    names = [f"{native}{ending}" for native in TABLE.rows for ending in PROGRAMS]
    assert [name for name in names if not is_program(name, "cline")] == []


def test_only_files_that_are_named_after_an_event_are_hooks(tmp_path: Path) -> None:
    """A backup, a readme and a folder are none."""
    wanted = [_script(tmp_path / name, "#!/bin/sh\n") for name in ("PreToolUse", "TaskStart.sh")]
    _script(tmp_path / "PreToolUse.sh.bak", "")
    _script(tmp_path / "README.md", "")
    (tmp_path / "PostToolUse").mkdir()

    assert list_files(str(tmp_path), "cline") == [str(path) for path in wanted]


def test_a_binary_is_no_configuration_that_must_be_text(tmp_path: Path) -> None:
    """A program that is no UTF-8 text is run, and is not read as a file of hooks."""
    path = tmp_path / "PreToolUse"
    path.write_bytes(b"\x7fELF\xff\xfe\x00")
    path.chmod(0o755)

    (spec,) = DIALECT.load(read_source(Source(file=str(path)), "cline")).specs

    assert spec.handler.argv == (str(path),)


@pytest.mark.process
def test_a_project_s_script_refuses_a_call(tmp_path: Path) -> None:
    """It is found in its folder, runs in the project, and its cancel is a denial."""
    project, home = tmp_path / "project", tmp_path / "home"
    home.mkdir()
    _script(
        project / ".clinerules/hooks/PreToolUse",
        '#!/bin/sh\ngrep -q \'"toolName":"execute_command"\' || exit 0\n'
        'echo checking; echo "{\\"cancel\\": true, \\"errorMessage\\": \\"not in $(basename '
        '$PWD)\\"}"\n',
    )
    engine = Engine.discover(
        project, trust="all", environ={"HOME": str(home), "PATH": "/usr/bin:/bin"}
    )

    decision = engine.fire(
        "PreToolUse",
        {
            "hookName": "PreToolUse",
            "taskId": "t",
            "workspaceRoots": [str(project)],
            "preToolUse": {"toolName": "execute_command", "parameters": {"command": "ls"}},
        },
        dialect="cline",
    )

    assert (decision.stance, decision.reason) == (Stance.DENY, "not in project")


@pytest.mark.parametrize(
    ("file", "name"), [("PreToolUse", "PreToolUse"), ("PreToolUse.sh", "tool_call")]
)
def test_an_event_of_another_host_has_the_keys_of_both_programs(file: str, name: str) -> None:
    """The event's name is that of the program which would run the script."""
    (spec,) = DIALECT.load(Source(file=f"/p/{file}", text="#!/bin/sh")).specs
    body = ToolCall(tool="Bash", input={"command": "ls", "timeout": 5}, call_id="c-1")
    event = Event(
        kind="tool.before", dialect="claude-code", native_name="PreToolUse", session_id="s",
        cwd="/p",
        body=body,
    )  # fmt: skip

    sent = json.loads(DIALECT.encode_event(event, spec))

    assert sent["hookName"] == name
    assert sent["workspaceRoots"] == ["/p"]
    assert sent["tool_call"] == {
        "id": "c-1",
        "name": "Bash",
        "input": {"command": "ls", "timeout": 5},
    }
    assert sent["preToolUse"] == {
        "toolName": "Bash",
        "parameters": {"command": "ls", "timeout": "5"},
    }


def test_a_failed_call_of_another_host_is_no_success() -> None:
    """The error stands in the place of the result."""
    (spec,) = DIALECT.load(Source(file="/p/PostToolUse", text="#!/bin/sh")).specs
    body = ToolCall(tool="Bash", input={}, result=None, error={"code": 1})
    event = Event(kind="tool.after", dialect="claude-code", native_name="PostToolUse", body=body)

    sent = json.loads(DIALECT.encode_event(event, spec))["postToolUse"]

    assert (sent["success"], sent["result"]) == (False, '{"code":1}')


def test_a_prompt_of_another_host_is_sent_in_its_section() -> None:
    """With what the prompt is."""
    (spec,) = DIALECT.load(Source(file="/p/UserPromptSubmit", text="#!/bin/sh")).specs
    event = Event(kind="prompt.submit", dialect="kimi", body=Prompt(prompt="hi"))

    assert json.loads(DIALECT.encode_event(event, spec))["userPromptSubmit"] == {"prompt": "hi"}


def test_a_rewritten_input_is_sent_under_both_keys() -> None:
    """In strict mode a hook is asked again about a new input."""
    (spec,) = DIALECT.load(Source(file="/p/PreToolUse", text="#!/bin/sh")).specs
    payload = {
        "hookName": "tool_call",
        "tool_call": {"id": "1", "name": "run_commands", "input": {"commands": ["a"]}},
        "preToolUse": {"toolName": "run_commands", "parameters": {"commands": '["a"]'}},
    }
    event = DIALECT.decode_event(payload)
    event = event.replace(body=event.body.replace(input={"command": "b"}))

    sent = json.loads(DIALECT.encode_event(event, spec))

    assert sent["tool_call"]["input"] == sent["preToolUse"]["parameters"] == {"command": "b"}


@pytest.mark.parametrize(
    "given",
    [
        {"commands": ["cd /", "rm -rf x"]},
        {"commands": ["cd /", {"command": "rm", "args": ["-rf", "x"]}]},
        {"command": "cd /\nrm -rf x"},
        {"commands": "cd /\nrm -rf x"},
        ["cd /", {"command": "rm", "args": ["-rf", "x"]}],
        "cd /\nrm -rf x",
    ],
)
def test_a_guard_sees_every_command_in_every_shape(given: object) -> None:
    """The command line program takes a call of its shell tool in several shapes."""
    payload = {
        "hookName": "tool_call",
        "tool_call": {"id": "1", "name": "run_commands", "input": given},
    }

    event = DIALECT.decode_event(payload)

    assert event.command == "cd /\nrm -rf x"


def test_a_program_with_its_arguments_is_one_line() -> None:
    """A word with a blank in it stays one word."""
    given = {"command": "rm", "args": ["-rf", "my files"]}
    payload = {
        "hookName": "tool_call",
        "tool_call": {"id": "1", "name": "run_commands", "input": given},
    }

    assert DIALECT.decode_event(payload).command == "rm -rf 'my files'"


def test_a_second_hook_of_an_event_has_no_file() -> None:
    """One file of an event runs in a folder, and the report names what the file cannot express."""
    row = TABLE.rows["PreToolUse"]
    written = DIALECT.export(
        (
            Declaration(row=row, command="a", tools=("execute_command",), timeout=60.0),
            Declaration(row=row, command="b"),
        )
    )

    assert written.files == {"PreToolUse": "#!/bin/sh\na\n"}
    assert written.programs == {"PreToolUse"}
    assert [what for _, what in written.lost] == [
        "a timeout of more than 30 s",
        "for which tools it runs: it runs for every tool",
    ]
    assert list(written.left_out) == [1]
