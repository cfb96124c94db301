"""Reload: reads changed files again; where a new version is invalid, the last good one stays."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress

from hookline.config.hook_files import make_stamp
from hookline.engine.loader import Loader, Snapshot, name_source
from hookline.engine.sources import (
    Discovery,
    Given,
    LoadedSource,
    Named,
    list_sources,
    read_sources,
)
from hookline.errors import CODES, ConfigError, HookError
from hookline.model.frozen import Frozen
from hookline.model.spec import MANAGED, Broken, HookSpec, Origin, Problem
from hookline.wire.disable_flags import drop_flags
from hookline.wire.fields import to_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol, Self, TypeGuard

    from hookline.config.hook_files import Stamp
    from hookline.core.dialect import Loaded
    from hookline.engine.sources import Key, Way

    class HasLoader(Protocol):
        """An engine."""

        loader: Loader


# How often to wait for a file that keeps changing; then it is read as it is.
_ROUNDS = 20


# -- which files changed -----------------------------------------------------------------------


def is_stale(loader: Loader) -> bool:
    """Whether a file changed, appeared or vanished since it was last read; one `stat` a file."""
    read = {each.key: each.stamp for each in loader.snapshot.sources if each.stamp}
    return read_stamps(loader) != read


def read_stamps(loader: Loader) -> dict[Key, Stamp]:
    """Return the stamps of all files that a reload would read now."""
    stamps: dict[Key, Stamp] = {}
    for way in filter(_is_renewable, loader.snapshot.ways):
        with suppress(ConfigError):  # what was named is gone
            for place, dialect, _ in list_sources(loader.search, way):
                key = (os.path.abspath(place.file), dialect.table.name)
                stamps[key] = make_stamp(*key)
    linked = (each.key for each in loader.snapshot.sources if each.is_linked)
    return stamps | {key: make_stamp(*key) for key in linked}


def _is_renewable(way: Way) -> TypeGuard[Discovery | Named]:
    """Whether a way can be gone again: no tree given by code, and no pipe."""
    if isinstance(way, Given | Discovery):
        return isinstance(way, Discovery)
    try:
        mode = os.stat(os.path.join(way.base, way.place.file)).st_mode
    except OSError:
        return True
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


# -- reading again -----------------------------------------------------------------------------


def reload_loader(loader: Loader) -> Reloaded:
    """Read all files again, and put what is valid in force at once.

    An event under way keeps the snapshot that it started with. Never raises for what is in a file.
    """
    with loader.lock:
        before = loader.snapshot
        loader.swap(renew_sources(loader))
        return compare_snapshots(before, loader.snapshot)


def renew_sources(loader: Loader) -> Snapshot:
    """Return the snapshot with the sources of all files as they are now.

    A source that stays keeps the ids of its hooks.
    """
    old = loader.snapshot
    sources: list[LoadedSource] = []
    for way in old.ways:
        before = {each.key: each for each in old.sources if each.way is way}
        sources += _renew_way(loader, way, before) if _is_renewable(way) else before.values()
    known = {id(each.loaded) for each in old.sources}
    kept = tuple(each for each in sources if id(each.loaded) in known)
    taken = old.replace(sources=kept).take_ids()
    named = (each if id(each.loaded) in known else name_source(each, taken) for each in sources)
    return old.replace(sources=tuple(named))


def _renew_way(
    loader: Loader, way: Discovery | Named, before: Mapping[Key, LoadedSource]
) -> list[LoadedSource]:
    """Return the sources of a way from now on; `before`: those in force."""
    try:
        found, is_gone = read_sources(loader.search, way), False
    except ConfigError:  # what was named is gone
        found, is_gone = [], True
    unwanted = loader.snapshot.is_unwanted
    renewed = [_renew_file(each, before.get(each.key), unwanted) for each in found]
    missing = (old for key, old in before.items() if key not in {each.key for each in found})
    kept = (_renew_missing(old, is_gone=is_gone) for old in missing)
    return [*(each for each in kept if each is not None), *renewed]


def _renew_file(
    found: LoadedSource, old: LoadedSource | None, unwanted: Callable[[HookSpec], bool]
) -> LoadedSource:
    """Return the source of a file from now on: as it is, or its last good version."""
    if old is None:
        return found.load()
    if found.error is None and old.source == found.source:
        return old.replace(newer_problems=(), stamp=found.stamp)
    new = found.load()
    errors = _list_errors(new.loaded, unwanted)
    lost = _can_run(old.loaded) and not _can_run(new.loaded)
    if len(errors) > len(_list_errors(old.loaded, unwanted)) or (errors and lost):
        return _keep_last_good(old.replace(stamp=found.stamp), errors)
    return new


def _renew_missing(old: LoadedSource, *, is_gone: bool) -> LoadedSource | None:
    """Return the source of a missing file if it still counts, else None.

    A file counts if it is policy, if what was named `is_gone`, or if it may still be there.
    """
    path, file, old = old.key[0], old.source.file, old.replace(stamp=())
    if old.source.text is None and os.path.isdir(path):
        return None  # a folder that could not be listed, and now can
    if unreachable := _explain_unreachable(path):
        error = ConfigError(f"cannot be read: {unreachable}", name="config.unreadable", place=path)
        return _keep_last_good(old, (to_problem(error, file, old.source.scope),))
    if not is_gone and old.source.scope != MANAGED:
        return None
    message = f"`{file}` is gone; its last good version is in force"
    return _warn(old, (), "config.gone", message, "put it back, or restart to do without it")


def _explain_unreachable(path: str) -> str:
    """Return why it is unknown whether a file still exists; empty if that is known."""
    try:
        os.stat(path)
        os.listdir(os.path.dirname(path))
    except (FileNotFoundError, NotADirectoryError):
        return "is a link to nothing" if os.path.islink(path) else ""
    except OSError as error:
        return (error.strerror or "unreadable").lower()
    return "is a folder" if os.path.isdir(path) else ""


def _list_errors(loaded: Loaded, unwanted: Callable[[HookSpec], bool]) -> tuple[Problem, ...]:
    """Return the errors, without those of hooks that are left out."""
    left_out = tuple(
        f"{spec.origin.pointer}." for spec in loaded.specs if spec.origin.pointer and unwanted(spec)
    )
    errors = (problem for problem in loaded.problems if problem.severity == "error")
    return tuple(each for each in errors if not f"{each.origin.pointer}.".startswith(left_out))


def _can_run(loaded: Loaded) -> bool:
    return any(not isinstance(spec.handler, Broken) for spec in drop_flags(loaded.specs))


def _keep_last_good(old: LoadedSource, wrong: tuple[Problem, ...]) -> LoadedSource:
    message = f"the last good version of `{old.source.file}` is in force"
    hint = "mend it; hookline takes it as soon as it is valid"
    return _warn(old, wrong, "config.last-good", message, hint)


def _warn(
    old: LoadedSource, wrong: tuple[Problem, ...], name: str, message: str, hint: str
) -> LoadedSource:
    origin = Origin(file=old.source.file, scope=old.source.scope)
    warning = Problem.warning(name, message, hint, origin=origin)
    return old.replace(newer_problems=(*wrong, warning))


# -- what a reload changed ---------------------------------------------------------------------


class Reloaded(Frozen):
    """Ids of added, removed and changed hooks, and why some files keep their last good version."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    refused: tuple[Problem, ...] = ()

    @property
    def anything(self) -> bool:
        """Whether a hook was added, removed or changed."""
        return bool(self.added or self.removed or self.changed)

    def __str__(self) -> str:
        counts = {"added": self.added, "removed": self.removed, "changed": self.changed}
        parts = [f"{len(ids)} {what}" for what, ids in counts.items() if ids]
        first = ", ".join(parts) or "no hook changed"
        return "; ".join([first, *map(str, self.refused)]).replace("\n", " ")


def compare_snapshots(before: Snapshot, now: Snapshot) -> Reloaded:
    """Compare the hooks of two snapshots by what they do, regardless of positions.

    An id with different hooks in both is a change.
    """
    old, new = _list_contents(before), _list_contents(now)
    came = [new[content] for content in new if content not in old]
    gone = [old[content] for content in old if content not in new]
    return Reloaded(
        added=tuple(hook_id for hook_id in came if hook_id not in gone),
        removed=tuple(hook_id for hook_id in gone if hook_id not in came),
        changed=tuple(hook_id for hook_id in came if hook_id in gone),
        refused=tuple(problem for each in now.sources for problem in each.newer_problems),
    )


def _list_contents(snapshot: Snapshot) -> dict[str, str]:
    """Return the ids of hooks by what these do, without their positions in the file."""
    contents = {}
    for entry in snapshot.whole.entries():
        spec = entry.spec
        origin = Origin(file=spec.origin.file, scope=spec.origin.scope)
        contents[repr(spec.replace(id="", origin=origin, strict=False))] = spec.id
    return contents


# -- the watcher -------------------------------------------------------------------------------


def watching(
    engine: HasLoader,
    *,
    tell: Callable[[str], None] | None = None,
    settle: float = 0.2,
    interval: float = 1.0,
) -> Watcher:
    """A context in which an engine follows its files: `with hookline.watching(engine): ...`.

    `tell` is given one line for each reload. `settle`: how long, in seconds, a file must not have
    changed to be taken. `interval`: how often, in seconds, files are looked at.
    """
    return Watcher(engine.loader, tell=tell, settle=settle, interval=interval)


class Watcher:
    """Keeps an engine on its files, in a thread of its own, from `start` to `stop` or as a context.

    It looks at each file every `interval`, and reads changed files when none has changed for
    `settle`. Both are in seconds. `tell` receives one line for each reload that changed something
    or refused something new. `reload` does the reload, where it is more than the engine's. `wait`
    waits so many seconds, and returns whether to stop.
    """

    def __init__(
        self,
        loader: Loader,
        *,
        tell: Callable[[str], None] | None = None,
        settle: float = 0.2,
        interval: float = 1.0,
        reload: Callable[[], Reloaded] | None = None,
        wait: Callable[[float], bool] | None = None,
    ) -> None:
        self._loader = loader
        self._tell = tell or (lambda _: None)
        self._settle = settle
        self._interval = interval
        self._reload = reload or (lambda: reload_loader(loader))
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
        """Reload changed files once they stop changing, and report it.

        With `always_tell` it reports also that nothing changed. Return None if the watcher is
        stopped meanwhile.
        """
        with self._taking:
            if self._is_stopped_before_rest():
                return None
            done = self._reload()
            refused = frozenset(map(str, done.refused))
            if always_tell or done.anything or refused - self._refused:
                self._tell(f"reloaded: {done}")
            self._refused = refused
            return done

    def check(self) -> Reloaded | None:
        """Reload if a file changed since it was last read; else return None."""
        return self.reload() if is_stale(self._loader) else None

    def _is_stopped_before_rest(self) -> bool:
        """Wait until no file changes, some rounds at most; return whether it was stopped."""
        before = read_stamps(self._loader)
        for _ in range(_ROUNDS):
            if self._wait(self._settle):
                return True
            now = read_stamps(self._loader)
            if now == before:
                break
            before = now
        return False

    def _run(self) -> None:
        reported = ""
        while not self._stopping.is_set():
            try:
                self.check()
            except Exception as error:  # noqa: BLE001 - the thread must go on
                code = error.code if isinstance(error, HookError) else CODES["internal"]
                text = (
                    f"{code} cannot reload, and what was in force stays so:"
                    f" {type(error).__name__}: {error}"
                )
                if text != reported:
                    self._tell(text)
                reported = text
            self._stopping.wait(self._interval)
