"""`hookline doctor`: tries every hook on a harmless event, and prints its problems."""

from __future__ import annotations

import os
import stat
from collections import Counter
from contextlib import suppress

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
from hookline.config.agent_hosts import require_person
from hookline.engine.doctor.checkup import SECONDS, run_checkup
from hookline.engine.doctor.static_checks import Finding
from hookline.engine.journaling import find_journal_folder
from hookline.journal.search import Search
from hookline.trust.state import APPROVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.cli.output import Document
    from hookline.model.spec import Problem


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
    with selection.engine(sessions=selection.sessions()) as engine:
        found = run_checkup(engine, history=history, seconds=seconds, models=models)
        fixed = [done for each in found.all_findings if fix and (done := fix_finding(each))]
        if fixed:
            found = run_checkup(engine, history=history, seconds=seconds, models=models)
    document = found.to_dict() | ({"fixed": fixed} if fix else {})
    printer.print(document, _render_checkup)
    asked = sum(hook["asked"] for hook in document["hooks"])
    print_message(
        f"{count_things(len(document['hooks']), 'hook')}, {asked} asked: {count_problems(document)}"
    )
    return FINDINGS if document["errors"] else OK


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
    """Yield each hook with its answer and findings; what several hooks share comes last, once."""
    hooks = document["hooks"]
    lines = {
        hook["hook"]: [format_problem(each, paint, with_place=False) for each in hook["findings"]]
        for hook in hooks
    }
    count = Counter(line for found in lines.values() for line in found)
    shared: dict[str, list[str]] = {}
    others = _count_other_events(hooks)
    for hook in hooks:
        name = hook["hook"]
        for finding, line in zip(hook["findings"], lines[name], strict=True):
            if count[line] > 1 and finding["severity"] != "error":
                shared.setdefault(line, []).append(name)
        if name in others:
            events = hook["native_event"]
            if others[name]:
                events += f" and {count_things(others[name], 'other event')}"
            mark = _format_mark(hook, paint)
            yield f"{mark} {paint('name', name)}  {events}, {_describe_answer(hook)}"
            yield from (f"    {line}" for line in lines[name] if line not in shared)
    for each in document["findings"]:
        yield format_problem(each, paint, with_place=not each["hook"])
    for line, names in shared.items():
        yield f"{line}, of {len(names)} hooks: {', '.join(names)}"
    yield from (f"fixed: {done}" for done in document.get("fixed", ()))


def _count_other_events(hooks: list[Document]) -> dict[str, int]:
    """Return the hooks to show, each with its number of other events.

    An unreadable file is a broken hook of many events.
    """
    files: dict[tuple[Any, ...], str] = {}
    others: dict[str, int] = {}
    for hook in hooks:
        shown = hook["hook"]
        for each in hook["findings"]:
            if each["name"] == "check.broken":
                shown = files.setdefault((each["file"], each["line"], each["message"]), shown)
        others[shown] = others.get(shown, -1) + 1
    return others


def _format_mark(hook: Document, paint: Paint) -> str:
    if any(finding["severity"] == "error" for finding in hook["findings"]):
        return paint("bad", "✗")
    if hook["findings"]:
        return paint("warning", "!")
    return paint("good", "✓") if hook["asked"] else paint("dim", "-")


def _describe_answer(hook: Document) -> str:
    if not hook["asked"]:
        return "not asked" if hook["state"] == APPROVED else f"not asked ({hook['state']})"
    return f"{hook['stance']} after {format_duration(hook['seconds'])}"
