"""Address: what a host's name stands for, all of it checked before anybody connects to any of it."""

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

    # What `socket.getaddrinfo` does.
    Resolve: TypeAlias = Callable[..., list[Any]]


class Address(Frozen):
    """One address of a host, as `socket.socket` and its `connect` take it: a mapped address as IPv4, and none with a zone."""

    family: int
    place: tuple[Any, ...]


def addresses(
    host: str, port: int, *, allow_local: bool, resolve: Resolve = socket.getaddrinfo
) -> list[Address]:
    """Every address of a host, asked for once: who connects to one of these connects to what was checked.

    Raises:
        HandlerError: the name does not resolve, or one of its addresses must not be called (docs/formats/starchild.md 8
            answer is refused as a whole).
    """
    try:
        places = [found[4][0] for found in resolve(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        raise HandlerError(f"`{host}` is no name that can be resolved") from None
    if not places:
        raise HandlerError(f"`{host}` has no address")
    return list(
        dict.fromkeys(_checked(host, place, port, allow_local=allow_local) for place in places)
    )


def _checked(host: str, place: str, port: int, *, allow_local: bool) -> Address:
    try:
        address = unmap_ipv4(ip_address(place))
    except ValueError:
        raise HandlerError(f"`{host}` resolves to what is no address") from None
    why = explain_refused_address(address, allow_local=allow_local)
    if why:
        raise HandlerError(f"`{host}` resolves to `{place}`: {why}")
    if address.version == 4:  # noqa: PLR2004 - IPv4
        return Address(family=socket.AF_INET, place=(str(address), port))
    return Address(family=socket.AF_INET6, place=(str(address), port, 0, 0))


def is_met(address: Address, sock: socket.socket) -> bool:
    """Whether a connected socket ends where it was told to (docs/explanation/security.md 3, 3).

    Raises:
        OSError: it is not connected any more.
    """
    host, port = sock.getpeername()[:2]
    return bool(ip_address(host) == ip_address(address.place[0]) and port == address.place[1])
