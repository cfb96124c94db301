"""Standing: how a hook stands: what it would run now, whether somebody approved just that, and whose policy counts for it."""

from __future__ import annotations

import os
import stat

from hookline.model.frozen import Frozen
from hookline.model.handler import Command, command_of
from hookline.model.sight import Sight
from hookline.model.spec import MANAGED, USER
from hookline.trust.fingerprint import Fingerprint, covers, fingerprint, identity
from hookline.trust.policy import CHANGED, MISSING, REVOKED, TRUSTED, UNKNOWN, group_of
from hookline.trust.whereabouts import is_below, is_kept_with, places, projects_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from hookline.core.dispatch import Run
    from hookline.model.spec import HookSpec
    from hookline.trust.store import Known

    Look: TypeAlias = Callable[[Run], Sight]

NOBODY, TAKEN_BACK = "nobody approved it", "its approval was taken back"
_NO_SIGHT = Sight()
_MOST_FOLDERS = 1024


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


class Standings:
    """How the hooks of one engine stand, with what need not be found out twice.

    `look` finds out what a run would execute. `root`: the project folder, without links. `demands`: whether a dialect's hooks
    need an approval wherever they come from.
    """

    def __init__(self, look: Look, root: str, environ: Mapping[str, str], demands: Callable[[str], bool]) -> None:
        self._look = look
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
        exposed = next((file.exposed for file in sight.files if file.exposed), "") or _exposure(spec.origin.file)
        state, reason = _state(print_, sight, known, fault, exposed)
        return Standing(
            spec=spec, state=state, reason=reason, covers=covers(sight), group=self._group(spec, sight, run.event.cwd),
            print=print_, sight=sight, exposed=exposed, approved=known is not None and print_.identity in known.approvals,
        )  # fmt: skip

    def identity(self, spec: HookSpec) -> str:
        """The hook as it was declared, whatever its files are."""
        found = self._identities.get(spec.id)
        told = (spec.handler, spec.conditions, spec.sworn)
        if found is None or any(one is not other for one, other in zip(found[0], told, strict=True)):
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

    def _group(self, spec: HookSpec, sight: Sight, cwd: str) -> str:
        """Whose policy counts. A user's hook that runs a file of the project is judged as what it runs: a clone brought that."""
        group = group_of(spec.origin.scope) or USER
        if group == USER and (self._demands(spec.dialect) or self._runs_the_projects(spec, sight, cwd)):
            return "project"
        return group

    def _runs_the_projects(self, spec: HookSpec, sight: Sight, cwd: str) -> bool:
        """Whether a hook runs a file of a project: of the gate's, or of the one that the event is about."""
        if not sight.files:
            return False
        declared = os.path.realpath(spec.origin.file) if spec.origin.file else ""
        foreign = [root for root in self._projects(cwd) if not is_kept_with(declared, root, self._environ)]
        return any(is_below(place, root) for root in foreign for file in sight.files for place in places(file.path, file.real))

    def _projects(self, cwd: str) -> frozenset[str]:
        """The folders of which a clone may have brought what is in them: as they are named, and without links."""
        found = self._folders.get(cwd)
        if found is None:
            if len(self._folders) >= _MOST_FOLDERS:
                self._folders.clear()
            found = self._folders[cwd] = frozenset(projects_of((self._root, cwd), self._environ))
        return found


def _state(print_: Fingerprint, sight: Sight, known: Known | None, fault: str, exposed: str) -> tuple[str, str]:
    """The state of a hook, and why."""
    if known is None:
        return UNKNOWN, fault
    if print_.identity in known.revoked:
        return REVOKED, TAKEN_BACK
    if sight.missing:
        return MISSING, sight.missing[0]
    if exposed:
        return UNKNOWN, exposed
    approved = known.approvals.get(print_.identity)
    if approved is None:
        return UNKNOWN, NOBODY + (f", and of what it runs not all can be seen: {sight.open[0]}" if sight.open else "")
    if approved.get(print_.places) == print_.content:
        return TRUSTED, ""
    ran = ", ".join(f"`{file.real}`" for file in sight.files if file.role != "interpreter") or "what it runs"
    return CHANGED, f"{ran} changed since it was approved"


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
    return command_of(spec.handler)
