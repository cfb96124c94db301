"""Files of hosts that installers of other tools destroyed, by public reports: ours keeps them.

A row of `destroyed_files.json` has the report, what went wrong there, and a file of that kind.
`later`: what another program changes in the file between installation and uninstallation.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hookline.bridges.entry import Call, names_call
from hookline.bridges.hosts import HOSTS
from hookline.bridges.install import apply_plan, plan_install, plan_uninstall
from hookline.errors import ConfigError
from hookline.wire.json_reader import without_comments

ROWS = json.loads(Path(__file__).with_name("destroyed_files.json").read_text())
CALL = Call(words=("/new/python", "-I", "-m", "hookline"))


class Place:
    """A home with the file of a row; `environ` and `project` are what plans take."""

    def __init__(self, row: dict[str, Any], folder: Path) -> None:
        self.host = HOSTS[row["host"]]
        self.environ = {"HOME": str(folder / "home"), "XDG_STATE_HOME": str(folder / "state")}
        self.project = str(folder / "work") if row.get("scope") == "project" else ""
        self.before = "\n".join(row["text"]).encode()
        self.path = Path(self.project or self.environ["HOME"], row["file"])
        link = {"file": self.path, "folder": self.path.parent}.get(row.get("link", ""))
        self.link = link
        self.path.parent.parent.mkdir(parents=True)
        if link is None:
            self.path.parent.mkdir()
        else:
            dotfiles = folder / "dotfiles"
            dotfiles.mkdir()
            if link == self.path:
                self.path.parent.mkdir()
                link.symlink_to(dotfiles / self.path.name)
            else:
                link.symlink_to(dotfiles)
        self.path.write_bytes(self.before)
        self.path.chmod(0o640)

    def install(self, call: Call = CALL) -> bool:
        """Install, and return whether anything changed."""
        plan = plan_install(self.host, call, self.environ, self.project)
        apply_plan(plan, self.environ)
        return bool(plan.changes)

    def uninstall(self) -> None:
        """Take hookline out of the file."""
        plan = plan_uninstall(self.host, self.environ, self.project)
        apply_plan(plan, self.environ, removes=True)

    def list_commands(self) -> list[str]:
        """Return the commands of the file, in its order, those of hookline included."""
        text = self.path.read_text()
        if self.path.suffix != ".json":
            return [line for line in text.splitlines() if line.startswith("command")]
        return list(_find_commands(json.loads(without_comments(text))))


def _find_commands(tree: Any) -> list[str]:
    inner = list(tree.values()) if isinstance(tree, dict) else tree
    inner = inner if isinstance(inner, list) else []
    own = [tree.get("command")] if isinstance(tree, dict) else []
    own = [command for command in own if isinstance(command, str)]
    return own + [command for each in inner for command in _find_commands(each)]


def is_part(old: bytes, new: bytes) -> bool:
    """Whether a text is what is left of another one when some of its bytes are removed."""
    rest = iter(new)
    return all(byte in rest for byte in old)


def drop_empty(text: str) -> str:
    """Return a text without blanks, and without a list of hooks that was empty before already."""
    return re.sub(r',?"\w+":(\[\]|\{\})', "", re.sub(r"\s", "", text))


KEPT = pytest.mark.parametrize(
    "row", [row for row in ROWS if "refused" not in row], ids=lambda row: row["name"]
)


@KEPT
def test_an_installation_only_adds(row: dict[str, Any], tmp_path: Path) -> None:
    """Each byte of the file is there as before, in the same order, and links are still links."""
    place = Place(row, tmp_path)
    foreign = [each for each in place.list_commands() if not names_call(each, place.host)]

    assert place.install()

    now = place.list_commands()
    assert [each for each in now if not names_call(each, place.host)] == foreign
    assert len(now) - len(foreign) >= len(place.host.events)
    assert place.path.stat().st_mode & 0o777 == 0o640
    assert place.link is None or place.link.is_symlink()
    if not row.get("outdated"):
        assert is_part(place.before, place.path.read_bytes())


@KEPT
def test_twice_is_once(row: dict[str, Any], tmp_path: Path) -> None:
    """A second installation changes nothing, and one with another limit replaces in place."""
    place = Place(row, tmp_path)
    place.install()
    commands = place.list_commands()

    assert not place.install()
    assert place.install(CALL.replace(seconds=200))
    assert [names_call(each, place.host) for each in place.list_commands()] == [
        names_call(each, place.host) for each in commands
    ]


@KEPT
def test_an_uninstallation_restores_each_byte(row: dict[str, Any], tmp_path: Path) -> None:
    """The file is as it was, whatever was installed in between."""
    place = Place(row, tmp_path)
    place.install()
    place.install(CALL.replace(seconds=200))

    place.uninstall()

    assert not any(names_call(each, place.host) for each in place.list_commands())
    assert row.get("outdated") or place.path.read_bytes() == place.before
    assert place.link is None or place.link.is_symlink()


@KEPT
def test_what_changed_since_stays(row: dict[str, Any], tmp_path: Path) -> None:
    """If another program changed the file in between, only hookline's entries are removed."""
    place = Place(row, tmp_path)
    place.install()
    old, new = row.get("later", ["", ""])
    text = place.path.read_text()
    assert old in text
    place.path.write_text(text.replace(old, new, 1) if old else f"{text}\n")

    place.uninstall()

    assert not any(names_call(each, place.host) for each in place.list_commands())
    wanted = place.before.decode().replace(old, new, 1) if old else place.before.decode()
    if not row.get("outdated"):
        assert drop_empty(place.path.read_text()) == drop_empty(wanted)


@pytest.mark.parametrize(
    "row", [row for row in ROWS if "refused" in row], ids=lambda row: row["name"]
)
def test_what_cannot_be_kept_is_refused(row: dict[str, Any], tmp_path: Path) -> None:
    """The error says why, and the file is as before."""
    place = Place(row, tmp_path)

    with pytest.raises(ConfigError) as caught:
        place.install()

    assert row["refused"] in caught.value.message
    assert caught.value.place.startswith(str(place.path))
    assert place.path.read_bytes() == place.before
