"""Engine: load hooks of any dialect, fire events, get one explained decision."""

from __future__ import annotations

import os
from contextvars import ContextVar
from time import perf_counter

from hookline.config.places import UNTRUSTED_SCOPES, discovered
from hookline.config.read import files_of, guess_dialect, source_of
from hookline.core.dialect import Source
from hookline.core.dispatch import dispatch
from hookline.core.guardrails import Redos, cap_redo
from hookline.core.plan import plan
from hookline.core.registry import Registry
from hookline.engine.catalog import make_dialect
from hookline.engine.drive import drive, drive_async, refuse
from hookline.engine.sources import Shelf
from hookline.errors import CodecError, ConfigError
from hookline.model import kinds
from hookline.model.event import Event, Stop
from hookline.model.verdict import Stance
from hookline.wire.payload import unknown_event
from hookline.wire.sources import refusing_everything

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self, TypeAlias

    from hookline.core.dialect import Dialect
    from hookline.core.dispatch import Dispatch, Run
    from hookline.engine.detached import Detached, Finished
    from hookline.handlers.process import Limits
    from hookline.model.problem import Problem
    from hookline.model.reply import Reply
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision

    Path: TypeAlias = str | os.PathLike[str]

MODES = ("fidelity", "strict")
TRUSTS = ("all", "user", "none")
# (engine, kind, session) of every fire that this context is inside of.
_firing: ContextVar[frozenset[tuple[int, str, str]]] = ContextVar("hookline_firing", default=frozenset())


class Engine:
    """Hooks of any dialects, and the one way to ask them.

    `cwd`: the project folder, for payloads that name none. `redo_limit`: how often a stop gate may send the agent back in
    one turn (None: what the host's dialect says, 3 where it is silent; 0: no limit). `limits`: bounds of command hooks.
    `environ`: the environment that they inherit. `placed`: find line numbers of everything, not of faults only.
    `observe` is told every event and its decision; `finished` the outcome of every detached hook. `detach` takes over
    detached runs, which otherwise get a thread each.
    """

    def __init__(
        self,
        *,
        cwd: Path | None = None,
        redo_limit: int | None = None,
        limits: Limits | None = None,
        environ: Mapping[str, str] | None = None,
        placed: bool = True,
        observe: Callable[[Event, Decision], None] | None = None,
        finished: Callable[[Finished], None] | None = None,
        detach: Callable[[Run], None] | None = None,
    ) -> None:
        self.cwd = os.path.abspath(cwd or os.getcwd())
        self.redo_limit = redo_limit
        self.limits = limits
        self.environ = os.environ if environ is None else environ
        self.placed = placed
        self.observe = observe
        self.finished = finished
        self.detach = detach
        self.shelf = Shelf()
        self.registry = Registry()
        self._combining: list[Problem] = []
        self._hosts: dict[str, Dialect] = {}
        self._made: dict[tuple[str, str], Dialect] = {}
        self._strict = False
        self._once: frozenset[str] = frozenset()
        self._redos = Redos()
        self._detached: Detached | None = None

    # -- loading ---------------------------------------------------------------------------------------------------

    @classmethod
    def discover(cls, cwd: Path = ".", *, trust: str = "user", mode: str = "fidelity", dialect: str = "", **settings: Any) -> Self:
        """An engine with every dialect's files, managed, user and project.

        Hooks that a project brings along (scopes project and local) are listed and not run, unless `trust` is "all";
        with "none", nothing is run. `dialect` looks for one dialect only. `settings` are those of the class.

        Raises:
            ConfigError: an unknown trust, mode or dialect. Never for what is in a file: see `problems`.
        """
        engine = cls(cwd=cwd, **settings)
        _one_of("trust", trust, TRUSTS)
        for found in discovered(engine.cwd, engine.environ, dialect):
            trusted = trust == "all" or (trust == "user" and found.scope not in UNTRUSTED_SCOPES)
            engine._add_path(found.path, found.dialect, scope=found.scope, mode=mode, trusted=trusted, shadow=False, options=None)
        engine._rebuild()
        return engine

    @classmethod
    def load(
        cls,
        path: Path,
        *,
        dialect: str | None = None,
        trust: str = "all",
        mode: str = "fidelity",
        options: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Self:
        """An engine with the hooks of one file or folder. Naming it is the consent to run them.

        Raises:
            ConfigError: no such file, or an unknown dialect, option, trust or mode. Never for what is in a file.
        """
        return cls(**settings).add_source(path, dialect=dialect, trust=trust, mode=mode, options=options)

    @classmethod
    def from_config(
        cls,
        tree: Mapping[str, Any],
        *,
        dialect: str,
        trust: str = "all",
        mode: str = "fidelity",
        options: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Self:
        """An engine with the hooks of a configuration given as a tree.

        Raises:
            ConfigError: as `load`.
        """
        return cls(**settings).add_source(tree, dialect=dialect, trust=trust, mode=mode, options=options)

    def add_source(
        self,
        source: Path | Mapping[str, Any],
        *,
        dialect: str | None = None,
        trust: str = "all",
        mode: str = "fidelity",
        scope: str = "explicit",
        shadow: bool = False,
        options: Mapping[str, Any] | None = None,
    ) -> Self:
        """Add a file, a folder or a tree to this engine, and return the engine.

        With `shadow` its hooks are run and recorded, and never enforced.

        Raises:
            ConfigError: as `load`.
        """
        _one_of("trust", trust, TRUSTS)
        _one_of("mode", mode, MODES)
        trusted = trust != "none"
        if isinstance(source, str | os.PathLike):
            path = os.fspath(source)
            chosen = dialect or guess_dialect(path)
            self._add_path(path, chosen, scope=scope, mode=mode, trusted=trusted, shadow=shadow, options=options)
        else:
            if dialect is None:
                raise ConfigError("a tree does not tell its dialect", name="config.dialect", hint="name it with `dialect=`")
            given = Source(tree=source, scope=scope, mode=mode, trusted=trusted, shadow=shadow)
            self._shelve(given, self._dialect(dialect, options))
        self._rebuild()
        return self

    def drop_dialect(self, name: str) -> None:
        """Forget every source of a dialect."""
        self.shelf.sources = [shelved for shelved in self.shelf.sources if shelved.dialect.table.name != name]
        self._rebuild()

    def _add_path(
        self, path: str, dialect: str, *, scope: str, mode: str, trusted: bool, shadow: bool, options: Mapping[str, Any] | None
    ) -> None:
        made = self._dialect(dialect, options)
        for file in files_of(path, dialect):
            try:
                source = source_of(file, dialect, scope=scope, mode=mode, trusted=trusted, shadow=shadow, placed=self.placed)
            except ConfigError as error:
                source = Source(file=file, scope=scope, mode=mode, trusted=trusted, shadow=shadow)
                self.shelf.add(source, made, refusing_everything(source, made.table, error))
                continue
            self._shelve(source, made)

    def _shelve(self, source: Source, dialect: Dialect) -> None:
        loaded = dialect.load(source)
        if loaded.problems and source.text is not None and not source.placed:
            source = source.replace(placed=True)  # now it matters where
            loaded = dialect.load(source)
        self.shelf.add(source, dialect, loaded)
        self._strict = self._strict or source.mode == "strict"

    def _dialect(self, name: str, options: Mapping[str, Any] | None) -> Dialect:
        key = (name, repr(sorted((options or {}).items())))
        if key not in self._made:
            self._made[key] = make_dialect(name, options)
        self._hosts[name] = self._made[key]
        return self._made[key]

    def _rebuild(self) -> None:
        self.registry, self._combining = self.shelf.registry(self._hosts.get("hookline"))
        self._once = frozenset(entry.spec.id for entry in self.registry.entries() if entry.spec.once)

    # -- in-process hooks ------------------------------------------------------------------------------------------

    def on(
        self,
        kind: str,
        *,
        tool: str | Sequence[str] | None = None,
        command: str | None = None,
        path: str | Sequence[str] | None = None,
        name: str = "",
        rank: int = 0,
        timeout: float = 60.0,
        on_failure: Stance = Stance.SILENT,
        shadow: bool = False,
        once: bool = False,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorate a function, plain or asynchronous, as a hook on a canonical event.

        `tool`: exact names. `command`: an expression (RE2) searched in a shell call's command. `path`: globs, one of which
        a path of the input must match. The function takes the event and returns a verdict (`deny(...)`, `rewrite(...)`
        ...) or None. A plain function cannot be interrupted by `timeout` (seconds).

        Raises:
            ConfigError: an unknown event, or an invalid expression.
        """
        from hookline.engine.listen import own_hook  # noqa: PLC0415 - `answer` has no in-process hooks

        def register(call: Callable[..., Any]) -> Callable[..., Any]:
            native = self._dialect("hookline", None)
            spec = own_hook(
                call, kind, tool=tool, command=command, path=path, name=name, rank=rank,
                timeout=timeout, on_failure=on_failure, shadow=shadow, once=once,
            )  # fmt: skip
            self.registry = self.registry.with_([self.shelf.add_own(spec)], native)
            if once:
                self._once |= {self.shelf.own[-1].id}
            return call

        return register

    # -- looking ---------------------------------------------------------------------------------------------------

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with the sources, in their order."""
        found = [problem for shelved in self.shelf.sources for problem in shelved.loaded.problems]
        return (*found, *self._combining)

    @property
    def hooks(self) -> tuple[HookSpec, ...]:
        """Every hook that may take part in an event, grouped by event, each group in the order in which it runs."""
        from hookline.core.plan import order  # noqa: PLC0415 - looking is not firing

        return tuple(spec for kind in self.registry.kinds for spec in order(self.registry.of_kind(kind)))

    def event(self, event: str | Event, payload: Mapping[str, Any] | None = None, *, dialect: str | None = None) -> Event:
        """The event that `fire` would raise for these arguments.

        Raises:
            CodecError: an unknown event, or a payload that cannot be understood.
            ConfigError: an unknown dialect.
        """
        if isinstance(event, Event):
            return event if event.cwd else event.replace(cwd=self.cwd)
        host = self._host(dialect) if dialect else self._host_of(event)
        row = host.table.row(event) or host.table.row_of_kind(event)
        if row is None:
            raise unknown_event(host.table, event)
        decoded = host.decode_event(payload or {}, event if host.table.row(event) else row.native)
        return decoded if decoded.cwd else decoded.replace(cwd=self.cwd)

    def _host(self, name: str) -> Dialect:
        return self._hosts.get(name) or self._dialect(name, None)

    def _host_of(self, event: str) -> Dialect:
        """The dialect that an event's name belongs to, when nobody said: canonical, or the only loaded one that has it."""
        if event in kinds.NAMES:
            return self._host("hookline")
        having = [dialect for dialect in self._hosts.values() if dialect.table.row(event) is not None]
        if len(having) == 1:
            return having[0]
        if not having and self._hosts:
            raise unknown_event(next(iter(self._hosts.values())).table, event)
        raise CodecError(f"which dialect's `{event}`?", name="wire.event", hint="name it with `dialect=`")

    # -- firing ----------------------------------------------------------------------------------------------------

    def fire(self, event: str | Event, payload: Mapping[str, Any] | None = None, *, dialect: str | None = None) -> Decision:
        """Ask every hook about an event, and return the decision.

        `event` is a canonical event, or a native name with the host's native `payload` and `dialect`.

        Raises:
            CodecError: an unknown event, or a payload that cannot be understood.
            ConfigError: an unknown dialect.
        """
        raised = self._prepared(self.event(event, payload, dialect=dialect))
        asking = self._dispatch(raised)
        inside = _firing.get()
        key = (id(self), raised.kind, raised.session_id)
        if self._reentered(key, inside):
            return self._settle(raised, refuse(asking))
        token = _firing.set(inside | {key})
        try:
            decision = drive(asking, self._detach, self.limits, self.environ)
        finally:
            _firing.reset(token)
        return self._settle(raised, decision)

    async def fire_async(self, event: str | Event, payload: Mapping[str, Any] | None = None, *, dialect: str | None = None) -> Decision:
        """`fire` on an event loop: asynchronous hooks are awaited, processes do not block the loop.

        Cancelling it ends every process that it started.

        Raises:
            CodecError, ConfigError: as `fire`.
        """
        raised = self._prepared(self.event(event, payload, dialect=dialect))
        asking = self._dispatch(raised)
        inside = _firing.get()
        key = (id(self), raised.kind, raised.session_id)
        if self._reentered(key, inside):
            return self._settle(raised, refuse(asking))
        token = _firing.set(inside | {key})
        try:
            decision = await drive_async(asking, self._detach, self.limits, self.environ)
        finally:
            _firing.reset(token)
        return self._settle(raised, decision)

    def answer(self, dialect: str, payload: Any) -> Reply:
        """A host's payload in, the host's reply out.

        Raises:
            CodecError: the payload cannot be understood.
            ConfigError: an unknown dialect.
        """
        host = self._host(dialect)
        event = host.decode_event(payload)
        return host.encode_decision(self.fire(event), event)

    def _prepared(self, event: Event) -> Event:
        """A stop gate's payload says whether, and how often, the agent was sent back already."""
        if not kinds.kind(event.kind).redo or not isinstance(event.body, Stop):
            return event
        count = self._redos.count(event.session_id, event.kind)
        facts = {**event.body.facts, "stop_block_count": count, "stop_block_limit": self._limit(event)}
        return event.replace(body=event.body.replace(stop_hook_active=event.body.stop_hook_active or count > 0, facts=facts))

    def _limit(self, event: Event) -> int:
        return self._host(event.dialect).table.redo_limit if self.redo_limit is None else self.redo_limit

    def _dispatch(self, event: Event) -> Dispatch:
        return dispatch(plan(self.registry, event, self._host(event.dialect), reexamine=self._strict), event, perf_counter)

    def _reentered(self, key: tuple[int, str, str], inside: frozenset[tuple[int, str, str]]) -> bool:
        """Whether a hook on this very event made the agent raise it again, in this process or in one that it started."""
        if key in inside:
            return True
        chain = self.environ.get("HOOKLINE_FIRING")
        return chain is not None and key[1] in chain.split(",")

    def _settle(self, event: Event, decision: Decision) -> Decision:
        """Count redos, retire what was to run once, and tell whoever observes."""
        if decision.redo:
            count = self._redos.count(event.session_id, event.kind)
            decision = cap_redo(decision, count, self._limit(event))
        self._redos = self._redos.after(event.session_id, decision)
        if self._once:
            done = self._once & {verdict.hook_id for verdict in decision.verdicts if verdict.fault is None}
            if done:
                self.registry = self.registry.without(done)
                self._once -= done
        if self.observe is not None:
            self.observe(event, decision)
        return decision

    def _detach(self, run: Run) -> None:
        if self.detach is not None:
            self.detach(run)
            return
        if self._detached is None:
            from hookline.engine.detached import Detached  # noqa: PLC0415 - threads, which most engines never start

            self._detached = Detached(self.limits, self.environ, self.finished)
        self._detached.start(run)

    # -- the end ---------------------------------------------------------------------------------------------------

    def close(self, *, seconds: float = 5.0) -> None:
        """Wait for detached hooks, at most so many seconds, then end them and everything that they started."""
        if self._detached is not None:
            self._detached.drain(seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _one_of(what: str, given: str, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        raise ConfigError(f"unknown {what} `{given}`", name="config.option", hint=f"one of {', '.join(allowed)}")
