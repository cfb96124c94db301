"""Speaking: the dialects that one engine speaks, each made once with its options, and whose word the name of an event is."""

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
    """Dialects by their names and options. `environ`: by which a dialect finds its own settings."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._hosts: dict[str, Dialect] = {}
        self._made: dict[tuple[str, str], Dialect] = {}
        self._options: dict[int, Mapping[str, Any]] = {}

    def make(self, name: str, options: Mapping[str, Any] | None = None) -> Dialect:
        """A dialect with its options, the same one each time; it is not a host's before somebody says so.

        Raises:
            ConfigError: an unknown dialect or option.
        """
        key = (name, repr(sorted((options or {}).items())))
        if key not in self._made:
            made = self._made.setdefault(key, make_dialect(name, options, self._environ))
            self._options[id(made)] = options or {}
        return self._made[key]

    def make_host(self, name: str, options: Mapping[str, Any] | None = None) -> Dialect:
        """A dialect with its options, which its hosts speak from now on; raises as `made`."""
        self._hosts[name] = self.make(name, options)
        return self._hosts[name]

    def host(self, name: str) -> Dialect:
        """The dialect that hosts of this name speak; raises as `made`."""
        return self._hosts.get(name) or self.make_host(name)

    def own(self) -> Dialect | None:
        """The canonical dialect, if anybody speaks it."""
        return self._hosts.get(OWN)

    def add_defaults(self, dialects: Iterable[Dialect]) -> None:
        """Take dialects that hooks are written in for those of their hosts, where none is known yet."""
        for dialect in dialects:
            self._hosts.setdefault(dialect.table.name, dialect)

    def get_options(self, dialect: Dialect) -> Mapping[str, Any]:
        """The options that a dialect was made with."""
        return self._options.get(id(dialect), {})

    def find_for_event(self, event: str) -> Dialect:
        """The dialect that an event's name belongs to, when nobody said: the only one here that has it, or the canonical one.

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
        """Speak what another one speaks, with the same dialects."""
        self._made, self._options, self._hosts = other._made, other._options, {**other._hosts}
