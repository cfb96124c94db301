"""Through the engine: real programs, the user's file, and the limit of sending the agent back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import hookline

if TYPE_CHECKING:
    from pathlib import Path

STOP = {"session_id": "k-204", "stop_hook_active": False}


def engine(tmp_path: Path, text: str) -> hookline.Engine:
    """An engine that found the file in a home folder."""
    (tmp_path / ".kimi").mkdir()
    (tmp_path / ".kimi" / "config.toml").write_text(text)
    return hookline.Engine.discover(
        tmp_path, environ={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    )


@pytest.mark.process
def test_the_users_hook_runs_in_the_sessions_folder_and_reads_its_payload(tmp_path: Path) -> None:
    """Published scripts look for key, colon, blank, value."""
    script = 'grep -q \'"tool_name": "Shell"\' && pwd -P >&2 && exit 2'
    made = engine(
        tmp_path,
        f"[[hooks]]\nevent = 'PreToolUse'\nmatcher = '^Shell$'\ncommand = '''{script}'''\n",
    )
    payload = {"session_id": "k", "cwd": str(tmp_path), "tool_name": "Shell", "tool_input": {}}
    decision = made.fire("PreToolUse", payload, dialect="kimi")

    assert (decision.stance.name, decision.reason) == ("DENY", str(tmp_path.resolve()))


@pytest.mark.process
def test_a_block_stands_although_a_child_holds_the_pipes(tmp_path: Path) -> None:
    """Section 11.2: the end of the hook counts, not that of its output."""
    made = engine(
        tmp_path,
        '[[hooks]]\nevent = "PreToolUse"\ntimeout = 20\ncommand = "sleep 8 & echo no >&2; exit '
        '2"\n',
    )
    decision = made.fire(
        "PreToolUse", {"session_id": "k", "tool_name": "Shell", "tool_input": {}}, dialect="kimi"
    )

    assert (decision.stance.name, decision.reason) == ("DENY", "no")
    assert decision.seconds < 6


@pytest.mark.process
def test_the_agent_is_sent_back_once_a_turn(tmp_path: Path) -> None:
    """Section 7: the hook runs again and knows that it blocked; then the stop is allowed."""
    script = "grep -o 'stop_hook_active\": [a-z]*' >&2; exit 2"
    made = engine(tmp_path, f"[[hooks]]\nevent = 'Stop'\ncommand = '''{script}'''\n")
    first, second = (made.fire("Stop", STOP, dialect="kimi") for _ in range(2))

    assert (first.redo, first.reason) == (True, 'stop_hook_active": false')
    assert (second.redo, second.stance.name) == (False, "SILENT")
    assert second.verdicts[0].reason == 'stop_hook_active": true'
    assert "which is the limit" in second.for_user[0]


def test_a_projects_file_is_never_read(tmp_path: Path) -> None:
    """Section 9: there is no project file, trusted or not."""
    for folder in (".kimi", ".kimi-code"):
        (tmp_path / "project" / folder).mkdir(parents=True)
        (tmp_path / "project" / folder / "config.toml").write_text(
            '[[hooks]]\nevent = "Stop"\ncommand = "true"\n'
        )
    found = hookline.Engine.discover(
        tmp_path / "project", trust="all", environ={"HOME": str(tmp_path)}
    )

    assert [spec for spec in found.hooks if spec.dialect == "kimi"] == []


@pytest.mark.process
def test_every_hook_whose_stdout_is_not_shown_is_named(tmp_path: Path) -> None:
    """Kimi shows no stdout: `lowered` names both hooks, and the document has both texts."""
    made = engine(
        tmp_path,
        "".join(f"[[hooks]]\nevent = 'PreToolUse'\ncommand = 'echo {word}'\n" for word in "ab"),
    )
    document = made.fire(
        "PreToolUse", {"session_id": "k", "tool_name": "Shell", "tool_input": {}}, dialect="kimi"
    ).to_dict()

    assert [entry["hook"] for entry in document["lowered"]] == [
        verdict["hook"] for verdict in document["verdicts"]
    ]
    assert [verdict["stdout"] for verdict in document["verdicts"]] == ["a\n", "b\n"]
