"""Border: who may ask over TCP: whoever has the token and is no web page. A unix socket is guarded by its file's mode."""

from __future__ import annotations

import hmac
import ipaddress
import re
from typing import TYPE_CHECKING

from hookline.server.problems import APPROVE, CHAT, RequestError, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.types import ASGIApp, Receive, Scope, Send

_HOST = re.compile(r"(?:\[(?P<six>[^\[\]]+)\]|(?P<other>[^:\[\]]+))(?::\d*)?", re.ASCII)
OPEN_TO_ALL = "/v1/health"
# In a scope: what to call when a request has shown the token. It may raise a `RequestError`.
ADMIT = "hookline.admit"


class Border:
    """What stands before the endpoints.

    `names`: those that the server goes by beside its addresses and `localhost`. `open_to_all`: paths that need no token here.
    `token_file`: where the token lies, which only who asks from this machine is told. `refused` is told the code of every request
    that does not pass.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        token_file: str = "",
        names: Sequence[str] = (),
        open_to_all: Sequence[str] = (),
        refused: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.app = app
        self._token = token.encode("ascii")
        self._token_file = token_file
        self._open = frozenset((OPEN_TO_ALL, *open_to_all))
        self._names = frozenset(name.lower() for name in ("localhost", *names))
        self._refused = refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not through_a_file(scope):
            try:
                self._check(scope)
            except RequestError as error:
                self._refused(error.code)
                await refusal(error, scope["path"])(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        hosts = headers_of(scope, b"host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            # A web page whose name was made to point here (DNS rebinding) still sends that name.
            raise RequestError(
                403,
                "serve.origin",
                "the `Host` header names another server",
                hint="name it with --host-name if it is this one",
            )
        if headers_of(scope, b"origin"):
            raise RequestError(
                403,
                "serve.origin",
                "web pages may not ask",
                hint="a request without an `Origin` header may",
            )
        if self._has_token(scope):
            if ADMIT in scope:
                scope[ADMIT]()
        elif scope["path"] not in self._open:
            raise tokenless(scope, self._token_file)

    def _is_ours(self, host: str) -> bool:
        """Whether a host is a name of ours, or an address, which no name server can turn into another."""
        found = _HOST.fullmatch(host)
        name = (found["six"] or found["other"]) if found else ""
        if name.lower().rstrip(".") in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _has_token(self, scope: Scope) -> bool:
        shown = headers_of(scope, b"authorization")
        scheme, _, token = shown[0].partition(" ") if len(shown) == 1 else ("", "", "")
        return scheme.lower() == "bearer" and hmac.compare_digest(
            token.strip().encode("latin-1"), self._token
        )


def tokenless(scope: Scope, token_file: str = "") -> RequestError:
    """The refusal of a request that shows no token, or another one: what to send, and where it lies.

    That is told on this machine only, and to nobody who wants to have hooks approved: the agent may propose, and need not be shown
    the way round the person.
    """
    hint = "send `Authorization: Bearer TOKEN`"
    peer = scope.get("client")
    if scope.get("path") in (APPROVE, CHAT):
        hint += ", or a person approves: hookline approve"
    elif token_file and is_loopback(peer[0] if peer else ""):
        hint += f"; TOKEN is in the file `{token_file}`"
    headers = {"WWW-Authenticate": 'Bearer realm="hookline"'}
    return RequestError(
        401, "serve.token", "the token is missing, or wrong", hint=hint, headers=headers
    )


def is_loopback(host: str) -> bool:
    """Whether an address is of this machine only."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def through_a_file(scope: Scope) -> bool:
    """Whether the request came through a unix socket: then the server has a path and no port."""
    server = scope.get("server")
    return server is not None and server[1] is None


def headers_of(scope: Scope, wanted: bytes) -> list[str]:
    """The values of a header, whose name is in lower case."""
    return [value.decode("latin-1") for name, value in scope["headers"] if name.lower() == wanted]
