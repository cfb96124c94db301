"""Asked: whether the event and the hook that somebody asks a journal for are anything that it, or this place, knows."""

from __future__ import annotations

import os

from hookline.cli.events import kind_of, nearest
from hookline.engine.provenance import declared_here
from hookline.errors import ConfigError
from hookline.journal.records import NOTES
from hookline.model.handler import describe_command
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.journal.search import Search


def known_event(event: str, search: Search | None = None) -> None:
    """See that there is such an event: in the journal, or in any dialect, or among the notes that a journal takes beside events.

    Raises:
        ConfigError: there is none.
    """
    if not event or event in NOTES or kind_of(event, ""):
        return
    written = set(NOTES)
    if search is not None:
        written |= search.names("kind") | search.names("native_event")
    if event not in written:
        raise ConfigError(
            f"unknown event `{event}`", name="event.unknown", hint=nearest(event, sorted(written))
        )


def known_hook(word: str, search: Search) -> None:
    """See that a word is a part of what some hook is called: one of the journal, or one that is declared for whoever asks.

    Raises:
        ConfigError: of none.
    """
    if not word or search.has_hook(word):
        return
    specs = declared_here(".", os.environ)
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
