"""A server answers large payloads, and its clients while others flood it with connections."""

from __future__ import annotations

import json
import select
import sys
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

import pytest

from hookline.engine.engine import Engine
from tests.unit.server.support import CALL, claude, count_of, served

if TYPE_CHECKING:
    from pathlib import Path

LARGE = 20_000_000  # bytes
# Refuses a call by what stands at the end of its payload, and says how much of it arrived.
READ_ALL = (
    f"{sys.executable} -c \"import json,sys; call = json.load(sys.stdin)['tool_input'];"
    "print(len(call['content']), call['end'], file=sys.stderr); sys.exit(2)\""
)


@pytest.mark.process
@pytest.mark.parametrize("place", ["unix", "tcp"])
def test_a_large_payload_is_answered(place: str, tmp_path: Path) -> None:
    """A hook gets all of a payload of 20 MB, and its refusal reaches the host."""
    payload = CALL | {"tool_name": "Write", "tool_input": {"content": "x" * LARGE, "end": "last"}}
    with served(claude(READ_ALL), tmp_path) as server:
        answer = getattr(server, place).ask("POST", "/v1/answer/claude-code", payload)

    assert answer.status == 200
    assert f"{LARGE} last" in json.dumps(answer.document)
    assert count_of(server.meter, "hookline_refusals_total") == 0


def test_a_flood_of_connections_without_a_token_resets_no_client(tmp_path: Path) -> None:
    """Of 300 requests that never end, at most as many stay open as have a budget.

    Clients are answered all the while.

    `bench/flood.py` does the same with 1,500 connections and the real limits.
    """
    half = b"POST /v1/answer/claude-code HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
    most = 80
    with ExitStack() as stack:
        bounds = {"connections": most}
        server = stack.enter_context(served(Engine(environ={}), tmp_path, bounds=bounds))
        flood = []
        for number in range(300):
            sock = stack.enter_context(server.tcp.connected())
            with suppress(OSError):  # the server has closed it to make room
                sock.sendall(half)
            flood.append(sock)
            if number % 50 == 0:
                for place in (server.tcp, server.unix):
                    assert place.ask("POST", "/v1/answer/claude-code", CALL).status == 200
        assert server.tcp.ask("GET", "/v1/health").status == 200

        closed = select.poll()
        for sock in flood:
            closed.register(sock, select.POLLIN | select.POLLHUP)
        assert len(flood) - len(closed.poll(0)) <= most // 2
        assert count_of(server.meter, "hookline_refusals_total") == 0
