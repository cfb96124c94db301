"""The values that a shell may complete: events, hosts, hooks, codes and documents."""

from __future__ import annotations

import os
from typing import Any

from hookline.cli.schema_files import list_schemas
from hookline.config.places import project_root
from hookline.engine.catalog import NAMES
from hookline.errors import CODES, HookError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def complete_hosts(incomplete: str) -> list[str]:
    """Complete the name of a dialect."""
    return _filter_prefix(NAMES, incomplete)


def complete_events(ctx: Any, incomplete: str) -> list[str]:
    """Complete the name of an event: of the dialect on the command line, else of every dialect."""
    from hookline.cli.events import list_event_names  # noqa: PLC0415 - it makes every dialect, which only completion needs

    return _filter_prefix(
        list_event_names(ctx.params.get("host") or ctx.params.get("dialect") or ""), incomplete
    )


def complete_hooks(ctx: Any, incomplete: str) -> list[str]:
    """Complete the id of a hook: of the files on the command line, else of all that hookline finds. No hook runs."""
    return _filter_prefix(_list_ids(ctx), incomplete)


def complete_hooks_and_events(ctx: Any, incomplete: str) -> list[str]:
    """Complete the id of a hook or the name of an event."""
    return [*complete_hooks(ctx, incomplete), *complete_events(ctx, incomplete)]


def complete_explainable(ctx: Any, incomplete: str) -> list[str]:
    """Complete an argument of `explain`: an event, a code or `last`."""
    return [
        *_filter_prefix(("last", *CODES.values()), incomplete),
        *complete_events(ctx, incomplete),
    ]


def complete_documents(incomplete: str) -> list[str]:
    """Complete the name of a document that has a schema."""
    return _filter_prefix(list_schemas(), incomplete)


def _list_ids(ctx: Any) -> list[str]:
    from hookline.engine.declared_hooks import list_hooks  # noqa: PLC0415 - as above
    from hookline.engine.engine import Engine  # noqa: PLC0415 - few values are hooks

    folder, named = ctx.params.get("folder") or ".", ctx.params.get("config") or ()
    try:
        if not named:
            engine = Engine.discover(project_root(folder, os.environ) or folder)
            return [spec.id for spec in list_hooks(engine.snapshot)]
        engine = Engine(cwd=folder)
        for path in named:
            engine.add_source(os.path.join(folder, path), dialect=ctx.params.get("dialect") or None)
        return [spec.id for spec in list_hooks(engine.snapshot)]
    except (
        HookError,
        OSError,
    ):  # there is nothing to complete, and a prompt is no place to say why
        return []


def _filter_prefix(words: Iterable[str], incomplete: str) -> list[str]:
    return [word for word in dict.fromkeys(words) if word.startswith(incomplete)]
