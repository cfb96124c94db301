"""Journal: what an engine tells of its events becomes records in the trail; it never raises, and never is silent.

A journal that cannot write changes no verdict: what is lost is counted, and told once for each kind of trouble.
"""

from __future__ import annotations

import os
import time

from hookline.errors import HookError, JournalError
from hookline.journal.backlog import Backlog
from hookline.journal.keeping import Keeping
from hookline.journal.lock import BUSY
from hookline.journal.naming import declared, definition_hash
from hookline.journal.records import event_record, note_record, run_record
from hookline.journal.trail import Trail
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
        """The end of a detached hook, as an engine tells of it; `ended` in seconds since 1970."""

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
_WAITS = "what waits for it is written when it lets go, and lost if this process ends before"


def nobody(_: str) -> None:
    """No hook is known by any id."""
    return


class Journal:
    """One writer of a trail; without a trail, only its exports are told.

    `payload`: what is kept of what passed through, `hash`, `masked` or `full`. `fingerprint_of` tells what a hook is.
    `clock` tells the time, in seconds since 1970; `new_id` an id for an event. `tell` is given one line for each kind of
    trouble, once. `exports` are told every event as well, such as `otel.Telemetry`. `environ` is what hooks inherit, for the
    secrets in it. `lost` counts records that were not written. Several threads may use it.
    """

    def __init__(
        self,
        trail: Trail | None,
        *,
        payload: str = "hash",
        keeping: Keeping | None = None,
        fingerprint_of: Callable[[HookSpec], str] = definition_hash,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: os.urandom(8).hex(),
        tell: Callable[[str], None] = lambda _: None,
        exports: Sequence[Export] = (),
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.trail = trail
        self.keeping = keeping or Keeping(
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
        self._backlog: Backlog | None = None
        if trail is not None:
            trail.tell = self._trouble
            self._backlog = Backlog(trail, self._fell)

    @classmethod
    def open(
        cls, folder: str = "", *, environ: Mapping[str, str] | None = None, **chosen: Any
    ) -> Self:
        """The journal in that folder, or else in the one of this user's state.

        `chosen` are settings of this class and of `Trail`.

        Raises:
            JournalError: nobody says where: no folder, and no home.
        """
        folder = folder or place({**(os.environ if environ is None else environ)})
        of_trail = {
            name: chosen.pop(name)
            for name in Trail.__init__.__kwdefaults__ or {}
            if name in chosen and name != "tell"
        }
        return cls(Trail(folder, **of_trail), environ=environ, **chosen)

    # -- what is told to it ----------------------------------------------------------------------------------------

    def observe(self, event: Event, decision: Decision, spec_of: SpecOf = nobody) -> None:
        """Write down an event, the hooks that were asked and what was decided. `spec_of` tells a hook by its id.

        The event's own record is the last one, so that where it is, all of it is.
        """
        if self.trail is not None:
            self._guarded(lambda: self._observe(event, decision, spec_of))
        for export in self.exports:
            try:
                export(event, decision, spec_of)
            except Exception as error:  # noqa: BLE001 - whatever an exporter does, the decision stands
                self._trouble(
                    "journal.telemetry", f"an exporter failed: {type(error).__name__}: {error}"
                )

    def finished(
        self, done: Finished, spec_of: SpecOf = nobody, event: Event | None = None
    ) -> None:
        """Write down how a hook ended that nobody waited for, and which event had started it."""
        self._guarded(lambda: self._finished(done, spec_of, event))

    def note(
        self, what: str, *, note_id: str = "", seconds: float | None = None, **fields: Any
    ) -> bool:
        """Write down something else that a person should find: an approval, a bypass, a host that got no decision.

        Whether it is written now. `note_id`: of a note that has one, and that is given until it is written; what waits to be written is
        not written twice. `seconds`: when it was, since 1970.
        """
        if note_id in self._given:
            return self._backlog is not None and not self._backlog.waiting
        done: list[bool] = []

        def write() -> None:
            record = note_record(
                what,
                fields,
                note_id=note_id or self.new_id(),
                at=self._now(seconds),
                keeping=self.keeping,
            )
            if note_id:
                self._given[note_id] = None
            done.append(self._write([record]))

        self._guarded(write)
        while len(self._given) > _MOST_MOMENTS:
            del self._given[next(iter(self._given))]
        return done == [True]

    def close(self) -> None:
        """Write down what still waits, for its event or for the trail, and give the files back."""
        early = [record for records in self._early.values() for record in records]
        self._early.clear()
        if early:
            self._guarded(lambda: self._write(early))
        if self.trail is not None:
            self._guarded(self._flush)
            self._guarded(self.trail.close)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong with writing, one of each kind."""
        return tuple(self._troubles.values())

    # -- records ---------------------------------------------------------------------------------------------------

    def _observe(self, event: Event, decision: Decision, spec_of: SpecOf) -> None:
        at, event_id, moment = self._now(), self.new_id(), _moment(event)
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
            event, decision, event_id=event_id, at=at, keeping=self.keeping, hooks=hooks
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
            keeping=self.keeping,
            known=self._declared(spec),
            phase=phase,
            printed=printed,
        )

    def _finished(self, done: Finished, spec_of: SpecOf, event: Event | None) -> None:
        moment = _moment(event) if event is not None else (done.session_id, done.kind, "")
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
        else:  # it was quicker than the decision
            self._early.setdefault(moment, []).append(record)

    def _latest(self, moment: _Moment) -> str:
        return next(
            (found for known, found in reversed(self._ids.items()) if known[:2] == moment[:2]), ""
        )

    def _declared(self, spec: HookSpec | None) -> dict[str, Any]:
        if spec is None:
            return declared(None, self.keeping)
        known = self._known.get(spec.id)
        if known is None or known[0] is not spec:
            known = self._known[spec.id] = (
                spec,
                declared(spec, self.keeping, self.fingerprint_of(spec)),
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

    def _fell(self, count: int, crowded: bool) -> None:  # noqa: FBT001 - as the backlog tells it
        """Count what is not written any more; what could not be is told of by whoever caught why."""
        self.lost += count
        self._given.clear()  # a note may be among them
        if crowded:
            self._trouble(
                "journal.lost",
                f"{count} records fell out: too many wait for whoever holds `{self._folder}`",
            )

    def _flush(self) -> None:
        """Tell of what waits even now, each time: the process may end."""
        left = self._backlog.close() if self._backlog is not None else 0
        if left:
            self._troubles.pop("journal.lost", None)
            self._trouble(
                "journal.lost",
                f"{left} records wait for whoever holds `{self._folder}`, and are lost if this process ends now",
            )

    @property
    def _folder(self) -> str:
        return self.trail.folder if self.trail is not None else ""

    def _guarded(self, act: Callable[[], object]) -> None:
        try:
            act()
        except HookError as error:
            self._trouble(error.name, error.message, _WAITS if error.name == BUSY else error.hint)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            self._trouble(
                "journal.unwritable", f"nothing can be written to `{self._folder}`: {why}"
            )
        except Exception as error:  # noqa: BLE001 - whatever it is, the decision stands
            self._trouble(
                "journal.unwritable",
                f"an event could not be written down: {type(error).__name__}: {error}",
            )

    def _trouble(self, name: str, message: str, hint: str = "") -> None:
        """Tell of a trouble, once for each kind of it."""
        if name in self._troubles:
            return
        problem = Problem(
            name=name, message=message, hint=hint, severity="warning", origin=Origin(file="journal")
        )
        self._troubles[name] = problem
        self.tell(str(problem))


def place(environ: Mapping[str, str]) -> str:
    """Where the journal is when nobody says: in the folder of hookline's state.

    Raises:
        JournalError: there is no home to have it in.
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


def _moment(event: Event) -> _Moment:
    call = event.body.value("call_id")
    return event.session_id, event.kind, call if isinstance(call, str) else ""


def _phase(verdict: Verdict, spec: HookSpec | None) -> str:
    """`late`: said by a hook that an earlier event had started, and told at this one."""
    if verdict.late:
        return "late"
    return "started" if spec is not None and spec.detached and verdict.fault is None else "done"
