"""Makes the gate of a user from their store and their settings; loaded when a hook needs it."""

from __future__ import annotations

import os

from hookline.config.places import project_path
from hookline.config.settings import read_settings
from hookline.core.dispatch import Run
from hookline.engine.catalog import make_dialect
from hookline.errors import HandlerError
from hookline.handlers.command import build_program
from hookline.model.spec import MANAGED, USER, Command, HookSpec, Problem
from hookline.paths import state_folder
from hookline.trust.gate import Gate
from hookline.trust.inspection import NO_FILES, Inspection, StartedCommand
from hookline.trust.inspector import inspect_command
from hookline.trust.owner import find_owner, find_project
from hookline.trust.state import Policy
from hookline.trust.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.model.event import Event
    from hookline.trust.state import Inspect

    WriteRecord = Callable[[dict[str, Any]], object]


def make_gate(
    root: str | os.PathLike[str] = ".",
    environ: Mapping[str, str] | None = None,
    *,
    write_record: WriteRecord | None = None,
    policy: Policy | None = None,
    problems: tuple[Problem, ...] = (),
) -> Gate:
    """Return the gate of a user, by their store and their settings.

    Args:
        root: the folder of the project.
        environ: where home and configuration are found; the process's own if None.
        write_record: is given a record of each approval, revocation and switch.
        policy: counts instead of the settings.
        problems: what the user reads with the first answer of a session.

    Raises:
        ConfigError: the settings are wrong.
    """
    given = os.environ if environ is None else environ
    if policy is None:
        chosen = read_settings(given).get("trust", {})
        policy = Policy(**{name: chosen[name] for name in Policy.__fields__ if name in chosen})
    folder = state_folder(given)
    return Gate(
        Store(folder, write_record=write_record), policy,
        _make_inspect(f"{folder}/cache", given), root=os.fspath(root), environ=given,
        needs_consent=_needs_consent, locate=project_path, problems=problems,
    )  # fmt: skip


def _make_inspect(cache: str, environ: Mapping[str, str]) -> Inspect:
    """Return the function that looks at the files which a run of a command would execute."""

    def inspect(run: Run, root: str) -> Inspection:
        spec, event, handler = run.spec, run.event, run.spec.handler
        if type(handler) is not Command:
            return NO_FILES
        try:
            started = build_program(
                handler, event, "", timeout=spec.timeout, cookie="", environ=environ
            )
        except HandlerError as error:
            return NO_FILES.replace(missing_program=str(error))
        is_script = bool(handler.script)
        command = StartedCommand(
            text=started.argv[-1] if is_script else "",
            argv=() if is_script else started.argv,
            cwd=started.cwd or event.cwd or os.getcwd(),
            root=root,
            variables=started.env,
            listed=spec.files,
            is_shielded=spec.origin.scope in (USER, MANAGED),
        )
        return inspect_command(command, cache)

    return inspect


def inspect_once(spec: HookSpec, event: Event, environ: Mapping[str, str], root: str) -> Inspection:
    """Return the files that a hook would execute, without a gate and without a cache."""
    owner = find_owner(spec, find_project(root, environ))
    return _make_inspect("", environ)(Run(spec=spec, event=event), owner.root)


def _needs_consent(dialect: str) -> bool:

    return make_dialect(dialect).table.approvals
