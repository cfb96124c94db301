"""Reloader: keeps a server's engines up to date when hook files change, and on SIGHUP.

A host whose own files call hookline is answered by an engine without these files, because the host
runs their other hooks itself, and hookline must not call itself.
"""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from hookline.engine.host_calls import is_call_of_server
from hookline.engine.host_integrations import list_integrated_hosts
from hookline.engine.reload import Reloaded, Watcher, is_stale

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from hookline.engine.engine import Engine
    from hookline.server.service import Service


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
        self._before: Any = None  # the previous handler, as `signal` returns it
        self._lock = threading.Lock()
        self.watcher = Watcher(service.engine.loader, tell=tell, reload=self.reload)
        service.refresh = self.refresh

    def reload(self) -> Reloaded:
        """Read all files again, for every engine."""
        with self._lock:
            done = self._service.engine.reload()
            self._renew_own_engines()
        outcome = "refused" if done.refused else "changed" if done.anything else "unchanged"
        self._service.meter.reloads.labels(outcome).inc()
        return done

    def refresh(self) -> None:
        """Read changed files at once, because the caller says that writing is complete."""
        if is_stale(self._service.engine.loader):
            self.reload()

    def _renew_own_engines(self) -> None:
        """Give each host whose files call this server an engine without these files."""
        service = self._service
        hosts = {} if self._named else find_integrations(service.engine)
        gone = [engine for host, engine in service.own.items() if host not in hosts]
        service.own = {
            host: service.own.get(host) or self._make_engine_for(host, managed=managed)
            for host, managed in hosts.items()
        }
        for engine in service.own.values():  # what is registered from now on goes to all of them
            engine.loader.adopt(service.engine.loader)
        for engine in gone:
            engine.close()

    def _make_engine_for(self, host: str, *, managed: bool) -> Engine:
        """Return an engine with all hooks in force, except those of a host's own files."""
        engine = exclude_calls(self._another())
        engine.loader.drop_dialect(host, managed=managed)
        engine.loader.adopt(self._service.engine.loader)
        return engine

    def __enter__(self) -> Self:
        self._renew_own_engines()
        if self._watch:
            self.watcher.start()
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGHUP, self._handle_sighup)
        return self

    def __exit__(self, *error: object) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGHUP, self._before)
        self.watcher.stop()

    def close(self, seconds: float, hurried: Callable[[], bool] = lambda: False) -> None:
        """Close all engines as `Engine.close` does, concurrently."""
        engines = (self._service.engine, *self._service.own.values())
        with ThreadPoolExecutor(len(engines)) as pool:
            list(pool.map(lambda engine: engine.close(seconds=seconds, hurried=hurried), engines))

    def _handle_sighup(self, *_: object) -> None:
        """Reload on a thread, because a signal may interrupt anything, even an answer."""
        reload = partial(self.watcher.reload, always_tell=True)
        threading.Thread(target=reload, name="hookline-hangup", daemon=True).start()


def find_integrations(engine: Engine) -> dict[str, bool]:
    """Return the dialects whose hosts call hookline from their files, and whether policy does."""
    return list_integrated_hosts(engine)


def exclude_calls(engine: Engine) -> Engine:
    """Make an engine leave out the hooks that would call a decision server again, now and later."""
    engine.loader.keep_out(is_call_of_server)
    return engine
