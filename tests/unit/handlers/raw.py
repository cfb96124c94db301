"""A service that speaks no HTTP of its own: each connection is a test's to handle, byte by byte.

And an authority for TLS.
"""

from __future__ import annotations

import shutil
import socket
import ssl
import struct
import subprocess
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from hookline.handlers.concurrent_http import HttpCall
from hookline.handlers.http import call
from hookline.handlers.process_spec import Limits
from tests.unit.handlers.serving import LOCAL, PATIENCE, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from hookline.model.verdict import Outcome

    Conduct = Callable[["Raw", socket.socket], None]

TICK = 0.01  # seconds between two bytes of a slow service
PAYLOAD = '{"event": "on_stop"}\n'
SHORT = 0.3  # seconds of a call that is to run out of them
LARGEST = 10_000  # bytes of an answer here
OK = b"HTTP/1.1 200 OK\r\n"
PIECES = OK + b"Transfer-Encoding: chunked\r\n\r\n"


class Raw:
    """A listener that handles its connections one after the other.

    `released` is set when the test is over.
    """

    def __init__(self, conduct: Conduct, context: ssl.SSLContext | None = None) -> None:
        self.door = socket.create_server((LOCAL, 0))
        self.conduct = conduct
        self.context = context
        self.met = 0
        self.heard: list[bytes] = []
        self.released = threading.Event()

    @property
    def port(self) -> int:
        number: int = self.door.getsockname()[1]
        return number

    def url(self, *, scheme: str = "http", host: str = LOCAL) -> str:
        return f"{scheme}://{host}:{self.port}/hook"

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                sock = self.door.accept()[0]
                self.met += 1
                sock.settimeout(PATIENCE)
                with (
                    suppress(OSError, ValueError),
                    sock
                    if self.context is None
                    else self.context.wrap_socket(sock, server_side=True) as spoken,
                ):
                    self.conduct(self, spoken)

    def listen(self, sock: socket.socket) -> None:
        """Read the whole request; raises ValueError if the client sends none."""
        head, _, body = sock.recv(1 << 16).partition(b"\r\n\r\n")
        left = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]) - len(body)
        while left > 0:
            left -= len(more := sock.recv(1 << 16))
            body += more
        self.heard.append(body)

    def drip(self, sock: socket.socket, data: bytes) -> None:
        """Send a byte at a time until the client hangs up."""
        for at in range(len(data)):
            sock.sendall(data[at : at + 1])
            if self.released.wait(TICK):
                return


@contextmanager
def speaking(conduct: Conduct, context: ssl.SSLContext | None = None) -> Iterator[Raw]:
    """A raw service; with a context it speaks TLS."""
    raw = Raw(conduct, context)
    thread = threading.Thread(target=raw.serve, daemon=True)
    thread.start()
    try:
        yield raw
    finally:
        raw.released.set()
        with suppress(OSError):
            raw.door.shutdown(socket.SHUT_RDWR)
        raw.door.close()
        thread.join(PATIENCE)


def sending(*parts: bytes, again: bytes = b"") -> Conduct:
    """Read the request, send this, and then repeat the other thing until the client hangs up."""

    def conduct(raw: Raw, sock: socket.socket) -> None:
        raw.listen(sock)
        for part in parts:
            sock.sendall(part)
        sock.settimeout(1.0)  # who was given up may have closed without a word to this side
        while again:
            sock.sendall(again)

    return conduct


def dripping(head: bytes, slow: bytes) -> Conduct:
    """Hear the request, send a part at once, and the rest a byte at a time, over and over."""

    def conduct(raw: Raw, sock: socket.socket) -> None:
        raw.listen(sock)
        sock.sendall(head)
        while not raw.released.is_set():
            raw.drip(sock, slow)

    return conduct


def reset(sock: socket.socket) -> None:
    """Close a connection at once, with a reset."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


@contextmanager
def full(host: str = LOCAL, port: int = 0) -> Iterator[int]:
    """The port of a listener with a full backlog, so that a client that connects waits."""
    with socket.create_server((host, port), backlog=0) as door:
        waiting: list[socket.socket] = []
        try:
            while len(waiting) < 16:
                waiting.append(socket.socket())
                waiting[-1].settimeout(0.1)
                try:
                    waiting[-1].connect(door.getsockname())
                except TimeoutError:
                    break
            yield door.getsockname()[1]
        finally:
            for sock in waiting:
                sock.close()


def called(
    url: str, *, seconds: float = PATIENCE, payload: str = PAYLOAD, **options: Any
) -> Outcome:
    """The outcome of a call; all its sockets are closed afterwards.

    And whose time was not exceeded by more than a slow machine's.
    """
    sockets: list[socket.socket] = []
    ended = threading.Event()

    def perform(*args: Any, opened: Callable[[socket.socket], object], **given: Any) -> Outcome:
        def both(sock: socket.socket) -> None:
            sockets.append(sock)
            opened(sock)

        try:
            return call(*args, opened=both, **given, **options)
        finally:
            ended.set()

    limits = Limits(kept=LARGEST)
    outcome = HttpCall(run(url, payload, timeout=seconds), limits, {}, perform).wait()
    assert ended.wait(PATIENCE)

    assert [sock.fileno() for sock in sockets] == [-1] * len(sockets)
    assert outcome.seconds < seconds + PATIENCE
    return outcome


# -- TLS -------------------------------------------------------------------------------------------

_KEY = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"


class Authority:
    """A certificate authority in a folder; a client that trusts it has `file`."""

    def __init__(self, folder: Path, openssl: str) -> None:
        self.folder = folder
        self.openssl = openssl
        self.file = folder / "authority.pem"
        usage = "-addext keyUsage=critical,keyCertSign,cRLSign"
        self._run(
            f"req -x509 {_KEY} -days 2 -subj /CN=authority {usage} -keyout authority.key -out "
            f"authority.pem"
        )

    def certificate(self, *hosts: str, days: int = 2) -> Path:
        """A certificate for these hosts, with its key; with days before none it is over already."""
        names = ",".join(f"DNS:{host}" for host in hosts)
        self._run(
            f"req {_KEY} -subj /CN=service -addext subjectAltName={names} -keyout service.key "
            f"-out service.csr"
        )
        signed = "-CA authority.pem -CAkey authority.key -CAcreateserial -copy_extensions copyall"
        self._run(f"x509 -req -in service.csr {signed} -days {days} -out service.crt")
        file = self.folder / "signed.pem"
        file.write_bytes(
            (self.folder / "service.key").read_bytes() + (self.folder / "service.crt").read_bytes()
        )
        return file

    def _run(self, words: str) -> None:
        subprocess.run(
            [self.openssl, *words.split()], cwd=self.folder, check=True, capture_output=True
        )


def authority(folder: Path) -> Authority | None:
    """An authority; None where there is no openssl to make one."""
    openssl = shutil.which("openssl")
    return Authority(folder, openssl) if openssl else None


def proving(file: Path) -> ssl.SSLContext:
    """Return the TLS context of a service with this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context
