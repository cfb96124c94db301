"""A model service that follows a script, in the wire formats that agent hosts speak.

It serves on the loopback interface, keeps each request, and needs no network.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from tests.hosts.wires import OTHER, WIRES, Turn, Wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DONE = Turn(text="Done.")


class Script:
    """The `turns` that the model plays, and the requests that it was sent.

    Only a request that offers tools counts: hosts also ask for titles and summaries.
    """

    def __init__(self, turns: Sequence[Turn] = ()) -> None:
        self.turns = turns
        self.requests: list[str] = []
        self.others: list[str] = []
        self._lock = Lock()

    def play(self, body: dict[str, Any]) -> Turn:
        """Return the next turn; a last word after the end of the script."""
        with self._lock:
            if not body.get("tools"):
                self.others.append(_join_texts(body))
                return _DONE
            self.requests.append(_join_texts(body))
            at = len(self.requests) - 1
            return self.turns[at] if at < len(self.turns) else _DONE


def _join_texts(tree: Any) -> str:
    """Return every text in a request, one a line, as the model would read it."""
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, list):
        return "\n".join(filter(None, map(_join_texts, tree)))
    return tree if isinstance(tree, str) else ""


@contextmanager
def serve_model(script: Script) -> Iterator[int]:
    """Serve the script on a free port, which is the value, until the block ends."""

    class Handler(_Handler):
        played = script

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    played: Script

    def do_POST(self) -> None:
        """Answer a request for a turn, or for what else a service offers."""
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        wire = next((wire for wire in WIRES if path.endswith(wire.path)), None)
        if wire is None:
            self._send_other(path)
            return
        turn, model = self.played.play(body), body.get("model") or "scripted"
        if body.get("stream") or ":stream" in path:
            self._send(_encode_stream(wire, turn, model), "text/event-stream")
        else:
            self._send(json.dumps(wire.whole(turn, model)), "application/json")

    def do_GET(self) -> None:
        """Answer what hosts look up before they start."""
        self._send_other(self.path.partition("?")[0])

    do_HEAD = do_GET  # noqa: N815 - the name that the standard library calls

    def _send_other(self, path: str) -> None:
        found = next((answer for end, answer in OTHER.items() if path.endswith(end)), None)
        self._send(json.dumps(found or {}), "application/json", 404 if found is None else 200)

    def _send(self, text: str, kind: str, status: int = 200) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Keep the terminal for the results."""


def _encode_stream(wire: Wire, turn: Turn, model: str) -> str:
    events = [
        (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"
        for name, data in wire.events(turn, model)
    ]
    return "".join(events) + (f"data: {wire.end}\n\n" if wire.end else "")
