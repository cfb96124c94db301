"""Standing: how a hook stands: what it would run now, whether somebody approved just that, and whose policy counts for it."""

from __future__ import annotations

import os
import stat

from hookline.model.frozen import Frozen
from hookline.model.handler import Command, command_of
from hookline.model.outcome import Failure
from hookline.model.sight import LOOSE, Sight
from hookline.model.spec import CLONED, MANAGED, USER
from hookline.paths import real_path
from hookline.trust.comparison import Comparison, named_by
from hookline.trust.fingerprint import Fingerprint, covers, fingerprint, identity
from hookline.trust.policed import of_others
from hookline.trust.policy import CHANGED, MISSING, REVOKED, TRUSTED, UNKNOWN, group_of
from hookline.trust.vanished import Vanished
from hookline.trust.whereabouts import is_below, is_kept_with, places, projects_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self, TypeAlias

    from hookline.core.dispatch import Run
    from hookline.model.sight import Covered
    from hookline.model.spec import HookSpec
    from hookline.trust.snapshot import Known

    Look: TypeAlias = Callable[[Run], Sight]

NOBODY, TAKEN_BACK = "nobody approved it", "its approval was taken back"
EDITED = "its definition is another than was approved"
_NO_SIGHT = Sight()
_FAILURES: Mapping[str, Failure] = {
    CHANGED: Failure.CHANGED,
    REVOKED: Failure.REVOKED,
    MISSING: Failure.ABSENT,
}
_MOST_FOLDERS = 1024


class Standing(Frozen):
    """How a hook stands: its state, why in words, and what an approval covers.

    `group` is whose policy counts ("" = it needs no approval). `print` and `sight` are what was looked at. `approved`: somebody
    approved it once, whatever became of its files or its definition. `note`: what the user is told where it runs all the same.
    `exposed`: why others may write it; `writable`: the file that they may write, where all else is as it was approved.
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
    note: str = ""
    writable: str = ""

    def failure(self, fault: str = "") -> Failure:
        """What keeps it from running, as a failure of it. `fault`: why the store cannot be read."""
        if fault:
            return Failure.UNKNOWABLE
        return (
            Failure.EXPOSED
            if self.exposed and self.state == CHANGED
            else _FAILURES.get(self.state, Failure.UNTRUSTED)
        )

    @property
    def in_place(self) -> tuple[str, ...]:
        """The scripts that are run from where they lie, because their interpreters can be given no bytes."""
        return tuple(dict.fromkeys(file.real for file in self.sight.files if file.in_place))

    def minded(self) -> Self:
        """The same, with the first of these as a reason."""
        told = [
            f"`{path}` is run from its place, and not as it was verified"
            for path in self.in_place[:1]
        ]
        return self.replace(reason="; ".join([*filter(None, (self.reason,)), *told]))


class Standings:
    """How the hooks of one engine stand, with what need not be found out twice.

    `look` finds out what a run would execute. `root`: the project folder, without links. `demands`: whether a dialect's hooks
    need an approval wherever they come from. `minds`: what is run from its place is a reason. `vanished`: approved hooks that are gone.
    """

    def __init__(
        self,
        look: Look,
        root: str,
        environ: Mapping[str, str],
        demands: Callable[[str], bool],
        *,
        minds: bool = False,
    ) -> None:
        self.vanished = Vanished(root, self.identity)
        self._look = look
        self._minds = minds
        self._root = root
        self._environ = environ
        self._demands = demands
        self._managed: dict[str, bool] = {}
        self._identities: dict[str, tuple[tuple[Any, ...], str]] = {}
        self._folders: dict[str, frozenset[str]] = {}

    def of(self, run: Run, known: Known | None, fault: str = "") -> Standing:
        """How the hook of a run stands, for the event of that run. `known` is None where the store cannot be read, for `fault`."""
        spec = run.spec
        sight = self._look(run) if type(spec.handler) is Command else _NO_SIGHT
        print_ = fingerprint(self.identity(spec), sight)
        exposed, path = _exposed(spec, sight)
        brought = self._brought(spec, sight, run.event.cwd)
        approved = known.approvals.get(print_.identity) if known is not None else None
        bare = Standing(
            spec=spec, state=TRUSTED, covers=covers(sight), group=self._group(spec, brought), print=print_, sight=sight, exposed=exposed,
            approved=approved is not None or (known is not None and self.vanished.edited(spec, known)),
        )  # fmt: skip
        state, reason = _state(
            print_,
            sight,
            known,
            fault,
            f"{exposed}: `chmod go-w {path}` mends that" if exposed else "",
        )
        found = bare.replace(state=state, reason=reason)
        if state == UNKNOWN and known is not None:
            found = (
                _unknown(found, brought)
                if approved is None
                else _open_to_others(found, Comparison(approved, print_, sight), path)
            )
        elif state == TRUSTED and approved is not None:
            state, reason, note = _compared(
                spec, found.group, brought, Comparison(approved, print_, sight)
            )
            found = found.replace(state=state, reason=reason, note=note)
        return found.minded() if self._minds else found

    def of_policy(self, run: Run) -> Standing:
        """How a hook of policy stands, which needs no approval: what others may write fails like what somebody changed."""
        spec = run.spec
        why = of_others(self._look(run)) if type(spec.handler) is Command else ""
        return Standing(spec=spec, state=CHANGED if why else TRUSTED, reason=why, exposed=why)

    def identity(self, spec: HookSpec) -> str:
        """The hook as it was declared, whatever its files are."""
        found = self._identities.get(spec.id)
        told = (spec.handler, spec.conditions, spec.sworn)
        if found is None or any(
            one is not other for one, other in zip(found[0], told, strict=True)
        ):
            found = self._identities[spec.id] = (told, identity(spec, self._root))
        return found[1]

    def is_managed(self, spec: HookSpec) -> bool:
        """Whether a hook is policy: it says so, and only root can have written that."""
        if spec.origin.scope != MANAGED:
            return False
        file = spec.origin.file
        if file not in self._managed:
            self._managed[file] = is_roots(file)
        return self._managed[file]

    def _group(self, spec: HookSpec, brought: Sequence[Covered]) -> str:
        """Whose policy counts. A user's hook that certainly runs a file of the project is judged as what it runs: a clone brought that."""
        group = group_of(spec.origin.scope) or USER
        return (
            "project"
            if group == USER and (self._demands(spec.dialect) or any(map(_is_run, brought)))
            else group
        )

    def _brought(self, spec: HookSpec, sight: Sight, cwd: str) -> tuple[Covered, ...]:
        """The files of a hook that a clone may have brought: they lie in the gate's project, or in the one that the event is about."""
        if not sight.files:
            return ()
        declared = real_path(spec.origin.file) if spec.origin.file else ""
        foreign = [
            root for root in self._projects(cwd) if not is_kept_with(declared, root, self._environ)
        ]
        return tuple(
            file
            for file in sight.files
            if any(is_below(at, root) for root in foreign for at in places(file.path, file.real))
        )

    def _projects(self, cwd: str) -> frozenset[str]:
        """The folders of which a clone may have brought what is in them: as they are named, and without links."""
        found = self._folders.get(cwd)
        if found is None:
            if len(self._folders) >= _MOST_FOLDERS:
                self._folders.clear()
            found = self._folders[cwd] = frozenset(projects_of((self._root, cwd), self._environ))
        return found


def _state(
    print_: Fingerprint, sight: Sight, known: Known | None, fault: str, exposed: str
) -> tuple[str, str]:
    """The state of a hook, and why, as far as the store tells without its files."""
    if known is None:
        return UNKNOWN, fault
    if print_.identity in known.revoked:
        return REVOKED, TAKEN_BACK
    if sight.missing:
        return MISSING, sight.missing[0]
    if exposed:
        return UNKNOWN, exposed
    return (TRUSTED, "") if print_.identity in known.approvals else (UNKNOWN, NOBODY)


def _unknown(found: Standing, brought: Sequence[Covered]) -> Standing:
    """A hook that nobody approved as it is declared: why it is unknown, or changed, and what else is told where it runs all the same."""
    spec = found.spec
    if found.approved:
        return found.replace(
            state=CHANGED, reason="; ".join(filter(None, (EDITED, found.exposed and found.reason)))
        )
    if found.exposed:
        return found
    if spec.origin.scope in CLONED:
        return found.replace(reason=NOBODY + _unseen(found.sight))
    run = next(filter(_is_run, brought), None)
    why = (
        f": it runs `{run.real}` of this project, until `hookline approve` says that it may"
        if run is not None
        else ""
    )
    note = named_by(file for file in brought if file.role in LOOSE)
    return found.replace(reason=NOBODY + (why or _unseen(found.sight)), note=note)


def _open_to_others(found: Standing, compared: Comparison, path: str) -> Standing:
    """A hook that somebody approved, and that others may write by now."""
    other = compared.changed(found.group, cloned=found.spec.origin.scope in CLONED)
    reason = "; ".join(filter(None, (found.reason, other)))
    return found.replace(state=CHANGED, reason=reason, writable="" if other else path)


def _unseen(sight: Sight) -> str:
    return f", and of what it runs not all can be seen: {sight.open[0]}" if sight.open else ""


def _compared(
    spec: HookSpec, group: str, brought: Sequence[Covered], found: Comparison
) -> tuple[str, str, str]:
    """How a hook stands that somebody approved: its state, why, and what is told where it runs all the same."""
    cloned = spec.origin.scope in CLONED
    if why := found.changed(group, cloned=cloned):
        return CHANGED, why, ""
    return TRUSTED, "", found.note(brought, cloned=cloned)


def _is_run(file: Covered) -> bool:
    """Whether a file is run for certain, and because of its place: what the user's own path leads to is the user's choice."""
    return file.role not in LOOSE and not file.chosen


def _exposed(spec: HookSpec, sight: Sight) -> tuple[str, str]:
    """Why somebody else may write what a hook runs for certain, or the file that declares it, and that file; empty where nobody may."""
    seen = next(
        (
            (file.exposed, file.real)
            for file in sight.files
            if file.exposed and file.role not in LOOSE
        ),
        None,
    )
    if seen is not None:
        return seen
    file = spec.origin.file
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return "", ""
    return (
        (f"everybody may write `{file}`", file)
        if stat.S_ISREG(found.st_mode) and found.st_mode & stat.S_IWOTH
        else ("", "")
    )


def is_roots(file: str) -> bool:
    """Whether only root may change a file, and the folder that it lies in."""
    try:
        found = [os.stat(path) for path in (file, os.path.dirname(real_path(file)))]
    except OSError:
        return False
    return all(
        each.st_uid == 0 and not each.st_mode & (stat.S_IWGRP | stat.S_IWOTH) for each in found
    )


def shown(spec: HookSpec) -> str:
    """What a hook runs, in one line, as `approve` takes it: a command, an address, a name."""
    return command_of(spec.handler)
