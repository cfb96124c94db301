"""Handlers elsewhere decide as handlers here do.

They come back by themselves, and what they register counts at once.
"""

from __future__ import annotations

import asyncio
import math
import threading
from functools import partial
from typing import Any

import grpc
import pytest

from hookline import ConfigError, Engine, HookError, Stance
from hookline.a3s import Hook, HookConfig, HookEngine, HookMatcher, HookResponse
from hookline.dialects.a3s.encode_decision import to_result
from hookline.remote import Handlers, messages, serve_engine
from hookline.remote.grpc_transport import REMOTE, make_metadata, open_channel
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.proto import bridge_pb2_grpc as rpc
from tests.unit.remote.support import CALL, OTHER, TOKEN, TRANSPORTS, addresses, until, within


def raising(_: Any) -> None:
    raise ValueError("broken")


async def waiting(_: Any) -> HookResponse:
    await asyncio.sleep(0)
    return HookResponse.block("waited")


def in_place(event: Any) -> None:
    event.payload.args["command"] = "changed"


ANSWERS: dict[str, Any] = {
    "nothing": lambda _: None,
    "continue": lambda _: HookResponse.continue_(),
    "a rewrite": lambda event: HookResponse.continue_with({**event.payload.args, "dry": True}),
    "a rewrite of a mapping": lambda _: {
        "action": "CONTINUE",
        "modified": {"command": "ls", "n": [1.5, None, "\u00fc"]},
    },
    "a rewrite that is no object": lambda _: {"action": "Continue", "modified": [1]},
    "a rewrite wrapped": lambda _: {"action": "Continue", "modified": {"args": {}}},
    "a rewrite that is no json": lambda _: {"action": "Continue", "modified": object},
    "a number that is none": lambda _: {"action": "Continue", "modified": {"x": math.nan}},
    "a block": lambda _: HookResponse.block("no"),
    "a block without a reason": lambda _: HookResponse.block(),
    "a block with an empty one": lambda _: HookResponse.block(""),
    "a reason that is no text": lambda _: {"action": "Block", "reason": 7},
    "a retry": lambda _: HookResponse.retry_with_reason(500, "later"),
    "a retry without a delay": lambda _: HookResponse.retry(),
    "a retry at once": lambda _: {"action": "retry", "delayMs": 0},
    "a delay that is none": lambda _: {"action": "Retry", "delay_ms": -1},
    "a skip": lambda _: HookResponse.skip(),
    "an unknown action": lambda _: {"action": "allow"},
    "no action": lambda _: {},
    "no answer": lambda _: "yes",
    "an exception": raising,
    "awaited": waiting,
    "an edit in place": in_place,
    "what it was told": lambda event: HookResponse.block(event.to_json()),
}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_handler_decides_the_same_wherever_it_is(transport: str, tmp_path) -> None:
    """For a gate and an observer, in this process and over the bridge."""
    address, token = addresses(tmp_path)[transport]
    events = (
        ("pre_tool_use", CALL),
        ("post_tool_use", {**CALL, "result": {"success": True, "output": ""}}),
        ("session_start", {"session_id": "s"}),
    )
    handlers = Handlers("law")
    local = {}
    for at, (name, answer) in enumerate(ANSWERS.items()):
        for event, _ in events:
            hook = (
                Hook.new(f"{at}", event)
                .with_matcher(HookMatcher.session(f"{at}"))
                .with_config(HookConfig(max_retries=2))
            )
            handlers.register(hook.replace(id=f"{event}-{at}"), answer)
            local[event, at] = HookEngine()
            local[event, at].register(hook.replace(id=f"{event}-{at}"), answer)
            assert name

    async def compared() -> None:
        async with handlers.attached(opened.addresses[0], token=token):
            for at, name in enumerate(ANSWERS):
                for event, payload in events:
                    given = {"event_type": event, "payload": {**payload, "session_id": f"{at}"}}
                    here = (await local[event, at].fire(given)).replace(decision=None)
                    there = to_result(
                        await engine.fire_async(event, given["payload"], dialect="a3s")
                    ).replace(decision=None)
                    assert there == here, (name, event)

    engine = Engine()
    with serve_engine(engine, address, token=token) as opened:
        within(compared())


def test_a_rewrite_is_seen_by_the_next_handler(tmp_path) -> None:
    """The two handlers may be in different processes."""
    engine = Engine()
    handlers = Handlers("rewriter")
    handlers.on("pre_tool_use", priority=1)(
        lambda _: HookResponse.continue_with({"command": "rm -rf /"})
    )
    handlers.on("pre_tool_use", priority=2, command="^rm", hook_id="guard")(
        lambda _: HookResponse.block("seen")
    )

    async def fired() -> str:
        async with handlers.attached(opened.addresses[0]):
            decision = await engine.fire_async(
                "pre_tool_use", {**CALL, "args": {"command": "ls"}}, dialect="a3s"
            )
            return decision.reason

    with serve_engine(engine, f"unix:{tmp_path}/s") as opened:
        assert within(fired()) == "seen"


def test_what_is_wrong_with_a_hook_is_said_where_it_is_written() -> None:
    """`on` raises the error, before any engine could reject the hook."""
    handlers = Handlers("policy")
    with pytest.raises(ConfigError, match="tool_error"):
        handlers.on("tool_error")(lambda _: None)
    with pytest.raises(ConfigError, match="look-ahead"):
        handlers.on("pre_tool_use", command="(?=x)")(lambda _: None)
    with pytest.raises(ConfigError, match="cannot handle"):
        handlers.register(Hook.new("a", "pre_tool_use"), 7)
    assert handlers.hooks == {}
    assert not handlers.unregister("a")


def test_an_asynchronous_handler_runs_on_the_loop_that_attached(tmp_path) -> None:
    """It may use what belongs there; a plain one runs on a thread, and delays no other handler."""
    engine, handlers = Engine(), Handlers("policy")
    where: dict[str, Any] = {}

    @handlers.on("pre_tool_use", tool="Bash")
    async def own(_: Any) -> None:
        where["loop"] = asyncio.get_running_loop()

    @handlers.on("pre_tool_use", tool="Read")
    def plain(_: Any) -> None:
        where["thread"] = threading.current_thread()

    async def fired() -> None:
        async with handlers.attached(opened.addresses[0]):
            for payload in (CALL, OTHER):
                assert (await engine.fire_async("pre_tool_use", payload, dialect="a3s")).verdicts
            assert where["loop"] is asyncio.get_running_loop()
            assert where["thread"] is not threading.current_thread()

    with serve_engine(engine, f"unix:{tmp_path}/s") as opened:
        within(fired())


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_slow_handler_is_cancelled(transport: str, tmp_path) -> None:
    """The handler sees the cancellation, and its gate closes at its timeout."""
    address, token = addresses(tmp_path)[transport]
    engine, handlers = Engine(), Handlers("policy")
    seen = []

    @handlers.on("pre_tool_use", timeout=0.05)
    async def slow(_: Any) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            ended.set()
            raise

    async def fired() -> None:
        async with handlers.attached(opened.addresses[0], token=token):
            decision = await engine.fire_async("pre_tool_use", CALL, dialect="a3s")
            assert decision.reason == "Required hook 'slow' failed: timed out after 0.05 s"
            await ended.wait()

    ended = asyncio.Event()
    with serve_engine(engine, address, token=token) as opened:
        within(fired())
    assert seen == ["cancelled"]


def test_hooks_change_while_attached(tmp_path) -> None:
    """Each change sends the whole set; a removed hook is asked no more."""
    engine, handlers = Engine(), Handlers("policy")

    async def changed() -> None:
        async with handlers.attached(opened.addresses[0]):
            assert engine.hooks == ()
            handlers.on("pre_tool_use", hook_id="a")(lambda _: HookResponse.block("a"))
            handlers.on("pre_tool_use", hook_id="b")(lambda _: HookResponse.block("b"))
            await handlers.ready()
            assert (await engine.fire_async("pre_tool_use", CALL, dialect="a3s")).reason == "a"
            assert handlers.unregister("a")
            await handlers.ready()
            assert (await engine.fire_async("pre_tool_use", CALL, dialect="a3s")).reason == "b"

    with serve_engine(engine, f"unix:{tmp_path}/s") as opened:
        within(changed())


def test_rejected_handlers_are_told(
    tmp_path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an error if the caller waits for the engine, and always by a warning."""
    monkeypatch.setattr(messages, "_MOST_HOOKS", 1)
    handlers = Handlers("policy")
    for name in ("first", "second"):
        handlers.on("pre_tool_use", hook_id=name)(lambda _: None)

    async def visit() -> None:
        async with handlers.attached(opened.addresses[0]):
            raise AssertionError

    with serve_engine(Engine(), f"unix:{tmp_path}/s") as opened:
        with pytest.raises(HookError, match="2 hooks with 0 characters") as caught:
            within(visit())
        assert caught.value.code == "HKL5107"
    assert any("2 hooks" in record.getMessage() for record in caplog.records)


def test_one_rejected_hook_is_an_error(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its gate is closed."""
    engine, handlers = Engine(), Handlers("policy")
    handlers.on("pre_tool_use", hook_id="guard")(lambda _: None)
    broken = pb.HookSpec(id="guard", event_type="pre_tool_use", fail_mode=7)
    handlers.hooks["guard"] = broken, handlers.hooks["guard"][1]

    async def visit() -> None:
        async with handlers.attached(opened.addresses[0]):
            raise AssertionError

    with serve_engine(engine, f"unix:{tmp_path}/s") as opened:
        with pytest.raises(ConfigError, match=r"rejected hooks of `policy`: .'guard'") as caught:
            within(visit())
        assert engine.fire("pre_tool_use", CALL, dialect="a3s").stance is Stance.DENY
    assert (caught.value.code, [*handlers.rejected]) == ("HKL5109", ["guard"])


def test_many_are_registered_at_once_while_attached(tmp_path) -> None:
    """The link and the invocations under way stay."""
    engine, handlers = Engine(), Handlers("policy")
    going = asyncio.Event()

    async def waits(_: Any) -> HookResponse:
        await going.wait()
        return HookResponse.block("waited")

    handlers.on("pre_tool_use", hook_id="guard")(waits)

    async def changed() -> None:
        async with handlers.attached(opened.addresses[0]):
            asked = asyncio.get_running_loop().create_task(
                engine.fire_async("pre_tool_use", CALL, dialect="a3s")
            )
            for at in range(200):
                handlers.on("session_start", hook_id=f"n{at}")(lambda _: None)
            await handlers.ready()
            going.set()
            assert (await asked).reason == "waited"

    with serve_engine(engine, f"unix:{tmp_path}/s") as opened:
        within(changed())
        assert len(engine.hooks) == 201


def test_what_cannot_be_run_is_a_failure(tmp_path) -> None:
    """The hook was removed before its invocation arrived."""
    engine, handlers = Engine(), Handlers("policy")
    handlers.on("pre_tool_use", hook_id="guard")(lambda _: None)

    async def visit() -> str:
        async with handlers.attached(opened.addresses[0]):
            del handlers.hooks["guard"]
            return (await engine.fire_async("pre_tool_use", CALL, dialect="a3s")).reason

    with serve_engine(engine, f"unix:{tmp_path}/s") as opened:
        reason = within(visit())
    assert reason.endswith("could not be started: there is no hook `guard` here")


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_handlers_that_leave_leave_their_gates_closed(transport: str, tmp_path) -> None:
    """Unless they withdraw their hooks first."""
    address, token = addresses(tmp_path)[transport]
    engine, handlers = Engine(), Handlers("policy")
    handlers.on("pre_tool_use", hook_id="guard")(lambda _: None)

    async def visit(*, withdraw: bool) -> None:
        async with handlers.attached(opened.addresses[0], token=token, withdraw=withdraw):
            assert (await engine.fire_async("pre_tool_use", CALL, dialect="a3s")).allowed

    with serve_engine(engine, address, token=token) as opened:
        within(visit(withdraw=False))
        assert engine.fire("pre_tool_use", CALL, dialect="a3s").stance is Stance.DENY
        within(visit(withdraw=True))
        assert engine.fire("pre_tool_use", CALL, dialect="a3s").allowed
        assert engine.hooks == ()


def test_an_engine_that_comes_back_is_dialled_again(
    tmp_path, caplog: pytest.LogCaptureFixture
) -> None:
    """A new engine knows no handlers, so they register again."""
    address, _ = addresses(tmp_path)["unix"]
    handlers = Handlers("policy")
    handlers.on("pre_tool_use")(lambda _: HookResponse.block("back"))
    engines = [Engine(), Engine()]

    async def outlived() -> None:
        opened = await asyncio.to_thread(serve_engine, engines[0], address)
        async with handlers.attached(address):
            await asyncio.to_thread(opened.close, 0)
            opened = await asyncio.to_thread(serve_engine, engines[1], address)
            await until(lambda: engines[1].hooks)
            assert (
                await engines[1].fire_async("pre_tool_use", CALL, dialect="a3s")
            ).reason == "back"
        await asyncio.to_thread(opened.close, 0)

    within(outlived())
    assert any("lost" in record.getMessage() for record in caplog.records)


def test_a_wrong_token_is_an_error_at_once(tmp_path) -> None:
    """The handlers do not try again."""
    with (
        serve_engine(Engine(), "127.0.0.1:0", token=TOKEN) as opened,
        pytest.raises(HookError) as caught,
    ):
        within(Handlers("policy").attach(opened.addresses[0], token=TOKEN[1:]))
    assert caught.value.name == "remote.token"


def test_a_held_name_is_waited_for(tmp_path, caplog: pytest.LogCaptureFixture) -> None:
    """A warning says that another process holds it. When that leaves, handlers attach."""
    first, second = Handlers("policy"), Handlers("policy")

    async def queued() -> None:
        async with first.attached(opened.addresses[0]):
            waiting = asyncio.ensure_future(second.attach(opened.addresses[0]))
            await until(lambda: caplog.records)
        await second.ready()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    with serve_engine(Engine(), f"unix:{tmp_path}/s") as opened:
        within(queued())
    assert "another process holds" in caplog.records[0].getMessage()


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_an_engine_may_dial_handlers_that_listen(transport: str, tmp_path) -> None:
    """The frames are the same in both directions."""
    address, token = addresses(tmp_path)[transport]
    engine, handlers = Engine(), Handlers("policy")
    handlers.on("pre_tool_use", hook_id="guard")(lambda _: HookResponse.block("dialled"))

    async def listened() -> None:
        at: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        loop = asyncio.get_running_loop()
        listening = loop.create_task(
            handlers.listen(
                address,
                token=token,
                ready=lambda name: loop.call_soon_threadsafe(at.set_result, name),
            )
        )
        opened.dial(await at, token=token)
        await handlers.ready()
        assert (await engine.fire_async("pre_tool_use", CALL, dialect="a3s")).reason == "dialled"
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)

    with serve_engine(engine) as opened:
        within(listened())
        assert engine.fire("pre_tool_use", CALL, dialect="a3s").stance is Stance.DENY


@pytest.mark.parametrize("address", ["127.0.0.1:0", "vsock:any:4088"])
def test_listeners_that_others_reach_need_a_token(address: str) -> None:
    """The engine and the handlers both require it."""
    with pytest.raises(ConfigError, match="needs a token"):
        within(Handlers("policy").listen(address))
    with serve_engine(Engine()) as opened, pytest.raises(ConfigError, match="needs a token"):
        opened.dial(address)


def test_an_engine_without_the_token_is_refused() -> None:
    """It learns of no hook."""

    async def listened() -> tuple[Any, str]:
        loop = asyncio.get_running_loop()
        at: asyncio.Future[str] = loop.create_future()
        ready = partial(loop.call_soon_threadsafe, at.set_result)
        listening = Handlers("policy").listen("127.0.0.1:0", token=TOKEN, ready=ready)
        task = asyncio.ensure_future(listening)
        try:
            return await REMOTE.wait(called(await at))
        finally:
            task.cancel()

    async def called(address: str) -> tuple[Any, str]:
        async with open_channel(address) as channel:
            call = rpc.HookBridgeStub(channel).Serve(metadata=make_metadata(TOKEN[1:]))
            return await call.code(), await call.details()

    code, details = within(listened())
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert details.startswith("HKL5103: ")
