"""Roster: hooks with their handlers in this process, and what they were some changes ago."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from hookline.a3s import Hook, HookConfig, HookMatcher
from hookline.a3s.definitions import read_definition
from hookline.a3s.handling import handler_of, in_process
from hookline.dialects.a3s import A3S
from hookline.remote.definitions import sent
from hookline.remote.proto import bridge_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.a3s.handling import HookHandler
    from hookline.model.spec import HookSpec

_GENERATIONS = 8  # that an engine may still ask for


class Roster:
    """Hooks by id. Each change makes a new generation; the last eight can still be asked for."""

    def __init__(self) -> None:
        self.generation = 0
        self._dialect = A3S()
        self._lock = threading.Lock()
        self._hooks: dict[str, tuple[Hook, HookSpec]] = {}
        self._generations: OrderedDict[int, dict[str, HookSpec]] = OrderedDict({0: {}})

    # -- registering -----------------------------------------------------------------------------------------------

    def on(
        self,
        event: str,
        *,
        tool: str | None = None,
        path: str | None = None,
        command: str | None = None,
        session: str | None = None,
        skill: str | None = None,
        hook_id: str = "",
        priority: int = 100,
        timeout: float = 30.0,
        observe_only: bool = False,
        max_retries: int = 0,
        fail_mode: str | None = None,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorate a function, plain or asynchronous, as the handler of an event of a3s (a3s.md 3 and 4).

        `timeout` is in seconds. `observe_only`: told, and not waited for. Its id is the function's name, unless `hook_id` says one.

        Raises:
            ConfigError: as `register`.
        """
        matcher = HookMatcher(tool=tool, path_pattern=path, command_pattern=command, session_id=session, skill=skill)
        config = HookConfig(
            priority=priority,
            timeout_ms=round(timeout * 1000),
            async_execution=observe_only,
            fail_mode=fail_mode,
            max_retries=max_retries,
        )

        def registered(handler: Callable[..., Any]) -> Callable[..., Any]:
            name = hook_id or getattr(handler, "__name__", type(handler).__name__)
            self.register(Hook.new(name, event).with_matcher(matcher).with_config(config), handler)
            return handler

        return registered

    def register(self, hook: Hook | Mapping[str, Any], handler: HookHandler) -> None:
        """Register a definition with its handler, in place of one of the same id; from any thread, also while attached.

        Raises:
            ConfigError: the definition, or the handler, cannot be used.
        """
        known = read_definition(hook, self._dialect)
        armed = known.spec.replace(handler=in_process(handler_of(handler), known.hook.id, known.spec.native_event))
        self._change(lambda: self._hooks.update({known.hook.id: (known.hook, armed)}))

    def unregister(self, hook_id: str) -> bool:
        """Forget a hook; false if there is none."""
        known = hook_id in self._hooks
        self._change(lambda: self._hooks.pop(hook_id, None))
        return known

    def _change(self, change: Callable[[], object]) -> None:
        with self._lock:
            change()
            self.generation += 1
            self._generations[self.generation] = {name: spec for name, (_, spec) in self._hooks.items()}
            while len(self._generations) > _GENERATIONS:
                self._generations.popitem(last=False)
        self.changed()

    def changed(self) -> None:
        """There is a new generation."""

    # -- for whoever sends it --------------------------------------------------------------------------------------

    def registry(self) -> pb.Registry:
        """Our hooks as they are now."""
        with self._lock:
            return pb.Registry(generation=self.generation, hooks=[sent(hook) for hook, _ in self._hooks.values()])

    def later(self) -> int:
        """A generation after the present one."""
        with self._lock:
            self.generation += 1
            self._generations[self.generation] = {}
            return self.generation

    def find(self, invoke: pb.Invoke) -> HookSpec | None:
        """The hook that is asked for, as it was in that generation."""
        with self._lock:
            return self._generations.get(invoke.generation, {}).get(invoke.hook_id)
