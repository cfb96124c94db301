"""Homes and files that an installer does not expect: a clear error, and nothing half-written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hookline.bridges.detect import find_hosts
from hookline.bridges.entry import Call
from hookline.bridges.hosts import HOSTS
from hookline.bridges.install import apply_plan, plan_install, plan_uninstall
from hookline.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CALL = Call(words=("/new/python", "-I", "-m", "hookline"))
CLAUDE, CODEX, GEMINI = ".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json"
MARK = b"\xef\xbb\xbf"


def environ_of(folder: Path) -> dict[str, str]:
    """An environment with this home."""
    return {"HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")}


def install(host: str, environ: Mapping[str, str]) -> None:
    """Install into the user's file of a host."""
    apply_plan(plan_install(HOSTS[host], CALL, environ), environ)


def uninstall(host: str, environ: Mapping[str, str]) -> None:
    """Take hookline out of the user's file of a host."""
    apply_plan(plan_uninstall(HOSTS[host], environ), environ, removes=True)


def write(path: Path, content: bytes) -> Path:
    """Write a file with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("host", "file", "content", "why", "line"),
    [
        ("claude-code", CLAUDE, b'{\n  // mine\n  "a": 1\n}', "strict JSON", 2),
        ("codex", CODEX, b'{\n  "hooks": {},\n}', "strict JSON", 3),
        ("gemini", GEMINI, b'{\n  "a": [1,],\n  "b": 2\n}', "no JSON", 2),
        ("gemini", GEMINI, b'{"a": 1', "no JSON", 1),
        ("claude-code", CLAUDE, b"[]\n", "no JSON object", 1),
        ("claude-code", CLAUDE, b'{\n  "hooks": []\n}', "`hooks` is not an object", 2),
        ("claude-code", CLAUDE, b'{"hooks": {\n "Stop": {}}}', "`hooks.Stop` is not a list", 2),
        ("codex", CODEX, MARK + b"{}", "byte order mark", 0),
        ("gemini", GEMINI, MARK + b"{}", "byte order mark", 0),
        ("kimi", ".kimi/config.toml", b"a = 1\n[hooks\n", "line 2", 0),
        ("kimi", ".kimi/config.toml", b"[hooks]\na = 1\n", "[[hooks]]", 0),
        ("hermes", ".hermes/config.yaml", b"a: [\n", "line 2", 0),
        ("hermes", ".hermes/config.yaml", b"hooks: []\n", "not a mapping", 0),
        ("hermes", ".hermes/config.yaml", b"a:   1\nb:\n      - 2\n", "layout", 0),
        ("claude-code", CLAUDE, b'{"a": "\xff"}', "UTF-8", 1),
    ],
)
def test_a_file_that_cannot_be_edited_is_refused(
    tmp_path: Path, host: str, file: str, content: bytes, why: str, line: int
) -> None:
    """The error has the place and the reason; the file is as it was."""
    path = write(tmp_path / file, content)

    with pytest.raises(ConfigError) as caught:
        install(host, environ_of(tmp_path))

    assert why in f"{caught.value.message} {caught.value.hint}"
    assert f"{caught.value.place}:".startswith(f"{path}:{line}:" if line else str(path))
    assert path.read_bytes() == content
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        MARK,
        MARK + b'{"model": "opus"}\n',
        b'{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
        b'{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t\t"Stop": []\r\n\t}\r\n}\r\n',
        b'{"hooks": {}}',
        b'{ "hooks" : { "Stop" : [ ] } }',
        b'{"hooks": {"Stop": []}, "hooks": {"PreToolUse": []}}',
        b"{\n}\n",
        '{"name": "Zoë \U0001f980", "hooks": {}}'.encode(),
    ],
    ids=range(11),
)
def test_any_layout_is_kept(tmp_path: Path, content: bytes) -> None:
    """An empty, minified, tabbed, marked or oddly ended file works, and is restored."""
    path = write(tmp_path / CLAUDE, content)
    environ = environ_of(tmp_path)

    install("claude-code", environ)

    now = path.read_bytes()
    tree = json.loads(now.removeprefix(MARK))
    assert {*HOSTS["claude-code"].events} <= tree["hooks"].keys()
    assert now.startswith(MARK) == content.startswith(MARK)
    assert now.count(b"\n") == (now.count(b"\r\n") if b"\r\n" in content else now.count(b"\n"))
    uninstall("claude-code", environ)
    assert path.read_bytes() == content


@pytest.mark.parametrize("host", HOSTS)
def test_a_new_file_is_made_and_removed(tmp_path: Path, host: str) -> None:
    """A host that has never run gets its file; afterwards none of it is left."""
    environ = environ_of(tmp_path)

    install(host, environ)
    written = {path for path in tmp_path.rglob("*") if path.is_file()}
    second = plan_install(HOSTS[host], CALL, environ)
    uninstall(host, environ)

    assert written
    assert not second.changes
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("host", HOSTS)
def test_a_home_that_cannot_be_written_is_an_error(tmp_path: Path, host: str) -> None:
    """No folder can be made below a plain file, as in a home that is read-only."""
    home = write(tmp_path / "home", b"")
    environ = {"HOME": str(home), "XDG_STATE_HOME": str(tmp_path / "state")}

    with pytest.raises(ConfigError) as caught:
        install(host, environ)

    assert "cannot be" in caught.value.message
    assert str(home) in caught.value.place


def test_a_folder_in_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    """It is named, and stays."""
    (tmp_path / CLAUDE).mkdir(parents=True)

    with pytest.raises(ConfigError, match="no plain file"):
        install("claude-code", environ_of(tmp_path))


def test_all_files_of_a_host_are_written_or_none(tmp_path: Path) -> None:
    """If the last script cannot be written, those before it are taken back."""
    folder = tmp_path / "Documents/Cline/Hooks"
    folder.mkdir(parents=True)
    last = HOSTS["cline"].events[-1]
    (folder / last).symlink_to(write(tmp_path / "file", b"") / "below")

    with pytest.raises(ConfigError):
        install("cline", environ_of(tmp_path))

    assert [path.name for path in folder.iterdir()] == [last]


def test_a_foreign_script_is_not_overwritten(tmp_path: Path) -> None:
    """Cline has one file for each event."""
    path = write(tmp_path / "Documents/Cline/Hooks/PreToolUse", b"#!/bin/sh\nexit 0\n")

    with pytest.raises(ConfigError) as caught:
        install("cline", environ_of(tmp_path))

    assert caught.value.place == str(path)
    assert [each.name for each in path.parent.iterdir()] == ["PreToolUse"]


def test_your_entry_in_the_file_of_hookline_stays(tmp_path: Path) -> None:
    """Copilot CLI reads several files, and one of them has our name."""
    content = b'{"version": 1, "hooks": {"preToolUse": [{"bash": "~/guard.sh"}]}}'
    path = write(tmp_path / ".copilot/hooks/hookline.json", content)
    environ = environ_of(tmp_path)

    install("copilot", environ)

    assert json.loads(path.read_bytes())["hooks"]["preToolUse"][0] == {"bash": "~/guard.sh"}
    uninstall("copilot", environ)
    assert path.read_bytes() == content


def test_a_dangling_link_is_followed(tmp_path: Path) -> None:
    """The file is made where the link leads."""
    path = tmp_path / CLAUDE
    path.parent.mkdir()
    (tmp_path / "dotfiles").mkdir()
    path.symlink_to(tmp_path / "dotfiles/settings.json")

    install("claude-code", environ_of(tmp_path))

    assert path.is_symlink()
    assert b"hookline" in (tmp_path / "dotfiles/settings.json").read_bytes()


def test_a_file_that_changes_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    """Qwen Code writes its settings itself, perhaps while you look at the diff."""
    path = write(tmp_path / ".qwen/settings.json", b"{}")
    environ = environ_of(tmp_path)
    plan = plan_install(HOSTS["qwen"], CALL, environ)
    path.write_bytes(b'{"$version": 2}')

    with pytest.raises(ConfigError, match="changed"):
        apply_plan(plan, environ)

    assert path.read_bytes() == b'{"$version": 2}'


def test_another_hookline_is_named(tmp_path: Path) -> None:
    """Two installations on one machine would answer each event twice."""
    environ = environ_of(tmp_path)
    other: Any = CALL.replace(words=("/other/bin/python", "-I", "-m", "hookline"))
    apply_plan(plan_install(HOSTS["codex"], other, environ), environ)

    plan = plan_install(HOSTS["codex"], CALL, environ)

    assert any("/other/bin/python" in warning for warning in plan.warnings)
    assert b"/other/bin" not in (plan.changes[0].after or b"")


def test_an_empty_rest_is_removed(tmp_path: Path) -> None:
    """A file that hookline made goes, although something formatted it since."""
    environ = environ_of(tmp_path)
    install("copilot", environ)
    path = tmp_path / ".copilot/hooks/hookline.json"
    path.write_text(json.dumps(json.loads(path.read_bytes())))

    uninstall("copilot", environ)

    assert not path.exists()


def test_a_server_that_may_be_gone_is_a_warning(tmp_path: Path) -> None:
    """Qwen Code goes on then; Claude Code has a key that refuses."""
    call = CALL.replace(http="http://127.0.0.1:8465")
    given = environ_of(tmp_path)

    assert plan_install(HOSTS["claude-code"], call, given).warnings == ()
    (warning,) = plan_install(HOSTS["qwen"], call, given).warnings
    assert "lets a tool run" in warning


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "here"}])
def test_a_missing_home_is_an_error(environ: dict[str, str]) -> None:
    """Nothing is written into the folder in which hookline was typed."""
    with pytest.raises(ConfigError) as caught:
        find_hosts(environ)

    assert caught.value.name == "install.home"
    assert "--home" in caught.value.hint
