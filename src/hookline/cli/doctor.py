"""`hookline doctor`: tries every hook on a harmless event, and prints its problems."""

from __future__ import annotations

import os
import stat
import sys
import time
from contextlib import suppress

from hookline.bridges.detect import find_hosts
from hookline.bridges.status import find_long_hooks
from hookline.cli.layout import cut_text, find_width
from hookline.cli.options import Selection, option
from hookline.cli.output import (
    FINDINGS,
    OK,
    Paint,
    Printer,
    count_problems,
    count_things,
    format_duration,
    format_problem,
    print_message,
)
from hookline.cli.status import find_statuses
from hookline.config.agent_hosts import require_person
from hookline.engine.doctor.checkup import SECONDS, run_checkup
from hookline.engine.doctor.static_checks import Finding
from hookline.engine.journaling import find_journal_folder
from hookline.engine.loader import list_hooks
from hookline.journal.search import Search
from hookline.text.terminal_escape import escape_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from hookline.cli.output import Document
    from hookline.model.spec import HookSpec, Problem

_NAMED = 3  # hooks that a line names; --json has all
_LONG = 60.0  # seconds; a checkup that may take longer says so first


def doctor(
    selection: Selection,
    printer: Printer,
    *,
    fix: bool = option("--fix", "repair what is safe to repair: the modes of your files"),
    seconds: float = option(
        "--seconds S", "give each hook at most so many seconds", default=SECONDS, least=0.1
    ),
    models: bool = option(
        "--models", "run hooks that ask a language model too; each call costs money"
    ),
) -> int:
    """Every hook tried on a harmless event, and what is wrong with it.

    Nothing that is not approved is run; to name a file is consent.
    """
    if fix:
        require_person(os.environ, "hookline doctor --fix")
    folder = find_journal_folder(os.environ)
    history = Search(folder) if os.path.isdir(folder) else None
    progress = Progress(seconds)
    with selection.engine(sessions=selection.sessions()) as engine:
        hosts = {host.name: host.dialect for host in find_hosts(os.environ)}
        how: dict[str, Any] = {
            "history": history, "seconds": seconds, "models": models, "hosts": hosts,
        }  # fmt: skip
        found = run_checkup(engine, **how, watch=progress.show)
        fixed = [done for each in found.all_findings if fix and (done := fix_finding(each))]
        if fixed:
            found = run_checkup(engine, **how, watch=progress.show)
        progress.clear()
    if not selection.configs:
        specs = list(list_hooks(engine.snapshot))
        hosts_found = _list_host_problems(selection, specs)
        found = found.replace(findings=(*found.findings, *hosts_found))
    document = found.to_dict() | ({"fixed": fixed} if fix else {})
    printer.print(document, _render_checkup)
    print_message(_summarize(document))
    return FINDINGS if document["errors"] else OK


def _list_host_problems(selection: Selection, specs: list[HookSpec]) -> list[Problem]:
    """Return what is wrong with hosts that hookline is installed into."""
    statuses = find_statuses(selection, [], now=time.time(), versions=False)
    return [
        problem
        for each in statuses
        if each.scopes or each.problems
        for problem in (*each.problems, *find_long_hooks(each.host, specs))
    ]


class Progress:
    """Says on a terminal which hook runs; says first if all of them may take long."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.has_warned = False
        self.is_terminal = sys.stderr is not None and sys.stderr.isatty()

    def show(self, planned: Sequence[HookSpec], number: int) -> None:
        """Print the hook that runs next."""
        limits = [min(spec.timeout, self.seconds) for spec in planned]
        if sum(limits) > _LONG and not self.has_warned:
            print_message(
                f"running {count_things(len(planned), 'hook')} on harmless events, for up to "
                f"{sum(limits):g} s (at most {self.seconds:g} s a hook; --seconds S changes that)"
            )
            self.has_warned = True
        if self.is_terminal:
            name = escape_text(planned[number].id)
            text = f"[{number + 1}/{len(planned)}] {name}, up to {limits[number]:g} s"
            sys.stderr.write(f"\r\x1b[K{cut_text(text, (find_width() or 80) - 1)}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Remove the line of progress."""
        if self.is_terminal:
            sys.stderr.write("\r\x1b[K")


def fix_finding(problem: Problem) -> str:
    """Fix a finding if that is safe, and return what was done; empty if nothing was.

    A fix is safe if it changes only the mode, of a file that this user owns.
    """
    path = problem.path if isinstance(problem, Finding) else ""
    with suppress(OSError):
        found = os.lstat(path)
        mode = old = stat.S_IMODE(found.st_mode)
        if problem.name == "check.not-executable":
            mode = old | (old & 0o444) >> 2  # users who may read it may execute it
        elif problem.name == "check.exposed":
            mode = old & ~(stat.S_IWGRP | stat.S_IWOTH)
        is_own = found.st_uid == os.geteuid() and stat.S_ISREG(found.st_mode)
        if is_own and mode != old:
            os.chmod(path, mode)
            return f"chmod {mode:o} {path}"
    return ""


# -- for people ----------------------------------------------------------------------------------


def _render_checkup(document: Document, paint: Paint) -> Iterator[str]:
    """Yield each finding with its remedy on a line, behind the hooks that have it."""
    for found in _group_findings(document):
        names = [name for name, _ in found]
        others = len(names) - _NAMED
        more = f" and {count_things(others, 'other hook')}" if others > 0 else ""
        hooks = f"{paint('name', ', '.join(names[:_NAMED]))}{more}: " if names[0] else ""
        yield hooks + format_problem(found[0][1], paint, with_place=not names[0])
    yield from (f"fixed: {done}" for done in document.get("fixed", ()))


def _group_findings(document: Document) -> list[list[tuple[str, Document]]]:
    """Return the hook and the finding of each line: what several hooks share is on one."""
    lines: dict[tuple[str, ...], list[tuple[str, Document]]] = {}
    for hook in document["hooks"]:
        for each in hook["findings"]:
            key = each["severity"], each["code"], each["message"], each["hint"]
            lines.setdefault(key, []).append((hook["hook"], each))
    others = [[(each["hook"], each)] for each in document["findings"]]
    return [*lines.values(), *others]


def _summarize(document: Document) -> str:
    """Return how many hooks there are and ran, the slowest, and the number of findings."""
    hooks = document["hooks"]
    ran = [hook for hook in hooks if hook["asked"]]
    text = f"{count_things(len(hooks), 'hook')}, {len(ran)} ran"
    if ran:
        slowest = max(ran, key=lambda hook: hook["seconds"])
        text += f", the slowest in {format_duration(slowest['seconds'])} ({slowest['hook']})"
    severities = [found[0][1]["severity"] for found in _group_findings(document)]
    counts = {f"{name}s": severities.count(name) for name in ("error", "warning")}
    return f"{text}: {count_problems(counts)}"
