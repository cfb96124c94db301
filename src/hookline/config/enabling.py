"""Enabling: a key of a person's YAML file turned from false to true or back, and every other byte of the file left as it is."""

from __future__ import annotations

import os
import stat

from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LARGEST = 1 << 20  # bytes; an agent's settings are a page


def enable(path: str, pointer: str, project: str = "", *, on: bool = True) -> None:
    """Turn a key on, given with its path of keys, joined by dots; the file is replaced all at once, and keeps its mode.

    `on=False` turns a key off that is on. `project`: a folder that no link in it may lead out of, since a clone may have laid it.

    Raises:
        ConfigError: `config.unwritable`, with the place. The file is then as it was.
    """
    if project and _leaves(path, project):
        raise _refused(path, "a link leads out of this project to it")
    found = _looked_at(path)
    with open(path, "rb") as file:
        raw = file.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise _refused(path, "it is larger than 1 MiB")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise _refused(path, "it is no text in UTF-8") from None
    _replace(path, _turned(path, text, pointer.split("."), on=on).encode("utf-8"), found)


def _leaves(path: str, project: str) -> bool:
    """Whether a path goes into a project, by whatever name, and by a link out of it again."""
    root, steps = os.path.realpath(project), os.path.abspath(path)
    while steps != "/" and os.path.realpath(steps) != root:
        steps = os.path.dirname(steps)
    return steps != "/" and not os.path.realpath(path).startswith(f"{root}/")


def _looked_at(path: str) -> os.stat_result:
    """The file's times and mode; only a plain file of this user's own is written."""
    try:
        found = os.lstat(path)
    except OSError as error:
        raise _refused(path, (error.strerror or "unreadable").lower()) from None
    if not stat.S_ISREG(found.st_mode):
        raise _refused(path, "it is a link, or no plain file")
    if found.st_uid != os.geteuid():
        raise _refused(path, "it is somebody else's")
    return found


def _turned(path: str, text: str, keys: list[str], *, on: bool) -> str:
    """The text with the other value where the key's value stands; comments, order and layout are not touched."""
    from hookline.wire.parsers import parse_yaml  # noqa: PLC0415 - few people ever turn a key of a file

    wanted = parse_yaml(text, path).value
    value = _value_of(text, keys)
    if on and value is None and (added := _with_key(path, text, keys, wanted)):
        return added
    start, end = (value.start_mark.index, value.end_mark.index) if value is not None else (0, 0)
    before, after = ("false", "true") if on else ("true", "false")
    if text[start:end].lower() != before:
        raise _refused(path, f"no plain `{'.'.join(keys)}: {before}` stands in it")
    turned = f"{text[:start]}{after}{text[end:]}"
    table = wanted
    for key in keys[:-1]:
        table = table[key]
    table[keys[-1]] = on
    if parse_yaml(turned, path).value != wanted:  # an anchor, by which it stands elsewhere, too
        raise _refused(
            path, f"what else goes by its `{'.'.join(keys)}` would be another value, too"
        )
    return turned


def _with_key(path: str, text: str, keys: list[str], given: Any) -> str:
    """The text with the key added, if that changes nothing else; empty otherwise."""
    from hookline.wire.parsers import parse_yaml  # noqa: PLC0415 - as above

    root = {} if given is None else given
    table = root.get(keys[0], {}) if isinstance(root, dict) else None
    added = _added(text, keys)
    if not added or not isinstance(table, dict) or keys[1] in table:
        return ""
    try:
        is_all = parse_yaml(added, path).value == {**root, keys[0]: {**table, keys[1]: True}}
    except ConfigError:
        return ""
    return added if is_all else ""


def _added(text: str, keys: list[str]) -> str:
    """The text with a key of two parts that it does not have yet; empty where it has no plain place for it."""
    if len(keys) != 2:  # noqa: PLR2004 - a table, and a key of it
        return ""
    table = _value_of(text, keys[:1])
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


def _value_of(text: str, keys: list[str]) -> Any:
    """The node of a key, which knows where it stands; None where it is not there as it is written."""
    from hookline.wire.yaml_reader import make_yaml  # noqa: PLC0415 - as above

    node = make_yaml().compose(text)
    for key in keys:
        pairs = node.value if isinstance(getattr(node, "value", None), list) else ()
        node = next(
            (pair[1] for pair in pairs if isinstance(pair, tuple) and pair[0].value == key), None
        )
    return node


def _replace(path: str, data: bytes, found: os.stat_result) -> None:
    """Put other bytes in the place of a file, unless somebody wrote it meanwhile."""
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
                raise _refused(path, "somebody is writing it")  # noqa: TRY301 - what lies beside it is taken away as for any failure
            os.replace(beside, path)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError as error:
        raise _refused(path, (error.strerror or "unwritable").lower()) from None


def _refused(path: str, why: str) -> ConfigError:
    return ConfigError(
        f"`{path}` is left as it is: {why}",
        name="config.unwritable",
        place=path,
        hint="write it there by hand",
    )
