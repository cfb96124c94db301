"""One call: what is sent, what its answer becomes, which hosts it may reach, and for how long."""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import TYPE_CHECKING, Any

import pytest

from hookline.handlers.http import LARGEST, call, sign
from hookline.model.spec import Http
from hookline.model.verdict import Failure, Outcome
from tests.unit.handlers.serving import LOCAL, Asked, closed_port, resolving, saying, serving

if TYPE_CHECKING:
    from collections.abc import Callable

PAYLOAD = '{"event": "on_stop", "text": "é"}\n'


def called(
    url: str,
    *,
    seconds: float = 10.0,
    environ: dict[str, str] | None = None,
    allow_local: bool = True,
    **rest: Any,
) -> Outcome:
    """The outcome of a call."""
    options = {name: rest.pop(name) for name in ("resolve", "largest", "opened") if name in rest}
    return call(
        Http(url=url, allow_local=allow_local, **rest),
        PAYLOAD,
        seconds=seconds,
        environ=environ or {},
        **options,
    )


def answered(answer: Callable[[Asked], None], **options: Any) -> Outcome:
    """The outcome of a call with this answer."""
    with serving(answer) as service:
        return called(service.url(), **options)


# -- answers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (saying(), ""),
        (saying(status=204), ""),
        (saying(" \n"), " \n"),
        (saying({"decision": "block", "reason": "no"}), '{"decision": "block", "reason": "no"}'),
        (saying('{"a": "é"}', status=201), '{"a": "é"}'),
        (saying(b"\xef\xbb\xbf{}"), "\ufeff{}"),
        (saying("[1]", Content_Type="text/plain"), "[1]"),
        (saying(b"{" + b" " * (LARGEST - 2) + b"}"), "{" + " " * (LARGEST - 2) + "}"),
    ],
)
def test_a_success_with_json_or_nothing_is_an_answer(
    answer: Callable[[Asked], None], text: str
) -> None:
    """The dialect reads what it means."""
    outcome = answered(answer)

    assert (outcome.failure, outcome.exit_code, outcome.stdout) == (None, 0, text)


def chunked(asked: Asked, *chunks: bytes, end: bool = True) -> None:
    """Answer in pieces, without saying how long it will be."""
    asked.protocol_version = "HTTP/1.1"
    asked.send_response(200)
    asked.send_header("Transfer-Encoding", "chunked")
    asked.end_headers()
    for chunk in chunks:
        asked.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
    asked.wfile.write(b"0\r\n\r\n" if end else b"")


def test_an_answer_may_come_in_pieces() -> None:
    """Or end with its connection."""

    def until_closed(asked: Asked) -> None:
        asked.wfile.write(b'HTTP/1.0 200 OK\r\n\r\n{"a": 1}')

    assert answered(lambda asked: chunked(asked, b'{"a"', b": 1}")).stdout == '{"a": 1}'
    assert answered(until_closed).stdout == '{"a": 1}'


def endless(asked: Asked) -> None:
    """Answer without an end."""
    chunked(asked, *[b" " * 65536] * 64, end=False)


@pytest.mark.parametrize(
    ("answer", "failure", "detail"),
    [
        (saying({}, 302, Location="http://example.org/"), Failure.REJECTED,
         "302 Found, and redirects are not followed"),
        (saying({}, 307, Location="/hook"), Failure.REJECTED,
         "307 Temporary Redirect, and redirects are not followed"),
        (saying({}, 304), Failure.REJECTED, "304 Not Modified, and redirects are not followed"),
        (saying({"decision": "block"}, 500), Failure.REJECTED, "500 Internal Server Error"),
        (saying({}, 404), Failure.REJECTED, "404 Not Found"),
        (saying({}, 799), Failure.REJECTED, "799"),
        (saying("<html>"), Failure.UNREADABLE, "it is no JSON: expecting value at line 1"),
        (saying("{} {}"), Failure.UNREADABLE, "it is no JSON: extra data at line 1"),
        (saying(b"[" * 100_000), Failure.UNREADABLE, "it is no JSON, or nested too deeply"),
        (saying(b'{"a": "\xff"}'), Failure.UNREADABLE, "it is no text in UTF-8"),
        (saying(b"\x1f\x8b", Content_Encoding="gzip"), Failure.UNREADABLE,
         "it is no text in UTF-8"),
        (saying("{}", length=9), Failure.UNREADABLE, "it broke off"),
        (lambda asked: chunked(asked, b"{", end=False), Failure.UNREADABLE, "it broke off"),
        (saying("{", length=LARGEST + 1), Failure.FLOODED, "more than 1,048,576 bytes"),
        (saying(" " * (LARGEST + 1)), Failure.FLOODED, "more than 1,048,576 bytes"),
        (endless, Failure.FLOODED, "more than 1,048,576 bytes"),
        (lambda asked: asked.wfile.write(b"SSH-2.0-OpenSSH\r\n\r\n"), Failure.UNREADABLE,
         "it does not speak HTTP"),
        (lambda asked: asked.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200 + b"\r\n"),
         Failure.UNREADABLE, "it does not speak HTTP"),
        (lambda _: None, Failure.UNREACHABLE, "it hung up without an answer"),
    ],
)  # fmt: skip
def test_anything_else_is_a_failure(
    answer: Callable[[Asked], None], failure: Failure, detail: str
) -> None:
    """Its text repeats nothing that the service chose."""
    outcome = answered(answer)

    assert (outcome.failure, outcome.detail, outcome.exit_code, outcome.stdout) == (
        failure,
        detail,
        None,
        "",
    )


def test_a_redirect_is_asked_for_nothing() -> None:
    """The payload goes only to the address in the file."""
    with (
        serving(saying({})) as elsewhere,
        serving(saying({}, 307, Location=elsewhere.url())) as service,
    ):
        called(service.url())

        assert (len(service.sent), elsewhere.sent) == (1, [])


def test_no_listener_is_a_failure() -> None:
    """A refused connection."""
    outcome = called(f"http://{LOCAL}:{closed_port()}/")

    assert (outcome.failure, outcome.detail) == (Failure.UNREACHABLE, "connection refused")


# -- time ------------------------------------------------------------------------------------------


def silent_after(*sent: bytes) -> Callable[[Asked], None]:
    """An answer that stops before its end."""

    def answer(asked: Asked) -> None:
        asked.wfile.writelines(sent)
        asked.hang()

    return answer


@pytest.mark.parametrize(
    "sent", [b"", b"HTTP/1.1 200 OK\r\nContent-", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"]
)
def test_who_does_not_answer_in_time_failed(sent: bytes) -> None:
    """Wherever it stops."""
    outcome = answered(silent_after(sent), seconds=0.1)

    assert (outcome.failure, outcome.detail) == (Failure.TIMED_OUT, "after 0.1 s")
    assert outcome.seconds >= 0.1


# -- who is called ---------------------------------------------------------------------------------

ELSEWHERE = [
    "127.0.0.1",
    "10.0.0.1",
    "192.168.1.1",
    "169.254.1.1",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "fe80::1",
    "fc00::1",
]
METADATA = ["169.254.169.254", "169.254.170.2", "168.63.129.16", "100.100.100.200", "fd00:ec2::254"]


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "2130706433", "127.1", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1"],
)
def test_a_host_on_this_machine_or_near_it_is_refused(host: str) -> None:
    """It is not even looked up, unless the user allows it."""
    asked: list[str] = []
    outcome = called(
        f"http://{host}:1/", allow_local=False, resolve=resolving("93.184.216.34", asked=asked)
    )

    assert (outcome.failure, asked) == (Failure.UNREACHABLE, [])
    assert "must not be called: its host is" in outcome.detail


@pytest.mark.parametrize(
    "url",
    [
        "https://me:s3cret@x.example/",
        "https://x.example:0/s3cret?key=s3cret",
        "http://127.0.0.1/s3cret?key=s3cret#s3cret",
        "s3cret",
    ],
)
def test_a_refusal_repeats_nothing_of_an_address_that_may_be_secret(url: str) -> None:
    """Its scheme and its host are enough to find it."""
    outcome = called(url, allow_local=False, resolve=resolving("127.0.0.1"))

    assert (outcome.failure, "must not be called" in outcome.detail) == (Failure.UNREACHABLE, True)
    assert "s3cret" not in outcome.detail


@pytest.mark.parametrize("address", [*ELSEWHERE, *METADATA])
def test_a_name_of_such_a_host_is_refused(address: str) -> None:
    """The resolved address counts, and the handler does not connect."""
    opened: list[Any] = []
    outcome = called(
        "http://policy.example/",
        allow_local=False,
        resolve=resolving(address),
        opened=opened.append,
    )

    assert (outcome.failure, opened) == (Failure.UNREACHABLE, [])
    assert outcome.detail.startswith(f"`policy.example` resolves to `{address}")


@pytest.mark.parametrize(
    "addresses", [("93.184.216.34", "127.0.0.1"), ("127.0.0.1", "93.184.216.34")]
)
def test_a_mixed_answer_is_refused(addresses: tuple[str, str]) -> None:
    """Every address must be one that may be called."""
    opened: list[Any] = []
    outcome = called(
        "http://policy.example/",
        allow_local=False,
        resolve=resolving(*addresses),
        opened=opened.append,
    )

    assert (outcome.failure, opened) == (Failure.UNREACHABLE, [])


@pytest.mark.parametrize("address", METADATA)
def test_the_credential_service_of_a_cloud_is_never_called(address: str) -> None:
    """Also with the local switch."""
    outcome = called("http://policy.example/", resolve=resolving(address))

    assert outcome.failure is Failure.UNREACHABLE
    assert "its host is a metadata address" in outcome.detail


def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    """The name is looked up once, so that it cannot mean something else a moment later."""
    asked: list[str] = []
    with serving(saying({})) as service:
        outcome = called(service.url(host="policy.example."), resolve=resolving(LOCAL, asked=asked))

        assert (outcome.failure, asked) == (None, ["policy.example"])
        assert service.sent[0].headers["host"] == f"policy.example:{service.server_port}"


def test_an_address_that_does_not_answer_is_not_the_last_word() -> None:
    """The handler tries the other addresses of the name."""
    with serving(saying({})) as service:
        assert (
            called(
                service.url(host="policy.example"), resolve=resolving("127.0.0.2", LOCAL)
            ).failure
            is None
        )


@pytest.mark.parametrize(
    ("found", "detail"),
    [
        ([], "`policy.example` has no address"),
        (OSError(), "`policy.example` cannot be resolved"),
    ],
)
def test_a_name_that_does_not_resolve_is_a_failure(found: list[Any] | OSError, detail: str) -> None:
    """At the call."""

    def resolve(*_: Any, **__: Any) -> list[Any]:
        if isinstance(found, OSError):
            raise found
        return found

    outcome = called("http://policy.example/", resolve=resolve)

    assert (outcome.failure, outcome.detail) == (Failure.UNREACHABLE, detail)


def test_an_international_name_is_asked_for_in_ascii() -> None:
    """As certificates and resolvers spell it."""
    asked: list[str] = []
    with serving(saying({})) as service:
        called(service.url(host="bücher.example"), resolve=resolving(LOCAL, asked=asked))
        unnamable = called(f"http://{'ü' * 80}.example/", resolve=resolving(LOCAL, asked=asked))

        assert asked == ["xn--bcher-kva.example"]
        assert unnamable.failure is Failure.UNREACHABLE


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "all_proxy"])
def test_no_proxy_is_asked(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of the environment would resolve the name again."""
    with serving(saying({})) as proxy, serving(saying({})) as service:
        monkeypatch.setenv(variable, proxy.url(""))
        called(service.url(), environ={variable: proxy.url("")})

        assert (len(service.sent), proxy.sent) == (1, [])


# -- what is sent ----------------------------------------------------------------------------------


def sent(environ: dict[str, str] | None = None, path: str = "/hook", **fields: Any) -> Any:
    """What a service was sent by a call."""
    with serving(saying({})) as service:
        outcome = called(service.url(path), environ=environ, **fields)
        assert outcome.failure is None
        return service.sent[0]


def test_the_payload_is_posted_as_json() -> None:
    """The very text that a command would be sent."""
    found = sent()

    assert (found.method, found.path, found.body) == ("POST", "/hook", PAYLOAD.encode())
    assert {
        name: found.headers[name]
        for name in (
            "content-type",
            "accept",
            "accept-encoding",
            "connection",
            "user-agent",
            "content-length",
        )
    } == {
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": "identity",
        "connection": "close",
        "user-agent": "hookline",
        "content-length": str(len(PAYLOAD.encode())),
    }


@pytest.mark.parametrize(
    ("path", "target"),
    [("", "/"), ("/a?b=c&d=%20#e", "/a?b=c&d=%20"), ("/é?ü=1", "/%C3%A9?%C3%BC=1"), ("?q", "/?q")],
)
def test_a_path_is_sent_as_it_is_written(path: str, target: str) -> None:
    """Without its fragment, and what is no ASCII escaped."""
    assert sent(path=path).path == target


def test_headers_may_hold_the_variables_that_they_may_know() -> None:
    """Other variables are empty, and a hook cannot set headers of the connection."""
    headers = {
        "Authorization": "Bearer $TOKEN",
        "X-Both": "${TOKEN}-$HOME.",
        "Host": "evil.example",
        "content-type": "application/x+json",
    }
    found = sent({"TOKEN": "t0k", "HOME": "/home/ann"}, headers=headers, env=("TOKEN",)).headers

    assert (found["authorization"], found["x-both"], found["content-type"]) == (
        "Bearer t0k",
        "t0k-.",
        "application/x+json",
    )
    assert found["host"].startswith(LOCAL)


@pytest.mark.parametrize(
    ("name", "value"),
    [("X-A", "s3cret\r\nX-B: 1"), ("X-A", "s3cret\u0100"), ("X A", "s3cret"), ("", "s3cret")],
)
def test_a_header_that_cannot_be_sent_is_a_failure(name: str, value: str) -> None:
    """The failure does not contain its value."""
    outcome = called("http://127.0.0.1:1/", headers={name: "$V"}, env=("V",), environ={"V": value})

    assert (outcome.failure, outcome.detail) == (
        Failure.NOT_STARTED,
        f"the header `{name}` cannot be sent",
    )


@pytest.mark.parametrize("secret", ["plain", "whsec_" + base64.b64encode(b"plain").decode()])
def test_a_payload_is_signed_where_there_is_a_key(secret: str) -> None:
    """The signature covers id, time and body; each delivery has its own id."""
    found = sent({"KEY": secret}, secret="KEY")  # noqa: S106 - the name of a variable
    signed = (
        f"{found.headers['webhook-id']}.{found.headers['webhook-timestamp']}.".encode() + found.body
    )
    digest = hmac.new(b"plain", signed, hashlib.sha256).digest()

    assert found.headers["webhook-signature"] == f"v1,{base64.b64encode(digest).decode()}"
    assert found.headers["webhook-timestamp"].isdigit()
    again = sent({"KEY": secret}, secret="KEY")  # noqa: S106 - as above
    assert again.headers["webhook-id"] != found.headers["webhook-id"]


@pytest.mark.parametrize("name", ["webhook-signature", "WEBHOOK-ID", "webhook-Timestamp"])
def test_a_hook_cannot_sign_beside_us(name: str) -> None:
    """In a hook with a key its own header is a failure; without a key it is sent as it is."""
    outcome = called(
        "http://127.0.0.1:1/",
        headers={name: "s3cret"},
        environ={"KEY": "k"},
        secret="KEY",  # noqa: S106 - a made-up one
    )

    assert (outcome.failure, outcome.detail) == (
        Failure.NOT_STARTED,
        f"the header `{name}` is that of its signature",
    )
    assert sent(headers={name: "own"}).headers[name.lower()] == "own"


def test_a_signature_is_that_of_standard_webhooks() -> None:
    """By the vector that its libraries publish: secret, id, timestamp, body and signature."""
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")

    assert (
        sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", b'{"test": 2432232314}')
        == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )


@pytest.mark.parametrize(
    ("environ", "said"), [({}, "is not set"), ({"KEY": "whsec_!"}, "no Base64")]
)
def test_a_payload_that_cannot_be_signed_is_not_sent(environ: dict[str, str], said: str) -> None:
    """The receiver could not tell it from a forged one."""
    with serving(saying({})) as service:
        outcome = called(service.url(), secret="KEY", environ=environ)  # noqa: S106 - as above

        assert (outcome.failure, service.sent) == (Failure.NOT_STARTED, [])
        assert said in outcome.detail


# -- TLS -------------------------------------------------------------------------------------------


def test_a_service_without_tls_is_not_spoken_to_in_clear() -> None:
    """An `https` address stays one."""
    with serving(saying({})) as service:
        outcome = called(service.url(scheme="https"))

        assert (outcome.failure, service.sent) == (Failure.UNREACHABLE, [])
