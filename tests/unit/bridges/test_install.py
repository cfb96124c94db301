"""Plans change nothing by themselves; they are carried out as a whole, and undone byte for byte."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hookline.bridges import install
from hookline.bridges.entry import Call
from hookline.bridges.hosts import HOSTS
from hookline.bridges.install import apply_plan, is_installed, plan_install, plan_uninstall
from hookline.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

CALL = Call(words=("/opt/python", "-I", "-m", "hookline"))
CLAUDE = HOSTS["claude-code"]
SETTINGS = '{\n  "model": "x",\n  "hooks": {\n    "Stop": [{"hooks": []}]\n  }\n}\n'


class Home:
    """A home with Claude Code's settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {"HOME": str(folder)}
        self.file = folder / ".claude/settings.json"
        self.file.parent.mkdir()
        self.file.write_text(SETTINGS)

    def install(self, host: str = "claude-code", call: Call = CALL) -> install.Plan:
        plan = plan_install(HOSTS[host], call, self.environ)
        apply_plan(plan, self.environ)
        return plan

    def uninstall(self, host: str = "claude-code") -> None:
        apply_plan(plan_uninstall(HOSTS[host], self.environ), self.environ, removes=True)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """As above."""
    return Home(tmp_path)


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
def test_each_host_is_installed_once_and_uninstalled(host: install.Host, tmp_path: Path) -> None:
    """In an empty home no file of the host is left."""
    home = Home(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    home.install(host.name)
    assert is_installed(host, home.environ)
    assert plan_install(host, CALL, home.environ).changes == ()

    home.uninstall(host.name)
    assert not is_installed(host, home.environ)
    state = tmp_path / ".local"
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {path: text for path, text in after.items() if state not in path.parents} == before
    assert not list(state.rglob("*.before"))


def test_a_plan_shows_a_diff_and_changes_nothing(home: Home) -> None:
    """As `--diff` prints it."""
    (change,) = plan_install(CLAUDE, CALL, home.environ).changes

    assert f"--- {home.file}\n+++ {home.file}\n" in change.diff()
    assert "+" in change.diff()
    assert home.file.read_text() == SETTINGS


def test_what_changed_since_stays_at_an_uninstall(home: Home) -> None:
    """Only entries of hookline go then."""
    home.install()
    home.file.write_text(home.file.read_text().replace('"x"', '"y"'))
    home.uninstall()

    assert home.file.read_text() == SETTINGS.replace('"x"', '"y"')


def test_a_second_installation_keeps_the_first_backup(home: Home) -> None:
    """Another limit replaces the entries in their places."""
    home.install()
    home.install(call=CALL.replace(seconds=200))

    assert '"timeout": 200' in home.file.read_text()
    assert '"timeout": 70' not in home.file.read_text()
    home.uninstall()
    assert home.file.read_text() == SETTINGS


def test_another_hookline_is_named(home: Home) -> None:
    """Its entries are replaced, so that no event is answered twice."""
    home.install(call=CALL.replace(words=("/old/python", "-m", "hookline")))
    plan = home.install()

    assert any("another hookline, by `/old/python`" in each for each in plan.warnings)
    assert "/old/python" not in home.file.read_text()


def test_links_and_modes_are_kept(home: Home, tmp_path: Path) -> None:
    """A dotfile that is a link stays one; its target changes."""
    target = tmp_path / "dotfiles/claude.json"
    target.parent.mkdir()
    home.file.rename(target)
    target.chmod(0o600)
    home.file.symlink_to(target)
    home.install()

    assert home.file.is_symlink()
    assert "hookline" in target.read_text()
    assert target.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in target.parent.iterdir()) == ["claude.json"]


def test_a_file_that_changes_meanwhile_is_not_overwritten(home: Home) -> None:
    """Some hosts write their settings themselves."""
    plan = plan_install(CLAUDE, CALL, home.environ)
    home.file.write_text("{}")

    with pytest.raises(ConfigError) as caught:
        apply_plan(plan, home.environ)
    assert caught.value.name == "install.unwritable"
    assert home.file.read_text() == "{}"


def test_nothing_is_half_written(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files before the one that cannot be written get back what they had."""
    plan = plan_install(HOSTS["cline"], CALL, home.environ)
    write, last = install.write_file, plan.changes[-1]

    def fail(target: str, content: bytes | None, mode: int) -> None:
        if target == last.target:
            raise OSError(28, "No space left on device")
        write(target, content, mode)

    monkeypatch.setattr(install, "write_file", fail)
    with pytest.raises(ConfigError, match="no space left"):
        apply_plan(plan, home.environ)
    assert not is_installed(HOSTS["cline"], home.environ)


def test_a_project_of_a_host_without_project_files_is_refused(home: Home) -> None:
    """With the command that works."""
    with pytest.raises(ConfigError) as caught:
        plan_install(HOSTS["kimi"], CALL, home.environ, "/p")
    assert caught.value.hint == "hookline install kimi --user"


@pytest.mark.parametrize(
    ("host", "path", "content", "name"),
    [
        ("codex", ".codex/hooks.json", b'{"a": 1} // why', "install.unreadable"),
        ("codex", ".codex/hooks.json", b"\xef\xbb\xbf{}", "install.unreadable"),
        ("gemini", ".gemini/settings.json", b'{"a": }', "install.unreadable"),
        ("cline", "Documents/Cline/Hooks/PreToolUse", b"#!/bin/sh\n", "install.foreign"),
        ("opencode", ".config/opencode/plugins/hookline.js", b"// mine", "install.foreign"),
    ],
)
def test_what_cannot_be_edited_is_refused(
    home: Home, host: str, path: str, content: bytes, name: str
) -> None:
    """With the place, and untouched."""
    file = home.folder / path
    file.parent.mkdir(parents=True)
    file.write_bytes(content)

    with pytest.raises(ConfigError) as caught:
        home.install(host)
    assert caught.value.name == name
    assert str(caught.value.place).startswith(str(file))
    assert file.read_bytes() == content


def test_comments_are_kept_where_the_host_reads_them(home: Home) -> None:
    """Gemini CLI and Qwen Code do."""
    file = home.folder / ".gemini/settings.json"
    file.parent.mkdir()
    file.write_text('{\n  // mine\n  "a": 1\n}\n')
    home.install("gemini")

    assert "// mine" in file.read_text()
    home.uninstall("gemini")
    assert file.read_text() == '{\n  // mine\n  "a": 1\n}\n'


def test_a_damaged_record_is_no_record(home: Home) -> None:
    """The entries are taken out of the file instead."""
    home.install()
    for record in (home.folder / ".local/state/hookline/installed").glob("*.json"):
        record.write_text("no JSON")
    home.uninstall()

    assert json.loads(home.file.read_text()) == json.loads(SETTINGS)


@pytest.mark.parametrize(
    ("config", "is_warned"),
    [
        ("", False),
        ('[hooks.state."a:stop:0:0"]\nenabled = true\n', False),
        ("[[hooks.Stop]]\nhooks = []\n", True),
        ("[[hooks", False),
    ],
)
def test_codex_warns_of_hooks_in_two_files(config: str, is_warned: bool, home: Home) -> None:
    """So the installation says it before."""
    (home.folder / ".codex").mkdir()
    (home.folder / ".codex/config.toml").write_text(config)
    plan = plan_install(HOSTS["codex"], CALL, home.environ)

    assert any("warns at each start" in each for each in plan.warnings) is is_warned
