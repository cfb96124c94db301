"""`hookline approve` and `hookline revoke`: what a hook would run, shown to a person, who says yes or no."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Annotated

from hookline.cli import flags, offers, words
from hookline.cli.ending import FINDINGS, OK, tell
from hookline.cli.events import kind_of
from hookline.cli.paint import Paint, cleaned, coloured, present
from hookline.config.agent_hosts import require_person
from hookline.core.descriptions import describe_condition as wording
from hookline.engine.approval_service import (
    approve_states,
    describe_change,
    find_removed,
    find_statuses,
    find_store_problem,
    forget,
    gate_for,
    revoke_hooks,
)
from hookline.engine.doctor.soundness import unsound
from hookline.engine.journaling import journal_of
from hookline.engine.meaning import called, meant
from hookline.engine.shelf import all_hooks
from hookline.errors import ConfigError, TrustError
from hookline.model.handler import Broken
from hookline.trust.allowlist import import_allowlist
from hookline.trust.policy import APPROVED, CHANGED, NEW, REMOVED, REVOKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from hookline.engine.doctor.finding import Finding
    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec
    from hookline.trust.state import HookState
    from hookline.trust.store import Approval

_ASKED, _UNASKED, _ALONE = (
    "command line, a person said yes",
    "command line, --yes",
    "command line, --yes, nobody could be asked",
)
_YES, _NO, _QUIT = "yes", "no", "quit"
_STYLES: Mapping[str, str] = {
    APPROVED: "good",
    NEW: "warning",
    CHANGED: "bad",
    REVOKED: "bad",
    REMOVED: "bad",
}
_What = Annotated[
    str,
    flags.argument(
        metavar="HOOK|COMMAND|PATH",
        help="an id, what it runs or asks, a name, or a file that declares it or is run",
        autocompletion=offers.hooks,
    ),
]
_Revoked = Annotated[
    str,
    flags.argument(
        metavar="HOOK|COMMAND",
        help="an id, what it runs or asks, a name, or a file of it",
        autocompletion=offers.hooks,
    ),
]
_Event = Annotated[
    str,
    flags.option(
        "--event",
        metavar="EVENT",
        help="of one event only, canonical or as its host calls it",
        autocompletion=offers.events,
    ),
]
_All = Annotated[
    bool,
    flags.option(
        "--all", help="whatever is not approved, after one question; not what was revoked"
    ),
]
_Yes = Annotated[bool, flags.option("--yes", help="do not ask; the journal says so")]
_From = Annotated[
    str,
    flags.option(
        "--from", metavar="FILE", help="take over a list of approvals of Starchild or Hermes"
    ),
]
_DryRun = Annotated[bool, flags.option("-n", "--dry-run", help="only show it")]


@flags.selecting
def approve(
    *,
    selection: flags.Selection,
    what: _What = "",
    event: _Event = "",
    all_: _All = False,
    yes: _Yes = False,
    allowlist: _From = "",
    dry_run: _DryRun = False,
    json: flags.Json = False,
    color: flags.Color = "auto",
) -> int:
    """Let hooks run as they are now: a change of what they run needs another approval."""
    if not dry_run:
        require_person(os.environ, "hookline approve")
    with selection.engine(journal=journal_of(os.environ, tell)) as engine:
        if allowlist:
            document, code = _imported(engine, allowlist)
        else:
            seen, left = _looked_at(engine, what, event, every=all_)
            for standing in left:
                tell(f"{standing.spec.id}: {_why_left(standing)}")
            paint = Paint(on=coloured(color, sys.stderr, os.environ))
            document, code = _decided(
                engine, seen, one_by_one=not (what or all_), yes=yes, dry_run=dry_run, paint=paint
            )
            document["hooks"] += [
                _told(engine, standing, "left") | {"reason": _why_left(standing)}
                for standing in left
            ]
            code = code or (FINDINGS if left else OK)
    present(document, approval_page, json=json, color=color)
    return code


@flags.selecting
def revoke(
    *,
    selection: flags.Selection,
    what: _Revoked,
    event: _Event = "",
    dry_run: _DryRun = False,
    json: flags.Json = False,
    color: flags.Color = "auto",
) -> int:
    """Take the approval of hooks back, at once; a hook of the user's own does not run by its next use, either."""
    if not dry_run:
        require_person(os.environ, f"hookline revoke {shlex.quote(what)}")
    with selection.engine(journal=journal_of(os.environ, tell)) as engine:
        gone = find_removed(engine, what, event)
        specs = _still_meant(engine, what, event, gone)
        if dry_run:
            standings, did = [each.trust for each in find_statuses(engine, specs).values()], "shown"
        else:
            standings, did = (
                revoke_hooks(engine, specs, who="", how="command line") if specs else [],
                "revoked",
            )
            forget(engine, gone, who="", how="command line")
        hooks = [_told(engine, standing, did) for standing in standings]
        document = _document(
            [*hooks, *(_of_gone(each, "shown" if dry_run else "forgotten") for each in gone)]
        )
    present(document, approval_page, json=json, color=color)
    return OK


def _still_meant(engine: Engine, what: str, event: str, gone: Sequence[Approval]) -> list[HookSpec]:
    """The declared hooks that somebody means; there need be none where one is meant that is gone.

    Raises:
        TrustError: `trust.unmatched`, none is meant at all.
    """
    try:
        return list(meant(engine, what, event))
    except TrustError:
        if not gone:
            raise
        return []


# -- what is there to approve ------------------------------------------------------------------------------------------


def _looked_at(
    engine: Engine, what: str, event: str, *, every: bool
) -> tuple[list[HookState], list[HookState]]:
    """The hooks to be approved, and those that are left out: what cannot be approved among `every`, and what was revoked.

    Raises:
        TrustError: `trust.unmatched`, no declared hook is meant.
    """
    if what:
        return [
            each.trust for each in find_statuses(engine, meant(engine, what, event)).values()
        ], []
    specs = [
        spec
        for spec in all_hooks(engine)
        if type(spec.handler) is not Broken
        and (not event or event in (spec.native_event, spec.kind))
    ]
    if problem := find_store_problem(engine):
        raise TrustError(problem.message, name=problem.name, hint=problem.hint)
    stand = [each.trust for each in find_statuses(engine, specs).values()]
    waiting = [standing for standing in stand if standing.state in (NEW, CHANGED)]
    unfit = [standing for standing in waiting if not standing.can_run] if every else []
    # Whoever took an approval back wanted the hook gone, and is not asked about it among others.
    return [standing for standing in waiting if standing not in unfit], [
        *unfit,
        *(each for each in stand if each.state == REVOKED),
    ]


def _why_left(standing: HookState) -> str:
    revoked = (
        f"you revoked its approval; to let it run again: hookline approve '{standing.spec.id}'"
    )
    return revoked if standing.state == REVOKED else standing.reason


def _decided(
    engine: Engine,
    seen: Sequence[HookState],
    *,
    one_by_one: bool,
    yes: bool,
    dry_run: bool,
    paint: Paint,
) -> tuple[dict[str, Any], int]:
    """Show what would be approved, ask, and do it; the document and the exit code.

    Raises:
        TrustError: `trust.unattended`, nobody can be asked; or it cannot be approved.
    """
    open_ = [standing for standing in seen if standing.state != APPROVED]
    hooks = [_told(engine, standing, "already") for standing in seen if standing.state == APPROVED]
    if dry_run or not open_:
        return _document(hooks + [_told(engine, standing, "shown") for standing in open_]), OK
    if one_by_one and yes:
        raise ConfigError(
            "`--yes` without a hook", name="config.option", hint="name one, or say --all"
        )
    attended = _is_attended()
    if not yes and not attended:
        raise TrustError(
            "nobody is here to say yes",
            name="trust.unattended",
            hint="look with --dry-run, then say --yes",
        )
    how = (_UNASKED if attended else _ALONE) if yes else _ASKED
    hooks += _asked_of(engine, open_, one_by_one=one_by_one, how=how, ask=not yes, paint=paint)
    return _document(hooks), FINDINGS if any(
        hook["did"] in ("declined", "left") for hook in hooks
    ) else OK


def _asked_of(
    engine: Engine,
    seen: Sequence[HookState],
    *,
    one_by_one: bool,
    how: str,
    ask: bool,
    paint: Paint,
) -> Iterator[dict[str, Any]]:
    """What became of each hook, after a question about each or about all of them, or after none."""
    groups = [[standing] for standing in seen] if one_by_one else [[*seen]]
    for at, group in enumerate(groups):
        for standing in group:
            _tell_of(_told(engine, standing, "shown"), paint)
        said = _said(len(group), len(groups) - at - 1) if ask else _YES
        if said == _YES:
            done = approve_states(engine, group, who="", how=how)
            yield from (_told(engine, status.trust, "approved") for status in done.statuses)
        else:
            yield from (_told(engine, standing, "declined") for standing in group)
        if said == _QUIT:
            yield from (
                _told(engine, standing, "left") | {"reason": "nobody was asked"}
                for (standing,) in groups[at + 1 :]
            )
            return


def _is_attended() -> bool:
    """Whether there is a person at a terminal."""
    return (
        os.environ.get("CI", "").lower() not in ("1", "true")
        and sys.stdin is not None
        and sys.stdin.isatty()
    )


def _said(count: int, more: int) -> str:
    """Ask on the terminal; whatever is no yes, the end of input included, is a no. `more`: hooks that would be asked about next."""
    choices = (
        f"[y/N/q: leave the other {more} as they are]"
        if more > 1
        else "[y/N/q: leave the other one as it is]"
        if more
        else "[y/N]"
    )
    sys.stderr.write(f"approve {'it' if count == 1 else f'these {count} hooks'}? {choices} ")
    sys.stderr.flush()
    typed = sys.stdin.readline().strip().lower()
    return _YES if typed in ("y", "yes") else _QUIT if typed in ("q", "quit") else _NO


def _imported(engine: Engine, path: str) -> tuple[dict[str, Any], int]:
    """Take over a list of approvals; what does not fit any more is a finding."""
    taken = import_allowlist(gate_for(engine), path, list(all_hooks(engine)))
    listed = [
        {
            "event": each.event,
            "command": each.command,
            "result": each.result,
            "hooks": list(each.hooks),
        }
        for each in taken
    ]
    return _document([], listed, path), OK if all(
        each.result == "approved" for each in taken
    ) else FINDINGS


# -- telling -----------------------------------------------------------------------------------------------------------


def _document(
    hooks: Sequence[Mapping[str, Any]], imported: Sequence[Mapping[str, Any]] = (), path: str = ""
) -> dict[str, Any]:
    """`hookline.approval/1`; `path`: the list that was taken over."""
    return {
        "schema": "hookline.approval/1",
        "hooks": [*hooks],
        "list": path,
        "imported": [*imported],
    }


def _told(engine: Engine, standing: HookState, did: str) -> dict[str, Any]:
    spec = standing.spec
    return {
        "hook": spec.id,
        "name": spec.name,
        "native_event": spec.native_event,
        "kind": spec.kind,
        "when": [wording(condition) for condition in spec.conditions],
        "runs": called(spec),
        "file": spec.origin.file,
        "line": spec.origin.line,
        "scope": spec.origin.scope,
        "did": did,
        "standing": standing.state,
        "reason": standing.reason,
        "covers": ["definition", *(file.path for file in standing.inspection.files)] if standing.column else [],
        "not_covered": list(standing.inspection.unseen),
        "files": [{"path": file.path, "sha256": file.sha256} for file in standing.inspection.files],
        "since": describe_change(engine, standing),
        "findings": [problem.to_dict() for problem in _unsound(engine, standing)] if did != "revoked" else [],
    }  # fmt: skip


def _of_gone(approval: Approval, did: str) -> dict[str, Any]:
    """An approval of a hook that is no longer declared."""
    return {
        "hook": approval.hook,
        "name": "",
        "native_event": approval.event,
        "kind": kind_of(approval.event, approval.dialect),
        "when": [],
        "runs": approval.command,
        "file": approval.file,
        "line": 0,
        "scope": approval.scope,
        "did": did,
        "standing": REMOVED,
        "reason": "no file declares it any more",
        "covers": ["definition", *(file[0] for file in approval.files)],
        "not_covered": [],
        "files": [],
        "since": [],
        "findings": [],
    }


def _unsound(engine: Engine, standing: HookState) -> Iterator[Finding]:
    """What keeps a hook from being started, but what is missing: that is how it stands."""
    entry = next(
        (entry for entry in engine.registry.entries() if entry.spec.id == standing.spec.id), None
    )
    if entry is not None and standing.can_run:
        yield from unsound(entry, engine.cwd, engine.environ, standing.inspection)


def _tell_of(hook: Mapping[str, Any], paint: Paint) -> None:
    """What somebody is asked about, on standard error, beside the question."""
    for line in _page_of(cleaned({**hook, "findings": []}), paint):  # it is told when it was done
        sys.stderr.write(line + "\n")


def _page_of(hook: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    """One hook: what runs when, what an approval covers, and what is another than before."""
    when = f", when {' and '.join(hook['when'])}" if hook["when"] else ""
    yield f"{paint('name', hook['hook'])}  {hook['native_event']}{when}"
    yield f"  {'runs':10}  {hook['runs']}"
    place = ":".join(str(part) for part in (hook["file"] or "python", hook["line"]) if part)
    yield f"  {'from':10}  {place} ({hook['scope']})"
    digests = {file["path"]: file["sha256"] for file in hook["files"]}
    for label, texts in (
        ("covers", hook["covers"]),
        ("not", hook["not_covered"]),
        ("since then", hook["since"]),
    ):
        yield from (
            f"  {'' if number else label:10}  {_with_digest(text, digests)}"
            for number, text in enumerate(texts)
        )
    why = f": {hook['reason']}" if hook["reason"] else ""
    yield f"  {'standing':10}  {paint(_STYLES[hook['standing']], hook['standing'])}{why}"
    yield from (f"  {'but':10}  {line}" for line in _findings(hook, paint))


def _findings(hook: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    for each in hook["findings"]:
        hint = f" ({each['hint']})" if each["hint"] else ""
        yield f"{paint('bad', each['code'])} {each['message']}{hint}"


def _with_digest(text: str, digests: Mapping[str, str]) -> str:
    digest = digests.get(text, "")
    return f"{text}  sha256:{digest[:12]}" if digest else text


def approval_page(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """What was done, hook by hook; in full what was only shown."""
    for hook in document["hooks"]:
        if hook["did"] == "shown":
            yield from _page_of(hook, paint)
        else:
            style = {"approved": "good", "already": "dim"}.get(hook["did"], "warning")
            did = {"already": "approved already", "left": f"left out: {hook['reason']}"}.get(
                hook["did"], hook["did"]
            )
            yield f"{paint(style, did)}  {hook['hook']}  {hook['native_event']}  {hook['runs']}"
            yield from (
                f"  but {line}"
                for line in _findings(hook, paint)
                if hook["did"] in ("approved", "already")
            )
    for entry in document["imported"]:
        yield f"{paint('good' if entry['result'] == 'approved' else 'warning', entry['result'])}  {entry['event']}  {entry['command']}"
    if document["list"] and not document["imported"]:
        yield f"nothing to take over: `{document['list']}` has no entries"
    elif not document["imported"] and all(hook["did"] == "left" for hook in document["hooks"]):
        yield _nothing(len(document["hooks"]))


def _nothing(left: int) -> str:
    return (
        f"nothing else waits for an approval; {words.counted(left, 'hook')} left out"
        if left
        else "nothing waits for an approval"
    )
