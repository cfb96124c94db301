"""`hookline serve`: which hooks it serves, to whom, and what it needs."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hookline.cli.options import Selection
from hookline.cli.serve import _approves_without_token, _make_service
from hookline.installation import install_command
from hookline.model.verdict import Stance
from hookline.server.metrics import Meter

if TYPE_CHECKING:
    from tests.unit.cli.support import Desk

CALLS = {"type": "http", "url": "http://127.0.0.1:8465/v1/answer/claude-code"}
GUARD = {"type": "command", "command": "exit 2"}
SETTINGS = json.dumps({"hooks": {"PreToolUse": [{"hooks": [CALLS, GUARD]}]}})


def test_a_host_whose_own_files_call_the_server_is_answered_without_them(desk: Desk) -> None:
    """It runs the guard by itself.

    For other hosts the server runs it, and no hook calls the server again.
    """
    desk.file("../home/.claude/settings.json", SETTINGS)
    service, reloading = _make_service(Selection(), Meter())

    with reloading:
        assert set(service.own) == {"claude-code"}
    assert service.elsewhere is not None
    assert service.own["claude-code"].hooks == ()
    assert len(service.engine.hooks) == 1


def test_telemetry_counts_what_waits_for_approval(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The count follows the engine that the service uses now."""
    asked: list[Any] = []
    monkeypatch.setattr(
        "hookline.cli.serve.make_telemetry",
        lambda _environ, _tell, pending: asked.append(pending) or (),
    )
    desk.file(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": [GUARD]}]}}))
    _make_service(Selection(), Meter())

    assert [pending() for pending in asked] == [1]


def test_a_file_that_is_named_is_meant(desk: Desk) -> None:
    """A host reads it too. hookline leaves out only the call that would return to the server."""
    file = desk.file("settings.json", SETTINGS)
    service, reloading = _make_service(Selection(configs=[file], dialect="claude-code"), Meter())

    with reloading:
        assert service.own == {}
    assert len(service.engine.hooks) == 1
    assert service.elsewhere is None


def test_an_engine_that_comes_later_has_the_sessions_of_the_others(desk: Desk) -> None:
    """All engines of the server share what ran once in a session and what waits for delivery."""
    service, reloading = _make_service(Selection(), Meter())
    desk.file("../home/.claude/settings.json", SETTINGS)
    reloading.reload()
    later, first = (
        service.own["claude-code"].runtime.sessions,
        service.engine.runtime.sessions,
    )

    assert later is not None
    assert first is not None
    assert (later.path, later.asker) == (first.path, first.asker)


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_what_it_needs_is_said(missing: str, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is not installed."""
    monkeypatch.setitem(sys.modules, missing, None)
    told = desk.type("serve")

    assert told.code == 2
    assert told.err == (
        f"hookline serve: HKL5001 the server needs `{missing}` "
        f"({install_command(extra='server')})\n"
    )


def test_expected_handlers_need_an_address_to_attach_to(desk: Desk) -> None:
    """Without one every gate would stay closed."""
    told = desk.type("serve", "--expect", "policy")

    assert told.code == 2
    assert told.err == "hookline serve: HKL5002 `--expect` needs `--grpc` (there they attach)\n"


@pytest.mark.parametrize(
    "text",
    ['[trust]\nproject_missing = "record"\n', "[trust]\nx = 1\n", "[trust"],
    ids=["effect", "key", "toml"],
)
def test_settings_that_are_wrong_are_said_at_the_start(
    text: str, desk: Desk, capfd: pytest.CaptureFixture[str]
) -> None:
    """The server runs with the strictest rules."""
    desk.file("../home/.config/hookline/settings.toml", text)

    own = json.dumps({"hooks": {"PreToolUse": [{"hooks": [GUARD]}]}})
    desk.file("../home/.claude/settings.json", own)

    service, _ = _make_service(Selection(), Meter())

    assert "hooks go by the strictest rules" in capfd.readouterr().err
    call = {"tool_name": "Bash", "tool_input": {"command": "make"}}
    assert service.engine.fire("PreToolUse", call, dialect="claude-code").stance >= Stance.ASK


def test_no_server_of_an_agent_approves_without_the_token(
    desk: Desk, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither option nor setting allows it."""
    desk.file("../home/.config/hookline/settings.toml", "[trust]\nself_approve = true\n")

    assert _approves_without_token(asked=False)
    desk.monkeypatch.setenv("GEMINI_CLI", "1")
    assert not _approves_without_token(asked=True)
    assert "say to the user: please run `hookline approve`" in capfd.readouterr().err
