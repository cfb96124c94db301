"""`hookline list` and `hookline show`: what hooks there are, and what one hook or one event is."""

from __future__ import annotations

from typing import Annotated

from hookline.cli import flags
from hookline.cli.ending import OK, USAGE, tell
from hookline.cli.events import kind_document, kind_of, nearest
from hookline.cli.hooks import hook_document, hooks_document, in_order, store_fault
from hookline.cli.pages import hook_page, hooks_page, kind_page
from hookline.cli.paint import present
from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec

_Event = Annotated[str, flags.option("--event", metavar="EVENT", help="of one event only, by any of its names")]
_Source = Annotated[str, flags.option("--source", metavar="WORD", help="of one scope, dialect or file (part of its path) only")]
_What = Annotated[str, flags.argument(metavar="EVENT|HOOK", help="an event by any name, or a hook by its id or name")]


@flags.selecting
def list_hooks(
    *, selection: flags.Selection, event: _Event = "", source: _Source = "", json: flags.Json = False, color: flags.Color = "auto"
) -> int:
    """Every hook in firing order, event by event."""
    kind = _kind(event, selection.dialect) if event else ""
    engine = selection.engine()
    document = hooks_document(engine, lambda spec: kind in ("", spec.kind) and _of_source(spec, source))
    for problem in engine.problems:
        tell(str(problem))
    unreadable = store_fault(engine, engine.hooks)
    if unreadable:
        tell(f"hookline list: {unreadable}")
    present(document, hooks_page, json=json, color=color)
    if not document["hooks"]:
        tell("no hooks here")
    return USAGE if unreadable else OK


def _kind(event: str, dialect: str) -> str:
    found = kind_of(event, dialect)
    if not found:
        raise ConfigError(f"unknown event `{event}`", name="event.unknown", hint=nearest(event))
    return found


def _of_source(spec: HookSpec, word: str) -> bool:
    return word in (spec.origin.scope, spec.dialect) or word in spec.origin.file


@flags.selecting
def show(*, selection: flags.Selection, what: _What, json: flags.Json = False, color: flags.Color = "auto") -> int:
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
        raise ConfigError(f"neither an event nor a hook is called `{what}`", name="event.unknown", hint=nearest(what, ids))
    hooks = [spec.id for spec in in_order(engine) if spec.kind == kind]
    present(kind_document(kind, hooks), kind_page, json=json, color=color)
    return OK


def _hook(engine: Engine, called: str) -> HookSpec | None:
    """The hook of that id, or else the only one of that name.

    Raises:
        ConfigError: several hooks have that name.
    """
    specs = list(in_order(engine))
    found = [spec for spec in specs if spec.id == called] or [spec for spec in specs if spec.name == called]
    if len(found) > 1:
        listed = ", ".join(f"`{spec.id}`" for spec in found)
        raise ConfigError(f"several hooks are called `{called}`: {listed}", name="config.option", hint="give the id of one")
    return found[0] if found else None
