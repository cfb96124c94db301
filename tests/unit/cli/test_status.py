"""`hookline status` has a line for each host, and its problems below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.cli import install

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.cli.support import Desk


@pytest.fixture
def home(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with Claude Code and Codex; entries are not tried."""
    monkeypatch.setattr(install, "try_entry", lambda *_: None)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    home = desk.folder.parent / "home"
    for name in (".claude", ".codex"):
        (home / name).mkdir()
    return home


PAYLOAD = {
    "session_id": "s",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
}


def test_a_line_for_each_host(desk: Desk, home: Path) -> None:
    """Version, scopes, last event, counts of today; what is missing is named with its remedy."""
    assert desk.type("install", "claude-code", "--yes").code == 0
    desk.type("answer", "claude-code", stdin=PAYLOAD)
    told = desk.type("status")

    head, claude, codex, *rest = told.out.splitlines()
    assert head.startswith("host         version")
    assert claude.startswith("Claude Code  ?        user")
    assert "s ago" in claude
    assert "never" in codex
    assert rest == ["Codex does not call hookline: hookline install codex"]
    assert told.code == 0
    assert home.is_dir()


def test_a_host_that_asks_in_the_dialect_of_another_has_counts_of_its_own(
    desk: Desk, home: Path
) -> None:
    """Its plugin says its name."""
    (home / ".config/opencode").mkdir(parents=True)
    desk.type("answer", "claude-code", "--guest", "opencode", stdin=PAYLOAD)
    told = desk.type("status").out

    (opencode,) = (line for line in told.splitlines() if line.startswith("opencode  "))
    (claude,) = (line for line in told.splitlines() if line.startswith("Claude Code  "))
    assert "s ago" in opencode
    assert opencode.split()[-2:] == ["1", "0"]
    assert claude.split()[-3:] == ["never", "0", "0"]


def test_a_named_host_that_is_not_installed_is_a_finding(desk: Desk, home: Path) -> None:
    """A script can ask for it."""
    assert desk.type("status", "codex").code == 1
    desk.type("install", "codex", "--yes")
    told = desk.type("status", "codex", "--json")
    (host,) = told.document["hosts"]
    assert (told.code, host["installed"], host["last_event"]) == (0, ["user"], None)
    assert (home / ".codex/hooks.json").exists()


def test_a_broken_file_is_a_finding_of_status_and_doctor(desk: Desk, home: Path) -> None:
    """With the place."""
    (home / ".codex/hooks.json").write_text('{"hookline":')

    for command in ("status", "doctor"):
        told = desk.type(command)
        assert (told.code, "HKL1906" in told.out) == (1, True)


def test_a_machine_without_hosts(desk: Desk) -> None:
    """The hosts that hookline knows are listed."""
    desk.monkeypatch.setenv("PATH", "/usr/bin:/bin")
    told = desk.type("status")

    assert (told.code, "docker-agent" in told.out) == (1, True)
