"""The cap on model calls counts by session where the host sends no `iteration`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline import Engine, Sessions
from hookline.model.verdict import Stance

if TYPE_CHECKING:
    from pathlib import Path

TREE = {
    "hooks": {"before_llm_call": [{"type": "builtin", "command": "max_iterations", "args": ["2"]}]}
}


def an_engine(folder: Path | None = None) -> Engine:
    """One process with a cap of two calls."""
    engine = Engine(sessions=Sessions(folder) if folder is not None else None)
    return engine.add_source(TREE, dialect="docker-agent")


def call(engine: Engine, session: str = "s", **fields: int) -> Stance:
    """A model is about to be called."""
    payload = {"session_id": session, "cwd": "/", **fields}
    return engine.fire("before_llm_call", payload, dialect="docker-agent").stance


def end(engine: Engine) -> None:
    """The session ends."""
    engine.fire("session_end", {"session_id": "s", "cwd": "/"}, dialect="docker-agent")


@pytest.mark.parametrize("lasting", [False, True])
def test_calls_are_counted_by_session(tmp_path: Path, *, lasting: bool) -> None:
    """The third call of a session is blocked, until the session ends.

    Another session has its own count.
    """
    engine = an_engine(tmp_path / "state" if lasting else None)

    assert [call(engine) for _ in range(3)] == [Stance.SILENT, Stance.SILENT, Stance.DENY]
    assert call(engine, "other") is Stance.SILENT
    end(engine)
    assert call(engine) is Stance.SILENT


def test_two_processes_count_together(tmp_path: Path) -> None:
    """A host starts hookline again for each event, so the count lies in the session's folder."""
    stances = [call(an_engine(tmp_path)) for _ in range(3)]

    assert stances == [Stance.SILENT, Stance.SILENT, Stance.DENY]


def test_a_number_of_the_host_counts_instead() -> None:
    """The number in `iteration` counts, also when it starts again at 1."""
    engine = an_engine()

    assert [call(engine, iteration=number) for number in (1, 3, 1)] == [
        Stance.SILENT,
        Stance.DENY,
        Stance.SILENT,
    ]
    assert call(engine) is Stance.SILENT


def test_without_a_session_nothing_is_capped() -> None:
    """Calls without a session id may belong to any number of agents."""
    engine = an_engine()

    assert {call(engine, "") for _ in range(4)} == {Stance.SILENT}
