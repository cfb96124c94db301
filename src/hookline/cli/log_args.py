"""Checks the `--event` and `--hook` arguments of `hookline log` against the journal and the declared hooks."""

from __future__ import annotations

import os

from hookline.cli.events import find_kind, suggest_event
from hookline.engine.provenance import list_declared_here
from hookline.errors import ConfigError
from hookline.journal.records import NOTES
from hookline.model.handler import describe_command
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.journal.search import Search


def check_event(event: str, search: Search | None = None) -> None:
    """Check that an event is known: to the journal, to a dialect, or as a kind of note.

    Raises:
        ConfigError: the event is unknown.
    """
    if not event or event in NOTES or find_kind(event, ""):
        return
    written = set(NOTES)
    if search is not None:
        written |= search.names("kind") | search.names("native_event")
    if event not in written:
        raise ConfigError(
            f"unknown event `{event}`",
            name="event.unknown",
            hint=suggest_event(event, sorted(written)),
        )


def check_hook(word: str, search: Search) -> None:
    """Check that a word is part of the id, name or command of a hook in the journal or declared here.

    Raises:
        ConfigError: no hook matches.
    """
    if not word or search.has_hook(word):
        return
    specs = list_declared_here(".", os.environ)
    if any(
        word.lower() in text.lower()
        for spec in specs
        for text in (spec.id, spec.name, describe_command(spec.handler))
    ):
        return
    ids = [
        *sorted(search.names("hook")),
        *(name for spec in specs for name in (spec.id, spec.name) if name),
    ]
    hint = did_you_mean(word, ids) or "hookline list"
    raise ConfigError(
        f"no hook here or in the journal has `{word}` in its id, name or command",
        name="config.option",
        hint=hint,
    )
