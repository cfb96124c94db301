"""What of a hook is another than when it was approved, and what of that is only told?"""

from __future__ import annotations

import pytest

from hookline.model.sight import Covered, Sight
from hookline.trust.comparison import Comparison, named_by
from hookline.trust.fingerprint import fingerprint

SCRIPT = Covered(role="script", path="/h/g.py", real="/h/g.py", digest="d")
PYTHON = Covered(role="interpreter", path="/usr/bin/python3", real="/usr/bin/python3.12")
VENV = Covered(
    role="interpreter", path="/p/.venv/bin/python3", real="/u/python3.13", digest="v", chosen=True
)
NEWER = Covered(role="interpreter", path="/usr/local/bin/python3", real="/usr/local/bin/python3.13")
NAMED = Covered(role="named", path="/p/x.sh", real="/p/x.sh", digest="n")
LISTED = Covered(role="listed", path="/p/l.sh", real="/p/l.sh", digest="l")
OLD = (SCRIPT, PYTHON, NAMED, LISTED)
ANOTHER = "is not the one with which it was approved"


def compared(*files: Covered) -> Comparison:
    """Files beside those that were approved."""
    approved, now = fingerprint("i", Sight(files=OLD)), Sight(files=files)
    return Comparison({approved.places: approved.content}, fingerprint("i", now), now)


@pytest.mark.parametrize(
    ("files", "clones", "users", "note"),
    [
        (OLD, "", "", ""),
        (
            (SCRIPT.replace(digest="e"), *OLD[1:]),
            "`/h/g.py` changed since it was approved",
            "`/h/g.py` changed since it was approved",
            None,
        ),
        ((SCRIPT, VENV, NAMED, LISTED), "", "", f"its interpreter `{VENV.path}` {ANOTHER}"),
        ((SCRIPT, NEWER, NAMED, LISTED), "", "", ""),
        (
            (SCRIPT, PYTHON, NAMED.replace(digest="e"), LISTED),
            "",
            "",
            "`/p/x.sh`, which it names, changed since it was approved",
        ),
        (
            (SCRIPT, PYTHON, NAMED, LISTED.replace(digest="e")),
            "`/p/l.sh` changed since it was approved",
            "",
            "`/p/l.sh`, which it names, changed since it was approved",
        ),
        (
            (*OLD, NAMED.replace(real="/p/sub/x.sh")),
            "",
            "",
            "it names `/p/sub/x.sh`, which nobody approved",
        ),
        ((SCRIPT, PYTHON, LISTED), "", "", ""),
        ((SCRIPT, PYTHON, NAMED), "a file that it lists is gone since it was approved", "", ""),
    ],
    ids=[
        "the same",
        "its script",
        "the user's interpreter",
        "the system's",
        "what it names",
        "what it lists",
        "a new name",
        "a name less",
        "a file less that it lists",
    ],
)
def test_what_is_another_is_a_change_of_a_clones_hook_and_a_word_about_a_users(
    files: tuple[Covered, ...], clones: str, users: str, note: str | None
) -> None:
    """What is run for certain is a change of both; what is only named, and which interpreter somebody has, is one of neither."""
    found = compared(*files)

    assert (found.changed("project", cloned=True), found.changed("user", cloned=False)) == (
        clones,
        users,
    )
    if note is not None:
        assert found.note(files, cloned=False) == note


def test_an_interpreter_that_a_clone_brought_is_a_change_of_whoever_runs_it() -> None:
    """But what the user's own path leads to is none."""
    for cloned in (True, False):
        assert compared(SCRIPT, VENV.replace(chosen=False), NAMED, LISTED).changed(
            "project", cloned=cloned
        )
    assert not compared(SCRIPT, VENV, NAMED, LISTED).changed("project", cloned=False)


def test_what_nobody_brought_is_not_told() -> None:
    """What is new in the user's own folders is the user's."""
    assert compared(*OLD, NAMED.replace(real="/h/new.sh")).note((), cloned=False) == ""
    assert named_by(()) == ""
