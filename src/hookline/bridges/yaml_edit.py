"""YAML edits: entries in lists below `hooks`; comments and layout of the file stay."""

from __future__ import annotations

import io

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hookline.bridges.entry import Entry

# How people indent lists below a key: as the writer's `sequence` and `offset`.
_LAYOUTS = ((4, 2), (2, 0))


def update_yaml(
    source: bytes, entries: Sequence[Entry], is_own: Callable[[Any], bool], *, path: str
) -> bytes:
    """Return a YAML text in which exactly `entries` are own entries.

    Raises:
        ConfigError: the text is broken, has another shape, or would not be kept byte for byte.
    """
    for sequence, offset in _LAYOUTS:
        yaml = YAML()
        yaml.preserve_quotes = True
        yaml.width = 1 << 20
        yaml.indent(mapping=2, sequence=sequence, offset=offset)
        yaml.line_break = "\r\n" if b"\r\n" in source else "\n"  # type: ignore[assignment]
        try:
            tree = yaml.load(source.decode())
        except (YAMLError, UnicodeDecodeError) as error:
            raise _make_error(path, " ".join(str(error).split())) from None
        was_filled = tree is not None
        if not was_filled:
            tree = yaml.map()
        if not was_filled or _write(yaml, tree) == source:
            if not isinstance(tree, dict):
                raise _make_error(path, "it is not a mapping")
            _change(yaml, tree, entries, is_own, path)
            if not tree:  # only comments may stand before what was removed
                return source[: source.find(b"hooks:")]
            return _write(yaml, tree) if was_filled else source + _write(yaml, tree)
    raise _make_error(path, "its layout would not be kept", _show(YAML(), entries))


def _change(
    yaml: Any, tree: Any, entries: Sequence[Entry], is_own: Callable[[Any], bool], path: str
) -> None:
    hooks = tree.get("hooks")
    if hooks is None:
        hooks = tree["hooks"] = yaml.map()
    if not isinstance(hooks, dict):
        raise _make_error(path, "`hooks` is not a mapping")
    wanted: dict[str, list[Any]] = {event: [] for event in hooks}
    for keys, value in entries:
        wanted.setdefault(keys[1], []).append(value)
    for event, values in wanted.items():
        present = hooks.get(event)
        present = [] if present is None else present
        if not isinstance(present, list):
            raise _make_error(path, f"`hooks.{event}` is not a list")
        _change_list(present, values, is_own)
        if present:
            hooks[event] = present
        else:
            del hooks[event]
    if not hooks:
        del tree["hooks"]


def _change_list(present: list[Any], values: list[Any], is_own: Callable[[Any], bool]) -> None:
    """Replace the own entries of a list by values, in order; add the rest, remove what is left."""
    own = [at for at, each in enumerate(present) if is_own(each)]
    present += values[len(own) :]
    for at, value in reversed(list(zip(own, [*values, *[None] * len(own)], strict=False))):
        if value is None:
            del present[at]
        elif present[at] != value:
            present[at] = value


def _write(yaml: Any, tree: Any) -> bytes:
    stream = io.StringIO()
    yaml.dump(tree, stream)
    return stream.getvalue().encode()


def _show(yaml: Any, entries: Sequence[Entry]) -> str:
    tree: dict[str, Any] = {}
    for keys, value in entries:
        tree.setdefault(keys[1], []).append(value)
    return "add to it by hand:\n" + _write(yaml, {"hooks": tree}).decode()


def _make_error(path: str, why: str, hint: str = "") -> ConfigError:
    return ConfigError(
        f"cannot be edited: {why}",
        name="install.unreadable",
        place=path,
        hint=hint or "mend the file; hookline has written nothing",
    )
