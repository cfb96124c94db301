"""What HTTP answers, gRPC answers too: same hooks, same token, same end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from hookline.a3s import HookResponse
from hookline.engine.engine import Engine
from hookline.errors import ConfigError
from hookline.remote import Handlers
from hookline.remote.proto import bridge_pb2 as pb
from hookline.server.grpc_sidecar import serve_grpc
from hookline.server.metrics import Meter
from hookline.server.service import Service
from tests.unit.server.support import CALL, PATIENCE, Place, claude, count_of
from tests.unit.server.test_lifecycle import accepted, hookline_serve, told

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.model.event import Event
    from hookline.model.verdict import Decision

grpc = pytest.importorskip("grpc", reason="the extra `grpc` is not installed")
REFUSE = 'echo "$FOLDER" >/dev/null; echo no >&2; exit 2'


def fired(target: str, token: str = "") -> pb.FireReply:
    """What a server says about a call, by gRPC."""
    request = pb.FireRequest(
        request_id="1",
        event="PreToolUse",
        dialect="claude-code",
        payload_json=json.dumps(CALL).encode(),
    )
    with grpc.insecure_channel(target) as channel:
        call = channel.unary_unary(
            "/hookline.v1.Hooks/Fire", pb.FireRequest.SerializeToString, pb.FireReply.FromString
        )
        reply: pb.FireReply = call(
            request,
            timeout=PATIENCE,
            metadata=[("authorization", f"Bearer {token}")] if token else None,
        )
        return reply


def reason(reply: pb.FireReply) -> Any:
    """Of the decision."""
    assert reply.error == ""
    return json.loads(reply.decision_json)["reason"]


def test_one_engine_is_asked_both_ways(tmp_path: Path) -> None:
    """The metrics count the decisions of both in one place."""
    meter = Meter()
    service = Service(
        claude("echo no >&2; exit 2", observe=meter.observe), meter=meter, contract={}
    )
    with serve_grpc(service, [f"unix:{tmp_path}/grpc"]) as (names, _stop):
        assert names == [f"unix:{tmp_path}/grpc"]
        assert reason(fired(names[0])) == "no"
    assert count_of(meter, "hookline_fires_total") == 1
    assert not (tmp_path / "grpc").exists()


def test_engines_of_hosts_are_those_that_http_asks(tmp_path: Path) -> None:
    """Also after a reload has replaced them."""
    service = Service(claude("echo all >&2; exit 2"), meter=Meter(), contract={})
    with serve_grpc(service, [f"unix:{tmp_path}/grpc"]) as (names, _stop):
        before = reason(fired(names[0]))
        service.own = {"claude-code": claude("echo own >&2; exit 2")}
        during = reason(fired(names[0]))
        service.own = {}

        assert (before, during, reason(fired(names[0]))) == ("all", "own", "all")


def test_what_http_says_of_folders_grpc_says_too(tmp_path: Path) -> None:
    """The rule is the same, and each notice comes once for both."""

    async def elsewhere(_: Engine, event: Event, decision: Decision) -> Decision:
        return decision.replace(for_user=(f"not of {event.cwd}",))

    service = Service(claude("exit 0"), meter=Meter(), contract={}, elsewhere=elsewhere)
    with serve_grpc(service, [f"unix:{tmp_path}/grpc"]) as (names, _stop):
        assert json.loads(fired(names[0]).decision_json)["for_user"] == ["not of /"]


def test_without_addresses_it_is_nothing() -> None:
    """The server imports no gRPC and starts no thread."""
    with serve_grpc(Service(Engine(environ={}), meter=Meter(), contract={}), []) as (names, stop):
        assert list(names) == []
        asyncio.run(stop(1.0))


@pytest.mark.parametrize(
    "address",
    ["nowhere", "10.0.0.1:4088", "127.0.0.1:0"],
    ids=["none", "another machine", "no token"],
)
def test_what_cannot_be_listened_on_is_said(address: str) -> None:
    """Entering the context raises an error with a code."""
    with (
        pytest.raises(ConfigError),
        serve_grpc(Service(Engine(environ={}), meter=Meter(), contract={}), [address]),
    ):
        raise AssertionError


# -- as a process ----------------------------------------------------------------------------------


@pytest.mark.process
def test_serve_listens_for_both(tmp_path: Path) -> None:
    """It prints every address, and asks for the token on TCP only."""
    words = (
        "--unix",
        str(tmp_path / "http"),
        "--grpc",
        f"unix:{tmp_path}/grpc",
        "--grpc",
        "127.0.0.1:0",
    )
    with hookline_serve(tmp_path, *words, hook=REFUSE) as (process, addresses):
        token = (tmp_path / ".local/state/hookline/serve.token").read_text(encoding="ascii").strip()

        assert addresses[:2] == [f"unix:{tmp_path}/http", f"unix:{tmp_path}/grpc"]
        assert Place(str(tmp_path / "http")).fire("PreToolUse", CALL).document["reason"] == "no"
        assert reason(fired(addresses[1])) == reason(fired(addresses[2], token)) == "no"
        with pytest.raises(grpc.RpcError) as caught:
            fired(addresses[2])
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
        assert (
            b'hookline_refusals_total{code="HKL5103"} 1.0\n'
            in Place(str(tmp_path / "http")).ask("GET", "/v1/metrics").body
        )
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert list(tmp_path.glob("http")) == list(tmp_path.glob("grpc")) == []


@pytest.mark.process
def test_gates_are_closed_until_the_expected_handlers_attach(tmp_path: Path) -> None:
    """By either way of asking, from the first event on.

    An engine that is started anew has forgotten who guarded it.
    """
    words = (
        "--unix",
        str(tmp_path / "http"),
        "--grpc",
        f"unix:{tmp_path}/grpc",
        "--expect",
        "policy",
    )
    with hookline_serve(tmp_path, *words, hook="exit 0") as (process, addresses):
        closed = (
            reason(fired(addresses[1])),
            Place(str(tmp_path / "http")).fire("PreToolUse", CALL).document["reason"],
        )
        handlers = Handlers("policy")
        handlers.on("pre_tool_use", hook_id="guard")(lambda _: HookResponse.block("here"))

        async def visit() -> Any:
            async with handlers.attached(addresses[1]):
                return await asyncio.to_thread(lambda: reason(fired(addresses[1])))

        assert asyncio.run(visit()) == "here"
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert all("the handlers `policy` are not attached" in why for why in closed)


@pytest.mark.process
def test_grpc_alone_needs_no_port(tmp_path: Path) -> None:
    """Without an option for TCP the server opens no port."""
    with hookline_serve(tmp_path, "--grpc", f"unix:{tmp_path}/grpc", hook=REFUSE) as (
        process,
        addresses,
    ):
        assert addresses == [f"unix:{tmp_path}/grpc"]
        assert reason(fired(addresses[0])) == "no"
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        assert process.stderr.read() == told(tmp_path)


@pytest.mark.process
def test_what_is_running_is_answered_before_the_end(tmp_path: Path) -> None:
    """After SIGTERM a running call gets its decision, and a new one gets none."""
    path = tmp_path / "http"
    words = ("--grpc", f"unix:{tmp_path}/grpc", "--unix", str(path))
    with hookline_serve(tmp_path, *words) as (process, addresses), ThreadPoolExecutor(1) as pool:
        asked = pool.submit(fired, addresses[1])
        (tmp_path / "begun").read_text(encoding="utf-8")
        process.send_signal(signal.SIGTERM)
        while accepted(path):
            pass
        (tmp_path / "go").write_text("late\n", encoding="utf-8")

        assert reason(asked.result(PATIENCE)) == "late"
        assert process.wait(PATIENCE) == 0


@pytest.mark.process
@pytest.mark.parametrize("hurry", [False, True], ids=["drain", "at once"])
def test_what_takes_too_long_is_ended_with_its_hooks(hurry: bool, tmp_path: Path) -> None:
    """After the drain time, or at a second signal."""
    hook = 'echo $$ > "$FOLDER/begun"; read line < "$FOLDER/go"'
    path = tmp_path / "http"
    words = (
        "--grpc",
        f"unix:{tmp_path}/grpc",
        "--unix",
        str(path),
        "--drain",
        "1000" if hurry else "1",
    )
    with (
        hookline_serve(tmp_path, *words, hook=hook) as (process, addresses),
        ThreadPoolExecutor(1) as pool,
    ):
        asked = pool.submit(fired, addresses[1])
        pid = int((tmp_path / "begun").read_text(encoding="utf-8"))
        process.send_signal(signal.SIGTERM)
        while accepted(path):
            pass
        if hurry:
            process.send_signal(signal.SIGTERM)

        assert process.wait(PATIENCE) == 0
        assert isinstance(asked.exception(PATIENCE), grpc.RpcError)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
