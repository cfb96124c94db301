"""Deadline connection: a socket to a checked address, where every step gets what is left of one time limit."""

from __future__ import annotations

import io
import socket
from functools import cache

from hookline.errors import HandlerError
from hookline.handlers.name_resolution import is_connected_to, resolve_addresses

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from typing import Any

    from hookline.handlers.name_resolution import Resolve

_CHUNK = 1 << 16
_LONGEST = 1e6  # seconds; a socket counts milliseconds in an int


class FloodError(Exception):
    """More bytes came in than the connection allows."""


class DeadlineConnection:
    """The part of a socket that HTTP uses.

    `until` is a time of `clock`. `most`: the bytes that may come in so far. `cut`: the input ended within a line of
    text, or before one. `opened` is called with each socket.
    """

    def __init__(
        self,
        until: float,
        *,
        most: int,
        clock: Callable[[], float],
        opened: Callable[[socket.socket], object],
        resolve: Resolve,
    ) -> None:
        self.until = until
        self.most = most
        self.came = 0
        self.cut = False
        self.clock = clock
        self.opened = opened
        self.resolve = resolve
        self.sock: socket.socket | None = None

    def dial(self, host: str, port: int, *, allow_local: bool) -> None:
        """Connect to one of the host's addresses; each attempt gets a share of the time.

        Raises:
            HandlerError: the name does not resolve, hookline must not call one of its addresses, or the connection reached
                another address than the checked one.
            OSError: no address answers. TimeoutError: none answers in time.
        """
        found = resolve_addresses(host, port, allow_local=allow_local, resolve=self.resolve)
        for tries, address in zip(range(len(found), 0, -1), found, strict=True):
            self._take(socket.socket(address.family, socket.SOCK_STREAM))
            try:
                self._ready(share=tries).connect(address.place)
                met = is_connected_to(address, self._ready())
            except OSError:
                self.hang_up()
                if tries == 1:
                    raise
            else:
                if not met:
                    raise HandlerError(
                        f"the connection to `{host}` ended elsewhere than at the address that was checked"
                    )
                return

    def encrypt(self, host: str) -> None:
        """Use TLS from here on, with a partner that proves to be the host.

        Raises:
            OSError: the partner cannot prove it.
        """
        # An attacker who can only cut the connection must not turn the start of an answer into a whole one (RFC 9112 9.8).
        secured = make_tls_context().wrap_socket(
            self._ready(),
            server_hostname=host,
            do_handshake_on_connect=False,
            suppress_ragged_eofs=False,
        )
        self._take(secured)
        self._ready().do_handshake()  # type: ignore[attr-defined]  # a socket with TLS

    def sendall(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[self._ready().send(left[:_CHUNK]) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        return _LineReader(_RawInput(self))

    def receive(self, buffer: Any) -> int:
        came = self._ready().recv_into(buffer)
        self.came += came
        if self.came > self.most:
            raise FloodError(f"more than {self.most:,} bytes")
        return came

    def close(self) -> None:
        """Do nothing: HTTP closes a connection before it reads the answer."""

    def hang_up(self) -> None:
        if self.sock is not None:
            self.sock.close()

    def _take(self, sock: socket.socket) -> None:
        self.sock = sock
        self.opened(sock)

    def _ready(self, share: int = 1) -> socket.socket:
        """Return the socket with the remaining time, or a share of it, as its timeout."""
        assert self.sock is not None  # noqa: S101 - callers dial first
        left = min(self.until - self.clock(), _LONGEST)
        if left <= 0:
            raise TimeoutError
        self.sock.settimeout(left / share)
        return self.sock


class _RawInput(io.RawIOBase):
    """The bytes that come in over a connection."""

    def __init__(self, line: DeadlineConnection) -> None:
        self.line = line

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self.line.receive(buffer)


class _LineReader(io.BufferedReader):
    """Reads lines and notes a missing end: HTTP would take the end of the input for the end of a head."""

    raw: _RawInput

    def readline(self, size: int | None = -1, /) -> bytes:
        text = super().readline(size)
        self.raw.line.cut = self.raw.line.cut or (not text.endswith(b"\n") and len(text) != size)
        return text


@cache
def make_tls_context() -> ssl.SSLContext:
    """Return the TLS settings: certificates and host names are checked by what this machine trusts."""
    import ssl  # noqa: PLC0415 - local endpoints need no TLS

    return ssl.create_default_context()
