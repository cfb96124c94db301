"""How much a project's file of hooks may ask of hookline."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hookline.engine.engine import Engine
from hookline.engine.sources import MOST_HOOKS, is_within

if TYPE_CHECKING:
    from pathlib import Path


def _engine(project: Path) -> Engine:
    return Engine.discover(project, environ={"HOME": str(project / "none")})


def _write(project: Path, name: str, text: str) -> None:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def test_hooks_beyond_the_limit_are_a_problem_with_a_place(tmp_path: Path) -> None:
    """Those before are loaded."""
    hooks = [{"type": "command", "command": f"./{at}.sh"} for at in range(MOST_HOOKS + 2)]
    tree = {"hooks": {"Stop": [{"hooks": hooks}]}}
    _write(tmp_path, ".claude/settings.json", json.dumps(tree, indent=1))
    engine = _engine(tmp_path)

    assert len(engine.hooks) == MOST_HOOKS
    (problem,) = (each for each in engine.problems if each.name == "config.too-large")
    assert problem.origin.file == str(tmp_path / ".claude/settings.json")
    assert problem.origin.line > MOST_HOOKS


def test_a_key_of_many_parts_is_a_problem_with_a_place(tmp_path: Path) -> None:
    """The file is not parsed."""
    _write(tmp_path, ".codex/config.toml", f"a = 1\nhooks{'.a' * 20_000} = 1\n")
    engine = _engine(tmp_path)

    (problem,) = engine.problems
    assert (problem.name, problem.origin.line) == ("config.too-large", 2)


def test_a_file_out_of_the_repository_is_not_opened(tmp_path: Path) -> None:
    """A link within it may be followed."""
    project, outside = tmp_path / "shop", tmp_path / "outside.json"
    outside.write_text('{"hooks": {}}', "utf-8")
    _write(project, "inside.json", '{"hooks": {}}')
    link = project / ".claude/settings.json"
    link.parent.mkdir()
    link.symlink_to(outside)

    assert not is_within(str(link), str(project))
    assert [problem.message for problem in _engine(project).problems] == [
        "leads out of the repository"
    ]
    link.unlink()
    link.symlink_to("../inside.json")
    assert is_within(str(link), str(project))
    assert _engine(project).problems == ()


def test_files_beyond_the_limit_are_a_problem(tmp_path: Path) -> None:
    """Of a folder of which a pattern takes all."""
    for at in range(70):
        _write(tmp_path, f".github/hooks/{at:02}.json", '{"version": 1, "hooks": {}}')

    (problem,) = (each for each in _engine(tmp_path).problems if "files of hooks" in each.message)
    assert "`64.json`" in problem.message
