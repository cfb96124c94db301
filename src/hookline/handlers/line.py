"""Line: a connection to an address that was checked, of which every step has only what is left of the whole time."""

from __future__ import annotations

import io
import socket
from functools import cache

from hookline.handlers.address import addresses

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from typing import Any

    from hookline.handlers.address import Resolve

_CHUNK = 1 << 16
_LONGEST = 1e6  # seconds; a socket counts milliseconds in an int


class Line:
    """As much of a socket as HTTP needs. `until` is a moment of `clock`; `opened` is told each socket."""

    def __init__(self, until: float, *, clock: Callable[[], float], opened: Callable[[socket.socket], object], resolve: Resolve) -> None:
        self.until = until
        self.clock = clock
        self.opened = opened
        self.resolve = resolve
        self.sock: socket.socket | None = None

    def dial(self, host: str, port: int, *, allow_local: bool) -> None:
        """Connect to one of the host's addresses; each try has its share of the time.

        Raises:
            HandlerError: the name does not resolve, or one of its addresses must not be called.
            OSError: none of them answers. TimeoutError: in time.
        """
        found = addresses(host, port, allow_local=allow_local, resolve=self.resolve)
        for tries, address in zip(range(len(found), 0, -1), found, strict=True):
            self._take(socket.socket(address.family, address.kind, address.protocol))
            try:
                self._ready(share=tries).connect(address.place)
            except OSError:
                self.hang_up()
                if tries == 1:
                    raise
            else:
                return

    def encrypt(self, host: str) -> None:
        """Speak TLS from here on, with a partner who can prove to be the host.

        Raises:
            OSError: it cannot.
        """
        self._take(tls().wrap_socket(self._ready(), server_hostname=host, do_handshake_on_connect=False))
        self._ready().do_handshake()  # type: ignore[attr-defined]  # it is one of TLS

    def sendall(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[self._ready().send(left[:_CHUNK]) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Heard(self))

    def receive(self, buffer: Any) -> int:
        return self._ready().recv_into(buffer)

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


@cache
def tls() -> ssl.SSLContext:
    """How TLS is spoken: certificates and names of hosts are checked, by what this machine trusts."""
    import ssl  # noqa: PLC0415 - hooks on this machine do without

    return ssl.create_default_context()
