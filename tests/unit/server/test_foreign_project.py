"""A server has the hooks of one folder; an event of another project gets one notice a session."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from hookline import allow, deny
from hookline.engine.engine import Engine
from hookline.server import foreign_project
from hookline.server.foreign_project import ForeignProjectNotice
from tests.unit.server.support import served

if TYPE_CHECKING:
    from pathlib import Path

GUARD = json.dumps(
    {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}
)
WORDS = "the hooks of the project `{}` did not run: this server runs those of `{}`;"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with two projects, of which only `other` has hooks; and `bare`, which has none."""
    for name in ("mine", "other", "bare"):
        (tmp_path / name / ".git").mkdir(parents=True)
    (tmp_path / "other/.claude").mkdir()
    (tmp_path / "other/.claude/settings.json").write_text(GUARD, encoding="utf-8")
    (tmp_path / "other/sub").mkdir()
    return tmp_path


def engine(home: Path, **options: Any) -> Engine:
    """That of the project `mine`."""
    return Engine(cwd=home / "mine", environ={"HOME": str(home / "user")}, **options)


def call(cwd: object, session: str = "s") -> dict[str, Any]:
    return {
        "hook_event_name": "PreToolUse",
        "session_id": session,
        "cwd": str(cwd),
        "tool_name": "Bash",
        "tool_input": {},
    }


def told(home: Path, *events: tuple[str, str]) -> list[bool]:
    """Whether each event, a folder and a session, is told of hooks that were not asked."""
    made, look = engine(home), ForeignProjectNotice()

    async def ask() -> list[bool]:
        found = []
        for folder, session in events:
            event = made.event(
                "PreToolUse", call(home / folder if folder else "", session), dialect="claude-code"
            )
            decision = await look(made, event, await made.fire_async(event))
            found.append(any(lost.effect == "hooks" for lost in decision.lowered))
        return found

    return asyncio.run(ask())


ROWS = [
    ("another project", [("other", "s")], [True]),
    ("a folder of it", [("other/sub", "s")], [True]),
    (
        "once in a session, wherever it goes",
        [("other", "s"), ("other", "s"), ("other/sub", "s")],
        [True, False, False],
    ),
    ("each session", [("other", "s"), ("other", "t")], [True, True]),
    ("without a session, each time", [("other", ""), ("other", "")], [True, True]),
    (
        "its own project, or none",
        [("mine", "s"), ("", "s"), ("nowhere", "s")],
        [False, False, False],
    ),
    ("a project without hooks", [("bare", "s")], [False]),
]


@pytest.mark.parametrize(
    ("events", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_hooks_that_were_not_asked_are_named(
    events: list[tuple[str, str]], expected: list[bool], home: Path
) -> None:
    """Without such hooks there is no notice."""
    assert told(home, *events) == expected


def test_what_is_known_of_sessions_is_bounded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server forgets the oldest sessions, and notifies them again."""
    monkeypatch.setattr(foreign_project, "_MOST", 1)

    assert told(home, ("other", "s"), ("other", "t"), ("other", "s")) == [True, True, True]


def test_it_is_said_over_http_in_every_form(home: Path, tmp_path: Path) -> None:
    """In a decision, in what a host shows its user, and on stderr if the event has no notes."""
    made = engine(home)
    made.on("tool.before")(lambda _: allow("fine"))
    with served(made, tmp_path, elsewhere=ForeignProjectNotice()) as server:
        decision = server.unix.fire(
            "PreToolUse", call(home / "other", "a"), dialect="claude-code"
        ).document
        shown = server.unix.ask(
            "POST", "/v1/answer/claude-code", call(home / "other", "b")
        ).document
        beside = server.unix.ask(
            "POST",
            "/v1/answer/cursor",
            cursor(home / "other"),
            Accept="application/vnd.hookline.reply+json",
        ).document
        again = server.unix.fire(
            "PreToolUse", call(home / "other", "a"), dialect="claude-code"
        ).document

    words = WORDS.format(home / "other", home / "mine")
    assert decision["stance"] == "allow"
    assert [(lost["effect"], lost["reason"].startswith(words)) for lost in decision["lowered"]] == [
        ("hooks", True)
    ]
    assert decision["for_user"][0].startswith(words)
    assert words in shown["systemMessage"]
    assert beside["stderr"].startswith(f"hookline: {words}")
    assert again["lowered"] == []


def cursor(cwd: object) -> dict[str, Any]:
    """An event after which Cursor shows no output."""
    return {
        "hook_event_name": "sessionEnd",
        "conversation_id": "c",
        "workspace_roots": [str(cwd)],
        "session_id": "c",
    }


def test_a_denial_stays_one(home: Path, tmp_path: Path) -> None:
    """The server's own guards have decided."""
    made = engine(home)
    made.on("tool.before")(lambda _: deny("no"))
    with served(made, tmp_path, elsewhere=ForeignProjectNotice()) as server:
        answer = server.unix.fire(
            "PreToolUse", call(home / "other"), dialect="claude-code"
        ).document

    assert (answer["stance"], answer["reason"]) == ("deny", "no")
