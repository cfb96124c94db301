"""TLS: a service proves its identity before it gets a byte, and a cut line is no answer."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING

import pytest

from hookline.handlers.checked_connection import make_tls_context
from hookline.model.verdict import Failure, Outcome
from tests.unit.handlers.raw import (
    OK,
    PAYLOAD,
    PIECES,
    SHORT,
    Raw,
    authority,
    called,
    proving,
    sending,
    speaking,
)
from tests.unit.handlers.serving import LOCAL, PATIENCE, resolving

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator
    from pathlib import Path

    from tests.unit.handlers.raw import Authority, Conduct


@pytest.fixture
def signer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Authority]:
    """An authority that this machine trusts for the time of a test."""
    made = authority(tmp_path)
    if made is None:
        pytest.skip("there is no openssl to make a certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
    make_tls_context.cache_clear()
    yield made
    make_tls_context.cache_clear()


def called_by_tls(
    file: Path, conduct: Conduct, host: str = "policy.example"
) -> tuple[Outcome, Raw, list[str]]:
    """The outcome of a call of a service with that certificate, the service, and its names."""
    context, names = proving(file), list[str]()
    context.set_servername_callback(lambda _, name, __: names.append(name or ""))
    with speaking(conduct, context) as raw:
        return called(raw.url(scheme="https", host=host), resolve=resolving(LOCAL)), raw, names


@pytest.mark.process
def test_a_service_that_an_authority_vouches_for_is_called_by_its_name(signer: Authority) -> None:
    """Though the connection goes to an address."""
    outcome, raw, names = called_by_tls(
        signer.certificate("policy.example"), sending(OK + b"Content-Length: 2\r\n\r\n{}")
    )

    assert (outcome.failure, outcome.stdout, raw.heard, names) == (
        None,
        "{}",
        [PAYLOAD.encode()],
        ["policy.example"],
    )


@pytest.mark.process
@pytest.mark.parametrize(
    ("hosts", "days", "host", "detail"),
    [
        (("policy.example",), -1, "policy.example", "certificate has expired"),
        (("other.example",), 2, "policy.example", "hostname mismatch"),
        (("*.policy.example",), 2, "policy.example", "hostname mismatch"),
        (("*.example",), 2, "a.policy.example", "hostname mismatch"),
        (("policy.example",), 2, LOCAL, "ip address mismatch"),
    ],
)
def test_who_cannot_prove_to_be_it_is_sent_nothing(
    hosts: tuple[str, ...], days: int, host: str, detail: str, signer: Authority
) -> None:
    """It gets no byte of the payload, whichever authority signed its certificate."""
    outcome, raw, _ = called_by_tls(
        signer.certificate(*hosts, days=days), sending(OK + b"\r\n"), host
    )

    assert (outcome.failure, raw.heard) == (Failure.UNREACHABLE, [])
    assert detail in outcome.detail


@pytest.mark.process
@pytest.mark.parametrize("chain", ["another authority", "itself"])
def test_who_is_vouched_for_by_a_stranger_is_sent_nothing(
    chain: str, signer: Authority, tmp_path: Path
) -> None:
    """The certificate is of an unknown authority, or self-signed."""
    (tmp_path / "strange").mkdir()
    strange = authority(tmp_path / "strange")
    assert strange is not None
    file = strange.certificate("policy.example")
    if chain == "itself":
        file.write_bytes(
            (strange.folder / "authority.key").read_bytes() + strange.file.read_bytes()
        )
    outcome, raw, _ = called_by_tls(file, sending(OK + b"\r\n"))

    assert (outcome.failure, raw.heard) == (Failure.UNREACHABLE, [])
    assert "certificate" in outcome.detail
    assert signer.file != strange.file


@pytest.mark.process
@pytest.mark.parametrize(
    "sent", [OK + b"Content-Length: 9\r\n\r\n{}", PIECES + b"2\r\n{}\r\n", OK + b"\r\n{}"]
)
def test_an_encrypted_answer_that_is_cut_off_is_none(sent: bytes, signer: Authority) -> None:
    """An attacker who cuts the line makes no answer of its beginning, also without a length."""

    def conduct(raw: Raw, sock: socket.socket) -> None:
        raw.listen(sock)
        sock.sendall(sent)
        os.close(sock.detach())  # without the farewell of TLS

    outcome, _, _ = called_by_tls(signer.certificate("policy.example"), conduct)

    assert outcome.failure in (Failure.UNREACHABLE, Failure.UNREADABLE)
    assert outcome.stdout == ""


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 200 OK\r\n\r\n{}",
        b"",
        b"\x15\x03\x01\x00\x02\x02\x28",
        b"\x16\x03\x01\xff\xff" + b"\x00" * 100,
    ],
)
def test_a_port_that_speaks_no_tls_is_sent_nothing_in_clear(said: bytes) -> None:
    """It gets the beginning of a handshake and no payload."""
    heard: list[bytes] = []

    def conduct(_: Raw, sock: socket.socket) -> None:
        heard.append(sock.recv(1 << 16))
        sock.sendall(said)
        while select.select([sock], [], [], PATIENCE)[0] and (more := sock.recv(1 << 16)):
            heard.append(more)

    with speaking(conduct) as raw:
        outcome = called(raw.url(scheme="https"), seconds=1.0)

    assert outcome.failure in (Failure.UNREACHABLE, Failure.TIMED_OUT)
    assert heard[0][:1] == b"\x16"
    assert b"on_stop" not in b"".join(heard)


@pytest.mark.parametrize("greeting", [b"", b"\x16\x03\x03\x40\x00"])
def test_a_handshake_that_does_not_end_does_not_prolong_the_call(greeting: bytes) -> None:
    """Neither by silence, nor by a large record of which a byte comes now and then."""

    def conduct(raw: Raw, sock: socket.socket) -> None:
        sock.recv(1 << 16)
        raw.drip(sock, greeting and greeting + b"\x00" * 10_000)
        raw.released.wait(PATIENCE)

    with speaking(conduct) as raw:
        outcome = called(raw.url(scheme="https"), seconds=SHORT)

    assert (outcome.failure, outcome.detail) == (Failure.TIMED_OUT, "after 0.3 s")
