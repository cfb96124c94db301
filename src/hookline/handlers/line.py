"""Line: a connection to an address that was checked, of which every step has only what is left of the whole time."""

from __future__ import annotations

import io
import socket
from functools import cache

from hookline.errors import HandlerError
from hookline.handlers.address import addresses, is_met

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from typing import Any

    from hookline.handlers.address import Resolve

_CHUNK = 1 << 16
_LONGEST = 1e6  # seconds; a socket counts milliseconds in an int


class FloodError(Exception):
    """More came in over a line than it may bring."""


class Line:
    """As much of a socket as HTTP needs.

    `until` is a moment of `clock`. `most`: bytes that may come in so far, whatever they are. `cut`: it ended amid a line of
    text, or where there was to be one. `opened` is told each socket.
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
        """Connect to one of the host's addresses; each try has its share of the time.

        Raises:
            HandlerError: the name does not resolve, one of its addresses must not be called, or the connection ended
                elsewhere than at the address that was checked.
            OSError: none of them answers. TimeoutError: in time.
        """
        found = addresses(host, port, allow_local=allow_local, resolve=self.resolve)
        for tries, address in zip(range(len(found), 0, -1), found, strict=True):
            self._take(socket.socket(address.family, socket.SOCK_STREAM))
            try:
                self._ready(share=tries).connect(address.place)
                met = is_met(address, self._ready())
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
        """Speak TLS from here on, with a partner who can prove to be the host.

        Raises:
            OSError: it cannot.
        """
        # Whoever can only cut a line must not make an answer of its beginning (RFC 9112 9.8).
        secured = tls().wrap_socket(
            self._ready(),
            server_hostname=host,
            do_handshake_on_connect=False,
            suppress_ragged_eofs=False,
        )
        self._take(secured)
        self._ready().do_handshake()  # type: ignore[attr-defined]  # it is one of TLS

    def sendall(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[self._ready().send(left[:_CHUNK]) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        return _Lines(_Heard(self))

    def receive(self, buffer: Any) -> int:
        came = self._ready().recv_into(buffer)
        self.came += came
        if self.came > self.most:
            raise FloodError(f"more than {self.most:,} bytes")
        return came

    def close(self) -> None:
        """Nothing: HTTP lets go of a connection before its answer is read."""

    def hang_up(self) -> None:
        if self.sock is not None:
            self.sock.close()

    def _take(self, sock: socket.socket) -> None:
        self.sock = sock
        self.opened(sock)

    def _ready(self, share: int = 1) -> socket.socket:
        """The socket, with what is left of the time, or a share of it."""
        assert self.sock is not None  # noqa: S101 - dialled before anybody speaks
        left = min(self.until - self.clock(), _LONGEST)
        if left <= 0:
            raise TimeoutError
        self.sock.settimeout(left / share)
        return self.sock


class _Heard(io.RawIOBase):
    """What comes in over a line."""

    def __init__(self, line: Line) -> None:
        self.line = line

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self.line.receive(buffer)


class _Lines(io.BufferedReader):
    """What comes in, line by line where that is asked for: HTTP takes the end of everything for the end of a head."""

    raw: _Heard

    def readline(self, size: int | None = -1, /) -> bytes:
        text = super().readline(size)
        self.raw.line.cut = self.raw.line.cut or (not text.endswith(b"\n") and len(text) != size)
        return text


@cache
def tls() -> ssl.SSLContext:
    """How TLS is spoken: certificates and names of hosts are checked, by what this machine trusts."""
    import ssl  # noqa: PLC0415 - hooks on this machine do without

    return ssl.create_default_context()
