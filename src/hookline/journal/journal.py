"""Journal: turns an engine's events into records of the log files.

A verdict never depends on the journal: it counts what it cannot write, and reports each kind of
trouble once.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import allocate_lock  # most processes never need `threading`

from hookline.errors import HookError, JournalError
from hookline.journal.log_files import LogFiles
from hookline.journal.records import (
    PayloadPolicy,
    event_record,
    format_time,
    note_record,
    run_record,
)
from hookline.model.spec import HookSpec, Origin, Problem
from hookline.paths import find_home, state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self, TypeAlias

    from hookline.model.event import Event
    from hookline.model.verdict import Decision, Outcome, Verdict

    SpecOf: TypeAlias = Callable[[str], HookSpec | None]
    Export: TypeAlias = Callable[[Event, Decision, SpecOf], None]

_MOST_EVENTS = 256  # whose ids are kept for the detached hooks that they started
_ON_A_LOOP = 0.1  # seconds that an event loop waits for the lock at most


class Journal:
    """Writes one journal; without log files, it only passes events to its exports.

    `payload`: what to keep of payloads and other values: `hash`, `masked` or `full`. `clock`
    returns seconds since 1970; `new_id` returns an id for an event. `tell` receives one line for
    each kind of trouble, once. `exports` receive every event too, such as `otel.Telemetry`.
    `environ` is what hooks inherit, to mask the secrets in it. `lost` counts records that were not
    written. `began` and `guest` belong to a process that answers one event: when it began, by
    `clock`, and which program asks in the dialect of another. Several threads may use it.
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
        self.began: float | None = None
        self.guest = ""
        self._troubles: dict[str, Problem] = {}
        # The ids of events, and whether they are decided: a detached hook may end before that.
        self._ids: dict[tuple[str, str, str], tuple[str, bool]] = {}
        self._lock = allocate_lock()
        if files is not None:
            files.tell = self._report

    @classmethod
    def open(
        cls,
        folder: str = "",
        *,
        sync: bool = False,
        keep_days: int = 90,
        keep_bytes: int = 256 << 20,
        **chosen: Any,
    ) -> Self:
        """Open the journal in a folder, by default the one in this user's state.

        `chosen` are settings of this class; the others are those of `LogFiles`.

        Raises:
            JournalError: there is no folder and no home.
        """
        folder = folder or default_folder(chosen.get("environ") or os.environ)
        files = LogFiles(folder, sync=sync, keep_days=keep_days, keep_bytes=keep_bytes)
        return cls(files, **chosen)

    def observe(self, event: Event, decision: Decision, spec_of: SpecOf = lambda _: None) -> None:
        """Record an event, the hooks that ran and the decision. `spec_of` returns a hook by its id.

        The event's own record comes last, so its presence shows that all are complete.
        """
        self._write(self._event_records, event, decision, spec_of)
        for export in self.exports:
            try:
                export(event, decision, spec_of)
            except Exception as error:  # noqa: BLE001 - it must not change the decision
                why = f"an exporter failed: {type(error).__name__}: {error}"
                self._report("journal.telemetry", why)

    def finished(
        self, event: Event, spec: HookSpec, verdict: Verdict, outcome: Outcome, ended: float
    ) -> None:
        """Record the end of a detached hook of this event; `ended` in seconds since 1970."""
        self._write(self._end_record, event, spec, verdict, outcome, ended)

    def note(self, what: str, **fields: Any) -> bool:
        """Record an approval, or a host without a decision; return whether it is written."""
        return self._write(self._note_record, what, fields)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the problems with writing, one of each kind."""
        return tuple(self._troubles.values())

    # -- records -----------------------------------------------------------------------------------

    def _event_records(
        self, event: Event, decision: Decision, spec_of: SpecOf
    ) -> list[dict[str, Any]]:
        event_id, now, policy = self._event_id(event), self.clock(), self.policy
        at, records = format_time(now), []
        for number, verdict in enumerate(decision.verdicts, 1):
            spec, run_id = spec_of(verdict.hook_id), f"{event_id}.{number}"
            record = run_record(
                verdict, spec, run_id=run_id, event_id=event_id, at=at, policy=policy
            )
            records.append(record)
        record = event_record(event, decision, event_id=event_id, at=at, policy=policy)
        if self.began is not None:
            record["waited"] = max(0.0, round(now - self.began, 6))
        if self.guest:
            record["guest"] = self.guest
        return [*records, record]

    def _end_record(
        self, event: Event, spec: HookSpec, verdict: Verdict, outcome: Outcome, ended: float
    ) -> list[dict[str, Any]]:
        event_id, run_id = self._event_id(event, is_end=True), self.new_id()
        verdict, at = verdict.replace(hook_id=spec.id), format_time(ended or self.clock())
        return [
            run_record(
                verdict,
                spec,
                run_id=run_id,
                event_id=event_id,
                at=at,
                policy=self.policy,
                printed=outcome,
            )
        ]

    def _note_record(self, what: str, fields: Mapping[str, Any]) -> list[dict[str, Any]]:
        at = format_time(self.clock())
        return [note_record(what, fields, note_id=self.new_id(), at=at, policy=self.policy)]

    def _event_id(self, event: Event, *, is_end: bool = False) -> str:
        """Return the id of an event that is decided now, or whose detached hook ends now."""
        call = event.body.value("call_id")
        key = (event.session_id, event.kind, call if isinstance(call, str) else "")
        with self._lock:
            event_id, is_decided = self._ids.get(key, ("", False))
            if not event_id or (is_decided and not is_end):
                event_id = self.new_id()
            self._ids[key] = event_id, is_decided or not is_end
            if len(self._ids) > _MOST_EVENTS:
                del self._ids[next(iter(self._ids))]
        return event_id

    # -- writing -----------------------------------------------------------------------------------

    def _write(self, make: Callable[..., Sequence[dict[str, Any]]], *given: Any) -> bool:
        """Make records and write them, if there are log files; return whether they are written.

        It reports an error, because no fault here may change the decision.
        """
        if self.files is None:
            return False
        records: Sequence[dict[str, Any]] = ()
        try:
            records = make(*given)
            wait = _ON_A_LOOP if _is_on_loop() else None
            self.files.append(records, at=records[-1]["at"], wait=wait)
        except Exception as error:  # noqa: BLE001 - as above
            self.lost += len(records) or 1
            self._report_unwritten(error, self.files.folder)
            return False
        return True

    def _report_unwritten(self, error: Exception, folder: str) -> None:
        if isinstance(error, JournalError) and error.name == "journal.busy":
            self._report("journal.lost", f"{error.message}; records are lost")
        elif isinstance(error, HookError):
            self._report(error.name, error.message, error.hint)
        elif isinstance(error, OSError):
            why = (error.strerror or str(error)).lower()
            self._report("journal.unwritable", f"hookline cannot write to `{folder}`: {why}")
        else:
            why = f"{type(error).__name__}: {error}"
            self._report("journal.unwritable", f"hookline could not record an event: {why}")

    def _report(self, name: str, message: str, hint: str = "") -> None:
        """Report a trouble, once for each kind."""
        if name not in self._troubles:
            problem = Problem.warning(name, message, hint, origin=Origin(file="journal"))
            self._troubles[name] = problem
            self.tell(str(problem))


def default_folder(environ: Mapping[str, str]) -> str:
    """Return the default folder of the journal: in hookline's state.

    Raises:
        JournalError: there is no home folder.
    """
    home = find_home(environ)
    folder = f"{state_folder(environ)}/journal"
    if folder.startswith(home) and not os.path.isdir(home):
        raise JournalError(
            f"there is no home `{home}`",
            name="journal.place",
            hint="HOOKLINE_JOURNAL names a folder, or is `off`",
        )
    return folder


def _is_on_loop() -> bool:
    """Return whether this thread runs an event loop, without importing asyncio."""
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None
