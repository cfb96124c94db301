"""Reads the user's settings for hookline itself, `settings.toml` in its configuration folder."""

from __future__ import annotations

import os
import stat
from functools import lru_cache

from hookline.errors import ConfigError, did_you_mean
from hookline.model.frozen import Frozen
from hookline.paths import find_home, read_text
from hookline.wire.parsers import parse_toml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Setting(Frozen):
    """What one key may be, what it is by default, and what it means."""

    default: bool | str | int
    meaning: str
    choices: tuple[str, ...] = ()

    @property
    def type(self) -> type:
        """The type of the value, which is that of the default."""
        return type(self.default)

    def find_problem(self, value: Any) -> tuple[str, str] | None:
        """Return the name of the problem and what is expected; None if the value is valid."""
        if type(value) is not self.type:
            return "value.type", f"expected {_TYPES[self.type]}"
        if self.choices and value not in self.choices:
            return "value.choice", f"one of {', '.join(self.choices)}"
        if isinstance(value, int) and value < 0:
            return "value.range", "at least 0"
        return None


_TYPES: Mapping[type, str] = {bool: "true or false", str: "a text", int: "a whole number"}

# Table -> key -> what it may be. A new setting is a row.
TABLES: Mapping[str, Mapping[str, Setting]] = {
    "journal": {
        "enabled": Setting(
            default=True,
            meaning="whether hookline keeps a journal; `HOOKLINE_JOURNAL` goes first",
        ),
        "payload": Setting(
            choices=("hash", "masked", "full"),
            default="hash",
            meaning=(
                "what the journal keeps of payloads, rewrites, contexts and effects: "
                "SHA-256 and length; also the values without what looks like a secret; "
                "also the whole values"
            ),
        ),
        "keep_days": Setting(
            default=90,
            meaning="hookline removes older files when it begins a new one; 0: never",
        ),
        "keep_mb": Setting(
            default=256,
            meaning="hookline removes the oldest files beyond so many MiB; 0: never",
        ),
        "sync": Setting(
            default=False,
            meaning=(
                "whether each record is on the disk before it counts as written; it then "
                "survives a power failure"
            ),
        ),
        "path": Setting(
            default="~/.local/state/hookline/journal",
            meaning=(
                "the folder of the journal, absolute or from `~`; the default lies below "
                "an absolute `XDG_STATE_HOME`, and `HOOKLINE_JOURNAL` goes first"
            ),
        ),
    },
    # What becomes of a hook in a state; docs/explanation/trust.md 4 has the whole table.
    "trust": {
        "changed": Setting(
            choices=("ask", "deny", "skip", "run"),
            default="ask",
            meaning=(
                "what happens before an action to a project's approved hook whose files "
                "changed; elsewhere it does not run"
            ),
        ),
        "own": Setting(
            choices=("first_use", "ask"),
            default="first_use",
            meaning=(
                "`first_use`: the first use of your own hook approves it; `ask`: it needs "
                "an approval like a project's"
            ),
        ),
        "self_approve": Setting(
            default=False,
            meaning=(
                "whether any program of this machine may approve hooks by `hookline "
                "serve` without the token"
            ),
        ),
    },
}


def read_settings(environ: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the settings by table and key as they are written; an empty mapping without a file.

    Raises:
        ConfigError: with its place, a file that cannot be read, that is no TOML, or that has an
            unknown key or a bad value.
    """
    path = settings_path(environ)
    if not os.path.exists(path):
        return {}
    found = os.stat(path)
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISCHR(found.st_mode)):  # as `/dev/null` is
        hint = "remove it, or write the settings to a file of this name"
        raise ConfigError("is no plain file", name="config.unreadable", place=path, hint=hint)
    times = found.st_mtime_ns, found.st_ctime_ns
    return _check_settings(path, (found.st_dev, found.st_ino, found.st_size, *times))


def settings_path(environ: Mapping[str, str]) -> str:
    """Return the file's path: below XDG_CONFIG_HOME if that is absolute, else below `~/.config`."""
    base = environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(find_home(environ), ".config")
    return os.path.join(base, "hookline", "settings.toml")


@lru_cache(maxsize=1)
def _check_settings(path: str, _stamp: tuple[int, ...]) -> Mapping[str, Any]:
    """Return the settings in a file; one answer needs them several times, and reads them once."""
    text = read_text(path)
    tree: Mapping[str, Any] = parse_toml(text, path, placed=False).value
    for table, values in tree.items():
        known = TABLES.get(table)
        if known is None:
            found = ("key.unknown", f"unknown table `{table}`", _suggest(table, TABLES))
            raise _make_error(path, text, (table,), *found)
        if not isinstance(values, dict):
            found = ("value.type", f"`{table}` is no table", f"write `[{table}]`")
            raise _make_error(path, text, (table,), *found)
        for key, value in values.items():
            if key not in known:
                found = ("key.unknown", f"unknown key `{key}`", _suggest(key, known))
                raise _make_error(path, text, (table, key), *found)
            if wrong := known[key].find_problem(value):
                found = (wrong[0], f"`{table}.{key}` is `{value}`", wrong[1])
                raise _make_error(path, text, (table, key), *found)
    return tree


def _make_error(
    path: str, text: str, keys: tuple[str, ...], name: str, message: str, hint: str
) -> ConfigError:
    place = ":".join(str(part) for part in (path, *parse_toml(text, path).place(keys)) if part)
    return ConfigError(message, name=name, hint=hint, place=place)


def _suggest(word: str, known: Mapping[str, Any]) -> str:
    return did_you_mean(word, known) or f"one of {', '.join(known)}"
