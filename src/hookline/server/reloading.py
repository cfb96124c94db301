"""Reloading: a server's engines go on with their files as these change, and when it gets a SIGHUP."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from hookline.engine.reload import adopt, enlist_alike
from hookline.engine.watching import Watcher
from hookline.server.callers import callers, without_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Self

    from hookline.engine.engine import Engine
    from hookline.engine.reload import Reloaded
    from hookline.engine.sources import Key
    from hookline.server.service import Service

# One that reads, and one that will have read whatever was changed meanwhile.
_AT_ONCE = 2


class Reloading:
    """Keeps the engines of a service on their files, as a context.

    `another` makes an engine like the service's own. `named`: its files were named, so that none is left to a host to
    run. `watch`: take changes as they come, and not only on a SIGHUP. `tell` is given one line for each reload.
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
        self._before: Any = None  # what `signal` says was there
        self._one = threading.Lock()
        self.watcher = Watcher(service.engine, tell=tell, reload=self.reload)
        service.refresh = self.refresh

    def reload(self, held: Collection[Key] = ()) -> Reloaded:
        """Read all files anew, for every engine; a host whose files call us now is answered without them from now on."""
        with self._one:
            return self._reloaded(held)

    def refresh(self) -> None:
        """Read what has changed without waiting for it to come to rest: somebody says that it is written."""
        if self._service.engine.stale():
            self.reload()

    def _reloaded(self, held: Collection[Key]) -> Reloaded:
        service = self._service
        done = service.engine.reload(held)
        own = dict(service.own)
        for engine in own.values():
            engine.reload(held)
        hosts = {} if self._named else callers(service.engine)
        self._gone += [own.pop(host) for host in list(own) if host not in hosts]
        new = {
            host: self._for(host, managed=managed)
            for host, managed in hosts.items()
            if host not in own
        }
        service.own = own | new
        for engine in new.values():  # whoever enlisted hooks after `_for` did not know of it yet
            enlist_alike(engine, service.engine)
        service.meter.reloaded(
            "refused" if done.refused else "changed" if done.anything else "unchanged"
        )
        return done

    def _for(self, host: str, *, managed: bool) -> Engine:
        """An engine that has all that is in force, last good versions included, less a host's own files."""
        engine = self._another()
        adopt(engine, self._service.engine)
        engine.drop_dialect(host, managed=managed)
        return without_calls(engine)

    def __enter__(self) -> Self:
        if self._watch:
            self.watcher.start()
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGHUP, self._hang_up)
        return self

    def __exit__(self, *error: object) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGHUP, self._before)
        self.watcher.stop()
        for thread in self._asked:
            thread.join()

    def engines(self) -> tuple[Engine, ...]:
        """Every engine that was asked since the server started."""
        return (self._service.engine, *self._service.own.values(), *self._gone)

    def close(self, seconds: float, hurried: Callable[[], bool] = lambda: False) -> None:
        """Close these engines, as `Engine.close` does; all at once, so that many take no longer than one."""
        engines = self.engines()
        with ThreadPoolExecutor(len(engines)) as pool:
            for closed in [
                pool.submit(engine.close, seconds=seconds, hurried=hurried) for engine in engines
            ]:
                closed.result()

    def _hang_up(self, *_: object) -> None:
        """Reload in a thread, because a signal comes in the middle of anything, an answer included."""
        self._asked = [thread for thread in self._asked if thread.is_alive()]
        if len(self._asked) < _AT_ONCE:
            self._asked.append(
                threading.Thread(
                    target=self.watcher.reload, kwargs={"aloud": True}, name="hookline-hangup"
                )
            )
            self._asked[-1].start()
