"""Name resolution: the addresses of a host, all of them checked before hookline connects to any."""

from __future__ import annotations

import socket
from ipaddress import ip_address

from hookline.errors import HandlerError
from hookline.model.frozen import Frozen
from hookline.text.ip_addresses import explain_refused_address, unmap_ipv4

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    # The signature of `socket.getaddrinfo`.
    Resolve: TypeAlias = Callable[..., list[Any]]


class Address(Frozen):
    """One address of a host for `socket.socket` and its `connect`: a mapped address as IPv4, and without a zone."""

    family: int
    place: tuple[Any, ...]


def resolve_addresses(
    host: str, port: int, *, allow_local: bool, resolve: Resolve = socket.getaddrinfo
) -> list[Address]:
    """Return every address of a host. One look-up serves the check and the connection, so both see the same addresses.

    Raises:
        HandlerError: the name does not resolve, or hookline must not call one of its addresses (docs/formats/starchild.md 8: one such
            address refuses the whole answer).
    """
    try:
        places = [found[4][0] for found in resolve(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        raise HandlerError(f"`{host}` cannot be resolved") from None
    if not places:
        raise HandlerError(f"`{host}` has no address")
    return list(
        dict.fromkeys(
            _check_address(host, place, port, allow_local=allow_local) for place in places
        )
    )


def _check_address(host: str, place: str, port: int, *, allow_local: bool) -> Address:
    try:
        address = unmap_ipv4(ip_address(place))
    except ValueError:
        raise HandlerError(f"`{host}` resolves to no IP address") from None
    why = explain_refused_address(address, allow_local=allow_local)
    if why:
        raise HandlerError(f"`{host}` resolves to `{place}`: {why}")
    if address.version == 4:  # noqa: PLR2004 - IPv4
        return Address(family=socket.AF_INET, place=(str(address), port))
    return Address(family=socket.AF_INET6, place=(str(address), port, 0, 0))


def is_connected_to(address: Address, sock: socket.socket) -> bool:
    """Return whether a connected socket ends at the address that was checked (docs/explanation/security.md 3).

    Raises:
        OSError: the socket is no longer connected.
    """
    host, port = sock.getpeername()[:2]
    return bool(ip_address(host) == ip_address(address.place[0]) and port == address.place[1])
