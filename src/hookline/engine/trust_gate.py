"""The gate of an engine: makes it from the user's settings, and puts it around a dispatch."""

from __future__ import annotations

import os

from hookline.errors import ConfigError, HandlerError
from hookline.model.handler import Command, InProcess
from hookline.model.outcome import Outcome
from hookline.model.spec import MANAGED, USER
from hookline.paths import state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from hookline.core.dispatch import Dispatch, Run
    from hookline.journal.journal import Journal
    from hookline.model.event import Event
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision
    from hookline.trust.gate import Admission, Declared, Gate
    from hookline.trust.inspection import Inspection
    from hookline.trust.inspector import Inspector
    from hookline.trust.policy import Policy
    from hookline.trust.state import Inspect

    WriteRecord = Callable[[dict[str, Any]], object]


def make_gate(
    root: str | os.PathLike[str] = ".",
    environ: Mapping[str, str] | None = None,
    *,
    write_record: WriteRecord | None = None,
    policy: Policy | None = None,
    problems: tuple[Problem, ...] = (),
) -> Gate:
    """Return the gate of a user, by their store and their settings.

    Args:
        root: the folder of the project.
        environ: where home and configuration are found; the process's own if None.
        write_record: is given a record of each approval, revocation and switch.
        policy: counts instead of the settings.
        problems: what the user reads with the first answer of a session.

    Raises:
        ConfigError: the settings are wrong.
    """
    # Most events of `hookline answer` have no hook, and load none of this.
    from hookline.config.places import project_path  # noqa: PLC0415 - as above
    from hookline.config.settings import read_settings  # noqa: PLC0415 - as above
    from hookline.trust.gate import Gate  # noqa: PLC0415 - as above
    from hookline.trust.inspector import Inspector  # noqa: PLC0415 - as above
    from hookline.trust.policy import read_policy  # noqa: PLC0415 - as above
    from hookline.trust.store import Store  # noqa: PLC0415 - as above

    given = os.environ if environ is None else environ
    if policy is None:
        policy = read_policy(read_settings(given).get("trust", {}))
    folder = state_folder(given)
    return Gate(
        Store(folder, write_record=write_record), policy,
        _make_inspect(Inspector(f"{folder}/cache"), given), root=os.fspath(root), environ=given,
        needs_consent=_needs_consent, locate=project_path, problems=problems,
    )  # fmt: skip


def _make_inspect(inspector: Inspector, environ: Mapping[str, str]) -> Inspect:
    """Return the function that looks at the files which a run of a command would execute."""
    from hookline.handlers.command import build_program  # noqa: PLC0415 - as above
    from hookline.trust.inspection import NO_FILES, StartedCommand  # noqa: PLC0415 - as above

    def inspect(run: Run, root: str) -> Inspection:
        spec, event, handler = run.spec, run.event, run.spec.handler
        if type(handler) is not Command:
            return NO_FILES
        try:
            started = build_program(
                handler, event, "", timeout=spec.timeout, cookie="", environ=environ
            )
        except HandlerError as error:
            return NO_FILES.replace(missing_program=str(error))
        is_script = bool(handler.script)
        return inspector.inspect(
            StartedCommand(
                text=started.argv[-1] if is_script else "",
                argv=() if is_script else started.argv,
                cwd=started.cwd or event.cwd or os.getcwd(),
                root=root,
                variables=started.env,
                listed=spec.files,
                is_shielded=spec.origin.scope in (USER, MANAGED),
            )
        )

    return inspect


def inspect_once(spec: HookSpec, event: Event, environ: Mapping[str, str], root: str) -> Inspection:
    """Return the files that a hook would execute, without a gate and without a cache."""
    from hookline.core.dispatch import Run  # noqa: PLC0415 - only who looks at hooks asks for it
    from hookline.trust.inspector import Inspector  # noqa: PLC0415 - as above
    from hookline.trust.owner import find_owner, find_project  # noqa: PLC0415 - as above

    owner = find_owner(spec, find_project(root, environ))
    return _make_inspect(Inspector(None), environ)(Run(spec=spec, event=event), owner.root)


def _needs_consent(dialect: str) -> bool:
    # Loaded by the time that a hook runs.
    from hookline.engine.catalog import make_dialect  # noqa: PLC0415

    return make_dialect(dialect).table.approvals


def note_approvals(journal: Journal | None) -> WriteRecord | None:
    """Return what writes each approval, revocation and switch into a journal; None without one."""
    if journal is None:
        return None
    from hookline.journal.records import shorten_digest  # noqa: PLC0415 - a journal has it loaded

    def write(record: dict[str, Any]) -> bool:
        # A whole digest looks like a secret, and would be masked.
        short = {name: shorten_digest(record[name]) for name in ("identity", "content")
                 if name in record}  # fmt: skip
        return journal.note("approval", kind="approval", **record | short)

    return write


class LazyGate:
    """The gate of an engine, made when the first hook comes to it, or given.

    If the settings are wrong, the strictest rules hold, and the user reads why: who spoils the file
    must not switch approvals off by that. `notices` are shown in the same way.
    """

    def __init__(
        self,
        root: str,
        environ: Mapping[str, str] | None = None,
        *,
        write_record: WriteRecord | None = None,
        notices: tuple[Problem, ...] = (),
        made: Gate | None = None,
    ) -> None:
        self.environ = os.environ if environ is None else environ
        self.problems = notices
        self.declared: Declared | None = None
        self.was_told: Callable[[Event, str], bool] = lambda _event, _what: False
        self._root = root
        self._write_record = write_record
        self._made = made

    def get(self) -> Gate:
        """Return the gate.

        Raises:
            ConfigError: the settings are wrong.
        """
        return self._made or self._make()

    def get_strict(self) -> Gate:
        """Return the gate, a strict one if the settings are wrong."""
        try:
            return self._made or self._make()
        except ConfigError as error:
            # Few settings are wrong.
            from hookline.config.settings import settings_path  # noqa: PLC0415
            from hookline.model.problem import Origin, Problem  # noqa: PLC0415 - as above
            from hookline.trust.policy import STRICTEST  # noqa: PLC0415 - as above

            message = (
                f"{error.message}: the settings do not count, and hooks go by the strictest rules"
            )
            origin = Origin(file=error.place or settings_path(self.environ))
            problem = Problem(name=error.name, message=message, hint=error.hint, origin=origin)
            self.problems += (problem,)
            return self._make(policy=STRICTEST)

    def _make(self, policy: Policy | None = None) -> Gate:
        record, problems = self._write_record, self.problems
        gate = make_gate(
            self._root, self.environ, write_record=record, policy=policy, problems=problems
        )
        gate.declared, gate.was_told = self.declared, self.was_told
        self._made = gate
        return gate

    def needs_none(self, run: Run) -> bool:
        """Whether a run goes on without a gate: the user named its file, and no hook is off."""
        if type(run.spec.handler) is InProcess:
            return True
        from hookline.trust.policy import MASTER, SKIPPED, is_named  # noqa: PLC0415 - as above

        return (
            self._made is None
            and not self.problems
            and is_named(run.spec.origin.scope)
            and not run.spec.gated
            and not (self.environ.get(MASTER) or self.environ.get(SKIPPED))
            and not os.path.isdir(f"{state_folder(self.environ)}/off")
        )

    def is_withdrawn(self, run: Run) -> bool:
        """Whether the answer of a hook in the background does not count any more."""
        return not self.needs_none(run) and self.get_strict().is_withdrawn(run)


def run_gated(asked: Dispatch, gate: LazyGate) -> Dispatch:
    """Return the dispatch in which a hook that may not run has its outcome at once."""
    try:
        runs = next(asked)
        while True:
            passes = [
                None if gate.needs_none(run) else gate.get_strict().check_before(run)
                for run in runs
            ]
            going = [_to_run(run, one) for run, one in zip(runs, passes, strict=True)]
            asks = tuple(run for run in going if run is not None)
            done = iter((yield asks) if asks else ())
            runs = asked.send(tuple(_to_outcome(gate, one, done) for one in passes))
    except StopIteration as stop:
        decision: Decision = stop.value
        return decision


def _to_run(run: Run, one: Admission | Outcome | None) -> Run | None:
    """Return the run as it goes on; None if it does not."""
    if one is None:
        return run
    if isinstance(one, Outcome):
        return None
    if not run.detached:
        return one.run
    # What waits for the end of a detached run asks no gate.
    content = one.state.inspection.digest
    return one.run.replace(identity=one.state.definition, content=content)


def _to_outcome(
    gate: LazyGate, one: Admission | Outcome | None, done: Iterator[Outcome]
) -> Outcome:
    if isinstance(one, Outcome):
        return one
    return next(done) if one is None else gate.get_strict().check_after(one, next(done))
