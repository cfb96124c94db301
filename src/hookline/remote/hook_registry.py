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
from hookline.remote.definitions import explain_bad_id, to_message
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
        """Decorate a function, plain or asynchronous, as the handler of an event of a3s (docs/formats/a3s.md 3, 4).

        `timeout` is in seconds. `observe_only`: the handler is notified without waiting. The id is the function's name by default.

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
            ConfigError: the definition or the handler cannot be used, or an engine would refuse the id or the number of hooks.
        """
        known = read_definition(hook, self._dialect)
        told = _to_message(known.hook)
        armed = known.spec.replace(
            handler=make_in_process(
                make_handler(handler), known.hook.id, known.spec.native_event, self._budget
            )
        )
        self._change(lambda: self._put(told, armed))

    def _put(self, told: pb.HookSpec, armed: HookSpec) -> None:
        if told.id not in self._hooks and len(self._hooks) >= self.most:
            raise ConfigError(
                f"`{told.id}` is one hook too many: {self.most:,} are the most",
                name="remote.bounds",
            )
        self._hooks[told.id] = (told, armed)

    def unregister(self, hook_id: str) -> bool:
        """Forget a hook; return False if there is none."""
        known = hook_id in self._hooks
        self._change(lambda: self._hooks.pop(hook_id, None))
        return known

    def _change(self, change: Callable[[], object]) -> None:
        with self._lock:
            change()
            self.generation += 1
        self.announce()

    def announce(self) -> None:
        """Announce a new generation."""

    # -- for the session -------------------------------------------------------------------------------------------

    def registry(self) -> pb.Registry:
        """Return the current hooks as a message."""
        with self._lock:
            self._remember({name: spec for name, (_, spec) in self._hooks.items()})
            return pb.Registry(
                generation=self.generation, hooks=[told for told, _ in self._hooks.values()]
            )

    def next_generation(self) -> int:
        """Start an empty generation, and return its number."""
        with self._lock:
            self.generation += 1
            self._remember({})
            return self.generation

    def _remember(self, specs: dict[str, HookSpec]) -> None:
        self._generations[self.generation] = specs
        while len(self._generations) > _GENERATIONS:
            self._generations.popitem(last=False)

    def find(self, invoke: pb.Invoke) -> HookSpec | None:
        """Return the requested hook, as it was in that generation."""
        with self._lock:
            return self._generations.get(invoke.generation, {}).get(invoke.hook_id)


def _to_message(hook: Hook) -> pb.HookSpec:
    """Return a definition as a message.

    Raises:
        ConfigError: the message or an engine cannot carry it.
    """
    if odd := explain_bad_id(hook.id):
        raise ConfigError(odd, name="value.range")
    try:
        return to_message(hook)
    except (ValueError, TypeError) as error:
        raise ConfigError(
            f"`{hook.id}` cannot be sent: {error}"[:400]
            .encode("utf-8", "backslashreplace")
            .decode(),
            name="value.range",
        ) from None
