"""Adds and removes entries of the lists in a `hookline.yaml`; every other byte of it stays."""

from __future__ import annotations

import io

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedSeq
from ruamel.yaml.error import YAMLError

from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

_NEW = "version: 1\n"


def add_entry(text: str | None, key: str, entry: Mapping[str, Any], *, path: str) -> str:
    """Return the text of a file with one more entry at the end of a list.

    Args:
        text: the file's text; None if there is no file.
        key: the list at the top of the file: `hooks` or `exceptions`.
        entry: the new entry.
        path: the file, for messages.

    Raises:
        ConfigError: the file cannot be read, or its list is not written as a block.
    """
    text = _NEW if text is None else text
    tree = _parse(text, path)
    given = tree.get(key)
    lines = text.splitlines(keepends=True)
    if given is None:
        at, indent = len(lines), 2
        if key in tree:
            raise _make_error(path, f"`{key}` has no value", key, entry)
        new = [f"{key}:\n", *_write_entry(entry, indent)]
    else:
        if not _is_block(given):
            raise _make_error(path, f"`{key}` is no list with one line for each entry", key, entry)
        begin, indent = _find_dash(lines, given, len(given) - 1)
        at = _find_end(lines, begin, indent)
        new = _write_entry(entry, indent)
    changed = _insert(lines, at, new)
    if _parse(changed, path) != {**tree, key: [*(given or ()), dict(entry)]}:
        raise _make_error(path, "its layout is not one that hookline can add to", key, entry)
    return changed


def remove_entries(
    text: str, key: str, is_meant: Callable[[Mapping[str, Any]], bool], *, path: str
) -> str | None:
    """Return the text of a file without some entries of a list; None if nothing is left of it.

    A list without entries goes too, and so does a file that has nothing but its version.

    Raises:
        ConfigError: the file cannot be read, or its list is not written as a block.
    """
    tree = _parse(text, path)
    given = tree.get(key)
    if not isinstance(given, list):
        return text
    meant = [at for at, each in enumerate(given) if isinstance(each, dict) and is_meant(each)]
    if not meant:
        return text
    if not _is_block(given):
        raise _make_error(path, f"`{key}` is not one line for each entry", key, {})
    lines = text.splitlines(keepends=True)
    has_end = lines[-1].endswith("\n")
    for at in reversed(meant):
        begin, indent = _find_dash(lines, given, at)
        del lines[begin : _find_end(lines, begin, indent)]
    if len(meant) == len(given):
        del lines[tree.lc.key(key)[0]]
    if lines and not has_end:
        lines[-1] = lines[-1].removesuffix("\n")
    changed = "".join(lines)
    return None if changed.strip() in ("", _NEW.strip()) else changed


def _parse(text: str, path: str) -> Any:
    try:
        tree = YAML().load(text)
    except YAMLError as error:
        raise _make_error(path, " ".join(str(error).split())) from None
    if tree is None:
        tree = YAML().map()
    if not isinstance(tree, dict):
        raise _make_error(path, "it is not a mapping")
    return tree


def _is_block(given: Any) -> bool:
    """Return whether a value is a list with a dash for each entry."""
    return isinstance(given, CommentedSeq) and bool(given) and not given.fa.flow_style()


def _find_dash(lines: Sequence[str], given: Any, at: int) -> tuple[int, int]:
    """Return the line of an entry's dash, from 0, and the blanks before it."""
    line = given.lc.item(at)[0]
    return line, len(lines[line]) - len(lines[line].lstrip(" "))


def _find_end(lines: Sequence[str], begin: int, indent: int) -> int:
    """Return the line after an entry: what is not indented deeper than its dash."""
    end = begin + 1
    for at in range(begin + 1, len(lines)):
        line = lines[at]
        if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
            break
        if line.strip():
            end = at + 1
    return end


def _insert(lines: list[str], at: int, new: list[str]) -> str:
    """Return the lines with new ones; a file that ended without a line break still does."""
    if at == len(lines) and lines and not lines[-1].endswith("\n"):
        lines = [*lines[:-1], f"{lines[-1]}\n"]
        new = [*new[:-1], new[-1].removesuffix("\n")]
    return "".join((*lines[:at], *new, *lines[at:]))


def _write_entry(entry: Mapping[str, Any], indent: int) -> list[str]:
    """Return an entry as lines, a key a line; a mapping within it on one line."""
    yaml = YAML()
    yaml.width = 1 << 20
    tree = yaml.map()
    for key, value in entry.items():
        if isinstance(value, dict):
            inner = yaml.map()
            inner.update(value)
            inner.fa.set_flow_style()
            tree[key] = inner
        else:
            tree[key] = value
    stream = io.StringIO()
    yaml.dump(tree, stream)
    first, *rest = stream.getvalue().splitlines()
    blanks = " " * indent
    return [f"{blanks}- {first}\n", *(f"{blanks}  {line}\n" for line in rest)]


def _make_error(
    path: str, why: str, key: str = "", entry: Mapping[str, Any] | None = None
) -> ConfigError:
    hint = "mend the file; hookline has written nothing"
    if entry:
        hint = f"add to `{key}` by hand:\n{''.join(_write_entry(entry, 2))}"
    return ConfigError(f"cannot be edited: {why}", name="config.unwritable", place=path, hint=hint)
