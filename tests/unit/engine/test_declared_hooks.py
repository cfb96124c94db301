"""All hooks that were ever declared, also those that do not count."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hookline.engine.declared_hooks import DeclaredHooks, explain_absence, group_broken, list_hooks
from hookline.engine.engine import Engine

if TYPE_CHECKING:
    from pathlib import Path


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
    """The same value until files are read anew; Python hooks are not in it."""
    engine = engine_of(tmp_path)
    engine.on("stop")(lambda _: None)
    declared = DeclaredHooks(engine)
    found = declared.list_hooks()

    assert {spec.origin.scope for spec in found} == {"user", "project"}
    assert declared.list_hooks() is found
    engine.reload()
    assert declared.list_hooks() == found


def test_what_was_looked_for_is_known(tmp_path: Path) -> None:
    """All dialects by a discovery; none where files were named, or were left to their host."""
    engine = engine_of(tmp_path)
    assert DeclaredHooks(engine).is_searched("claude-code", "project")
    engine.loader.drop_dialect("claude-code")

    assert not DeclaredHooks(engine).is_searched("claude-code", "project")
    assert not DeclaredHooks(Engine(environ={})).is_searched("claude-code", "user")


def test_broken_hooks_of_one_fault_stand_together(tmp_path: Path) -> None:
    """A file that cannot be read is broken on each event, and told once."""
    (tmp_path / "bad.json").write_text("{")
    engine = Engine.load(tmp_path / "bad.json", dialect="claude-code")
    specs = list(list_hooks(engine.snapshot))

    assert [len(each) for each in group_broken(specs).values()] == [len(specs)]
    assert all(explain_absence(engine.snapshot, spec) == "" for spec in specs)
