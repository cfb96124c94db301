"""Reads YAML 1.2 with ruamel.yaml as plain values, and keeps the line and column of each part."""

from __future__ import annotations

import json
import re

from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.scanner import RoundTripScanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Path: TypeAlias = tuple[str | int, ...]
    Place: TypeAlias = tuple[int, int]

# The limit for nested flow collections (`[[...]]`); 2,000 of them took ten seconds.
_DEEPEST_FLOW = 32
_DEEPEST = 200  # levels of nesting
_LONGEST_INTEGER = 10_000  # bits; Python writes no number of more than 4,300 digits
_MOST_NODES = 200_000  # parts of a file; aliases of aliases make many
_SURROGATE = re.compile("[\ud800-\udfff]")


class FaultyYamlError(ValueError):
    """What is wrong with a text: why, the name of its code, its line and column, and a hint."""

    def __init__(
        self, why: str, place: Place | None, name: str = "config.syntax", hint: str = ""
    ) -> None:
        super().__init__(why)
        self.why = why
        self.place = place
        self.name = name
        self.hint = hint


def read_yaml(text: str, first_line: int = 1) -> tuple[Any, dict[Path, Place]]:
    """Return the value of a text, and line and column (from 1) of each part by its path of keys.

    `first_line`: the line of the file at which the text begins.

    Raises:
        FaultyYamlError: the text is not YAML, has a key twice, or is too large.
    """
    yaml = YAML(typ="rt")
    yaml.Scanner = _Scanner
    yaml.composer.warn_double_anchors = False
    plain = _Plain(first_line)
    try:
        loaded = yaml.load(text)
    except FaultyYamlError:
        raise
    except DuplicateKeyError as error:
        key = str(error.problem or "").partition('"')[2].partition('"')[0]
        raise _repeated_key(key, plain.from_mark(error.problem_mark)) from None
    except MarkedYAMLError as error:
        why = " ".join(part for part in (error.context, error.problem) if part)
        place = plain.from_mark(error.problem_mark or error.context_mark)
        raise FaultyYamlError(f"not YAML: {why}", place) from None
    except Exception as error:  # noqa: BLE001 - ruamel lets errors of its own code escape
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FaultyYamlError(f"not YAML: {why}", None) from None
    return plain.copy(loaded, ()), plain.places


class _Scanner(RoundTripScanner):
    # Ruamel's name.
    def fetch_flow_collection_start(self, TokenClass: Any, to_push: Any) -> None:  # noqa: N803
        if self.flow_level >= _DEEPEST_FLOW:
            raise FaultyYamlError("nested too deeply", None, "config.too-large")
        super().fetch_flow_collection_start(TokenClass, to_push)


def _repeated_key(key: str, place: Place | None) -> FaultyYamlError:
    why = f"the key `{key}` stands twice"
    return FaultyYamlError(why, place, "config.duplicate-key", "join the two blocks")


class _Plain:
    """Copies what ruamel loaded into plain values, and keeps the places."""

    def __init__(self, first_line: int) -> None:
        self.first_line = first_line
        self.places: dict[Path, Place] = {(): (first_line, 1)}
        self.left = _MOST_NODES

    def from_mark(self, mark: Any) -> Place | None:
        """Return the place of a mark of ruamel's."""
        return None if mark is None else (mark.line + self.first_line, mark.column + 1)

    def copy(self, node: Any, path: Path) -> Any:
        self.left -= 1
        if self.left < 0 or len(path) > _DEEPEST:
            why = "too many or too deeply nested parts"
            raise FaultyYamlError(why, None, "config.too-large", "check its aliases")
        if hasattr(node, "lc") and hasattr(node, "items"):
            return self._mapping(node, path)
        if isinstance(node, list):
            # `!!pairs` has no places.
            locate = node.lc.item if hasattr(node, "lc") else {}.__getitem__
            return [self._part(at, at, locate, value, path) for at, value in enumerate(node)]
        return self._plain_text(node, path)

    def _plain_text(self, node: Any, path: Path) -> Any:
        """Return a scalar as a plain value.

        Raises:
            FaultyYamlError: a text has half of a surrogate pair.
        """
        try:
            scalar = _scalar(node)
        except UnicodeError:
            why = "half of a surrogate pair, which is no character"
            hint = "write the character itself, or both halves as in `\\ud83d\\ude00`"
            raise FaultyYamlError(why, self._nearest(path), hint=hint) from None
        if isinstance(scalar, int) and scalar.bit_length() > _LONGEST_INTEGER:
            raise FaultyYamlError("a whole number of more than 3,000 digits", self._nearest(path))
        return scalar

    def _nearest(self, path: Path) -> Place:
        while path not in self.places:
            path = path[:-1]
        return self.places[path]

    def _mapping(self, node: Any, path: Path) -> dict[str, Any]:
        copied: dict[str, Any] = {}
        for key, value in node.items():
            name = self._plain_text(_key(key), path)
            if name in copied:  # `1` and `"1"`
                raise _repeated_key(name, self._nearest((*path, name)))
            copied[name] = self._part(key, name, node.lc.key, value, path)
        return copied

    def _part(
        self,
        key: Any,
        name: str | int,
        locate: Callable[[Any], tuple[int, int]],
        value: Any,
        path: Path,
    ) -> Any:
        here = (*path, name)
        try:
            line, column = locate(key)
            self.places[here] = (line + self.first_line, column + 1)
        except (KeyError, IndexError, TypeError):  # a merged key (`<<`) has no place of its own
            pass
        return self.copy(value, here)


def _key(key: Any) -> str:
    return json.dumps(key) if key is None or isinstance(key, bool) else str(key)


def _scalar(node: Any) -> Any:
    # A boolean with an anchor is an integer to ruamel.
    if type(node).__name__ == "ScalarBoolean":
        return bool(node)
    for plain in (bool, int, float):
        if isinstance(node, plain):
            return plain(node)
    return None if node is None else _join_surrogates(str(node))


def _join_surrogates(text: str) -> str:
    """Return the text with each pair of surrogates joined to the character that it stands for.

    Raises:
        UnicodeError: there is half of a pair.
    """
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16")
