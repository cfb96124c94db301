"""The state of a hook: new, approved, changed or revoked, and why."""

from __future__ import annotations

import os
import stat

from hookline.errors import TrustError
from hookline.model.frozen import Frozen
from hookline.model.handler import Broken, Command, InProcess, describe_command
from hookline.model.spec import CLONED, MANAGED
from hookline.paths import real_path
from hookline.trust.inspected_files import NO_FILES, Inspection, list_files_within
from hookline.trust.owner import Owner, digest_definition, find_owner, find_project
from hookline.trust.policy import APPROVED, CHANGED, NEW, OWN, PROJECT, REVOKED, is_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from hookline.core.dispatch import Run
    from hookline.model.spec import HookSpec
    from hookline.trust.inspected_files import InspectedFile
    from hookline.trust.owner import Project
    from hookline.trust.store import Approval, Store

    Inspect: TypeAlias = Callable[[Run], Inspection]

_NO_OWNER = Owner(key="", root="")
_MOST_FOLDERS = 1024  # of which the project is remembered


class HookState(Frozen):
    """The state of a hook before one run.

    `column`: whose row of the table counts (policy.PROJECT, policy.OWN; "" if the hook needs no
    approval). `reason`: why, in words. `can_run`: whether what it starts is there. `fault`: why
    the store cannot be read.
    """

    spec: HookSpec
    state: str
    column: str = ""
    reason: str = ""
    owner: Owner = _NO_OWNER
    definition: str = ""
    inspection: Inspection = NO_FILES
    can_run: bool = True
    fault: str = ""

    @property
    def command(self) -> str:
        """What the hook runs, in one line."""
        return describe_command(self.spec.handler)


class States:
    """Finds the state of each hook of one project, and caches slow results.

    Args:
        store: the approvals.
        inspect: returns the files that a run would execute.
        root: the folder of the project.
        environ: the environment, by which the home is found.
        needs_consent: whether all hooks of a dialect have the project's column.
    """

    def __init__(
        self,
        store: Store,
        inspect: Inspect,
        root: str,
        environ: Mapping[str, str],
        needs_consent: Callable[[str], bool],
    ) -> None:
        self.store = store
        self.inspect = inspect
        self.root = real_path(root)
        self.project = find_project(root, environ)
        self._environ = environ
        self._needs_consent = needs_consent
        self._projects: dict[str, Project | None] = {}
        self._definitions: dict[str, tuple[HookSpec, str]] = {}
        self._managed: dict[str, bool] = {}

    def find_state(self, run: Run) -> HookState:
        """Return the state of a hook before a run of it."""
        spec = run.spec
        is_free = is_named(spec.origin.scope) and not spec.gated
        if type(spec.handler) is InProcess or is_free or self.is_managed(spec):
            return HookState(spec=spec, state=APPROVED, inspection=self._inspect_managed(run))
        is_projects = spec.origin.scope in CLONED or is_named(spec.origin.scope)
        if isinstance(spec.handler, Broken) and not spec.handler.absent:
            reason = f"it cannot be loaded: {spec.handler.reason}"
            return HookState(
                spec=spec,
                state=NEW,
                column=PROJECT if is_projects else "",
                reason=reason,
                can_run=False,
            )
        inspection = self._inspect(run)
        owner, column = find_owner(spec, self.project), PROJECT
        taken: tuple[InspectedFile, ...] = ()
        if not is_projects:
            guest = self._find_guest(run, inspection, owner)
            if guest is not None:
                owner, taken = guest
            elif not self._needs_consent(spec.dialect):
                column = OWN
        missing = inspection.missing_program or next(
            (f"`{file.key}` is {file.problem}" for file in inspection.files if file.problem), ""
        )
        found = HookState(
            spec=spec, state=NEW, column=column, owner=owner, definition=self.find_definition(spec),
            inspection=inspection, can_run=not missing,
        )  # fmt: skip
        try:
            return self._compare(found, missing, taken)
        except TrustError as error:
            return found.replace(state=CHANGED, reason=error.message, fault=error.message)

    def _compare(
        self, found: HookState, missing: str, taken: tuple[InspectedFile, ...]
    ) -> HookState:
        """Return the state by what the store holds."""
        key, definition = found.owner.key, found.definition
        approvals = self.store.read_approvals(key)
        if definition in approvals.revoked:
            return found.replace(state=REVOKED, reason="you revoked its approval")
        versions = approvals.versions.get(definition)
        if not versions:
            if taken:
                reason = f"it runs `{taken[0].key}` of this project, which you have not approved"
                return found.replace(state=CHANGED, reason=reason)
            return found.replace(reason=missing or "you have not approved it")
        content = found.inspection.digest
        if content in versions:
            self.store.read_version(key, definition, content)
            if not found.inspection.missing_program:
                return found.replace(state=APPROVED, reason="")
        reason = missing or self._describe_difference(found)
        return found.replace(state=CHANGED, reason=reason)

    def _describe_difference(self, found: HookState) -> str:
        """Return which file differs from the latest approved version, in words."""
        latest = self.store.list_versions(found.owner.key, found.definition)[0]
        return next(iter(list_differences(latest, found.inspection)), "its files changed")

    def _inspect(self, run: Run) -> Inspection:
        return self.inspect(run) if type(run.spec.handler) is Command else NO_FILES

    def _inspect_managed(self, run: Run) -> Inspection:
        """Look at a managed hook only: its Python is kept from importing a project's files."""
        return self._inspect(run) if run.spec.origin.scope == MANAGED else NO_FILES

    def _find_guest(
        self, run: Run, inspection: Inspection, owner: Owner
    ) -> tuple[Owner, tuple[InspectedFile, ...]] | None:
        """Return the project of which an own hook would run files, and these; None if it runs none."""
        for folder in dict.fromkeys((self.root, run.event.cwd)):
            project = self.find_project(folder) if folder else None
            if project is None or project.holds(owner.label):
                continue
            files = list_files_within(inspection, project.work_tree)
            if files:
                return project.owner, files
        return None

    def find_project(self, folder: str) -> Project | None:
        """Return the project of a folder; None where there is none."""
        if folder == self.root:
            return self.project
        if folder not in self._projects:
            if len(self._projects) >= _MOST_FOLDERS:
                self._projects.clear()
            self._projects[folder] = find_project(folder, self._environ)
        return self._projects[folder]

    def find_definition(self, spec: HookSpec) -> str:
        """Return the digest of what a hook does."""
        known = self._definitions.get(spec.id)
        if known is None or known[0] is not spec:
            folders = find_owner(spec, self.project).folders
            known = self._definitions[spec.id] = (spec, digest_definition(spec, folders))
        return known[1]

    def is_managed(self, spec: HookSpec) -> bool:
        """Whether a hook is managed policy: only root can have written its file."""
        if spec.origin.scope != MANAGED:
            return False
        file = spec.origin.file
        if file not in self._managed:
            self._managed[file] = is_of_root(file)
        return self._managed[file]


def list_differences(approved: Approval, inspection: Inspection) -> list[str]:
    """Return how the files differ from those that were approved, in words."""
    before = {
        key: (digest, executable, writable) for key, digest, executable, writable in approved.files
    }
    told = []
    for file in inspection.files:
        now = (file.sha256, file.is_executable, file.is_writable_by_all)
        was = before.pop(file.key, None)
        if was is None:
            told.append(f"`{file.key}` is new")
        elif file.problem:
            told.append(f"`{file.key}` is {file.problem}")
        elif was[0] != now[0]:
            told.append(f"`{file.key}` changed")
        elif was[1] != now[1]:
            told.append(
                f"`{file.key}` is {'executable now' if now[1] else 'not executable any more'}"
            )
        elif was[2] != now[2]:
            told.append(
                f"`{file.key}` is {'writable' if now[2] else 'not writable'} by all users now"
            )
    return told + [f"`{key}` is gone" for key in before]


def is_of_root(file: str) -> bool:
    """Whether only root may change a file and the folder that it lies in."""
    try:
        found = [os.stat(path) for path in (file, os.path.dirname(real_path(file)))]
    except OSError:
        return False
    others = stat.S_IWGRP | stat.S_IWOTH
    return all(each.st_uid == 0 and not each.st_mode & others for each in found)
