"""Hostile services over real sockets: each call fails in its time and leaves nothing behind.

What an honest service's odd answers become is in `test_http.py`, what TLS adds in `test_tls.py`,
and which addresses a hook may not call in `test_ssrf.py`.
"""

from __future__ import annotations

import gzip
import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from hookline.handlers.concurrent_http import give_up_calls, start_calls, wait_for_calls
from hookline.handlers.process_spec import Limits
from hookline.model.verdict import Failure
from tests.unit.handlers.raw import (
    LARGEST,
    OK,
    PAYLOAD,
    PIECES,
    SHORT,
    Raw,
    called,
    dripping,
    full,
    reset,
    sending,
    speaking,
)
from tests.unit.handlers.serving import LOCAL, PATIENCE, resolving, run, saying, serving

if TYPE_CHECKING:
    from tests.unit.handlers.raw import Conduct


def answered(conduct: Conduct, **options: Any) -> tuple[Failure | None, str]:
    """The outcome of a call with this answer of a raw service."""
    with speaking(conduct) as raw:
        outcome = called(raw.url(), **options)
        assert (outcome.exit_code, outcome.stdout) == (None, "")
        return outcome.failure, outcome.detail


# -- answers without measure -----------------------------------------------------------------------

ENDLESS = {
    "pieces": sending(PIECES, again=b"400\r\n" + b" " * 1024 + b"\r\n"),
    "a body until the end": sending(OK + b"\r\n", again=b" " * 4096),
    "a body beyond what was said": sending(
        OK + b"Content-Length: %d\r\n\r\n" % (LARGEST + 1), again=b" " * 4096
    ),
}


@pytest.mark.parametrize("conduct", ENDLESS.values(), ids=ENDLESS)
def test_an_answer_without_an_end_is_cut_off(conduct: Conduct) -> None:
    """The size limit ends it long before the time limit."""
    failure, detail = answered(conduct)

    assert failure is Failure.FLOODED
    assert detail.startswith("more than ")


ABSURD = {
    "a status line without an end": sending(again=b"HTTP/1.1 200 " + b"a" * 4096),
    "a header without an end": sending(OK + b"A: ", again=b"b" * 4096),
    "headers without an end": sending(OK, again=b"A: b\r\n" * 100),
    "a size without an end": sending(PIECES, again=b"1" * 4096),
    "a size that is none": sending(PIECES + b"z\r\n{}\r\n0\r\n\r\n"),
    "a size below none": sending(PIECES + b"-1\r\n{}\r\n0\r\n\r\n"),
    "another protocol": sending(b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\r\n\r\n"),
    "a protocol without a status": sending(b"HTTP/1.1\r\n\r\n{}"),
    "a status that is no number": sending(b"HTTP/1.1 2OO OK\r\n\r\n{}"),
    "zeros": sending(b"\x00" * 200),
}


def test_an_answer_that_says_its_end_twice_is_read() -> None:
    """The same both times (RFC 9112 6.3)."""
    with speaking(sending(OK + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}")) as raw:
        outcome = called(raw.url())

    assert (outcome.failure, outcome.stdout) == (None, "{}")


@pytest.mark.parametrize("conduct", ABSURD.values(), ids=ABSURD)
def test_what_is_no_http_is_unreadable(conduct: Conduct) -> None:
    """The call fails as soon as that is clear."""
    assert answered(conduct)[0] is Failure.UNREADABLE


@pytest.mark.parametrize(
    ("length", "failure"),
    [
        ("9" * 30, Failure.FLOODED),
        ("3", Failure.UNREADABLE),
        ("2", None),
    ],
)
def test_a_length_is_not_believed(length: str, failure: Failure | None) -> None:
    """A longer length is a broken answer, and one beyond the limit is not awaited."""
    with speaking(sending(OK + f"Content-Length: {length}\r\n\r\n{{}}".encode())) as raw:
        assert called(raw.url()).failure is failure


def test_a_hint_that_was_not_asked_for_is_no_answer() -> None:
    """103 may precede an answer only if the client asked for it; hookline did not."""
    assert answered(sending(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK + b"\r\n")) == (
        Failure.REJECTED,
        "103 Early Hints",
    )


BOMB = gzip.compress(b" " * (1 << 24))


@pytest.mark.parametrize(
    "coding",
    [
        "gzip",
        "GZIP",
        "x-gzip",
        "deflate",
        "br",
        "zstd",
        "identity, gzip",
        "gzip\r\nContent-Encoding: identity",
    ],
)
def test_a_bomb_is_not_unpacked(coding: str) -> None:
    """16 MiB in 16 KiB: the handler reads it as text, and it is no text."""
    head = f"Content-Encoding: {coding}\r\nContent-Length: 5000\r\n\r\n".encode()

    assert answered(sending(OK + head + BOMB[:5000])) == (
        Failure.UNREADABLE,
        "it is no text in UTF-8",
    )


@pytest.mark.parametrize(
    "head",
    [b"Transfer-Encoding: gzip\r\n\r\n", b"Transfer-Encoding: gzip, chunked\r\n\r\n", b"\r\n"],
)
def test_a_bomb_without_a_label_is_no_text(head: bytes) -> None:
    """The handler does not guess its encoding."""
    assert answered(sending(OK + head + BOMB[:5000])) == (
        Failure.UNREADABLE,
        "it is no text in UTF-8",
    )


# -- detours ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [300, 301, 302, 303, 305, 307, 308])
@pytest.mark.parametrize(
    "away",
    ["elsewhere", "itself", "http://93.184.216.34/", "//[::1]/", "/hook", "file:///etc/passwd", ""],
)
def test_a_redirect_leads_nowhere(status: int, away: str) -> None:
    """Not on this machine and not beyond it, and not in a circle; the payload is sent once."""
    with (
        serving(saying({})) as elsewhere,
        speaking(lambda raw, sock: sending(redirect(raw))(raw, sock)) as raw,
    ):
        target = {"elsewhere": elsewhere.url(), "itself": raw.url()}.get(away, away)

        def redirect(_: Raw) -> bytes:
            return (
                f"HTTP/1.1 {status} Away\r\nLocation: {target}\r\nContent-Length: 2\r\n\r\n{{}}"
            ).encode()

        outcome = called(raw.url())

        assert outcome.failure is Failure.REJECTED
        assert outcome.detail.endswith(", and redirects are not followed")
        assert (raw.met, raw.heard, elsewhere.sent) == (1, [PAYLOAD.encode()], [])


@pytest.mark.parametrize(
    "variable", ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_proxy_of_the_environment_is_met(
    variable: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proxy gets no connection at all."""
    with speaking(sending()) as proxy, speaking(sending()) as raw:
        monkeypatch.setenv(variable, proxy.url())
        monkeypatch.delenv("no_proxy", raising=False)
        called(raw.url(scheme=scheme))

        assert (raw.met, proxy.met) == (1, 0)


def test_a_connection_that_ends_elsewhere_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tunnel behind `connect`: hookline sends no byte (docs/explanation/security.md 3)."""

    class Diverted(socket.socket):
        def connect(self, _: Any) -> None:
            super().connect((LOCAL, raw.port))

    with speaking(sending(OK + b"\r\n")) as raw:
        monkeypatch.setattr(socket, "socket", Diverted)
        outcomes = [
            called(f"http://{place}/")
            for place in (
                f"127.0.0.2:{raw.port}",
                f"{LOCAL}:1",
                f"[::1]:{raw.port}",
                f"{LOCAL}:{raw.port}",
            )
        ]

        assert [outcome.failure for outcome in outcomes] == [Failure.UNREACHABLE] * 3 + [None]
        assert (
            outcomes[0].detail
            == "the connection to `127.0.0.2` reached another address than the checked one"
        )
        assert raw.heard == [PAYLOAD.encode()]


# -- time ------------------------------------------------------------------------------------------


def waiting(raw: Raw, _: None) -> None:
    """Say nothing until the test is over."""
    raw.released.wait(PATIENCE)


SLOW = {
    "a status": dripping(b"", b"HTTP/1.1 200 OK\r\n"),
    "headers": dripping(OK, b"A: b\r\n"),
    "a body": dripping(OK + b"Content-Length: 9000\r\n\r\n", b" "),
    "a body without a length": dripping(OK + b"\r\n", b" "),
    "pieces": dripping(PIECES, b"1\r\n \r\n"),
    "a piece's size": dripping(PIECES, b"0"),
    "trailers": dripping(PIECES + b"0\r\n", b"A: b\r\n"),
    "heads of no account": dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "heads of no account, without a pause": sending(again=b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "trailers without a pause": sending(PIECES + b"2\r\n{}\r\n0\r\n", again=b"A: b\r\n" * 1000),
    "nothing": lambda raw, sock: waiting(raw, raw.listen(sock)),
    "no listener": lambda raw, _: waiting(raw, None),
}


@pytest.mark.parametrize("conduct", SLOW.values(), ids=SLOW)
def test_who_keeps_a_call_busy_does_not_prolong_it(conduct: Conduct) -> None:
    """The limit is for the whole call, so single bytes do not extend it."""
    assert answered(conduct, seconds=SHORT) == (Failure.TIMED_OUT, "after 0.3 s")


def test_who_does_not_take_the_payload_does_not_prolong_the_call() -> None:
    """A large one, of which the kernel takes but a part."""

    def conduct(raw: Raw, _: socket.socket) -> None:
        raw.released.wait(PATIENCE)

    assert answered(conduct, seconds=SHORT, payload="x" * (1 << 24)) == (
        Failure.TIMED_OUT,
        "after 0.3 s",
    )


def test_a_full_listener_does_not_prolong_the_call() -> None:
    """The connection itself has a limit."""
    with full() as port:
        outcome = called(f"http://{LOCAL}:{port}/", seconds=SHORT)

    assert (outcome.failure, outcome.detail) == (Failure.TIMED_OUT, "after 0.3 s")


def test_an_address_with_a_full_listener_has_its_share_of_the_time() -> None:
    """Then the handler calls the name's next address."""
    with socket.create_server((LOCAL, 0)) as door, full("127.0.0.2", door.getsockname()[1]) as port:
        found = ThreadPoolExecutor(1)
        outcome = found.submit(
            called,
            f"http://policy.example:{port}/",
            seconds=2.0,
            resolve=resolving("127.0.0.2", LOCAL),
        )
        sock, _ = door.accept()
        with sock:
            sock.recv(1 << 16)
            sock.sendall(OK + b"Content-Length: 0\r\n\r\n")
        found.shutdown()

        assert outcome.result().failure is None


# -- ends ------------------------------------------------------------------------------------------


def breaking(*sent: bytes) -> Conduct:
    """Send this, and break the connection."""

    def conduct(raw: Raw, sock: socket.socket) -> None:
        raw.listen(sock)
        for part in sent:
            sock.sendall(part)
        reset(sock)

    return conduct


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"HTTP/1.1 200 O",
        OK,
        OK + b"Content-Length: 9\r\n\r\n{",
        PIECES + b"9\r\n{",
        OK + b"\r\n{}",
    ],
)
def test_a_connection_that_breaks_brings_no_answer(sent: bytes) -> None:
    """At any place, also where the answer would have ended."""
    assert answered(breaking(sent)) == (Failure.UNREACHABLE, "connection reset by peer")


@pytest.mark.parametrize(
    ("sent", "failure"),
    [(b"", Failure.UNREACHABLE), (OK + b"\r\n", None), (OK + b"Content-Length: 0\r\n\r\n", None)]
    + [
        (part, Failure.UNREADABLE)
        for part in (
            b"HTTP/1.1 200",
            b"HTTP/1.1 200 O",
            OK,
            OK + b"A",
            OK + b"A: b\r\n",
            OK + b"\r",
        )
    ]
    + [
        (OK + b"Content-Length: 9\r\n" + part, Failure.UNREADABLE)
        for part in (b"", b"\r\n", b"\r\n{}")
    ]
    + [
        (PIECES + part, Failure.UNREADABLE)
        for part in (b"", b"9", b"9\r\n", b"9\r\n{}", b"2\r\n{}", b"2\r\n{}\r\n")
    ],
)
def test_an_answer_that_ends_early_is_none(sent: bytes, failure: Failure | None) -> None:
    """Also in its head, where `http.client` would take it for an empty answer that permits."""
    with speaking(sending(sent)) as raw:
        outcome = called(raw.url())

        assert (outcome.failure, outcome.stdout) == (failure, "")


def test_a_service_may_be_gone_the_next_time() -> None:
    """Then that call fails; the one before is not affected."""
    with speaking(sending(OK + b"Content-Length: 2\r\n\r\n{}")) as raw:
        first, url = called(raw.url()), raw.url()
    second = called(url)

    assert (first.failure, first.stdout) == (None, "{}")
    assert (second.failure, second.detail) == (Failure.UNREACHABLE, "connection refused")


_SERVICE = """
import http.server, signal, sys
class Half(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "4000")
        self.end_headers()
        self.wfile.write(b'{"decision": "allow"')
        self.wfile.flush()
        print("half", flush=True)
        signal.pause()
    log_message = lambda *_: None
service = http.server.HTTPServer(("127.0.0.1", 0), Half)
print(service.server_port, flush=True)
service.serve_forever()
"""


@pytest.mark.process
def test_a_service_that_is_killed_amid_its_answer_gave_none() -> None:
    """A real kill of a real process: the half that came says `allow` and does not count."""
    with (
        subprocess.Popen([sys.executable, "-I", "-c", _SERVICE], stdout=subprocess.PIPE) as service,
        ThreadPoolExecutor(1) as caller,
    ):
        assert service.stdout is not None
        try:
            outcome = caller.submit(called, f"http://{LOCAL}:{int(service.stdout.readline())}/")
            assert service.stdout.readline() == b"half\n"
        finally:
            service.send_signal(signal.SIGKILL)

        assert (outcome.result().failure, outcome.result().detail, outcome.result().stdout) == (
            Failure.UNREADABLE,
            "it broke off",
            "",
        )


def test_calls_leave_neither_threads_nor_sockets() -> None:
    """Whether they end by themselves, are late, or are given up amid an answer."""
    threads = {thread.ident for thread in threading.enumerate()}
    before = sockets()
    with (
        speaking(dripping(OK + b"Content-Length: 9000\r\n\r\n", b" ")) as slow,
        serving(saying({})) as quick,
    ):
        runs = [run(slow.url(), timeout=0.1), run(quick.url()), run(f"http://{LOCAL}:1/")]
        outcomes = wait_for_calls(start_calls(runs, Limits(), {}), None)
        give_up_calls(start_calls([run(slow.url())], Limits(), {}))
        for thread in threading.enumerate():
            if thread.name == "hookline http":
                thread.join(PATIENCE)
                assert not thread.is_alive()

    assert [outcome.failure for outcome in outcomes] == [
        Failure.TIMED_OUT,
        None,
        Failure.UNREACHABLE,
    ]
    assert {
        thread.ident for thread in threading.enumerate() if thread.name == "hookline http"
    } <= threads
    assert sockets() == before


def sockets() -> set[str]:
    """The sockets that this process has open."""
    found = (
        os.readlink(f"/proc/self/fd/{name}")
        for name in os.listdir("/proc/self/fd")
        if os.path.islink(f"/proc/self/fd/{name}")
    )
    return {target for target in found if target.startswith("socket:")}
