"""The table of hosts agrees with the dialects, and knows where each host keeps its files."""

from __future__ import annotations

import pytest

from hookline.bridges.entry import is_gate
from hookline.bridges.hosts import HOSTS, Host
from hookline.engine.catalog import make_dialect

ROWS = pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)


@ROWS
def test_a_dialect_knows_each_event_of_its_host(host: Host) -> None:
    """There is an answer to each event at which it calls hookline, and one is a gate."""
    rows = make_dialect(host.dialect).table.rows

    assert [name for name in host.events if name not in rows] == []
    assert any(is_gate(rows[name]) for name in host.events)


@ROWS
def test_a_folder_moves_with_its_variable(host: Host) -> None:
    """The host's own variable names its settings folder."""
    assert host.find_folder({"HOME": "/home/ann"}).startswith("/home/ann/.")
    assert host.find_file({"HOME": "/home/ann"}).startswith("/home/ann/")
    if host.moved_by:
        moved = host.find_folder({"HOME": "/home/ann", host.moved_by: "/elsewhere"})
        assert moved == f"/elsewhere{host.inside}"


def test_the_file_of_a_project_is_below_it() -> None:
    """Some hosts read no hooks of a project."""
    files = {host.name: host.find_file({"HOME": "/h"}, "/p") for host in HOSTS.values()}

    assert files["claude-code"] == "/p/.claude/settings.json"
    assert sorted(name for name, file in files.items() if not file) == [
        "docker-agent",
        "hermes",
        "kimi",
        "kimi-code",
    ]
