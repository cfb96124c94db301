"""`hookline doctor`: tries every hook on a harmless event as its host would, and prints its problems."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager

from hookline.cli.exit_codes import FINDINGS, OK, print_message
from hookline.cli.options import COLOR, JSON, option
from hookline.cli.pages import count_things, format_duration, print_page
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
    from hookline.engine.doctor.checkup import Checkup
    from hookline.engine.engine import Engine
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
    with (
        selection.engine(sessions=selection.sessions(os.environ)) as engine,
        _open_history(os.environ) as history,
    ):
        found = _run_checkup(engine, history, seconds, models=models)
        fixed = (
            [done for problem in found.all_findings if (done := fix_finding(problem))]
            if fix
            else []
        )
        if fixed:
            found = _run_checkup(engine, history, seconds, models=models)
    document = found.to_dict() | ({"fixed": fixed} if fix else {})
    print_page(document, _render_checkup, json=json, color=color)
    print_message(_summarize(found))
    return FINDINGS if document["errors"] else OK


def _run_checkup(
    engine: Engine, history: Search | None, seconds: float, *, models: bool
) -> Checkup:
    """Check the hooks, and list the servers that accept approvals without a token."""
    found = run_checkup(engine, history=history, seconds=seconds, models=models)
    return found.replace(findings=(*found.findings, *list_unprotected_servers(os.environ)))


def _summarize(found: Checkup) -> str:
    asked = sum(one.verdict is not None for one in found.hooks)
    errors = sum(each.severity == "error" for each in found.all_findings)
    warnings = len(found.all_findings) - errors
    told = f"{count_things(len(found.hooks), 'hook')}, {asked} asked"
    return f"{told}: {count_things(errors, 'error')}, {count_things(warnings, 'warning')}"


@contextmanager
def _open_history(environ: Mapping[str, str]) -> Iterator[Search | None]:
    """Open the journal; None if there is none, or if it cannot be read, which is printed."""
    try:
        folder = find_journal_folder(environ)
        search = Search(folder) if os.path.isdir(folder) else None
    except HookError as error:
        if not getattr(error, "place", ""):  # the checkup itself reports wrong settings
            print_message(f"{error.code} {error}")
        search = None
    yield search


# -- mending -------------------------------------------------------------------------------------------------------------


def fix_finding(problem: Problem) -> str:
    """Fix a finding if that is safe, and return what was done; empty if nothing was.

    A fix is safe if it changes only the mode, of a file that this user owns, of a hook that may run.
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
    common, unread = group_warnings(document), _count_shared_events(document["hooks"])
    for hook in document["hooks"]:
        more = unread.get(hook["hook"])
        if more is None:
            continue
        events = (
            f"{hook['native_event']} and {count_things(more, 'other event')}"
            if more
            else hook["native_event"]
        )
        yield f"{_format_mark(hook, paint)} {paint('name', hook['hook'])}  {events}, {_describe_answer(hook)}"
        yield from (
            f"    {_format_finding(finding, paint)}"
            for finding in hook["findings"]
            if _finding_key(finding) not in common
        )
    yield from (_format_finding(finding, paint) for finding in document["findings"])
    for (code, message, hint), hooks in common.items():
        yield f"{paint('warning', code)} {len(hooks)} hooks: {message}{f' ({hint})' if hint else ''}: {', '.join(hooks)}"
    yield from (f"fixed: {done}" for done in document.get("fixed", ()))


def _count_shared_events(hooks: list[dict[str, Any]]) -> dict[str, int]:
    """Return the hooks to show, each with its number of other events: an unreadable file counts as a hook of many."""
    first: dict[tuple[Any, ...], str] = {}
    shown: dict[str, int] = {}
    for hook in hooks:
        broken = next(
            (
                (each["file"], each["line"], each["message"])
                for each in hook["findings"]
                if each["name"] == "check.broken"
            ),
            None,
        )
        same = hook["hook"] if broken is None else first.setdefault(broken, hook["hook"])
        shown[same] = shown[same] + 1 if same in shown else 0
    return shown


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


def _finding_key(finding: dict[str, Any]) -> tuple[str, str, str]:
    return finding["code"], finding["message"], finding["hint"]


def _format_finding(finding: dict[str, Any], paint: Paint) -> str:
    code = paint("bad" if finding["severity"] == "error" else "warning", finding["code"])
    place = (
        ":".join(str(part) for part in (finding["file"], finding["line"]) if part)
        if not finding["hook"]
        else ""
    )
    hint = f" ({finding['hint']})" if finding["hint"] else ""
    return f"{f'{place}: ' if place else ''}{code} {finding['message']}{hint}"
