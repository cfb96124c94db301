"""TOML edits: the `[[hooks]]` tables of hookline, with every comment and blank line kept."""

from __future__ import annotations

from itertools import zip_longest

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT

from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hookline.bridges.entry import Entry


def update_toml(
    source: bytes, entries: Sequence[Entry], is_own: Callable[[Any], bool], *, path: str
) -> bytes:
    """Return a TOML text in which exactly `entries` are own `[[hooks]]`.

    Own tables keep their places; new ones come at the end.

    Raises:
        ConfigError: the text is broken, or has hooks in another form.
    """
    try:
        tree = tomlkit.parse(source)
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise _make_error(path, str(error)) from None
    tables = tree.get("hooks")
    if tables is None or tables == []:
        tables = tomlkit.aot()
    if not isinstance(tables, AoT):
        raise _make_error(path, "`hooks` is not written as [[hooks]] tables")
    own = [at for at, table in enumerate(tables) if is_own(table.unwrap())]
    for at, wanted in reversed(list(zip_longest(own, [value for _, value in entries]))):
        if wanted is None:
            del tables[at]
        elif at is not None and tables[at].unwrap() != wanted:
            tables[at].clear()
            tables[at].update(wanted)
    added = [value for _, value in entries][len(own) :]
    if not tables:
        tree.pop("hooks", None)
    text = tree.as_string()
    if added:
        new = tomlkit.document()
        new["hooks"] = tomlkit.aot()
        for value in added:
            new["hooks"].append(tomlkit.item(value))
        head = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        text += head + new.as_string()
    line_end = "\r\n" if b"\r\n" in source else "\n"
    return text.replace("\r\n", "\n").replace("\n", line_end).encode()


def _make_error(path: str, why: str) -> ConfigError:
    return ConfigError(
        f"cannot be edited: {why}",
        name="install.unreadable",
        place=path,
        hint="mend the file; hookline has written nothing",
    )
