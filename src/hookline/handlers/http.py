"""HTTP: sends one payload to one address and returns the answer, within one time limit.

No proxy, no redirect, no compression, no second look-up; TLS as this machine trusts it. Rules: docs/formats/starchild.md 8.
"""

from __future__ import annotations

import json
import re
import socket
import time
from http.client import HTTPConnection, HTTPException, IncompleteRead, RemoteDisconnected, responses
from urllib.parse import quote, urlsplit

from hookline.errors import HandlerError
from hookline.handlers.deadline_connection import DeadlineConnection, FloodError
from hookline.model.outcome import Failure, Outcome
from hookline.text.urls import canonical_host, describe_url, explain_refused_url
from hookline.wire.http_spec import UNSENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from http.client import HTTPResponse
    from urllib.parse import SplitResult

    from hookline.handlers.name_resolution import Resolve
    from hookline.model.handler import Http

LARGEST = 1 << 20  # bytes of an answer
HEAD = 1 << 18  # bytes of an answer's head, and of informational heads before it
_FRAMES = 8  # overhead per byte of an answer that comes in chunks of one byte
_PORTS: Mapping[str, int] = {"http": 80, "https": 443}
_REFERENCE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_LENGTH = re.compile(r"[0-9]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_SIGNED = frozenset({"webhook-id", "webhook-timestamp", "webhook-signature"})
# Characters that stay as they are in a path; all others are escaped.
_PLAIN = "%/:=&?~+!$,;'@()*[]"


class CallError(Exception):
    """A call without an answer; names the failure and its detail."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


def call(
    http: Http,
    payload: str,
    *,
    seconds: float,
    environ: Mapping[str, str],
    largest: int = LARGEST,
    opened: Callable[[socket.socket], object] = lambda _: None,
    resolve: Resolve = socket.getaddrinfo,
    clock: Callable[[], float] = time.monotonic,
) -> Outcome:
    """Send a payload and return the outcome; raises nothing for faults of the other side.

    `seconds` is the total time, from the look-up of the name to the last byte; only the look-up cannot be cut short.
    `largest`: the most bytes of an answer, unless the handler says it. `opened` is called with each socket, so that the caller can
    shut it.
    """
    began = clock()
    line = DeadlineConnection(
        began + seconds, most=HEAD, clock=clock, opened=opened, resolve=resolve
    )
    try:
        text = _exchange(
            http,
            (http.body or payload).encode("utf-8", "surrogatepass"),
            environ,
            line,
            http.largest or largest,
        )
    except (CallError, HandlerError, FloodError, OSError, HTTPException) as error:
        failure, detail = explain_failure(error, seconds)
    else:
        return Outcome(exit_code=0, stdout=text, seconds=clock() - began)
    finally:
        line.hang_up()
    return Outcome(failure=failure, detail=detail, seconds=clock() - began)


def _exchange(
    http: Http, body: bytes, environ: Mapping[str, str], line: DeadlineConnection, largest: int
) -> str:
    why = explain_refused_url(http.url, allow_local=http.allow_local)
    if why:
        raise HandlerError(f"{describe_url(http.url)} must not be called: {why}")
    url = urlsplit(http.url)
    host = canonical_host(url.hostname or "")
    headers = _headers(http, body, environ) | {
        "Host": _authority(host, url.port),
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    response = send_request(
        line, url, http.method, body, headers, allow_local=http.allow_local, largest=largest
    )
    return _answer(response, largest)


def send_request(
    line: DeadlineConnection,
    url: SplitResult,
    method: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    allow_local: bool,
    largest: int,
) -> HTTPResponse:
    """Send a request over a new connection and return the answer's head; `largest`: the most bytes of its body.

    Raises:
        CallError, HandlerError, FloodError, OSError, HTTPException: there is no answer; `explain_failure` says why.
    """
    host = canonical_host(url.hostname or "")
    line.dial(host, url.port or _PORTS[url.scheme], allow_local=allow_local)
    if url.scheme == "https":
        line.encrypt(host)
    connection = HTTPConnection("unused")
    connection.sock = line  # it has the part of a socket that HTTP uses
    connection.request(method, _target(url), body=body, headers=dict(headers))
    response = connection.getresponse()
    if line.cut:
        raise CallError(Failure.UNREADABLE, "it broke off")
    if not _is_framed_once(response):
        raise CallError(Failure.UNREADABLE, "it says two lengths, or one that is no number")
    line.most += _FRAMES * largest
    return response


def _is_framed_once(response: HTTPResponse) -> bool:
    """Return whether an answer's length is unambiguous (RFC 9112 6.3: there is no recovery from conflicting lengths)."""
    said = {length.strip() for length in response.headers.get_all("Content-Length", [])}
    return len(said) <= 1 and all(_LENGTH.fullmatch(length) for length in said)


# -- the address ---------------------------------------------------------------------------------------------------------


def _authority(host: str, port: int | None) -> str:
    named = f"[{host}]" if ":" in host else host
    return named if port is None else f"{named}:{port}"


def _target(url: SplitResult) -> str:
    query = f"?{quote(url.query, safe=_PLAIN)}" if url.query else ""
    return quote(url.path or "/", safe=_PLAIN) + query


# -- the request ---------------------------------------------------------------------------------------------------------


def _headers(http: Http, body: bytes, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a call; messages never repeat an invalid value, because it may be secret."""
    own = {
        name: _fill_references(value, http.env, environ)
        for name, value in http.headers.items()
        if name.lower() not in UNSENT
    }
    if http.secret:
        if twice := next((name for name in own if name.lower() in _SIGNED), ""):
            raise CallError(Failure.NOT_STARTED, f"the header `{twice}` is that of its signature")
        own |= _signature(http.secret, body, environ)
    for name, value in own.items():
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            raise CallError(Failure.NOT_STARTED, f"the header `{name:.80}` cannot be sent")
    said = {name.lower() for name in own}
    given = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": "hookline",
    }
    return {name: value for name, value in given.items() if name.lower() not in said} | own


def _fill_references(value: str, env: tuple[str, ...], environ: Mapping[str, str]) -> str:
    """Expand the variables that a value may use."""
    return _REFERENCE.sub(
        lambda found: environ.get(name, "") if (name := found[1] or found[2]) in env else "", value
    )


def _signature(variable: str, body: bytes, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that sign the payload, with delivery id and timestamp, as Standard Webhooks defines them."""
    import base64  # noqa: PLC0415 - few hooks have a secret
    import os  # noqa: PLC0415 - as above

    secret = environ.get(variable, "")
    if not secret:
        raise CallError(
            Failure.NOT_STARTED,
            f"the variable `{variable}`, which holds the key of its signature, is not set",
        )
    coded = secret.startswith("whsec_")
    try:
        key = (
            base64.b64decode(secret.removeprefix("whsec_"), validate=True)
            if coded
            else secret.encode("utf-8", "surrogateescape")
        )
    except ValueError:
        raise CallError(
            Failure.NOT_STARTED,
            f"the variable `{variable}` begins with `whsec_`, but no Base64 follows",
        ) from None
    delivery, moment = f"msg_{os.urandom(16).hex()}", str(int(time.time()))
    return {
        "Webhook-Id": delivery,
        "Webhook-Timestamp": moment,
        "Webhook-Signature": sign(key, delivery, moment, body),
    }


def sign(key: bytes, delivery: str, moment: str, body: bytes) -> str:
    """Return the signature of a delivery: HMAC-SHA256 over id, time (seconds since 1970) and body (Standard Webhooks)."""
    import base64  # noqa: PLC0415 - few hooks have a secret
    import hmac  # noqa: PLC0415 - as above

    digest = hmac.digest(key, f"{delivery}.{moment}.".encode() + body, "sha256")
    return f"v1,{base64.b64encode(digest).decode()}"


# -- the answer ----------------------------------------------------------------------------------------------------------


def _answer(response: HTTPResponse, largest: int) -> str:
    """Return the text of an answer, which must be JSON or empty.

    Raises:
        CallError: it is neither, or its status is not a success.
    """
    if not 200 <= response.status < 300:  # noqa: PLR2004 - the successes of HTTP
        aside = ", and redirects are not followed" if 300 <= response.status < 400 else ""  # noqa: PLR2004 - its redirects
        raise CallError(
            Failure.REJECTED,
            f"{response.status} {responses.get(response.status, '')}".rstrip() + aside,
        )
    if response.getheader("Content-Encoding", "identity").lower() != "identity":
        raise CallError(Failure.UNREADABLE, "it is compressed, which was not asked for")
    announced = response.length or 0
    body = response.read(largest + 1) if announced <= largest else b""
    if max(announced, len(body)) > largest:
        raise CallError(Failure.FLOODED, f"more than {largest:,} bytes")
    if response.length:
        raise CallError(Failure.UNREADABLE, "it broke off")
    return _text(body)


def _text(body: bytes) -> str:
    try:
        text = body.decode("utf-8")
        if text.strip("\ufeff \t\r\n"):
            json.loads(text.strip().removeprefix("\ufeff"))
    except UnicodeDecodeError:
        raise CallError(Failure.UNREADABLE, "it is no text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise CallError(
            Failure.UNREADABLE, f"it is no JSON: {error.msg.lower()} at line {error.lineno}"
        ) from None
    except (ValueError, RecursionError):
        raise CallError(Failure.UNREADABLE, "it is no JSON, or nested too deeply") from None
    return text


def explain_failure(error: Exception, seconds: float) -> tuple[Failure, str]:
    """Return why a call failed, in words that repeat nothing from the other side."""
    if isinstance(error, CallError):
        return error.failure, error.detail
    if isinstance(error, HandlerError):
        return Failure.UNREACHABLE, str(error)
    if isinstance(error, FloodError):
        return Failure.FLOODED, str(error)
    if isinstance(error, TimeoutError):
        return Failure.TIMED_OUT, f"after {seconds:g} s"
    if isinstance(error, RemoteDisconnected):
        return Failure.UNREACHABLE, "it hung up without an answer"
    if isinstance(error, IncompleteRead):
        return Failure.UNREADABLE, "it broke off"
    if isinstance(error, HTTPException):
        return Failure.UNREADABLE, "it does not speak HTTP"
    words = (getattr(error, name, None) for name in ("verify_message", "reason", "strerror"))
    return Failure.UNREACHABLE, str(
        next(filter(None, words), "the connection broke")
    ).lower().replace("_", " ")
