"""Background: starts asynchronous hooks of a3s without waiting, tracks them, and waits for them at the end."""

from __future__ import annotations

import asyncio
import time
from copy import deepcopy

from hookline.engine.detached import Detached, make_finished
from hookline.handlers.inprocess import call_async
from hookline.model.handler import InProcess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.core.dispatch import Run
    from hookline.engine.detached import Finished


class Background:
    """The asynchronous hooks of one engine. A coroutine runs on the loop that fires, anything else on a thread.

    `finished` receives the outcome of each, where it ran.
    """

    def __init__(self, finished: Callable[[Finished], None]) -> None:
        self._finished = finished
        self._threads = Detached(None, {}, lambda _, ended: finished(ended))
        self._tasks: set[asyncio.Task[None]] = set()
        self.drain = self._threads.drain

    def start(self, run: Run) -> None:
        """Start a run and return; it gets its own copy of the event, which the host may change meanwhile."""
        run = run.replace(event=deepcopy(run.event))
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        if loop is None or (isinstance(run.spec.handler, InProcess) and run.spec.handler.worker):
            self._threads.start(run)
            return
        task = loop.create_task(self._await(run), name=f"hookline {run.spec.id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _await(self, run: Run) -> None:
        started = time.time()
        outcome = await call_async(run)
        self._finished(make_finished(run, outcome, started=started, ended=time.time()))

    async def drain_async(self, seconds: float) -> None:
        """Wait for the hooks on this loop and on threads, at most `seconds`; then end those on the loop."""
        tasks = [task for task in self._tasks if task.get_loop() is asyncio.get_running_loop()]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=seconds)
            for task in late:
                task.cancel()
        await asyncio.to_thread(self.drain, seconds)
