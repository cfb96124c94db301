"""Finds hosts that call hookline from their own hook files, and run the other hooks of these files.

Hooks left to a host are not asked here, so only a hook that would run counts as a call: never a
hook of a clone without approval. Policy stays, unless policy itself calls. A hook that only has the
words of a call counts as one; its host runs its own hooks anyway.
"""

from __future__ import annotations

import re

from hookline.config.places import is_taken_over
from hookline.engine.host_calls import is_call, read_command
from hookline.errors import HookError
from hookline.model.spec import MANAGED, HookSpec, Problem
from hookline.trust.state import APPROVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.engine.engine import Engine


_BY_MODULE = r"\bpython[\d.]*((?:\s+-\S+)*)\s+-m\s+hookline\b"


def list_integrated_hosts(engine: Engine) -> dict[str, bool]:
    """Return the dialects whose hosts call hookline from their files, and whether policy does."""
    found: dict[str, bool] = {}
    for spec in _list_calls(engine):
        if _counts(engine, spec):
            found[spec.dialect] = found.get(spec.dialect, False) or spec.origin.scope == MANAGED
    return found


def leave_to_host(engine: Engine, host: str) -> tuple[Problem, ...]:
    """Drop the hooks that this host runs itself.

    Return the problems of calls that are not approved.
    """
    calls = [spec for spec in _list_calls(engine) if spec.dialect == host]
    counting = [spec for spec in calls if _counts(engine, spec)]
    if counting:
        is_policy = any(spec.origin.scope == MANAGED for spec in counting)
        engine.loader.drop_dialect(host, managed=is_policy)
        return ()
    return tuple(map(_warn_unapproved, calls))


def _warn_unapproved(spec: HookSpec) -> Problem:
    message = (
        f"`{spec.id}` would have hookline answer {spec.dialect}. You have not approved it,"
        f" so hookline also runs the hooks of {spec.dialect}"
    )
    return _warn(spec, "trust.unapproved-caller", message, "look at it, then: hookline approve")


def list_call_problems(engine: Engine) -> Iterator[Problem]:
    """Yield a warning for each call that does not count, and for each host with hooks of its own.

    The host runs these itself: without limits, approval or journal of hookline.
    """
    hosts = list_integrated_hosts(engine)
    calls = list(_list_calls(engine))
    for spec in calls:
        host = spec.dialect
        if host not in hosts:
            yield _warn_unapproved(spec)
        elif _has_open_start(spec):
            message = (
                f"`{spec.id}` starts hookline by `python -m`, which looks for modules"
                " in the folder where the agent is before all others"
            )
            yield _warn(spec, "trust.open-start", message, f"python -I -m hookline answer {host}")
    for host, first in {spec.dialect: spec for spec in reversed(calls)}.items():
        left = [
            entry.spec
            for entry in engine.snapshot.whole.entries()
            if entry.spec.dialect == host
            and not is_call(entry.spec)
            and not is_taken_over(entry.spec.origin.file)
            and (hosts.get(host) or entry.spec.origin.scope != MANAGED)
        ]
        if host in hosts and left:
            count = f"{len(left)} other hook{'' if len(left) == 1 else 's'}"
            message = (
                f"`{first.id}` has hookline answer {host}, which runs {count} of its files"
                " by itself, so hookline does not run them"
            )
            yield _warn(first, "trust.left-to-host", message)


def _warn(spec: HookSpec, name: str, message: str, hint: str = "") -> Problem:
    return Problem.warning(name, message, hint, origin=spec.origin, hook=spec.id)


def _has_open_start(spec: HookSpec) -> bool:
    """Whether a call lets Python import hookline from the folder in which it starts."""
    found = re.findall(_BY_MODULE, read_command(spec))
    return any(not re.search(r"(?<!\S)-[A-Za-z]*[IP]", flags) for flags in found)


def _counts(engine: Engine, spec: HookSpec) -> bool:
    """Whether a hook would run: by its file, or because it is approved as it is now."""
    gate = engine.runtime.gate
    if spec.trusted or gate is None:
        return spec.trusted
    try:
        return all(state.state == APPROVED for state in gate.get().find_states([spec]))
    except HookError:  # what cannot be looked up is not approved
        return False


def _list_calls(engine: Engine) -> Iterator[HookSpec]:
    for entry in engine.snapshot.whole.entries():
        if is_call(entry.spec):
            yield entry.spec
