"""Settings of hosts that switch hooks off are found, by the rules of the host."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from hookline.bridges.entry import Call
from hookline.bridges.hosts import HOSTS
from hookline.bridges.install import apply_plan, plan_install
from hookline.bridges.off_switches import find_off_switches

CALL = Call(words=("/new/python", "-I", "-m", "hookline"))


def find(host: str, settings: dict[str, Any], folder: Path, file: str = "") -> list[str]:
    """Install into a host with these settings, and return what switches hookline off."""
    environ = {"HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")}
    path = Path((file and folder / file) or HOSTS[host].find_file(environ))
    path.parent.mkdir(parents=True)
    path.write_text(tomlkit.dumps(settings) if path.suffix == ".toml" else json.dumps(settings))
    apply_plan(plan_install(HOSTS[host], CALL, environ), environ)
    return find_off_switches(HOSTS[host], environ, str(folder / "work"))


@pytest.mark.parametrize(
    ("host", "settings", "file", "word"),
    [
        ("claude-code", {"disableAllHooks": True}, "", "disableAllHooks"),
        (
            "claude-code",
            {"disableAllHooks": True},
            "work/.claude/settings.local.json",
            "disableAllHooks",
        ),
        ("gemini", {"hooksConfig": {"enabled": False}}, "", "enabled"),
        ("gemini", {"hooksConfig": {"disabled": ["hookline"]}}, "", "disabled"),
        ("qwen", {"disableAllHooks": True}, "", "disableAllHooks"),
        ("codex", {"features": {"hooks": False}}, ".codex/config.toml", "features.hooks"),
        ("codex", {"features": {"codex_hooks": False}}, ".codex/config.toml", "features"),
        ("copilot", {"disableAllHooks": True}, ".copilot/settings.json", "disableAllHooks"),
    ],
)
def test_an_off_switch_is_named(
    host: str, settings: dict[str, Any], file: str, word: str, tmp_path: Path
) -> None:
    """One line, with the key and the file."""
    (tmp_path / "work/.git").mkdir(parents=True)
    (reason,) = find(host, settings, tmp_path, file)

    assert word in reason
    assert str(tmp_path) in reason


@pytest.mark.parametrize("host", HOSTS)
def test_usual_settings_switch_nothing_off(host: str, tmp_path: Path) -> None:
    """No host has a reason after its first installation."""
    (tmp_path / "work").mkdir()
    environ = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    apply_plan(plan_install(HOSTS[host], CALL, environ), environ)

    assert find_off_switches(HOSTS[host], environ, str(tmp_path / "work")) == []
