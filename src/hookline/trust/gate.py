"""Gate: whether a hook may run now, and exactly what: nothing runs that was not approved, and what runs is what was verified."""

from __future__ import annotations

from hookline.core.failure import off_by as off_in_file
from hookline.errors import TrustError
from hookline.model.frozen import Frozen
from hookline.model.handler import Command, InProcess
from hookline.model.kinds import kind
from hookline.model.outcome import Failure, Outcome
from hookline.model.spec import CLONED
from hookline.model.verdict import Stance
from hookline.paths import real_path
from hookline.text.terminal_escape import escape_line
from hookline.trust.approval import Approval
from hookline.trust.comparison import was_led_elsewhere
from hookline.trust.fingerprint import fingerprint, has_another, head
from hookline.trust.policy import (
    ASK,
    CHANGED,
    DENY,
    RECORD,
    REVOKED,
    RUN,
    SKIP,
    UNKNOWN,
    WARN,
    named,
)
from hookline.trust.standing import NOBODY, Standing, Standings, shown
from hookline.trust.switch import off_by, off_by_name, switches
from hookline.trust.told import Told, user_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from typing import Any

    from hookline.core.dispatch import Run
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.trust.policy import Policy
    from hookline.trust.snapshot import Known
    from hookline.trust.standing import Look
    from hookline.trust.store import Store
    from hookline.trust.vanished import Declared


class Pass(Frozen):
    """A run that may go on, pinned to what was verified. `note`: what the user is told; `standing`: to be held after the run."""

    run: Run
    note: str = ""
    standing: Standing | None = None


class Gate:
    """What decides about every hook of one engine.

    `look` finds out what a run would execute. `root`: the project folder. `demands`: whether a dialect's hooks need an approval
    wherever they come from. `place`: where a file of a dialect lies, in words that no file chose. `tell` is given a record of everything
    that is approved, revoked or switched, as the store's `tell` is: a journal's. `declared`: the hooks that its engine has now. Safe from any thread.
    """

    problems: tuple[Problem, ...] = ()  # a gate that was made has none; one that is made late may

    def __init__(
        self,
        store: Store,
        policy: Policy,
        look: Look,
        *,
        root: str,
        environ: Mapping[str, str],
        demands: Callable[[str], bool] = lambda _: False,
        place: Callable[[str, str], str] = lambda _dialect, _file: "",
        tell: Callable[[dict[str, Any]], object] | None = None,
        declared: Declared | None = None,
    ) -> None:
        self.store = store
        self.policy = policy
        self.look = look
        self.root = real_path(root)
        self.environ = environ
        self.demands = demands
        self.place = place
        if tell is not None:
            store.tell = tell
        self._told = Told(store)
        self._standings = Standings(look, self.root, environ, demands, minds=policy.in_place != RUN)
        self.vanished = self._standings.vanished
        self.vanished.declared = declared
        self.standing = self._standings.of
        self.of_policy = self._standings.of_policy
        self.identity = self._standings.identity
        self.is_managed = self._standings.is_managed

    # -- at fire time ----------------------------------------------------------------------------------------------

    def admit(self, run: Run) -> Pass | Outcome:
        """The run as it may go on, or the outcome of one that may not."""
        spec = run.spec
        if type(spec.handler) is InProcess:
            return Pass(run=run)
        if self.is_managed(spec):
            standing = self.of_policy(run)
            return (
                Outcome(failure=standing.failure(), detail=standing.exposed)
                if standing.exposed
                else Pass(run=run)
            )
        known, fault = self._known()
        if reason := off_by(spec, known, self.root, self.environ, run.event.cwd):
            return self._switched_off(run, "hooks are", reason)
        if reason := off_by_name(spec, known, self.root, self.identity, run.event.cwd):
            return self._switched_off(run, f"{self._called(spec) or _own_name(spec)} is", reason)
        if named(spec.origin.scope):
            return Pass(run=run)
        standing = self.standing(run, known, fault)
        effect = self.effect(standing, fault)
        if effect == RECORD:
            return self._recorded(run, standing)
        if effect == RUN:
            return Pass(run=_pinned(run, standing), standing=standing)
        if effect == WARN:
            return self._warned(
                run, standing, "; ".join(filter(None, (standing.reason, standing.note)))
            )
        return self._kept(run, standing, effect, fault)

    def off(self, spec: HookSpec, known: Known | None, cwd: str = "") -> str:
        """What switches a hook off, in words; empty where nothing does."""
        if type(spec.handler) is InProcess or self.is_managed(spec):
            return ""
        return (
            off_in_file(spec)
            or off_by(spec, known, self.root, self.environ, cwd)
            or off_by_name(spec, known, self.root, self.identity, cwd)
        )

    def silences(self, run: Run) -> bool:
        """Whether a hook that was started is not heard any more: it was switched off since, or its approval taken back."""
        spec = run.spec
        if type(spec.handler) is InProcess or self.is_managed(spec):
            return False
        known, _ = self._known()
        if self.off(spec, known, run.event.cwd):
            return True
        return (
            not named(spec.origin.scope)
            and known is not None
            and self.identity(spec) in known.revoked
        )

    def settled(self, given: Pass, outcome: Outcome) -> Outcome:
        """The outcome of a run that was let through; none where its files changed meanwhile and that could not be prevented."""
        standing = given.standing
        if standing is not None and standing.sight.watched and self._differs(given.run, standing):
            outcome = Outcome(
                failure=Failure.CHANGED, detail="while it ran", seconds=outcome.seconds
            )
        if standing is None:
            return outcome.replace(note=given.note) if given.note else outcome
        return outcome.replace(
            note=given.note, identity=standing.print.identity, content=standing.print.content
        )

    def _differs(self, run: Run, standing: Standing) -> bool:
        """Whether something that it runs, or for a clone's hook names, is another than before; what is new beside it is told only."""
        sight, cloned = self.look(_unpinned(run)), run.spec.origin.scope in CLONED
        before, now = standing.print, fingerprint(standing.print.identity, sight)
        if before.places != now.places or head(before.content) != head(now.content):
            return True
        return was_led_elsewhere(standing.sight, sight, cloned=cloned) or (
            cloned and has_another(before.content, now.content)
        )

    def effect(self, standing: Standing, fault: str = "") -> str:
        """What becomes of a hook that stands like this. `fault`: why the store cannot be read."""
        if not standing.group:
            return SKIP if standing.exposed else RUN
        if fault and standing.state == UNKNOWN:
            # Nobody knows what was approved, so nothing is let through, and what is said of any of the two counts.
            said = {self.policy.effect(standing.group, state) for state in (UNKNOWN, CHANGED)}
            return next((effect for effect in (DENY, ASK) if effect in said), SKIP)
        effect = self.policy.effect(
            standing.group, standing.state, in_place=bool(standing.in_place)
        )
        # What others may write is not let through, whatever the policy makes of it.
        if effect in (RECORD, WARN) and standing.exposed:
            return SKIP
        # An approval that nobody spoke does not cover what nobody could see; what is told of a hook that runs is a warning.
        return (
            WARN
            if (effect == RECORD and standing.sight.open)
            or (effect in (RECORD, RUN) and standing.note)
            else effect
        )

    def _recorded(self, run: Run, standing: Standing) -> Pass:
        """The first use of a hook of the user's own: approved by it, where that can be written down."""
        try:
            note = self.record("approved", standing, who="", how="first use")
            self.store.approve(
                [self.approval(standing, who="", how="first use")], first_use=True, notes=[note]
            )
        except TrustError as error:
            return self._warned(
                run, standing, f"its first use could not be remembered: {error.message}"
            )
        return Pass(run=_pinned(run, standing), standing=standing)

    def _warned(self, run: Run, standing: Standing, why: str) -> Pass:
        note = escape_line(f"{_own_name(run.spec)} ran: {why}")
        said = self.once(
            run.event.session_id,
            f"{standing.print.identity}{head(standing.print.content)}{standing.state}{standing.note}",
        )
        return Pass(run=_pinned(run, standing), note="" if said else note, standing=standing)

    def _switched_off(self, run: Run, what: str, reason: str) -> Outcome:
        note = escape_line(f"{what} switched off: {reason}")
        said = self.once(run.event.session_id, f"off {note}")
        return Outcome(
            failure=Failure.SWITCHED_OFF,
            detail=reason,
            note="" if said else note,
            means=Stance.SILENT,
        )

    def _kept(self, run: Run, standing: Standing, effect: str, fault: str) -> Outcome:
        """The outcome of a hook that was not let through.

        A hook that is only skipped has failed, which means what its own failures mean: a guard must not vanish because somebody
        edited its script, and where `fault` keeps the approvals from being read, any may be such a guard. But a clone's hook that nobody
        approved decides nothing, and whoever took an approval back wanted it gone. Of these two a session is told once, of others always.
        """
        spec, asked = standing.spec, {ASK: Stance.ASK, DENY: Stance.DENY}.get(effect)
        guarded, stood = (
            kind(spec.kind).guarded,
            bool(fault) or (standing.approved and standing.state != REVOKED),
        )
        failure = standing.failure(fault)
        if asked is not None:
            means: Stance | None = asked if guarded else Stance.SILENT
        elif stood:
            means = None
        else:
            means = (
                Stance.SILENT if standing.state == REVOKED or spec.origin.scope in CLONED else None
            )
        told = (
            guarded
            and not means
            and not stood
            and self.once(run.event.session_id, f"kept {standing.print.identity} {failure.name}")
        )
        detail = (
            ""
            if standing.reason == NOBODY
            else standing.reason.removeprefix(f"{NOBODY}: ").removeprefix(f"{NOBODY}; ")
        )
        return Outcome(
            failure=failure, detail=detail, means=means, called=self._called(spec), told=told, identity=standing.print.identity,
            content=standing.print.content,
        )  # fmt: skip

    def _called(self, spec: HookSpec) -> str:
        """What a clone's hook is called before anybody: nothing of its files' own choice. Empty for a hook that has its own name."""
        if spec.origin.scope not in CLONED:
            return ""
        return f"a hook of this project ({self._at(spec.dialect, spec.origin.file, spec.native_event, spec.kind)})"

    def _at(self, dialect: str, file: str, event: str, kind: str = "hook") -> str:
        """Where a clone's hook is declared, in words that no file chose."""
        place = self.place(dialect, file)
        return f"{f'`{place}`, ' if place else ''}{event if event.isascii() and event.replace('_', '').isalnum() else kind}"

    def missing(self, session: str, asked: Collection[str]) -> Iterator[str]:
        """Where approved hooks of the project are gone, in words; each once a session. `asked`: the hooks that an event was told to."""
        known, _ = self._known()
        if known is None or not all(switches(known, self.root, self.environ).values()):
            return
        for at, gone in sorted(self.vanished.unplaced(known, asked).items()):
            if not self.once(session, f"gone {' '.join(sorted(gone))}"):
                yield self._at(*at)

    def once(self, session: str, what: str) -> bool:
        """Whether a session was told that before; from now on it was."""
        return self._told.once(session, what)

    # -- the store -------------------------------------------------------------------------------------------------

    def heed(self, declared: Declared) -> None:
        """Go by what there is now: with that it can be told which approved hooks are gone."""
        self.vanished.declared = declared

    def known(self) -> Known:
        """What the store knows now.

        Raises:
            TrustError: it cannot be read.
        """
        return self.store.known()

    def _known(self) -> tuple[Known | None, str]:
        try:
            return self.store.known(), ""
        except TrustError as error:
            return None, str(error)

    # -- records ---------------------------------------------------------------------------------------------------

    def approval(self, standing: Standing, *, who: str, how: str) -> Approval:
        """What is written down of an approval."""
        spec = standing.spec
        return Approval(
            print=standing.print, root=self.root if spec.origin.scope in CLONED else "", dialect=spec.dialect, event=spec.native_event,
            command=shown(spec), file=spec.origin.file, hook=spec.id, covers=standing.covers, who=who or user_of(self.environ), how=how,
        )  # fmt: skip

    def record(self, what: str, standing: Standing, *, who: str, how: str = "") -> dict[str, Any]:
        """What a journal is told of what was done about a hook."""
        spec = standing.spec
        return {
            "what": what, "hook": spec.id, "event": spec.native_event, "command": shown(spec), "file": spec.origin.file,
            "root": self.root, "identity": standing.print.identity, "content": standing.print.content,
            "who": who or user_of(self.environ), "how": how,
        }  # fmt: skip


def _pinned(run: Run, standing: Standing) -> Run:
    if standing.sight.sealed is None:
        return run
    handler = run.spec.handler
    assert isinstance(handler, Command)  # noqa: S101 - nothing else is looked at
    return run.replace(spec=run.spec.replace(handler=handler.replace(sealed=standing.sight.sealed)))


def _unpinned(run: Run) -> Run:
    return run.replace(spec=run.spec.replace(handler=run.spec.handler.replace(sealed=None)))


def _own_name(spec: HookSpec) -> str:
    return f"hook `{spec.name or spec.id}`"
