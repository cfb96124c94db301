"""Who besides root can change what policy runs?"""

from __future__ import annotations

import os
import shutil

import pytest

from hookline.model.sight import Covered, Sight
from hookline.trust.policed import of_others

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of root's")
NOBODY = 65534


def seen(path: object, role: str = "script", **fields: object) -> Sight:
    """What a hook runs: one file."""
    return Sight(
        files=(Covered(role=role, path=str(path), real=os.path.realpath(str(path)), **fields),)
    )  # type: ignore[arg-type]  # - by name


def test_what_the_system_brought_is_roots() -> None:
    """And a hook without files runs nothing that anybody could change."""
    path = shutil.which("env") or ""

    assert (of_others(seen(path, "program")), of_others(Sight())) == ("", "")


@pytest.mark.parametrize(
    ("mode", "folder", "told"),
    [
        (0o755, 0o755, ""),
        (0o755, 0o1777, ""),
        (0o755, 0o777, "everybody may put files into `{folder}`"),
        (0o755, 0o775, ""),
    ],
)
@AS_ROOT
def test_a_folder_lets_others_in_by_its_mode(
    tmp_path: Path, mode: int, folder: int, told: str
) -> None:
    """In a sticky one each has only its own files; root's own group is root."""
    path = tmp_path / "a/b/policy.sh"
    path.parent.mkdir(parents=True)
    path.write_text("", encoding="utf-8")
    path.chmod(mode)
    (tmp_path / "a").chmod(folder)

    assert of_others(seen(path)) == told.format(folder=tmp_path / "a")


@pytest.mark.parametrize("place", ["a/b/policy.sh", "a/b", "a"])
@AS_ROOT
def test_an_owner_that_is_not_root_can_change_it(tmp_path: Path, place: str) -> None:
    """Of the file, or of any folder above it."""
    path = tmp_path / "a/b/policy.sh"
    path.parent.mkdir(parents=True)
    path.write_text("", encoding="utf-8")
    os.chown(tmp_path / place, NOBODY, NOBODY)
    more = "" if place.endswith(".sh") else ", so another file may be put there"

    assert of_others(seen(path)) == f"`{tmp_path / place}` is not root's{more}"


@AS_ROOT
def test_a_link_is_followed_from_where_it_lies(tmp_path: Path) -> None:
    """Both ways count: whoever can turn the link can change what is run."""
    (tmp_path / "open").mkdir()
    (tmp_path / "safe").mkdir()
    (tmp_path / "safe/policy.sh").write_text("", encoding="utf-8")
    (tmp_path / "open/link.sh").symlink_to("../safe/policy.sh")
    closed = of_others(seen(tmp_path / "open/link.sh"))
    (tmp_path / "open").chmod(0o777)

    assert (closed, of_others(seen(tmp_path / "open/link.sh"))) == (
        "",
        f"everybody may put files into `{tmp_path}/open`",
    )


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"role": "script", "exposed": "everybody may write it"}, "everybody may write it"),
        ({"role": "interpreter", "exposed": "everybody may write it"}, "everybody may write it"),
        ({"role": "named", "exposed": "everybody may write it"}, ""),
        ({"role": "interpreter"}, ""),
        ({"role": "program", "chosen": True}, ""),
    ],
    ids=str,
)
def test_what_policy_left_to_the_user_is_the_users(
    tmp_path: Path, fields: dict[str, object], told: str
) -> None:
    """Which Python a bare name means, and what is only named; what everybody may write is never run."""
    path = tmp_path / "x"
    path.write_text("", encoding="utf-8")
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)

    assert of_others(seen(path, **fields)) == told  # type: ignore[arg-type]  # - by name


def test_what_is_not_there_is_told_by_others(tmp_path: Path) -> None:
    """A policy whose script is missing fails by its own rule."""
    path = tmp_path / "none/policy.sh"
    told = of_others(seen(path))

    assert told == (
        "" if os.geteuid() == 0 else f"`{tmp_path}` is not root's, so another file may be put there"
    )
