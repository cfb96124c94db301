"""The hooks of a pack are read strictly, and written with the whole paths of their programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.dialects.native.load import Source, load
from hookline.errors import ConfigError
from hookline.model.spec import Command
from hookline.packs.hooks_file import read_hooks, write_hooks
from hookline.packs.lock import Pack

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.packs.support import World


@pytest.mark.parametrize(
    ("text", "code", "why"),
    [
        ("version: 1\n", "HKL8001", "it declares no hook"),
        ("version: 1\nhooks: [{on: stop}]\n", "HKL1301", "exactly one of these keys"),
        ("hooks: [{on: stop, deny: x}]\n", "HKL1102", "`version` is missing"),
        ("version: 1\nhooks: [\n", "HKL1001", "."),
        (
            "version: 1\nhooks: [{on: stop, deny: x}]\nsources: [{path: ~/.claude}]\n",
            "HKL8001",
            "it has `sources`",
        ),
        (
            "version: 1\nhooks: [{on: stop, deny: x}]\nexceptions: []\n",
            "HKL8001",
            ".",
        ),
    ],
)
def test_a_wrong_file_is_refused(world: World, text: str, code: str, why: str) -> None:
    """With its place; a pack brings no other files and lifts no rule."""
    (world.pack / "hookline.yaml").write_text(text)
    with pytest.raises(ConfigError, match=why) as caught:
        read_hooks(str(world.pack))

    assert caught.value.code == code
    assert caught.value.place.startswith(f"{world.pack}/hookline.yaml")


def test_a_folder_without_hooks_is_no_pack(tmp_path: Path) -> None:
    """Also one whose `hookline.yaml` is a link."""
    (tmp_path / "hookline.yaml").symlink_to("/etc/passwd")
    with pytest.raises(ConfigError, match="HKL8001 there is no hookline"):
        read_hooks(str(tmp_path))


HOOKS = """\
version: 1
# kept
hooks:
  - {on: stop, run: ./guard.sh --x}
  - {on: stop, run: "tool 'a b' | ./guard.sh"}
  - {on: stop, run: [python, -m, mine.guard], env: {A: "1"}, files: [rules.json]}
  - {on: stop, run: jq .}
  - {on: stop, deny: x}
"""


def write(tmp_path: Path, *, is_package: bool) -> tuple[str, tuple[Command, ...]]:
    """Return what is written for a pack, and the commands that are loaded from it."""
    for name in ("my files/guard.sh", "venv/bin/tool", "venv/bin/python3"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (tmp_path / "venv/bin/python").symlink_to("python3")
    wheels = {"x-1-py3-none-any.whl": "0"} if is_package else {}
    pack = Pack(name="p", root=str(tmp_path), folder="my files", wheels=wheels)
    text = write_hooks(HOOKS, pack, ["my files/guard.sh"])
    loaded = load(Source(text=text, file=str(tmp_path / "hookline.yaml")))

    assert loaded.problems == ()
    assert all(
        spec.files[:2] == (f"{tmp_path}/pack.lock.sha256", spec.files[1])
        and f"{tmp_path}/my files/guard.sh" in spec.files
        for spec in loaded.specs
        if isinstance(spec.handler, Command)
    )
    assert loaded.specs[2].files[1] == f"{tmp_path}/my files/rules.json"
    return text, tuple(spec.handler for spec in loaded.specs if isinstance(spec.handler, Command))


def test_programs_of_a_folder_get_whole_paths(tmp_path: Path) -> None:
    """Those beside the hooks; others are those of the machine."""
    text, (guard, piped, module, jq) = write(tmp_path, is_package=False)

    assert "# kept" in text
    assert guard.script == f"'{tmp_path}/my files/guard.sh' --x"
    assert piped.script == "tool 'a b' | ./guard.sh"
    assert module.argv == ("python", "-m", "mine.guard")
    assert jq.script == "jq ."
    assert guard.env == {
        "HOOKLINE_FOLDER": f"{tmp_path}/my files",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def test_programs_of_a_package_are_those_of_its_environment(tmp_path: Path) -> None:
    """`python -m` imports nothing from the folder in which the agent works."""
    _, (guard, piped, module, jq) = write(tmp_path, is_package=True)

    assert piped.script == f"{tmp_path}/venv/bin/tool 'a b' | ./guard.sh"
    assert module.argv == (f"{tmp_path}/venv/bin/python", "-m", "mine.guard")
    assert jq.script == "jq ."
    assert guard.env["VIRTUAL_ENV"] == f"{tmp_path}/venv"
    assert "PYTHONSAFEPATH" not in guard.env
    assert (module.env["PYTHONSAFEPATH"], module.env["A"]) == ("1", "1")
