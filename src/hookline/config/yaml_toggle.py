"""Turns a boolean key of a user's YAML file on or off, and keeps every other byte of the file."""

from __future__ import annotations

import os
import re
import stat

from hookline.errors import ConfigError
from hookline.paths import is_below, list_parents, write_private
from hookline.wire.parsers import parse_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def turn_on(path: str, pointer: str, project: str = "", *, on: bool = True) -> None:
    """Turn a key on, given as `table.key`; the file is replaced atomically and keeps its mode.

    `on=False` turns the key off. `project`: a folder; a link in it that leads out of it is refused,
    because a clone may contain one.

    Raises:
        ConfigError: `config.unwritable`, with the place. The file is then unchanged.
    """
    if project and _leaves_project(path, project):
        raise _make_error(path, "a link leads out of this project to it")
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode):
            raise _make_error(path, "it is a link, or no plain file")
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        turned = _toggle_text(path, text, pointer, on=on)
        write_private(path, turned.encode("utf-8"))
        os.chmod(path, stat.S_IMODE(found.st_mode))
    except UnicodeDecodeError:
        raise _make_error(path, "it is no text in UTF-8") from None
    except OSError as error:
        raise _make_error(path, (error.strerror or "unwritable").lower()) from None


def _leaves_project(path: str, project: str) -> bool:
    """Whether a path enters a project and a link in the project leads out of it again."""
    root = os.path.realpath(project)
    enters = any(os.path.realpath(folder) == root for folder in list_parents(path))
    return enters and not is_below(os.path.realpath(path), root)


def _toggle_text(path: str, text: str, pointer: str, *, on: bool) -> str:
    """Return the first edit of the text by which this key has another value, and nothing else."""
    table, _, key = pointer.partition(".")
    tree = _parse(path, text)
    inner = tree.get(table, {}) if isinstance(tree, dict) else None
    if isinstance(inner, dict) and inner.get(key) is not on:
        wanted = {**tree, table: {**inner, key: on}}
        for edited in _list_edits(text, table, key, on=on):
            if _parse(path, edited) == wanted:
                return edited
    raise _make_error(path, f"no plain `{pointer}: {str(not on).lower()}` is in it")


def _parse(path: str, text: str) -> Any:
    """Return the tree of a YAML text, an empty one for an empty text; None if it is invalid."""
    try:
        tree = parse_yaml(text, path).value
    except ConfigError:
        return None
    return {} if tree is None else tree


def _list_edits(text: str, table: str, key: str, *, on: bool) -> Iterator[str]:
    """Yield edits that may turn a key: of its value, or as a new table."""
    before, after = ("false", "true") if on else ("true", "false")
    for found in re.finditer(rf"""(?i)(["']?{key}["']?\s*:\s*){before}\b""", text):
        yield f"{text[: found.end(1)]}{after}{text[found.end() :]}"
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text or text.endswith("\n") else end
    yield f"{text}{gap}{table}:{end}  {key}: {after}{end}"


def _make_error(path: str, why: str) -> ConfigError:
    message, hint = f"`{path}` is left as it is: {why}", "write it there by hand"
    return ConfigError(message, name="config.unwritable", place=path, hint=hint)
