"""`hookline list` and `hookline show`: list the hooks, and show one hook or one event."""

from __future__ import annotations

import os

from hookline.cli.events import find_kind, make_kind_document, suggest_event
from hookline.cli.exit_codes import OK, USAGE, print_message
from hookline.cli.hook_documents import (
    find_store_fault,
    list_in_order,
    make_hook_document,
    make_hooks_document,
)
from hookline.cli.list_pages import render_hook, render_hooks, render_kind
from hookline.cli.options import COLOR, EVENT, JSON, option
from hookline.cli.pages import count_things, print_page
from hookline.config.places import list_patterns
from hookline.engine.approval_service import list_removed_problems
from hookline.engine.doctor.static_checks import find_unresolved
from hookline.errors import ConfigError
from hookline.model.spec import CLONED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.cli.selection import Selection
    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec


def list_hooks(
    selection: Selection,
    *,
    event: str = EVENT,
    source: str = option(
        "--source", metavar="WORD", help="of one scope, dialect or file (part of its path) only"
    ),
    json: bool = JSON,
    color: str = COLOR,
) -> int:
    """Every hook in firing order, event by event.

    A file that cannot be read is an error, because the list is not whole.
    """
    kind = find_kind(event, selection.dialect) if event else ""
    if event and not kind:
        message = f"unknown event `{event}`"
        raise ConfigError(message, name="event.unknown", hint=suggest_event(event))
    engine = selection.engine()
    unresolved = find_unresolved(engine)
    document = make_hooks_document(
        engine,
        lambda spec: (
            kind in ("", spec.kind)
            and (source in (spec.origin.scope, spec.dialect) or source in spec.origin.file)
        ),
        unresolved,
    )
    for problem in (*engine.problems, *list_removed_problems(engine), *unresolved):
        print_message(str(problem))
    unreadable = find_store_fault(engine, engine.hooks)
    if unreadable:
        print_message(f"hookline list: {unreadable}")
    print_page(document, render_hooks, json=json, color=color)
    if not document["hooks"]:
        for line in _explain_empty(engine, selection):
            print_message(line)
    has_bad_file = any(
        problem.severity == "error" and problem.name.startswith("config.")
        for problem in engine.problems
    )
    return USAGE if unreadable or has_bad_file else OK


def _explain_empty(engine: Engine, selection: Selection) -> Iterator[str]:
    """Yield the message that no hook is listed, and where hookline looked."""
    if count := sum(1 for _ in list_in_order(engine)):
        yield f"{count_things(count, 'hook')} here, and none like that"
    elif selection.configs:
        yield f"no hooks in {', '.join(f'`{config}`' for config in selection.configs)}"
    else:
        yield "no hooks here; these were looked for:"
        home = os.path.expanduser("~/")
        for scope, paths in list_patterns(engine.cwd, engine.runtime.environ).items():
            near = [path.replace(f"{engine.cwd}/", "").replace(home, "~/") for path in paths]
            whose = f"{scope}, in `{engine.cwd}`" if scope in CLONED else scope
            yield f"  {whose}: {', '.join(near)}"


def show(
    selection: Selection,
    *,
    what: str = option(
        metavar="EVENT|HOOK",
        help="an event by any name, or a hook by its id or name",
        complete=("hooks", "events"),
        is_required=True,
    ),
    json: bool = JSON,
    color: str = COLOR,
) -> int:
    """One hook with every field that counts, or one event with all that a hook may do there."""
    engine = selection.engine()
    spec = _find_hook(engine, what)
    if spec is not None:
        if unreadable := find_store_fault(engine, [spec]):
            print_message(f"hookline show: {unreadable}")
        print_page(make_hook_document(engine, spec), render_hook, json=json, color=color)
        return USAGE if unreadable else OK
    kind = find_kind(what, selection.dialect)
    if not kind:
        ids = [spec.id for spec in list_in_order(engine)]
        raise ConfigError(
            f"neither an event nor a hook is called `{what}`",
            name="event.unknown",
            hint=suggest_event(what, ids),
        )
    hooks = [spec.id for spec in list_in_order(engine) if spec.kind == kind]
    print_page(make_kind_document(kind, hooks), render_kind, json=json, color=color)
    return OK


def _find_hook(engine: Engine, called: str) -> HookSpec | None:
    """Return the hook with that id, else the only one with that name.

    Raises:
        ConfigError: several hooks have that name.
    """
    specs = list(list_in_order(engine))
    found = [spec for spec in specs if spec.id == called]
    found = found or [spec for spec in specs if spec.name == called]
    if len(found) > 1:
        listed = ", ".join(f"`{spec.id}`" for spec in found)
        raise ConfigError(
            f"several hooks are called `{called}`: {listed}",
            name="config.option",
            hint="give the id of one",
        )
    return found[0] if found else None
