"""`hookline approve` and `hookline revoke`: show what hooks would run, ask, and record it."""

from __future__ import annotations

import os
import shlex
import sys

from hookline.cli.layout import shorten_path
from hookline.cli.options import DRY_RUN, EVENT, Selection, option, usage_error
from hookline.cli.output import (
    FINDINGS,
    OK,
    Paint,
    Printer,
    count_things,
    escape_document,
    format_problem,
    print_message,
    read_table,
)
from hookline.cli.positional_ids import to_lasting_id
from hookline.config.agent_hosts import require_person
from hookline.engine import approval_service
from hookline.engine.approval_service import (
    describe_change,
    find_removed,
    find_statuses,
    find_store_problem,
    forget_removed,
    get_gate_for,
    list_removed,
)
from hookline.engine.approved_texts import compare_texts
from hookline.engine.doctor.static_checks import list_errors
from hookline.engine.hook_lookup import describe_run, find_hooks, make_hook_summary
from hookline.engine.loader import list_hooks
from hookline.engine.pack_problems import find_pack_problems
from hookline.errors import TrustError
from hookline.model.spec import Broken, HookSpec
from hookline.trust.state import APPROVED, CHANGED, NEW, REMOVED, REVOKED, HookState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hookline.cli.output import Document, Lines
    from hookline.engine.engine import Engine
    from hookline.trust.store import Approval

# How an approval was given, for the journal: without `--yes`, and with it.
_ASKED = "command line, a person said yes"
_UNASKED = "command line, --yes"
# What is typed about a removed guard -> what comes of it.
_REMOVED_ANSWERS = read_table("""
f       forgotten
forget  forgotten
a       absent
absent  absent
""")
_MOST_FILES = 4  # that the summary of a hook names
_MOST_LINES = 60  # of a script or a difference
_DIFF_STYLES = {"+": "good", "-": "bad", "@": "dim"}
_STYLES = {
    APPROVED: "good",
    NEW: "warning",
    CHANGED: "bad",
    REVOKED: "bad",
    REMOVED: "bad",
}
# What was done -> its style and its words, where they are not `warning` and the same word.
_DONE = {
    "approved": ("good", "approved"),
    "already": ("dim", "approved already"),
    "absent": ("warning", "may be absent"),
    "left": ("warning", "left out"),
}


def approve(
    selection: Selection,
    printer: Printer,
    *,
    what: str = option(
        "[HOOK|COMMAND|PATH]",
        "an id, a name, a command, or a file that declares the hook or that it runs",
        complete="hooks",
    ),
    event: str = EVENT,
    all_: bool = option("--all", "every hook that is new or changed, and guards that are gone"),
    yes: bool = option("--yes", "do not ask: approve, and forget guards that are gone"),
    dry_run: bool = DRY_RUN,
) -> int:
    """Let hooks run as they are now: a change of what they run needs another approval."""
    if not dry_run:
        require_person(os.environ, "hookline approve")
    with selection.open() as engine:
        states, removed = _find(engine, what, event) if what else _find_all(engine, event)
        damaged = find_pack_problems((each.spec.origin.file for each in states), engine.environ)
        for problem in (each for problems in damaged.values() for each in problems):
            print_message(str(problem))
        left = [
            each
            for each in states
            if each.spec.origin.file in damaged or (not what and _is_left(each))
        ]
        waiting = [each for each in states if each.state != APPROVED and each not in left]
        is_named = bool(what or all_)
        how = ""
        if (waiting or removed) and not dry_run:
            how = _check_askable(yes=yes, is_named=is_named, no_input=printer.no_input)
        paint = printer.paint(sys.stderr)
        hooks = []
        if what:
            approved = [each for each in states if each.state == APPROVED]
            hooks = [_describe_hook(engine, each, "already") for each in approved]
        for several in [waiting] if is_named else [[each] for each in waiting]:
            hooks += _ask_to_approve(engine, several, how, paint)
        for gone in [removed] if is_named else [[each] for each in removed]:
            hooks += _ask_to_forget(engine, gone, how, paint)
        for state in left:
            hook = _describe_hook(engine, state, "left")
            packs = damaged.get(state.spec.origin.file, ())
            reason = packs[0].message if packs else _explain_left(state)
            hooks.append(hook | {"reason": reason})
        document = make_document(hooks)
    printer.print(document, render_approval)
    is_open = any(hook["did"] in ("declined", "left") for hook in document["hooks"])
    return FINDINGS if is_open else OK


def revoke(
    selection: Selection,
    printer: Printer,
    *,
    what: str = option(
        "HOOK|COMMAND", "an id, a name, a command, or a file of it", complete="hooks"
    ),
    event: str = EVENT,
    dry_run: bool = DRY_RUN,
) -> int:
    """Take the approval of hooks back, at once.

    The next use of your own hook does not approve it.
    """
    if not dry_run:
        require_person(os.environ, f"hookline revoke {shlex.quote(what)}")
    with selection.open() as engine:
        states, removed = _find(engine, what, event)
        done, gone = "shown", "shown"
        if not dry_run:
            done, gone = "revoked", "forgotten"
            specs = [state.spec for state in states]
            states = approval_service.revoke(get_gate_for(engine), specs)
            forget_removed(engine, removed, who="", how="command line")
        hooks = [_describe_hook(engine, state, done) for state in states]
        hooks += [_describe_removed(each, gone) for each in removed]
    printer.print(make_document(hooks), render_approval)
    return OK


# -- what there is to approve ------------------------------------------------------------------


def _find(engine: Engine, what: str, event: str) -> tuple[list[HookState], list[Approval]]:
    """Return the hooks that a person means, and the guards that no file declares any more.

    Raises:
        TrustError: `trust.unmatched`, none is meant at all.
    """
    removed = find_removed(engine, what, event)
    specs: Sequence[HookSpec] = ()
    try:
        specs = find_hooks(engine, what if removed else to_lasting_id(engine, what), event)
    except TrustError:
        if not removed:
            raise
    return [each.trust for each in find_statuses(engine, specs).values()], removed


def _find_all(engine: Engine, event: str) -> tuple[list[HookState], list[Approval]]:
    """Return every hook that can need an approval, and the guards that are not declared any more.

    Raises:
        TrustError: the approvals cannot be read.
    """
    if problem := find_store_problem(engine):
        raise TrustError(problem.message, name=problem.name, hint=problem.hint)
    specs = [
        spec
        for spec in list_hooks(engine.snapshot)
        if type(spec.handler) is not Broken and event in ("", spec.native_event, spec.kind)
    ]
    removed = [each for each in list_removed(engine) if event in ("", each.event, each.kind)]
    return [each.trust for each in find_statuses(engine, specs).values()], removed


def _is_left(state: HookState) -> bool:
    """Whether a hook is left out of all: you revoked it, or there is nothing to approve."""
    return state.state == REVOKED or (state.state in (NEW, CHANGED) and not state.can_run)


def _explain_left(state: HookState) -> str:
    again = f"to let it run again: hookline approve '{state.spec.id}'"
    return f"you revoked its approval; {again}" if state.state == REVOKED else state.reason


# -- asking ------------------------------------------------------------------------------------


def _check_askable(*, yes: bool, is_named: bool, no_input: bool) -> str:
    """Return how the answer is given, for the journal.

    Raises:
        ConfigError: `--yes` without a hook.
        TrustError: `trust.unattended`, there is no terminal to ask on.
    """
    if yes and not is_named:
        raise usage_error("`--yes` without a hook", "name one, or say --all")
    if yes:
        return _UNASKED if has_terminal() else f"{_UNASKED}, without a terminal"
    if no_input or not has_terminal():
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


def _ask_to_approve(
    engine: Engine, states: Sequence[HookState], how: str, paint: Paint
) -> list[Document]:
    """Show hooks, ask about them, approve them, and return what came of each.

    Approved is what was read for the summary, whatever the files have become since. Without `how`
    the hooks are only described.
    """
    hooks = [_describe_hook(engine, state, "shown") for state in states]
    if not how or not hooks:
        return hooks
    those = "it" if len(hooks) == 1 else f"these {len(hooks)} hooks"
    if _ask(hooks, f"approve {those}? [y/N] ", how, paint, unasked="y") not in ("y", "yes"):
        return [{**hook, "did": "declined"} for hook in hooks]
    approval_service.approve(get_gate_for(engine), states, how=how)
    now = find_statuses(engine, [state.spec for state in states])
    return [_describe_hook(engine, each.trust, "approved") for each in now.values()]


def _ask_to_forget(
    engine: Engine, removed: Sequence[Approval], how: str, paint: Paint
) -> list[Document]:
    """Show removed guards, ask about them, and return what came of each, as above."""
    hooks = [_describe_removed(each, "shown") for each in removed]
    if not how or not hooks:
        return hooks
    those, they = ("it", "it") if len(hooks) == 1 else (f"these {len(hooks)} guards", "they")
    question = (
        f"forget {those} (f), or accept that {they} may be absent,"
        " as on another branch (a)? [f/a/N] "
    )
    did = _REMOVED_ANSWERS.get(_ask(hooks, question, how, paint, unasked="f"), "declined")
    if did != "declined":
        forget_removed(engine, removed, who="", how=how, may_be_absent=did == "absent")
    return [{**hook, "did": did} for hook in hooks]


def _ask(hooks: Sequence[Document], question: str, how: str, paint: Paint, *, unasked: str) -> str:
    """Show hooks, and return what is typed at the question about them."""
    # What keeps a hook from being started is shown with the result.
    shown = [{**escape_document(hook), "findings": []} for hook in hooks]
    sys.stderr.writelines(f"{line}\n" for line in list_summaries(shown, paint))
    if how != _ASKED:
        return unasked
    sys.stderr.writelines(f"{line}\n" for line in list_scripts(shown, paint))
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower()


# -- documents ---------------------------------------------------------------------------------


def make_document(hooks: Iterable[Document]) -> Document:
    """Return a `hookline.approval/1`."""
    return {"schema": "hookline.approval/1", "hooks": [*hooks]}


def _describe_hook(engine: Engine, state: HookState, did: str) -> Document:
    """Return the summary of a hook. `did`: what was done about it."""
    files = state.inspection.files
    findings = list_errors(state) if state.can_run and did != "revoked" else []
    texts = compare_texts(get_gate_for(engine).store, state) if did == "shown" else {}
    return make_hook_summary(state.spec) | {
        "runs": describe_run(state.spec),
        "did": did,
        "standing": state.state,
        "reason": state.reason,
        "covers": ["definition", *(file.path for file in files)] if state.column else [],
        "not_covered": list(state.inspection.unseen),
        "files": [
            {
                "path": file.path,
                "name": file.key,
                "sha256": file.sha256,
                "text": texts.get(file.key, ("",))[0],
                "diff": texts.get(file.key, ("", None))[1],
            }
            for file in files
        ],
        "since": describe_change(engine, state),
        "findings": [problem.to_dict() for problem in findings],
    }


def _describe_removed(approval: Approval, did: str) -> Document:
    """Return the summary of an approved guard that no file declares any more."""
    return {
        **{name: [] for name in ("when", "not_covered", "files", "since", "findings")},
        "hook": approval.hook,
        "name": "",
        "dialect": approval.dialect,
        "native_event": approval.event,
        "kind": approval.kind,
        "runs": approval.command,
        "file": approval.file,
        "line": 0,
        "scope": approval.scope,
        "did": did,
        "standing": REMOVED,
        "reason": "no file declares this guard any more",
        "covers": ["definition", *(file[0] for file in approval.files)],
    }


# -- pages -------------------------------------------------------------------------------------


def render_approval(document: Document, paint: Paint) -> Lines:
    """Yield one line for each hook with what was done; the summary of what was only shown."""
    hooks = document["hooks"]
    for hook in hooks:
        did = hook["did"]
        if did == "shown":
            continue
        style, done = _DONE.get(did, ("warning", did))
        done += f": {hook['reason']}" if did == "left" else ""
        yield f"{paint(style, done)}  {hook['hook']}  {hook['native_event']}  {hook['runs']}"
        if did in ("approved", "already"):
            yield from _list_faults(hook, paint)
    only_shown = [hook for hook in hooks if hook["did"] == "shown"]
    yield from list_summaries(only_shown, paint)
    yield from list_scripts(only_shown, paint)
    if any(hook["did"] != "left" for hook in hooks):
        return
    if hooks:
        yield f"nothing else waits for an approval; {count_things(len(hooks), 'hook')} left out"
    else:
        yield "nothing waits for an approval"


def list_summaries(hooks: Sequence[Document], paint: Paint) -> Lines:
    """Yield the summaries of hooks, below the file that declares them."""
    source = None
    for hook in hooks:
        found = (shorten_path(hook["file"]) or "python", hook["scope"])
        if found != source:
            yield f"{found[0]} ({found[1]})"
            source = found
        yield from (f"  {line}" for line in _summarize(hook, paint))


def _summarize(hook: Document, paint: Paint) -> Lines:
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
    yield from _list_faults(hook, paint)


def list_scripts(hooks: Sequence[Document], paint: Paint) -> Lines:
    """Yield each file that hooks run, once: after a change what differs, else its text."""
    files = {file["path"]: file for hook in hooks for file in hook["files"]}
    for path, file in files.items():
        is_new = file["diff"] is None
        lines = (file["text"] if is_new else file["diff"]).splitlines()
        if not lines:
            continue
        what = count_things(len(lines), "line") if is_new else "changed since you approved it"
        yield f"\n{paint('strong', file['name'])} ({what})"
        for line in lines[:_MOST_LINES]:
            style = "" if is_new else _DIFF_STYLES.get(line[:1], "")
            yield f"  {paint(style, line) if style else line}"
        if len(lines) > _MOST_LINES:
            more = count_things(len(lines) - _MOST_LINES, "more line")
            yield f"  {more}: less {shlex.quote(path)}"


def _name_files(files: Sequence[Mapping[str, str]]) -> str:
    named = [
        f"{each['name']}{' sha256:' if each['sha256'] else ''}{each['sha256'][:12]}"
        for each in files[:_MOST_FILES]
    ]
    more = len(files) - len(named)
    return ", ".join(named) + (f" and {more} more (--json lists all)" if more else "")


def _list_faults(hook: Document, paint: Paint) -> Lines:
    for each in hook["findings"]:
        yield f"  but {format_problem(each, paint, with_place=False)}"
