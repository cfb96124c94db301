"""Reloader: keeps a server's engines up to date when hook files change, and on SIGHUP."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from hookline.engine.reload import Watcher, is_stale
from hookline.server.integrations import exclude_calls, find_integrations

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from hookline.engine.engine import Engine
    from hookline.engine.reload import Reloaded
    from hookline.server.service import Service

# One thread that reads, and one that will read what changes meanwhile.
_AT_ONCE = 2


class Reloader:
    """Keeps the engines of a service up to date within a `with` block.

    `another` makes an engine like the service's own. `named`: the files were named on the command
    line, so no host runs them. `watch`: react to changes of files, not only to SIGHUP. `tell`
    receives a line for each reload.
    """

    def __init__(
        self,
        service: Service,
        another: Callable[[], Engine],
        *,
        named: bool = False,
        watch: bool = True,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._service = service
        self._another = another
        self._named = named
        self._watch = watch
        self._gone: list[Engine] = []
        self._asked: list[threading.Thread] = []
        self._before: Any = None  # the previous handler, as `signal` returns it
        self._one = threading.Lock()
        self.watcher = Watcher(service.engine.loader, tell=tell, reload=self.reload)
        service.refresh = self.refresh

    def reload(self) -> Reloaded:
        """Read all files again, for every engine.

        If a host's files now call this server, answer it without them.
        """
        with self._one:
            return self._reload()

    def refresh(self) -> None:
        """Read changed files at once, because the caller says that writing is complete."""
        if is_stale(self._service.engine.loader):
            self.reload()

    def _reload(self) -> Reloaded:
        service = self._service
        done = service.engine.reload()
        hosts = {} if self._named else find_integrations(service.engine)
        self._gone += [engine for host, engine in service.own.items() if host not in hosts]
        service.own = {
            host: service.own.get(host) or self._make_engine_for(host, managed=managed)
            for host, managed in hosts.items()
        }
        for engine in service.own.values():  # what is registered from now on goes to all of them
            engine.loader.adopt(service.engine.loader)
        service.meter.count_reload(
            "refused" if done.refused else "changed" if done.anything else "unchanged"
        )
        return done

    def _make_engine_for(self, host: str, *, managed: bool) -> Engine:
        """Return an engine with all hooks in force, last good versions included, except a host's own files."""
        engine = exclude_calls(self._another())
        engine.loader.drop_dialect(host, managed=managed)
        engine.loader.adopt(self._service.engine.loader)
        return engine

    def __enter__(self) -> Self:
        if self._watch:
            self.watcher.start()
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGHUP, self._handle_sighup)
        return self

    def __exit__(self, *error: object) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGHUP, self._before)
        self.watcher.stop()
        for thread in self._asked:
            thread.join()

    def engines(self) -> tuple[Engine, ...]:
        """Return every engine that was used since the server started."""
        return (self._service.engine, *self._service.own.values(), *self._gone)

    def close(self, seconds: float, hurried: Callable[[], bool] = lambda: False) -> None:
        """Close these engines as `Engine.close` does, concurrently."""
        engines = self.engines()
        with ThreadPoolExecutor(len(engines)) as pool:
            for closed in [
                pool.submit(engine.close, seconds=seconds, hurried=hurried) for engine in engines
            ]:
                closed.result()

    def _handle_sighup(self, *_: object) -> None:
        """Reload on a thread, because a signal may interrupt anything, even an answer."""
        self._asked = [thread for thread in self._asked if thread.is_alive()]
        if len(self._asked) < _AT_ONCE:
            self._asked.append(
                threading.Thread(
                    target=self.watcher.reload, kwargs={"always_tell": True}, name="hookline-hangup"
                )
            )
            self._asked[-1].start()
