"""The handlers' end of a stream, frame by frame."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

import pytest

from hookline.a3s import HookResponse
from hookline.remote.handlers import Handlers, Session
from hookline.remote.limits import Bounds
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.stream import LinkError, Outbox
from tests.unit.remote.support import on_loop

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Stand:
    """Handlers, and a stream to an engine that is a test."""

    def __init__(self, *, key: str = "", queue: int = 1 << 20, registries: int = 2400) -> None:
        self.told: list[str] = []
        self.handlers = Handlers(
            "policy", bounds=Bounds(registries=registries), tell=self.told.append
        )
        self.handlers.on("pre_tool_use", hook_id="guard")(lambda _: HookResponse.block("no"))
        self.session = Session(self.handlers, "here", "secret", key, self.perform)
        self.outbox: Outbox[pb.HandlerFrame] = Outbox(queue)
        self.frames = aiter(self.outbox)
        self.session.begin(self.outbox)

    @staticmethod
    async def perform(_: Any) -> Any:
        raise NotImplementedError

    async def next(self) -> pb.HandlerFrame:
        return await anext(self.frames)

    def welcome(self, **fields: Any) -> None:
        self.session.take(
            pb.EngineFrame(welcome=pb.Welcome(**{"protocol": 1, "session_key": "key", **fields}))
        )

    def acknowledge(self, generation: int, **rejected: str) -> None:
        wrong = [pb.Rejected(hook_id=name, problem=problem) for name, problem in rejected.items()]
        self.session.take(
            pb.EngineFrame(registry_ack=pb.RegistryAck(generation=generation, rejected=wrong))
        )

    def change(self, times: int = 1) -> None:
        for at in range(times):
            self.handlers.on("session_start", hook_id=f"n{at}")(lambda _: None)
            self.session.announce()

    def sent(self) -> list[int]:
        frames, self.outbox._frames = [frame for frame, _ in self.outbox._frames], deque()
        return [
            frame.registry.generation for frame in frames if frame.WhichOneof("kind") == "registry"
        ]


@on_loop
async def test_many_changes_are_one() -> None:
    """What the engine has not acknowledged is not told again, and what it knows is not told twice."""
    stand = Stand()
    stand.welcome()
    stand.change(200)
    assert stand.sent() == [1]
    stand.acknowledge(1)
    stand.acknowledge(1)
    assert stand.sent() == [201]
    stand.acknowledge(201)
    stand.session.announce()
    assert stand.sent() == []


@on_loop
async def test_an_engine_is_told_no_more_often_than_it_suffers() -> None:
    """The rest waits a while, and is one change."""
    stand = Stand()
    stand.welcome()
    for generation in range(1, 100):
        stand.acknowledge(generation)
        stand.change()
    assert stand.sent() == [1, 2]
    stand.acknowledge(2)
    assert stand.sent() == []
    await asyncio.sleep(0.1)
    assert stand.sent() == [100]


@on_loop
async def test_whoever_leaves_tells_nothing_more() -> None:
    """What was withdrawn does not come back with the acknowledgement."""
    stand = Stand()
    stand.welcome()
    stand.acknowledge(1)
    stand.session.leave(0.0, withdraw=True)
    assert stand.sent() == [1, 2]
    stand.acknowledge(2)
    stand.change()
    assert stand.sent() == []


DISARMED = [
    ("the whole set", {"": "1001 hooks, and 1000 are the most"}, "1001 hooks"),
    ("each of them", {"guard": "bad"}, "`guard`: bad"),
]


@pytest.mark.parametrize(
    ("rejected", "said"), [row[1:] for row in DISARMED], ids=[row[0] for row in DISARMED]
)
@on_loop
async def test_an_engine_that_took_nothing_has_disarmed_us(
    rejected: dict[str, str], said: str
) -> None:
    """Until it takes something."""
    stand = Stand()
    stand.welcome()
    stand.acknowledge(1, **rejected)
    assert stand.session.disarmed is not None
    assert (stand.session.disarmed.code, said in str(stand.session.disarmed)) == ("HKL5109", True)
    stand.change()
    stand.acknowledge(2, guard="bad")
    assert stand.session.disarmed is None


@on_loop
async def test_it_begins_with_who_we_are() -> None:
    """The name, the token, and the key of the last time."""
    hello = (await Stand(key="former").next()).hello

    assert (hello.protocol, hello.instance_id, hello.token, hello.resume_id) == (
        1,
        "policy",
        b"secret",
        "former",
    )


@on_loop
async def test_the_hooks_follow_the_welcome() -> None:
    """And the key is kept for the next time."""
    stand = Stand()
    await stand.next()
    stand.welcome()
    registry = (await stand.next()).registry

    assert (registry.generation, [hook.id for hook in registry.hooks]) == (1, ["guard"])
    assert stand.session.key == "key"


@on_loop
async def test_a_change_is_a_new_generation() -> None:
    """While nobody has welcomed us there is nobody to tell."""
    stand = Stand()
    await stand.next()
    stand.session.announce()
    stand.welcome()
    await stand.next()
    stand.acknowledge(1)
    stand.handlers.unregister("guard")
    stand.session.announce()
    registry = (await stand.next()).registry

    assert (registry.generation, list(registry.hooks)) == (2, [])


@on_loop
async def test_rejected_hooks_are_told() -> None:
    """To whoever listens, and to whoever looks."""
    stand = Stand()
    stand.welcome()
    stand.session.take(
        pb.EngineFrame(
            registry_ack=pb.RegistryAck(
                generation=1, rejected=[pb.Rejected(hook_id="guard", problem="bad")]
            )
        )
    )

    assert stand.handlers.rejected == {"guard": "bad"}
    assert stand.told == ["hook `guard` of `policy` was rejected: bad"]
    assert stand.session.acknowledged == 1


@on_loop
async def test_a_refusal_is_an_error_with_its_name() -> None:
    """The code that it begins with says which."""
    stand = Stand()
    stand.session.take(
        pb.EngineFrame(goaway=pb.Goaway(why="HKL5103: the token is missing or wrong"))
    )

    assert stand.outbox.closed.is_set()
    assert stand.session.refused is not None
    assert (stand.session.refused.name, stand.session.refused.message) == (
        "remote.token",
        "the engine at `here` refuses: the token is missing or wrong",
    )


@on_loop
async def test_an_engine_of_another_protocol_is_left() -> None:
    """Before anything is told to it."""
    stand = Stand()
    await stand.next()
    stand.welcome(protocol=2)

    assert stand.outbox.closed.is_set()
    assert stand.session.refused is not None
    assert stand.session.refused.name == "remote.protocol"


@on_loop
async def test_nothing_is_run_before_the_welcome() -> None:
    """Whoever asks is not known yet."""
    stand = Stand()
    stand.session.take(pb.EngineFrame(invoke=pb.Invoke(invocation_id="1", hook_id="guard")))

    assert not stand.session.invocations._running


@on_loop
async def test_a_ping_is_answered() -> None:
    """With its own number."""
    stand = Stand()
    await stand.next()
    stand.session.take(pb.EngineFrame(ping=pb.Ping(n=3)))

    assert (await stand.next()).pong.n == 3


@on_loop
async def test_an_engine_that_reads_nothing_is_left() -> None:
    """What waits to be written has a bound."""
    stand = Stand(queue=30)
    stand.welcome()

    assert stand.outbox.closed.is_set()


@on_loop
async def test_a_lost_stream_takes_no_answers_any_more() -> None:
    """They wait to be asked for again; a newer stream's are its own."""
    stand = Stand()
    stand.welcome()
    second: Outbox[pb.HandlerFrame] = Outbox(1 << 20)

    async def broken() -> AsyncIterator[pb.EngineFrame]:
        raise LinkError("broken")
        yield pb.EngineFrame()

    await stand.session.converse(broken(), second)
    stand.session.invocations.post(pb.Result())

    assert stand.outbox.closed.is_set()
    assert [frame.WhichOneof("kind") async for frame in second] == ["hello"]
    assert stand.session.why == "broken"
