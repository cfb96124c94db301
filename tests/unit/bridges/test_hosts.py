"""The table of hosts agrees with the dialects, and finds what is on a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.bridges import hosts
from hookline.bridges.hosts import HOSTS, Host
from hookline.engine.catalog import make_dialect
from hookline.errors import ConfigError
from hookline.model.kinds import ACTIONS

if TYPE_CHECKING:
    from pathlib import Path

ROWS = pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)


@ROWS
def test_a_dialect_knows_each_event_of_its_host(host: Host) -> None:
    """There is an answer to each event for which hookline registers."""
    table = make_dialect(host.speaks).table

    assert [name for name in host.event_names if table.row(name) is None] == []


@ROWS
def test_only_an_event_before_an_action_fails_closed(host: Host) -> None:
    """A refusal after an action, at a prompt or at a stop protects nothing."""
    table = make_dialect(host.speaks).table
    kinds = {row.kind for name in host.gates if (row := table.row(name))}

    assert kinds
    assert kinds <= ACTIONS


@ROWS
def test_a_folder_moves_with_its_variable(host: Host) -> None:
    """The host's own variable names its configuration folder."""
    usual = hosts.find_folder(host, {"HOME": "/home/ann"})

    assert usual.startswith("/home/ann/.")
    if host.variable:
        moved = hosts.find_folder(host, {"HOME": "/home/ann", host.variable: "/elsewhere"})
        assert moved.startswith("/elsewhere")


def test_hosts_are_found_by_folder_or_program(tmp_path: Path) -> None:
    """A host that has never run has a program and no folder."""
    (tmp_path / ".codex").mkdir()
    program = tmp_path / "bin/gemini"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    environ = {"HOME": str(tmp_path), "PATH": str(program.parent)}

    assert [host.name for host in hosts.find_hosts(environ)] == ["codex", "gemini"]


def test_each_edition_of_kimi_has_its_file(tmp_path: Path) -> None:
    """Of several files of the user, those count whose program was here; else the first."""
    environ = {"HOME": str(tmp_path)}
    kimi = HOSTS["kimi"]
    first = hosts.list_paths(kimi, hosts.USER, environ, "/p")
    (tmp_path / ".kimi-code").mkdir()

    assert first == [f"{tmp_path}/.kimi/config.toml"]
    assert hosts.list_paths(kimi, hosts.USER, environ, "/p") == [
        f"{tmp_path}/.kimi-code/config.toml"
    ]


@pytest.mark.parametrize("home", [{}, {"HOME": ""}, {"HOME": "relative"}])
def test_a_missing_home_is_an_error(home: dict[str, str]) -> None:
    """Nothing is written into the folder in which hookline was typed."""
    with pytest.raises(ConfigError) as caught:
        hosts.find_hosts(home)

    assert caught.value.name == "install.home"


def test_an_unknown_host_is_an_error_with_the_nearest_name() -> None:
    """A misspelled host costs one reading."""
    with pytest.raises(ConfigError) as caught:
        hosts.find_host("claud-code")

    assert "claude-code" in caught.value.hint
    with pytest.raises(ConfigError) as caught:
        hosts.list_paths(HOSTS["kimi"], hosts.PROJECT, {"HOME": "/h"}, "/p")
    assert caught.value.hint == "hookline install kimi --user"
