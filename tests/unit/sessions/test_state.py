"""What every kind of a session's state shares: reading and changing files, and what is wrong with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hookline.model.event import Event
from hookline.sessions.memory import read_counts, read_object, read_texts
from hookline.sessions.store import SCHEMA, Sessions, digest

if TYPE_CHECKING:
    from pathlib import Path

EVENT = Event(kind="stop", dialect="d", native_name="Stop", session_id="s", cwd="/")


def set_to(value: object) -> Any:
    """A change of the state."""
    return lambda state: state.update(a=value)


def test_a_change_is_on_the_disk_with_whose_it_is(tmp_path: Path) -> None:
    """And one that changes nothing is not written."""
    state = Sessions(tmp_path / "s")
    assert state._change(EVENT, set_to(1))
    (file,) = (tmp_path / "s").glob("*/state.json")
    written = file.stat().st_ino

    assert state._change(EVENT, set_to(1))
    assert file.stat().st_ino == written
    assert json.loads(file.read_text(encoding="utf-8")) == {
        "schema": SCHEMA,
        "dialect": "d",
        "session_id": "s",
        "a": 1,
    }


def test_a_state_of_another_version_is_set_aside(tmp_path: Path) -> None:
    """Nobody here knows what it means; it is kept for whoever does."""
    state = Sessions(tmp_path / "s")
    state._change(EVENT, set_to(1))
    (file,) = (tmp_path / "s").glob("*/state.json")
    file.write_text('{"schema": "hookline.session/99", "a": 2}', encoding="utf-8")

    assert state._state(EVENT) == {}
    assert state._change(EVENT, set_to(3))
    assert state._state(EVENT)["a"] == 3
    assert json.loads(file.with_name("state.json.damaged").read_text(encoding="utf-8"))["a"] == 2
    assert [problem.name for problem in state.problems] == ["session.damaged"]


def test_a_change_that_raises_leaves_the_state(tmp_path: Path) -> None:
    """What is wrong with a value is the caller's to know."""
    state = Sessions(tmp_path / "s")
    state._change(EVENT, set_to(1))

    with pytest.raises(TypeError):
        state._change(EVENT, set_to({1}))
    assert state._state(EVENT)["a"] == 1


@pytest.mark.parametrize("held", [None, 1, "x", [1, None], {"a": "x"}, {"a": True}, {"a": -1}])
def test_what_is_of_another_shape_is_not_there(held: object) -> None:
    """Whoever wrote it."""
    assert read_counts({"k": held}, "k") == {}
    assert read_texts({"k": held}, "k") == []
    assert read_object({"k": held}, "k") == (held if isinstance(held, dict) else {})


def test_any_text_has_a_name() -> None:
    """Also one that is no Unicode."""
    assert len({digest(text) for text in ("", "a", "\ud800", "x" * 10_000)}) == 4
    assert all(len(digest(text)) == 64 for text in ("", "\ud800"))
