"""HookEngine: a3s's own API over hookline's engine."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque

from hookline.a3s.background import Background
from hookline.a3s.definitions import Hook, read_definition
from hookline.a3s.events import HookEvent
from hookline.a3s.handling import handler_of, in_process
from hookline.a3s.payloads import copied
from hookline.core.match import explain_mismatch
from hookline.core.plan import sort_hooks
from hookline.core.registry import Registry
from hookline.dialects.a3s import A3S, NAME, result_of
from hookline.dialects.a3s.decode_outcome import decode_outcome
from hookline.dialects.a3s.response import BLOCK
from hookline.dialects.a3s.table import TICKS_PER_SECOND
from hookline.engine.engine import Engine
from hookline.handlers.workers import WorkerBudget
from hookline.model.handler import InProcess
from hookline.model.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from os import PathLike
    from typing import Any, Self, TypeAlias

    from hookline.a3s.channel import EventChannel
    from hookline.a3s.definitions import Read
    from hookline.a3s.handling import HookHandler
    from hookline.a3s.payloads import Payload
    from hookline.dialects.a3s import HookResult
    from hookline.engine.detached import Finished
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision

    Fired: TypeAlias = HookEvent | Payload | Mapping[str, Any] | str

# How often a Retry is followed where the hook does not say (docs/formats/a3s.md 6).
DEFAULT_RETRIES = 3
_REMEMBERED = 256


class HookEngine:
    """Hooks of a3s: definitions and handlers, by id, and the one way to fire events at them.

    `cwd`: the folder of events that name none. `invalid_regex`: "substring" searches an expression that does not compile as
    plain text, for migration. `observe` is told every event and its decision. `problems` is what was odd, the last 256.
    """

    def __init__(
        self,
        *,
        cwd: str | PathLike[str] | None = None,
        invalid_regex: str = "refuse",
        observe: Callable[[Event, Decision], None] | None = None,
    ) -> None:
        self._background = Background(self._finished)
        options = {"invalid_regex": invalid_regex}
        self._engine = Engine.from_config(
            {"hooks": []},
            dialect=NAME,
            options=options,
            cwd=cwd,
            observe=observe,
            detach=self._background.start,
        )
        self._dialect = A3S(invalid_regex=invalid_regex)
        self._definitions: dict[str, Read] = {}
        self._handlers: dict[str, Callable[[HookEvent], Any]] = {}
        self._lock = threading.RLock()
        self._changed = False
        self._unhandled: set[str] = set()
        self._budget = WorkerBudget()
        self._channel: EventChannel | None = None
        self._problems: deque[Problem] = deque(maxlen=_REMEMBERED)

    @classmethod
    def new(cls) -> HookEngine:
        """An engine without hooks."""
        return cls()

    # -- registering -----------------------------------------------------------------------------------------------

    def register(self, hook: Hook | Mapping[str, Any], handler: HookHandler | None = None) -> None:
        """Register a definition, and with it at once its handler. One of the same id is replaced.

        A registration while an event is fired does not change that fire.

        Raises:
            ConfigError: the definition, or the handler, cannot be used.
        """
        known = read_definition(hook, self._dialect)
        handle = None if handler is None else handler_of(handler)
        with self._lock:
            self._definitions[known.hook.id] = known
            if handle is not None:
                self._handlers[known.hook.id] = handle
            self._changed = True
            self._problems.extend(known.warnings)

    def unregister(self, hook_id: str) -> Hook | None:
        """Forget a definition and return it; its handler stays, and is silent."""
        with self._lock:
            known = self._definitions.pop(hook_id, None)
            self._changed = True
        return known.hook if known else None

    def register_handler(self, hook_id: str, handler: HookHandler) -> None:
        """Register what handles the events of a hook, in place of a former handler; before or after the definition.

        Raises:
            ConfigError: it cannot handle events.
        """
        handle = handler_of(handler)
        with self._lock:
            self._handlers[hook_id] = handle
            self._changed = True

    def unregister_handler(self, hook_id: str) -> None:
        """Forget a handler; its definition stays, and does nothing."""
        with self._lock:
            self._handlers.pop(hook_id, None)
            self._changed = True

    def with_event_channel(self, channel: EventChannel) -> Self:
        """Send every event that is fired to a channel too, hooks or not; returns the engine."""
        self._channel = channel
        return self

    # -- looking ---------------------------------------------------------------------------------------------------

    def all_hooks(self) -> list[Hook]:
        """Every definition, in the order of registration."""
        return [known.hook for known in list(self._definitions.values())]

    def get_hook(self, hook_id: str) -> Hook | None:
        known = self._definitions.get(hook_id)
        return known.hook if known else None

    def hook_count(self) -> int:
        """How many definitions there are, with or without a handler."""
        return len(self._definitions)

    def matching_hooks(self, event: Fired) -> list[Hook]:
        """The hooks that an event selects as it stands, in the order in which they would be asked."""
        raised = self._raised(HookEvent.of(event))
        entries = self._engine.registry.of_kind(raised.kind)
        found = (
            self.get_hook(spec.id)
            for spec in sort_hooks(entries)
            if not explain_mismatch(spec, raised)
        )
        return [hook for hook in found if hook is not None]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was odd: warnings at registration, hooks without a handler that were asked, asynchronous hooks that failed."""
        return tuple(self._problems)

    # -- firing ----------------------------------------------------------------------------------------------------

    async def fire(self, event: Fired) -> HookResult:
        """Ask the hooks of an event, one after the other, and return what they came to.

        Raises:
            CodecError: an unknown event, or a payload that cannot be understood.
        """
        return result_of(await self._engine.fire_async(self._begin(event)))

    def fire_sync(self, event: Fired) -> HookResult:
        """`fire` without an event loop; asynchronous handlers run on a loop of their own.

        Raises:
            CodecError: as `fire`.
        """
        return result_of(self._engine.fire(self._begin(event)))

    async def fire_with_retries(
        self, event: Fired, *, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> HookResult:
        """`fire`, and while a hook says Retry, wait as long as it says and fire again, as often as it allows.

        After that the result is a Block which names the hook. `sleep` is given seconds.

        Raises:
            CodecError: as `fire`.
        """
        result, tries = await self.fire(event), 0
        while (delay := _pause(result, tries)) is not None:
            await sleep(delay)
            result, tries = await self.fire(event), tries + 1
        return _given_up(result, tries)

    def fire_with_retries_sync(
        self, event: Fired, *, sleep: Callable[[float], object] = time.sleep
    ) -> HookResult:
        """`fire_with_retries` without an event loop.

        Raises:
            CodecError: as `fire`.
        """
        result, tries = self.fire_sync(event), 0
        while (delay := _pause(result, tries)) is not None:
            sleep(delay)
            result, tries = self.fire_sync(event), tries + 1
        return _given_up(result, tries)

    def _begin(self, event: Fired) -> Event:
        given = HookEvent.of(event)
        if self._channel is not None:
            self._channel.offer(
                HookEvent(given.event_type, copied(dict(given.payload), type(given.payload)))
            )
        return self._raised(given)

    def _raised(self, event: HookEvent) -> Event:
        """The event as the core has it, once every registration before it counts."""
        with self._lock:
            if self._changed:
                specs = tuple(self._armed(known.spec) for known in self._definitions.values())
                dialect = self._engine.host(NAME)
                self._engine.registry = Registry().with_(dialect.combine(specs).specs, dialect)
                self._changed = False
        return self._dialect.decode_event(
            {"event_type": event.event_type.value, "payload": event.payload}
        )

    def _armed(self, spec: HookSpec) -> HookSpec:
        """A definition with its handler, or with none, which is said when it is first asked."""
        handle = self._handlers.get(spec.id)
        if handle is not None:
            return spec.replace(
                handler=in_process(handle, spec.id, spec.native_event, self._budget)
            )
        return spec.replace(
            handler=InProcess(call=lambda _: self._miss(spec), name=spec.id, read_by_dialect=True),
            detached=False,
        )

    def _miss(self, spec: HookSpec) -> None:
        if spec.id not in self._unhandled:
            self._unhandled.add(spec.id)
            self._report("hook.never-runs", f"`{spec.id}` has no handler and does nothing", spec.id)

    # -- asynchronous hooks ----------------------------------------------------------------------------------------

    def _finished(self, finished: Finished) -> None:
        """An asynchronous hook came to its end; what it answered counts for nothing, that it failed is said."""
        known = self._definitions.get(finished.hook_id)
        fault = decode_outcome(finished.outcome, known.spec).fault if known else None
        if fault is not None:
            self._report(
                "hook.failed",
                f"asynchronous hook `{finished.hook_id}` failed: {fault}",
                finished.hook_id,
            )

    def _report(self, name: str, message: str, hook_id: str) -> None:
        self._problems.append(Problem(name=name, message=message, severity="warning", hook=hook_id))

    # -- the end ---------------------------------------------------------------------------------------------------

    def close(self, *, seconds: float = 5.0) -> None:
        """Wait for asynchronous hooks on threads, at most so many seconds. Those on an event loop: `aclose`."""
        self._background.drain(seconds)

    async def aclose(self, *, seconds: float = 5.0) -> None:
        """Wait for asynchronous hooks, at most so many seconds, then end those on this loop."""
        await self._background.drain_async(seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()


def _pause(result: HookResult, tries: int) -> float | None:
    """How many seconds to wait before the next try; None where there is none."""
    if not result.is_retry() or tries >= (result.max_retries or DEFAULT_RETRIES):
        return None
    return (result.retry_delay_ms or 0) / TICKS_PER_SECOND


def _given_up(result: HookResult, tries: int) -> HookResult:
    if not result.is_retry():
        return result
    return result.replace(
        action=BLOCK,
        reason=f"hook `{result.hook_id}` asked for a retry again after {tries} of them",
        retry_delay_ms=None,
    )
