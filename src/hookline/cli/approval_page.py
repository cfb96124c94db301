"""What `hookline approve` and `revoke` print: the document, its page, and the summary of a hook."""

from __future__ import annotations

from hookline.cli.pages import count_things, format_problem
from hookline.engine.approval_service import describe_change
from hookline.engine.doctor.static_checks import list_errors
from hookline.engine.hook_lookup import describe_run, make_hook_summary
from hookline.trust.policy import APPROVED, CHANGED, NEW, REMOVED, REVOKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hookline.cli.pages import Paint
    from hookline.engine.engine import Engine
    from hookline.trust.state import HookState
    from hookline.trust.store import Approval

_MOST_FILES = 4  # that the summary of a hook names
_STYLES: Mapping[str, str] = {
    APPROVED: "good",
    NEW: "warning",
    CHANGED: "bad",
    REVOKED: "bad",
    REMOVED: "bad",
}

# What was done -> its style and its words, where they are not `warning` and the same word.
_DONE: Mapping[str, tuple[str, str]] = {
    "approved": ("good", "approved"),
    "already": ("dim", "approved already"),
    "absent": ("warning", "may be absent"),
    "left": ("warning", "left out"),
}

# -- documents ---------------------------------------------------------------------------------


def make_document(
    hooks: Iterable[Mapping[str, Any]], imported: Sequence[Mapping[str, Any]] = (), path: str = ""
) -> dict[str, Any]:
    """Return a `hookline.approval/1`. `path`: the list that was imported."""
    return {
        "schema": "hookline.approval/1",
        "hooks": [*hooks],
        "list": path,
        "imported": [*imported],
    }


def describe_hook(engine: Engine, state: HookState, did: str) -> dict[str, Any]:
    """Return the summary of a hook. `did`: what was done about it."""
    files = state.inspection.files
    findings = list_errors(engine, state) if state.can_run and did != "revoked" else []
    return make_hook_summary(state.spec) | {
        "runs": describe_run(state.spec),
        "did": did,
        "standing": state.state,
        "reason": state.reason,
        "covers": ["definition", *(file.path for file in files)] if state.column else [],
        "not_covered": list(state.inspection.unseen),
        "files": [{"path": file.path, "name": file.key, "sha256": file.sha256} for file in files],
        "since": describe_change(engine, state),
        "findings": [problem.to_dict() for problem in findings],
    }


def describe_removed(approval: Approval, did: str) -> dict[str, Any]:
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


def render_approval(document: dict[str, Any], paint: Paint) -> Iterator[str]:
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
    yield from list_summaries([hook for hook in hooks if hook["did"] == "shown"], paint)
    for entry in document["imported"]:
        style = "good" if entry["result"] == "approved" else "warning"
        yield f"{paint(style, entry['result'])}  {entry['event']}  {entry['command']}"
    if document["imported"] or any(hook["did"] != "left" for hook in hooks):
        return
    if document["list"]:
        yield f"nothing to take over: `{document['list']}` has no entries"
    elif hooks:
        yield f"nothing else waits for an approval; {count_things(len(hooks), 'hook')} left out"
    else:
        yield "nothing waits for an approval"


def list_summaries(hooks: Sequence[Mapping[str, Any]], paint: Paint) -> Iterator[str]:
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
    yield from _list_faults(hook, paint)


def _name_files(files: Sequence[Mapping[str, str]]) -> str:
    named = [
        f"{each['name']}{' sha256:' if each['sha256'] else ''}{each['sha256'][:12]}"
        for each in files[:_MOST_FILES]
    ]
    more = len(files) - len(named)
    return ", ".join(named) + (f" and {more} more (--json lists all)" if more else "")


def _list_faults(hook: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    for each in hook["findings"]:
        yield f"  but {format_problem(each, paint, with_place=False)}"
