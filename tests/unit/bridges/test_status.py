"""The status of a host comes from its files, its sessions and the journal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from hookline.bridges.entry import Call
from hookline.bridges.hosts import HOSTS
from hookline.bridges.install import apply_plan, find_installation_time, plan_install
from hookline.bridges.status import find_long_hooks, find_status, list_statuses
from hookline.engine.engine import Engine
from hookline.journal.journal import Journal
from hookline.journal.log_files import LogFiles
from hookline.journal.search import Query, Search
from tests.unit.bridges.test_codex_trust import SERVER, make_codex

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.bridges.status import HostStatus

CALL = Call(words=("/opt/python", "-I", "-m", "hookline"))
CLAUDE = HOSTS["claude-code"]
PAYLOAD = {"session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "ls"}}
DENY = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}


class World:
    """A home, a project in it, and a journal."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {"HOME": str(folder), "PATH": "/usr/bin:/bin"}
        (folder / ".claude/projects/p").mkdir(parents=True)
        (folder / "project").mkdir()

    def install(self, project: str = "", call: Call = CALL) -> float:
        apply_plan(plan_install(CLAUDE, call, self.environ, project), self.environ)
        return find_installation_time(CLAUDE, self.environ, project)

    def find(self, host: str = "claude-code", now: float = 0.0, **given: Any) -> HostStatus:
        project = str(self.folder / "project")
        given = {"search": None, "project": project, "versions": False, "now": now} | given
        return find_status(HOSTS[host], CALL, self.environ, **given)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """As above."""
    return World(tmp_path)


def test_scopes_are_those_with_entries(world: World) -> None:
    """Your home as a project has no file of its own."""
    assert world.find().scopes == ()
    world.install()
    assert world.find().scopes == ("user",)
    assert world.find(project=str(world.folder)).scopes == ("user",)
    world.install(str(world.folder / "project"))
    assert (world.find().scopes, world.find().problems) == (("user", "project"), ())


def test_hosts_on_this_machine_are_listed(world: World) -> None:
    """By program, folder or entries."""
    given = {"search": None, "project": "", "versions": False, "now": 0.0}
    found = list_statuses(world.environ, CALL, **given)

    assert [each.host.name for each in found] == ["claude-code"]


def test_other_entries_are_outdated(world: World) -> None:
    """With the command that writes them again."""
    world.install(call=CALL.replace(seconds=500))
    (problem,) = world.find().problems

    assert (problem.name, problem.hint) == ("install.outdated", "hookline install claude-code")


def test_a_broken_file_is_a_problem_with_its_place(world: World) -> None:
    """If it may hold entries of hookline; else it is not our business."""
    settings = world.folder / ".claude/settings.json"
    settings.write_text("{ hookline")
    (problem,) = world.find().problems

    assert problem.name == "install.unreadable"
    assert problem.origin.file.startswith(str(settings))
    settings.write_text("{")
    assert world.find().problems == ()


@pytest.mark.parametrize(
    ("later", "has_run", "names"),
    [(-10.0, False, []), (10.0, True, ["install.silent"])],
)
def test_a_host_that_ran_and_did_not_call_is_a_problem(
    world: World, later: float, has_run: bool, names: list[str]
) -> None:
    """It wrote a session after the installation."""
    at = world.install() + later
    session = world.folder / ".claude/projects/p/session.jsonl"
    session.write_text("{}")
    os.utime(session, (at, at))
    found = world.find()

    assert (found.has_run, [each.name for each in found.problems]) == (has_run, names)
    assert world.find("cursor").has_run is None


@pytest.mark.process
def test_a_setting_that_switches_hooks_off_is_a_problem(world: World) -> None:
    """The entries are there, and the host does not run them."""
    settings = world.folder / ".claude/settings.json"
    settings.write_text('{"disableAllHooks": true}')
    world.install()

    (problem,) = world.find().problems
    assert problem.name == "install.off"
    assert "disableAllHooks" in problem.message


@pytest.mark.process
def test_entries_without_trust_are_a_problem(world: World) -> None:
    """Codex skips them without a word; without codex nothing is known."""
    environ = make_codex(world.folder, SERVER)
    given = {"search": None, "project": str(world.folder), "now": 0.0}
    apply_plan(plan_install(HOSTS["codex"], CALL, environ), environ)
    found = find_status(HOSTS["codex"], CALL, environ, **given)

    assert [each.name for each in found.problems] == ["install.trust"]
    environ["PATH"] = ""
    assert find_status(HOSTS["codex"], CALL, environ, **given).problems == ()


def test_events_of_today_are_counted(world: World) -> None:
    """Of this host only; a host that called since is not silent."""
    journal = Journal(LogFiles(str(world.folder / "journal")))
    with Engine.from_config(DENY, dialect="claude-code", journal=journal) as engine:
        engine.answer("claude-code", PAYLOAD | {"hook_event_name": "PreToolUse"})
        engine.answer("claude-code", PAYLOAD | {"hook_event_name": "PostToolUse"})
        engine.answer("codex", PAYLOAD | {"hook_event_name": "PostToolUse"})
        journal.began, journal.guest = journal.clock() - 2, "opencode"
        engine.answer("claude-code", PAYLOAD | {"hook_event_name": "PreToolUse"})
    search = Search(str(world.folder / "journal"))
    last = search.events(Query())[-1]["at"]
    installed = world.install() - 3600
    record = next((world.folder / ".local/state/hookline/installed").glob("*.json"))
    os.utime(record, (installed, installed))
    session = world.folder / ".claude/projects/p/session.jsonl"
    session.write_text("{}")

    found = world.find(search=search, now=installed + 3600)
    assert (found.events, found.refusals, found.problems) == (2, 1, ())
    assert found.latency is None  # no process of its own answered
    assert found.to_dict()["last_event"] <= last
    later = world.find(search=search, now=installed + 3 * 86400)
    assert (later.events, later.latency, later.last) == (0, None, found.last)
    assert world.find("codex", search=search, now=installed + 3600).events == 1
    guest = world.find("opencode", search=search, now=installed + 3600)
    assert (guest.events, guest.refusals) == (1, 1)
    assert guest.latency is not None
    assert 2 <= guest.latency < 60
    assert world.find("pi", search=search, now=installed + 3600).last is None


@pytest.mark.parametrize(("host", "codes"), [("kimi", ["HKL1912"]), ("claude-code", [])])
def test_a_hook_with_a_longer_limit_than_the_host_is_named(host: str, codes: list[str]) -> None:
    """It would count as timed out; Claude Code has no maximum."""
    hooks = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 900}]}]}}
    specs = Engine.from_config(hooks, dialect="codex").hooks
    found = list(find_long_hooks(HOSTS[host], specs))

    assert [each.code for each in found] == codes
    assert all(each.hook == specs[0].id and "590 s" in each.hint for each in found)
