"""A lock file has the digest of every file, and a check finds each difference."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline.errors import ConfigError
from hookline.packs.lock import check_pack, digest_files, list_names, list_packs, read_pack

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.packs.support import World


def find_root(world: World) -> Path:
    """Return the folder of the installed version."""
    return (world.home / ".local/share/hookline/packs/my-pack").resolve()


def test_there_is_no_pack_at_first(world: World) -> None:
    """Also where hookline's data folder is not there."""
    assert (list_names(world.environ), list_packs(world.environ)) == ([], [])


def test_a_lock_file_has_every_file(world: World) -> None:
    """Itself excepted; what was installed is intact."""
    world.add()
    (pack,) = list_packs(world.environ)

    assert (pack.name, pack.source, pack.folder) == ("my-pack", str(world.pack), "files")
    assert list(pack.files) == ["files/guard.sh", "files/hookline.yaml", "hookline.yaml"]
    assert pack.files == digest_files(pack.root)
    assert check_pack("my-pack", world.environ) == []


def change(root: Path) -> None:
    (root / "files/guard.sh").write_text("exit 0\n")


def remove(root: Path) -> None:
    (root / "files/guard.sh").unlink()


def plant(root: Path) -> None:
    (root / "files/json.py").write_text("")


def relink(root: Path) -> None:
    (root / "files/guard.sh").unlink()
    (root / "files/guard.sh").symlink_to("/bin/true")


def block(root: Path) -> None:
    (root / "files/guard.sh").unlink()
    os.mkfifo(root / "files/guard.sh")


def edit_lock(root: Path) -> None:
    text = (root / "pack.lock").read_text()
    (root / "pack.lock").write_text(text.replace('"my-pack"', '"other"'))


def remove_lock(root: Path) -> None:
    (root / "pack.lock").unlink()


@pytest.mark.parametrize(
    ("damage", "place", "why", "remedy"),
    [
        (change, "files/guard.sh", "`files/guard.sh` changed", "hookline update my-pack"),
        (remove, "files/guard.sh", "`files/guard.sh` is gone", "hookline update my-pack"),
        (plant, "files/json.py", "`files/json.py` is no file of it", "hookline update my-pack"),
        (relink, "files/guard.sh", "`files/guard.sh` changed", "hookline update my-pack"),
        (block, "files/guard.sh", "`files/guard.sh` changed", "hookline update my-pack"),
        (edit_lock, "pack.lock", "its lock file changed", "hookline remove my-pack"),
        (remove_lock, "pack.lock", "its lock file is gone", "hookline remove my-pack"),
    ],
)
def test_each_difference_has_a_place_and_a_remedy(
    world: World, damage, place: str, why: str, remedy: str
) -> None:
    """A file that changed, went, came, or became something else; and the lock file itself."""
    world.add()
    root = find_root(world)
    damage(root)
    (problem,) = check_pack("my-pack", world.environ)

    assert (problem.code, problem.origin.file) == ("HKL8003", str(root / place))
    assert problem.message == f"the pack `my-pack` is not as it was installed: {why}"
    assert remedy in problem.hint


def test_a_check_names_three_files_at_most(world: World) -> None:
    """However many differ."""
    world.add()
    for number in range(9):
        (find_root(world) / f"{number}.py").write_text("")

    assert len(check_pack("my-pack", world.environ)) == 3


def test_a_link_to_nothing_is_a_difference(world: World) -> None:
    """As that of an environment to an interpreter that was removed."""
    world.add()
    pack = read_pack("my-pack", world.environ)
    (find_root(world) / "venv").symlink_to("/no/such/place")
    assert digest_files(pack.root)["venv"] == "-> /no/such/place"


def test_a_pack_that_is_gone_is_an_error(world: World) -> None:
    """With its place."""
    with pytest.raises(ConfigError, match="its lock file is gone"):
        read_pack("my-pack", world.environ)
