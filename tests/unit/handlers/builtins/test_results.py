"""Large results of tools: what the model still gets, and where the whole text is."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from hookline.handlers.builtins import results
from hookline.model.event import Event, ToolCall
from hookline.model.spec import Origin
from hookline.model.verdict import Failure
from tests.unit.handlers.builtins.support import asked, output

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = "limit_large_tool_results"
OLDER = "handle_large_tool_output"
LINES = "".join(f"line {number}\n" for number in range(1, 3001))


def result(text: Any, *, tool: str = "shell", session: str = "s", **facts: Any) -> Event:
    body = ToolCall(
        tool=tool,
        input={"path": "a", **facts.pop("given", {})},
        call_id="../c 1",
        result=text,
        facts={"tool_category": "shell", **facts},
    )
    return Event(
        kind="tool.result",
        native_name="tool_response_transform",
        session_id=session,
        cwd="/",
        body=body,
    )


def shown(tmp_path: Path, name: str, event: Event, *args: str) -> str | None:
    """What the model gets instead of a result; None if it stays."""
    said = output(name, event, *args, environ={"XDG_STATE_HOME": str(tmp_path)})
    return None if said is None else said["hook_specific_output"]["updated_tool_response"]


def stored(tmp_path: Path) -> list[Path]:
    return sorted(path for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "event",
    [
        result("x" * (50 << 10)),
        result("x\n" * 2000),
        result("x" * (51 << 10), tool_category="memory"),
        result({"type": "image", "file": {"base64": "x" * (51 << 10)}}),
        result(None),
    ],
)
def test_other_results_stay(event: Event, tmp_path: Path) -> None:
    """Up to the limits, of tools that limit themselves, and what is no text."""
    assert shown(tmp_path, LIMIT, event) is None
    assert stored(tmp_path) == []


def test_the_end_of_a_large_result_is_left(tmp_path: Path) -> None:
    """The whole text is in a file that only the user can read."""
    text = shown(tmp_path, LIMIT, result(LINES))
    (path,) = stored(tmp_path)

    assert text is not None
    assert text.startswith("Tool call result was too large (more than 2000 lines")
    assert str(path) in text
    assert text.endswith("\n\n" + "".join(f"line {number}\n" for number in range(1001, 3001)))
    assert path.read_text(encoding="utf-8") == LINES
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("offset", range(4))
def test_no_character_is_cut(offset: int, tmp_path: Path) -> None:
    """At the beginning of the tail and at the end of the head."""
    text = "x" * offset + "\N{GRINNING FACE}" * 20_000
    tail = shown(tmp_path, LIMIT, result(text))
    head = shown(tmp_path, LIMIT, result(text, tool="read_file", tool_category="filesystem"))

    for part in (tail, head):
        assert part is not None
        assert "\ufffd" not in part
        assert len(part.split("\n\n", 2)[-1].encode()) <= 50 << 10


def test_a_result_that_is_an_object_keeps_its_shape(tmp_path: Path) -> None:
    """Claude Code's results are objects, and it reads them again after a hook."""
    before = {"stdout": LINES, "stderr": "", "interrupted": False}
    after: Any = shown(tmp_path, LIMIT, result(before))

    assert after.keys() == before.keys()
    assert after["stdout"].startswith("Tool call result was too large")
    assert after["stdout"].endswith("line 3000\n")
    assert after["interrupted"] is False
    [path] = stored(tmp_path)
    assert path.read_text() == LINES


@pytest.mark.parametrize(("given", "line"), [({}, 2001), ({"line": 101}, 2101)])
def test_a_file_is_read_on_from_a_line(given: dict[str, int], line: int, tmp_path: Path) -> None:
    """Its beginning is left, with the next line to ask for."""
    event = result(LINES, tool="read_file", tool_category="filesystem", given=given)
    text = shown(tmp_path, LIMIT, event)

    assert text is not None
    assert f"from line {line} on" in text
    assert text.endswith("line 1999\nline 2000\n")


def test_the_end_of_a_session_removes_its_files(tmp_path: Path) -> None:
    """And those of no other session."""
    for session in ("s", "t"):
        shown(tmp_path, LIMIT, result(LINES, session=session))
    end = Event(kind="session.end", native_name="session_end", session_id="s")

    assert shown(tmp_path, LIMIT, end) is None
    assert len(stored(tmp_path)) == 1


def test_files_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest of a session go first, and the oldest sessions."""
    monkeypatch.setattr(results, "_MOST_FILES", 2)
    monkeypatch.setattr(results, "_MOST_SESSIONS", 2)
    for session in "stu":
        for number in range(3):
            shown(tmp_path, LIMIT, result(LINES + str(number), session=session))

    assert len(stored(tmp_path)) == 4


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    """The result stays, and the user reads why."""
    (tmp_path / "hookline").write_text("", encoding="utf-8")
    outcome = asked(LIMIT, result(LINES), environ={"XDG_STATE_HOME": str(tmp_path)})

    assert (outcome.failure, outcome.stdout) == (None, "")
    assert "a large result stays whole" in outcome.note


def test_the_older_builtin_leaves_the_beginning(tmp_path: Path) -> None:
    """Ids become a part of a file's name, whatever is in them."""
    options = json.dumps({"Threshold": 10, "PreviewSize": 3, "OutputDir": str(tmp_path / "out")})
    text = shown(tmp_path, OLDER, result("éééééééééééé", session="a/b"), options)

    assert text is not None
    assert text.endswith("The first 3 characters:\n\nééé")
    assert os.listdir(tmp_path / "out") == ["a_b____c_1.txt"]


@pytest.mark.parametrize("args", [(), ("",), ("{}",), ('{"Threshold": -1}',)])
def test_the_older_builtin_has_defaults(args: tuple[str, ...], tmp_path: Path) -> None:
    """30000 characters, and 3000 of them."""
    assert shown(tmp_path, OLDER, result("x" * 30_000), *args) is None
    text = shown(tmp_path, OLDER, result("x" * 30_001), *args)

    assert text is not None
    assert text.endswith("\n\n" + "x" * 3000)


@pytest.mark.parametrize("args", [("[]",), ("{",), ("[" * 100_000,)])
def test_options_that_are_no_object_are_a_failure(args: tuple[str, ...]) -> None:
    """It names the builtin."""
    outcome = asked(OLDER, result("x"), *args)

    assert outcome.failure is Failure.REJECTED
    assert "handle_large_tool_output: its argument is no JSON object" in outcome.detail


def test_a_project_s_file_writes_into_the_project_only(tmp_path: Path) -> None:
    """Its hooks are other people's."""
    options = json.dumps({"Threshold": 1, "OutputDir": "/elsewhere"})
    event = result("xxx").replace(cwd=str(tmp_path))
    outcome = asked(OLDER, event, options, origin=Origin(scope="project"))

    assert outcome.failure is Failure.REJECTED
    assert "can only choose an `OutputDir` in" in outcome.detail
