"""Plugins: which are enabled, and where their hooks are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hookline.config.places import find_places
from hookline.engine.engine import Engine

if TYPE_CHECKING:
    from pathlib import Path

NAME = "guard@market"


def install(home: Path, *, enabled: object = True, listed: bool = True, version: int = 2) -> Path:
    """Install a plugin with one hook, and enable it; return the file of its hooks."""
    root = home / ".claude/plugins/cache/market/guard/1.0.0"
    (root / "hooks").mkdir(parents=True)
    (root / "hooks/guard.sh").write_text("#!/bin/sh\necho no >&2\nexit 2\n")
    (root / "hooks/guard.sh").chmod(0o755)
    hook = {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/guard.sh"}
    file = root / "hooks/hooks.json"
    file.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}))
    entry: Any = {"scope": "user", "installPath": str(root), "version": "1.0.0"}
    plugins = {NAME: [entry] if version > 1 else entry} if listed else {}
    (home / ".claude/plugins/installed_plugins.json").write_text(
        json.dumps({"version": version, "plugins": plugins})
    )
    (home / ".claude/settings.json").write_text(json.dumps({"enabledPlugins": {NAME: enabled}}))
    return file


def found(home: Path) -> list[str]:
    """Return the files of hooks in a home, besides its settings."""
    places = find_places("/nowhere", {"HOME": str(home)}, "claude-code")
    return [each.path for each in places if each.path.endswith("hooks.json")]


@pytest.mark.parametrize("version", [1, 2])
def test_an_enabled_plugin_is_found(tmp_path: Path, version: int) -> None:
    """By the list of what is installed, in both of its versions."""
    file = install(tmp_path, version=version)

    assert found(tmp_path) == [str(file)]


@pytest.mark.parametrize("how", [{"enabled": False}, {"enabled": "yes"}, {"listed": False}])
def test_a_plugin_that_is_off_or_not_installed_is_not(tmp_path: Path, how: dict[str, Any]) -> None:
    """Its files may still lie there."""
    install(tmp_path, **how)

    assert found(tmp_path) == []


@pytest.mark.parametrize("text", ["", "[]", '{"enabledPlugins": [', '{"enabledPlugins": 1}'])
def test_settings_that_enable_nothing_are_no_error(tmp_path: Path, text: str) -> None:
    """The loader of the file reports what is wrong."""
    install(tmp_path)
    (tmp_path / ".claude/settings.json").write_text(text)

    assert found(tmp_path) == []


def test_a_project_enables_no_plugin(tmp_path: Path) -> None:
    """A repository must not start what lies outside of it."""
    home, project = tmp_path / "home", tmp_path / "project"
    file = install(home)
    (project / ".claude").mkdir(parents=True)
    (home / ".claude/settings.json").rename(project / ".claude/settings.json")
    environ = {"HOME": str(home)}

    assert str(file) not in [each.path for each in find_places(str(project), environ)]


@pytest.mark.process
def test_its_guard_guards(tmp_path: Path) -> None:
    """It is the user's own: its first use is recorded, by the plugin's name."""
    install(tmp_path / "home")
    (tmp_path / "project").mkdir()
    environ = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    payload = {
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(tmp_path / "project"),
        "tool_name": "Bash", "tool_input": {"command": "ls"},
    }  # fmt: skip
    with Engine.discover(tmp_path / "project", environ=environ, trust="approved") as engine:
        decision = engine.fire("PreToolUse", payload, dialect="claude-code")

    assert decision.stance.name == "DENY"
    assert [
        path.name[:7] for path in (tmp_path / "home/.local/state/hookline/approvals").iterdir()
    ] == ["plugin-"]
