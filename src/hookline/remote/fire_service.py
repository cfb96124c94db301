"""Fire service: answers events from other processes, one at a time or many on a stream, with the decisions of an engine."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from hookline.engine.notices import add_notices, write_reply
from hookline.errors import CODES, CodecError, HookError
from hookline.remote.admission import Admission
from hookline.remote.event_loop import BackgroundLoop
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.results import to_utf8
from hookline.remote.stream import LinkError
from hookline.wire.json_reader import read_json

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping

    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.verdict import Decision
    from hookline.remote.stream import Outbox

# Plain Python hooks block the loop that calls them, so they get one of their own.
_HOOK_LOOP = BackgroundLoop()
_MORE = 1.0  # seconds for the engine to end overdue hooks by itself


class FireService:
    """Answers requests with an engine.

    `own` returns the engines for hosts whose own files start this server.

    `seconds`: for all hooks of an event. `turns`: limits concurrent events, here and at other
    entrances of the engine. `refused` receives the code of each request without a decision.
    `elsewhere` adds notices about the event's folder to a decision. `tell` receives a line for each
    internal fault.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        own: Callable[[], Mapping[str, Engine]] = dict,
        turns: Admission | None = None,
        seconds: float = 600.0,
        largest: int = 4 << 20,
        refused: Callable[[str], object] = lambda _: None,
        elsewhere: Callable[[Engine, Event, Decision], Awaitable[Decision]] | None = None,
        tell: Callable[[str], object] = lambda _: None,
    ) -> None:
        self.engine = engine
        self.own = own
        self.turns = turns or Admission(64)
        self.seconds = seconds
        self.largest = largest
        self.refused = refused
        self.elsewhere = elsewhere
        self.tell = tell
        self._under_way: set[asyncio.Task[Any]] = set()
        self._closed = False

    # -- three kinds of requests -------------------------------------------------------------------

    async def fire(
        self, request: pb.FireRequest, begun: asyncio.Event | None = None
    ) -> pb.FireReply:
        """Return the decision on one event, or what is wrong with the request.

        `begun` is set when the event is admitted, or will not be.
        """
        begun = begun or asyncio.Event()
        reply = pb.FireReply(request_id=request.request_id)
        try:
            payload = self._read_json(request.payload_json or b"{}", dict)
            event = self.engine.event(request.event, payload, dialect=request.dialect or None)
            engine = self.own().get(event.dialect, self.engine)
            seconds = min(request.budget_ms / 1000 or self.seconds, self.seconds)
            decision = await self._decide(engine, event, seconds, begun)
            reply.decision_json = json.dumps(decision.to_dict()).encode()
        except Exception as error:  # noqa: BLE001 - the outermost frame
            refusal = self._refuse(error)
            reply.error_code, reply.error = refusal.code, to_utf8(str(refusal))
        finally:
            begun.set()
        return reply

    async def stream(
        self, requests: AsyncIterator[pb.FireRequest], outbox: Outbox[pb.FireReply]
    ) -> None:
        """Answer many events. It reads the next one when the previous one was admitted.

        A caller that disconnects ends its events.
        """
        asked: dict[str, asyncio.Task[None]] = {}

        async def answer(request: pb.FireRequest, begun: asyncio.Event) -> None:
            reply = await self.fire(request, begun)
            asked.pop(request.request_id, None)
            if not outbox.post(reply):
                outbox.close(now=True)  # the caller does not read

        try:
            async for request in requests:
                if request.request_id in asked:
                    words = f"a request `{request.request_id:.80}` is under way already"
                    refusal = self._refuse(HookError(words, name="remote.protocol"))
                    outbox.post(
                        pb.FireReply(
                            request_id=request.request_id, error_code=refusal.code, error=words
                        )
                    )
                    continue
                begun = asyncio.Event()
                asking = asyncio.get_running_loop().create_task(answer(request, begun))
                asked[request.request_id] = asking
                await begun.wait()
            if asked:
                await asyncio.wait(asked.values())
        except LinkError:
            return
        finally:
            for task in asked.values():
                task.cancel()

    async def answer(self, request: pb.AnswerRequest) -> pb.AnswerReply:
        """Return a host's reply to its payload.

        Raises:
            HookError: the payload cannot be read, the dialect is unknown, or the engine is too
                busy.
        """
        try:
            engine = self.own().get(request.dialect, self.engine)
            host = engine.host(request.dialect)
            event = host.decode_event(self._read_json(request.payload_json, object))
            decided = await self._decide(engine, event, self.seconds, asyncio.Event())
            decision = add_notices(engine.runtime, event, decided)
            reply = write_reply(host.encode_decision, event, decision)
        except Exception as error:  # noqa: BLE001 - the outermost frame
            raise self._refuse(error) from None
        return pb.AnswerReply(
            stdout=to_utf8(reply.stdout), stderr=to_utf8(reply.stderr), exit_code=reply.exit_code
        )

    async def close(self, drain: float) -> None:
        """Refuse new requests, wait at most `drain` seconds for running ones, then end them with their hooks."""
        self._closed = True
        if self._under_way and drain > 0:
            await asyncio.wait(self._under_way, timeout=drain)
        left = list(self._under_way)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)

    # -- one event ---------------------------------------------------------------------------------

    def _refuse(self, error: Exception) -> HookError:
        """Count a request without a decision, and return the error for its sender."""
        if not isinstance(error, HookError):
            self.tell(f"HKL9001 internal error: {type(error).__name__}: {error}")
            error = HookError("this is a fault of hookline; please report it", name="internal")
        self.refused(error.code)
        return error

    async def _decide(
        self, engine: Engine, event: Event, seconds: float, begun: asyncio.Event
    ) -> Decision:
        """Return the decision once the event is admitted.

        A caller that disconnects counts as a request without a decision.
        """
        if self._closed:
            hint = "ask again when it is back"
            raise HookError("the server is being stopped", name="serve.ending", hint=hint)
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in one
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        try:
            async with self.turns.admit():
                begun.set()
                decision = await self._run(engine, event, seconds)
            if self.elsewhere is None:
                return decision
            return await self.elsewhere(engine, event, decision)
        except asyncio.CancelledError:
            self.refused(CODES["serve.ending" if self._closed else "serve.gone"])
            raise

    async def _run(self, engine: Engine, event: Event, seconds: float) -> Decision:
        asked = _contain_errors(engine.fire_async(event, seconds=seconds))
        if not engine.snapshot.own:
            return await asked
        try:  # a plain hook that does not return also keeps the engine from ending it
            async with asyncio.timeout(seconds + _MORE):
                return await _HOOK_LOOP.wait(asked)
        except TimeoutError:
            words = f"a Python hook of this engine did not return within {seconds:g} s"
            hint = "let it be asynchronous, or shorter"
            raise HookError(words, name="serve.busy", hint=hint) from None

    def _read_json(self, text: bytes, kind: type) -> Any:
        if len(text) > self.largest:
            raise CodecError(f"a payload of {len(text):,} bytes, and {self.largest:,} are the most")
        payload = read_json(text)
        if not isinstance(payload, kind):
            raise CodecError("a payload must be a JSON object")
        return payload


async def _contain_errors(asked: Coroutine[Any, Any, Decision]) -> Decision:
    """Return the decision; an exception by which a hook would end the program or task ends neither.

    Raises:
        HookError: a hook raised one.
    """
    try:
        return await asked
    except Exception:
        raise
    except BaseException as error:
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and (task is None or task.cancelling()):
            raise
        words = f"a hook broke off with {type(error).__name__}: {error}"
        raise HookError(words, name="hook.failed") from None
