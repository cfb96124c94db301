"""`hookline init` writes a file whose tests pass, and overwrites nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hookline.cli.init import list_examples

if TYPE_CHECKING:
    from tests.unit.cli.support import Desk


@pytest.mark.parametrize("example", list_examples())
def test_the_tests_of_each_example_pass(example: str, desk: Desk) -> None:
    """The file is sound, its hooks decide as it says, and its schema is beside it."""
    assert desk.type("init", "--example", example).code == 0
    assert json.loads((desk.folder / ".hookline.schema.json").read_text())["$id"]
    told = desk.type("test", ".hookline.yaml", "--json")

    assert (told.code, told.document["failed"]) == (0, 0)
    assert len(told.document["tests"]) > 0
    assert desk.type("validate", ".hookline.yaml", "--strict").code == 0


def test_what_is_there_stays(desk: Desk) -> None:
    """A second init is an error with the place."""
    desk.file(".hookline.yaml", "version: 1\n")
    told = desk.type("init")

    assert (told.code, ".hookline.yaml: HKL1009" in told.err) == (2, True)
    assert (desk.folder / ".hookline.yaml").read_text() == "version: 1\n"


def test_a_file_for_all_projects(desk: Desk) -> None:
    """It lies among the user's settings, and is found there."""
    assert desk.type("init", "--user").code == 0
    listed = desk.type("list", "--json").document["hooks"]

    assert [(hook["scope"], hook["dialect"]) for hook in listed] == [("user", "hookline")]


def test_the_guard_holds_for_every_host(desk: Desk) -> None:
    """Also where the tool has another name."""
    desk.type("init", "--user")
    calls = {
        "claude-code": {"hook_event_name": "PreToolUse", "tool_name": "Bash"},
        "gemini": {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command"},
    }
    for host, call in calls.items():
        payload = {"session_id": "s", "cwd": "/", "tool_input": {"command": "rm -rf ~"}} | call
        assert "this deletes everything" in desk.type("answer", host, stdin=payload).out


def test_names_of_examples(desk: Desk) -> None:
    """They are listed; another one gets a suggestion."""
    assert desk.type("init", "--example", "list").out.split() == list_examples()
    told = desk.type("init", "--example", "gard")
    assert (told.code, "did you mean `guard`?" in told.err) == (2, True)
