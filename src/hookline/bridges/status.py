"""Status: whether each host on this machine calls hookline, by its files and by the journal."""

from __future__ import annotations

import os
from datetime import datetime
from glob import iglob
from statistics import median

from hookline.bridges.codex_trust import is_untrusted
from hookline.bridges.detect import find_version, is_present
from hookline.bridges.entry import SPARE
from hookline.bridges.hosts import HOSTS
from hookline.bridges.install import (
    find_installation_time,
    is_installed,
    may_be_installed,
    plan_install,
)
from hookline.bridges.off_switches import find_off_switches
from hookline.errors import ConfigError
from hookline.journal.records import format_time
from hookline.journal.search import Query
from hookline.model.frozen import Frozen
from hookline.model.spec import Origin, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hookline.bridges.entry import Call
    from hookline.bridges.hosts import Host
    from hookline.journal.search import Search
    from hookline.model.spec import HookSpec

_REFUSALS = ("deny", "halt")


class HostStatus(Frozen):
    """How it stands with one host.

    `scopes`: where hookline is installed, of "user" and "project". `last`: the time of the newest
    event, in seconds since 1970; None without one. `events` and `refusals` are those of today.
    `latency`: the median seconds that the host waited today. `has_run`: whether the host ran since
    hookline was installed; None where that cannot be told.
    """

    host: Host
    version: str = ""
    scopes: tuple[str, ...] = ()
    last: float | None = None
    events: int = 0
    refusals: int = 0
    latency: float | None = None
    has_run: bool | None = None
    problems: tuple[Problem, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the host as `hookline.status/1` has it."""
        return {
            "host": self.host.name,
            "title": self.host.title,
            "version": self.version,
            "verified": self.host.verified,
            "installed": list(self.scopes),
            "last_event": None if self.last is None else format_time(self.last),
            "events_today": self.events,
            "refusals_today": self.refusals,
            "median_seconds": self.latency,
            "has_run_since": self.has_run,
            "problems": [problem.to_dict() for problem in self.problems],
        }


def find_status(
    host: Host,
    call: Call,
    environ: Mapping[str, str],
    *,
    project: str,
    search: Search | None,
    now: float,
    versions: bool = True,
) -> HostStatus:
    """Return the status of a host, whether it is on this machine or not.

    `project`: the folder whose files count beside the user's. `search`: the journal, if there is
    one. `versions`: ask the host's program for its version.
    """
    problems: list[Problem] = []
    scopes: list[str] = []
    for scope, folder in (("user", ""), ("project", project)):
        if folder and not _has_own_file(host, environ, folder):
            continue
        try:
            if is_installed(host, environ, folder):
                scopes.append(scope)
                problems += _list_outdated(host, call, environ, folder)
        except ConfigError as error:
            if may_be_installed(host, environ, folder):
                problems.append(_make_unreadable(host, error))
    today = _list_today(host, search, now)
    seconds = [each["waited"] for each in today if isinstance(each.get("waited"), int | float)]
    last = _find_last(host, search)
    since = max(find_installation_time(host, environ, folder) for folder in ("", project))
    has_run = _has_run(host, environ, since) if scopes and since else None
    if scopes:
        files = [host.find_file(environ, project if each == "project" else "") for each in scopes]
        problems += _list_skipped(host, environ, project or os.getcwd(), files, asks=versions)
    if has_run and (last is None or last < since):
        problems.append(_make_silent(host, environ))
    return HostStatus(
        host=host,
        version=find_version(host, environ) if versions else "",
        scopes=tuple(scopes),
        last=last,
        events=len(today),
        refusals=sum(each.get("stance") in _REFUSALS for each in today),
        latency=median(seconds) if seconds else None,
        has_run=has_run,
        problems=tuple(problems),
    )


def list_statuses(environ: Mapping[str, str], call: Call, **given: Any) -> Iterator[HostStatus]:
    """Yield the status of each host that is on this machine, or that hookline is installed into."""
    for host in HOSTS.values():
        found = find_status(host, call, environ, **given)
        if found.scopes or is_present(host, environ):
            yield found


def _has_own_file(host: Host, environ: Mapping[str, str], project: str) -> bool:
    """Return whether a project has a file of its own for a host; your home as project has none."""
    own, yours = host.find_file(environ, project), host.find_file(environ)
    return bool(own) and os.path.realpath(own) != os.path.realpath(yours)


def _list_today(host: Host, search: Search | None, now: float) -> list[dict[str, Any]]:
    """Return the events of a host since midnight."""
    if search is None:
        return []
    midnight = datetime.fromtimestamp(now).astimezone().replace(hour=0, minute=0, second=0)
    since = format_time(midnight.timestamp())
    return [each for each in search.events(_make_query(host, since)) if each.get("stance")]


def _make_query(host: Host, since: str = "") -> Query:
    return Query(dialect=host.dialect, guest=host.name if host.is_guest else "", since=since)


def _find_last(host: Host, search: Search | None) -> float | None:
    """Return the time of the newest event of a host."""
    found = search.latest(_make_query(host)) if search else None
    return datetime.fromisoformat(found["at"]).timestamp() if found else None


def _has_run(host: Host, environ: Mapping[str, str], since: float) -> bool | None:
    """Return whether a session of a host was written since a time; None if that is not known."""
    if not host.sessions:
        return None
    files = iglob(os.path.join(host.find_folder(environ), host.sessions))
    return any(os.path.getmtime(file) > since for file in files if os.path.exists(file))


def find_long_hooks(host: Host, specs: Iterable[HookSpec]) -> Iterator[Problem]:
    """Yield a warning for each hook with a limit beyond the host's maximum for an entry."""
    for spec in specs:
        if host.longest and spec.dialect != host.dialect and spec.timeout + SPARE > host.longest:
            yield Problem.warning(
                "install.limit",
                f"its limit is {spec.timeout:g} s, and {host.title} ends hookline after"
                f" {host.longest} s",
                hint=f"give it at most {host.longest - SPARE} s",
                origin=spec.origin,
                hook=spec.id,
            )


# -- problems ------------------------------------------------------------------------------------


def _list_outdated(
    host: Host, call: Call, environ: Mapping[str, str], project: str
) -> Iterator[Problem]:
    plan = plan_install(host, call, environ, project)
    if plan.changes:
        option = " --project" if project else ""
        yield Problem(
            name="install.outdated",
            message=f"the entries for {host.title} are not those that hookline would write now",
            hint=f"hookline install {host.name}{option}",
            severity="warning",
            origin=Origin(file=plan.changes[0].path),
        )


def _list_skipped(
    host: Host, environ: Mapping[str, str], project: str, files: Sequence[str], *, asks: bool
) -> Iterator[Problem]:
    """Yield why a host does not run the entries that its files have.

    `asks`: start its program for it.
    """
    for reason in find_off_switches(host, environ, project):
        yield Problem(
            name="install.off",
            message=f"{host.title} does not run hookline: {reason}",
            hint="remove that setting",
            origin=Origin(file=files[0]),
        )
    skipped = [
        file
        for file in files
        if host.needs_trust and asks and is_untrusted(host, environ, project, file)
    ]
    for file in skipped:
        yield Problem(
            name="install.trust",
            message=f"{host.title} skips the entries of hookline, because it does not trust them",
            hint=f"hookline install {host.name}",
            origin=Origin(file=file),
        )


def _make_unreadable(host: Host, error: ConfigError) -> Problem:
    return Problem(
        name=error.name,
        message=f"{host.title}: {error.message}",
        hint=error.hint,
        origin=Origin(file=str(error.place or "")),
    )


def _make_silent(host: Host, environ: Mapping[str, str]) -> Problem:
    return Problem(
        name="install.silent",
        message=f"{host.title} ran since hookline was installed, and did not call it",
        hint=f"restart its sessions; if it stays so: hookline install {host.name} --diff",
        origin=Origin(file=host.find_file(environ)),
    )
