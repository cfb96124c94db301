"""The catalogue of dialects: makes a dialect by its name, and keeps those of one engine."""

from __future__ import annotations

import sys

from hookline.errors import CodecError, ConfigError, did_you_mean
from hookline.model import kinds
from hookline.wire.payload import unknown_event_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookline.core.dialect import Dialect

# Name -> module and class. A dialect is imported when it is named, so `answer` pays for one only.
_TABLE = """
hookline     native           Native
docker-agent docker_agent     DockerAgent
claude-code  claude_code      ClaudeCode
codex        codex            Codex
kimi         kimi             Kimi
a3s          a3s              A3S
cursor       cursor           Cursor
copilot      copilot          Copilot
gemini       gemini           Gemini
qwen         qwen             Qwen
openhands    openhands        OpenHands
cline        cline            Cline
agenthooks   agenthooks       AgentHooks
starchild    starchild        Starchild
hermes       starchild.hermes Hermes
"""
_DIALECTS = {
    name: (f"hookline.dialects.{module}", made)
    for name, module, made in map(str.split, _TABLE.strip().splitlines())
}
NAMES = tuple(_DIALECTS)
OWN = "hookline"


def make_dialect(
    name: str, options: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None
) -> Dialect:
    """A dialect by its name, with options such as docker-agent's `profile`.

    An option that is not given is on where the variable of `environ` that the dialect has for it
    (its `SWITCHES`) is `1`, or another of the dialect's `SWITCH_WORDS`.

    Raises:
        ConfigError: no such dialect, or no such option.
    """
    known = _DIALECTS.get(name)
    if known is None:
        hint = did_you_mean(name, NAMES) or f"one of {', '.join(NAMES)}"
        raise ConfigError(f"unknown dialect `{name}`", name="config.dialect", hint=hint)
    __import__(known[0])  # importlib would cost more than the dialect
    module = sys.modules[known[0]]
    has = getattr(module, "OPTIONS", ())
    for option in options or {}:
        if option not in has:
            hint = did_you_mean(option, has) or f"its options: {', '.join(has) or 'none'}"
            raise ConfigError(f"`{name}` has no option `{option}`", name="config.option", hint=hint)
    words = getattr(module, "SWITCH_WORDS", ("1",))
    switched = {
        option: True
        for variable, option in getattr(module, "SWITCHES", {}).items()
        if (environ or {}).get(variable, "").lower() in words
    }
    made: Dialect = getattr(module, known[1])(**switched | dict(options or {}))
    return made


class Dialects:
    """Dialects by name and options. `environ`: where a dialect finds its own settings."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._hosts: dict[str, Dialect] = {}
        self._made: dict[tuple[str, str], Dialect] = {}
        self._options: dict[int, Mapping[str, Any]] = {}

    def make(self, name: str, options: Mapping[str, Any] | None = None) -> Dialect:
        """Return a dialect with its options, the same object each time.

        This does not make it the dialect of a host.

        Raises:
            ConfigError: an unknown dialect or option.
        """
        key = (name, repr(sorted((options or {}).items())))
        if key not in self._made:
            made = self._made.setdefault(key, make_dialect(name, options, self._environ))
            self._options[id(made)] = options or {}
        return self._made[key]

    def make_host(self, name: str, options: Mapping[str, Any] | None = None) -> Dialect:
        """Return a dialect with its options, and use it for hosts of this name from now on.

        Raises as `make`.
        """
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
        """Return the dialect of an event: the only one here that has it, else the canonical one.

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
