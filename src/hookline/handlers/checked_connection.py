"""Checked connection: HTTP to an address of a host that hookline may call, and to no other address.

One look-up serves the check and the connection, so both see the same addresses. The standard
library's client speaks HTTP.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from functools import cache
from http.client import HTTPConnection, HTTPResponse, IncompleteRead
from ipaddress import ip_address

from hookline.errors import HandlerError
from hookline.text.ip_addresses import (
    LOCAL,
    classify_address,
    explain_refused_address,
    unmap_ipv4,
)
from hookline.wire.http_spec import LOCAL_HINT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    # The signature of `socket.getaddrinfo`.
    Resolve: TypeAlias = Callable[..., list[Any]]
    # The family of an address, and what `connect` takes: a mapped address as IPv4, and without a
    # zone.
    Address: TypeAlias = tuple[int, tuple[Any, ...]]

_LONGEST = 1e6  # seconds; a socket counts milliseconds in an int
_IN_CLEAR = "a key would be sent to it unencrypted; write `https://`"


def resolve_addresses(
    host: str,
    port: int,
    *,
    allow_local: bool,
    only_local: bool = False,
    resolve: Resolve = socket.getaddrinfo,
) -> list[Address]:
    """Return every address of a host.

    `only_local`: a public address is refused, because a key would be sent to it unencrypted.

    Raises:
        HandlerError: the name does not resolve, or hookline must not call one of its addresses
            (docs/formats/starchild.md 8: one such address refuses the whole answer).
    """
    try:
        entries = resolve(host, port, type=socket.SOCK_STREAM)
        addresses = [unmap_ipv4(ip_address(entry[4][0])) for entry in entries]
    except (OSError, ValueError):
        raise HandlerError(f"`{host}` cannot be resolved") from None
    if not addresses:
        raise HandlerError(f"`{host}` has no address")
    found: dict[Address, None] = {}
    for address in addresses:
        is_local = classify_address(address) in LOCAL
        why = explain_refused_address(address, allow_local=allow_local)
        if not why and only_local and not is_local:
            why = _IN_CLEAR
        if why:
            raise HandlerError(
                f"`{host}` resolves to `{address}`: {why}",
                hint=LOCAL_HINT if is_local and not allow_local else "",
            )
        if address.version == 4:  # noqa: PLR2004 - IPv4
            found[socket.AF_INET, (str(address), port)] = None
        else:
            found[socket.AF_INET6, (str(address), port, 0, 0)] = None
    return list(found)


class _Response(HTTPResponse):
    """An answer whose head must be complete.

    The base class takes the end of the input for the end of a head.
    """

    def begin(self) -> None:
        """Read the head.

        Raises:
            IncompleteRead: the input ended within it.
        """
        lines = _LineReader(self.fp.detach())
        self.fp = lines
        super().begin()
        if lines.is_cut:
            self.close()
            raise IncompleteRead(b"")


class _LineReader(io.BufferedReader):
    """Reads lines and notes a missing end."""

    is_cut = False

    def readline(self, size: int | None = -1, /) -> bytes:
        text = super().readline(size)
        self.is_cut = self.is_cut or (not text.endswith(b"\n") and len(text) != size)
        return text


class CheckedConnection(HTTPConnection):
    """A connection to one of the checked addresses of a host, with TLS where `encrypted`.

    `seconds`: for all attempts to connect together, and for each later step. `opened` is called
    with each socket, so that its caller can shut it at any time. `allow_local`, `only_local` and
    `resolve` as `resolve_addresses`.
    """

    response_class = _Response

    def __init__(
        self,
        host: str,
        port: int,
        *,
        encrypted: bool,
        seconds: float,
        opened: Callable[[socket.socket], object],
        **rules: Any,
    ) -> None:
        super().__init__(host, port)
        self.encrypted = encrypted
        self.until = time.monotonic() + seconds
        self.opened = opened
        self.rules = rules

    def connect(self) -> None:
        """Connect to the first address that answers; each attempt gets a share of the time.

        Raises:
            HandlerError: as `resolve_addresses`, or the connection reached another address than the
                checked one.
            OSError: no address answers, or the partner cannot prove to be the host. TimeoutError:
                none answers in time.
        """
        found = resolve_addresses(self.host, self.port, **self.rules)
        for tries_left, address in zip(range(len(found), 0, -1), found, strict=True):
            self.sock = socket.socket(address[0], socket.SOCK_STREAM)
            self.opened(self.sock)
            try:
                self._connect_to(address, tries_left)
                break
            except OSError:
                self.sock.close()
                if tries_left == 1:
                    raise
        if self.encrypted:
            # An attacker who can only cut the connection must not turn the start of an answer into
            # a whole one (RFC 9112 9.8).
            self.sock = make_tls_context().wrap_socket(
                self.sock,
                server_hostname=self.host,
                do_handshake_on_connect=False,
                suppress_ragged_eofs=False,
            )
            self.opened(self.sock)
            self.sock.do_handshake()

    def _connect_to(self, address: Address, tries_left: int) -> None:
        _, place = address
        self.sock.settimeout(self._seconds_left() / tries_left)
        self.sock.connect(place)
        host, port = self.sock.getpeername()[:2]
        if (ip_address(host), port) != (ip_address(place[0]), place[1]):
            raise HandlerError(
                f"the connection to `{self.host}` reached another address than the checked one"
            )
        self.sock.settimeout(self._seconds_left())

    def _seconds_left(self) -> float:
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return min(left, _LONGEST)


@cache
def make_tls_context() -> ssl.SSLContext:
    """Return the TLS settings: hookline trusts the certificates that this machine trusts."""
    return ssl.create_default_context()
