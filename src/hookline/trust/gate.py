"""Gate: whether a hook may run now, and exactly what: nothing runs that was not approved, and what runs is what was verified."""

from __future__ import annotations

import os
import stat

from hookline.errors import TrustError
from hookline.model.frozen import Frozen
from hookline.model.handler import Command, InProcess
from hookline.model.kinds import kind
from hookline.model.outcome import Failure, Outcome
from hookline.model.sight import Sight
from hookline.model.spec import CLONED, MANAGED, USER
from hookline.model.verdict import Stance
from hookline.trust.fingerprint import Fingerprint, covers, fingerprint, identity
from hookline.trust.policy import (
    ASK,
    CHANGED,
    DENY,
    MISSING,
    RECORD,
    REVOKED,
    RUN,
    SKIP,
    TRUSTED,
    UNKNOWN,
    WARN,
    Policy,
    group_of,
    named,
)
from hookline.trust.store import Approval
from hookline.trust.switch import off_by
from hookline.trust.whereabouts import is_below, is_kept_with, places, projects_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from hookline.core.dispatch import Run
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.trust.store import Known, Store

    Look: TypeAlias = Callable[[Run], Sight]

_FAILURES: Mapping[str, Failure] = {
    UNKNOWN: Failure.UNTRUSTED,
    CHANGED: Failure.CHANGED,
    REVOKED: Failure.REVOKED,
    MISSING: Failure.ABSENT,
}
_NO_SIGHT = Sight()
_MOST_SESSIONS = 1024


class Standing(Frozen):
    """How a hook stands: its state, why in words, and what an approval covers.

    `group` is whose policy counts ("" = it needs no approval). `print` and `sight` are what was looked at. `approved`: as it is
    declared somebody approved it once, whatever became of its files.
    """

    spec: HookSpec
    state: str
    reason: str = ""
    covers: tuple[str, ...] = ()
    group: str = ""
    print: Fingerprint = Fingerprint(identity="", places="", content="")
    sight: Sight = _NO_SIGHT
    exposed: str = ""
    approved: bool = False


class Pass(Frozen):
    """A run that may go on, pinned to what was verified. `note`: what the user is told; `standing`: to be held after the run."""

    run: Run
    note: str = ""
    standing: Standing | None = None


class Gate:
    """What decides about every hook of one engine.

    `look` finds out what a run would execute. `root`: the project folder. `demands`: whether a dialect's hooks need an approval
    wherever they come from. `tell` is given a record of everything that is approved, revoked or switched: a journal's.
    Safe from any thread.
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
        tell: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self.store = store
        self.policy = policy
        self.look = look
        self.root = os.path.realpath(root)
        self.environ = environ
        self.demands = demands
        self.tell = tell
        self._said: set[tuple[str, str]] = set()
        self._managed: dict[str, bool] = {}
        self._identities: dict[str, tuple[tuple[Any, ...], str]] = {}
        self._folders: dict[str, frozenset[str]] = {}

    # -- at fire time ----------------------------------------------------------------------------------------------

    def admit(self, run: Run) -> Pass | Outcome:
        """The run as it may go on, or the outcome of one that may not."""
        spec = run.spec
        if type(spec.handler) is InProcess or self.is_managed(spec):
            return Pass(run=run)
        known, fault = self._known()
        if reason := off_by(spec, known, self.root, self.environ, run.event.cwd):
            return self._switched_off(run, reason)
        if named(spec.origin.scope):
            return Pass(run=run)
        standing = self.standing(run, known, fault)
        effect = self.effect(standing, fault)
        if effect == RECORD:
            return self._recorded(run, standing)
        if effect == RUN:
            return Pass(run=_pinned(run, standing), standing=standing)
        if effect == WARN:
            return self._warned(run, standing, standing.reason)
        return _barred(standing, effect)

    def silences(self, run: Run) -> bool:
        """Whether a hook that was started is not heard any more: it was switched off since, or its approval taken back."""
        spec = run.spec
        if type(spec.handler) is InProcess or self.is_managed(spec):
            return False
        known, _ = self._known()
        if off_by(spec, known, self.root, self.environ, run.event.cwd):
            return True
        return not named(spec.origin.scope) and known is not None and self._identity(spec) in known.revoked

    def settled(self, given: Pass, outcome: Outcome) -> Outcome:
        """The outcome of a run that was let through; none where its files changed meanwhile and that could not be prevented."""
        standing = given.standing
        if standing is not None and standing.sight.watched and self._differs(given.run, standing):
            return Outcome(failure=Failure.CHANGED, detail="while it ran", seconds=outcome.seconds, note=given.note)
        if standing is None:
            return outcome.replace(note=given.note) if given.note else outcome
        return outcome.replace(note=given.note, content=standing.print.content)

    def _differs(self, run: Run, standing: Standing) -> bool:
        return fingerprint(standing.print.identity, self.look(_unpinned(run))) != standing.print

    def effect(self, standing: Standing, fault: str = "") -> str:
        """What becomes of a hook that stands like this. `fault`: why the store cannot be read."""
        effect = self.policy.effect(standing.group, standing.state)
        # What cannot be looked up, and what others may write, is not let through, whatever the policy makes of the unknown.
        if effect in (RECORD, WARN) and (fault or standing.exposed):
            return SKIP
        # An approval that nobody spoke does not cover what nobody could see.
        return WARN if effect == RECORD and standing.sight.open else effect

    def _recorded(self, run: Run, standing: Standing) -> Pass:
        """The first use of a hook of the user's own: approved by it, where that can be written down."""
        try:
            self.store.approve([self.approval(standing, who="", how="first use")], first_use=True)
        except TrustError as error:
            return self._warned(run, standing, f"its first use could not be remembered: {error.message}")
        self.told("approved", standing, who="", how="first use")
        return Pass(run=_pinned(run, standing), standing=standing)

    def _warned(self, run: Run, standing: Standing, why: str) -> Pass:
        note = f"hook `{run.spec.name or run.spec.id}` ran: {why}"
        said = self.once(run.event.session_id, f"{standing.print.identity}{standing.print.content}{standing.state}")
        return Pass(run=_pinned(run, standing), note="" if said else note, standing=standing)

    def _switched_off(self, run: Run, reason: str) -> Outcome:
        said = self.once(run.event.session_id, f"off {reason}")
        note = "" if said else f"hooks are switched off: {reason}"
        return Outcome(failure=Failure.SWITCHED_OFF, detail=reason, note=note, means=Stance.SILENT)

    def once(self, session: str, what: str) -> bool:
        """Whether a session was told that before; from now on it was. Who cannot remember says it again."""
        if not session:
            return False
        if (session, what) in self._said:
            return True
        if len(self._said) >= _MOST_SESSIONS:
            self._said.clear()
        self._said.add((session, what))
        try:
            return self.store.told(session, what)
        except TrustError:
            return False

    # -- standing --------------------------------------------------------------------------------------------------

    def standing(self, run: Run, known: Known | None, fault: str = "") -> Standing:
        """How the hook of a run stands, for the event of that run."""
        spec = run.spec
        sight = self.look(run) if type(spec.handler) is Command else _NO_SIGHT
        print_ = fingerprint(self._identity(spec), sight)
        exposed = next((file.exposed for file in sight.files if file.exposed), "") or _exposure(spec.origin.file)
        state, reason = _state(print_, sight, known, fault, exposed)
        return Standing(
            spec=spec, state=state, reason=reason, covers=covers(sight), group=self._group(spec, sight, run.event.cwd),
            print=print_, sight=sight, exposed=exposed, approved=known is not None and print_.identity in known.approvals,
        )  # fmt: skip

    def _identity(self, spec: HookSpec) -> str:
        found = self._identities.get(spec.id)
        told = (spec.handler, spec.conditions, spec.sworn)
        if found is None or any(one is not other for one, other in zip(found[0], told, strict=True)):
            found = self._identities[spec.id] = (told, identity(spec, self.root))
        return found[1]

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

    def _group(self, spec: HookSpec, sight: Sight, cwd: str) -> str:
        """Whose policy counts. A user's hook that runs a file of the project is judged as what it runs: a clone brought that."""
        group = group_of(spec.origin.scope) or USER
        if group == USER and (self.demands(spec.dialect) or self._runs_the_projects(spec, sight, cwd)):
            return "project"
        return group

    def _runs_the_projects(self, spec: HookSpec, sight: Sight, cwd: str) -> bool:
        """Whether a hook runs a file of a project: of the gate's, or of the one that the event is about."""
        if not sight.files:
            return False
        declared = os.path.realpath(spec.origin.file) if spec.origin.file else ""
        foreign = [root for root in self._projects(cwd) if not is_kept_with(declared, root, self.environ)]
        return any(is_below(place, root) for root in foreign for file in sight.files for place in places(file.path, file.real))

    def _projects(self, cwd: str) -> frozenset[str]:
        """The folders of which a clone may have brought what is in them: as they are named, and without links."""
        found = self._folders.get(cwd)
        if found is None:
            if len(self._folders) >= _MOST_SESSIONS:
                self._folders.clear()
            found = self._folders[cwd] = frozenset(projects_of((self.root, cwd), self.environ))
        return found

    def is_managed(self, spec: HookSpec) -> bool:
        """Whether a hook is policy: it says so, and only root can have written that."""
        if spec.origin.scope != MANAGED:
            return False
        file = spec.origin.file
        if file not in self._managed:
            self._managed[file] = is_roots(file)
        return self._managed[file]

    # -- records ---------------------------------------------------------------------------------------------------

    def approval(self, standing: Standing, *, who: str, how: str) -> Approval:
        """What is written down of an approval."""
        spec = standing.spec
        return Approval(
            print=standing.print, root=self.root if spec.origin.scope in CLONED else "", dialect=spec.dialect, event=spec.native_event,
            command=shown(spec), file=spec.origin.file, hook=spec.id, covers=standing.covers, who=who or user_of(self.environ), how=how,
        )  # fmt: skip

    def told(self, what: str, standing: Standing, *, who: str, how: str = "") -> None:
        """Tell whoever keeps a journal."""
        if self.tell is not None:
            spec = standing.spec
            self.tell(
                {"what": what, "hook": spec.id, "event": spec.native_event, "command": shown(spec), "file": spec.origin.file,
                 "root": self.root, "identity": standing.print.identity, "who": who or user_of(self.environ), "how": how}
            )  # fmt: skip


def _state(print_: Fingerprint, sight: Sight, known: Known | None, fault: str, exposed: str) -> tuple[str, str]:
    """The state of a hook, and why."""
    if known is None:
        return UNKNOWN, fault
    if print_.identity in known.revoked:
        return REVOKED, "its approval was taken back"
    if sight.missing:
        return MISSING, sight.missing[0]
    if exposed:
        return UNKNOWN, exposed
    approved = known.approvals.get(print_.identity)
    if approved is None:
        return UNKNOWN, "nobody approved it" + (f", and of what it runs not all can be seen: {sight.open[0]}" if sight.open else "")
    if approved.get(print_.places) == print_.content:
        return TRUSTED, ""
    ran = ", ".join(f"`{file.real}`" for file in sight.files if file.role != "interpreter") or "what it runs"
    return CHANGED, f"{ran} changed since it was approved"


def _pinned(run: Run, standing: Standing) -> Run:
    if standing.sight.sealed is None:
        return run
    handler = run.spec.handler
    assert isinstance(handler, Command)  # noqa: S101 - nothing else is looked at
    return run.replace(spec=run.spec.replace(handler=handler.replace(sealed=standing.sight.sealed)))


def _unpinned(run: Run) -> Run:
    return run.replace(spec=run.spec.replace(handler=run.spec.handler.replace(sealed=None)))


def _barred(standing: Standing, effect: str) -> Outcome:
    """The outcome of a hook that was not let through.

    A hook that is only skipped has failed, which means what its own failures mean: a guard must not vanish because somebody
    edited its script. But a clone's hook that nobody approved decides nothing, and whoever took an approval back wanted it gone.
    """
    spec, asked = standing.spec, {ASK: Stance.ASK, DENY: Stance.DENY}.get(effect)
    failure = _FAILURES[standing.state]
    if asked is not None:
        means: Stance | None = asked if kind(spec.kind).guarded else Stance.SILENT
    elif standing.approved and standing.state != REVOKED:
        means = None
        failure = Failure.CHANGED if failure is Failure.UNTRUSTED else failure  # others may write now what was approved
    else:
        means = Stance.SILENT if standing.state == REVOKED or spec.origin.scope in CLONED else None
    return Outcome(failure=failure, detail=standing.reason, means=means, content=standing.print.content)


def _exposure(file: str) -> str:
    """Why somebody else may write the file that declares a hook; empty where nobody may, and where there is none."""
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return ""
    if stat.S_ISREG(found.st_mode) and found.st_mode & stat.S_IWOTH:
        return f"everybody may write `{file}`"
    return ""


def is_roots(file: str) -> bool:
    """Whether only root may change a file, and the folder that it lies in."""
    try:
        found = [os.stat(path) for path in (file, os.path.dirname(os.path.realpath(file)))]
    except OSError:
        return False
    return all(each.st_uid == 0 and not each.st_mode & (stat.S_IWGRP | stat.S_IWOTH) for each in found)


def shown(spec: HookSpec) -> str:
    """What a hook runs, in one line, as `approve` takes it: a command, an address, a name."""
    handler: Any = spec.handler
    for field in ("script", "url", "name"):
        if text := getattr(handler, field, ""):
            return str(text)
    argv = getattr(handler, "argv", ())
    if argv:
        import shlex  # noqa: PLC0415 - a person reads it, or it is written down once

        return shlex.join(argv)
    return type(handler).__name__.lower()


def user_of(environ: Mapping[str, str]) -> str:
    """Who does something here, as far as the environment tells."""
    return environ.get("SUDO_USER") or environ.get("USER") or f"uid {os.getuid()}"
