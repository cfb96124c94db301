"""Invocations: runs each invocation of an engine once, and keeps its answer in case the engine asks again."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from typing import TYPE_CHECKING

from hookline.core.dispatch import Run
from hookline.dialects.a3s import A3S
from hookline.errors import CodecError
from hookline.model.verdict import Failure, Outcome
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.results import to_result, to_utf8
from hookline.remote.tracing import use_traceparent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hookline.model.spec import HookSpec

    Find = Callable[[pb.Invoke], HookSpec | None]
    Perform = Callable[[Run], Awaitable[Outcome]]

_REMEMBERED = 512
_BYTES = 8 << 20  # of remembered answers
_DIALECT = A3S()


async def contain_errors(perform: Perform, run: Run) -> Outcome:
    """Return the outcome of a run.

    Whatever its hook raises counts as the hook's failure, except a cancellation of the caller.
    """
    try:
        return await perform(run)
    except BaseException as error:
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and (task is None or task.cancelling()):
            raise
        return Outcome(failure=Failure.RAISED, detail=f"{type(error).__name__}: {error}")


class Invocations:
    """The invocations of one engine, and their answers.

    It outlives the stream, so that the engine may ask again.

    `find` returns a hook by its id and generation; `perform` runs it; `post` sends an answer, if
    there is a stream. `most`: invocations at once.
    """

    def __init__(
        self, find: Find, perform: Perform, post: Callable[[pb.Result], object], *, most: int
    ) -> None:
        self.find = find
        self.perform = perform
        self.post = post
        self.most = most
        self._running: dict[str, asyncio.Task[None]] = {}
        self._recent: OrderedDict[str, pb.Result] = OrderedDict()
        self._bytes = 0

    def invoke(self, invoke: pb.Invoke) -> None:
        """Start an invocation, unless it already runs or has an answer."""
        name = invoke.invocation_id
        if name in self._recent:
            self.post(self._recent[name])
        if name in self._recent or name in self._running:
            return
        spec = self.find(invoke)
        if len(self._running) >= self.most:
            self._refuse(invoke, f"{self.most} invocations are under way already")
        elif spec is None:
            self._refuse(invoke, f"there is no hook `{invoke.hook_id}` here")
        else:
            self._start(invoke, spec)

    def cancel(self, invocation_id: str) -> None:
        """Cancel an invocation that the engine no longer needs; it gets no answer."""
        task = self._running.get(invocation_id)
        if task is not None:
            task.cancel()

    def cancel_all(self) -> None:
        """Cancel everything that runs."""
        for task in self._running.values():
            task.cancel()

    def _start(self, invoke: pb.Invoke, spec: HookSpec) -> None:
        try:
            event = _DIALECT.decode_event(json.loads(invoke.event_json), invoke.event_type)
        except (CodecError, ValueError, RecursionError) as error:
            self._refuse(invoke, f"its event cannot be read: {error}")
            return
        run = Run(spec=spec.replace(timeout=max(invoke.budget_ms, 1) / 1000), event=event)
        task = asyncio.get_running_loop().create_task(self._run(run, invoke))
        self._running[invoke.invocation_id] = task
        task.add_done_callback(lambda _: self._running.pop(invoke.invocation_id, None))

    async def _run(self, run: Run, invoke: pb.Invoke) -> None:
        with use_traceparent(invoke.traceparent):
            outcome = await contain_errors(self.perform, run)
        if not invoke.reply_expected or outcome.failure is Failure.TIMED_OUT:
            return  # the engine's own clock counts, and it has reported the timeout already
        result = to_result(outcome, invoke.invocation_id)
        self._recent[result.invocation_id] = result
        self._bytes += result.ByteSize()
        while len(self._recent) > _REMEMBERED or self._bytes > _BYTES:
            self._bytes -= self._recent.popitem(last=False)[1].ByteSize()
        self.post(result)

    def _refuse(self, invoke: pb.Invoke, why: str) -> None:
        if invoke.reply_expected:
            self.post(pb.Result(invocation_id=invoke.invocation_id, failure=to_utf8(why[:1000])))
