"""Watches the files of a loader and reloads them when they have stopped changing.

The watcher looks at each file every `interval`. A file that is being written counts as before
until it has not changed for `settle` seconds.
"""

from __future__ import annotations

import threading

from hookline.errors import CODES, HookError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Self, TypeAlias

    from hookline.engine.loader import Loader
    from hookline.engine.reload import Reloaded
    from hookline.engine.sources import Key

    Reload: TypeAlias = Callable[[Collection[Key]], Reloaded]

# How often to wait for a file that keeps changing; then the others are loaded without it.
_ROUNDS = 20


class Watcher:
    """Keeps an engine on its files, in a thread of its own, from `start` to `stop` or as a context.

    `tell` receives one line for each reload that changed something or refused something new.
    `settle` and `interval` are in seconds. `reload` does the reload, where it is more than the
    engine's. `wait` waits so many seconds, and returns whether to stop.
    """

    def __init__(
        self,
        loader: Loader,
        *,
        tell: Callable[[str], None] | None = None,
        settle: float = 0.2,
        interval: float = 1.0,
        reload: Reload | None = None,
        wait: Callable[[float], bool] | None = None,
    ) -> None:
        self._loader = loader
        self._tell = tell or (lambda _: None)
        self._settle = settle
        self._interval = interval
        self._reload = reload or loader.reload
        self._stopping = threading.Event()
        self._wait = wait or self._stopping.wait
        self._refused = frozenset(map(str, loader.snapshot.problems()))
        self._taking = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> Self:
        """Start the thread, unless it runs already."""
        if self._thread is None:
            self._stopping.clear()
            self._thread = threading.Thread(target=self._run, name="hookline-watcher", daemon=True)
            self._thread.start()
        return self

    def stop(self) -> None:
        """Stop the thread, after the reload that is under way."""
        self._stopping.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()

    def reload(self, *, always_tell: bool = False) -> Reloaded | None:
        """Reload changed files once they stop changing, and report it; with `always_tell` also if nothing changed.

        Return None if the watcher is stopped meanwhile.
        """
        with self._taking:
            held = self._find_moving()
            if held is None:
                return None
            done = self._reload(held)
            refused = frozenset(map(str, done.refused))
            if always_tell or done.anything or refused - self._refused:
                self._tell(f"reloaded: {done}")
            self._refused = refused
            return done

    def check(self) -> Reloaded | None:
        """Reload if a file changed since it was last read; else return None."""
        return self.reload() if self._loader.is_stale() else None

    def _find_moving(self) -> frozenset[Key] | None:
        """Return the files that keep changing after a wait; Return None if the watcher is stopped meanwhile."""
        before = self._loader.read_stamps()
        moving: frozenset[Key] = frozenset()
        for _ in range(_ROUNDS):
            if self._wait(self._settle):
                return None
            now = self._loader.read_stamps()
            moving = frozenset(
                key for key in before.keys() | now.keys() if before.get(key) != now.get(key)
            )
            if not moving:
                break
            before = now
        return moving

    def _run(self) -> None:
        reported = ""
        while not self._stopping.is_set():
            try:
                self.check()
            except Exception as error:  # noqa: BLE001 - without the thread the engine would never reload again
                code = error.code if isinstance(error, HookError) else CODES["internal"]
                text = f"{code} cannot reload, and what was in force stays so: {type(error).__name__}: {error}"
                if text != reported:
                    self._tell(text)
                reported = text
            self._stopping.wait(self._interval)
