"""Firing: an engine that is asked from elsewhere, one event at a time or many on a stream, answered as they are done."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from hookline.engine.notices import add_notices, add_to_stderr, list_lost
from hookline.errors import CODES, CodecError, HookError
from hookline.remote.loop import Loop
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.talking import LinkError
from hookline.remote.turns import Turns
from hookline.wire.json_reader import read_json

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping

    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.verdict import Decision
    from hookline.remote.outbox import Outbox

_INTERNAL = "this is a fault of hookline; please report it"
# Plain Python hooks hold up the loop that they are called on, which must not be the one that everything else is on.
_ASIDE = Loop()
_MORE = 1.0  # seconds, in which an engine ends by itself what took too long


class Firing:
    """Answers requests with an engine. `own` tells the engines, as they are now, for hosts whose own files would ask us.

    `seconds`: for all hooks of an event. `turns`: how many events at once, here and wherever else the engine is asked. `refused`
    is told the code of each request that gets no decision. `elsewhere` adds to a decision what its reader should know of the
    event's folder. `tell` is given a line for each fault of ours.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        own: Callable[[], Mapping[str, Engine]] = dict,
        turns: Turns | None = None,
        seconds: float = 600.0,
        largest: int = 4 << 20,
        refused: Callable[[str], object] = lambda _: None,
        elsewhere: Callable[[Engine, Event, Decision], Awaitable[Decision]] | None = None,
        tell: Callable[[str], object] = lambda _: None,
    ) -> None:
        self.engine = engine
        self.own = own
        self.turns = turns or Turns(64)
        self.seconds = seconds
        self.largest = largest
        self.refused = refused
        self.elsewhere = elsewhere
        self.tell = tell
        self._under_way: set[asyncio.Task[Any]] = set()
        self._closed = False

    # -- the three ways of asking ----------------------------------------------------------------------------------

    async def fire(self, request: pb.FireRequest) -> pb.FireReply:
        """One event, when it is its turn; the decision, or what is wrong with the request."""
        return await self._fire(request, asyncio.Event())

    async def stream(
        self, requests: AsyncIterator[pb.FireRequest], outbox: Outbox[pb.FireReply]
    ) -> None:
        """Many events; a further one is not read until it is the turn of the one before. Whoever breaks off has nobody to be answered."""
        asked: dict[str, asyncio.Task[None]] = {}
        try:
            async for request in requests:
                if request.request_id in asked:
                    words = f"a request `{request.request_id:.80}` is under way already"
                    _post(outbox, self._refusal(request, HookError(words, name="remote.protocol")))
                    continue
                begun = asyncio.Event()
                task = asyncio.get_running_loop().create_task(
                    self._answered(request, outbox, begun)
                )
                asked[request.request_id] = task
                task.add_done_callback(partial(_ended, asked, request.request_id))
                await begun.wait()
            if asked:
                await asyncio.wait(asked.values())
        except LinkError:
            return
        finally:
            for task in asked.values():
                task.cancel()

    async def _answered(
        self, request: pb.FireRequest, outbox: Outbox[pb.FireReply], begun: asyncio.Event
    ) -> None:
        _post(outbox, await self._fire(request, begun))

    async def answer(self, request: pb.AnswerRequest) -> pb.AnswerReply:
        """A host's payload in, the host's own reply out.

        Raises:
            HookError: the payload cannot be understood, the dialect is none, or there is too much to do.
        """
        try:
            engine = self.own().get(request.dialect, self.engine)
            host = engine.host(request.dialect)
            event = host.decode_event(self._json(request.payload_json))
            decision = add_notices(
                engine, event, await self._decided(engine, event, self.seconds, asyncio.Event())
            )
            reply = host.encode_decision(decision, event)
            if not reply.exit_code:  # beside a refusal, stderr is its reason
                reply = add_to_stderr(reply, list_lost(decision, reply))
        except HookError as error:
            self.refused(error.code)
            raise
        except Exception as error:  # noqa: BLE001 - the outermost frame
            raise self._internal(error) from None
        return pb.AnswerReply(
            stdout=_utf8(reply.stdout), stderr=_utf8(reply.stderr), exit_code=reply.exit_code
        )

    async def closing(self, drain: float) -> None:
        """Refuse whatever comes, wait for what is under way, at most so many seconds, and end it with its hooks."""
        self._closed = True
        if self._under_way and drain > 0:
            await asyncio.wait(self._under_way, timeout=drain)
        left = list(self._under_way)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)

    # -- one event -------------------------------------------------------------------------------------------------

    async def _fire(self, request: pb.FireRequest, begun: asyncio.Event) -> pb.FireReply:
        """`begun` is set when it is the event's turn, or when there will be none."""
        try:
            payload = self._object(request.payload_json) if request.payload_json else {}
            event = self.engine.event(request.event, payload, dialect=request.dialect or None)
            seconds = (
                min(request.budget_ms / 1000, self.seconds) if request.budget_ms else self.seconds
            )
            decision = await self._decided(
                self.own().get(event.dialect, self.engine), event, seconds, begun
            )
            return pb.FireReply(
                request_id=request.request_id, decision_json=json.dumps(decision.to_dict()).encode()
            )
        except HookError as error:
            return self._refusal(request, error)
        except Exception as error:  # noqa: BLE001 - the outermost frame
            return pb.FireReply(
                request_id=request.request_id,
                error_code=CODES["internal"],
                error=self._internal(error).message,
            )
        finally:
            begun.set()

    def _refusal(self, request: pb.FireRequest, error: HookError) -> pb.FireReply:
        self.refused(error.code)
        return pb.FireReply(
            request_id=request.request_id, error_code=error.code, error=_utf8(str(error))
        )

    def _internal(self, error: Exception) -> HookError:
        self.tell(f"HKL9001 internal error: {type(error).__name__}: {error}")
        self.refused(CODES["internal"])
        return HookError(_INTERNAL, name="internal")

    async def _decided(
        self, engine: Engine, event: Event, seconds: float, begun: asyncio.Event
    ) -> Decision:
        """The decision, asked for when it is the event's turn; whoever goes away meanwhile is counted as a request without one."""
        if self._closed:
            raise HookError(
                "the server is being stopped", name="serve.ending", hint="ask again when it is back"
            )
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in one
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        try:
            async with self.turns.one():
                begun.set()
                decision = await self._asked(engine, event, seconds)
            return (
                decision
                if self.elsewhere is None
                else await self.elsewhere(engine, event, decision)
            )
        except asyncio.CancelledError:
            self.refused(CODES["serve.ending" if self._closed else "serve.gone"])
            raise

    async def _asked(self, engine: Engine, event: Event, seconds: float) -> Decision:
        asked = _contained(engine.fire_async(event, seconds=seconds))
        if not engine.shelf.own:
            return await asked
        try:  # a plain hook that does not return keeps also the engine from saying that the time is over
            async with asyncio.timeout(seconds + _MORE):
                return await _ASIDE.wait(asked)
        except TimeoutError:
            words = f"a Python hook of this engine did not return within {seconds:g} s"
            raise HookError(
                words, name="serve.busy", hint="let it be asynchronous, or shorter"
            ) from None

    def _object(self, text: bytes) -> dict[str, Any]:
        payload = self._json(text)
        if not isinstance(payload, dict):
            raise CodecError("a payload must be a JSON object")
        return payload

    def _json(self, text: bytes) -> Any:
        if len(text) > self.largest:
            raise CodecError(f"a payload of {len(text):,} bytes, and {self.largest:,} are the most")
        return read_json(text)


async def _contained(asked: Coroutine[Any, Any, Decision]) -> Decision:
    """The decision; what a hook raises to end the program, or a task, ends neither here.

    Raises:
        HookError: a hook did.
    """
    try:
        return await asked
    except Exception:
        raise
    except BaseException as error:
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and (task is None or task.cancelling()):
            raise
        raise HookError(
            f"a hook broke off with {type(error).__name__}: {error}", name="hook.failed"
        ) from None


def _ended(asked: dict[str, asyncio.Task[None]], request_id: str, _: object) -> None:
    asked.pop(request_id, None)


def _post(outbox: Outbox[pb.FireReply], reply: pb.FireReply) -> None:
    """Queue a reply; whoever asks and does not read is left."""
    if not outbox.post(reply):
        outbox.close(now=True)


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
