"""A server on both sorts of socket in a thread of this process, and clients that ask it."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from hookline.cli.schema import read_schema
from hookline.engine.engine import Engine
from hookline.server.approvals import Approvals
from hookline.server.auth import TokenCheck
from hookline.server.lifecycle import ServerRun, listen_http, listen_unix_path
from hookline.server.metrics import Meter
from hookline.server.responses import make_openapi
from hookline.server.service import Service

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

TOKEN = "a-token-of-tests-0123456789"  # noqa: S105 - of tests
PATIENCE = 120.0  # seconds, on a machine that is very busy
JSON = {"Content-Type": "application/json"}
DOCUMENT = make_openapi("0", read_schema("decision"))


class Answer(NamedTuple):
    """What came back. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.body)
        return read


class Place:
    """Where a server listens: a path, or a port of this machine."""

    def __init__(self, at: str | int) -> None:
        self.at = at

    def connected(self) -> socket.socket:
        if isinstance(self.at, int):
            return socket.create_connection(("127.0.0.1", self.at), PATIENCE)
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(PATIENCE)
        try:
            sock.connect(self.at)
        except OSError:
            sock.close()
            raise
        return sock

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send a request; `body` is bytes, or an object as JSON.

        Over TCP it has the token, unless a header says otherwise.
        """
        sent = (
            body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        )
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        token = {"Authorization": f"Bearer {TOKEN}"} if isinstance(self.at, int) else {}
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.at if isinstance(self.at, int) else None
        )
        connection.sock = self.connected()
        try:
            connection.request(
                method, path, sent, {**(JSON if body is not None else {}), **token, **named}
            )
            answer = connection.getresponse()
            return Answer(
                answer.status,
                {name.lower(): value for name, value in answer.getheaders()},
                answer.read(),
            )
        finally:
            connection.close()

    def sent(self, method: str, path: str, body: Any) -> socket.socket:
        """A connection on which a request was sent, and nothing read."""
        token = f"Authorization: Bearer {TOKEN}\r\n" if isinstance(self.at, int) else ""
        said = json.dumps(body)
        sock = self.connected()
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{token}"
            f"Content-Type: application/json\r\nContent-Length: {len(said)}"
        )
        sock.sendall(f"{head}\r\n\r\n{said}".encode("ascii"))
        return sock

    def fire(self, event: str, payload: Mapping[str, Any] | None = None, **more: Any) -> Answer:
        return self.ask(
            "POST", "/v1/fire", {"event": event, "payload": dict(payload or {}), **more}
        )


def refusals(meter: Meter) -> dict[str, int]:
    """How many requests were refused, by the code of the problem."""
    return {
        sample.labels["code"]: int(sample.value)
        for metric in meter.refusals.collect()
        for sample in metric.samples
        if sample.name.endswith("_total") and sample.value
    }


def count_of(meter: Meter, name: str, **labels: str) -> float:
    """The value of a sample, such as `hookline_fires_total`.

    The sum over labels that are left out.
    """
    return sum(
        sample.value
        for metric in meter.registry.collect()
        for sample in metric.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


class Served(NamedTuple):
    """A running server: its two places, and what counts and tells."""

    tcp: Place
    unix: Place
    meter: Meter
    told: list[str]
    running: ServerRun
    service: Service


@contextmanager
def served(
    engine: Engine,
    folder: Path,
    *,
    meter: Meter | None = None,
    bounds: Mapping[str, Any] | None = None,
    open_to_all: tuple[str, ...] = (),
    **options: Any,
) -> Iterator[Served]:
    """A server with this engine.

    The sockets listen before it runs, so no client comes too early.

    `bounds` are those of its connections, `options` those of its service.
    """
    meter, told = meter or Meter(), []
    tcp, unix = listen_http("127.0.0.1:0"), listen_unix_path(str(folder / "socket"))
    places = Place(tcp.getsockname()[1]), Place(unix.getsockname())
    options.setdefault("approving", Approvals(TOKEN))
    service = Service(engine, meter=meter, contract=DOCUMENT, tell=told.append, **options)
    given = {"drain": 5.0, "refused": meter.count_refusal, **(bounds or {})}
    running = ServerRun(
        TokenCheck(
            service.app(),
            token=TOKEN,
            open_to_all=open_to_all,
            refused=meter.count_refusal,
        ),
        [tcp, unix],
        **given,
    )
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    try:
        yield Served(*places, meter, told, running, service)
    finally:
        running.stop()
        thread.join(PATIENCE)
        engine.close()
    assert not thread.is_alive()


def claude(command: str, event: str = "PreToolUse", **options: Any) -> Engine:
    """An engine with one command hook of Claude Code."""
    tree = {"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}}
    return Engine.from_config(tree, dialect="claude-code", **options)


CALL = {
    "hook_event_name": "PreToolUse",
    "session_id": "s",
    "cwd": "/",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
}
