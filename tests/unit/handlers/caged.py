"""A cage for calls: its own network without a way out, in which each address is one canary.

Started as a program, it reads rows (`ssrf.json`) from stdin, and writes what came of a call of each
one to stdout. Two rows of the kernel's routing table make each IPv4 and IPv6 address one of this
machine, so that nothing that is let through gets lost.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import select
import socket
import ssl
import struct
import sys
import threading
from contextlib import suppress
from ipaddress import IPv6Address
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from hookline.handlers.http import call
from hookline.model.spec import Http

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000  # linux/sched.h
GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 0x1  # linux/sockios.h, linux/if.h
NEW_ROUTE, REQUEST, ACKNOWLEDGE, CREATE = 24, 0x1, 0x4, 0x400  # linux/rtnetlink.h, linux/netlink.h
LOCAL_TABLE, BY_HAND, THIS_HOST, LOCAL_ROUTE, DEVICE = 255, 3, 254, 2, 4  # linux/rtnetlink.h
LOOPBACK = 1  # the first device of every network
PORTS = (80, 443, 8080)
SECONDS = 10.0
PAYLOAD = '{"event": "on_stop"}\n'


class ForbiddenError(Exception):
    """This machine allows no network namespaces."""


# -- the network -----------------------------------------------------------------------------------


def leave() -> None:
    """Leave the machine's network for an empty one, in which every address is local."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_NETWORK) and libc.unshare(NEW_USER | NEW_NETWORK):
        raise ForbiddenError(f"no network namespace: {os.strerror(ctypes.get_errno())}")
    try:
        with socket.socket() as sock:
            flags = struct.unpack_from(
                "16xh", fcntl.ioctl(sock, GET_FLAGS, struct.pack("16sh", b"lo", 0))
            )[0]
            fcntl.ioctl(sock, SET_FLAGS, struct.pack("16sh", b"lo", flags | UP))
        for family in (socket.AF_INET, socket.AF_INET6):
            keep_everything(family)
    except OSError as error:
        raise ForbiddenError(f"no addresses in a network namespace: {error.strerror}") from None


def keep_everything(family: int) -> None:
    """Make every address of a family one of this machine: `ip route add local default dev lo`."""
    route = struct.pack(
        "=BBBBBBBBI", family, 0, 0, 0, LOCAL_TABLE, BY_HAND, THIS_HOST, LOCAL_ROUTE, 0
    )
    body = route + struct.pack("=HHI", 8, DEVICE, LOOPBACK)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as kernel:
        kernel.send(
            struct.pack("=IHHII", 16 + len(body), NEW_ROUTE, REQUEST | ACKNOWLEDGE | CREATE, 1, 0)
            + body
        )
        error = -struct.unpack_from("=16xi", kernel.recv(4096))[0]
    if error:
        raise OSError(error, os.strerror(error))


# -- the canary ------------------------------------------------------------------------------------


class Canary:
    """A service at every address: records where it was reached, by which name, and what it got."""

    def __init__(self, certificate: str) -> None:
        self.doors = [
            socket.create_server(
                ("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=64
            )
            for port in PORTS
        ]
        for door in self.doors:
            door.setblocking(False)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.set_servername_callback(lambda _, name, __: self.names.append(name or ""))
        if certificate:
            self.tls.load_cert_chain(certificate)
        self.reached: list[str] = []
        self.names: list[str] = []
        self.heard: list[str] = []

    def watch(self, visit: Callable[[], Any]) -> Any:
        """What a visit returns, after all its requests were answered."""
        self.reached, self.names, self.heard = [], [], []
        returned: list[Any] = []
        read, write = os.pipe()

        def go() -> None:
            try:
                returned.append(visit())
            finally:
                os.close(write)

        visitor = threading.Thread(target=go)
        visitor.start()
        while read not in (ready := select.select([*self.doors, read], [], [])[0]):
            self.answer_all(ready)
        visitor.join()
        os.close(read)
        self.answer_all(self.doors)  # who only knocked
        return returned[0]

    def answer_all(self, doors: list[Any]) -> None:
        for door in doors:
            with suppress(BlockingIOError):
                while True:
                    self.answer(door.accept()[0])

    def answer(self, sock: socket.socket) -> None:
        """Answer one request; a path that begins with `/to?` sends its asker away."""
        host, port = sock.getsockname()[:2]
        inner = IPv6Address(host.partition("%")[0])
        self.reached.append(str(inner.ipv4_mapped or inner))
        sock.settimeout(SECONDS)
        with (
            suppress(OSError, ValueError),
            self.tls.wrap_socket(sock, server_side=True) if port == 443 else sock as spoken,
        ):
            heard = spoken.makefile("rb")
            method, target, _ = heard.readline().decode().split(" ", 2)
            headers = dict(
                line.decode().strip().lower().split(": ", 1)
                for line in iter(heard.readline, b"\r\n")
            )
            self.heard.append(f"{method} {heard.read(int(headers['content-length'])).decode()}")
            self.names.append(headers["host"])
            away = target.removeprefix("/to?") if target.startswith("/to?") else ""
            status = f"302 Found\r\nLocation: {away}" if away else "200 OK"
            spoken.sendall(f"HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\n{{}}".encode())


# -- the visits ------------------------------------------------------------------------------------


def resolving(answers: list[list[str]], asked: list[str]) -> Callable[..., list[Any]]:
    """A resolver whose answers follow each other; without any, only what is an address resolves."""
    left: Iterator[list[str]] = iter(answers)

    def resolve(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        if not answers:
            return socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST
            )
        return [(family_of(text), socket.SOCK_STREAM, 6, "", (text, port)) for text in next(left)]

    return resolve


def family_of(text: str) -> int:
    return socket.AF_INET6 if ":" in text else socket.AF_INET


def guarded(row: dict[str, Any], resolve: Callable[..., list[Any]]) -> dict[str, Any]:
    """The outcome of a call of the handler."""
    handler = Http(url=row["url"], allow_local=row.get("allow_local", False))
    try:
        outcome = call(handler, PAYLOAD, seconds=SECONDS, environ=os.environ, resolve=resolve)
    except Exception as error:  # noqa: BLE001 - an exception is a finding about its row
        return {"failure": type(error).__name__, "detail": str(error)}
    return {"failure": outcome.failure.name if outcome.failure else "", "detail": outcome.detail}


def unguarded(row: dict[str, Any]) -> None:
    """Connect to the address that a client without a guard would reach."""
    url = urlsplit(row["url"])
    host = row.get("answers", [[unquote(url.hostname or "")]])[0][0].encode("idna").decode()
    with suppress(OSError):
        socket.create_connection(
            (host, url.port or {"https": 443}.get(url.scheme, 80)), timeout=SECONDS
        ).close()


def visited(canary: Canary, row: dict[str, Any]) -> dict[str, Any]:
    """The result of a row, with and without the guard."""
    asked: list[str] = []
    resolve = resolving(row.get("answers", []), asked)
    done = canary.watch(lambda: guarded(row, resolve))
    done |= {
        "reached": canary.reached,
        "names": canary.names,
        "heard": canary.heard,
        "asked": asked,
    }
    if "ends" in row:
        canary.watch(lambda: unguarded(row))
        done["unguarded"] = canary.reached
    return done


def main() -> None:
    """Visit each row."""
    rows = json.load(sys.stdin)
    try:
        leave()
    except ForbiddenError as error:
        json.dump({"forbidden": str(error)}, sys.stdout)
        return
    canary = Canary(sys.argv[1] if len(sys.argv) > 1 else "")
    json.dump({"visits": [visited(canary, row) for row in rows]}, sys.stdout)


if __name__ == "__main__":
    main()
