"""The engine: loads hooks of any dialect, fires events and returns one explained decision."""

from __future__ import annotations

import os
from contextlib import suppress

from hookline.config.hook_files import guess_dialect
from hookline.config.project_env import drop_project_env
from hookline.core.dialect import Source
from hookline.core.plan import sort_hooks
from hookline.engine.choices import MATCHING, MODES, TRUSTS
from hookline.engine.firing import Firing
from hookline.engine.host_calls import is_call
from hookline.engine.lazy_gate import LazyGate, note_approvals
from hookline.engine.notices import add_notice, add_notices, write_reply
from hookline.engine.runtime import Runtime
from hookline.engine.sources import Discovery, Given, Named
from hookline.errors import ConfigError
from hookline.model.event import Event
from hookline.model.spec import SCOPES, HookSpec, Problem
from hookline.model.verdict import Decision, Reply, Stance
from hookline.wire.json_reader import read_json
from hookline.wire.payload import copy_json, unknown_event_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import ModuleType
    from typing import Any, Self, TypeAlias

    from hookline.core.dialect import Dialect
    from hookline.core.registry import Registry
    from hookline.engine.loader import Snapshot
    from hookline.engine.reload import Reloaded

    Path: TypeAlias = str | os.PathLike[str]

_ALLOWED = {"mode": MODES, "trust": TRUSTS, "match_tools": MATCHING, "scope": SCOPES}
_SETTINGS = frozenset(Runtime.__init__.__kwdefaults__ or ())


def _load(name: str) -> ModuleType:
    """Load a module of the engine that `answer`, which fires one event, does without."""
    module: ModuleType = __import__(f"hookline.engine.{name}", fromlist=[name])
    return module


class Engine:
    """Hooks of any dialects, and the one way to ask them.

    Its loader keeps the hooks as a snapshot; its runtime has what asking them needs. `settings` are
    those of `runtime.Runtime`.
    """

    def __init__(self, **settings: Any) -> None:
        self.runtime = Runtime(**settings)
        self.loader = self.runtime.loader
        self.firing = Firing(self.runtime)

    # -- loading -------------------------------------------------------------------------------

    @classmethod
    def discover(
        cls,
        cwd: Path = ".",
        *,
        trust: str = "user",
        mode: str = "fidelity",
        dialect: str = "",
        match_tools: str = "auto",
        parses_new: bool | None = None,
        **settings: Any,
    ) -> Self:
        """An engine with every dialect's files, managed, user and project.

        With `trust="approved"` the approvals of the user count, as for a host
        (docs/explanation/trust.md). With "user", the hooks of a project are listed and not run;
        with "all" they run; with "none" no hook runs. `dialect` looks for one dialect only.
        `match_tools`: see `add_source`. Without an `environ`, that of this process counts, less
        what the repository sets in it (see `problems`). `parses_new`: whether hookline parses the
        files of a project without approvals; if not, it tells the user of them at an event.
        Default: yes, but not for `trust="approved"`. `settings` are those of the class.

        Raises:
            ConfigError: an unknown trust, mode, matching or dialect. Never for what is in a file:
                see `problems`.
        """
        _check_choices(trust=trust, mode=mode, match_tools=match_tools)
        left_out = None
        if settings.get("environ") is None:
            cleaned = drop_project_env(os.environ, os.fspath(cwd))
            settings["environ"], left_out = cleaned.environ, cleaned.problem
        if trust == "approved":
            _ask_for_approvals(settings, cwd)
            trust, parses_new = "user", bool(parses_new)
        engine = cls(cwd=cwd, **settings)
        engine.runtime.left_out = (left_out,) if left_out else ()
        if dialect:
            engine.loader.dialects.make_host(dialect)
        parses_new = parses_new is not False or trust == "all"
        engine.loader.keep_out(is_call)
        engine.loader.load(
            Discovery(
                trust=trust,
                mode=mode,
                match_tools=match_tools,
                dialect=dialect,
                parses_new=parses_new,
            )
        )
        return engine

    @classmethod
    def load(
        cls,
        path: Path | Mapping[str, Any],
        *,
        dialect: str | None = None,
        trust: str = "all",
        mode: str = "fidelity",
        match_tools: str = "auto",
        options: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Self:
        """An engine with the hooks of one file or folder.

        Naming it is the consent to run them, unless `trust="approved"` asks for an approval.
        `settings` are those of the class; any other keyword is an option of the dialect, like an
        entry of `options`.

        Raises:
            ConfigError: no such file, or an unknown dialect, option, trust or mode. Never for what
                is in a file.
        """
        own = {name: value for name, value in settings.items() if name in _SETTINGS}
        rest = {name: value for name, value in settings.items() if name not in _SETTINGS}
        if trust == "approved":
            _ask_for_approvals(own, own.get("cwd") or ".")
        given = {**(options or {}), **rest}
        return cls(**own).add_source(
            path, dialect=dialect, trust=trust, mode=mode, match_tools=match_tools, options=given
        )

    @classmethod
    def from_config(cls, tree: Mapping[str, Any], *, dialect: str, **settings: Any) -> Self:
        """An engine with the hooks of a configuration given as a tree; keywords as in `load`.

        Raises:
            ConfigError: as `load`.
        """
        return cls.load(tree, dialect=dialect, **settings)

    def add_guard(self, name: str, **options: Any) -> Self:
        """Add a guard that hookline ships, and return the engine (docs/reference/guards.md).

        `options` are those of the guard, such as `profile="strict"`. It judges all its events.

        Raises:
            ConfigError: there is no such guard or option.
        """
        hook = {"use": name, **({"with": options} if options else {})}
        before = self.problems
        self.add_source({"version": 1, "hooks": [hook]}, dialect="hookline")
        for problem in self.problems:
            if problem not in before and problem.severity == "error":
                raise ConfigError(problem.message, name=problem.name, hint=problem.hint)
        return self

    def add_source(
        self,
        source: Path | Mapping[str, Any],
        *,
        dialect: str | None = None,
        trust: str = "all",
        mode: str = "fidelity",
        scope: str = "explicit",
        shadow: bool = False,
        match_tools: str = "auto",
        options: Mapping[str, Any] | None = None,
        host: str = "",
    ) -> Self:
        """Add a file, a folder or a tree to this engine, and return the engine.

        Without `dialect`, the name and the contents of a file tell it; where they fit several, it
        is that of `host`. With `shadow` its hooks are run and recorded, and never enforced.
        `match_tools`: with "auto" a matcher sees a tool of another host under the names that it has
        in every host, so that one for `Bash` also selects `shell` and `run_shell_command`; with
        "canonical" also at its own host, with "native" at none.

        Raises:
            ConfigError: as `load`.
        """
        _check_choices(trust=trust, mode=mode, scope=scope, match_tools=match_tools)
        gated = trust == "approved"
        if gated and self.runtime.gate is None:
            raise ConfigError(
                "an engine without approvals cannot ask for them",
                name="config.option",
                hint='make it with `Engine.load(path, trust="approved")`',
            )
        place = Source(
            scope=scope,
            mode=mode,
            trusted=trust != "none",
            shadow=shadow,
            match_tools=match_tools,
            gated=gated,
        )
        if not isinstance(source, str | os.PathLike):
            if dialect is None:
                raise ConfigError(
                    "a tree does not tell its dialect",
                    name="config.dialect",
                    hint="name it with `dialect=`",
                )
            chosen = self.loader.dialects.make_host(dialect, options)
            self.loader.load(Given(source=place.replace(tree=source), dialect=chosen))
            return self
        path = os.fspath(source)
        chosen = self.loader.dialects.make_host(dialect or guess_dialect(path, host), options)
        self.loader.load(Named(place=place.replace(file=path), dialect=chosen, base=os.getcwd()))
        return self

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

        `tool`: exact names. `command`: an expression (RE2) searched in a shell call's command.
        `path`: globs, one of which a path of the input must match. The function takes the event and
        returns a verdict (`deny(...)`, `rewrite(...)` ...) or None. `timeout` (seconds) does not
        interrupt a plain function.

        Raises:
            ConfigError: an unknown event, or an invalid expression.
        """
        # `answer` has no Python hooks.
        from hookline.engine.decorators import make_own_hook  # noqa: PLC0415

        def register(call: Callable[..., Any]) -> Callable[..., Any]:
            self.loader.add_own(
                make_own_hook(
                    call, kind, tool=tool, command=command, path=path, name=name, rank=rank,
                    timeout=timeout, on_failure=on_failure, shadow=shadow, once=once,
                )
            )  # fmt: skip
            return call

        return register

    # -- firing --------------------------------------------------------------------------------

    def fire(
        self,
        event: str | Event,
        payload: Mapping[str, Any] | None = None,
        *,
        dialect: str | None = None,
        seconds: float | None = None,
    ) -> Decision:
        """Ask every hook about an event, and return the decision.

        `event` is a canonical event, or a native name with the host's native `payload` and
        `dialect`. `seconds`: for all hooks together, as of `fire_async`; a plain Python function is
        not interrupted.

        Raises:
            CodecError: an unknown event, or a payload that cannot be understood.
            ConfigError: an unknown dialect.
        """
        return self.firing.fire(self.event(event, payload, dialect=dialect), seconds)

    async def fire_async(
        self,
        event: str | Event,
        payload: Mapping[str, Any] | None = None,
        *,
        dialect: str | None = None,
        seconds: float | None = None,
    ) -> Decision:
        """`fire` on an event loop: asynchronous hooks are awaited, processes do not block the loop.

        Cancelling it ends every process that it started. `seconds`: for all hooks together; one
        that is not done by then has timed out. Raises as `fire`.
        """
        raised = self.event(event, payload, dialect=dialect)
        return await self.firing.fire_async(raised, seconds)

    def answer(
        self,
        dialect: str,
        payload: Any,
        *,
        event: str = "",
        seconds: float | None = None,
        notice: str = "",
        problems: Iterable[Problem] | None = None,
    ) -> Reply:
        """Return a host's reply to its payload, which is an object or the JSON text that it sent.

        `event`: the event as the host calls it, if the payload does not say. `seconds` as of
        `fire`. `notice`: a notice to the user beside those of the hooks. `problems` go to stderr,
        with the errors of all hook files; None: neither does.

        Raises:
            CodecError: the payload cannot be understood; or the host has no such event, and a
                strict hook guards some event.
            ConfigError: an unknown dialect.
        """
        parsed = read_json(payload) if isinstance(payload, str | bytes) else payload
        received = self.host(dialect).decode_event(parsed, event)
        decision = add_notices(self.runtime, received, self.fire(received, seconds=seconds))
        if notice:
            decision = add_notice(self.runtime, received, decision, notice)
        shown: tuple[Problem, ...] = ()
        if problems is not None:
            errors = (each for each in self.problems if each.severity == "error")
            shown = (*problems, *errors)
        return write_reply(self.host(dialect).encode_decision, received, decision, shown)

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
        if not isinstance(event, Event):
            dialects, payload = self.loader.dialects, payload or {}
            host = dialects.host(dialect) if dialect else dialects.find_for_event(event)
            row = host.table.row(event) or host.table.row_of_kind(event)
            if row is None:
                raise unknown_event_error(host.table, event)
            if self.snapshot.own:
                # A hook that writes into its event must not change what its host will run. What is
                # no JSON fails when it is encoded for a hook.
                with suppress(RecursionError, TypeError):
                    payload = copy_json(payload)
            event = host.decode_event(payload, event if host.table.row(event) else row.native)
        return event if event.cwd else event.replace(cwd=self.cwd)

    # -- looking -------------------------------------------------------------------------------

    @property
    def cwd(self) -> str:
        """The project folder, for payloads that name none."""
        return self.runtime.cwd

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment that command hooks inherit."""
        return self.runtime.environ

    @property
    def snapshot(self) -> Snapshot:
        """What is loaded now; it never changes, a reload makes another one."""
        return self.loader.snapshot

    @property
    def registry(self) -> Registry:
        """The hooks that may take part in an event, indexed."""
        return self.loader.snapshot.registry

    @property
    def hooks(self) -> tuple[HookSpec, ...]:
        """Every hook that may take part in an event, by event, in the order in which they run."""
        return tuple(
            spec for kind in self.registry.kinds for spec in sort_hooks(self.registry.of_kind(kind))
        )

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with the sources; then with environment, settings and stores."""
        return self.runtime.problems

    def host(self, name: str) -> Dialect:
        """The dialect that hosts of this name speak.

        Raises:
            ConfigError: an unknown dialect.
        """
        return self.loader.dialects.host(name)

    def available_hooks(self) -> str:
        """The hooks that count, as a block of text for a model's prompt.

        For formats that have such a block (docs/formats/agenthooks.md 13, in the order in which the
        files were given); empty if none is loaded. Hooks that are not approved, cannot run or are
        only observed are left out.
        """
        found: str = _load("display").list_for_prompt(self.snapshot)
        return found

    def hook_body(self, hook_id: str) -> str:
        """The text below the front matter of a hook's file, read from the file now.

        Stripped at both ends; empty where the hook's format has no such text
        (docs/formats/agenthooks.md 13).

        Raises:
            ConfigError: no hook has that id, or its file can no longer be read.
            TrustError: the hook is not approved.
        """
        found: str = _load("display").read_body(self.snapshot, hook_id)
        return found

    # -- while it runs -------------------------------------------------------------------------

    def reload(self) -> Reloaded:
        """Read all files again and take what is valid, all at once; from any thread.

        A file with new errors, a policy file that is gone and a named file that is gone leave their
        last good version in force, and `problems` says so. What is taken is trusted as it was when
        the engine was made. Trees and Python hooks stay.
        """
        reloaded: Reloaded = _load("reload").reload_loader(self.loader)
        return reloaded

    def reload_if_changed(self) -> Reloaded | None:
        """`reload` if a file changed, appeared or vanished since it was last read; else None."""
        return self.reload() if _load("reload").is_stale(self.loader) else None

    def close(self, *, seconds: float = 5.0, hurried: Callable[[], bool] = lambda: False) -> None:
        """Wait for detached hooks, at most so many seconds, then end them with their programs.

        `hurried` is called repeatedly; the wait ends early once it returns True.
        """
        self.firing.drain(seconds, hurried)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _check_choices(**chosen: str) -> None:
    """Check that each option has one of its allowed values.

    Raises:
        ConfigError: one has not.
    """
    for what, given in chosen.items():
        if given not in _ALLOWED[what]:
            hint = f"one of {', '.join(_ALLOWED[what])}"
            raise ConfigError(f"unknown {what} `{given}`", name="config.option", hint=hint)


def _ask_for_approvals(settings: dict[str, Any], cwd: Path) -> None:
    """Add the user's gate to the settings of an engine that has none."""
    if settings.get("gate") is None:
        record = note_approvals(settings.get("journal"))
        folder = os.path.abspath(cwd)
        settings["gate"] = LazyGate(folder, settings.get("environ"), write_record=record)
