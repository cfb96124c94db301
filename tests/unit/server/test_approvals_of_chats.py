"""`/hooks` over HTTP: who may send it, and what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hookline.errors import CodecError
from hookline.server.approvals import read_chat_command
from hookline.server.responses import CHAT as PATH
from tests.unit.engine.workspaces import Workspace
from tests.unit.server.support import TOKEN, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.unit.server.support import Served

BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    """A workspace with two hooks on one script, and an address."""
    return Workspace(tmp_path / "person")


@pytest.fixture
def server(place: Workspace, tmp_path: Path) -> Iterator[Served]:
    """A server on this workspace."""
    with served(place.engine(), tmp_path) as running:
        yield running


@pytest.mark.parametrize("way", ["tcp", "unix"])
def test_a_typed_command_approves_a_hook(way: str, server: Served, place: Workspace) -> None:
    """The hook runs at once, and the journal names the user of the chat."""
    at = getattr(server, way)
    body = {"text": f"/hooks approve {place.guard}", "who": "ann"}
    answer = at.ask("POST", PATH, body, **BEARER)

    assert (answer.status, answer.document["schema"]) == (200, "hookline.chat/1")
    assert answer.document["text"].startswith("✓ approved: ")
    (first, *_) = place.note_approvals()
    assert first["who"] == "ann"


@pytest.mark.parametrize("way", ["tcp", "unix"])
def test_a_request_without_the_token_is_refused(way: str, server: Served) -> None:
    """A wrong token too, also on a unix socket. No hint says where the token is."""
    other = {"Authorization": "Bearer another"}
    answer = getattr(server, way).ask("POST", PATH, {"text": "/hooks list"}, **other)

    assert answer.status == 401
    assert "file" not in answer.document["hint"]


def test_a_forwarded_request_is_refused(server: Served) -> None:
    """Behind a proxy the connection does not show which client asks."""
    headers = {**BEARER, "X-Forwarded-For": "192.0.2.1"}

    assert server.tcp.ask("POST", PATH, {"text": "/hooks list"}, **headers).status == 403


@pytest.mark.parametrize(
    "sent", [[], {}, {"text": ""}, {"text": 1}, {"text": "x" * 4001}, {"text": "a", "wo": "b"}]
)
def test_a_body_that_is_no_command_is_refused(sent: Any) -> None:
    """The problem says what is wrong."""
    with pytest.raises(CodecError):
        read_chat_command(sent)
