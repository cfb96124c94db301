"""`hookline list` and `hookline show`: what hooks there are, and what one hook or one event is."""

from __future__ import annotations

import os
from typing import Annotated

from hookline.cli import flags, offers, words
from hookline.cli.ending import OK, USAGE, tell
from hookline.cli.events import kind_document, kind_of, nearest
from hookline.cli.hooks import hook_document, hooks_document, in_order, store_fault
from hookline.cli.pages import hook_page, hooks_page, kind_page
from hookline.cli.paint import present
from hookline.config.places import list_patterns
from hookline.engine.approval_service import removed_problems
from hookline.engine.host_names import find_unresolved
from hookline.errors import ConfigError
from hookline.model.spec import CLONED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.engine.engine import Engine
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec

_Event = Annotated[
    str,
    flags.option(
        "--event",
        metavar="EVENT",
        help="of one event only, by any of its names",
        autocompletion=offers.events,
    ),
]
_Source = Annotated[
    str,
    flags.option(
        "--source", metavar="WORD", help="of one scope, dialect or file (part of its path) only"
    ),
]
_What = Annotated[
    str,
    flags.argument(
        metavar="EVENT|HOOK",
        help="an event by any name, or a hook by its id or name",
        autocompletion=offers.hooks_and_events,
    ),
]


@flags.selecting
def list_hooks(
    *,
    selection: flags.Selection,
    event: _Event = "",
    source: _Source = "",
    json: flags.Json = False,
    color: flags.Color = "auto",
) -> int:
    """Every hook in firing order, event by event; a file that cannot be read is an error, because the list is not whole."""
    kind = _kind(event, selection.dialect) if event else ""
    engine = selection.engine()
    unresolved = find_unresolved(engine)
    document = hooks_document(
        engine, lambda spec: kind in ("", spec.kind) and _of_source(spec, source), unresolved
    )
    for problem in (*engine.problems, *removed_problems(engine), *unresolved):
        tell(str(problem))
    unreadable = store_fault(engine, engine.hooks)
    if unreadable:
        tell(f"hookline list: {unreadable}")
    present(document, hooks_page, json=json, color=color)
    if not document["hooks"]:
        for line in _none(engine, selection):
            tell(line)
    return USAGE if unreadable or any(_is_of_a_file(problem) for problem in engine.problems) else OK


def _none(engine: Engine, selection: flags.Selection) -> Iterator[str]:
    """That nothing is listed, and where it was looked for."""
    if count := sum(1 for _ in in_order(engine)):
        yield f"{words.counted(count, 'hook')} here, and none like that"
    elif selection.configs:
        yield f"no hooks in {', '.join(f'`{config}`' for config in selection.configs)}"
    else:
        yield "no hooks here; these were looked for:"
        home = f"{engine.environ.get('HOME') or os.path.expanduser('~')}/"
        for scope, paths in list_patterns(engine.cwd, engine.environ).items():
            near = [
                path.removeprefix(f"{engine.cwd}/")
                if path.startswith(engine.cwd)
                else path.replace(home, "~/", 1)
                for path in paths
            ]
            whose = f"{scope}, in `{engine.cwd}`" if scope in CLONED else scope
            yield f"  {whose}: {', '.join(near)}"


def _is_of_a_file(problem: Problem) -> bool:
    """Whether a whole file could not be read, and not only an entry of it."""
    return problem.severity == "error" and problem.name.startswith("config.")


def _kind(event: str, dialect: str) -> str:
    found = kind_of(event, dialect)
    if not found:
        raise ConfigError(f"unknown event `{event}`", name="event.unknown", hint=nearest(event))
    return found


def _of_source(spec: HookSpec, word: str) -> bool:
    return word in (spec.origin.scope, spec.dialect) or word in spec.origin.file


@flags.selecting
def show(
    *,
    selection: flags.Selection,
    what: _What,
    json: flags.Json = False,
    color: flags.Color = "auto",
) -> int:
    """One hook with every field that counts, or one event with all that a hook may do there."""
    engine = selection.engine()
    spec = _hook(engine, what)
    if spec is not None:
        if unreadable := store_fault(engine, [spec]):
            tell(f"hookline show: {unreadable}")
        present(hook_document(engine, spec), hook_page, json=json, color=color)
        return USAGE if unreadable else OK
    kind = kind_of(what, selection.dialect)
    if not kind:
        ids = [spec.id for spec in in_order(engine)]
        raise ConfigError(
            f"neither an event nor a hook is called `{what}`",
            name="event.unknown",
            hint=nearest(what, ids),
        )
    hooks = [spec.id for spec in in_order(engine) if spec.kind == kind]
    present(kind_document(kind, hooks), kind_page, json=json, color=color)
    return OK


def _hook(engine: Engine, called: str) -> HookSpec | None:
    """The hook of that id, or else the only one of that name.

    Raises:
        ConfigError: several hooks have that name.
    """
    specs = list(in_order(engine))
    found = [spec for spec in specs if spec.id == called] or [
        spec for spec in specs if spec.name == called
    ]
    if len(found) > 1:
        listed = ", ".join(f"`{spec.id}`" for spec in found)
        raise ConfigError(
            f"several hooks are called `{called}`: {listed}",
            name="config.option",
            hint="give the id of one",
        )
    return found[0] if found else None
