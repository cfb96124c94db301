"""Reads the user's settings for hookline itself, `settings.toml` in its configuration folder."""

from __future__ import annotations

import os
import stat

from hookline.config.text_file import read_text
from hookline.errors import ConfigError, did_you_mean
from hookline.model.frozen import Frozen
from hookline.wire.parsers import parse_toml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Setting(Frozen):
    """What one key may be: of which type, one of which words, and at least how much.

    And, in words, what it is without it and means.
    """

    type: type
    choices: tuple[str, ...] = ()
    least: float | None = None
    default: str
    meaning: str

    def find_problem(self, value: Any) -> tuple[str, str] | None:
        """Return the name of the problem and what is expected; None if the value is valid."""
        fits = isinstance(value, int | float if self.type is float else self.type)
        if not fits or (isinstance(value, bool) and self.type is not bool):
            return "value.type", f"expected {_TYPES[self.type]}"
        if self.choices and value not in self.choices:
            return "value.choice", f"one of {', '.join(self.choices)}"
        if self.least is not None and float(value) < self.least:
            return "value.range", f"at least {self.least:g}"
        return None


_TYPES: Mapping[type, str] = {
    bool: "true or false",
    str: "a text",
    int: "a whole number",
    float: "a number",
    list: "a list",
}

# Table -> key -> what it may be. A new setting is a row.
TABLES: Mapping[str, Mapping[str, Setting]] = {
    "journal": {
        "enabled": Setting(
            type=bool,
            default="true",
            meaning="whether hookline keeps a journal; `HOOKLINE_JOURNAL` goes first",
        ),
        "payload": Setting(
            type=str,
            choices=("hash", "masked", "full"),
            default="hash",
            meaning="what the journal keeps of payloads, rewrites, contexts and effects: SHA-256 and length; also the values without"
            " what looks like a secret; also the whole values",
        ),
        "keep_days": Setting(
            type=int,
            least=0,
            default="90",
            meaning="hookline removes older files when it begins a new one; 0: never",
        ),
        "keep_mb": Setting(
            type=int,
            least=0,
            default="256",
            meaning="hookline removes the oldest files beyond so many MiB; 0: never",
        ),
        "sync": Setting(
            type=bool,
            default="false",
            meaning="whether each record is on the disk before it counts as written; it then survives a power failure",
        ),
        "path": Setting(
            type=str,
            default="~/.local/state/hookline/journal",
            meaning="the folder of the journal, absolute or from `~`; the default lies below an absolute `XDG_STATE_HOME`, and"
            " `HOOKLINE_JOURNAL` goes first",
        ),
    },
    # What becomes of a hook in a state; docs/explanation/trust.md 4 has the whole table.
    "trust": {
        "changed": Setting(
            type=str,
            choices=("ask", "deny", "skip", "run"),
            default="ask",
            meaning="what happens before an action to a project's approved hook whose files changed; elsewhere it does not run",
        ),
        "own": Setting(
            type=str,
            choices=("first_use", "ask"),
            default="first_use",
            meaning="`first_use`: the first use of your own hook approves it; `ask`: it needs an approval like a project's",
        ),
        "self_approve": Setting(
            type=bool,
            default="false",
            meaning="whether any program of this machine may approve hooks by `hookline serve` without the token",
        ),
    },
}

# What was read of a path, beside the size and time that the file had then.
_read: dict[str, tuple[tuple[int, int], Mapping[str, Any]]] = {}


def read_settings(environ: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the settings by table and key as they are written.

    An empty mapping if there is no file.

    Raises:
        ConfigError: with its place, a file that cannot be read, that is no TOML, or that has an
            unknown key or a bad value.
    """
    path = settings_path(environ)
    try:
        found = os.stat(path)
    except OSError:
        return {}
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISCHR(found.st_mode)):  # such as `/dev/null`
        raise ConfigError(
            "is no plain file",
            name="config.unreadable",
            place=path,
            hint="remove it, or write the settings to a file of this name",
        )
    stamp = (found.st_mtime_ns, found.st_size)
    if _read.get(path, (None,))[0] != stamp:
        _read[path] = (stamp, _check_settings(path))
    return _read[path][1]


def settings_path(environ: Mapping[str, str]) -> str:
    """Return the file's path: below XDG_CONFIG_HOME if that is absolute, else below `~/.config`."""
    config = environ.get("XDG_CONFIG_HOME", "")
    base = (
        config
        if os.path.isabs(config)
        else os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".config")
    )
    return os.path.join(base, "hookline", "settings.toml")


def _check_settings(path: str) -> Mapping[str, Any]:
    text = read_text(path)
    tree: Mapping[str, Any] = parse_toml(text, path, placed=False).value
    for table, values in tree.items():
        if table not in TABLES:
            hint = _suggest(table, TABLES)
            raise _make_problem(
                path, text, (table,), "key.unknown", f"unknown table `{table}`", hint
            )
        if not isinstance(values, dict):
            message, hint = f"`{table}` is no table", f"write `[{table}]`"
            raise _make_problem(path, text, (table,), "value.type", message, hint)
        for key, value in values.items():
            if key not in TABLES[table]:
                name, hint, message = (
                    "key.unknown",
                    _suggest(key, TABLES[table]),
                    f"unknown key `{key}`",
                )
            elif wrong := TABLES[table][key].find_problem(value):
                (name, hint), message = wrong, f"`{table}.{key}` is `{value}`"
            else:
                continue
            raise _make_problem(path, text, (table, key), name, message, hint)
    return tree


def _make_problem(
    path: str, text: str, keys: tuple[str, ...], name: str, message: str, hint: str
) -> ConfigError:
    place = ":".join(str(part) for part in (path, *parse_toml(text, path).place(keys)) if part)
    return ConfigError(message, name=name, hint=hint, place=place)


def _suggest(word: str, known: Mapping[str, Any]) -> str:
    return did_you_mean(word, known) or f"one of {', '.join(known)}"
