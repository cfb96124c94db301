"""Two hundred clients at once, over HTTP or gRPC: each gets its own answer, or a 503."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline.engine.engine import Engine
from hookline.remote.admission import Admission
from hookline.server.grpc_sidecar import serve_grpc
from hookline.server.metrics import Meter
from hookline.server.service import Service
from tests.unit.server.support import CALL, PATIENCE, claude, count_of, refusals, served

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.server.support import Answer, Served

MANY = 200
# A client whose thread gets its turn late has not said anything yet.
UNHURRIED = {"head": PATIENCE}


def asked_at_once(server: Served) -> list[Answer]:
    """What so many clients are answered, each on a connection of its own.

    Every second one over TCP.
    """
    together = threading.Barrier(MANY)

    def ask(number: int) -> Answer:
        place = server.tcp if number % 2 else server.unix
        together.wait(PATIENCE)
        return place.fire(
            "PreToolUse", CALL | {"session_id": f"session {number}."}, dialect="claude-code"
        )

    with ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(ask, range(MANY)))


def test_each_client_gets_the_answer_to_its_own_question(tmp_path: Path) -> None:
    """The hook is a coroutine that yields, and the server has one turn."""
    engine = Engine(environ={})

    @engine.on("tool.before", timeout=PATIENCE)
    async def say(asked: hookline.Event) -> hookline.Verdict:
        await asyncio.sleep(0)
        return hookline.deny(asked.session_id)

    turns = Admission(1, patience=PATIENCE)
    with served(engine, tmp_path, bounds=UNHURRIED, turns=turns) as server:
        answers = asked_at_once(server)

    assert [(answer.status, answer.document["reason"]) for answer in answers] == [
        (200, f"session {number}.") for number in range(MANY)
    ]
    assert refusals(server.meter) == {}


@pytest.mark.process
def test_each_client_gets_the_answer_of_its_own_process(tmp_path: Path) -> None:
    """Each process read only its own question. The server has the default number of turns."""
    turns = Admission(64, patience=PATIENCE)
    with served(claude("cat >&2; exit 2"), tmp_path, bounds=UNHURRIED, turns=turns) as server:
        answers = asked_at_once(server)

    assert [answer.status for answer in answers] == [200] * MANY
    for number, answer in enumerate(answers):
        assert f'"session {number}."' in answer.document["reason"]
    assert refusals(server.meter) == {}


def test_a_client_that_may_not_wait_is_told_to_retry(tmp_path: Path) -> None:
    """One hook runs until all other clients have been refused."""
    engine, free = Engine(environ={}), asyncio.Event()

    @engine.on("tool.before", timeout=PATIENCE)
    async def wait(_: hookline.Event) -> None:
        await free.wait()

    def told(code: str) -> None:
        server.meter.refusals.labels(code).inc()
        if refusals(server.meter)[code] == MANY - 1:
            free.set()

    turns = Admission(1, patience=0.0)
    with served(engine, tmp_path, bounds=UNHURRIED, turns=turns) as server:
        server.meter.count_refusal = told  # type: ignore[method-assign]  # it counts as before, and tells of the last one
        answers = asked_at_once(server)

    assert sorted(answer.status for answer in answers) == [200] + [503] * (MANY - 1)
    for answer in answers:
        assert answer.status == 200 or (answer.document["code"], answer.headers["retry-after"]) == (
            "HKL5007",
            "1",
        )


# -- over gRPC -------------------------------------------------------------------------------------


def asked_by_grpc(address: str) -> list[Any]:
    """What so many unary calls at once are answered."""
    pb = pytest.importorskip(
        "hookline.remote.proto.bridge_pb2", reason="the extra `grpc` is not installed"
    )
    grpc = pytest.importorskip("grpc", reason="as above")
    with grpc.insecure_channel(address) as channel:
        call = channel.unary_unary(
            "/hookline.v1.Hooks/Fire", pb.FireRequest.SerializeToString, pb.FireReply.FromString
        )
        bodies = [
            json.dumps(CALL | {"session_id": f"session {number}."}).encode()
            for number in range(MANY)
        ]
        requests = [
            pb.FireRequest(
                request_id=f"{number}", event="PreToolUse", dialect="claude-code", payload_json=body
            )
            for number, body in enumerate(bodies)
        ]
        return [
            asked.result()
            for asked in [call.future(request, timeout=PATIENCE) for request in requests]
        ]


@pytest.mark.process
def test_each_client_gets_the_answer_to_its_own_call(tmp_path: Path) -> None:
    """A unary gRPC call waits for its turn too; no more hooks run at once than there are turns."""
    meter, turns = Meter(), Admission(64, patience=PATIENCE)
    service = Service(
        claude("cat >&2; exit 2", observe=meter.observe), meter=meter, contract={}, turns=turns
    )
    with serve_grpc(service, [f"unix:{tmp_path}/grpc"]) as (names, _stop):
        replies = asked_by_grpc(names[0])

    assert [(reply.request_id, reply.error_code) for reply in replies] == [
        (f"{number}", "") for number in range(MANY)
    ]
    for number, reply in enumerate(replies):
        assert f'"session {number}."' in json.loads(reply.decision_json)["reason"]
    assert count_of(meter, "hookline_fires_total") == MANY
    assert (refusals(meter), turns.running, turns.waiting) == ({}, 0, 0)


def test_both_ways_share_the_turns(tmp_path: Path) -> None:
    """An event over gRPC takes the turn of one over HTTP, and the metrics count both."""
    engine, begun, loops = Engine(environ={}), threading.Event(), []
    free = asyncio.Event()

    @engine.on("tool.before", timeout=PATIENCE)
    async def wait(_: hookline.Event) -> hookline.Verdict:
        loops.append(asyncio.get_running_loop())
        begun.set()
        await free.wait()
        return hookline.deny("no")

    with (
        served(engine, tmp_path, turns=Admission(1, patience=0.0)) as server,
        serve_grpc(server.service, [f"unix:{tmp_path}/grpc"]) as (names, _stop),
        ThreadPoolExecutor(1) as pool,
    ):
        first = pool.submit(server.unix.fire, "PreToolUse", CALL, dialect="claude-code")
        assert begun.wait(PATIENCE)
        refused = asked_by_grpc(names[0])
        page = server.unix.ask("GET", "/v1/metrics").body.decode()
        loops[0].call_soon_threadsafe(free.set)
        assert first.result(PATIENCE).document["reason"] == "no"

    assert {reply.error_code for reply in refused} == {"HKL5007"}
    assert "hookline_fires_running 1.0\n" in page
    assert f'hookline_refusals_total{{code="HKL5007"}} {MANY}.0\n' in page
