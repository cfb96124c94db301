"""A snapshot: the registry of all sources, under ids that name one hook each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hookline.core.dialect import Loaded, Source
from hookline.dialects.native import Native
from hookline.engine.engine import Engine
from hookline.engine.loader import (
    Snapshot,
    explain_absence,
    list_hooks,
)
from hookline.engine.sources import Given, LoadedSource
from hookline.model.spec import Problem
from hookline.wire.hook_ids import number_equal
from tests.plays.play import STAGE, Stage, hook

if TYPE_CHECKING:
    from pathlib import Path

OTHER = Stage(name="other")


class Combining(Stage):
    """A stage whose sources, taken together, have one hook and one problem."""

    def combine(self, specs):
        return Loaded(
            specs=specs[-1:],
            problems=(Problem(name="hook.override", message=f"{len(specs)} hooks"),),
        )


def loaded(*specs: Any, stage: Stage = STAGE) -> LoadedSource:
    """A source of a stage with these hooks."""
    way = Given(source=Source(), dialect=stage)
    return LoadedSource(
        source=way.source, dialect=stage, loaded=Loaded(specs=tuple(specs)), way=way
    )


def ids(snapshot: Snapshot) -> list[str]:
    """The ids of the hooks that take part."""
    return [entry.spec.id for entry in snapshot.registry.entries()]


def test_ids_are_made_unique_in_the_order_of_adding() -> None:
    """The first keeps its id."""
    taken: set[str] = set()

    assert [spec.id for spec in number_equal([hook("a"), hook("b")], taken)] == ["a", "b"]
    assert [spec.id for spec in number_equal([hook("a"), hook("a")], taken)] == ["a~2", "a~3"]


def test_each_dialect_is_listed_once() -> None:
    """In the order of its first source."""
    snapshot = Snapshot(sources=tuple(loaded(stage=stage) for stage in (STAGE, OTHER, STAGE)))

    assert snapshot.dialects() == (STAGE, OTHER)


def test_a_dialect_combines_its_sources_by_its_own_rules() -> None:
    """All of them at once, in the order in which they were added.

    What it finds is a problem of the whole.
    """
    stage = Combining()
    sources = tuple(loaded(hook(name), stage=stage) for name in "ab")
    snapshot = Snapshot(sources=sources).index(None, strict=False)

    assert ids(snapshot) == ["b"]
    assert [problem.message for problem in snapshot.problems()] == ["2 hooks"]


def test_in_process_hooks_come_last() -> None:
    """They are of hookline's own dialect."""
    snapshot = Snapshot(own=(hook("own"),), sources=(loaded(hook("a")),))
    entries = snapshot.index(Native(), strict=False).registry.entries()

    assert [(entry.spec.id, entry.dialect.table.name) for entry in entries] == [
        ("a", "stage"),
        ("own", "hookline"),
    ]


def test_what_is_unwanted_stays_in_the_whole_only() -> None:
    """A search over all hooks still finds it."""
    unwanted = (lambda spec: spec.id == "a",)
    snapshot = Snapshot(sources=(loaded(hook("a"), hook("b")),), unwanted=unwanted)
    snapshot = snapshot.index(None, strict=False)

    assert ids(snapshot) == ["b"]
    assert [entry.spec.id for entry in snapshot.whole.entries()] == ["a", "b"]


def test_a_snapshot_does_not_change() -> None:
    """An event goes on with the one that it began with."""
    snapshot = Snapshot(sources=(loaded(hook("a")),)).index(None, strict=False)

    with pytest.raises(AttributeError):
        snapshot.strict = True  # type: ignore[misc]  # that is what must not work
    assert ids(snapshot.with_own(hook("b"), STAGE)) == ["a", "b"]
    assert ids(snapshot) == ["a"]


# -- declared hooks --


def engine_of(folder: Path) -> Engine:
    """Return an engine with a hook of the user and one of the project."""
    environ = {"HOME": str(folder / "home")}
    for where in ("home", "project"):
        (folder / where / ".claude").mkdir(parents=True)
        hook = {"type": "command", "command": f"true {where}"}
        (folder / where / ".claude/settings.json").write_text(
            json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}})
        )
    return Engine.discover(folder / "project", environ=environ)


def test_declared_are_the_hooks_of_user_and_project(tmp_path: Path) -> None:
    """The same value until files are read again; Python hooks are not in it."""
    engine = engine_of(tmp_path)
    engine.on("stop")(lambda _: None)
    declared = engine.loader
    found = declared.list_hooks()

    assert {spec.origin.scope for spec in found} == {"user", "project"}
    assert declared.list_hooks() is found
    engine.reload()
    assert declared.list_hooks() == found


def test_what_was_looked_for_is_known(tmp_path: Path) -> None:
    """A discovery looks for all dialects; named files, and files left to a host, for none."""
    engine = engine_of(tmp_path)
    assert engine.loader.is_searched("claude-code", "project")
    engine.loader.drop_dialect("claude-code")

    assert not engine.loader.is_searched("claude-code", "project")
    assert not Engine(environ={}).loader.is_searched("claude-code", "user")


def test_broken_hooks_are_in_the_registry(tmp_path: Path) -> None:
    """A file that cannot be read is a broken hook of each event."""
    (tmp_path / "bad.json").write_text("{")
    engine = Engine.load(tmp_path / "bad.json", dialect="claude-code")
    specs = list(list_hooks(engine.snapshot))

    assert all(explain_absence(engine.snapshot, spec) == "" for spec in specs)
