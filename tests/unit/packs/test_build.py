"""A version is built from what is a pack, and nothing stays of what is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.errors import ConfigError
from hookline.packs.build import build_pack
from hookline.packs.lock import digest_files, read_pack
from hookline.packs.plan import plan_add, plan_update
from tests.unit.packs.support import HOOKS

if TYPE_CHECKING:
    from tests.unit.packs.support import World


def test_a_version_is_what_is_in_the_folder(world: World) -> None:
    """Without what tools leave there; each build has a folder of its own."""
    for name in (".git/config", "__pycache__/x.pyc", "lib/__pycache__/x.pyc", "lib/x.py"):
        (world.pack / name).parent.mkdir(parents=True, exist_ok=True)
        (world.pack / name).write_text("")
    first, hooks = build_pack("my-pack", str(world.pack), world.environ)
    (world.pack / "__pycache__/y.pyc").write_text("")
    second, _ = build_pack("my-pack", str(world.pack), world.environ)

    assert [path for path in first.files if path.startswith("files/")] == [
        "files/guard.sh", "files/hookline.yaml", "files/lib/x.py",
    ]  # fmt: skip
    assert ([spec.name for spec in hooks], first.version) == (["guard"], second.version)
    assert first.root.removesuffix("1") == second.root.removesuffix("2")


def test_an_intact_version_is_not_built_again(world: World) -> None:
    """A damaged one is, from its source."""
    world.add()
    before = read_pack("my-pack", world.environ)
    assert build_pack("my-pack", before.source, world.environ, before) == (before, ())
    with open(f"{before.root}/files/guard.sh", "a", encoding="utf-8") as file:
        file.write("# edited\n")
    after, _ = build_pack("my-pack", before.source, world.environ, before)

    assert after.files["files/guard.sh"] == before.files["files/guard.sh"]
    assert after.files != digest_files(before.root)


def test_a_wrong_folder_is_refused(world: World) -> None:
    """Without hooks, with a link, too large, with a wrong name; nothing stays behind."""
    (world.folder / "empty").mkdir()
    (world.folder / "9").mkdir()
    (world.folder / "9/hookline.yaml").write_text(HOOKS)
    for name, why in (("empty", "no hookline.yaml"), ("9", "no name"), ("nowhere", "no hookline")):
        with pytest.raises(ConfigError, match=why):
            plan_add(str(world.folder / name), world.environ)
    (world.pack / "link").symlink_to("/etc/passwd")
    with pytest.raises(ConfigError, match="HKL8001 a link, or no plain file"):
        plan_add(str(world.pack), world.environ)
    (world.pack / "link").unlink()
    with (world.pack / "data").open("wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(ConfigError, match="HKL8001 more than"):
        plan_add(str(world.pack), world.environ)

    assert world.versions == []


def test_a_mode_is_a_difference(world: World) -> None:
    """A program that can be started now is a new version."""
    (world.pack / "guard.sh").chmod(0o644)
    world.add()
    (world.pack / "guard.sh").chmod(0o755)

    assert plan_update("my-pack", world.environ).has_new_version
