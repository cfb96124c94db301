"""Fire service: answers events from other processes, one at a time or many on a stream, with the decisions of an engine."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from hookline.engine.notices import add_notices, write_reply
from hookline.errors import CODES, CodecError, HookError
from hookline.remote.admission import Admission
from hookline.remote.event_loop import BackgroundLoop
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.stream import LinkError
from hookline.wire.json_reader import read_json

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping

    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.verdict import Decision
    from hookline.remote.outbox import Outbox

_INTERNAL = "this is a fault of hookline; please report it"
# Plain Python hooks block the loop that calls them, so they get one of their own.
_HOOK_LOOP = BackgroundLoop()
_MORE = 1.0  # seconds for the engine to end overdue hooks by itself


class FireService:
    """Answers requests with an engine. `own` returns the engines for hosts whose own files start this server.

    `seconds`: for all hooks of an event. `turns`: limits concurrent events, here and at other entrances of the engine. `refused`
    receives the code of each request without a decision. `elsewhere` adds notices about the event's folder to a
    decision. `tell` receives a line for each internal fault.
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

    # -- three kinds of requests -----------------------------------------------------------------------------------

    async def fire(self, request: pb.FireRequest) -> pb.FireReply:
        """Return the decision on one event, or what is wrong with the request."""
        return await self._fire(request, asyncio.Event())

    async def stream(
        self, requests: AsyncIterator[pb.FireRequest], outbox: Outbox[pb.FireReply]
    ) -> None:
        """Answer many events. It reads the next one when the previous one was admitted. A caller that disconnects ends its events."""
        asked: dict[str, asyncio.Task[None]] = {}
        try:
            async for request in requests:
                if request.request_id in asked:
                    words = f"a request `{request.request_id:.80}` is under way already"
                    _post(outbox, self._refuse(request, HookError(words, name="remote.protocol")))
                    continue
                begun = asyncio.Event()
                task = asyncio.get_running_loop().create_task(self._reply(request, outbox, begun))
                asked[request.request_id] = task
                task.add_done_callback(partial(_forget, asked, request.request_id))
                await begun.wait()
            if asked:
                await asyncio.wait(asked.values())
        except LinkError:
            return
        finally:
            for task in asked.values():
                task.cancel()

    async def _reply(
        self, request: pb.FireRequest, outbox: Outbox[pb.FireReply], begun: asyncio.Event
    ) -> None:
        _post(outbox, await self._fire(request, begun))

    async def answer(self, request: pb.AnswerRequest) -> pb.AnswerReply:
        """Return a host's reply to its payload.

        Raises:
            HookError: the payload cannot be read, the dialect is unknown, or the engine is too busy.
        """
        try:
            engine = self.own().get(request.dialect, self.engine)
            host = engine.host(request.dialect)
            event = host.decode_event(self._json(request.payload_json))
            decided = await self._decide(engine, event, self.seconds, asyncio.Event())
            decision = add_notices(engine.runtime, event, decided)
            reply = write_reply(host.encode_decision, event, decision)
        except HookError as error:
            self.refused(error.code)
            raise
        except Exception as error:  # noqa: BLE001 - the outermost frame
            raise self._report_internal(error) from None
        return pb.AnswerReply(
            stdout=_utf8(reply.stdout), stderr=_utf8(reply.stderr), exit_code=reply.exit_code
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

    # -- one event -------------------------------------------------------------------------------------------------

    async def _fire(self, request: pb.FireRequest, begun: asyncio.Event) -> pb.FireReply:
        """Answer one request; set `begun` when the event is admitted, or will not be."""
        try:
            payload = self._object(request.payload_json) if request.payload_json else {}
            event = self.engine.event(request.event, payload, dialect=request.dialect or None)
            seconds = (
                min(request.budget_ms / 1000, self.seconds) if request.budget_ms else self.seconds
            )
            decision = await self._decide(
                self.own().get(event.dialect, self.engine), event, seconds, begun
            )
            return pb.FireReply(
                request_id=request.request_id, decision_json=json.dumps(decision.to_dict()).encode()
            )
        except HookError as error:
            return self._refuse(request, error)
        except Exception as error:  # noqa: BLE001 - the outermost frame
            return pb.FireReply(
                request_id=request.request_id,
                error_code=CODES["internal"],
                error=self._report_internal(error).message,
            )
        finally:
            begun.set()

    def _refuse(self, request: pb.FireRequest, error: HookError) -> pb.FireReply:
        self.refused(error.code)
        return pb.FireReply(
            request_id=request.request_id, error_code=error.code, error=_utf8(str(error))
        )

    def _report_internal(self, error: Exception) -> HookError:
        self.tell(f"HKL9001 internal error: {type(error).__name__}: {error}")
        self.refused(CODES["internal"])
        return HookError(_INTERNAL, name="internal")

    async def _decide(
        self, engine: Engine, event: Event, seconds: float, begun: asyncio.Event
    ) -> Decision:
        """Return the decision once the event is admitted; a caller that disconnects counts as a request without a decision."""
        if self._closed:
            raise HookError(
                "the server is being stopped", name="serve.ending", hint="ask again when it is back"
            )
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in one
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        try:
            async with self.turns.admit():
                begun.set()
                decision = await self._run(engine, event, seconds)
            return (
                decision
                if self.elsewhere is None
                else await self.elsewhere(engine, event, decision)
            )
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
        raise HookError(
            f"a hook broke off with {type(error).__name__}: {error}", name="hook.failed"
        ) from None


def _forget(asked: dict[str, asyncio.Task[None]], request_id: str, _: object) -> None:
    asked.pop(request_id, None)


def _post(outbox: Outbox[pb.FireReply], reply: pb.FireReply) -> None:
    """Queue a reply; close the stream of a caller that does not read."""
    if not outbox.post(reply):
        outbox.close(now=True)


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
