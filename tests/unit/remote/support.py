"""Support for the tests of the bridge: streams without sockets, and hooks to ask."""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING, Any

from hookline.a3s import Hook, HookConfig, HookMatcher
from hookline.remote.grpc_transport import REMOTE, make_error
from hookline.remote.messages import to_message
from hookline.remote.proto import bridge_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    from hookline.remote.bridge import Bridge

TOKEN = "a token of sixteen"  # noqa: S105 - it guards nothing
PATIENCE = 20.0  # seconds, for what must happen
CALL = {
    "session_id": "s",
    "tool": "Bash",
    "args": {"command": "rm -rf /"},
    "working_directory": "/",
}
OTHER = {**CALL, "tool": "Read"}


async def limited(work: Coroutine[Any, Any, Any]) -> Any:
    """What it returns, within the time for what must happen."""
    async with asyncio.timeout(PATIENCE):
        return await work


def within(work: Coroutine[Any, Any, Any]) -> Any:
    """The same on an event loop of its own."""
    return asyncio.run(limited(work))


def on_loop(test: Callable[..., Any]) -> Callable[..., Any]:
    """A test that is a coroutine, on the loop on which everything remote happens."""

    async def whole(*given: Any, **named: Any) -> None:
        try:
            await limited(test(*given, **named))
        finally:
            await hung_up()

    @functools.wraps(test)
    def run(*given: Any, **named: Any) -> None:
        REMOTE.run(whole(*given, **named))

    return run


async def hung_up() -> None:
    """Every stream has ended."""
    talks, END_TALKS[:] = [*END_TALKS], []
    for talk in talks:
        talk.cancel()
    await asyncio.gather(*talks, return_exceptions=True)


async def settled() -> None:
    """Everything that could be done without waiting has been done."""
    for _ in range(20):
        await asyncio.sleep(0)


END_TALKS: list[asyncio.Task[None]] = []


async def until(condition: Callable[[], object]) -> None:
    """Wait for something that no event tells of."""
    while not condition():  # noqa: ASYNC110 - as above
        await asyncio.sleep(0)


class End:
    """The other end of a stream of the bridge's: frames in, frames out, no transport."""

    def __init__(self, bridge: Bridge) -> None:
        self._incoming: asyncio.Queue[pb.HandlerFrame | Exception | None] = asyncio.Queue()
        self.frames: asyncio.Queue[pb.EngineFrame] = asyncio.Queue()
        self.talk = asyncio.get_running_loop().create_task(
            bridge.converse(self._read(), self.frames.put)
        )
        END_TALKS.append(self.talk)

    async def _read(self) -> AsyncIterator[pb.HandlerFrame]:
        while (frame := await self._incoming.get()) is not None:
            if isinstance(frame, Exception):
                raise frame
            yield frame

    def send(self, **frame: Any) -> None:
        self._incoming.put_nowait(pb.HandlerFrame(**frame))

    async def hang_up(self, why: str = "") -> None:
        self._incoming.put_nowait(make_error(why) if why else None)
        await self.talk

    async def next(self, kind: str) -> Any:
        """The next frame, which must be of this kind."""
        frame = await self.frames.get()
        assert frame.WhichOneof("kind") == kind, frame
        return getattr(frame, kind)

    async def hello(self, instance: str = "policy", *, protocol: int = 1) -> pb.Welcome:
        self.send(hello=pb.Hello(protocol=protocol, instance_id=instance))
        return await self.next("welcome")

    async def register(self, *hooks: pb.HookSpec, generation: int = 1) -> pb.RegistryAck:
        self.send(registry=pb.Registry(generation=generation, hooks=hooks))
        return await self.next("registry_ack")

    def answer(self, invoke: pb.Invoke, action: Any = pb.CONTINUE, **fields: Any) -> None:
        self.send(result=pb.Result(invocation_id=invoke.invocation_id, action=action, **fields))


async def attached(bridge: Bridge, *hooks: pb.HookSpec, instance: str = "policy") -> End:
    """An end whose hooks are known."""
    end = End(bridge)
    await end.hello(instance)
    ack = await end.register(*(hooks or (hook(),)))
    assert not ack.rejected
    return end


def hook(
    name: str = "guard",
    event: str = "pre_tool_use",
    *,
    matcher: HookMatcher | None = None,
    **config: Any,
) -> pb.HookSpec:
    """A definition as it is sent."""
    return to_message(Hook.new(name, event).with_matcher(matcher).with_config(HookConfig(**config)))


def addresses(folder: Any) -> dict[str, tuple[str, str]]:
    """An address of every transport, and the token that is needed there."""
    return {
        "unix": (f"unix:{folder}/grpc", ""),
        "tcp": ("127.0.0.1:0", TOKEN),
    }


TRANSPORTS = ("unix", "tcp")
