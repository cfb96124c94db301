"""Hook registry: hooks with their handlers in this process, and their recent generations."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from hookline.a3s import Hook, HookConfig, HookMatcher
from hookline.a3s.definitions import read_definition
from hookline.a3s.handlers import make_handler, make_in_process
from hookline.dialects.a3s import A3S
from hookline.errors import ConfigError
from hookline.handlers.workers import WorkerBudget
from hookline.remote.definitions import to_message
from hookline.remote.limits import Bounds
from hookline.remote.proto import bridge_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.a3s.handlers import HookHandler
    from hookline.model.spec import HookSpec

_GENERATIONS = 8  # the generations that an engine may still ask for


class HookRegistry:
    """Hooks by id, up to a limit. Each change makes a new generation; the last eight sent ones stay available."""

    def __init__(self, most: int = Bounds().hooks) -> None:
        self.generation = 0
        self.most = most
        self._dialect = A3S()
        self._budget = WorkerBudget()
        self._lock = threading.Lock()
        self._hooks: dict[str, tuple[pb.HookSpec, HookSpec]] = {}
        self._generations: OrderedDict[int, dict[str, HookSpec]] = OrderedDict({0: {}})

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
        """Decorate a function, plain or asynchronous, as the handler of an event of a3s (docs/formats/a3s.md 3, 4).

        `timeout` is in seconds. `observe_only`: the handler is notified without waiting. The id is
        the function's name by default.

        Raises:
            ConfigError: as `register`.
        """
        matcher = HookMatcher(
            tool=tool, path_pattern=path, command_pattern=command, session_id=session, skill=skill
        )
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
        """Register a definition with its handler, replacing one with the same id; from any thread, also while attached.

        Raises:
            ConfigError: the definition or the handler cannot be used, or an engine would refuse the
                id or the number of hooks.
        """
        known = read_definition(hook, self._dialect)
        name, event = known.hook.id, known.spec.native_event
        message = to_message(known.hook)
        called = make_in_process(make_handler(handler), name, event, self._budget)
        with self._lock:
            if name not in self._hooks and len(self._hooks) >= self.most:
                words = f"`{name}` is one hook too many: {self.most:,} are the most"
                raise ConfigError(words, name="remote.bounds")
            self._hooks[name] = (message, known.spec.replace(handler=called))
            self.generation += 1
        self.announce()

    def unregister(self, hook_id: str) -> bool:
        """Forget a hook; return False if there is none."""
        with self._lock:
            known = self._hooks.pop(hook_id, None) is not None
            self.generation += 1
        self.announce()
        return known

    def announce(self) -> None:
        """Announce a new generation."""

    def registry(self, *, empty: bool = False) -> pb.Registry:
        """Return the current hooks as a message; `empty`: a new generation without any instead."""
        with self._lock:
            hooks = {} if empty else self._hooks
            self.generation += empty
            self._generations[self.generation] = {name: spec for name, (_, spec) in hooks.items()}
            while len(self._generations) > _GENERATIONS:
                self._generations.popitem(last=False)
            messages = [message for message, _ in hooks.values()]
            return pb.Registry(generation=self.generation, hooks=messages)

    def find(self, invoke: pb.Invoke) -> HookSpec | None:
        """Return the requested hook, as it was in that generation."""
        with self._lock:
            return self._generations.get(invoke.generation, {}).get(invoke.hook_id)
