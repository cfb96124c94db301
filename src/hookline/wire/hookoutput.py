"""Hook output: what a handler printed, as an object whose keys may have several spellings."""

from __future__ import annotations

import json
import re

from hookline.core.output_faults import describe_encoding_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn


# The types of a value, by the words that tables have for them.
TYPES: Mapping[str, type] = {
    "flag": bool, "text": str, "list": list, "object": dict, "any": object,
}  # fmt: skip


class UnreadableError(ValueError):
    """The output of a hook cannot be read; the text says why, for the author of the hook."""


class NoObjectError(UnreadableError):
    """The output of a hook is JSON, but not an object."""


def parse_object(text: str) -> dict[str, Any]:
    """Parse a text that consists of one JSON object. Of repeated keys, the last one counts.

    Raises:
        UnreadableError: not JSON, text before or after the object, or JSON that is not an object.
    """
    try:
        value = json.loads(text.strip().removeprefix("\ufeff"), parse_constant=_refuse)
    except json.JSONDecodeError as error:
        wrong = describe_encoding_fault(text)
        raise UnreadableError(
            wrong or f"stdout is not one JSON object: {error.msg.lower()} at line {error.lineno}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"stdout is not one JSON object: {error}") from None
    if not isinstance(value, dict):
        raise NoObjectError("stdout is JSON, but no object")
    return value


def background_seconds(line: str) -> float | None:
    """Return the seconds that a hook asks for in the background by its first line of output.

    None where it does not ask.

    The line is one JSON object with `"async": true`. Its `asyncTimeout` is in milliseconds; without
    it there is no limit, which is infinity.
    """
    if '"async"' not in line:
        return None
    try:
        given = parse_object(line)
    except UnreadableError:
        return None
    if given.get("async") is not True:
        return None
    limit = given.get("asyncTimeout")
    if isinstance(limit, int | float) and not isinstance(limit, bool) and limit > 0:
        return limit / 1000
    return float("inf")


def _refuse(constant: str) -> NoReturn:
    raise UnreadableError(f"`{constant}` is no JSON")


def has_object_start(text: str) -> bool:
    """Return whether a line of the text looks like the start of an output object amid other output.

    Most hosts take such text for a log. In strict mode, a guard with such output has not permitted
    anything.
    """
    return any(line.lstrip().startswith("{") for line in split_lines(text))


def split_lines(text: str) -> list[str]:
    """Return the lines of an output.

    `str.splitlines` would also break at characters that JSON may contain, such as U+2028.
    """
    return text.replace("\r", "\n").split("\n")


def key_types(**keys: str) -> dict[str, type]:
    """Return key -> the type of its value, from the keys of each type as words.

    The types are `flag`, `text`, `list`, `object` and `any`: `key_types(text="reason summary")`.
    """
    return {key: TYPES[name] for name, words in keys.items() for key in words.split()}


def normalise_keys(
    given: Mapping[str, Any], wanted: Mapping[str, type], *, camel: bool
) -> tuple[dict[str, Any], list[str]]:
    """Return the entries of known keys in our spelling, as `select_typed` does, and unknown keys.

    Letter case does not matter; with `camel`, neither do underscores, so `updatedInput` is
    `updated_input`. Of several spellings of one key, the last one counts.

    Raises:
        UnreadableError: as `select_typed`.
    """
    by_fold = {_fold(key, camel=camel): key for key in wanted}
    read: dict[str, Any] = {}
    strange: list[str] = []
    for key, value in given.items():
        name = by_fold.get(_fold(key, camel=camel))
        if name is None:
            strange.append(key)
        else:
            read[name] = value
    return select_typed(read, wanted), strange


def _fold(key: str, *, camel: bool) -> str:
    return key.replace("_", "").lower() if camel else key.lower()


def select_typed(
    read: Mapping[str, Any], wanted: Mapping[str, type | tuple[type, ...]]
) -> dict[str, Any]:
    """Return the entries whose value is not null; each must have the type that its key wants.

    Raises:
        UnreadableError: a value of another type; the text names the key.
    """
    checked: dict[str, Any] = {}
    for key, value in read.items():
        if value is None:
            continue
        kind = wanted.get(key, object)
        if not isinstance(value, kind) or (
            isinstance(value, bool) and kind is not bool and kind is not object
        ):
            raise UnreadableError(f"`{key}` has a value of the wrong type")
        checked[key] = value
    return checked


def encode_text(text: str) -> bytes:
    """Encode a text as UTF-8; a lone surrogate becomes U+FFFD, because UTF-8 has no form for it."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", "\ufffd", text).encode()


def to_json_line(document: Mapping[str, Any]) -> str:
    """Return an output object as one line of JSON; empty for an empty object."""
    return json.dumps(document, ensure_ascii=False) + "\n" if document else ""
