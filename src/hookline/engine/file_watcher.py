"""Watches the files of a loader and reloads them when they have stopped changing.

The operating system reports changes if the extra `watch` (`watchfiles`) is installed; without it, and in places that
it cannot watch, the watcher looks at each file every `interval`. A file that is being written
counts as before until it has not changed for `settle` seconds.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from hookline.config.layouts import LAYOUTS
from hookline.config.places import list_paths
from hookline.engine.sources import Discovery, Named, list_sources
from hookline.errors import CODES, ConfigError, HookError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from typing import Self, TypeAlias

    from hookline.engine.loader import Loader
    from hookline.engine.reload import Reloaded
    from hookline.engine.sources import Key

    Reload: TypeAlias = Callable[[Collection[Key]], Reloaded]
    Signals: TypeAlias = Callable[[frozenset[str], threading.Event, float], Iterator[object]]

# How often to wait for a file that keeps changing; then the others are loaded without it.
_ROUNDS = 20
_MOST_FOLDERS = 1000
_STEP_MS = 50


class Watcher:
    """Keeps an engine on its files, in a thread of its own, from `start` to `stop` or as a context.

    `tell` is given one line for each reload that changed something or refused something new. `settle` and `interval` are in
    seconds. `reload` does the reload, where it is more than the engine's. `wait` waits so many seconds, and says whether to
    stop; `signals` yields when a folder may have changed, and at least once in an interval.
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
        signals: Signals | None = None,
    ) -> None:
        self._loader = loader
        self._tell = tell or (lambda _: None)
        self._settle = settle
        self._interval = interval
        self._reload = reload or loader.reload
        self._stopping = threading.Event()
        self._wait = wait or self._stopping.wait
        self._signals = signals or _yield_changes
        self._refused: frozenset[str] = frozenset(
            str(problem) for problem in loader.snapshot.problems()
        )
        self._taking = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> Self:
        """Begin to watch; a watcher that watches goes on."""
        if self._thread is None:
            self._stopping.clear()
            self._thread = threading.Thread(target=self._run, name="hookline-watcher", daemon=True)
            self._thread.start()
        return self

    def stop(self) -> None:
        """Watch no longer; a reload that is under way is waited for."""
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

        None if told to stop meanwhile.
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
        """Return the files that keep changing after a wait; None if told to stop meanwhile."""
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
        said = ""
        while not self._stopping.is_set():
            try:
                self._watch()
            except Exception as error:  # noqa: BLE001 - without the thread the engine would never reload again
                code = error.code if isinstance(error, HookError) else CODES["internal"]
                before, said = (
                    said,
                    f"{code} cannot reload, and what was in force stays so: {type(error).__name__}: {error}",
                )
                if said != before:
                    self._tell(said)
                self._stopping.wait(self._interval)

    def _watch(self) -> None:
        """Check at each signal, until the folders to watch change."""
        folders = list_folders(self._loader)
        for _ in self._signals(folders, self._stopping, self._interval):
            self.check()
            if self._stopping.is_set() or list_folders(self._loader) != folders:
                break


def _yield_changes(
    folders: frozenset[str], stopping: threading.Event, interval: float
) -> Iterator[object]:
    """Yield when something changes in the folders, and in every interval; a folder that vanishes ends it."""
    try:
        from watchfiles import watch  # noqa: PLC0415 - an extra

        yield from watch(
            *sorted(folders),
            watch_filter=None,
            debounce=_STEP_MS * 2,
            step=_STEP_MS,
            stop_event=stopping,
            rust_timeout=max(1, round(interval * 1000)),
            yield_on_timeout=True,
            raise_interrupt=False,
            recursive=False,
            ignore_permission_denied=True,
        )
    except (
        ImportError,
        OSError,
        RuntimeError,
    ):  # not installed, no more watches to be had, or a folder is gone already
        if not stopping.wait(interval):
            yield None


# -- which folders -----------------------------------------------------------------------------------------------------


def list_folders(loader: Loader) -> frozenset[str]:
    """Return the folders to watch: of the files, of link targets, and those where files may appear."""
    folders: set[str] = set()
    for way in list(loader.snapshot.ways):
        if isinstance(way, Discovery):
            for path in list_paths(loader.cwd, loader.environ, way.dialect):
                folders |= _list_around(path)
        elif isinstance(way, Named):
            path = os.path.join(way.base, way.place.file)
            names = LAYOUTS[way.dialect.table.name].files if os.path.isdir(path) else ()
            folders |= _list_around(path).union(
                *(_list_around(os.path.join(path, name)) for name in names)
            )
        if isinstance(way, Discovery | Named):
            folders.update(
                *(_list_file_folders(file, dialect) for file, dialect in _list_files(loader, way))
            )
    return frozenset(sorted(folders)[:_MOST_FOLDERS])


def _list_files(loader: Loader, way: Discovery | Named) -> list[tuple[str, str]]:
    try:
        return [
            (os.path.abspath(place.file), dialect.table.name)
            for place, dialect, _ in list_sources(loader.search, way)
        ]
    except ConfigError:  # what was named is gone
        return []


def _list_around(path: str) -> set[str]:
    """Return the nearest existing folder above a path; and the path with its subfolders, if it is a folder."""
    folders = {_find_nearest(os.path.dirname(path))}
    if os.path.isdir(path):
        folders.add(path)
        with suppress(OSError):  # it cannot be listed
            folders.update(entry.path for entry in os.scandir(path) if entry.is_dir())
    return folders


def _find_nearest(folder: str) -> str:
    while not os.path.isdir(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return folder


def _list_file_folders(file: str, dialect: str) -> set[str]:
    """Return the folders of a file, of its link target and of its companions."""
    folder = os.path.dirname(file)
    beside = (os.path.dirname(os.path.join(folder, name)) for name in LAYOUTS[dialect].companions)
    return {
        each
        for each in (folder, os.path.dirname(os.path.realpath(file)), *beside)
        if os.path.isdir(each)
    }
