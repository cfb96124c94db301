"""A `hookline.yaml` links to files of other formats."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hookline.engine.engine import Engine
from hookline.engine.reload import is_stale, reload_loader

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}


def settings(command: str) -> str:
    """Settings of Claude Code with a guard."""
    return json.dumps(
        {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}
    )


class World:
    """A home and a project."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        (self.home / ".config/hookline").mkdir(parents=True)
        self.project.mkdir()

    def link(self, sources: str, *, project: bool = False) -> Path:
        """Write a file that links to these sources."""
        own = self.home / ".config/hookline/hookline.yaml"
        file = self.project / ".hookline.yaml" if project else own
        file.write_text(f"version: 1\nsources: {sources}\n")
        return file

    def engine(self, **settings: Any) -> Engine:
        return Engine.discover(self.project, environ={"HOME": str(self.home)}, **settings)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """As above."""
    return World(tmp_path)


@pytest.mark.process
def test_linked_hooks_run(world: World) -> None:
    """A path is relative to the file, or below the home."""
    (world.home / ".config/hookline/guards.json").write_text(settings("echo one >&2; exit 2"))
    (world.home / "more.json").write_text(settings("true"))
    world.link("[{path: guards.json, dialect: claude-code}, {path: ~/more.json, dialect: codex}]")
    with world.engine() as engine:
        decision = engine.fire("PreToolUse", CALL, dialect="claude-code")

    assert (decision.reason, engine.problems) == ("one", ())
    assert [spec.dialect for spec in engine.hooks] == ["claude-code", "codex"]
    assert {spec.origin.scope for spec in engine.hooks} == {"user"}


def test_a_file_that_is_found_anyway_counts_once(world: World) -> None:
    """As the link says: strict."""
    (world.home / ".claude").mkdir()
    (world.home / ".claude/settings.json").write_text(settings("true"))
    world.link("[{path: ~/.claude/settings.json, mode: strict}]")

    (source,) = [
        each.source
        for each in world.engine().snapshot.sources
        if each.dialect.table.name == "claude-code"
    ]
    assert (source.mode, source.scope) == ("strict", "user")


def test_a_missing_file_is_a_failed_guard(world: World) -> None:
    """With its place; the other hooks stay."""
    world.link("[{path: nowhere.json, dialect: claude-code}]")
    engine = world.engine()

    assert any("nowhere.json" in str(problem) for problem in engine.problems)
    assert engine.fire("PreToolUse", CALL, dialect="claude-code").stance.word == "ask"


@pytest.mark.parametrize(
    ("sources", "code"),
    [
        ("7", "HKL1401"),
        ("[7]", "HKL1401"),
        ("[{dialect: codex}]", "HKL1102"),
        ("[{path: a, mod: strict}]", "HKL1101"),
        ("[{path: a, dialect: codex, mode: lax}]", "HKL1403"),
    ],
)
def test_a_link_that_is_written_wrongly_is_an_error(world: World, sources: str, code: str) -> None:
    """With its place in the file."""
    file = world.link(sources)
    codes = {(each.code, each.origin.file) for each in world.engine().problems}

    assert (code, str(file)) in codes


def test_a_project_neither_trusts_nor_leaves_itself(world: World) -> None:
    """Its links count as its own hooks, and lead nowhere else."""
    (world.home / "guards.json").write_text(settings("true"))
    (world.project / "inner.json").write_text(settings("true"))
    file = world.link(
        f"[{{path: {world.home}/guards.json, dialect: codex}},"
        " {path: inner.json, dialect: codex, trust: all}]",
        project=True,
    )
    engine = world.engine()
    problems = {(each.code, each.origin.file) for each in engine.problems}

    assert ("HKL1103", str(file)) in problems
    assert ("HKL1003", f"{world.home}/guards.json") in problems
    assert not any(spec.trusted for spec in engine.hooks)
    assert {spec.origin.scope for spec in engine.hooks} == {"project"}


def test_a_changed_link_is_read_again(world: World) -> None:
    """A watcher sees the file; an engine that is up to date is not stale."""
    guards = world.home / ".config/hookline/guards.json"
    guards.write_text(settings("true"))
    world.link("[{path: guards.json, dialect: codex}]")
    engine = world.engine()

    assert not is_stale(engine.loader)
    guards.write_text(settings("false # changed"))
    assert is_stale(engine.loader)
    reload_loader(engine.loader)
    assert not is_stale(engine.loader)
    assert [spec.handler.script for spec in engine.hooks] == [  # type: ignore[union-attr]
        "false # changed"
    ]


def test_what_a_host_runs_itself_does_not_come_back(world: World) -> None:
    """A link to a file of the host, after a reload: the host runs its hooks, and nothing else."""
    (world.home / ".claude").mkdir()
    (world.home / ".claude/settings.json").write_text(settings("true"))
    world.link("[{path: ~/.claude/settings.json, mode: strict}]")
    engine = world.engine()
    assert len(engine.hooks) == 1
    engine.loader.drop_dialect("claude-code")
    assert not engine.hooks
    (world.home / ".claude/settings.json").write_text(settings("true # changed"))
    reload_loader(engine.loader)
    assert not engine.hooks
