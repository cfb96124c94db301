"""Whoever looks after hooks is told of a server that approves them without a token, while it runs."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from hookline.server.no_token_marker import keep_marker, list_unprotected_servers
from tests.unit.handlers.support import until
from tests.unit.server.support import PATIENCE
from tests.unit.server.test_lifecycle import hookline_serve

if TYPE_CHECKING:
    from pathlib import Path

STATE = ".local/state/hookline"


def said(folder: Path) -> list[str]:
    """What is told of servers whose user has this home."""
    return [
        f"{problem.code} {problem.message}"
        for problem in list_unprotected_servers({"HOME": str(folder)})
    ]


@pytest.mark.process
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL], ids=["told to end", "killed"])
def test_a_server_without_a_token_is_seen_while_it_runs(
    end: signal.Signals, tmp_path: Path
) -> None:
    """However it came to its end, nothing is told of it afterwards."""
    with hookline_serve(tmp_path, "--unix", str(tmp_path / "http"), "--self-approve") as (
        process,
        addresses,
    ):
        running = said(tmp_path)
        process.send_signal(end)
        process.wait(PATIENCE)

    (line,) = running
    assert line.startswith(f"HKL3016 a server at {addresses[0]} (process ")
    assert line.endswith(") lets every program of this machine approve hooks without a token")
    assert until(lambda: said(tmp_path) == [])


@pytest.mark.process
def test_a_server_with_a_token_leaves_no_mark(tmp_path: Path) -> None:
    """There is nothing to be said of it."""
    with hookline_serve(tmp_path, "--unix", str(tmp_path / "http")):
        assert said(tmp_path) == []
        assert [name for name in os.listdir(tmp_path / STATE) if "approve" in name] == []


def test_a_mark_that_cannot_be_left_is_told_of(tmp_path: Path) -> None:
    """The server goes on, because its user wanted it; but a look at the hooks would not know."""
    (tmp_path / ".local").write_text("no folder", encoding="utf-8")
    told: list[str] = []
    with keep_marker({"HOME": str(tmp_path)}, ["unix:here"], told.append):
        assert said(tmp_path) == []

    assert [line.partition(":")[0] for line in told] == [
        f"`hookline doctor` will not know of this: `{tmp_path}/{STATE}/serve.self-approve.{os.getpid()}` cannot be made".partition(
            ":"
        )[0]
    ]


def test_a_file_that_nobody_holds_says_nothing(tmp_path: Path) -> None:
    """Neither one of a dead server, nor a link that somebody put there."""
    (tmp_path / STATE).mkdir(parents=True)
    (tmp_path / STATE / "serve.self-approve.1").write_text("unix:there", encoding="utf-8")
    os.symlink("/dev/zero", tmp_path / STATE / "serve.self-approve.2")

    assert said(tmp_path) == []
