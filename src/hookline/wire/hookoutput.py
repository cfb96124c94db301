"""Hook output: what a handler printed, as an object whose keys may be spelled in more than one way."""

from __future__ import annotations

import json
import re

from hookline.text.output_encoding import describe_encoding_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, NoReturn


class UnreadableError(ValueError):
    """What a hook printed cannot be read; the text says why, in words for the person who wrote the hook."""


class NoObjectError(UnreadableError):
    """What a hook printed is JSON, but no object."""


def one_object(text: str) -> dict[str, Any]:
    """The one JSON object that the text consists of. A repeated key: the last one wins.

    Raises:
        UnreadableError: not JSON, text before or after the object, or JSON that is no object.
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
    """Return the seconds that a hook asks for in the background by its first line of output; None where it does not ask.

    The line is one JSON object with `"async": true`. Its `asyncTimeout` is in milliseconds; without it there is no limit,
    which is infinity.
    """
    if '"async"' not in line:
        return None
    try:
        given = one_object(line)
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


def begins_an_object(text: str) -> bool:
    """Whether a line of the text looks like the beginning of an output object, with noise around it.

    To most hosts such text is a log; in strict mode a guard that printed noise around its answer has not said yes.
    """
    return any(line.lstrip().startswith("{") for line in lines(text))


def lines(text: str) -> list[str]:
    """The lines that a program printed. `str.splitlines` would also break where JSON may hold the character as it is (U+2028)."""
    return text.replace("\r", "\n").split("\n")


def spelled(
    given: Mapping[str, Any], known: Iterable[str], *, camel: bool
) -> tuple[dict[str, Any], list[str]]:
    """The object with its known keys in our spelling, and the keys that are not known.

    Letter case never matters; with `camel`, neither do underscores, so that `updatedInput` is `updated_input`. Where two
    keys mean the same, the last one wins.
    """
    by_fold = {_fold(key, camel=camel): key for key in known}
    read: dict[str, Any] = {}
    strange: list[str] = []
    for key, value in given.items():
        name = by_fold.get(_fold(key, camel=camel))
        if name is None:
            strange.append(key)
        else:
            read[name] = value
    return read, strange


def _fold(key: str, *, camel: bool) -> str:
    return key.replace("_", "").lower() if camel else key.lower()


def typed(read: Mapping[str, Any], wanted: Mapping[str, type | tuple[type, ...]]) -> dict[str, Any]:
    """The entries whose value is not null, each of the type that its key wants.

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
    """The text as UTF-8; half a surrogate pair, which UTF-8 cannot say and few readers accept, becomes U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", "\ufffd", text).encode()


def printed(document: Mapping[str, Any]) -> str:
    """An output object as one line of JSON; nothing for an empty one."""
    return json.dumps(document, ensure_ascii=False) + "\n" if document else ""
