"""Every known way past a guard against calls into a private network, with POST.

And what must not be taken for one.

The rows are in `ssrf.json`: `answers` is what the name resolves to, look-up after look-up; `ends`,
where a client without a guard ends up first; `expect`, whether a call is refused, reaches that, or
reaches it and is not led on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hookline.handlers.http import call
from hookline.model.spec import Http
from hookline.model.verdict import Failure
from tests.unit.handlers import caged
from tests.unit.handlers.raw import authority

ROWS = json.loads((Path(__file__).parent / "ssrf.json").read_text(encoding="utf-8"))
NUMBERED = list(enumerate(ROWS))
NAMES = [
    f"{row['class']}: {row['url']}{' (local)' if row.get('allow_local') else ''}" for row in ROWS
]
# docs/explanation/security.md 3
LIST = {
    "plain": 3, "IPv4 spellings": 6, "IPv6 literals": 11, "names": 7, "parser confusion": 5,
    "not public": 8, "redirects": 2,
    "scheme": 1, "control": 1,
}  # fmt: skip


def test_every_class_of_the_list_is_there() -> None:
    """In the number that it has there: 44 addresses of 9 classes."""
    counted = Counter(row["class"] for row in ROWS)

    assert {name: counted[name] for name in LIST} == LIST
    assert sum(LIST.values()) == 44


@pytest.mark.parametrize(
    "row",
    [row for row in ROWS if row["expect"] == "refused"],
    ids=[name for name, row in zip(NAMES, ROWS, strict=True) if row["expect"] == "refused"],
)
def test_a_refused_address_is_not_called(row: dict[str, Any]) -> None:
    """By the text, or by what the one look-up said.

    hookline opens no socket and sends nothing.
    """
    opened: list[Any] = []
    asked: list[str] = []
    resolve = caged.resolving(row.get("answers", []), asked)
    handler = Http(url=row["url"], allow_local=row.get("allow_local", False))
    outcome = call(
        handler, caged.PAYLOAD, seconds=10.0, environ={}, resolve=resolve, opened=opened.append
    )

    assert (outcome.failure, opened) == (Failure.UNREACHABLE, [])
    assert any(
        words in outcome.detail
        for words in ("must not be called", "resolves to", "cannot be resolved")
    )
    assert len(asked) <= 1


# -- in a cage -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The files of an authority and of a certificate for the hosts of the rows.

    Empty where there is no openssl.
    """
    made = authority(tmp_path_factory.mktemp("authority"))
    return (
        (
            str(made.file),
            str(made.certificate("public.example", "six.example", "xn--bcher-kva.example")),
        )
        if made
        else ("", "")
    )


@pytest.fixture(scope="module")
def visits(certificate: tuple[str, str]) -> list[dict[str, Any]]:
    """The result of each row in a network where every connection arrives."""
    trusted, own = certificate
    proxies = dict.fromkeys(
        ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY"),
        "http://10.9.9.9:8080/",
    )
    environ = (
        os.environ
        | proxies
        | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "SSL_CERT_FILE": trusted}
    )
    command = [sys.executable, caged.__file__, *filter(None, [own])]
    done = subprocess.run(
        command,
        input=json.dumps(ROWS),
        env=environ,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    answer = json.loads(done.stdout)
    if "forbidden" in answer:
        pytest.skip(answer["forbidden"])
    found: list[dict[str, Any]] = answer["visits"]
    return found


@pytest.mark.process
@pytest.mark.parametrize(("at", "row"), NUMBERED, ids=NAMES)
def test_only_allowed_addresses_are_reached(
    at: int, row: dict[str, Any], visits: list[dict[str, Any]], certificate: tuple[str, str]
) -> None:
    """Every address of this network answers, so a test sees each connection that gets through."""
    if row["url"].startswith("https:") and not certificate[0]:
        pytest.skip("there is no openssl to make a certificate")
    visit = visits[at]
    failures = {"refused": "UNREACHABLE", "rejected": "REJECTED", "reached": ""}
    reached = [] if row["expect"] == "refused" else [row["ends"]]

    assert (visit["failure"], visit["reached"]) == (failures[row["expect"]], reached), visit[
        "detail"
    ]
    assert visit["heard"] == [f"POST {caged.PAYLOAD}"] * len(reached)
    assert len(visit["asked"]) <= 1


@pytest.mark.process
@pytest.mark.parametrize(
    ("at", "row"), [(at, row) for at, row in NUMBERED if "ends" in row],
    ids=[name for name, row in zip(NAMES, ROWS, strict=True) if "ends" in row]
)  # fmt: skip
def test_a_client_without_a_guard_reaches_the_address(
    at: int, row: dict[str, Any], visits: list[dict[str, Any]]
) -> None:
    """This shows that the guard, and nothing else, stopped the calls of the test above."""
    assert visits[at]["unguarded"] == [row["ends"]]


@pytest.mark.process
@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("https://public.example/", ["public.example", "public.example"]),
        ("https://bücher.example/", ["xn--bcher-kva.example", "xn--bcher-kva.example"]),
        ("https://public.example./", ["public.example", "public.example"]),
        ("http://both.example:8080/", ["both.example:8080"]),
        ("http://PUBLIC.example/", ["public.example"]),
        ("http://1572395042/", ["93.184.216.34"]),
        ("http://[2606:4700::1111]:8080/", ["[2606:4700::1111]:8080"]),
    ],
)
def test_a_service_is_called_by_the_name_that_it_was_asked_for(
    url: str, names: list[str], visits: list[dict[str, Any]], certificate: tuple[str, str]
) -> None:
    """TLS and `Host` name the host, though the connection goes to an address."""
    if url.startswith("https:") and not certificate[0]:
        pytest.skip("there is no openssl to make a certificate")
    (at,) = [at for at, row in NUMBERED if row["url"] == url]

    assert visits[at]["names"] == names
