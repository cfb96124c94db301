"""Which hooks does a file switch off, and who is told of it?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hookline.engine.engine import Engine
from hookline.engine.notices import heard
from hookline.engine.shelf import all_hooks, given_way
from hookline.engine.trust_gate import LazyGate
from hookline.sessions.store import Sessions

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.model.verdict import Decision

MINE, THEIRS = "exit 0", "exit 0 # theirs"
EVENTS = {
    "claude-code": ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}}),
    "gemini": ("BeforeTool", {"tool_name": "run_shell_command", "tool_input": {"command": "ls"}}),
    "copilot": ("preToolUse", {"toolName": "bash", "toolArgs": "{}"}),
}
FILES = {
    "claude-code": ".claude/settings.json",
    "gemini": ".gemini/settings.json",
    "copilot": ".github/copilot/settings.json",
}
USERS = FILES | {"copilot": ".copilot/settings.json"}


class Place:
    """A home and a project, each with a hook on the same event of one host."""

    def __init__(self, folder: Path, host: str) -> None:
        self.host = host
        self.home, self.root = folder / "home", folder / "project"
        self.environ = {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}
        self.sessions = Sessions(folder / "sessions")
        self.write(self.home / USERS[host], self.hooks(MINE))
        self.write(self.root / FILES[host], self.hooks(THEIRS))

    def hooks(self, command: str) -> dict[str, Any]:
        event = EVENTS[self.host][0]
        hook = {"type": "command", "command": command, "name": command}
        return {"hooks": {event: [hook] if self.host == "copilot" else [{"hooks": [hook]}]}}

    def write(self, path: Path, tree: object) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(tree), encoding="utf-8")
        path.chmod(0o644)

    def switch(self, where: str, tree: dict[str, Any]) -> None:
        """Say something in a file beside its hooks: of the home, of the project, or of the person in the project."""
        if where == "local":
            self.write(self.root / FILES[self.host].replace(".json", ".local.json"), tree)
        else:
            of_user = where == "user"
            path = self.home / USERS[self.host] if of_user else self.root / FILES[self.host]
            self.write(path, self.hooks(MINE if of_user else THEIRS) | tree)

    def engine(self) -> Engine:
        late = LazyGate(str(self.root), self.environ)
        return Engine.discover(self.root, environ=self.environ, gate=late, sessions=self.sessions)

    def fire(self, engine: Engine, session: str = "s") -> Decision:
        native, payload = EVENTS[self.host]
        keys = {
            "hook_event_name": native,
            "session_id": session,
            "sessionId": session,
            "cwd": str(self.root),
        }
        event = engine.event(native, payload | keys, dialect=self.host)
        return heard(engine, event, engine.fire(event))


ALL, OFF, NAMED = (
    {"disableAllHooks": True},
    {"hooksConfig": {"enabled": False}},
    {"hooksConfig": {"disabled": [MINE, THEIRS]}},
)
ROWS = [
    # host, what is said where, whose hooks are left
    ("claude-code", {"project": ALL}, {MINE}),
    ("claude-code", {"local": ALL}, {MINE}),
    ("claude-code", {"user": ALL}, set()),
    ("claude-code", {"user": ALL, "project": {"disableAllHooks": False}}, set()),
    ("claude-code", {"project": ALL, "local": {"disableAllHooks": False}}, {MINE, THEIRS}),
    ("claude-code", {"project": {"allowManagedHooksOnly": True}}, {MINE, THEIRS}),
    ("claude-code", {"user": {"allowManagedHooksOnly": True}}, {MINE, THEIRS}),
    ("gemini", {"project": OFF}, {MINE}),
    ("gemini", {"project": NAMED}, {MINE}),
    ("gemini", {"user": OFF}, set()),
    ("gemini", {"user": NAMED}, set()),
    ("copilot", {"project": ALL}, {MINE}),
    ("copilot", {"local": ALL}, {MINE}),
    ("copilot", {"user": ALL}, set()),
]


@pytest.mark.parametrize(
    ("host", "said", "left"),
    ROWS,
    ids=lambda value: value if isinstance(value, str) else json.dumps(value, default=sorted),
)
def test_whose_hooks_a_file_switches_off(
    host: str, said: dict[str, dict[str, Any]], left: set[str], tmp_path: Path
) -> None:
    """A clone its own, and nobody else's; a person all of them: as the host would, but for that."""
    place = Place(tmp_path, host)
    for where, tree in said.items():
        place.switch(where, tree)
    engine = place.engine()

    assert {spec.name for spec in engine.hooks if spec.dialect == host} == left


@pytest.mark.parametrize("host", EVENTS)
@pytest.mark.parametrize("where", ["project", "user"])
def test_a_session_is_told_once_and_by_which_file(host: str, where: str, tmp_path: Path) -> None:
    """Whatever processes the hooks are asked by; and a list says it of each hook."""
    place = Place(tmp_path, host)
    place.switch(where, OFF if host == "gemini" else ALL)
    engine = place.engine()
    file = str(place.home / USERS[host] if where == "user" else place.root / FILES[host])
    first, again, other = (
        place.fire(one, session)
        for one, session in ((engine, "s"), (place.engine(), "s"), (engine, "t"))
    )
    told = [
        [
            text
            for text in (*each.for_user, *(lost.reason for lost in each.lowered))
            if "HKL1604" in text
        ]
        for each in (first, again, other)
    ]

    assert [len(each) for each in told] == [1, 0, 1]
    assert f" in {file} switches " in told[0][0]
    gone = [spec for spec in all_hooks(engine) if given_way(engine, spec)]
    assert all(file in given_way(engine, spec) for spec in gone)
    assert THEIRS in {spec.name for spec in gone}


def test_nothing_is_told_at_another_event(tmp_path: Path) -> None:
    """At which no hook is missing."""
    place = Place(tmp_path, "claude-code")
    place.switch("project", ALL)
    engine = place.engine()
    event = engine.event(
        "Stop",
        {"hook_event_name": "Stop", "session_id": "s", "cwd": str(place.root)},
        dialect="claude-code",
    )

    assert heard(engine, event, engine.fire(event)).for_user == ()
    assert place.fire(engine).for_user != ()


def test_without_state_a_process_tells_it_once(tmp_path: Path) -> None:
    """Where no sessions are kept."""
    place = Place(tmp_path, "claude-code")
    place.switch("project", ALL)
    engine = Engine.discover(
        place.root, environ=place.environ, gate=LazyGate(str(place.root), place.environ)
    )

    assert [any("HKL1604" in text for text in place.fire(engine).for_user) for _ in range(2)] == [
        True,
        False,
    ]
