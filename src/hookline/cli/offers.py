"""Offers: the words that a shell may complete a value to: events, hosts, hooks, codes and documents."""

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


def hosts(incomplete: str) -> list[str]:
    """Dialects, by their names."""
    return _beginning(NAMES, incomplete)


def events(ctx: Any, incomplete: str) -> list[str]:
    """Events: as the dialect calls them that the line names, or by every name that there is."""
    from hookline.cli.events import names_of  # noqa: PLC0415 - it makes every dialect, which only a shell that completes asks for

    return _beginning(
        names_of(ctx.params.get("host") or ctx.params.get("dialect") or ""), incomplete
    )


def hooks(ctx: Any, incomplete: str) -> list[str]:
    """Hooks by their ids: those of the files that the line names, or all that are found here. Nothing is run, and nothing approved."""
    return _beginning(_ids(ctx), incomplete)


def hooks_and_events(ctx: Any, incomplete: str) -> list[str]:
    """Either of the two."""
    return [*hooks(ctx, incomplete), *events(ctx, incomplete)]


def explainable(ctx: Any, incomplete: str) -> list[str]:
    """What can be explained: events, codes, and the last decision."""
    return [*_beginning(("last", *CODES.values()), incomplete), *events(ctx, incomplete)]


def documents(incomplete: str) -> list[str]:
    """Documents that have a schema."""
    return _beginning(list_schemas(), incomplete)


def _ids(ctx: Any) -> list[str]:
    from hookline.engine.declared_hooks import all_hooks  # noqa: PLC0415 - as above
    from hookline.engine.engine import Engine  # noqa: PLC0415 - few values are hooks

    folder, named = ctx.params.get("folder") or ".", ctx.params.get("config") or ()
    try:
        if not named:
            return [
                spec.id
                for spec in all_hooks(Engine.discover(project_root(folder, os.environ) or folder))
            ]
        engine = Engine(cwd=folder)
        for path in named:
            engine.add_source(os.path.join(folder, path), dialect=ctx.params.get("dialect") or None)
        return [spec.id for spec in all_hooks(engine)]
    except (
        HookError,
        OSError,
    ):  # there is nothing to complete, and a prompt is no place to say why
        return []


def _beginning(words: Iterable[str], incomplete: str) -> list[str]:
    return [word for word in dict.fromkeys(words) if word.startswith(incomplete)]
