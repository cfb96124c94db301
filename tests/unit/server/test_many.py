"""Two hundred clients at once: each gets the answer to its own question, or is told to come again."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import hookline
from hookline.engine.engine import Engine
from hookline.remote.turns import Turns
from tests.unit.server.support import CALL, PATIENCE, claude, served

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.server.support import Answer, Served

MANY = 200


def asked_at_once(server: Served) -> list[Answer]:
    """What so many clients are answered, each on a connection of its own; every second one over TCP."""
    together = threading.Barrier(MANY)

    def ask(number: int) -> Answer:
        place = server.tcp if number % 2 else server.unix
        together.wait(PATIENCE)
        return place.fire("PreToolUse", CALL | {"session_id": f"session {number}."}, dialect="claude-code")

    with ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(ask, range(MANY)))


def test_everybody_gets_the_answer_to_the_own_question(tmp_path: Path) -> None:
    """Of a coroutine that lets others go first, with as few turns as there may be."""
    engine = Engine(environ={})

    @engine.on("tool.before", timeout=PATIENCE)
    async def say(asked: hookline.Event) -> hookline.Verdict:
        await asyncio.sleep(0)
        return hookline.deny(asked.session_id)

    with served(engine, tmp_path, turns=Turns(1, patience=PATIENCE)) as server:
        answers = asked_at_once(server)

    assert [(answer.status, answer.document["reason"]) for answer in answers] == [(200, f"session {number}.") for number in range(MANY)]
    assert server.meter.refusals == {}


@pytest.mark.process
def test_everybody_gets_the_answer_of_the_own_process(tmp_path: Path) -> None:
    """Which read the question of nobody else, with the turns that a server has when nobody says."""
    with served(claude("cat >&2; exit 2"), tmp_path) as server:
        answers = asked_at_once(server)

    assert [answer.status for answer in answers] == [200] * MANY
    for number, answer in enumerate(answers):
        assert f'"session {number}."' in answer.document["reason"]
    assert server.meter.refusals == {}


def test_who_may_not_wait_is_told_to_come_again(tmp_path: Path) -> None:
    """One is asked about until all the others have been told so."""
    engine, free = Engine(environ={}), asyncio.Event()

    @engine.on("tool.before", timeout=PATIENCE)
    async def wait(_: hookline.Event) -> None:
        await free.wait()

    def told(code: str) -> None:
        server.meter.refusals[(("code", code),)] += 1
        if server.meter.refusals[(("code", code),)] == MANY - 1:
            free.set()

    with served(engine, tmp_path, turns=Turns(1, patience=0.0)) as server:
        server.meter.refused = told  # type: ignore[method-assign]  # it counts as before, and tells of the last one
        answers = asked_at_once(server)

    assert sorted(answer.status for answer in answers) == [200] + [503] * (MANY - 1)
    for answer in answers:
        assert answer.status == 200 or (answer.document["code"], answer.headers["retry-after"]) == ("HKL5007", "1")
