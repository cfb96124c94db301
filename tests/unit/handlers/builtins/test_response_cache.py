"""`cache_response`: keeps answers that a host can replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.handlers.builtins import response_cache
from hookline.handlers.builtins.response_cache import find_cached_response
from hookline.model.event import Event, Stop
from tests.unit.handlers.builtins.support import asked

if TYPE_CHECKING:
    from pathlib import Path


def stop(message: object, answer: object, cwd: str = "/p", agent: str = "root") -> Event:
    facts = {"last_user_message": message, "agent": agent}
    body = Stop(last_message=answer, facts=facts)
    return Event(kind="stop", native_name="stop", cwd=cwd, body=body)


def keep(tmp_path: Path, event: Event) -> str:
    outcome = asked("cache_response", event, environ={"XDG_DATA_HOME": str(tmp_path)})
    assert (outcome.failure, outcome.stdout) == (None, "")
    return outcome.note


def find(tmp_path: Path, message: str, project: str = "/p", agent: str = "root") -> str | None:
    environ = {"XDG_DATA_HOME": str(tmp_path)}
    found = find_cached_response(message, project=project, agent=agent, environ=environ)
    return found and found.answer


def test_an_answer_is_found_by_its_message(tmp_path: Path) -> None:
    """In the same project, for the same agent; the last answer counts."""
    keep(tmp_path, stop("why?", "first"))
    keep(tmp_path, stop("why? ", "because"))

    assert find(tmp_path, " why?\n") == "because"
    assert find(tmp_path, "Why?") is None
    assert find(tmp_path, "why?", project="/q") is None
    assert find(tmp_path, "why?", agent="other") is None
    (path,) = tmp_path.rglob("*.json")
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("message", [None, "", "  ", 5])
def test_a_host_without_messages_is_reported(message: object, tmp_path: Path) -> None:
    """It keeps nothing."""
    assert "does not send the last message" in keep(tmp_path, stop(message, "x"))
    assert list(tmp_path.rglob("*.json")) == []


@pytest.mark.parametrize("answer", [None, "", "x" * (1 << 20)])
def test_what_is_no_answer_is_not_kept(answer: object, tmp_path: Path) -> None:
    """Nor one that is too long."""
    assert keep(tmp_path, stop("why?", answer)) == ""
    assert find(tmp_path, "why?") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "hookline.response/1"}'])
def test_a_damaged_file_is_no_answer(text: str, tmp_path: Path) -> None:
    """The model is asked again."""
    keep(tmp_path, stop("why?", "x"))
    (path,) = tmp_path.rglob("*.json")
    path.write_text(text, encoding="utf-8")

    assert find(tmp_path, "why?") is None


def test_answers_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest go first."""
    monkeypatch.setattr(response_cache, "_MOST", 2)
    for number in range(4):
        keep(tmp_path, stop(str(number), "x"))

    assert len(list(tmp_path.rglob("*.json"))) == 2
    assert find(tmp_path, "3") == "x"


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    """It denies nothing."""
    (tmp_path / "hookline").write_text("", encoding="utf-8")

    assert "cannot be written" in keep(tmp_path, stop("why?", "x"))
