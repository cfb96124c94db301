"""The server keeps to its OpenAPI document, whatever schemathesis asks."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS

import hookline
from hookline.engine.engine import Engine
from tests.unit.server.support import DOCUMENT, TOKEN, served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemathesis import Case

    from tests.unit.server.support import Served


def over_tcp() -> dict[str, Any]:
    """The document as it holds over TCP, where the token is no choice."""
    made = copy.deepcopy(DOCUMENT)
    made["security"] = [{"token": []}]
    made["paths"]["/v1/health"]["get"]["security"] = []
    return made


def rules() -> schemathesis.Config:
    """Everything is checked, except two things that no schema can say.

    An event may have no such name or payload (400, 403, 422), and a client may wait for less time
    than an answer takes (503).
    """
    accepted = ["2xx", "400", "403", "422", "503"]
    return schemathesis.Config.from_dict(
        {
            "checks": {
                "positive_data_acceptance": {"expected-statuses": accepted},
                "not_a_server_error": {"expected-statuses": ["2xx", "4xx", "503"]},
            }
        }
    )


SCHEMA = schemathesis.openapi.from_dict(over_tcp(), config=rules())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose hooks refuse some tools, fail on some prompts and say nothing to the rest."""
    engine = Engine(environ={})

    @engine.on("tool.before")
    def refuse(asked: hookline.Event) -> hookline.Verdict | None:
        return hookline.deny(asked.session_id) if len(asked.session_id) % 2 else None

    @engine.on("prompt.submit")
    def fail(_: hookline.Event) -> None:
        raise ValueError

    with served(engine, tmp_path_factory.mktemp("contract")) as running:
        yield running
    assert running.told == []


@SCHEMA.parametrize()
@settings(deadline=None, suppress_health_check=list(HealthCheck))
def test_the_document_is_kept(case: Case, server: Served) -> None:
    """By every status, type, schema and header.

    The server refuses what the document forbids, and each request without the token.
    """
    case.call_and_validate(
        base_url=f"http://127.0.0.1:{server.tcp.at}",
        headers={"Authorization": f"Bearer {TOKEN}"},
        checks=list(CHECKS.get_all()),
    )
