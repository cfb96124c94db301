"""Loading: frames, places and folders, as far as no vector can say it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hookline.config.hook_files import guess_dialect, list_files
from hookline.config.places import find_places
from hookline.core.dialect import Source
from hookline.dialects.copilot import Copilot

if TYPE_CHECKING:
    from pathlib import Path

DIALECT = Copilot()


@pytest.mark.parametrize(
    "tree", [None, [], "x", 3, {"hooks": []}, {"version": True, "hooks": {}}, {"version": "1"}]
)
def test_a_tree_that_is_no_file_of_hooks_is_reported(tree: Any) -> None:
    """One broken hook for each event that can refuse something."""
    loaded = DIALECT.load(Source(tree=tree, file="a.json"))

    assert [spec.native_event for spec in loaded.specs] == [
        "preToolUse",
        "permissionRequest",
        "subagentStop",
        "agentStop",
    ]
    assert any(problem.severity == "error" for problem in loaded.problems)


def write(path: Path) -> str:
    """An empty file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}", encoding="utf-8")
    return str(path)


def test_files_are_found_in_the_order_in_which_they_count(tmp_path: Path) -> None:
    """The user's, the project's, its local ones.

    `.claude/settings.json` stays that other dialect's.
    """
    home, project = tmp_path / "home", tmp_path / "project"
    local = write(project / ".github/copilot/settings.local.json")
    shared = write(project / ".github/copilot/settings.json")
    guards = [write(project / ".github/hooks" / name) for name in ("a.json", "b.json")]
    write(project / ".claude/settings.json")
    settings = write(home / ".copilot/settings.json")
    own = write(home / ".copilot/hooks/own.json")
    found = [
        (each.scope, each.path)
        for each in find_places(str(project), {"HOME": str(home)}, "copilot")
        if not each.path.startswith("/etc/")
    ]

    assert found == [
        ("user", own),
        ("user", settings),
        *(("project", path) for path in guards),
        ("project", shared),
        ("local", local),
    ]


def test_the_user_s_folder_can_be_moved(tmp_path: Path) -> None:
    """By `COPILOT_HOME`."""
    own = write(tmp_path / "elsewhere/hooks/own.json")
    environ = {"HOME": str(tmp_path / "home"), "COPILOT_HOME": str(tmp_path / "elsewhere")}

    assert own in [each.path for each in find_places(str(tmp_path / "project"), environ, "copilot")]


@pytest.mark.parametrize(
    "name",
    [
        ".github/hooks/anything.json",
        ".copilot/hooks/hooks.json",
        "etc/github-copilot/policy.d/10-guard.json",
        ".github/copilot/settings.json",
        ".github/copilot/settings.local.json",
        ".copilot/settings.json",
    ],
)
def test_a_file_is_known_by_its_folder(tmp_path: Path, name: str) -> None:
    """So that it need not be named with `--dialect`."""
    assert guess_dialect(write(tmp_path / name)) == "copilot"


def test_a_folder_is_known_by_the_end_of_its_path(tmp_path: Path) -> None:
    """A folder of that name alone, with JSON in it, is not."""
    first = write(tmp_path / ".github/hooks/a.json")
    hooks = write(tmp_path / ".github/hooks/hooks.json")
    write(tmp_path / "hooks/a.json")

    assert guess_dialect(str(tmp_path / ".github/hooks")) == "copilot"
    assert list_files(str(tmp_path / ".github/hooks"), "copilot") == [first, hooks]
    with pytest.raises(Exception, match="no hook files found"):
        guess_dialect(str(tmp_path / "hooks"))
