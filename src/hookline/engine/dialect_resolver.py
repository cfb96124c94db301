"""Keeps the dialects of one engine, each made once with its options, and finds the dialect of an event by its name."""

from __future__ import annotations

from hookline.engine.catalog import make_dialect
from hookline.errors import CodecError
from hookline.model import kinds
from hookline.wire.payload import unknown_event_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookline.core.dialect import Dialect

OWN = "hookline"


class Dialects:
    """Dialects by name and options. `environ`: where a dialect finds its own settings."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._hosts: dict[str, Dialect] = {}
        self._made: dict[tuple[str, str], Dialect] = {}
        self._options: dict[int, Mapping[str, Any]] = {}

    def make(self, name: str, options: Mapping[str, Any] | None = None) -> Dialect:
        """Return a dialect with its options, the same object each time; this does not make it the dialect of a host.

        Raises:
            ConfigError: an unknown dialect or option.
        """
        key = (name, repr(sorted((options or {}).items())))
        if key not in self._made:
            made = self._made.setdefault(key, make_dialect(name, options, self._environ))
            self._options[id(made)] = options or {}
        return self._made[key]

    def make_host(self, name: str, options: Mapping[str, Any] | None = None) -> Dialect:
        """Return a dialect with its options, and use it for hosts of this name from now on; raises as `make`."""
        self._hosts[name] = self.make(name, options)
        return self._hosts[name]

    def host(self, name: str) -> Dialect:
        """Return the dialect that hosts of this name speak; raises as `make`."""
        return self._hosts.get(name) or self.make_host(name)

    def own(self) -> Dialect | None:
        """Return the canonical dialect, if it is in use."""
        return self._hosts.get(OWN)

    def add_defaults(self, dialects: Iterable[Dialect]) -> None:
        """Use the dialects of hook files for their hosts, unless a host has one already."""
        for dialect in dialects:
            self._hosts.setdefault(dialect.table.name, dialect)

    def get_options(self, dialect: Dialect) -> Mapping[str, Any]:
        """Return the options that a dialect was made with."""
        return self._options.get(id(dialect), {})

    def find_for_event(self, event: str) -> Dialect:
        """Return the dialect of an event by its name: the only one here that has it, else the canonical one.

        Raises:
            CodecError: no dialect here has it, or several do.
        """
        foreign = [dialect for name, dialect in self._hosts.items() if name != OWN]
        having = [dialect for dialect in foreign if dialect.table.row(event) is not None]
        if len(having) == 1:
            return having[0]
        if event in kinds.NAMES:
            return self.host(OWN)
        if not having and self._hosts:
            raise unknown_event_error(next(iter(self._hosts.values())).table, event)
        raise CodecError(
            f"which dialect's `{event}`?",
            name="wire.event",
            hint="name the dialect: `--dialect NAME`, in Python `dialect=`",
        )

    def copy_from(self, other: Dialects) -> None:
        """Take over all dialects of another one."""
        self._made, self._options, self._hosts = other._made, other._options, {**other._hosts}
