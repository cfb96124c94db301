"""A service on this machine: answers as a test says, keeps its requests, and frees all clients."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from hookline.core.dispatch import Run
from hookline.model.event import Event
from hookline.model.frozen import Frozen
from hookline.model.spec import HookSpec, Http

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

PATIENCE = 10.0  # seconds
LOCAL = "127.0.0.1"


class Sent(Frozen):
    """A request that arrived. Names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Service(ThreadingHTTPServer):
    """What answers. `answer` is called with the handler of each request.

    `released` is set when the test is over.
    """

    daemon_threads = True

    def __init__(self, answer: Callable[[Asked], None]) -> None:
        super().__init__((LOCAL, 0), Asked)
        self.answer = answer
        self.sent: list[Sent] = []
        self.released = threading.Event()

    def url(self, path: str = "/hook", *, scheme: str = "http", host: str = LOCAL) -> str:
        return f"{scheme}://{host}:{self.server_port}{path}"

    def handle_error(self, *_: object) -> None:
        """Do nothing: in some tests a client hangs up in the middle."""


class Asked(BaseHTTPRequestHandler):
    """One request, on a thread of its own."""

    server: Service

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): ", ".join(self.headers.get_all(name, [])) for name in self.headers}
        self.server.sent.append(
            Sent(method=self.command, path=self.path, headers=headers, body=body)
        )
        self.server.answer(self)

    def say(
        self,
        body: bytes | str | dict[str, Any] = b"",
        status: int = 200,
        length: int | None = None,
        **headers: str,
    ) -> None:
        """Answer with a body; `length` is what the answer claims to be long."""
        raw = (
            json.dumps(body).encode()
            if isinstance(body, dict)
            else body.encode()
            if isinstance(body, str)
            else body
        )
        self.send_response(status)
        self.send_header("Content-Length", str(len(raw) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)

    def hang(self) -> None:
        """Say nothing more until the test is over."""
        self.wfile.flush()
        self.server.released.wait(PATIENCE)

    def hung_up(self) -> bool:
        """Whether the other side has gone, which this waits for."""
        self.connection.settimeout(PATIENCE)
        with suppress(ConnectionError):
            return self.connection.recv(1) == b""
        return True

    def log_message(self, *_: object) -> None:
        """Nothing: what a test prints is about the test."""


def certificate(folder: Path, host: str) -> Path | None:
    """A self-signed certificate for a host, with its key.

    None where there is no openssl to make one.
    """
    openssl = shutil.which("openssl")
    if openssl is None:
        return None
    file = folder / "service.pem"
    asked = (
        f"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
        f"/CN={host}"
    )
    subprocess.run(
        [
            openssl,
            *asked.split(),
            "-addext",
            f"subjectAltName=DNS:{host}",
            "-keyout",
            file,
            "-out",
            folder / "cert.pem",
        ],
        check=True,
        capture_output=True,
    )
    file.write_text(
        file.read_text(encoding="ascii") + (folder / "cert.pem").read_text(encoding="ascii"),
        encoding="ascii",
    )
    return file


@contextmanager
def serving(answer: Callable[[Asked], None], certificate: Path | None = None) -> Iterator[Service]:
    """A service that answers so; with a certificate (and its key beside it) it speaks TLS."""
    service = Service(answer)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        service.socket = context.wrap_socket(service.socket, server_side=True)
    thread = threading.Thread(target=service.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.released.set()
        service.shutdown()
        service.server_close()
        thread.join(PATIENCE)


def saying(
    body: bytes | str | dict[str, Any] = b"", status: int = 200, **options: Any
) -> Callable[[Asked], None]:
    """An answer that is always the same."""
    return lambda asked: asked.say(body, status, **options)


def closed_port() -> int:
    """A port on which no service listens."""
    with socket.create_server((LOCAL, 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


def resolving(*hosts: str, asked: list[str] | None = None) -> Callable[..., list[Any]]:
    """A resolver for which every name has these addresses."""

    def resolve(host: str, port: int, **_: Any) -> list[Any]:
        if asked is not None:
            asked.append(host)
        return [
            found
            for address in hosts
            for found in socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)
        ]

    return resolve


def run(url: str, payload: str = "{}\n", *, timeout: float = PATIENCE, **fields: Any) -> Run:
    """A run of an HTTP hook, which may be on this machine."""
    handler = Http(**{"url": url, "allow_local": True, **fields})
    spec = HookSpec(
        id="h",
        dialect="starchild",
        kind="tool.before",
        native_event="pre_tool_call",
        handler=handler,
        timeout=timeout,
    )
    return Run(spec=spec, event=Event(kind="tool.before"), payload=payload)
