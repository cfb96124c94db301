"""Packages are downloaded and installed as wheels, and none of their code runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline.errors import ConfigError
from hookline.packs import wheels
from hookline.packs.wheels import download_wheels, read_offer, read_package_name

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.packs.support import World


@pytest.mark.parametrize(
    ("requirement", "name"),
    [("My_Guards", "my-guards"), ("my.guards==1.2.0", "my-guards"), ("a==1!2.0+x.1", "a")],
)
def test_a_package_has_a_name(requirement: str, name: str) -> None:
    """As an index compares it."""
    assert read_package_name(requirement) == name


@pytest.mark.parametrize(
    "requirement",
    ["", "--index-url=x", "a @ https://x/a.tar.gz", "a>1", "../a", "a b", "a; x", "git+https://x"],
)
def test_an_address_is_no_package(requirement: str) -> None:
    """It could lead to a source, which pip would build."""
    with pytest.raises(ConfigError, match="is no package"):
        read_package_name(requirement)


ENTRIES = [
    ("", {"mine/hookline.yaml": ""}),
    ("[hookline.packs]\na = mine\n", {"mine/other.yaml": ""}),
    ("[hookline.packs]\na = mine\nb = mine\n", {"mine/hookline.yaml": ""}),
    ("[console_scripts]\na = mine\n", {"mine/hookline.yaml": ""}),
]


@pytest.mark.parametrize(("entry", "files"), ENTRIES)
def test_a_package_offers_one_pack(world: World, entry: str, files: dict[str, str]) -> None:
    """By one entry point, whose folder has hooks."""
    path = world.wheel("mine", "1.0", files, entry=entry, requires="")
    with pytest.raises(ConfigError, match="offers no pack"):
        read_offer("mine", [str(path)])


def test_the_offer_is_read_from_the_metadata(world: World) -> None:
    """A dotted name is a folder in a package."""
    path = world.wheel(
        "mine", "1.0", {"mine/packs/hookline.yaml": ""},
        entry="[hookline.packs]\nx = mine.packs\n", requires="",
    )  # fmt: skip

    assert read_offer("mine", [str(path)]) == wheels.Offer(version="1.0", folder="mine/packs")


@pytest.mark.process
def test_a_package_without_a_wheel_is_not_built(world: World, tmp_path: Path) -> None:
    """Neither as a pack, nor where a wheel needs it by its address."""
    source = world.source("evil")
    world.offer(requires=f"evil @ {source.as_uri()}")
    os.link(source, world.index / source.name)
    for name in ("evil", "my-guards"):
        folder = tmp_path / f"to-{name}"
        folder.mkdir()
        with pytest.raises(ConfigError, match=f"HKL8002|pip cannot get {name}") as caught:
            download_wheels(name, str(folder), world.environ)
        assert caught.value.name == "pack.failed"

    assert not world.has_run()


def test_a_python_without_pip_has_the_one_that_it_came_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in an environment that uv made."""
    real = wheels.find_spec
    monkeypatch.setattr(wheels, "find_spec", lambda name: None if name == "pip" else real(name))

    assert os.path.basename(wheels._find_pip()).startswith("pip-")


def test_without_any_pip_there_is_a_command_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a remedy."""
    monkeypatch.setattr(wheels, "find_spec", lambda _name: None)
    with pytest.raises(ConfigError, match="there is no pip") as caught:
        wheels._find_pip()

    assert "install pip" in caught.value.hint
