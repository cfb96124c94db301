"""Journal: turns an engine's events into records of the log files. It raises no errors and reports each kind once.

A journal that cannot write changes no verdict. It counts what is lost and reports each kind of
trouble once.
"""

from __future__ import annotations

import os
import time

from hookline.errors import HookError, JournalError
from hookline.journal.log_files import BUSY, LogFiles
from hookline.journal.payload_policy import PayloadPolicy
from hookline.journal.records import describe_hook, event_record, note_record, run_record
from hookline.journal.write_buffer import WriteBuffer
from hookline.model.problem import Origin, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self, TypeAlias

    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

    SpecOf: TypeAlias = Callable[[str], HookSpec | None]
    Export: TypeAlias = Callable[[Event, Decision, SpecOf], None]
    _EventKey: TypeAlias = tuple[str, str, str]

_MOST_EVENTS = 256  # whose ids are kept for the detached hooks that they started
_WAITS = (
    "hookline writes the records when the lock is free; they are lost if this process ends before"
)


class Journal:
    """Writes one journal; without log files, it only passes events to its exports.

    `payload`: what to keep of payloads and other values: `hash`, `masked` or `full`. `clock`
    returns seconds since 1970; `new_id` returns an id for an event. `tell` receives one line for
    each kind of trouble, once. `exports` receive every event too, such as `otel.Telemetry`.
    `environ` is what hooks inherit, to mask the secrets in it. `lost` counts records that were not
    written. Several threads may use it.
    """

    def __init__(
        self,
        files: LogFiles | None,
        *,
        payload: str = "hash",
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: os.urandom(8).hex(),
        tell: Callable[[str], None] = lambda _: None,
        exports: Sequence[Export] = (),
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.files = files
        self.policy = PayloadPolicy(how=payload, environ=os.environ if environ is None else environ)
        self.clock = clock
        self.new_id = new_id
        self.tell = tell
        self.exports = exports
        self.lost = 0
        self._troubles: dict[str, Problem] = {}
        self._hooks: dict[str, tuple[HookSpec, dict[str, Any]]] = {}
        self._ids: dict[_EventKey, str] = {}
        self._early_ids: dict[_EventKey, str] = {}
        self._buffer: WriteBuffer | None = None
        if files is not None:
            files.tell = self._report
            self._buffer = WriteBuffer(files, self._count_lost)

    @classmethod
    def open(
        cls, folder: str = "", *, environ: Mapping[str, str] | None = None, **chosen: Any
    ) -> Self:
        """Open the journal in a folder, by default the one in this user's state.

        `chosen` are settings of this class and of `LogFiles`.

        Raises:
            JournalError: there is no folder and no home.
        """
        folder = folder or default_folder(os.environ if environ is None else environ)
        own = {
            name: chosen.pop(name)
            for name in Journal.__init__.__kwdefaults__ or {}
            if name in chosen
        }
        return cls(LogFiles(folder, **chosen), environ=environ, **own)

    # -- events ----------------------------------------------------------------------------------------------------

    def observe(self, event: Event, decision: Decision, spec_of: SpecOf = lambda _: None) -> None:
        """Record an event, the hooks that ran and the decision. `spec_of` returns a hook by its id.

        The event's own record comes last, so its presence shows that all are complete.
        """
        self._write_safely(lambda: self._event_records(event, decision, spec_of))
        for export in self.exports:
            try:
                export(event, decision, spec_of)
            except Exception as error:  # noqa: BLE001 - a fault of an exporter must not change the decision
                self._report(
                    "journal.telemetry", f"an exporter failed: {type(error).__name__}: {error}"
                )

    def finished(
        self, event: Event, spec: HookSpec, verdict: Verdict, outcome: Outcome, ended: float
    ) -> None:
        """Record the end of a detached hook that this event started; `ended` in seconds since 1970."""
        self._write_safely(lambda: [self._end_record(event, spec, verdict, outcome, ended)])

    def note(self, what: str, **fields: Any) -> bool:
        """Record something else that you should find: an approval, a bypass, a host without a decision.

        Return whether it is written now.
        """
        return self._write_safely(
            lambda: [
                note_record(
                    what,
                    fields,
                    note_id=self.new_id(),
                    at=_format_time(self.clock()),
                    policy=self.policy,
                )
            ]
        )

    def close(self) -> None:
        """Write all records that still wait, and close the files."""
        if self._buffer is not None:
            is_done = self._run_safely(self._buffer.close)
            left = self._buffer.count_waiting
            if not is_done and left:
                self._troubles.pop("journal.lost", None)
                self._report_lost(f"{left} records are lost if this process ends now")

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the problems with writing, one of each kind."""
        return tuple(self._troubles.values())

    # -- records ---------------------------------------------------------------------------------------------------

    def _event_records(
        self, event: Event, decision: Decision, spec_of: SpecOf
    ) -> list[dict[str, Any]]:
        key, at = _event_key(event), _format_time(self.clock())
        event_id = self._early_ids.pop(key, "") or self.new_id()
        _keep(self._ids, key, event_id)
        specs = [spec_of(verdict.hook_id) for verdict in decision.verdicts]
        records = [
            run_record(
                verdict,
                spec,
                run_id=f"{event_id}.{number}",
                event_id=event_id,
                at=at,
                policy=self.policy,
                hook=self._describe(spec),
                phase=_phase(verdict, spec),
            )
            for number, (verdict, spec) in enumerate(zip(decision.verdicts, specs, strict=True), 1)
        ]
        hooks = [spec for spec in specs if spec is not None]
        record = event_record(
            event, decision, event_id=event_id, at=at, policy=self.policy, hooks=hooks
        )
        return [*records, record]

    def _end_record(
        self, event: Event, spec: HookSpec, verdict: Verdict, outcome: Outcome, ended: float
    ) -> dict[str, Any]:
        key = _event_key(event)
        event_id = self._ids.get(key) or self._early_ids.get(key)
        if event_id is None:  # the hook ended before the decision, whose record will have this id
            event_id = self.new_id()
            _keep(self._early_ids, key, event_id)
        return run_record(
            verdict.replace(hook_id=spec.id),
            spec,
            run_id=self.new_id(),
            event_id=event_id,
            at=_format_time(ended or self.clock()),
            policy=self.policy,
            hook=self._describe(spec),
            phase="finished",
            printed=outcome,
        )

    def _describe(self, spec: HookSpec | None) -> dict[str, Any]:
        """Return the part of a record that describes a hook; that of a loaded hook is made once."""
        if spec is None:
            return describe_hook(None, self.policy)
        known = self._hooks.get(spec.id)
        if known is None or known[0] is not spec:
            known = self._hooks[spec.id] = spec, describe_hook(spec, self.policy)
        return known[1]

    # -- writing ---------------------------------------------------------------------------------------------------

    def _write_safely(self, make: Callable[[], Sequence[dict[str, Any]]]) -> bool:
        """Make records and write them, if there are log files; return whether they are written now."""
        buffer = self._buffer
        return buffer is not None and self._run_safely(lambda: buffer.write(make()))

    def _run_safely(self, act: Callable[[], object]) -> bool:
        """Return whether an action succeeded; report an error, because no fault here may change the decision."""
        try:
            return bool(act())
        except HookError as error:
            self._report(error.name, error.message, _WAITS if error.name == BUSY else error.hint)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            self._report("journal.unwritable", f"hookline cannot write to `{self._folder}`: {why}")
        except Exception as error:  # noqa: BLE001 - as above
            why = f"{type(error).__name__}: {error}"
            self._report("journal.unwritable", f"hookline could not record an event: {why}")
        return False

    def _count_lost(self, count: int, is_full: bool) -> None:  # noqa: FBT001 - as the buffer calls it
        """Count records that are lost; the caller of `write` reports why they could not be written."""
        self.lost += count
        if is_full:
            self._report_lost(f"the buffer is full, and {count} records are lost")

    def _report_lost(self, message: str) -> None:
        self._report(
            "journal.lost", f"another process holds the lock of `{self._folder}`; {message}"
        )

    @property
    def _folder(self) -> str:
        return self.files.folder if self.files is not None else ""

    def _report(self, name: str, message: str, hint: str = "") -> None:
        """Report a trouble, once for each kind."""
        if name not in self._troubles:
            origin = Origin(file="journal")
            problem = Problem(
                name=name, message=message, hint=hint, severity="warning", origin=origin
            )
            self._troubles[name] = problem
            self.tell(str(problem))


def default_folder(environ: Mapping[str, str]) -> str:
    """Return the default folder of the journal: in hookline's state.

    Raises:
        JournalError: there is no home folder.
    """
    state = environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(state):
        return os.path.join(state, "hookline", "journal")
    home = environ.get("HOME") or os.path.expanduser("~")
    if not os.path.isdir(home):
        raise JournalError(
            f"there is no home `{home}`",
            name="journal.place",
            hint="HOOKLINE_JOURNAL names a folder, or is `off`",
        )
    return os.path.join(home, ".local", "state", "hookline", "journal")


def _event_key(event: Event) -> _EventKey:
    call = event.body.value("call_id")
    return event.session_id, event.kind, call if isinstance(call, str) else ""


def _keep(ids: dict[_EventKey, str], key: _EventKey, event_id: str) -> None:
    """Keep the id of an event, and forget the oldest of too many."""
    ids[key] = event_id
    while len(ids) > _MOST_EVENTS:
        del ids[next(iter(ids))]


def _phase(verdict: Verdict, spec: HookSpec | None) -> str:
    """Return `late` for the answer of a detached hook from an earlier event, `started` for one now started, else `done`."""
    if verdict.late:
        return "late"
    return "started" if spec is not None and spec.detached and verdict.fault is None else "done"


def _format_time(seconds: float) -> str:
    """Return seconds since 1970 in ISO 8601, in UTC with milliseconds."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{moment}.{int(seconds % 1 * 1000):03d}Z"
