"""Address: what a host's name stands for, all of it checked before anybody connects to any of it."""

from __future__ import annotations

import socket
from ipaddress import ip_address

from hookline.errors import HandlerError
from hookline.model.frozen import Frozen
from hookline.text.urls import refused_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    # What `socket.getaddrinfo` does.
    Resolve: TypeAlias = Callable[..., list[Any]]


class Address(Frozen):
    """One address of a host, as `socket.socket` and its `connect` take it."""

    family: int
    kind: int
    protocol: int
    place: tuple[Any, ...]


def addresses(host: str, port: int, *, allow_local: bool, resolve: Resolve = socket.getaddrinfo) -> list[Address]:
    """Every address of a host, asked for once: who connects to one of these connects to what was checked.

    Raises:
        HandlerError: the name does not resolve, or one of its addresses must not be called (starchild.md 8: a mixed
            answer is refused as a whole).
    """
    try:
        found = resolve(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise HandlerError(f"`{host}` is no name that can be resolved") from None
    for *_, place in found:
        why = refused_address(ip_address(place[0]), allow_local=allow_local)
        if why:
            raise HandlerError(f"`{host}` resolves to `{place[0]}`: {why}")
    if not found:
        raise HandlerError(f"`{host}` has no address")
    return [Address(family=family, kind=kind, protocol=protocol, place=place) for family, kind, protocol, _, place in found]
