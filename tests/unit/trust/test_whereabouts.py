"""Where may a clone have brought what lies there?"""

from __future__ import annotations

import pytest

from hookline.trust.whereabouts import (
    is_below,
    is_kept_with,
    places,
    projects_of,
    repository,
    upwards,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a clone, settings, and a link to the clone."""
    for folder in (
        "home/code/clone/.git",
        "home/code/clone/sub",
        "home/.claude/hooks",
        "home/code/plain",
    ):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "home/link").symlink_to(tmp_path / "home/code/clone")
    return (tmp_path / "home").resolve()


@pytest.mark.parametrize(
    ("folder", "found"),
    [
        ("code/clone", ["code/clone"]),
        ("code/clone/sub", ["code/clone", "code/clone/sub"]),
        ("link/sub", ["code/clone", "code/clone/sub", "link", "link/sub"]),
        ("code/plain", ["code/plain"]),
        (".", []),
        ("..", []),
        ("", []),
    ],
)
def test_a_project_is_a_folder_and_the_repository_around_it(
    folder: str, found: list[str], home: Path
) -> None:
    """As it is named and without links; never the home, or what that lies in."""
    named = str(home / folder) if folder else ""

    assert sorted(projects_of((named,), {"HOME": str(home)})) == [
        str(home / each) for each in found
    ]


def test_a_home_that_is_a_repository_is_no_project(home: Path) -> None:
    """Many keep their settings so."""
    (home / ".git").mkdir()

    assert list(projects_of((str(home / "code/plain"),), {"HOME": str(home)})) == [
        str(home / "code/plain")
    ]


@pytest.mark.parametrize(
    ("declared", "root", "kept"),
    [
        (".claude/settings.json", ".claude", True),
        (".claude/settings.json", ".claude/hooks", True),
        (".claude/settings.json", "code/plain", False),
        ("settings.json", "code/plain", False),
        ("code/clone/dotfiles/settings.json", "code/clone", True),
        ("code/clone/dotfiles/settings.json", "code/clone/sub", False),
        ("", "code/clone", False),
    ],
)
def test_what_lies_beside_a_users_file_is_the_users(
    declared: str, root: str, *, kept: bool, home: Path
) -> None:
    """An agent that works in the user's own settings changes nothing of that."""
    assert (
        is_kept_with(
            str(home / declared) if declared else "", str(home / root), {"HOME": str(home)}
        )
        is kept
    )


def test_a_clone_beside_a_users_file_is_a_clone(home: Path) -> None:
    """Worktrees lie there, and plugins."""
    (home / ".claude/worktrees/clone/.git").mkdir(parents=True)

    assert not is_kept_with(
        str(home / ".claude/settings.json"),
        str(home / ".claude/worktrees/clone"),
        {"HOME": str(home)},
    )


def test_a_file_lies_where_it_is_named_where_its_link_is_and_where_that_leads(home: Path) -> None:
    """Each of these may be a clone's."""
    (home / "code/clone/sub/check.sh").symlink_to(home / "code/clone/evil.sh")
    path = f"{home}/link/./sub/check.sh"

    assert places(path, "/real") == (
        f"{home}/link/sub/check.sh",
        f"{home}/code/clone/sub/check.sh",
        "/real",
    )


def test_a_folder_is_below_itself_and_below_what_it_lies_in(home: Path) -> None:
    """A name that begins alike is another one."""
    assert [is_below("/a/b", each) for each in ("/a/b", "/a", "/", "/a/bc", "/a/b/c")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert list(upwards("/a/b")) == ["/a/b", "/a", "/"]
    assert repository(str(home / "code/clone/sub")) == str(home / "code/clone")
