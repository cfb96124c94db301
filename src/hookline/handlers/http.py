"""HTTP: sends one payload to one address and returns the answer.

No proxy, no redirect, no compression, no second look-up; TLS as this machine trusts it. Rules:
docs/formats/starchild.md 8. `concurrent_http` runs the calls and ends each of them at its time
limit.
"""

from __future__ import annotations

import base64
import hmac
import json
import os
import re
import socket
import time
from http.client import HTTPException, IncompleteRead, RemoteDisconnected, responses
from urllib.parse import quote, urlsplit

from hookline.errors import HandlerError
from hookline.handlers.checked_connection import CheckedConnection
from hookline.model.verdict import Failure, Outcome, RemoteHandlerError
from hookline.text.urls import canonical_host, describe_url, explain_refused_url
from hookline.wire.http_spec import UNSENT
from hookline.wire.templates import fill_strictly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.handlers.checked_connection import Resolve
    from hookline.model.spec import Http

LARGEST = 1 << 20  # bytes of an answer
_REFERENCE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_SIGNED = frozenset({"webhook-id", "webhook-timestamp", "webhook-signature"})
# Characters that stay as they are in a path; all others are escaped.
_PLAIN = "%/:=&?~+!$,;'@()*[]"


def call(
    http: Http,
    payload: str,
    *,
    seconds: float,
    environ: Mapping[str, str],
    largest: int = LARGEST,
    opened: Callable[[socket.socket], object] = lambda _: None,
    resolve: Resolve = socket.getaddrinfo,
) -> Outcome:
    """Send a payload and return the outcome; raises nothing for faults of the other side.

    `seconds` limits the connection, and then each step. `largest`: the most bytes of an answer,
    unless the handler says it. `opened` is called with each socket, so that the caller can shut it.
    """
    began = time.monotonic()
    try:
        body = _make_body(http, payload, seconds).encode("utf-8", "surrogatepass")
        text = send_request(
            http.url,
            http.method,
            body,
            _headers(http, body, environ),
            seconds=seconds,
            largest=http.largest or largest,
            opened=opened,
            allow_local=http.allow_local,
            resolve=resolve,
        )
    except RemoteHandlerError as error:
        spent = time.monotonic() - began
        return Outcome(failure=error.failure, detail=error.detail, seconds=spent)
    return Outcome(exit_code=0, stdout=text, seconds=time.monotonic() - began)


def send_request(
    address: str,
    method: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    seconds: float,
    largest: int,
    opened: Callable[[socket.socket], object],
    allow_local: bool,
    only_local: bool = False,
    resolve: Resolve = socket.getaddrinfo,
) -> str:
    """Send a request and return the answer: JSON or nothing, at most `largest` bytes long.

    The other arguments are as in `call` and `resolve_addresses`.

    Raises:
        RemoteHandlerError: there is no such answer, or its status is not a success.
    """
    why = explain_refused_url(address, allow_local=allow_local)
    if why:
        message = f"{describe_url(address)} must not be called: {why}"
        raise RemoteHandlerError(Failure.UNREACHABLE, message)
    url = urlsplit(address)
    host = canonical_host(url.hostname or "")
    named = f"[{host}]" if ":" in host else host
    connection = CheckedConnection(
        host,
        url.port or (443 if url.scheme == "https" else 80),
        encrypted=url.scheme == "https",
        seconds=seconds,
        opened=opened,
        allow_local=allow_local,
        only_local=only_local,
        resolve=resolve,
    )
    own = {
        "Host": named if url.port is None else f"{named}:{url.port}",
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    query = f"?{quote(url.query, safe=_PLAIN)}" if url.query else ""
    target = quote(url.path or "/", safe=_PLAIN) + query
    try:
        connection.request(method, target, body=body, headers={**headers, **own})
        with connection.getresponse() as response:
            _check_status(response.status)
            content = response.read(largest + 1)
            missing = response.length or 0
    except (HandlerError, OSError, HTTPException) as error:
        raise RemoteHandlerError(*_explain_failure(error, seconds)) from error
    finally:
        connection.close()
    if len(content) + missing > largest:
        raise RemoteHandlerError(Failure.FLOODED, f"more than {largest:,} bytes")
    if missing:
        raise RemoteHandlerError(Failure.UNREADABLE, "it broke off")
    return _decode_json(content)


# -- the request -----------------------------------------------------------------------------------


def _make_body(http: Http, payload: str, seconds: float) -> str:
    """Return what a call sends.

    Raises:
        RemoteHandlerError: its template cannot be filled in.
    """
    if not http.fills_body:
        return http.body or payload
    until = time.monotonic() + seconds
    try:
        return fill_strictly(http.body, payload, late=lambda: time.monotonic() > until)
    except HandlerError as error:
        raise RemoteHandlerError(Failure.NOT_STARTED, f"its body: {error}") from None


def _headers(http: Http, body: bytes, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a call.

    Messages never repeat an invalid value, because it may be secret.

    Raises:
        RemoteHandlerError: one of them cannot be sent, or the payload cannot be signed.
    """

    def fill(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return environ.get(name, "") if name in http.env else ""

    own = {
        name: _REFERENCE.sub(fill, value)
        for name, value in http.headers.items()
        if name.lower() not in UNSENT
    }
    given = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": "hookline",
    }
    for name, value in own.items():
        if http.secret and name.lower() in _SIGNED:
            raise RemoteHandlerError(
                Failure.NOT_STARTED, f"the header `{name}` is that of its signature"
            )
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            raise RemoteHandlerError(Failure.NOT_STARTED, f"the header `{name:.80}` cannot be sent")
        given = {other: kept for other, kept in given.items() if other.lower() != name.lower()}
    return given | own | (_signature(http.secret, body, environ) if http.secret else {})


def _signature(variable: str, body: bytes, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that sign the payload, as Standard Webhooks defines them."""
    secret = environ.get(variable, "")
    if not secret:
        why = f"the variable `{variable}`, which holds the key of its signature, is not set"
        raise RemoteHandlerError(Failure.NOT_STARTED, why)
    key = secret.encode("utf-8", "surrogateescape")
    if secret.startswith("whsec_"):
        try:
            key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        except ValueError:
            why = f"the variable `{variable}` begins with `whsec_`, but no Base64 follows"
            raise RemoteHandlerError(Failure.NOT_STARTED, why) from None
    delivery, moment = f"msg_{os.urandom(16).hex()}", str(int(time.time()))
    return {
        "Webhook-Id": delivery,
        "Webhook-Timestamp": moment,
        "Webhook-Signature": sign(key, delivery, moment, body),
    }


def sign(key: bytes, delivery: str, moment: str, body: bytes) -> str:
    """Return the signature of a delivery; `moment` in seconds since 1970."""
    digest = hmac.digest(key, f"{delivery}.{moment}.".encode() + body, "sha256")
    return f"v1,{base64.b64encode(digest).decode()}"


# -- the answer ------------------------------------------------------------------------------------


def _check_status(status: int) -> None:
    if 200 <= status < 300:  # noqa: PLR2004 - the successes of HTTP
        return
    text = f"{status} {responses.get(status, '')}".rstrip()
    # Its redirects.
    aside = ", and redirects are not followed" if 300 <= status < 400 else ""  # noqa: PLR2004
    raise RemoteHandlerError(Failure.REJECTED, text + aside)


def _decode_json(body: bytes) -> str:
    try:
        text = body.decode("utf-8")
        if text.strip("\ufeff \t\r\n"):
            json.loads(text.strip().removeprefix("\ufeff"))
    except UnicodeDecodeError:
        raise RemoteHandlerError(Failure.UNREADABLE, "it is no text in UTF-8") from None
    except json.JSONDecodeError as error:
        why = f"it is no JSON: {error.msg.lower()} at line {error.lineno}"
        raise RemoteHandlerError(Failure.UNREADABLE, why) from None
    except (ValueError, RecursionError):
        raise RemoteHandlerError(
            Failure.UNREADABLE, "it is no JSON, or nested too deeply"
        ) from None
    return text


def _explain_failure(error: Exception, seconds: float) -> tuple[Failure, str]:
    match error:
        case HandlerError():
            return Failure.UNREACHABLE, str(error)
        case TimeoutError():
            return Failure.TIMED_OUT, f"after {seconds:g} s"
        case RemoteDisconnected():
            return Failure.UNREACHABLE, "it hung up without an answer"
        case IncompleteRead():
            return Failure.UNREADABLE, "it broke off"
        case HTTPException():
            return Failure.UNREADABLE, "it does not speak HTTP"
    # The words of a TLS error are in the first or second of these, those of any other in the last.
    words = (getattr(error, name, None) for name in ("verify_message", "reason", "strerror"))
    text = str(next(filter(None, words), "the connection broke"))
    return Failure.UNREACHABLE, text.lower().replace("_", " ")
