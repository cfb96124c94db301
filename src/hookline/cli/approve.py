"""`hookline approve` and `hookline revoke`: show a person what hooks would run, ask, and record it."""

from __future__ import annotations

import os
import shlex
import sys
from typing import NamedTuple

from hookline.cli.approval_page import (
    describe_hook,
    describe_removed,
    list_summaries,
    make_document,
    render_approval,
)
from hookline.cli.exit_codes import FINDINGS, OK, print_message
from hookline.cli.options import COLOR, DRY_RUN, EVENT, JSON, option
from hookline.cli.pages import Paint, escape_document, print_page, use_color
from hookline.config.agent_hosts import require_person
from hookline.engine.allowlist import import_allowlist
from hookline.engine.approval_service import (
    approve as approve_as_shown,
)
from hookline.engine.approval_service import (
    find_removed,
    find_statuses,
    find_store_problem,
    forget_removed,
    get_gate_for,
    list_removed,
)
from hookline.engine.approval_service import (
    revoke as revoke_approvals,
)
from hookline.engine.hook_lookup import find_hooks
from hookline.engine.journaling import open_journal
from hookline.engine.loader import list_hooks
from hookline.errors import ConfigError, TrustError
from hookline.model.spec import Broken
from hookline.trust.policy import APPROVED, CHANGED, NEW, REVOKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from hookline.cli.selection import Selection
    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec
    from hookline.trust.state import HookState
    from hookline.trust.store import Approval

# How an approval was given, for the journal: without `--yes`, and with it.
_ASKED = "command line, a person said yes"
_UNASKED = "command line, --yes"
_YES, _NO, _ABSENT = "yes", "no", "absent"
# What is typed -> the answer. Anything else, the end of the input included, is a no.
_APPROVAL_ANSWERS: Mapping[str, str] = {"y": _YES, "yes": _YES}
_REMOVED_ANSWERS: Mapping[str, str] = {
    "f": _YES, "forget": _YES, "a": _ABSENT, "absent": _ABSENT,
}  # fmt: skip


class _Selected(NamedTuple):
    """What a command is about.

    `waiting`: hooks to ask about. `approved`: those that need no question. `left`: those that are
    not asked about. `removed`: approved guards that no file declares any more.
    """

    waiting: list[HookState]
    approved: list[HookState]
    left: list[HookState]
    removed: list[Approval]


def approve(
    selection: Selection,
    *,
    what: str = option(
        metavar="HOOK|COMMAND|PATH",
        help="an id, what it runs or asks, a name, or a file that declares it or is run",
        complete=("hooks",),
    ),
    event: str = EVENT,
    all_: bool = option(
        "--all", help="all that waits and guards that are gone; not what was revoked"
    ),
    yes: bool = option("--yes", help="do not ask: approve, and forget guards that are gone"),
    allowlist: str = option(
        "--from", metavar="FILE", help="take over a list of approvals of Starchild or Hermes"
    ),
    dry_run: bool = DRY_RUN,
    json: bool = JSON,
    color: str = COLOR,
) -> int:
    """Let hooks run as they are now: a change of what they run needs another approval."""
    if not dry_run:
        require_person(os.environ, "hookline approve")
    with selection.engine(journal=open_journal(os.environ, print_message)) as engine:
        if allowlist:
            document = _import_list(engine, allowlist)
        else:
            selected = _select(engine, what, event)
            for state in selected.left:
                print_message(f"{state.spec.id}: {_explain_left(state)}")
            is_named = bool(what or all_)
            has_questions = selected.waiting or selected.removed
            how = _check_askable(yes, is_named) if has_questions and not dry_run else ""
            paint = Paint(on=use_color(color, sys.stderr, os.environ))
            hooks = [describe_hook(engine, each, "already") for each in selected.approved]
            for states, removed in _group_questions(selected, is_named):
                hooks += _review(engine, states, removed, how, paint)
            for state in selected.left:
                left = describe_hook(engine, state, "left")
                hooks.append(left | {"reason": _explain_left(state)})
            document = make_document(hooks)
    print_page(document, render_approval, json=json, color=color)
    is_open = any(hook["did"] in ("declined", "left") for hook in document["hooks"])
    is_open = is_open or any(each["result"] != "approved" for each in document["imported"])
    return FINDINGS if is_open else OK


def revoke(
    selection: Selection,
    *,
    what: str = option(
        metavar="HOOK|COMMAND",
        help="an id, what it runs or asks, a name, or a file of it",
        complete=("hooks",),
        is_required=True,
    ),
    event: str = EVENT,
    dry_run: bool = DRY_RUN,
    json: bool = JSON,
    color: str = COLOR,
) -> int:
    """Take the approval of hooks back, at once.

    The next use of your own hook does not approve it.
    """
    if not dry_run:
        require_person(os.environ, f"hookline revoke {shlex.quote(what)}")
    with selection.engine(journal=open_journal(os.environ, print_message)) as engine:
        removed = find_removed(engine, what, event)
        specs = _find_declared(engine, what, event, removed)
        states = [each.trust for each in find_statuses(engine, specs).values()]
        if specs and not dry_run:
            states = revoke_approvals(get_gate_for(engine), specs)
        if not dry_run:
            forget_removed(engine, removed, who="", how="command line")
        done, gone = ("shown", "shown") if dry_run else ("revoked", "forgotten")
        hooks = [describe_hook(engine, state, done) for state in states]
        hooks += [describe_removed(each, gone) for each in removed]
    print_page(make_document(hooks), render_approval, json=json, color=color)
    return OK


# -- what there is to approve ------------------------------------------------------------------


def _select(engine: Engine, what: str, event: str) -> _Selected:
    """Return the hooks and guards that a person means; without `what`, all that wait.

    Raises:
        TrustError: `trust.unmatched`, no hook is meant; or the approvals cannot be read.
    """
    if what:
        removed = find_removed(engine, what, event)
        specs = _find_declared(engine, what, event, removed)
    elif problem := find_store_problem(engine):
        raise TrustError(problem.message, name=problem.name, hint=problem.hint)
    else:
        removed = [each for each in list_removed(engine) if event in ("", each.event, each.kind)]
        specs = [
            spec
            for spec in list_hooks(engine.snapshot)
            if type(spec.handler) is not Broken and event in ("", spec.native_event, spec.kind)
        ]
    states = [each.trust for each in find_statuses(engine, specs).values()]
    approved = [each for each in states if each.state == APPROVED]
    waiting = [each for each in states if each not in approved]
    if what:
        return _Selected(waiting, approved, [], removed)
    # A revoked hook is left out: you wanted it gone. Who names it is asked about it.
    left = [each for each in waiting if each.state not in (NEW, CHANGED) or not each.can_run]
    return _Selected([each for each in waiting if each not in left], [], left, removed)


def _find_declared(
    engine: Engine, what: str, event: str, removed: Sequence[Approval]
) -> list[HookSpec]:
    """Return the declared hooks that a person means.

    There need be none where a removed one is meant.

    Raises:
        TrustError: `trust.unmatched`, none is meant at all.
    """
    try:
        return list(find_hooks(engine, what, event))
    except TrustError:
        if not removed:
            raise
        return []


def _explain_left(state: HookState) -> str:
    again = f"to let it run again: hookline approve '{state.spec.id}'"
    return f"you revoked its approval; {again}" if state.state == REVOKED else state.reason


# -- asking ------------------------------------------------------------------------------------


def _check_askable(yes: bool, is_named: bool) -> str:  # noqa: FBT001 - one caller, which has both
    """Return how the answer is given, for the journal.

    Raises:
        ConfigError: `--yes` without a hook.
        TrustError: `trust.unattended`, there is no terminal to ask on.
    """
    if yes and not is_named:
        hint = "name one, or say --all"
        raise ConfigError("`--yes` without a hook", name="config.option", hint=hint)
    if yes:
        return _UNASKED if has_terminal() else f"{_UNASKED}, without a terminal"
    if not has_terminal():
        raise TrustError(
            "there is no terminal to ask on",
            name="trust.unattended",
            hint="look at the hooks with --dry-run, then add --yes",
        )
    return _ASKED


def has_terminal() -> bool:
    """Whether a person can be asked; a pipeline that has a terminal has no person."""
    is_pipeline = os.environ.get("CI", "").lower() in ("1", "true")
    return not is_pipeline and sys.stdin is not None and sys.stdin.isatty()


def _group_questions(
    selected: _Selected,
    is_named: bool,  # noqa: FBT001 - as above
) -> Iterator[tuple[Sequence[HookState], Sequence[Approval]]]:
    """Yield what each question is about: hooks to approve, or removed guards."""
    if is_named:
        yield selected.waiting, ()
        yield (), selected.removed
    else:
        yield from (((each,), ()) for each in selected.waiting)
        yield from (((), (each,)) for each in selected.removed)


def _review(
    engine: Engine,
    states: Sequence[HookState],
    removed: Sequence[Approval],
    how: str,
    paint: Paint,
) -> list[dict[str, Any]]:
    """Show hooks or removed guards, ask about them, and do what is answered.

    Approved is what was read for the summary, whatever the files have become since.

    Returns:
        What came of each. Without `how` they are only described.
    """
    hooks = [describe_hook(engine, state, "shown") for state in states]
    hooks += [describe_removed(each, "shown") for each in removed]
    if not how or not hooks:
        return hooks
    # What keeps a hook from being started is shown with the result.
    shown = [{**escape_document(hook), "findings": []} for hook in hooks]
    sys.stderr.writelines(f"{line}\n" for line in list_summaries(shown, paint))
    answer = _ask(len(states), len(removed)) if how == _ASKED else _YES
    did = "declined"
    if states and answer == _YES:
        approve_as_shown(get_gate_for(engine), states, how=how)
        now = find_statuses(engine, [state.spec for state in states])
        return [describe_hook(engine, each.trust, "approved") for each in now.values()]
    if removed and answer != _NO:
        did = "absent" if answer == _ABSENT else "forgotten"
        forget_removed(engine, removed, who="", how=how, may_be_absent=answer == _ABSENT)
    return [{**hook, "did": did} for hook in hooks]


def _ask(hooks: int, removed: int) -> str:
    """Return the answer about so many hooks, or so many removed guards."""
    if hooks:
        answers = _APPROVAL_ANSWERS
        text = f"approve {'it' if hooks == 1 else f'these {hooks} hooks'}? [y/N] "
    else:
        answers = _REMOVED_ANSWERS
        which, they = ("it", "it") if removed == 1 else (f"these {removed} guards", "they")
        text = (
            f"forget {which} (f), or accept that {they} may be absent,"
            " as on another branch (a)? [f/a/N] "
        )
    sys.stderr.write(text)
    sys.stderr.flush()
    return answers.get(sys.stdin.readline().strip().lower(), _NO)


def _import_list(engine: Engine, path: str) -> dict[str, Any]:
    """Import a list of approvals; an entry that does not fit any more is a finding."""
    imported = [
        {"event": each.event, "command": each.command, "result": each.result, "hooks": list(each.hooks)}
        for each in import_allowlist(get_gate_for(engine), path, list(list_hooks(engine.snapshot)))
    ]  # fmt: skip
    return make_document([], imported, path)
