"""`hookline doctor`: every hook tried on a harmless event, as a host would ask it, and what is wrong with it."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from typing import Annotated

from hookline.cli import flags, words
from hookline.cli.ending import FINDINGS, OK, tell
from hookline.cli.paint import present
from hookline.config.agent_hosts import require_person
from hookline.engine.doctor.checkup import SECONDS, check, in_common
from hookline.engine.doctor.finding import Finding
from hookline.engine.journaling import journal_folder
from hookline.errors import HookError
from hookline.journal.search import Search
from hookline.server.no_token_marker import list_unprotected_servers
from hookline.trust.policy import APPROVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from hookline.cli.paint import Paint
    from hookline.engine.doctor.checkup import Checkup
    from hookline.engine.engine import Engine
    from hookline.model.problem import Problem

_Fix = Annotated[
    bool,
    flags.option("--fix", help="mend what can be mended safely: the modes of files that are yours"),
]
_Seconds = Annotated[
    float, flags.option("--seconds", metavar="S", min=0.1, help="for one hook, at most")
]
_Models = Annotated[
    bool, flags.option("--models", help="ask language models too, which costs what a call costs")
]


@flags.selecting
def doctor(
    *,
    selection: flags.Selection,
    fix: _Fix = False,
    seconds: _Seconds = SECONDS,
    models: _Models = False,
    json: flags.Json = False,
    color: flags.Color = "auto",
) -> int:
    """Every hook tried on a harmless event, and what is wrong with it.

    Nothing that is not approved is run; to name a file is consent.
    """
    if fix:
        require_person(os.environ, "hookline doctor --fix")
    with (
        selection.engine(sessions=selection.sessions(os.environ)) as engine,
        _history(os.environ) as history,
    ):
        found = _checked(engine, history, seconds, models=models)
        fixed = [done for problem in found.all_findings if (done := mended(problem))] if fix else []
        if fixed:
            found = _checked(engine, history, seconds, models=models)
    document = found.to_dict() | ({"fixed": fixed} if fix else {})
    present(document, _page, json=json, color=color)
    tell(_summary(found))
    return FINDINGS if document["errors"] else OK


def _checked(engine: Engine, history: Search | None, seconds: float, *, models: bool) -> Checkup:
    """What the hooks say, and the servers that run beside them."""
    found = check(engine, history=history, seconds=seconds, models=models)
    return found.replace(findings=(*found.findings, *list_unprotected_servers(os.environ)))


def _summary(found: Checkup) -> str:
    asked = sum(one.verdict is not None for one in found.hooks)
    errors = sum(each.severity == "error" for each in found.all_findings)
    warnings = len(found.all_findings) - errors
    told = f"{words.counted(len(found.hooks), 'hook')}, {asked} asked"
    return f"{told}: {words.counted(errors, 'error')}, {words.counted(warnings, 'warning')}"


@contextmanager
def _history(environ: Mapping[str, str]) -> Iterator[Search | None]:
    """What the journal knows; None where there is none, or where it cannot be read, which is told."""
    try:
        folder = journal_folder(environ)
        search = Search(folder) if os.path.isdir(folder) else None
    except HookError as error:
        if not getattr(
            error, "place", ""
        ):  # wrong settings are told where the checkup ends by them
            tell(f"{error.code} {error}")
        search = None
    yield search


# -- mending -------------------------------------------------------------------------------------------------------------


def mended(problem: Problem) -> str:
    """Mend what a finding names, where that is safe, and say what was done; empty where nothing was.

    Safe is what leaves the bytes of a file alone, only of this user's own file, and of a hook that may run.
    """
    mend = _MENDS.get(problem.name)
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
        ):  # another hook runs the same file, and it was mended for that one
            return ""
        os.fchmod(fd, mode)
    except OSError:
        return ""
    finally:
        os.close(fd)
    return f"chmod {mode:o} {path}"


def _executable(mode: int) -> int:
    """Whoever may read it may run it."""
    return mode | (mode & 0o444) >> 2


def _private(mode: int) -> int:
    return mode & ~(stat.S_IWGRP | stat.S_IWOTH)


_MENDS: Mapping[str, Callable[[int], int]] = {
    "check.not-executable": _executable,
    "check.exposed": _private,
}


# -- for people ----------------------------------------------------------------------------------------------------------


def _page(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Hook by hook: whether it answered, and each finding below it; what is warned of in common stands at the end."""
    common, unread = in_common(document), _unread(document["hooks"])
    for hook in document["hooks"]:
        more = unread.get(hook["hook"])
        if more is None:
            continue
        events = (
            f"{hook['native_event']} and {words.counted(more, 'other event')}"
            if more
            else hook["native_event"]
        )
        yield f"{_mark(hook, paint)} {paint('name', hook['hook'])}  {events}, {_told(hook)}"
        yield from (
            f"    {_line(finding, paint)}"
            for finding in hook["findings"]
            if _words(finding) not in common
        )
    yield from (_line(finding, paint) for finding in document["findings"])
    for (code, message, hint), hooks in common.items():
        yield f"{paint('warning', code)} {len(hooks)} hooks: {message}{f' ({hint})' if hint else ''}: {', '.join(hooks)}"
    yield from (f"fixed: {done}" for done in document.get("fixed", ()))


def _unread(hooks: list[dict[str, Any]]) -> dict[str, int]:
    """The hooks to show, and on how many other events each stands: a file that cannot be read is broken on many for one reason."""
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


def _mark(hook: dict[str, Any], paint: Paint) -> str:
    if any(finding["severity"] == "error" for finding in hook["findings"]):
        return paint("bad", "✗")
    if hook["findings"]:
        return paint("warning", "!")
    return paint("good", "✓") if hook["asked"] else paint("dim", "-")


def _told(hook: dict[str, Any]) -> str:
    if not hook["asked"]:
        return "not asked" if hook["state"] == APPROVED else f"not asked ({hook['state']})"
    return f"{hook['stance']} after {words.duration(hook['seconds'])}"


def _words(finding: dict[str, Any]) -> tuple[str, str, str]:
    return finding["code"], finding["message"], finding["hint"]


def _line(finding: dict[str, Any], paint: Paint) -> str:
    code = paint("bad" if finding["severity"] == "error" else "warning", finding["code"])
    place = (
        ":".join(str(part) for part in (finding["file"], finding["line"]) if part)
        if not finding["hook"]
        else ""
    )
    hint = f" ({finding['hint']})" if finding["hint"] else ""
    return f"{f'{place}: ' if place else ''}{code} {finding['message']}{hint}"
