"""`hookline status`: a line for each host, with what it did last, and its problems."""

from __future__ import annotations

import os
import time
from datetime import datetime

from hookline.bridges.hosts import HOSTS
from hookline.bridges.status import find_status, list_statuses
from hookline.cli.install import HOSTS_ARGUMENT, choose_hosts, make_call
from hookline.cli.layout import fit_rows
from hookline.cli.options import FOLDER, Selection, option
from hookline.cli.output import FINDINGS, OK, Paint, Printer, format_duration, format_problem
from hookline.config.places import project_root
from hookline.engine.journaling import find_journal_folder
from hookline.journal.search import Search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.bridges.status import HostStatus
    from hookline.cli.output import Document

_HEAD = ("host", "version", "installed", "last event", "events today", "refused", "median")
_SPANS = ((86400, "d"), (3600, "h"), (60, "min"))


def status(
    printer: Printer,
    *,
    hosts: list[str] = HOSTS_ARGUMENT,
    folder: str = FOLDER,
    home: str = option("--home DIR", "your home, whatever the environment says", is_rare=True),
) -> int:
    """Whether each host on this machine calls hookline, and what it did last.

    Events and refusals are those of today.
    """
    selection = Selection(folder=folder, home=home)
    selection.enter_folder()
    now = time.time()
    found = find_statuses(selection, hosts, now=now)
    document = {
        "schema": "hookline.status/1",
        "now": datetime.fromtimestamp(now).astimezone().isoformat(timespec="seconds"),
        "hosts": [each.to_dict() for each in found],
    }
    printer.print(document, _render)
    is_missing = any(not each.scopes for each in found) if hosts else not found
    return FINDINGS if is_missing or any(each.problems for each in found) else OK


def find_statuses(
    selection: Selection, hosts: list[str], *, now: float, versions: bool = True
) -> list[HostStatus]:
    """Return the status of these hosts, or without a name of those on this machine."""
    folder = find_journal_folder(os.environ)
    call = make_call(selection)
    given: dict[str, Any] = {
        "project": project_root(".", os.environ) or os.getcwd(),
        "search": Search(folder) if os.path.isdir(folder) else None,
        "now": now,
        "versions": versions,
    }
    if hosts:
        return [find_status(host, call, os.environ, **given) for host in choose_hosts(hosts)]
    return list(list_statuses(os.environ, call, **given))


# -- for people ----------------------------------------------------------------------------------


def _render(document: Document, paint: Paint) -> Iterator[str]:
    hosts = document["hosts"]
    if not hosts:
        yield "no host was found on this machine"
        yield f"hookline knows {', '.join(HOSTS)}"
        return
    now = datetime.fromisoformat(document["now"])
    rows = [_HEAD, *(_make_row(host, now) for host in hosts)]
    for at, row in enumerate(fit_rows(rows)):
        line = "  ".join(row).rstrip()
        yield paint("dim", line) if not at else line
    for host in hosts:
        for problem in host["problems"]:
            yield format_problem(problem, paint)
        if not host["installed"]:
            yield f"{host['title']} does not call hookline: hookline install {host['host']}"


def _make_row(host: Document, now: datetime) -> tuple[str, ...]:
    """Return the cells of a host."""
    last = host["last_event"]
    ago = (
        f"{_format_span((now - datetime.fromisoformat(last)).total_seconds())} ago" if last else ""
    )
    latency = host["median_seconds"]
    return (
        host["title"],
        (host["version"] or "?") + ("" if host["verified"] else " (not verified)"),
        ", ".join(host["installed"]) or "no",
        ago or "never",
        str(host["events_today"]),
        str(host["refusals_today"]),
        format_duration(latency) if latency is not None else "",
    )


def _format_span(seconds: float) -> str:
    """Return how long a time is, in its largest unit."""
    for size, unit in _SPANS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{max(0, int(seconds))} s"
