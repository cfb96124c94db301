"""`hookline approve` and `hookline revoke`: show a person what hooks would run, ask, and record it."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Annotated, NamedTuple

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
    list_removed,
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
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hookline.engine.doctor.finding import Finding
    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec
    from hookline.trust.state import HookState
    from hookline.trust.store import Approval

# How an approval was given, for the journal.
_ASKED, _UNASKED, _ALONE = (
    "command line, a person said yes",
    "command line, --yes",
    "command line, --yes, without a terminal",
)
_YES, _NO, _QUIT, _ABSENT = "yes", "no", "quit", "absent"
# What is typed -> the answer. Anything else, the end of the input included, is a no.
_APPROVAL_ANSWERS: Mapping[str, str] = {"y": _YES, "yes": _YES, "q": _QUIT, "quit": _QUIT}
_REMOVED_ANSWERS: Mapping[str, str] = {
    "f": _YES, "forget": _YES, "a": _ABSENT, "absent": _ABSENT, "q": _QUIT, "quit": _QUIT,
}  # fmt: skip
_MOST_FILES = 4  # that the summary of a hook names
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
    flags.option("--all", help="all that waits and guards that are gone; not what was revoked"),
]
_Yes = Annotated[
    bool, flags.option("--yes", help="do not ask: approve, and forget guards that are gone")
]
_From = Annotated[
    str,
    flags.option(
        "--from", metavar="FILE", help="take over a list of approvals of Starchild or Hermes"
    ),
]
_DryRun = Annotated[bool, flags.option("-n", "--dry-run", help="only show it")]


class _Selected(NamedTuple):
    """What a command is about.

    `waiting`: hooks to ask about. `approved`: those that need no question. `left`: those that are
    not asked about. `removed`: approved guards that no file declares any more.
    """

    waiting: list[HookState]
    approved: list[HookState]
    left: list[HookState]
    removed: list[Approval]


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
            document, code = _import_list(engine, allowlist)
        else:
            selected = _select(engine, what, event)
            for state in selected.left:
                tell(f"{state.spec.id}: {_explain_left(state)}")
            paint = Paint(on=coloured(color, sys.stderr, os.environ))
            if dry_run or not (selected.waiting or selected.removed):
                hooks = _describe_selected(engine, selected)
            else:
                how = _check_askable(yes=yes, is_named=bool(what or all_))
                hooks = _review(
                    engine, selected, how, one_by_one=not (what or all_), ask=not yes, paint=paint
                )
            document = _make_document(hooks)
            is_open = any(hook["did"] in ("declined", "left") for hook in document["hooks"])
            code = FINDINGS if is_open else OK
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
    """Take the approval of hooks back, at once; the next use of your own hook does not approve it."""
    if not dry_run:
        require_person(os.environ, f"hookline revoke {shlex.quote(what)}")
    with selection.engine(journal=journal_of(os.environ, tell)) as engine:
        removed = find_removed(engine, what, event)
        specs = _find_declared(engine, what, event, removed)
        if dry_run:
            states, did = [each.trust for each in find_statuses(engine, specs).values()], "shown"
        else:
            states = revoke_hooks(engine, specs, who="", how="command line") if specs else []
            forget(engine, removed, who="", how="command line")
            did = "revoked"
        hooks = [_describe_hook(engine, state, did) for state in states]
        hooks += [_describe_removed(each, "shown" if dry_run else "forgotten") for each in removed]
    present(_make_document(hooks), approval_page, json=json, color=color)
    return OK


# -- what there is to approve ------------------------------------------------------------------


def _select(engine: Engine, what: str, event: str) -> _Selected:
    """Return the hooks and guards that a person means; without `what`, all that wait.

    Raises:
        TrustError: `trust.unmatched`, no hook is meant; or the approvals cannot be read.
    """
    if what:
        removed = find_removed(engine, what, event)
        named = _find_states(engine, _find_declared(engine, what, event, removed))
        waiting = [state for state in named if state.state != APPROVED]
        return _Selected(waiting, [each for each in named if each not in waiting], [], removed)
    if problem := find_store_problem(engine):
        raise TrustError(problem.message, name=problem.name, hint=problem.hint)
    states = _find_states(
        engine,
        [
            spec
            for spec in all_hooks(engine)
            if type(spec.handler) is not Broken
            and (not event or event in (spec.native_event, spec.kind))
        ],
    )
    waiting = [each for each in states if each.state in (NEW, CHANGED) and each.can_run]
    # A revoked hook is left out: you wanted it gone. Who names it is asked about it.
    left = [each for each in states if each.state != APPROVED and each not in waiting]
    removed = [
        each for each in list_removed(engine) if not event or event in (each.event, each.kind)
    ]
    return _Selected(waiting, [], left, removed)


def _find_declared(
    engine: Engine, what: str, event: str, removed: Sequence[Approval]
) -> list[HookSpec]:
    """Return the declared hooks that a person means; there need be none where a removed one is meant.

    Raises:
        TrustError: `trust.unmatched`, none is meant at all.
    """
    try:
        return list(meant(engine, what, event))
    except TrustError:
        if not removed:
            raise
        return []


def _find_states(engine: Engine, specs: Iterable[HookSpec]) -> list[HookState]:
    return [each.trust for each in find_statuses(engine, specs).values()]


def _explain_left(state: HookState) -> str:
    again = f"to let it run again: hookline approve '{state.spec.id}'"
    return f"you revoked its approval; {again}" if state.state == REVOKED else state.reason


# -- asking ------------------------------------------------------------------------------------


def _check_askable(*, yes: bool, is_named: bool) -> str:
    """Return how the answer is given, for the journal.

    Raises:
        ConfigError: `--yes` without a hook.
        TrustError: `trust.unattended`, there is no terminal to ask on.
    """
    if yes and not is_named:
        hint = "name one, or say --all"
        raise ConfigError("`--yes` without a hook", name="config.option", hint=hint)
    is_attended = has_terminal()
    if not yes and not is_attended:
        raise TrustError(
            "there is no terminal to ask on",
            name="trust.unattended",
            hint="look at the hooks with --dry-run, then add --yes",
        )
    return (_UNASKED if is_attended else _ALONE) if yes else _ASKED


def has_terminal() -> bool:
    """Whether a person can be asked; a pipeline that has a terminal has no person."""
    is_pipeline = os.environ.get("CI", "").lower() in ("1", "true")
    return not is_pipeline and sys.stdin is not None and sys.stdin.isatty()


class _Question(NamedTuple):
    """What one question is about: hooks to approve, or removed guards."""

    states: Sequence[HookState] = ()
    removed: Sequence[Approval] = ()

    def describe(self, engine: Engine) -> list[dict[str, Any]]:
        """Return the documents of what the question is about."""
        hooks = [_describe_hook(engine, state, "shown") for state in self.states]
        return hooks + [_describe_removed(each, "shown") for each in self.removed]


def _make_questions(selected: _Selected, *, one_by_one: bool) -> list[_Question]:
    if one_by_one:
        hooks = [_Question(states=(each,)) for each in selected.waiting]
        return hooks + [_Question(removed=(each,)) for each in selected.removed]
    both = (_Question(states=selected.waiting), _Question(removed=selected.removed))
    return [each for each in both if each.states or each.removed]


def _review(
    engine: Engine, selected: _Selected, how: str, *, one_by_one: bool, ask: bool, paint: Paint
) -> Iterator[dict[str, Any]]:
    """Show hooks, ask about each or about all, and do it; yield what came of each."""
    yield from (_describe_hook(engine, state, "already") for state in selected.approved)
    questions, answer = _make_questions(selected, one_by_one=one_by_one), ""
    for at, question in enumerate(questions):
        shown = question.describe(engine)
        if answer == _QUIT:
            yield from ({**hook, "did": "left", "reason": "you were not asked"} for hook in shown)
            continue
        _show(shown, paint)
        answer = _ask(question, len(questions) - at - 1) if ask else _YES
        yield from _carry_out(engine, question, answer, how, shown)
    yield from (_describe_left(engine, state) for state in selected.left)


def _carry_out(
    engine: Engine, question: _Question, answer: str, how: str, shown: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Do what was answered; return what came of each hook.

    Approved is what was read for the summary, whatever the files have become since.
    """
    if question.states and answer == _YES:
        done = approve_states(engine, question.states, who="", how=how)
        return [_describe_hook(engine, each.trust, "approved") for each in done.statuses]
    if question.removed and answer in (_YES, _ABSENT):
        may_be_absent = answer == _ABSENT
        forget(engine, question.removed, who="", how=how, may_be_absent=may_be_absent)
        did = "absent" if may_be_absent else "forgotten"
        return [{**hook, "did": did} for hook in shown]
    return [{**hook, "did": "declined"} for hook in shown]


def _show(shown: Sequence[Mapping[str, Any]], paint: Paint) -> None:
    """Write what a question is about on standard error, beside the question."""
    # What keeps a hook from being started is told with the result.
    for line in _list_lines([{**cleaned(hook), "findings": []} for hook in shown], paint):
        sys.stderr.write(line + "\n")


def _ask(question: _Question, more: int) -> str:
    """Return the answer to a question. `more`: how many questions would follow."""
    quits = ""
    if more:
        others = "the other one as it is" if more == 1 else f"the other {more} as they are"
        quits = f"/q: leave {others}"
    count = len(question.states) + len(question.removed)
    if question.states:
        which, answers = "it" if count == 1 else f"these {count} hooks", _APPROVAL_ANSWERS
        text = f"approve {which}? [y/N{quits}] "
    else:
        which, answers = "it" if count == 1 else f"these {count} guards", _REMOVED_ANSWERS
        text = f"forget {which} (f), or accept that {'it' if count == 1 else 'they'} may be absent, as on another branch (a)? [f/a/N{quits}] "
    sys.stderr.write(text)
    sys.stderr.flush()
    return answers.get(sys.stdin.readline().strip().lower(), _NO)


def _import_list(engine: Engine, path: str) -> tuple[dict[str, Any], int]:
    """Import a list of approvals; an entry that does not fit any more is a finding."""
    taken = import_allowlist(gate_for(engine), path, list(all_hooks(engine)))
    listed = [
        {"event": each.event, "command": each.command, "result": each.result, "hooks": list(each.hooks)}
        for each in taken
    ]  # fmt: skip
    is_whole = all(each.result == "approved" for each in taken)
    return _make_document([], listed, path), OK if is_whole else FINDINGS


# -- documents ---------------------------------------------------------------------------------


def _make_document(
    hooks: Iterable[Mapping[str, Any]], imported: Sequence[Mapping[str, Any]] = (), path: str = ""
) -> dict[str, Any]:
    """Return a `hookline.approval/1`. `path`: the list that was imported."""
    return {
        "schema": "hookline.approval/1",
        "hooks": [*hooks],
        "list": path,
        "imported": [*imported],
    }


def _describe_selected(engine: Engine, selected: _Selected) -> Iterator[dict[str, Any]]:
    """Yield everything that a command is about, where nothing is asked or done."""
    yield from (_describe_hook(engine, state, "already") for state in selected.approved)
    yield from (_describe_hook(engine, state, "shown") for state in selected.waiting)
    yield from (_describe_removed(each, "shown") for each in selected.removed)
    yield from (_describe_left(engine, state) for state in selected.left)


def _describe_left(engine: Engine, state: HookState) -> dict[str, Any]:
    return _describe_hook(engine, state, "left") | {"reason": _explain_left(state)}


def _describe_hook(engine: Engine, state: HookState, did: str) -> dict[str, Any]:
    spec, files = state.spec, state.inspection.files
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
        "standing": state.state,
        "reason": state.reason,
        "covers": ["definition", *(file.path for file in files)] if state.column else [],
        "not_covered": list(state.inspection.unseen),
        "files": [{"path": file.path, "name": file.key, "sha256": file.sha256} for file in files],
        "since": describe_change(engine, state),
        "findings": [problem.to_dict() for problem in _list_findings(engine, state)] if did != "revoked" else [],
    }  # fmt: skip


def _describe_removed(approval: Approval, did: str) -> dict[str, Any]:
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
        "reason": "no file declares this guard any more",
        "covers": ["definition", *(file[0] for file in approval.files)],
        "not_covered": [],
        "files": [],
        "since": [],
        "findings": [],
    }


def _list_findings(engine: Engine, state: HookState) -> Iterator[Finding]:
    """Yield what keeps a hook from being started. What is missing is part of its state."""
    entry = next(
        (entry for entry in engine.registry.entries() if entry.spec.id == state.spec.id), None
    )
    if entry is not None and state.can_run:
        yield from unsound(entry, engine.cwd, engine.environ, state.inspection)


# -- pages -------------------------------------------------------------------------------------


def approval_page(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield one line for each hook with what was done; the summary of what was only shown."""
    hooks = document["hooks"]
    for hook in hooks:
        if hook["did"] != "shown":
            yield from _list_done(hook, paint)
    yield from _list_lines([hook for hook in hooks if hook["did"] == "shown"], paint)
    for entry in document["imported"]:
        style = "good" if entry["result"] == "approved" else "warning"
        yield f"{paint(style, entry['result'])}  {entry['event']}  {entry['command']}"
    if document["list"] and not document["imported"]:
        yield f"nothing to take over: `{document['list']}` has no entries"
    elif not document["imported"] and all(hook["did"] == "left" for hook in hooks):
        if hooks:
            yield f"nothing else waits for an approval; {words.counted(len(hooks), 'hook')} left out"
        else:
            yield "nothing waits for an approval"


def _list_done(hook: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    did = {
        "already": "approved already",
        "left": f"left out: {hook['reason']}",
        "absent": "may be absent",
    }.get(hook["did"], hook["did"])
    style = {"approved": "good", "already": "dim"}.get(hook["did"], "warning")
    yield f"{paint(style, did)}  {hook['hook']}  {hook['native_event']}  {hook['runs']}"
    if hook["did"] in ("approved", "already"):
        yield from (f"  but {line}" for line in _list_faults(hook, paint))


def _list_lines(hooks: Sequence[Mapping[str, Any]], paint: Paint) -> Iterator[str]:
    """Yield the summaries of hooks, below the file that declares them."""
    source = None
    for hook in hooks:
        found = (hook["file"] or "python", hook["scope"])
        if found != source:
            yield f"{found[0]} ({found[1]})"
            source = found
        yield from (f"  {line}" for line in _summarize(hook, paint))


def _summarize(hook: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    """Yield at most six lines: what runs when, which files count, what is unseen, its state."""
    when = f", when {' and '.join(hook['when'])}" if hook["when"] else ""
    line = f", line {hook['line']}" if hook["line"] else ""
    yield f"{paint('name', hook['hook'])}  {hook['native_event']}{when}{line}"
    yield f"  runs   {hook['runs']}"
    if hook["files"]:
        yield f"  files  {_name_files(hook['files'])}"
    if hook["not_covered"]:
        yield f"  also runs, unseen: {', '.join(hook['not_covered'])}"
    why = f": {hook['reason']}" if hook["reason"] else ""
    yield f"  {paint(_STYLES[hook['standing']], hook['standing'])}{why}"
    if since := [each for each in hook["since"] if each != hook["reason"]]:
        yield f"  {'; '.join(since)}"
    yield from (f"  but {line}" for line in _list_faults(hook, paint))


def _name_files(files: Sequence[Mapping[str, str]]) -> str:
    named = [
        f"{each['name']} sha256:{each['sha256'][:12]}" if each["sha256"] else each["name"]
        for each in files[:_MOST_FILES]
    ]
    more = len(files) - len(named)
    return ", ".join(named) + (f" and {more} more (--json lists all)" if more else "")


def _list_faults(hook: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    for each in hook["findings"]:
        hint = f" ({each['hint']})" if each["hint"] else ""
        yield f"{paint('bad', each['code'])} {each['message']}{hint}"
