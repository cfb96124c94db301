"""`hookline doctor`: tries every hook on a harmless event as its host would, and prints its problems."""

from __future__ import annotations

import os
import stat

from hookline.cli.exit_codes import FINDINGS, OK, print_message
from hookline.cli.options import COLOR, JSON, option
from hookline.cli.pages import (
    count_problems,
    count_things,
    format_duration,
    format_problem,
    print_page,
)
from hookline.config.agent_hosts import require_person
from hookline.engine.doctor.checkup import SECONDS, group_warnings, run_checkup
from hookline.engine.doctor.finding import Finding
from hookline.engine.journaling import find_journal_folder
from hookline.errors import HookError
from hookline.journal.search import Search
from hookline.server.no_token_marker import list_unprotected_servers
from hookline.trust.policy import APPROVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from hookline.cli.pages import Paint
    from hookline.cli.selection import Selection
    from hookline.model.problem import Problem


def doctor(
    selection: Selection,
    *,
    fix: bool = option(
        "--fix", help="mend what can be mended safely: the modes of files that are yours"
    ),
    seconds: float = option(
        "--seconds",
        metavar="S",
        least=0.1,
        help="for one hook, at most",
        kind=float,
        default=SECONDS,
    ),
    models: bool = option(
        "--models", help="ask language models too, which costs what a call costs"
    ),
    json: bool = JSON,
    color: str = COLOR,
) -> int:
    """Every hook tried on a harmless event, and what is wrong with it.

    Nothing that is not approved is run; to name a file is consent.
    """
    if fix:
        require_person(os.environ, "hookline doctor --fix")
    history = _open_history()
    with selection.engine(sessions=selection.sessions(os.environ)) as engine:
        found = run_checkup(engine, history=history, seconds=seconds, models=models)
        fixed = [fix_finding(problem) for problem in found.all_findings] if fix else []
        fixed = [done for done in fixed if done]
        if fixed:
            found = run_checkup(engine, history=history, seconds=seconds, models=models)
    found = found.replace(findings=(*found.findings, *list_unprotected_servers(os.environ)))
    document = found.to_dict() | ({"fixed": fixed} if fix else {})
    print_page(document, _render_checkup, json=json, color=color)
    hooks = count_things(len(document["hooks"]), "hook")
    asked = sum(hook["asked"] for hook in document["hooks"])
    print_message(f"{hooks}, {asked} asked: {count_problems(document)}")
    return FINDINGS if document["errors"] else OK


def _open_history() -> Search | None:
    """Open the journal; None if there is none, or if it cannot be read, which is printed."""
    try:
        folder = find_journal_folder(os.environ)
        return Search(folder) if os.path.isdir(folder) else None
    except HookError as error:
        if not getattr(error, "place", ""):  # the checkup itself reports wrong settings
            print_message(f"{error.code} {error}")
        return None


# -- mending -------------------------------------------------------------------------------------------------------------


def fix_finding(problem: Problem) -> str:
    """Fix a finding if that is safe, and return what was done; empty if nothing was.

    A fix is safe if it changes only the mode, of a file that this user owns, of a hook that may
    run.
    """
    mend = _FIXES.get(problem.name)
    path = problem.path if isinstance(problem, Finding) else ""
    if mend is None or not path:
        return ""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        found = os.fstat(fd)
        if found.st_uid != os.geteuid() or not stat.S_ISREG(found.st_mode):
            return ""
        mode = mend(stat.S_IMODE(found.st_mode))
        if mode == stat.S_IMODE(
            found.st_mode
        ):  # it was fixed for another hook that runs the same file
            return ""
        os.fchmod(fd, mode)
    except OSError:
        return ""
    finally:
        os.close(fd)
    return f"chmod {mode:o} {path}"


def _make_executable(mode: int) -> int:
    """Add the right to execute for each right to read."""
    return mode | (mode & 0o444) >> 2


def _make_private(mode: int) -> int:
    return mode & ~(stat.S_IWGRP | stat.S_IWOTH)


_FIXES: Mapping[str, Callable[[int], int]] = {
    "check.not-executable": _make_executable,
    "check.exposed": _make_private,
}


# -- for people ----------------------------------------------------------------------------------------------------------


def _render_checkup(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield each hook with its answer and findings; warnings that several hooks share come last."""
    shared = group_warnings(document)
    others = _count_other_events(document["hooks"])
    for hook in document["hooks"]:
        if hook["hook"] not in others:
            continue
        count = others[hook["hook"]]
        events = hook["native_event"]
        events += f" and {count_things(count, 'other event')}" if count else ""
        yield f"{_format_mark(hook, paint)} {paint('name', hook['hook'])}  {events}, {_describe_answer(hook)}"
        for each in hook["findings"]:
            if (each["code"], each["message"], each["hint"]) not in shared:
                yield f"    {format_problem(each, paint, with_place=False)}"
    for each in document["findings"]:
        yield format_problem(each, paint, with_place=not each["hook"])
    for (code, message, hint), hooks in shared.items():
        yield f"{paint('warning', code)} {len(hooks)} hooks: {message}{f' ({hint})' if hint else ''}: {', '.join(hooks)}"
    yield from (f"fixed: {done}" for done in document.get("fixed", ()))


def _count_other_events(hooks: list[dict[str, Any]]) -> dict[str, int]:
    """Return the hooks to show, each with its number of other events: an unreadable file is a hook of many."""
    files: dict[tuple[Any, ...], str] = {}
    others: dict[str, int] = {}
    for hook in hooks:
        shown = hook["hook"]
        for each in hook["findings"]:
            if each["name"] == "check.broken":
                shown = files.setdefault((each["file"], each["line"], each["message"]), shown)
        others[shown] = others.get(shown, -1) + 1
    return others


def _format_mark(hook: dict[str, Any], paint: Paint) -> str:
    if any(finding["severity"] == "error" for finding in hook["findings"]):
        return paint("bad", "✗")
    if hook["findings"]:
        return paint("warning", "!")
    return paint("good", "✓") if hook["asked"] else paint("dim", "-")


def _describe_answer(hook: dict[str, Any]) -> str:
    if not hook["asked"]:
        return "not asked" if hook["state"] == APPROVED else f"not asked ({hook['state']})"
    return f"{hook['stance']} after {format_duration(hook['seconds'])}"
