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
    from hookline.trust.inspected_files import Inspection
    from hookline.trust.policy import Policy
    from hookline.trust.store import Approval

    WriteRecord = Callable[[dict[str, Any]], object]


def make_gate(
    root: str | os.PathLike[str] = ".",
    environ: Mapping[str, str] | None = None,
    *,
    write_record: WriteRecord | None = None,
    policy: Policy | None = None,
) -> Gate:
    """Return the gate of a user, by their store and their settings.

    Args:
        root: the folder of the project.
        environ: where home and configuration are found; the process's own if None.
        write_record: is given a record of each approval, revocation and switch.
        policy: counts instead of the settings.

    Raises:
        ConfigError: the settings are wrong.
    """
    # Most events of `hookline answer` have no hook, and load none of this.
    from hookline.config.places import project_path  # noqa: PLC0415 - as above
    from hookline.config.settings import read_settings  # noqa: PLC0415 - as above
    from hookline.trust.gate import Gate  # noqa: PLC0415 - as above
    from hookline.trust.inspected_files import find_changes  # noqa: PLC0415 - as above
    from hookline.trust.inspection import Inspector  # noqa: PLC0415 - as above
    from hookline.trust.policy import read_policy  # noqa: PLC0415 - as above
    from hookline.trust.store import Store  # noqa: PLC0415 - as above

    given = os.environ if environ is None else environ
    if policy is None:
        policy = read_policy(read_settings(given).get("trust", {}))
    folder = state_folder(given)
    inspector = Inspector(f"{folder}/cache")
    return Gate(
        Store(folder, write_record=write_record), policy, _make_inspect(inspector, os.fspath(root), given),
        find_changes=find_changes, root=os.fspath(root), environ=given,
        needs_consent=_needs_consent, locate=project_path,
    )  # fmt: skip


def _make_inspect(
    inspector: Any, root: str, environ: Mapping[str, str]
) -> Callable[[Run], Inspection]:
    """Return the function that looks at the files which a run of a command would execute."""
    from hookline.handlers.command import build_program  # noqa: PLC0415 - as above
    from hookline.trust.inspected_files import NO_FILES, StartedCommand  # noqa: PLC0415 - as above
    from hookline.trust.owner import find_owner, find_project  # noqa: PLC0415 - as above

    project = find_project(root, environ)

    def inspect(run: Run) -> Inspection:
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
        found: Inspection = inspector.inspect(
            StartedCommand(
                text=started.argv[-1] if is_script else "",
                argv=() if is_script else started.argv,
                cwd=started.cwd or event.cwd or os.getcwd(),
                root=find_owner(spec, project).root,
                variables=started.env,
                listed=spec.files,
                is_shielded=spec.origin.scope in (USER, MANAGED),
            )
        )
        return found

    return inspect


def inspect_once(spec: HookSpec, event: Event, environ: Mapping[str, str], root: str) -> Inspection:
    """Return the files that a hook would execute, without a gate and without a cache."""
    from hookline.core.dispatch import Run  # noqa: PLC0415 - only who looks at hooks asks for it
    from hookline.trust.inspected_files import NO_FILES  # noqa: PLC0415 - as above
    from hookline.trust.inspection import Inspector  # noqa: PLC0415 - as above

    if type(spec.handler) is not Command:
        return NO_FILES
    return _make_inspect(Inspector(None), root, environ)(Run(spec=spec, event=event))


def _needs_consent(dialect: str) -> bool:
    from hookline.engine.catalog import make_dialect  # noqa: PLC0415 - loaded by the time that a hook runs

    return make_dialect(dialect).table.approvals


def note_approvals(journal: Journal | None) -> WriteRecord | None:
    """Return what writes each approval, revocation and switch into a journal; None without one."""
    if journal is None:
        return None
    from hookline.journal.records import shorten_digest  # noqa: PLC0415 - a journal has it loaded

    def write(record: dict[str, Any]) -> bool:
        fields = {
            "native" if name == "event" else name: value
            for name, value in record.items()
            if name not in ("what", "definition")
        }
        if "definition" in record:
            fields["identity"] = record["definition"]
        # A whole digest looks like a secret, and would be masked.
        fields |= {
            name: shorten_digest(fields[name]) for name in ("identity", "content") if name in fields
        }
        return journal.note("approval", kind="approval", did=record["what"], **fields)

    return write


class LazyGate:
    """A gate that is made when the first hook comes to it.

    If the settings are wrong, the strictest rules hold, and the user is told once a session: who
    spoils the file must not switch approvals off by that. `notices` are told in the same way.
    """

    def __init__(
        self,
        root: str,
        environ: Mapping[str, str] | None = None,
        *,
        write_record: WriteRecord | None = None,
        notices: tuple[Problem, ...] = (),
    ) -> None:
        self._root = root
        self._environ = environ
        self._write_record = write_record
        self._made: Gate | None = None
        self.problems = notices
        self.declared: Declared | None = None
        self.was_told: Callable[[Event, str], bool] = lambda _event, _what: False

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment in which home and settings are found."""
        return os.environ if self._environ is None else self._environ

    @property
    def gate(self) -> Gate:
        """The gate itself.

        Raises:
            ConfigError: the settings are wrong.
        """
        return self._keep(make_gate(self._root, self._environ, write_record=self._write_record)
                          if self._made is None else self._made)  # fmt: skip

    def _keep(self, gate: Gate) -> Gate:
        gate.declared, gate.was_told = self.declared, self.was_told
        self._made = gate
        return gate

    def _get_deciding(self) -> Gate:
        """Return the gate, a strict one if the settings are wrong."""
        if self._made is None:
            try:
                return self.gate
            except ConfigError as error:
                from hookline.trust.policy import STRICTEST  # noqa: PLC0415 - few settings are wrong

                self.problems += (_describe_settings(error, self.environ),)
                return self._keep(make_gate(self._root, self._environ, policy=STRICTEST,
                                            write_record=self._write_record))  # fmt: skip
        return self._made

    def check_before(self, run: Run) -> Admission | Outcome | None:
        """Return what a gate returns; None if the run goes on and needs no gate."""
        if self._made is None and self._needs_none(run):
            return None
        gate = self._get_deciding()
        given = gate.check_before(run)
        if not self.problems or (isinstance(given, Outcome) and not given.note):
            return given
        # A refusal has its cause each time; else the user reads it once a session.
        said = [f"hookline: {each}" for each in self.problems
                if not gate.was_told(run.event, f"settings {each}") or isinstance(given, Outcome)]  # fmt: skip
        return given.replace(note="\n".join(filter(None, (*said, given.note))))

    def check_after(self, admission: Admission, outcome: Outcome) -> Outcome:
        """Return what a gate returns."""
        return self._get_deciding().check_after(admission, outcome)

    def is_withdrawn(self, run: Run) -> bool:
        """Return what a gate returns."""
        needs_none = self._made is None and self._needs_none(run)
        return not needs_none and self._get_deciding().is_withdrawn(run)

    def find_removed(self) -> tuple[Approval, ...]:
        """Return what a gate returns; no gate is made where nothing was ever approved."""
        if self._made is None and not os.path.isdir(f"{state_folder(self.environ)}/approvals"):
            return ()
        return self._get_deciding().find_removed()

    def _needs_none(self, run: Run) -> bool:
        """Whether the user named the hook's file, and no hook is switched off."""
        from hookline.trust.policy import (  # noqa: PLC0415 - as above
            MASTER,
            SKIPPED,
            is_named,
        )

        given = self.environ
        return (
            not self.problems
            and is_named(run.spec.origin.scope)
            and not run.spec.gated
            and not (given.get(MASTER) or given.get(SKIPPED))
            and not os.path.isdir(f"{state_folder(given)}/off")
        )


def _describe_settings(error: ConfigError, environ: Mapping[str, str]) -> Problem:
    """Return what is wrong with the settings, and what follows."""
    from hookline.config.settings import settings_path  # noqa: PLC0415 - few settings are wrong
    from hookline.model.problem import Origin, Problem  # noqa: PLC0415 - as above

    message = f"{error.message}: the settings do not count, and hooks go by the strictest rules"
    origin = Origin(file=error.place or settings_path(environ))
    return Problem(name=error.name, message=message, hint=error.hint, origin=origin)


def get_gate(given: Gate | LazyGate | None) -> Gate | None:
    """Return the gate that an engine was given, made if it was to be made late.

    Raises:
        ConfigError: the settings are wrong.
    """
    return given.gate if isinstance(given, LazyGate) else given


def run_gated(asked: Dispatch, gate: Gate | LazyGate) -> Dispatch:
    """Return the dispatch in which a hook that may not run has its outcome at once."""
    try:
        runs = next(asked)
        while True:
            passes = [
                None if type(run.spec.handler) is InProcess else gate.check_before(run)
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
    if not run.detached or one.state is None:
        return one.run
    # What waits for the end of a detached run asks no gate.
    content = one.state.inspection.digest
    return one.run.replace(identity=one.state.definition, content=content)


def _to_outcome(
    gate: Gate | LazyGate, one: Admission | Outcome | None, done: Iterator[Outcome]
) -> Outcome:
    if isinstance(one, Outcome):
        return one
    return next(done) if one is None else gate.check_after(one, next(done))
