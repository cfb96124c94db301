"""Firing: an engine that is asked from elsewhere, one event at a time or many on a stream, answered as they are done."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from hookline.errors import CODES, CodecError, HookError
from hookline.remote.loop import Loop
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.talking import LinkError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Mapping

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

    `seconds`: for all hooks of an event. `most`: events at once. `tell` is given a line for each fault of ours.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        own: Callable[[], Mapping[str, Engine]] = dict,
        most: int = 64,
        seconds: float = 600.0,
        largest: int = 4 << 20,
        tell: Callable[[str], object] = lambda _: None,
    ) -> None:
        self.engine = engine
        self.own = own
        self.most = most
        self.seconds = seconds
        self.largest = largest
        self.tell = tell
        self._slots = asyncio.Semaphore(most)
        self._under_way: set[asyncio.Task[Any]] = set()
        self._closed = False

    # -- the three ways of asking ----------------------------------------------------------------------------------

    async def fire(self, request: pb.FireRequest) -> pb.FireReply:
        """One event; the decision, or what is wrong with the request. Too many at once are refused."""
        if self._slots.locked():
            words = f"{self.most} events are being asked about"
            return pb.FireReply(request_id=request.request_id, error_code=CODES["serve.busy"], error=words)
        async with self._slots:
            return await self._fire(request)

    async def stream(self, requests: AsyncIterator[pb.FireRequest], outbox: Outbox[pb.FireReply]) -> None:
        """Many events; further ones are not read while there are too many. Whoever breaks off has nobody to be answered."""
        asked: dict[str, asyncio.Task[None]] = {}
        try:
            async for request in requests:
                if request.request_id in asked:
                    words = f"a request `{request.request_id:.80}` is under way already"
                    _post(outbox, pb.FireReply(request_id=request.request_id, error_code=CODES["remote.protocol"], error=words))
                    continue
                await self._slots.acquire()
                task = asyncio.get_running_loop().create_task(self._answered(request, outbox))
                asked[request.request_id] = task
                task.add_done_callback(partial(self._ended, asked, request.request_id))
            if asked:
                await asyncio.wait(asked.values())
        except LinkError:
            return
        finally:
            for task in asked.values():
                task.cancel()

    def _ended(self, asked: dict[str, asyncio.Task[None]], request_id: str, _: object) -> None:
        asked.pop(request_id, None)
        self._slots.release()

    async def _answered(self, request: pb.FireRequest, outbox: Outbox[pb.FireReply]) -> None:
        _post(outbox, await self._fire(request))

    async def answer(self, request: pb.AnswerRequest) -> pb.AnswerReply:
        """A host's payload in, the host's own reply out.

        Raises:
            HookError: the payload cannot be understood, the dialect is none, or there is too much to do.
        """
        if self._slots.locked():
            raise HookError(f"{self.most} events are being asked about", name="serve.busy")
        async with self._slots:
            engine = self.own().get(request.dialect, self.engine)
            host = engine.host(request.dialect)
            event = host.decode_event(self._json(request.payload_json))
            reply = host.encode_decision(await self._decided(engine, event, self.seconds), event)
            return pb.AnswerReply(stdout=_utf8(reply.stdout), stderr=_utf8(reply.stderr), exit_code=reply.exit_code)

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

    async def _fire(self, request: pb.FireRequest) -> pb.FireReply:
        reply = pb.FireReply(request_id=request.request_id)
        try:
            payload = self._object(request.payload_json) if request.payload_json else {}
            event = self.engine.event(request.event, payload, dialect=request.dialect or None)
            seconds = min(request.budget_ms / 1000, self.seconds) if request.budget_ms else self.seconds
            decision = await self._decided(self.own().get(event.dialect, self.engine), event, seconds)
            reply.decision_json = json.dumps(decision.to_dict()).encode()
        except HookError as error:
            reply.error_code, reply.error = error.code, _utf8(str(error))
        except Exception as error:  # noqa: BLE001 - the outermost frame
            self.tell(f"HKL9001 internal error: {type(error).__name__}: {error}")
            reply.error_code, reply.error = CODES["internal"], _INTERNAL
        return reply

    async def _decided(self, engine: Engine, event: Event, seconds: float) -> Decision:
        if self._closed:
            raise HookError("the server is being stopped", name="serve.ending", hint="ask again when it is back")
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in one
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        asked = _contained(engine.fire_async(event, seconds=seconds))
        if not engine.shelf.own:
            return await asked
        try:  # a plain hook that does not return keeps also the engine from saying that the time is over
            async with asyncio.timeout(seconds + _MORE):
                return await _ASIDE.wait(asked)
        except TimeoutError:
            words = f"a Python hook of this engine did not return within {seconds:g} s"
            raise HookError(words, name="serve.busy", hint="let it be asynchronous, or shorter") from None

    def _object(self, text: bytes) -> dict[str, Any]:
        payload = self._json(text)
        if not isinstance(payload, dict):
            raise CodecError("a payload must be a JSON object")
        return payload

    def _json(self, text: bytes) -> Any:
        if len(text) > self.largest:
            raise CodecError(f"a payload of {len(text):,} bytes, and {self.largest:,} are the most")
        try:
            return json.loads(text.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise CodecError(f"the payload is no JSON: {error}") from None


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
        raise HookError(f"a hook broke off with {type(error).__name__}: {error}", name="hook.failed") from None


def _post(outbox: Outbox[pb.FireReply], reply: pb.FireReply) -> None:
    """Queue a reply; whoever asks and does not read is left."""
    if not outbox.post(reply):
        outbox.close(now=True)


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
