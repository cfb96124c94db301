"""gRPC: what is too large, what is not done by this side, and what cannot be listened on."""

from __future__ import annotations

import os
import stat
from typing import Any

import grpc
import pytest
from grpc import aio

from hookline import ConfigError, Engine, Stance
from hookline.remote import serve_engine
from hookline.remote.grpc_transport import REMOTE
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.proto import bridge_pb2_grpc as rpc
from tests.unit.remote.support import CALL, TOKEN, hook, limited


def talk(
    target: str, *frames: pb.HandlerFrame, method: str = "Attach", largest: int = -1
) -> tuple[list[str], grpc.StatusCode]:
    """The replies to these frames, and the status with which the stream ends."""

    async def talked() -> tuple[list[str], grpc.StatusCode]:
        options = [("grpc.max_send_message_length", largest)]
        async with aio.insecure_channel(target, options=options) as channel:
            call: Any = getattr(rpc.HookBridgeStub(channel), method)()
            told: list[str] = []
            try:
                for frame in frames:
                    await call.write(frame)
                    answer = await call.read()
                    told += [] if answer == aio.EOF else [answer.WhichOneof("kind")]
            except (aio.AioRpcError, grpc.RpcError):
                pass
            return told, await call.code()

    return REMOTE.run(limited(talked()))


HELLO = pb.HandlerFrame(hello=pb.Hello(protocol=1, instance_id="policy"))


def test_a_message_that_is_too_large_ends_the_stream(tmp_path) -> None:
    """The engine does not read it, and closes the gates of its sender."""
    engine = Engine()
    with serve_engine(engine, f"unix:{tmp_path}/s") as opened:
        registry = pb.HandlerFrame(registry=pb.Registry(generation=1, hooks=[hook()]))
        huge = pb.HandlerFrame(result=pb.Result(invocation_id="x" * (5 << 20)))
        told, code = talk(opened.addresses[0], HELLO, registry, huge, huge)

        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert told[0] == "welcome"
        assert engine.fire("pre_tool_use", CALL, dialect="a3s").stance is Stance.DENY


def test_an_engine_is_not_dialled_as_handlers_are(tmp_path) -> None:
    """Engines serve one method, and handlers another."""
    with serve_engine(Engine(), f"unix:{tmp_path}/s") as opened:
        assert talk(opened.addresses[0], method="Serve")[1] is grpc.StatusCode.UNIMPLEMENTED


def test_the_socket_is_its_users_only(tmp_path) -> None:
    """By its mode; it is gone when the server stops listening."""
    path = f"{tmp_path}/s"
    with serve_engine(Engine(), f"unix:{path}"):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert not os.path.exists(path)


def test_a_port_that_is_taken_is_told(tmp_path) -> None:
    """Two servers do not share one."""
    with (
        serve_engine(Engine(), "127.0.0.1:0", token=TOKEN) as opened,
        pytest.raises(ConfigError, match="cannot listen on"),
    ):
        serve_engine(Engine(), opened.addresses[0], token=TOKEN)
    with pytest.raises(ConfigError, match="cannot listen on"):
        serve_engine(Engine(), f"unix:{tmp_path}/missing/s")
