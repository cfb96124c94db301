"""Parsers: YAML, JSON, TOML and front matter as plain values that know the line of each part."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from functools import lru_cache

# Documented by use: every decoder hook gets it.
from json.decoder import scanstring  # type: ignore[attr-defined]

from hookline.errors import ConfigError
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    Path: TypeAlias = tuple[str | int, ...]
    Places: TypeAlias = Mapping[Path, tuple[int, int]]

_DEEPEST = 200  # levels of nesting
_LONGEST_INTEGER = 10_000  # bits; Python writes no number of more than 4,300 digits
_LONGEST = 1 << 20  # of YAML about ten seconds of ruamel's time
_NO_PLACES: Places = {}


class Tree(Frozen):
    """A parsed file: a plain value, and line and column (from 1) of each part by its path of keys.

    `repeated`: keys that occur twice in one JSON object, of which the last counts; known only with
    places. `unplaced`: the parser and text of a tree without places.
    """

    value: Any
    places: Places = _NO_PLACES
    repeated: tuple[Path, ...] = ()
    unplaced: tuple[Callable[..., Tree], str] | None = None

    def search(self, path: Path) -> Callable[[], tuple[int, int]] | None:
        """Return a function that finds the place of `path` in a tree without places.

        None if the tree has places, or no text.
        """
        if self.unplaced is None:
            return None
        parser, text = self.unplaced
        return lambda: _parse_with_places(parser, text).place(path)

    def place(self, path: Path) -> tuple[int, int]:
        """Return line and column of the deepest known part on the way to `path`.

        (0, 0) if none is known.
        """
        for length in range(len(path), -1, -1):
            found = self.places.get(path[:length])
            if found is not None:
                return found
        return (0, 0)


@lru_cache(maxsize=4)
def _parse_with_places(parser: Callable[..., Tree], text: str) -> Tree:
    """Parse a text again with places; cached for the other hooks of its file."""
    return parser(text)


def parse(text: str, file: str, *, placed: bool = True) -> Tree:
    """Parse a file's text: JSON or TOML if its name ends so, else YAML 1.2 (a superset of JSON).

    Raises:
        ConfigError: `config.syntax`, `config.duplicate-key`, `config.too-large`, with the place.
    """
    if file.endswith(".json"):
        return parse_json(text, file, placed=placed)
    if file.endswith(".toml"):
        return parse_toml(text, file, placed=placed)
    return parse_yaml(text, file)


def parse_json(text: str, file: str = "", *, placed: bool = True) -> Tree:
    """Parse JSON. Without `placed`, the tree has no line numbers, which is several times faster.

    Raises:
        ConfigError: `config.syntax`, `config.too-large`, with the place.
    """
    text = text.removeprefix("\ufeff")
    try:
        value = json.loads(text)
        if text.count("[") + text.count("{") > _DEEPEST:
            _refuse_depth(value, file)
        if not placed:
            return Tree(value=value, unplaced=(parse_json, text))
        places = _JsonPlaces(text)
        return Tree(value=value, places=places.found, repeated=tuple(places.repeated))
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"not JSON: {error.msg.lower()}", place=_place(file, error.lineno, error.colno)
        ) from None
    except ValueError as error:  # a number too long for Python to convert
        raise ConfigError(f"not JSON: {error}", place=file) from None
    except RecursionError:
        raise _too_deep(file) from None


def parse_toml(text: str, file: str = "", *, placed: bool = True) -> Tree:
    """Parse TOML 1.0; dates become texts. Without `placed`, the tree has no line numbers.

    Raises:
        ConfigError: `config.syntax`, `config.too-large`, with the place.
    """
    import tomllib  # noqa: PLC0415 - most hosts write JSON

    # As above.
    from hookline.wire.toml_places import MOST_PARTS, find_deep_key, find_places  # noqa: PLC0415

    _refuse_length(text, file)
    if (at := find_deep_key(text)) >= 0:
        raise ConfigError(
            f"a key of more than {MOST_PARTS} parts",
            name="config.too-large",
            place=_place(file, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)),
            hint="split it into tables",
        )
    try:
        value = _with_texts(tomllib.loads(text.removeprefix("\ufeff")))
        _refuse_depth(value, file)
        if not placed:
            return Tree(value=value, unplaced=(parse_toml, text))
        return Tree(value=value, places=find_places(text.removeprefix("\ufeff")))
    except tomllib.TOMLDecodeError as error:
        why, _, where = str(error).rpartition(" (at ")
        found = re.search(r"line (\d+), column (\d+)", where)
        line, column = map(int, found.groups()) if found else (text.count("\n") + 1, 1)
        raise ConfigError(
            f"not TOML: {why[:1].lower()}{why[1:]}", place=_place(file, line, column)
        ) from None
    except ValueError as error:  # a number too long for Python to convert, or an invalid date
        raise ConfigError(f"not TOML: {error}", place=file) from None
    except RecursionError:
        raise _too_deep(file) from None


def _with_texts(value: Any) -> Any:
    """Return a TOML value with dates and times as texts, so that every leaf is a JSON value."""
    if isinstance(value, dict):
        return {key: _with_texts(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_texts(part) for part in value]
    if isinstance(value, int) and value.bit_length() > _LONGEST_INTEGER:
        raise ValueError("a whole number of more than 3,000 digits")
    return value if isinstance(value, str | int | float) else str(value)


def _refuse_length(text: str, file: str) -> None:
    if len(text) > _LONGEST:
        raise ConfigError(f"longer than {_LONGEST >> 20} MiB", name="config.too-large", place=file)


def parse_yaml(text: str, file: str = "", *, first_line: int = 1) -> Tree:
    """Parse YAML 1.2; `first_line` is where the text begins in its file.

    Raises:
        ConfigError: `config.syntax`, `config.duplicate-key`, `config.too-large`, with the place.
    """
    # 20 ms that a host's JSON settings do not pay.
    from hookline.wire.yaml_reader import FaultyYamlError, read_yaml  # noqa: PLC0415

    _refuse_length(text, file)
    try:
        value, places = read_yaml(text, first_line)
    except FaultyYamlError as fault:
        place = _place(file, *fault.place) if fault.place else file
        raise ConfigError(fault.why, name=fault.name, place=place, hint=fault.hint) from None
    return Tree(value=value, places=places)


def _too_deep(file: str) -> ConfigError:
    return ConfigError("nested too deeply", name="config.too-large", place=file)


def _refuse_depth(value: Any, file: str) -> None:
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            part
            for node in level
            if isinstance(node, dict | list)
            for part in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return
    raise _too_deep(file)


def _place(file: str, line: int, column: int) -> str:
    return f"{file}:{line}:{column}" if file else f"{line}:{column}"


class _JsonPlaces:
    """Finds where each key and item of a JSON text begins.

    Only for a text that `json` has accepted.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.space = re.compile(r"[ \t\r\n\ufeff]*")
        self.scalar = re.compile(r"[^,\]}\s]+")
        self.breaks = [at for at, char in enumerate(text) if char == "\n"]
        self.found: dict[Path, tuple[int, int]] = {}
        self.repeated: list[Path] = []
        self._value(self._skip(0), ())

    def _skip(self, at: int) -> int:
        space = self.space.match(self.text, at)
        return space.end() if space else at

    def _note(self, path: Path, at: int) -> None:
        line = bisect_left(self.breaks, at)
        self.found[path] = (line + 1, at - (self.breaks[line - 1] if line else -1))

    def _value(self, at: int, path: Path) -> int:
        self.found.setdefault(path, (0, 0)) if path else self._note(path, at)
        first = self.text[at]
        if first == "{":
            return self._items(at, path, "}", keyed=True)
        if first == "[":
            return self._items(at, path, "]", keyed=False)
        if first == '"':
            return int(scanstring(self.text, at + 1)[1])
        scalar = self.scalar.match(self.text, at)
        return scalar.end() if scalar else at + 1

    def _items(self, at: int, path: Path, closing: str, *, keyed: bool) -> int:
        at, count = self._skip(at + 1), 0
        while self.text[at] != closing:
            key: str | int = count
            start = at
            if keyed:
                key, after = scanstring(self.text, at + 1)
                if (*path, key) in self.found:
                    self.repeated.append((*path, key))
                start = self._skip(self._skip(after) + 1)
            self._note((*path, key), at)
            at = self._value(start, (*path, key))
            at, count = self._skip(at), count + 1
            if self.text[at] == ",":
                at = self._skip(at + 1)
        return at + 1
