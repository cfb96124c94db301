"""Journal: turns an engine's events into records of the log files.

A verdict never depends on the journal: it counts what it cannot write, and reports each kind of
trouble once. It holds records while another process has the lock. An event loop waits for the lock
only briefly, and after the lock was found taken, no writer waits for it for some seconds.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import allocate_lock
from time import monotonic

from hookline.errors import HookError, JournalError
from hookline.journal.log_files import BUSY, LogFiles
from hookline.journal.records import (
    PayloadPolicy,
    event_record,
    format_time,
    note_record,
    run_record,
)
from hookline.model.spec import Origin, Problem
from hookline.paths import state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self, TypeAlias

    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Outcome, Verdict

    SpecOf: TypeAlias = Callable[[str], HookSpec | None]
    Export: TypeAlias = Callable[[Event, Decision, SpecOf], None]
    _EventKey: TypeAlias = tuple[str, str, str]

_MOST_EVENTS = 256  # whose ids are kept for the detached hooks that they started
_ON_A_LOOP = 0.05  # seconds that an event loop waits for the lock at most
_SPELL = 5.0  # seconds during which hookline only tries a lock that was taken
_MOST_WAITING = 2000  # records in the buffer
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
        self._ids: dict[_EventKey, str] = {}
        self._early_ids: dict[_EventKey, str] = {}
        # Batches of records while another process holds the lock; the thread with the turn writes.
        self._waiting: list[Sequence[dict[str, Any]]] = []
        self._turn = allocate_lock()
        self._held_until = 0.0
        self._process = os.getpid()
        if files is not None:
            files.tell = self._report

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

    # -- events ------------------------------------------------------------------------------------

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
        """Record the end of a detached hook of this event; `ended` in seconds since 1970."""
        self._write_safely(lambda: [self._end_record(event, spec, verdict, outcome, ended)])

    def note(self, what: str, **fields: Any) -> bool:
        """Record an approval, or a host without a decision; return whether it is written now."""

        def make() -> list[dict[str, Any]]:
            at = format_time(self.clock())
            return [note_record(what, fields, note_id=self.new_id(), at=at, policy=self.policy)]

        return self._write_safely(make)

    def close(self) -> None:
        """Write all records that still wait, and close the files."""
        if self.files is None:
            return
        self._held_until = 0.0  # wait once more for the lock
        is_done = self._write_safely(list)
        if self._turn.acquire(timeout=self.files.wait):
            self.files.close()
            self._turn.release()
        left = self._count_waiting()
        if left and not is_done:
            self._troubles.pop("journal.lost", None)
            self._report_lost(f"{left} records are lost if this process ends now")

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the problems with writing, one of each kind."""
        return tuple(self._troubles.values())

    # -- records -----------------------------------------------------------------------------------

    def _event_records(
        self, event: Event, decision: Decision, spec_of: SpecOf
    ) -> list[dict[str, Any]]:
        key, at = _event_key(event), format_time(self.clock())
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
            at=format_time(ended or self.clock()),
            policy=self.policy,
            phase="finished",
            printed=outcome,
        )

    # -- writing -----------------------------------------------------------------------------------

    def _write_safely(self, make: Callable[[], Sequence[dict[str, Any]]]) -> bool:
        """Make records and write them, if there are log files; return whether they are written now.

        It reports an error, because no fault here may change the decision.
        """
        try:
            return self.files is not None and self._write(self.files, make())
        except HookError as error:
            self._report(error.name, error.message, _WAITS if error.name == BUSY else error.hint)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            self._report("journal.unwritable", f"hookline cannot write to `{self._folder}`: {why}")
        except Exception as error:  # noqa: BLE001 - as above
            why = f"{type(error).__name__}: {error}"
            self._report("journal.unwritable", f"hookline could not record an event: {why}")
        return False

    def _write(self, files: LogFiles, records: Sequence[dict[str, Any]]) -> bool:
        """Write records after the waiting ones; return whether they are written now.

        They wait while another process holds the lock. If a thread of this process is already
        writing, it writes these too.
        """
        if self._process != os.getpid():
            # The parent of a fork writes its own records, and the thread that had the turn does not
            # exist here.
            self._process, self._waiting, self._turn = os.getpid(), [], allocate_lock()
        if records:
            self._waiting.append(records)
        wait = self._wait_seconds(files)
        # Repeated after each turn: another thread may have added records without waiting.
        while self._waiting:
            if not self._turn.acquire(timeout=wait):
                self._held_until = monotonic() + _SPELL
                return False
            try:
                while self._waiting:
                    self._write_oldest(files, wait)
            finally:
                self._turn.release()
        return True

    def _write_oldest(self, files: LogFiles, wait: float) -> None:
        records = self._waiting[0]
        try:
            files.append(records, at=records[-1]["at"], wait=wait)
        except BaseException as error:
            if isinstance(error, JournalError) and error.name == BUSY:
                self._held_until = monotonic() + _SPELL
                while self._count_waiting() > _MOST_WAITING:
                    oldest = self._waiting.pop(0)
                    self.lost += len(oldest)
                    self._report_lost(f"the buffer is full, and {len(oldest)} records are lost")
            else:
                self.lost += len(self._waiting.pop(0))
            raise
        del self._waiting[0]
        self._held_until = 0.0

    def _wait_seconds(self, files: LogFiles) -> float:
        """Return the seconds to wait: few on an event loop, none after the lock was found taken."""
        if monotonic() < self._held_until:
            return 0.0
        asyncio = sys.modules.get("asyncio")
        is_on_loop = asyncio is not None and asyncio._get_running_loop() is not None
        return min(files.wait, _ON_A_LOOP) if is_on_loop else files.wait

    def _count_waiting(self) -> int:
        return sum(map(len, self._waiting))

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
    home = environ.get("HOME") or os.path.expanduser("~")
    folder = f"{state_folder(environ)}/journal"
    if folder.startswith(home) and not os.path.isdir(home):
        raise JournalError(
            f"there is no home `{home}`",
            name="journal.place",
            hint="HOOKLINE_JOURNAL names a folder, or is `off`",
        )
    return folder


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
