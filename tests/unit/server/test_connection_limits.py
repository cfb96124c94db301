"""No client holds a connection for ever, and the number of connections is limited."""

from __future__ import annotations

import select
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline.engine.engine import Engine
from tests.unit.server.support import PATIENCE, claude, refusals, served

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from tests.unit.server.support import Answer, Place, Served

HEAD = 0.3  # seconds
REQUEST = b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
SLOW = {"head": HEAD}


def dripped(sock: socket.socket, text: bytes) -> bytes:
    """What a server says while a client sends it one byte after another.

    At the latest, when it closes the connection.
    """
    sock.settimeout(HEAD / 50)
    for at in range(len(text)):
        try:
            sock.send(text[at : at + 1])
        except OSError:  # it is closed
            break
        try:
            if got := sock.recv(1 << 16):
                return got + rest(sock)
        except TimeoutError:
            continue
        except OSError:
            return b""
        return b""
    return rest(sock)


def rest(sock: socket.socket) -> bytes:
    """What comes up to the end."""
    sock.settimeout(PATIENCE)
    said = b""
    try:
        while got := sock.recv(1 << 16):
            said += got
    except ConnectionError:  # what was sent too late was not read
        pass
    return said


def one_answer(sock: socket.socket) -> bytes:
    """Up to the end of its document."""
    said = b""
    while not said.endswith(b"}\n"):
        said += sock.recv(1 << 16)
    return said


def told(said: bytes) -> tuple[int, bytes]:
    """The status of an answer, and its type."""
    head = said.partition(b"\r\n\r\n")[0].lower()
    return int(head[9:12]), head.partition(b"content-type: ")[2].partition(b"\r\n")[0]


PROBLEM = b"application/problem+json"


@pytest.mark.parametrize("place", ["unix", "tcp"])
def test_a_head_that_takes_too_long_is_told_so(place: str, tmp_path: Path) -> None:
    """Sending single bytes does not extend the time."""
    with (
        served(Engine(environ={}), tmp_path, bounds=SLOW) as server,
        getattr(server, place).connected() as sock,
    ):
        said = dripped(sock, REQUEST[:-2] + b"x-pad: " + b"x" * 1000)

        assert told(said) == (408, PROBLEM)
        assert b"connection: close" in said.lower()
    assert refusals(server.meter) == {"HKL5005": 1}


def test_an_idle_connection_is_closed_without_a_reply(tmp_path: Path) -> None:
    """Before the first request, and after the last one."""
    with (
        served(Engine(environ={}), tmp_path, bounds=SLOW) as server,
        server.unix.connected() as first,
        server.unix.connected() as second,
    ):
        second.sendall(REQUEST)

        assert rest(first) == b""
        assert rest(second).count(b"HTTP/1.1 ") == 1
    assert refusals(server.meter) == {}


def test_the_time_begins_anew_with_each_answer(tmp_path: Path) -> None:
    """A second request that takes too long is told so; the first one was answered."""
    with (
        served(Engine(environ={}), tmp_path, bounds=SLOW) as server,
        server.unix.connected() as sock,
    ):
        sock.sendall(REQUEST)
        assert one_answer(sock).startswith(b"HTTP/1.1 200")

        assert told(dripped(sock, REQUEST[:-2] + b"x-pad: " + b"x" * 1000)) == (408, PROBLEM)


def test_a_body_after_a_refused_head_buys_no_time(tmp_path: Path) -> None:
    """A client that was refused by its head may not send its body for ever."""
    head = (
        b"POST /v1/fire HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 1000000\r\n\r\n"
    )
    with (
        served(Engine(environ={}), tmp_path, bounds=SLOW) as server,
        server.tcp.connected() as sock,
    ):
        sock.sendall(head)
        assert one_answer(sock).startswith(b"HTTP/1.1 401")

        assert dripped(sock, b"x" * 1000) == b""


def test_hooks_may_take_longer_than_a_head(tmp_path: Path) -> None:
    """The time limit of the head does not end a request that is being answered."""
    with served(
        claude(f"sleep {HEAD * 2}; echo late >&2; exit 2"), tmp_path, bounds=SLOW
    ) as server:
        assert (
            server.unix.fire(
                "PreToolUse", {"session_id": "s", "cwd": "/", "tool_name": "Bash"}
            ).document["reason"]
            == "late"
        )


def test_a_client_that_does_not_read_is_disconnected(tmp_path: Path) -> None:
    """The answer is larger than the kernel's buffers, so its rest waits in the server."""
    engine = Engine(environ={})

    @engine.on("stop")
    def refuse(_: hookline.Event) -> hookline.Verdict:
        return hookline.deny("x" * 5_000_000)

    with served(engine, tmp_path, bounds=SLOW) as server:
        sock = server.unix.sent("POST", "/v1/fire", {"event": "stop"})
        watch = select.poll()
        watch.register(sock, 0)  # the other end's closing is told in any case

        assert watch.poll(PATIENCE * 1000)
        sock.close()


# -- how many --------------------------------------------------------------------------------------


def open_connections(server: Served, place: Place, count: int) -> list[socket.socket]:
    """So many, each of which was answered and is kept."""
    found = []
    for _ in range(count):
        sock = place.connected()
        sock.sendall(REQUEST)
        assert sock.recv(12) == b"HTTP/1.1 200"
        found.append(sock)
    assert refusals(server.meter) == {}
    return found


def test_admitted_connections_are_bounded(tmp_path: Path) -> None:
    """One too many gets a 503; TCP without a token has a budget of its own.

    Others get in when some have gone.
    """
    with served(Engine(environ={}), tmp_path, bounds={"connections": 2}) as server:
        kept = open_connections(server, server.unix, 2)
        answer: Answer = server.unix.ask("GET", "/v1/health")

        assert (answer.status, answer.document["code"], answer.headers["retry-after"]) == (
            503,
            "HKL5007",
            "1",
        )
        assert answer.headers["connection"] == "close"
        assert server.tcp.ask("GET", "/v1/health", Authorization="").status == 200
        shown: Answer = server.tcp.ask("GET", "/v1/metrics")
        assert (shown.status, shown.document["code"]) == (503, "HKL5007")
        for sock in kept:
            sock.close()
        while (answer := retried(server.unix)) is None or answer.status != 200:
            pass


def test_half_open_connections_without_a_token_reset_no_client(tmp_path: Path) -> None:
    """Of connections without a token the oldest makes room.

    One with a token, and a unix socket, stay.
    """
    half = b"POST /v1/answer HTTP/1.1\r\nHost: localhost\r\n"
    bounds = {"connections": 4}
    with ExitStack() as stack:
        server = stack.enter_context(served(Engine(environ={}), tmp_path, bounds=bounds))
        admitted = stack.enter_context(server.tcp.sent("GET", "/v1/health", None))
        assert one_answer(admitted).startswith(b"HTTP/1.1 200")
        flood = [stack.enter_context(server.tcp.connected()) for _ in range(20)]
        for sock in flood:
            with suppress(OSError):  # the server has closed it to make room
                sock.sendall(half)
        assert rest(flood[0]) == b""
        assert server.tcp.ask("GET", "/v1/metrics").status == 200
        assert server.unix.ask("GET", "/v1/metrics").status == 200
        admitted.sendall(REQUEST)
        assert one_answer(admitted).startswith(b"HTTP/1.1 200")
        assert refusals(server.meter) == {}


def retried(place: Place) -> Answer | None:
    """An answer, or nothing where the connection was closed without one."""
    try:
        return place.ask("GET", "/v1/health")
    except OSError:
        return None


# -- what is no HTTP -------------------------------------------------------------------------------

CHUNKED = (
    b"POST /v1/fire HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n\r\nno number\r\n"
)


@pytest.mark.parametrize(
    "text",
    [
        b"ls\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        REQUEST[:-2] + b"x: " + b"x" * 100_000,
        CHUNKED,
    ],
    ids=["words", "tls", "no host", "long", "chunks"],
)
def test_what_is_no_http_is_a_problem(
    text: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The server then closes the connection."""
    with served(Engine(environ={}), tmp_path) as server, server.unix.connected() as sock:
        sock.sendall(text)

        assert told(rest(sock)) == (400, PROBLEM)
        assert server.unix.ask("GET", "/v1/health").status == 200
    assert set(refusals(server.meter)) == {"HKL5005"}
    assert capsys.readouterr().err == ""


def test_a_broken_body_after_the_answer_ends_the_connection(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The server sends no second answer."""
    with served(Engine(environ={}), tmp_path) as server, server.tcp.connected() as sock:
        sock.sendall(CHUNKED.partition(b"no number")[0])
        said: Any = sock.recv(12)
        sock.sendall(b"no number\r\n")

        assert said == b"HTTP/1.1 401"
        assert b"HTTP/1.1" not in rest(sock)
    assert capsys.readouterr().err == ""
