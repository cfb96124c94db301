"""A client that goes away takes the hooks with it that it waited for."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import socket
from typing import TYPE_CHECKING, Any

import pytest

from hookline.remote.admission import Admission
from hookline.server.lifecycle import cancel_on_disconnect
from hookline.server.responses import RequestError
from tests.unit.server.support import CALL, PATIENCE, claude, refusals, served

if TYPE_CHECKING:
    from pathlib import Path


class Client:
    """Who asks: it sends what it is told to send, and hangs up when it is told so."""

    def __init__(self, *messages: str) -> None:
        self.messages = list(messages)
        self.asked = 0

    async def receive(self) -> dict[str, Any]:
        self.asked += 1
        if not self.messages:
            await asyncio.get_running_loop().create_future()
        return {"type": self.messages.pop(0)}


def test_an_answer_is_passed_on() -> None:
    """The client stayed; no task still listens to it."""

    async def play() -> None:
        client = Client("http.request")
        assert await cancel_on_disconnect(client.receive, asyncio.sleep(0, "yes")) == "yes"
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(play())


def test_an_error_is_raised_as_it_is() -> None:
    """The server makes it the answer."""

    async def fail() -> None:
        raise KeyError("k")

    with pytest.raises(KeyError):
        asyncio.run(cancel_on_disconnect(Client().receive, fail()))


def test_a_client_that_hangs_up_cancels_its_request() -> None:
    """The error comes after the request's cleanup."""
    ended: list[str] = []

    async def ask() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            await asyncio.sleep(0)
            ended.append("cleaned up")

    with pytest.raises(RequestError) as caught:
        asyncio.run(cancel_on_disconnect(Client("http.request", "http.disconnect").receive, ask()))
    assert (caught.value.name, caught.value.status) == ("serve.gone", 499)
    assert ended == ["cleaned up"]


def test_an_end_from_outside_ends_both() -> None:
    """Stopping the server ends the request and the watch for its client."""

    async def play() -> None:
        client = Client()
        task = asyncio.get_running_loop().create_task(
            cancel_on_disconnect(client.receive, asyncio.sleep(PATIENCE))
        )
        while not client.asked:  # noqa: ASYNC110 - what is waited for is the next turn of the loop
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(play())


# -- on sockets, with processes --------------------------------------------------------------------

# It tells its own number and that of what it starts, and then nothing ends it but a signal.
STUBBORN = 'trap "" HUP; sleep 1000 & echo $$ $! > "{}"; wait'


def left(pid: int) -> None:
    """Wait until a process is gone; its number is not taken again so soon."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([handle], [], [], PATIENCE)[0]
    finally:
        os.close(handle)


@pytest.mark.process
@pytest.mark.parametrize("place", ["unix", "tcp"])
@pytest.mark.parametrize("path", ["/v1/fire", "/v1/answer/claude-code"])
def test_hooks_of_a_client_that_hung_up_are_ended(path: str, place: str, tmp_path: Path) -> None:
    """Their child processes end too. The server goes on, and counts the request."""
    pipe = tmp_path / "pids"
    os.mkfifo(pipe)
    with served(claude(STUBBORN.format(pipe)), tmp_path) as server:
        at = getattr(server, place)
        body: Any = {"event": "PreToolUse", "payload": CALL} if path == "/v1/fire" else CALL
        client = at.sent("POST", path, body)
        pids = [int(word) for word in pipe.read_text(encoding="ascii").split()]
        client.close()
        for pid in pids:
            left(pid)

        assert server.unix.ask("GET", "/v1/health").status == 200
    assert refusals(server.meter) == {"HKL5009": 1}
    assert (server.service.turns.running, server.told) == (0, [])


@pytest.mark.process
def test_a_client_that_hangs_up_in_the_queue_runs_no_hook(tmp_path: Path) -> None:
    """The next client gets the turn."""
    os.mkfifo(tmp_path / "pids")
    with served(claude(STUBBORN.format(tmp_path / "pids")), tmp_path, turns=Admission(1)) as server:
        body = {"event": "PreToolUse", "payload": CALL}
        first = server.unix.sent("POST", "/v1/fire", body)
        leader = int((tmp_path / "pids").read_text(encoding="ascii").split()[0])
        second = server.unix.sent("POST", "/v1/fire", body)
        while "hookline_fires_waiting 1" not in server.unix.ask("GET", "/v1/metrics").body.decode():
            pass
        second.shutdown(socket.SHUT_RDWR)
        while "hookline_fires_waiting 0" not in server.unix.ask("GET", "/v1/metrics").body.decode():
            pass
        os.kill(leader, signal.SIGKILL)
        assert first.recv(12) == b"HTTP/1.1 200"
        first.close()
        second.close()
    assert refusals(server.meter) == {"HKL5009": 1}


# -- who sends something more, or nothing more -----------------------------------------------------

FIRE = {"event": "PreToolUse", "payload": CALL}


@pytest.mark.process
@pytest.mark.parametrize("place", ["unix", "tcp"])
@pytest.mark.parametrize(
    "more",
    [b"GET", b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ids=["part", "whole"],
)
def test_what_was_sent_ahead_hides_no_hang_up(more: bytes, place: str, tmp_path: Path) -> None:
    """A pipelined request waits, and the server still notices that its client left."""
    os.mkfifo(tmp_path / "pids")
    with served(claude(STUBBORN.format(tmp_path / "pids")), tmp_path) as server:
        client = getattr(server, place).sent("POST", "/v1/fire", FIRE)
        pids = [int(word) for word in (tmp_path / "pids").read_text(encoding="ascii").split()]
        client.sendall(more)
        client.close()
        for pid in pids:
            left(pid)

        assert server.unix.ask("GET", "/v1/health").status == 200
    assert refusals(server.meter) == {"HKL5009": 1}


@pytest.mark.process
def test_what_was_sent_ahead_is_answered_in_its_turn(tmp_path: Path) -> None:
    """The server answers pipelined requests on the same connection."""
    with served(claude("echo no >&2; exit 2"), tmp_path) as server:
        client = server.unix.sent("POST", "/v1/fire", FIRE)
        client.sendall(b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2)
        said = b""
        while said.count(b"HTTP/1.1 200") < 3:
            said += client.recv(1 << 16)
        client.close()
