"""Journal: turns an engine's events into records of the log files. It raises no errors and reports each kind once.

A journal that cannot write changes no verdict. It counts what is lost and reports each kind of trouble once.
"""

from __future__ import annotations

import os
import time

from hookline.errors import HookError, JournalError
from hookline.journal.labels import definition_hash, describe_hook
from hookline.journal.lock import BUSY
from hookline.journal.log_files import LogFiles
from hookline.journal.payload_policy import PayloadPolicy
from hookline.journal.records import event_record, note_record, run_record
from hookline.journal.write_buffer import WriteBuffer
from hookline.model.problem import Origin, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol, Self, TypeAlias

    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Verdict

    SpecOf: TypeAlias = Callable[[str], HookSpec | None]
    Export: TypeAlias = Callable[[Event, Decision, SpecOf], None]
    _Moment: TypeAlias = tuple[str, str, str]

    class Finished(Protocol):
        """The end of a detached hook, as an engine reports it; `ended` in seconds since 1970."""

        @property
        def hook_id(self) -> str: ...
        @property
        def outcome(self) -> Outcome: ...
        @property
        def verdict(self) -> Verdict: ...
        @property
        def kind(self) -> str: ...
        @property
        def session_id(self) -> str: ...
        @property
        def ended(self) -> float: ...


_MOST_MOMENTS = 256
_WAITS = (
    "hookline writes the records when the lock is free; they are lost if this process ends before"
)


def find_no_hook(_: str) -> None:
    """Find no hook for any id."""
    return


class Journal:
    """Writes one journal; without log files, it only passes events to its exports.

    `payload`: what to keep of payloads and other values: `hash`, `masked` or `full`. `fingerprint_of` returns a hook's fingerprint.
    `clock` returns seconds since 1970; `new_id` returns an id for an event. `tell` receives one line for each kind of
    trouble, once. `exports` receive every event too, such as `otel.Telemetry`. `environ` is what hooks inherit, to mask the
    secrets in it. `lost` counts records that were not written. Several threads may use it.
    """

    def __init__(
        self,
        files: LogFiles | None,
        *,
        payload: str = "hash",
        policy: PayloadPolicy | None = None,
        fingerprint_of: Callable[[HookSpec], str] = definition_hash,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: os.urandom(8).hex(),
        tell: Callable[[str], None] = lambda _: None,
        exports: Sequence[Export] = (),
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.files = files
        self.policy = policy or PayloadPolicy(
            how=payload, environ=os.environ if environ is None else environ
        )
        self.fingerprint_of = fingerprint_of
        self.clock = clock
        self.new_id = new_id
        self.tell = tell
        self.exports = exports
        self.lost = 0
        self._troubles: dict[str, Problem] = {}
        self._known: dict[str, tuple[HookSpec, dict[str, Any]]] = {}
        self._ids: dict[_Moment, str] = {}
        self._given: dict[str, None] = {}
        self._early: dict[_Moment, list[dict[str, Any]]] = {}
        self._backlog: WriteBuffer | None = None
        if files is not None:
            files.tell = self._report
            self._backlog = WriteBuffer(files, self._count_lost)

    @classmethod
    def open(
        cls, folder: str = "", *, environ: Mapping[str, str] | None = None, **chosen: Any
    ) -> Self:
        """Open the journal in a folder, by default the one in this user's state.

        `chosen` are settings of this class and of `LogFiles`.

        Raises:
            JournalError: there is no folder and no home.
        """
        folder = folder or default_folder({**(os.environ if environ is None else environ)})
        of_trail = {
            name: chosen.pop(name)
            for name in LogFiles.__init__.__kwdefaults__ or {}
            if name in chosen and name != "tell"
        }
        return cls(LogFiles(folder, **of_trail), environ=environ, **chosen)

    # -- events ----------------------------------------------------------------------------------------------------

    def observe(self, event: Event, decision: Decision, spec_of: SpecOf = find_no_hook) -> None:
        """Record an event, the hooks that ran and the decision. `spec_of` returns a hook by its id.

        The event's own record comes last, so its presence shows that all are complete.
        """
        if self.files is not None:
            self._run_safely(lambda: self._observe(event, decision, spec_of))
        for export in self.exports:
            try:
                export(event, decision, spec_of)
            except Exception as error:  # noqa: BLE001 - a fault of an exporter must not change the decision
                self._report(
                    "journal.telemetry", f"an exporter failed: {type(error).__name__}: {error}"
                )

    def finished(
        self, done: Finished, spec_of: SpecOf = find_no_hook, event: Event | None = None
    ) -> None:
        """Record the end of a detached hook, and which event had started it."""
        self._run_safely(lambda: self._finished(done, spec_of, event))

    def note(
        self, what: str, *, note_id: str = "", seconds: float | None = None, **fields: Any
    ) -> bool:
        """Record something else that you should find: an approval, a bypass, a host without a decision.

        Return whether it is written now. `note_id`: identifies a note that the caller repeats until it is written; the buffer keeps it
        only once. `seconds`: its time since 1970.
        """
        if note_id in self._given:
            return self._backlog is not None and not self._backlog.count_waiting
        done: list[bool] = []

        def write() -> None:
            record = note_record(
                what,
                fields,
                note_id=note_id or self.new_id(),
                at=self._now(seconds),
                policy=self.policy,
            )
            if note_id:
                self._given[note_id] = None
            done.append(self._write([record]))

        self._run_safely(write)
        while len(self._given) > _MOST_MOMENTS:
            del self._given[next(iter(self._given))]
        return done == [True]

    def close(self) -> None:
        """Write all records that still wait, and close the files."""
        early = [record for records in self._early.values() for record in records]
        self._early.clear()
        if early:
            self._run_safely(lambda: self._write(early))
        if self.files is not None:
            self._run_safely(self._flush)
            self._run_safely(self.files.close)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the problems with writing, one of each kind."""
        return tuple(self._troubles.values())

    # -- records ---------------------------------------------------------------------------------------------------

    def _observe(self, event: Event, decision: Decision, spec_of: SpecOf) -> None:
        at, event_id, moment = self._now(), self.new_id(), _event_key(event)
        specs = [spec_of(verdict.hook_id) for verdict in decision.verdicts]
        runs = [
            self._run(
                verdict, spec, at=at, event_id=event_id, number=number, phase=_phase(verdict, spec)
            )
            for number, (verdict, spec) in enumerate(zip(decision.verdicts, specs, strict=True), 1)
        ]
        early = [record | {"event": event_id} for record in self._early.pop(moment, ())]
        hooks = [spec for spec in specs if spec is not None]
        told = event_record(
            event, decision, event_id=event_id, at=at, policy=self.policy, hooks=hooks
        )
        self._ids[moment] = event_id
        while len(self._ids) > _MOST_MOMENTS:
            del self._ids[next(iter(self._ids))]
        self._write([*runs, *early, told])

    def _run(
        self,
        verdict: Verdict,
        spec: HookSpec | None,
        *,
        at: str,
        event_id: str,
        number: int,
        phase: str,
        printed: Outcome | None = None,
    ) -> dict[str, Any]:
        return run_record(
            verdict,
            spec,
            run_id=f"{event_id}.{number}" if event_id else self.new_id(),
            event_id=event_id,
            at=at,
            policy=self.policy,
            known=self._declared(spec),
            phase=phase,
            printed=printed,
        )

    def _finished(self, done: Finished, spec_of: SpecOf, event: Event | None) -> None:
        moment = _event_key(event) if event is not None else (done.session_id, done.kind, "")
        event_id = self._ids.get(moment, "") if event is not None else self._latest(moment)
        at = self._now(done.ended) if done.ended else self._now()
        verdict = done.verdict.replace(hook_id=done.hook_id)
        spec = spec_of(done.hook_id)
        record = self._run(
            verdict,
            spec,
            at=at,
            event_id=event_id,
            number=0,
            phase="finished",
            printed=done.outcome,
        )
        record["id"] = self.new_id()
        if event_id or event is None or len(self._early) >= _MOST_MOMENTS:
            self._write([record])
        else:  # the hook ended before the decision
            self._early.setdefault(moment, []).append(record)

    def _latest(self, moment: _Moment) -> str:
        return next(
            (found for known, found in reversed(self._ids.items()) if known[:2] == moment[:2]), ""
        )

    def _declared(self, spec: HookSpec | None) -> dict[str, Any]:
        if spec is None:
            return describe_hook(None, self.policy)
        known = self._known.get(spec.id)
        if known is None or known[0] is not spec:
            known = self._known[spec.id] = (
                spec,
                describe_hook(spec, self.policy, self.fingerprint_of(spec)),
            )
        return known[1]

    def _now(self, seconds: float | None = None) -> str:
        seconds = self.clock() if seconds is None else seconds
        return (
            time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
            + f".{int(seconds % 1 * 1000):03d}Z"
        )

    # -- writing ---------------------------------------------------------------------------------------------------

    def _write(self, records: Sequence[dict[str, Any]]) -> bool:
        return self._backlog is not None and self._backlog.write(records)

    def _count_lost(self, count: int, crowded: bool) -> None:  # noqa: FBT001 - as the backlog tells it
        """Count records that are lost; the caller of `write` reports why they could not be written."""
        self.lost += count
        self._given.clear()  # a note may be among them
        if crowded:
            self._report(
                "journal.lost",
                f"{count} records are lost: another process holds the lock of `{self._folder}`, and the buffer is full",
            )

    def _flush(self) -> None:
        """Report records that are still in the buffer, because the process may end now."""
        left = self._backlog.close() if self._backlog is not None else 0
        if left:
            self._troubles.pop("journal.lost", None)
            self._report(
                "journal.lost",
                f"another process holds the lock of `{self._folder}`; {left} records are lost if this process ends now",
            )

    @property
    def _folder(self) -> str:
        return self.files.folder if self.files is not None else ""

    def _run_safely(self, act: Callable[[], object]) -> None:
        try:
            act()
        except HookError as error:
            self._report(error.name, error.message, _WAITS if error.name == BUSY else error.hint)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            self._report("journal.unwritable", f"hookline cannot write to `{self._folder}`: {why}")
        except Exception as error:  # noqa: BLE001 - no fault here may change the decision
            self._report(
                "journal.unwritable",
                f"hookline could not record an event: {type(error).__name__}: {error}",
            )

    def _report(self, name: str, message: str, hint: str = "") -> None:
        """Report a trouble, once for each kind."""
        if name in self._troubles:
            return
        problem = Problem(
            name=name, message=message, hint=hint, severity="warning", origin=Origin(file="journal")
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


def _event_key(event: Event) -> _Moment:
    call = event.body.value("call_id")
    return event.session_id, event.kind, call if isinstance(call, str) else ""


def _phase(verdict: Verdict, spec: HookSpec | None) -> str:
    """Return `late` for the answer of a detached hook from an earlier event, `started` for one now started, else `done`."""
    if verdict.late:
        return "late"
    return "started" if spec is not None and spec.detached and verdict.fault is None else "done"
