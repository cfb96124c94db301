"""Authentication: over TCP, a request needs the token and must not come from a web page.

The token proves that a sender may read this user's files. File permissions protect a unix socket.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import re
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from hookline.errors import ConfigError
from hookline.paths import make_private_folder, read_private, state_folder, write_private
from hookline.server.responses import APPROVE, CHAT, RequestError, make_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from starlette.types import ASGIApp, Receive, Scope, Send

_HOST = re.compile(r"(?:\[(?P<six>[^\[\]]+)\]|(?P<other>[^:\[\]]+))(?::\d*)?", re.ASCII)
OPEN_TO_ALL = "/v1/health"
# Scope key: a function to call once a request has shown the token. It may raise a `RequestError`.
ADMIT = "hookline.admit"
_SHORTEST = 16  # characters of a token
_LONGEST = 4096  # bytes of its file


class TokenCheck:
    """Checks each request before the endpoints.

    `names`: names of the server besides its addresses and `localhost`. `open_to_all`: paths that
    need no token. `refused` receives the code of each refused request.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        names: Sequence[str] = (),
        open_to_all: Sequence[str] = (),
        refused: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.app = app
        self._token = token
        self._open = frozenset((OPEN_TO_ALL, *open_to_all))
        self._names = frozenset(name.lower() for name in ("localhost", *names))
        self._refused = refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not is_unix_socket(scope):
            try:
                self._check(scope)
            except RequestError as error:
                self._refused(error.code)
                await make_problem(error, path=scope["path"])(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            # DNS rebinding makes a page's name point here, but the page still sends that name
            raise RequestError(
                403,
                "serve.origin",
                "the `Host` header names another server",
                hint="name it with --host-name if it is this one",
            )
        if "origin" in headers:
            raise RequestError(
                403,
                "serve.origin",
                "web pages may not ask",
                hint="a request without an `Origin` header may",
            )
        if has_token(scope, self._token):
            if ADMIT in scope:
                scope[ADMIT]()
        elif scope["path"] not in self._open:
            raise make_token_error(scope)

    def _is_ours(self, host: str) -> bool:
        """Return whether a host is a name of this server, or an address, which no DNS rebinds."""
        found = _HOST.fullmatch(host)
        name = (found["six"] or found["other"]) if found else ""
        if name.lower().rstrip(".") in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def has_token(scope: Scope, token: str) -> bool:
    """Return whether a request shows this token; never if it is empty."""
    shown = Headers(scope=scope).getlist("authorization")
    scheme, _, given = shown[0].partition(" ") if len(shown) == 1 else ("", "", "")
    is_same = hmac.compare_digest(given.strip().encode("latin-1"), token.encode("ascii"))
    return bool(token) and scheme.lower() == "bearer" and is_same


def make_token_error(scope: Scope) -> RequestError:
    """Return the error for a request without a valid token.

    Its hint never says where the token is if hooks are to be approved: the agent may propose, but
    must not learn how to bypass the person.
    """
    where = "`hookline serve` prints which file the token is in"
    if scope.get("path") in (APPROVE, CHAT):
        where = "or a person approves: hookline approve"
    hint = f"send `Authorization: Bearer TOKEN`; {where}"
    headers = {"WWW-Authenticate": 'Bearer realm="hookline"'}
    message = "the token is missing, or wrong"
    return RequestError(401, "serve.token", message, hint=hint, headers=headers)


def is_loopback(host: str) -> bool:
    """Return whether an address belongs to this machine only."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def is_unix_socket(scope: Scope) -> bool:
    """Return whether a request came through a unix socket, whose server has a path and no port."""
    server = scope.get("server")
    return server is not None and server[1] is None


# -- the file of the token -------------------------------------------------------------------------


def default_token_path(environ: Mapping[str, str]) -> str:
    """Return the default path of the token: in hookline's state folder."""
    return f"{state_folder(environ)}/serve.token"


def read_token(path: str) -> str:
    """Return the token in a file; create the file with a new token if it is missing.

    Raises:
        ConfigError: the file belongs to another user, others may read it, it cannot be read or
            created, or has no token.
    """
    try:
        if not os.path.lexists(path):
            make_private_folder(os.path.dirname(path))
            with suppress(FileExistsError):  # another server has just made it
                write_private(path, f"{secrets.token_urlsafe(32)}\n".encode(), replace=False)
        token = read_private(path, _LONGEST).decode("ascii", "replace").strip()
    except OSError as error:
        raise _unusable_error(path, error) from None
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        why = f"it holds no token: one line of {_SHORTEST} or more printable characters"
        raise _unusable_error(path, why)
    return token


def _unusable_error(path: str, why: OSError | str) -> ConfigError:
    reason = why if isinstance(why, str) else why.strerror or str(why)
    words = f"the token file `{path}` cannot be used: {reason}"
    return ConfigError(words, name="serve.token", hint="name another with --token-file")
