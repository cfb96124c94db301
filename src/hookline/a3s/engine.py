"""HookEngine: a3s's own API over hookline's engine."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from itertools import count

from hookline.a3s.definitions import Hook, ReadDefinition, read_definition
from hookline.a3s.events import HookEvent, Payload
from hookline.a3s.handlers import make_handler, make_in_process
from hookline.core.condition_descriptions import explain_mismatch
from hookline.core.plan import sort_hooks
from hookline.dialects.a3s import A3S
from hookline.dialects.a3s.encode_decision import HookResult, to_result
from hookline.dialects.a3s.response import BLOCK
from hookline.dialects.a3s.table import NAME, TABLE
from hookline.engine.detached import make_finished
from hookline.engine.engine import Engine
from hookline.handlers.table import call_async
from hookline.handlers.workers import Workers
from hookline.model.spec import HookSpec, InProcess, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping
    from os import PathLike
    from typing import Any, Self, TypeAlias

    from hookline.a3s.channel import EventChannel
    from hookline.a3s.handlers import HookHandler
    from hookline.core.dispatch import Run
    from hookline.engine.runtime import Finished
    from hookline.model.event import Event
    from hookline.model.verdict import Decision

    Fired: TypeAlias = HookEvent | Payload | Mapping[str, Any] | str

# How often a Retry is followed by default (docs/formats/a3s.md 6).
DEFAULT_RETRIES = 3
_REMEMBERED = 256


class HookEngine:
    """Hooks of a3s: definitions and handlers by id, and one way to fire events.

    `cwd`: the folder of events without one. `invalid_regex`: "substring" searches an expression
    that does not compile as plain text, for migration. `observe` receives every event and its
    decision. `problems` holds the last 256 warnings.
    """

    def __init__(
        self,
        *,
        cwd: str | PathLike[str] | None = None,
        invalid_regex: str = "refuse",
        observe: Callable[[Event, Decision], None] | None = None,
    ) -> None:
        self._engine = Engine(
            cwd=cwd, observe=observe, detach=self._start, finished=self._report_failure
        )
        self._dialect = A3S(invalid_regex=invalid_regex)
        self._definitions: dict[str, ReadDefinition] = {}
        self._handlers: dict[str, Callable[[HookEvent], Any]] = {}
        self._lock = threading.RLock()
        self._changed = False
        self._unhandled: set[str] = set()
        self._workers = Workers()
        self._channel: EventChannel | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._problems: deque[Problem] = deque(maxlen=_REMEMBERED)

    @classmethod
    def new(cls) -> HookEngine:
        """Return an engine without hooks."""
        return cls()

    # -- registering -------------------------------------------------------------------------------

    def register(self, hook: Hook | Mapping[str, Any], handler: HookHandler | None = None) -> None:
        """Register a definition, optionally with its handler. It replaces one with the same id.

        A registration does not change an event that is being fired.

        Raises:
            ConfigError: the definition, or the handler, cannot be used.
        """
        known = read_definition(hook, self._dialect)
        with self._lock:
            if handler is not None:
                self.register_handler(known.hook.id, handler)
            self._definitions[known.hook.id] = known
            self._changed = True
            self._problems.extend(known.warnings)

    def unregister(self, hook_id: str) -> Hook | None:
        """Forget a definition and return it; its handler stays, but does not run."""
        with self._lock:
            known = self._definitions.pop(hook_id, None)
            self._changed = True
        return known.hook if known else None

    def register_handler(self, hook_id: str, handler: HookHandler) -> None:
        """Register the handler of a hook, replacing a former one; before or after the definition.

        Raises:
            ConfigError: it cannot handle events.
        """
        handle = make_handler(handler)
        with self._lock:
            self._handlers[hook_id] = handle
            self._changed = True

    def unregister_handler(self, hook_id: str) -> None:
        """Forget a handler; its definition stays, and does nothing."""
        with self._lock:
            self._handlers.pop(hook_id, None)
            self._changed = True

    def with_event_channel(self, channel: EventChannel) -> Self:
        """Send every fired event to a channel too, even without hooks; return the engine."""
        self._channel = channel
        return self

    # -- looking -----------------------------------------------------------------------------------

    def all_hooks(self) -> list[Hook]:
        """Return every definition, in the order of registration."""
        return [known.hook for known in list(self._definitions.values())]

    def get_hook(self, hook_id: str) -> Hook | None:
        known = self._definitions.get(hook_id)
        return known.hook if known else None

    def hook_count(self) -> int:
        """Return how many definitions there are, with or without a handler."""
        return len(self._definitions)

    def matching_hooks(self, event: Fired) -> list[Hook]:
        """Return the hooks that an event selects as it is, in the order in which they would run."""
        raised = self._to_event(HookEvent.of(event))
        specs = sort_hooks(self._engine.registry.of_kind(raised.kind))
        selected = (self.get_hook(spec.id) for spec in specs if not explain_mismatch(spec, raised))
        return [hook for hook in selected if hook is not None]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the warnings: of registration, missing handlers and failed asynchronous hooks."""
        return tuple(self._problems)

    # -- firing ------------------------------------------------------------------------------------

    async def fire(self, event: Fired) -> HookResult:
        """Run the hooks of an event, one after the other, and return their result.

        Raises:
            CodecError: the event is unknown, or its payload cannot be read.
        """
        return to_result(await self._engine.fire_async(self._begin(event)))

    def fire_sync(self, event: Fired) -> HookResult:
        """Do what `fire` does, without an event loop.

        Asynchronous handlers run on a loop of their own.

        Raises:
            CodecError: as `fire`.
        """
        return to_result(self._engine.fire(self._begin(event)))

    async def fire_with_retries(
        self, event: Fired, *, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> HookResult:
        """Fire; while a hook says Retry, wait as it says and fire again, as often as it allows.

        After that the result is a Block which names the hook. `sleep` receives seconds.

        Raises:
            CodecError: as `fire`.
        """
        for tries in count():
            result = await self.fire(event)
            if not result.is_retry():
                return result
            if tries == (result.max_retries or DEFAULT_RETRIES):
                break
            await sleep((result.retry_delay_ms or 0) / TABLE.ticks_per_second)
        reason = f"hook `{result.hook_id}` asked for a retry again after {tries} of them"
        return result.replace(action=BLOCK, reason=reason, retry_delay_ms=None)

    def _begin(self, event: Fired) -> Event:
        given = HookEvent.of(event)
        if self._channel is not None:
            self._channel.offer(given.copy())
        return self._to_event(given.copy())  # the host may change its own meanwhile

    def _to_event(self, event: HookEvent) -> Event:
        """Return the event as the core has it, after applying all registrations."""
        with self._lock:
            if self._changed:
                self._engine.loader.enlist(NAME, list(self._list_handled()), NAME)
                self._changed = False
        return self._dialect.decode_event(event)

    def _list_handled(self) -> Iterator[HookSpec]:
        """Yield the definitions with their handlers; report once each that has none."""
        for known in self._definitions.values():
            spec, handle = known.spec, self._handlers.get(known.spec.id)
            if handle is not None:
                made = make_in_process(handle, spec.id, spec.native_event, self._workers)
                yield spec.replace(handler=made)
            elif spec.id not in self._unhandled:
                self._unhandled.add(spec.id)
                why = f"`{spec.id}` has no handler and does nothing"
                self._report("hook.never-runs", why, spec.id)

    def _start(self, run: Run) -> None:
        """Start an asynchronous hook: a coroutine on the loop that fires, whose clients it may use.

        Anything else runs on a thread.
        """
        handler = run.spec.handler
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        if loop is None or (isinstance(handler, InProcess) and handler.worker):
            self._engine.firing.start_detached(run)
            return
        task = loop.create_task(self._run(run), name=f"hookline {run.spec.id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, run: Run) -> None:
        outcome = await call_async(run)
        self._report_failure(make_finished(run, outcome, time.time()))

    def _report_failure(self, finished: Finished) -> None:
        """Report the failure of an asynchronous hook; its answer has no effect."""
        hook_id, fault = finished.hook_id, finished.verdict.fault
        if fault is not None:
            self._report("hook.failed", f"asynchronous hook `{hook_id}` failed: {fault}", hook_id)

    def _report(self, name: str, message: str, hook_id: str) -> None:
        self._problems.append(Problem.warning(name, message, hook=hook_id))

    # -- the end -----------------------------------------------------------------------------------

    def close(self, *, seconds: float = 5.0) -> None:
        """Wait for asynchronous hooks on threads, at most `seconds`; then leave them behind."""
        self._engine.close(seconds=seconds)

    async def aclose(self, *, seconds: float = 5.0) -> None:
        """Do what `close` does; wait for coroutines on this loop too, and then cancel them."""
        tasks = [task for task in self._tasks if task.get_loop() is asyncio.get_running_loop()]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=seconds)
            for task in late:
                task.cancel()
        await asyncio.to_thread(self.close, seconds=seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()
