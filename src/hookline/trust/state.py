"""Finds the state of a hook: new, approved, changed or revoked, and what becomes of it."""

from __future__ import annotations

import os
import stat

from hookline.errors import TrustError
from hookline.model.frozen import Frozen
from hookline.model.spec import CLONED, MANAGED, USER, Broken, HookSpec, InProcess, describe_command
from hookline.model.verdict import Failure, Stance
from hookline.paths import is_below
from hookline.trust.inspection import NO_FILES, Inspection
from hookline.trust.owner import Owner, digest_definition, find_owner, find_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from hookline.core.dispatch import Run
    from hookline.trust.store import Approval, Store

    Inspect: TypeAlias = Callable[[Run, str], Inspection]


NEW, APPROVED, CHANGED, REMOVED, REVOKED = STATES = (
    "new", "approved", "changed", "removed", "revoked",
)  # fmt: skip
NOT_APPROVED = "you have not approved it"  # the reason of a new hook
# The columns of the table (docs/explanation/trust.md 4).
PROJECT, OWN = "project", "own"
# record: the first use is the approval. warn: run, with a notice. skip: do not run. ask, deny:
# do not run; before an action, the host asks or refuses.
RECORD, RUN, WARN, SKIP, ASK, DENY = "record", "run", "warn", "skip", "ask", "deny"
# What a hook that does not run counts as, by its state, and what it means before an action.
FAILURES = {NEW: Failure.UNTRUSTED, CHANGED: Failure.CHANGED, REVOKED: Failure.REVOKED}
STANCES = {ASK: Stance.ASK, DENY: Stance.DENY}
# Variables that switch hooks off: all, and those that the second lists.
MASTER, SKIPPED = "HOOKLINE", "HOOKLINE_SKIP"


class Policy(Frozen):
    """What a person chose. `changed`: the effect on a project's changed hook.

    `own`: `first_use`, or `ask` as for a project's.
    """

    changed: str = ASK
    own: str = "first_use"

    def find_effect(self, column: str, state: str, *, can_run: bool = True) -> str:
        """Return what becomes of a hook. `can_run`: whether what it starts is there."""
        if state == APPROVED:
            return RUN
        if state == REVOKED:
            return SKIP
        if column == OWN and self.own != ASK and can_run:
            return RECORD if state == NEW else WARN
        if state == NEW and column == PROJECT:
            return SKIP
        return SKIP if self.changed == RUN and not can_run else self.changed


# What holds where the settings cannot be read.
STRICTEST = Policy(changed=DENY, own=ASK)


def is_named(scope: str) -> bool:
    """Whether hooks of a scope need no approval because the user named their file or function."""
    return scope not in CLONED and scope not in (USER, MANAGED)


class HookState(Frozen):
    """The state of a hook before one run.

    `column`: whose row of the table counts, `PROJECT` or `OWN`; empty if it needs no approval.
    `reason`: why, in words. `can_run`: whether what it starts is there.
    """

    spec: HookSpec
    state: str
    column: str = ""
    reason: str = ""
    owner: Owner = Owner(key="", root="")
    definition: str = ""
    inspection: Inspection = NO_FILES
    can_run: bool = True

    @property
    def command(self) -> str:
        """What the hook runs, in one line."""
        return describe_command(self.spec.handler)


class States:
    """Finds the state of each hook of one project. Its arguments are those of `Gate`."""

    def __init__(
        self,
        store: Store,
        inspect: Inspect,
        root: str,
        environ: Mapping[str, str],
        needs_consent: Callable[[str], bool],
    ) -> None:
        self.root = os.path.realpath(root)
        self.project = find_project(root, environ)
        self._store = store
        self._inspect = inspect
        self._environ = environ
        self._needs_consent = needs_consent

    def find_state(self, run: Run) -> HookState:
        """Return the state of a hook before a run of it."""
        spec, is_own = run.spec, run.spec.origin.scope in (USER, MANAGED)
        if self.is_managed(spec):  # its Python is kept from importing a project's files
            return HookState(spec=spec, state=APPROVED, inspection=self._inspect(run, ""))
        if type(spec.handler) is InProcess or (is_named(spec.origin.scope) and not spec.gated):
            return HookState(spec=spec, state=APPROVED)
        if isinstance(spec.handler, Broken) and not spec.handler.absent:
            reason = f"it cannot be loaded: {spec.handler.reason}"
            column = "" if is_own else PROJECT
            return HookState(spec=spec, state=NEW, column=column, reason=reason, can_run=False)
        owner = find_owner(spec, self.project)
        inspection = self._inspect(run, owner.root)
        taken = ""
        if is_own:
            owner, taken = self._find_taken(run, owner, inspection)
            # The hooks of an installed pack are other people's code, as those of a project.
            needs_consent = bool(spec.origin.pack) or self._needs_consent(spec.dialect)
            is_own = not taken and not needs_consent
        broken = (f"`{file.key}` is {file.problem}" for file in inspection.files if file.problem)
        missing = inspection.missing_program or next(broken, "")
        found = HookState(
            spec=spec, state=NEW, column=OWN if is_own else PROJECT, owner=owner,
            definition=self.find_definition(spec), inspection=inspection, can_run=not missing,
        )  # fmt: skip
        try:
            return self._compare(found, missing, taken)
        except TrustError as error:
            return found.replace(state=CHANGED, reason=error.message)

    def _find_taken(self, run: Run, owner: Owner, inspection: Inspection) -> tuple[Owner, str]:
        """Return the project of which an own hook runs a file, and the file; else its owner."""
        for folder in dict.fromkeys((self.root, run.event.cwd or self.root)):
            project = find_project(folder, self._environ)
            if project is None or is_below(owner.label, project.root):
                continue
            for file in inspection.files:
                paths = file.path, os.path.realpath(file.path)
                if any(is_below(path, project.root) for path in paths):
                    return project, file.key
        return owner, ""

    def _compare(self, found: HookState, missing: str, taken: str) -> HookState:
        """Return the state by what the store holds."""
        key, definition, content = found.owner.key, found.definition, found.inspection.digest
        approvals = self._store.read_approvals(key)
        if definition in approvals.revoked:
            return found.replace(state=REVOKED, reason="you revoked its approval")
        if definition not in approvals.versions:
            if taken:
                reason = f"it runs `{taken}` of this project, which you have not approved"
                return found.replace(state=CHANGED, reason=reason)
            return found.replace(reason=missing or NOT_APPROVED)
        if content in approvals.versions[definition] and not found.inspection.missing_program:
            self._store.read_version(key, definition, content)
            return found.replace(state=APPROVED)
        latest = self._store.list_versions(key, definition)[0]
        changes = [missing, *list_differences(latest, found.inspection), "its files changed"]
        return found.replace(state=CHANGED, reason=next(filter(None, changes)))

    def find_definition(self, spec: HookSpec) -> str:
        """Return the digest of what a hook does."""
        return digest_definition(spec, find_owner(spec, self.project).folders)

    def is_managed(self, spec: HookSpec) -> bool:
        """Whether a hook is managed policy: only root can have written its file."""
        return spec.origin.scope == MANAGED and is_of_root(spec.origin.file)


def list_differences(approved: Approval, inspection: Inspection) -> list[str]:
    """Return how the files differ from those that were approved, in words."""
    before = {key: facts for key, *facts in approved.files}
    told = []
    for file in inspection.files:
        was = before.pop(file.key, None)
        if was is None:
            told.append(f"`{file.key}` is new")
        elif file.problem:
            told.append(f"`{file.key}` is {file.problem}")
        elif was[0] != file.sha256:
            told.append(f"`{file.key}` changed")
        elif file.is_writable_by_all and not was[2]:
            told.append(f"`{file.key}` is writable by all users now")
        elif tuple(was) != file.facts[1:]:
            told.append(f"`{file.key}` has other permissions")
    return told + [f"`{key}` is gone" for key in before]


def is_of_root(file: str) -> bool:
    """Whether only root may change a file and the folder that it lies in."""
    try:
        found = [os.stat(path) for path in (file, os.path.dirname(os.path.realpath(file)))]
    except OSError:
        return False
    others = stat.S_IWGRP | stat.S_IWOTH
    return all(each.st_uid == 0 and not each.st_mode & others for each in found)
