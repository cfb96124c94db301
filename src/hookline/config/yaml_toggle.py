"""Turns a boolean key of a user's YAML file on or off, and keeps every other byte of the file."""

from __future__ import annotations

import os
import stat

from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LARGEST = 1 << 20  # bytes; an agent's settings are a page


def turn_on(path: str, pointer: str, project: str = "", *, on: bool = True) -> None:
    """Turn a key on, given as a dotted path of keys; the file is replaced atomically and keeps its mode.

    `on=False` turns the key off. `project`: a folder; a link in it that leads out of it is refused, because a clone may contain one.

    Raises:
        ConfigError: `config.unwritable`, with the place. The file is then unchanged.
    """
    if project and _leaves_project(path, project):
        raise _make_error(path, "a link leads out of this project to it")
    found = _stat_file(path)
    with open(path, "rb") as file:
        raw = file.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise _make_error(path, "it is larger than 1 MiB")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise _make_error(path, "it is no text in UTF-8") from None
    _replace(path, _toggle_text(path, text, pointer.split("."), on=on).encode("utf-8"), found)


def _leaves_project(path: str, project: str) -> bool:
    """Whether a path enters a project and a link in the project leads out of it again."""
    root, steps = os.path.realpath(project), os.path.abspath(path)
    while steps != "/" and os.path.realpath(steps) != root:
        steps = os.path.dirname(steps)
    return steps != "/" and not os.path.realpath(path).startswith(f"{root}/")


def _stat_file(path: str) -> os.stat_result:
    """Return the file's times and mode; refuse all but a regular file that this user owns."""
    try:
        found = os.lstat(path)
    except OSError as error:
        raise _make_error(path, (error.strerror or "unreadable").lower()) from None
    if not stat.S_ISREG(found.st_mode):
        raise _make_error(path, "it is a link, or no plain file")
    if found.st_uid != os.geteuid():
        raise _make_error(path, "it is somebody else's")
    return found


def _toggle_text(path: str, text: str, keys: list[str], *, on: bool) -> str:
    """Return the text with the key's value replaced; comments, order and layout do not change."""
    from hookline.wire.parsers import parse_yaml  # noqa: PLC0415 - few commands need it

    wanted = parse_yaml(text, path).value
    value = _find_value(text, keys)
    if on and value is None and (added := _with_key(path, text, keys, wanted)):
        return added
    start, end = (value.start_mark.index, value.end_mark.index) if value is not None else (0, 0)
    before, after = ("false", "true") if on else ("true", "false")
    if text[start:end].lower() != before:
        raise _make_error(path, f"no plain `{'.'.join(keys)}: {before}` stands in it")
    turned = f"{text[:start]}{after}{text[end:]}"
    table = wanted
    for key in keys[:-1]:
        table = table[key]
    table[keys[-1]] = on
    if parse_yaml(turned, path).value != wanted:  # an anchor shares the value with another key
        raise _make_error(
            path, f"what else goes by its `{'.'.join(keys)}` would be another value, too"
        )
    return turned


def _with_key(path: str, text: str, keys: list[str], given: Any) -> str:
    """Return the text with the key added, if that changes nothing else; else empty."""
    from hookline.wire.parsers import parse_yaml  # noqa: PLC0415 - as above

    root = {} if given is None else given
    table = root.get(keys[0], {}) if isinstance(root, dict) else None
    added = _add_key(text, keys)
    if not added or not isinstance(table, dict) or keys[1] in table:
        return ""
    try:
        is_all = parse_yaml(added, path).value == {**root, keys[0]: {**table, keys[1]: True}}
    except ConfigError:
        return ""
    return added if is_all else ""


def _add_key(text: str, keys: list[str]) -> str:
    """Return the text with a missing `table.key` inserted; empty if the table is not a plain mapping."""
    if len(keys) != 2:  # noqa: PLR2004 - a table, and a key of it
        return ""
    table = _find_value(text, keys[:1])
    line_end = "\r\n" if "\r\n" in text else "\n"
    if table is None:
        before = text if not text or text.endswith("\n") else text + line_end
        return f"{before}{keys[0]}:{line_end}  {keys[1]}: true{line_end}"
    if not isinstance(table.value, list) or not table.value:
        return ""
    first = table.value[0]
    mark = first[0].start_mark if isinstance(first, tuple) else None
    if mark is None:
        return ""
    between = ", " if table.flow_style else line_end + " " * mark.column
    return f"{text[: mark.index]}{keys[1]}: true{between}{text[mark.index :]}"


def _find_value(text: str, keys: list[str]) -> Any:
    """Return the YAML node of a key, which has its position; None if the key is not written there."""
    from hookline.wire.yaml_reader import make_yaml  # noqa: PLC0415 - as above

    node = make_yaml().compose(text)
    for key in keys:
        pairs = node.value if isinstance(getattr(node, "value", None), list) else ()
        node = next(
            (pair[1] for pair in pairs if isinstance(pair, tuple) and pair[0].value == key), None
        )
    return node


def _replace(path: str, data: bytes, found: os.stat_result) -> None:
    """Replace the content of a file, unless another process wrote it meanwhile."""
    beside = f"{path}.{os.getpid()}.new"
    try:
        fd = os.open(
            beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
        try:
            with open(fd, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(fd, stat.S_IMODE(found.st_mode))
                os.fsync(fd)
            now = os.lstat(path)
            if (now.st_ino, now.st_size, now.st_mtime_ns) != (
                found.st_ino,
                found.st_size,
                found.st_mtime_ns,
            ):
                raise _make_error(path, "somebody is writing it")  # noqa: TRY301 - the temporary file is removed as for any failure
            os.replace(beside, path)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError as error:
        raise _make_error(path, (error.strerror or "unwritable").lower()) from None


def _make_error(path: str, why: str) -> ConfigError:
    return ConfigError(
        f"`{path}` is left as it is: {why}",
        name="config.unwritable",
        place=path,
        hint="write it there by hand",
    )
