"""Library: the hooks that one engine knows, from files, folders, trees and Python functions, in every dialect."""

from __future__ import annotations

import os
from _thread import RLock  # `threading` would cost each start of `answer` 1 ms

from hookline.config.project_env import drop_project_env
from hookline.config.read import guess_dialect
from hookline.core.dialect import Source
from hookline.core.registry import Registry
from hookline.engine.dialect_resolver import OWN, Dialects
from hookline.engine.load_options import MATCHING, MODES, TRUSTS, check_choice, split_keywords
from hookline.engine.projects import needs_folder, needs_project
from hookline.engine.shelf import LoadedSources
from hookline.engine.sources import Discovery, Given, Named, Search, describe_way, read_sources
from hookline.errors import ConfigError
from hookline.model.event import Event
from hookline.model.handler import Builtin, Model
from hookline.model.spec import MANAGED, SCOPES
from hookline.model.verdict import Stance
from hookline.wire.payload import unknown_event_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Self, TypeAlias

    from hookline.core.dialect import Dialect
    from hookline.engine.sources import Way
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec

    Path: TypeAlias = str | os.PathLike[str]


class Library:
    """Hooks of any dialects: added, listed, indexed. `Engine` is a library that can be asked.

    `cwd`: the project folder, for payloads that name none. `environ`: where home and configuration folders are found.
    `placed`: find line numbers of everything, not of faults only.
    """

    def __init__(
        self,
        *,
        cwd: Path | None = None,
        environ: Mapping[str, str] | None = None,
        placed: bool = True,
    ) -> None:
        self.cwd = os.path.abspath(cwd or os.getcwd())
        self.environ = os.environ if environ is None else environ
        self.placed = placed
        self.gated = False
        self.shelf = LoadedSources()
        self.dialects = Dialects(self.environ)
        self.registry = Registry()
        self.whole = Registry()  # with the hooks that are left out
        self.strict = False
        self.leaves_unread = False
        self.checked_sessions: set[tuple[str, bool]] = set()
        self.tells_time = self.tells_project = self.tells_folder = False
        self._combining: list[Problem] = []
        self._left_out: tuple[Problem, ...] = ()
        self._once: frozenset[str] = frozenset()
        self._asks_models = False
        self._numbers_calls = False
        self._retired: frozenset[str] = frozenset()
        self._unwanted: tuple[Callable[[HookSpec], bool], ...] = ()
        self._spent: list[HookSpec] = []
        self._changing = RLock()
        self._reloading = RLock()

    @property
    def search(self) -> Search:
        """The context of a search for files."""
        return Search(
            cwd=self.cwd, environ=self.environ, dropped=self.shelf.dropped, make=self.dialects.make,
            placed=self.placed, gated=self.gated,
        )  # fmt: skip

    # -- loading ---------------------------------------------------------------------------------------------------

    @classmethod
    def discover(
        cls,
        cwd: Path = ".",
        *,
        trust: str = "user",
        mode: str = "fidelity",
        dialect: str = "",
        match_tools: str = "native",
        parses_new: bool | None = None,
        **settings: Any,
    ) -> Self:
        """An engine with every dialect's files, managed, user and project.

        With `trust="approved"` the approvals of the user count, as for a host (docs/explanation/trust.md).
        With "user", the hooks of a project are listed and not run; with "all" they are; with "none"
        nothing is run. `dialect` looks for one dialect only. `match_tools`: see `add_source`.
        Without an `environ`, that of this process counts, less what the repository sets in it (see `problems`).
        `parses_new`: whether files of a project without approvals are parsed, which then decide nothing; else its user is
        told of them at an event. Without a word they are, but for `trust="approved"`.
        `settings` are those of the class.

        Raises:
            ConfigError: an unknown trust, mode, matching or dialect. Never for what is in a file: see `problems`.
        """
        left_out = None
        if settings.get("environ") is None:
            cleaned = drop_project_env(os.environ, os.fspath(cwd))
            settings["environ"], left_out = cleaned.environ, cleaned.problem
        check_choice("trust", trust, TRUSTS)
        if trust == "approved":
            _ask_for_approvals(settings, cwd)
            trust, parses_new = "user", bool(parses_new)
        engine = cls(cwd=cwd, **settings)
        engine._left_out = (left_out,) if left_out else ()
        check_choice("mode", mode, MODES)
        check_choice("match_tools", match_tools, MATCHING)
        if dialect:
            engine.dialects.make_host(dialect)
        parses_new = parses_new is not False or trust == "all"
        way = Discovery(
            trust=trust, mode=mode, match_tools=match_tools, dialect=dialect, parses_new=parses_new
        )
        engine._load_way(way)
        engine.leaves_unread = not parses_new
        return engine

    @classmethod
    def load(
        cls,
        path: Path,
        *,
        dialect: str | None = None,
        trust: str = "all",
        mode: str = "fidelity",
        match_tools: str = "native",
        options: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Self:
        """An engine with the hooks of one file or folder.

        Naming it is the consent to run them, unless `trust="approved"` asks for an approval.

        `settings` are those of the class; any other keyword is an option of the dialect, like an entry of `options`.

        Raises:
            ConfigError: no such file, or an unknown dialect, option, trust or mode. Never for what is in a file.
        """
        own, rest = split_keywords(cls, settings)
        given = {**(options or {}), **rest}
        if trust == "approved":
            _ask_for_approvals(own, own.get("cwd") or ".")
        return cls(**own).add_source(
            path, dialect=dialect, trust=trust, mode=mode, match_tools=match_tools, options=given
        )

    @classmethod
    def from_config(
        cls,
        tree: Mapping[str, Any],
        *,
        dialect: str,
        trust: str = "all",
        mode: str = "fidelity",
        match_tools: str = "native",
        options: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Self:
        """An engine with the hooks of a configuration given as a tree; keywords as in `load`.

        Raises:
            ConfigError: as `load`.
        """
        own, rest = split_keywords(cls, settings)
        given = {**(options or {}), **rest}
        return cls(**own).add_source(
            tree, dialect=dialect, trust=trust, mode=mode, match_tools=match_tools, options=given
        )

    def add_source(
        self,
        source: Path | Mapping[str, Any],
        *,
        dialect: str | None = None,
        trust: str = "all",
        mode: str = "fidelity",
        scope: str = "explicit",
        shadow: bool = False,
        match_tools: str = "native",
        options: Mapping[str, Any] | None = None,
        host: str = "",
    ) -> Self:
        """Add a file, a folder or a tree to this engine, and return the engine.

        Without `dialect`, the name and the contents of a file tell it; where they fit several, it is that of `host`.

        With `shadow` its hooks are run and recorded, and never enforced. With `match_tools="canonical"` a matcher sees a tool
        under the names that it has in every host, so that one for `Bash` also selects `shell` and `run_shell_command`.

        Raises:
            ConfigError: as `load`.
        """
        check_choice("trust", trust, TRUSTS)
        check_choice("mode", mode, MODES)
        check_choice("scope", scope, SCOPES)
        check_choice("match_tools", match_tools, MATCHING)
        trusted = trust != "none"
        gated = trust == "approved"
        if gated and not self.gated:
            raise ConfigError(
                "an engine without approvals cannot ask for them",
                name="config.option",
                hint='make it with `Engine.load(path, trust="approved")`',
            )
        if isinstance(source, str | os.PathLike):
            path = os.fspath(source)
            made = self.dialects.make_host(dialect or guess_dialect(path, host), options)
            place = Source(
                file=path,
                scope=scope,
                mode=mode,
                trusted=trusted,
                shadow=shadow,
                match_tools=match_tools,
                gated=gated,
            )
            self._load_way(Named(place=place, dialect=made, base=os.getcwd()))
        else:
            if dialect is None:
                raise ConfigError(
                    "a tree does not tell its dialect",
                    name="config.dialect",
                    hint="name it with `dialect=`",
                )
            given = Source(
                tree=source,
                scope=scope,
                mode=mode,
                trusted=trusted,
                shadow=shadow,
                match_tools=match_tools,
                gated=gated,
            )
            self._load_way(Given(source=given, dialect=self.dialects.make_host(dialect, options)))
        return self

    def shelve(
        self, source: Source, dialect: str, options: Mapping[str, Any] | None = None
    ) -> Self:
        """Add a source made by code: a text that is in no file.

        Raises:
            ConfigError: an unknown dialect or option. Never for what is in the source.
        """
        self._load_way(Given(source=source, dialect=self.dialects.make_host(dialect, options)))
        return self

    def drop_dialect(self, name: str, *, managed: bool = False) -> None:
        """Forget all sources of a dialect; those of policy only with `managed`."""
        gone = frozenset((name, scope) for scope in SCOPES if managed or scope != MANAGED)
        with self._changing:
            self.shelf.dropped |= gone
            self.shelf.ways = [
                way
                for way in self.shelf.ways
                if isinstance(way, Discovery) or describe_way(way) not in gone
            ]
            self.shelf.sources = [
                each
                for each in self.shelf.sources
                if (each.dialect.table.name, each.source.scope) not in gone
            ]
            self._rebuild()

    def leave_out(self, hook_ids: frozenset[str]) -> None:
        """Leave out hooks that did what they were to do once, for good."""
        with self._changing:
            self.registry = self.registry.without(hook_ids)
            self._once -= hook_ids
            self._retired |= hook_ids

    def keep_out(self, unwanted: Callable[[HookSpec], bool]) -> None:
        """Leave out every hook of which this is true, also those that come later, as with a reload."""
        with self._changing:
            self._unwanted += (unwanted,)
            self._rebuild()

    def _load_way(self, way: Way) -> None:
        """Read and load the sources of a way, and keep the way for a reload."""
        found = list(read_sources(self.search, way))
        with self._changing:
            self.shelf.ways.append(way)
            for source in found:
                self.shelf.load(source, way)
            self._rebuild()

    def _rebuild(self) -> None:
        """Build the registry from the sources; it is assigned last, because events read it."""
        self.dialects.add_defaults(self.shelf.dialects())
        modes = (shelved.source.mode for shelved in self.shelf.sources)
        searched = (way.mode for way in self.shelf.ways if isinstance(way, Discovery))
        # A search in strict mode is strict also where it finds no file any more.
        self.strict = "strict" in (*modes, *searched)
        registry, self._combining = self.shelf.registry(self.dialects.own(), strict=self.strict)
        self.tells_time = self.shelf.tells_time()
        self.tells_project = needs_project(registry.entries())
        self.tells_folder = needs_folder(registry.entries())
        unwanted = {
            entry.spec.id
            for entry in registry.entries()
            if any(is_so(entry.spec) for is_so in self._unwanted)
        }
        self.whole = registry
        registry = registry.without(self._retired | unwanted)
        once = frozenset(entry.spec.id for entry in registry.entries() if entry.spec.once)
        self._once |= once  # an event may already go by the new registry, or still by the old one
        # As with `once`: more may be counted meanwhile, and never less.
        asks = any(type(entry.spec.handler) is Model for entry in registry.entries())
        self._asks_models |= asks
        self._numbers_calls = any(
            entry.spec.kind == "model.request" and type(entry.spec.handler) is Builtin
            for entry in registry.entries()
        )
        self.registry = registry
        self._once = once
        self._asks_models = asks

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
        from hookline.engine.decorators import make_own_hook  # noqa: PLC0415 - `answer` has no in-process hooks

        def register(call: Callable[..., Any]) -> Callable[..., Any]:
            native = self.dialects.make_host(OWN)
            spec = make_own_hook(
                call, kind, tool=tool, command=command, path=path, name=name, rank=rank,
                timeout=timeout, on_failure=on_failure, shadow=shadow, once=once,
            )  # fmt: skip
            with self._changing:
                own = self.shelf.add_own(spec).replace(strict=self.strict)
                self._once |= {own.id} if once else set()
                self.registry = self.registry.with_([own], native)
            return call

        return register

    def enlist(
        self,
        owner: str,
        specs: Iterable[HookSpec],
        dialect: str,
        ended: Callable[[str], object] | None = None,
    ) -> tuple[HookSpec, ...]:
        """Put hooks that are in no file in place of those of `owner`; returned with their ids. `ended`: as of `Enlisted`.

        Raises:
            ConfigError: an unknown dialect.
        """
        spoken = self.dialects.make(dialect)
        with self._changing:
            named = self.shelf.enlist(owner, specs, spoken, ended)
            self._rebuild()
        return named

    # -- looking ---------------------------------------------------------------------------------------------------

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with the sources, in their order, and then with the environment."""
        found = [
            problem
            for shelved in self.shelf.sources
            for problem in (*shelved.loaded.problems, *shelved.newer_problems)
        ]
        return (*found, *self._combining, *self._left_out)

    @property
    def hooks(self) -> tuple[HookSpec, ...]:
        """Every hook that may take part in an event, grouped by event, each group in the order in which it runs."""
        from hookline.core.plan import sort_hooks  # noqa: PLC0415 - looking is not firing

        return tuple(
            spec for kind in self.registry.kinds for spec in sort_hooks(self.registry.of_kind(kind))
        )

    def available_hooks(self) -> str:
        """The hooks that count, as a block of text for a model's prompt: name, description, trigger, location, matcher.

        For formats that have such a block (docs/formats/agenthooks.md 13, in the order in which the files were
        given); empty if none is loaded. Hooks that are not approved, cannot run or are only observed are left out.
        """
        from hookline.engine.prompt_listing import list_for_prompt  # noqa: PLC0415 - looking is not firing

        return list_for_prompt(self.shelf, self.registry)

    def hook_body(self, hook_id: str) -> str:
        """The text below the front matter of a hook's file, read from the file now: loading keeps no more than the metadata.

        Stripped at both ends; empty where the hook's format has no such text (docs/formats/agenthooks.md 13).

        Raises:
            ConfigError: no hook has that id, or its file can no longer be read.
            TrustError: the hook is not approved.
        """
        from hookline.engine.prompt_listing import read_body  # noqa: PLC0415 - looking is not firing

        return read_body(self.shelf, self.registry, hook_id)

    def event(
        self,
        event: str | Event,
        payload: Mapping[str, Any] | None = None,
        *,
        dialect: str | None = None,
    ) -> Event:
        """The event that `fire` would raise for these arguments.

        Raises:
            CodecError: an unknown event, or a payload that cannot be understood.
            ConfigError: an unknown dialect.
        """
        if isinstance(event, Event):
            return event if event.cwd else event.replace(cwd=self.cwd)
        host = self.host(dialect) if dialect else self.dialects.find_for_event(event)
        row = host.table.row(event) or host.table.row_of_kind(event)
        if row is None:
            raise unknown_event_error(host.table, event)
        decoded = host.decode_event(
            self._copy_payload(payload or {}), event if host.table.row(event) else row.native
        )
        return decoded if decoded.cwd else decoded.replace(cwd=self.cwd)

    def _copy_payload(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The payload for Python hooks: one that writes into its event must not change what its host will run."""
        if not self.shelf.own:
            return payload
        from copy import deepcopy  # noqa: PLC0415 - `answer` has no Python hooks

        try:
            return deepcopy(payload)
        except (RecursionError, TypeError):  # no JSON, which sending it says
            return payload

    def blank(self, event: str, *, dialect: str | None = None) -> dict[str, Any]:
        """The smallest payload that an event can be raised with: what it cannot do without, left empty.

        Raises:
            CodecError: an unknown event.
        """
        table = (self.host(dialect) if dialect else self.dialects.find_for_event(event)).table
        row = table.row(event) or table.row_of_kind(event)
        return (
            {field.native: "" for field in row.fields if field.fact in ("tool", "prompt")}
            if row
            else {}
        )

    def host(self, name: str) -> Dialect:
        """The dialect that hosts of this name speak.

        Raises:
            ConfigError: an unknown dialect.
        """
        return self.dialects.host(name)


def _ask_for_approvals(settings: dict[str, Any], cwd: Path) -> None:
    """Add the user's gate to the settings of an engine that has none."""
    from hookline.engine.trust_gate import LazyGate, note_approvals  # noqa: PLC0415 - few engines ask for it

    if settings.get("gate") is None:
        record = note_approvals(settings.get("journal"))
        folder = os.path.abspath(cwd)
        settings["gate"] = LazyGate(folder, settings.get("environ"), write_record=record)
