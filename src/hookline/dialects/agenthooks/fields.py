"""Fields: what the front matter of a HOOK.md declares, read with every tolerance that the format asks for."""

from __future__ import annotations

import json
import re

from hookline.dialects.agenthooks.table import PRIORITY, TIMEOUT
from hookline.errors import ConfigError
from hookline.model.conditions import Leaves, Pattern
from hookline.model.frozen import Frozen
from hookline.text.regex import compile_regex
from hookline.text.suggestions import did_you_mean
from hookline.wire.fields import describe_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow, Table
    from hookline.dialects.agenthooks.findings import Findings
    from hookline.model.conditions import Condition

FIELDS = (
    "name",
    "description",
    "trigger",
    "matcher",
    "timeout",
    "async",
    "async_",
    "priority",
    "metadata",
)
SETTABLE = ("timeout", "async")  # what a level's settings may give another default
FAIL_MODE = "fail-mode"
CANNOT_BLOCK = "an asynchronous hook on `{}` can neither block nor rewrite"
_LONGEST_NAME = 64
_LONGEST_DESCRIPTION = 1024
_WHOLE = re.compile(r"[+-]?[0-9]{1,100}")
_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")
_CONDITIONS: Mapping[str, Callable[[str, Any], Condition]] = {
    "tool": lambda source, regex: Pattern(field="tool", source=source, regex=regex),
    "pattern": lambda source, regex: Leaves(source=source, regex=regex),
}


class Declared(Frozen):
    """What a front matter declares. `native` is the trigger as written; `row` is None where that is no event.

    `timeout` is in milliseconds and, like `priority`, inside its range. `said`: the fields with a default that it states.
    """

    name: str
    description: str
    native: str
    row: EventRow | None
    matcher: Mapping[str, str]
    conditions: tuple[Condition, ...]
    timeout: int
    priority: int
    detached: bool
    metadata: Mapping[str, Any]
    said: tuple[str, ...]


def read_fields(
    given: Mapping[str, Any], table: Table, directory: str, found: Findings
) -> Declared:
    """Every field of a front matter; all that is wrong with it is found at once."""
    only(given, FIELDS, "field.unknown", "front matter", found)
    native, row = _trigger(given, table, found)
    matcher, conditions = matcher_of(given, row, found)
    return Declared(
        name=_name(given, directory, found),
        description=_description(given, found),
        native=native,
        row=row,
        matcher=matcher,
        conditions=conditions,
        timeout=timeout_of(given, found),
        priority=priority_of(given, found),
        detached=detached_of(given, row, found),
        metadata=metadata_of(given, found),
        said=tuple(
            key
            for key in SETTABLE
            if given.get(key) is not None or (key == "async" and given.get("async_") is not None)
        ),
    )


def only(
    given: Iterable[Any],
    known: tuple[str, ...],
    finding: str,
    what: str,
    found: Findings,
    *path: str,
) -> None:
    """File a finding for each key that is not known."""
    for key in given:
        if key not in known:
            hint = did_you_mean(str(key), known) or f"known fields: {', '.join(known)}"
            found.add(finding, f"unknown field `{key}` in the {what}", *path, str(key), hint=hint)


# -- name and description ----------------------------------------------------------------------------------------------


def _name(given: Mapping[str, Any], directory: str, found: Findings) -> str:
    if given.get("name") is None:
        found.add(
            "name.missing", "the field `name` is missing", hint=f"name: {directory or 'my-hook'}"
        )
        return ""
    name = as_text(given["name"]).strip()
    if not name:
        found.add("name.empty", "`name` is blank", "name", hint=f"name: {directory or 'my-hook'}")
    for finding, wrong in _style(name, directory):
        found.add(finding, f"the name `{name:.80}` {wrong}", "name")
    return name


def _style(name: str, directory: str) -> Iterable[tuple[str, str]]:
    """Every rule of style that a name breaks (docs/formats/agenthooks.md 4)."""
    if not name:
        return
    normal = _nfkc(name)
    if len(normal) > _LONGEST_NAME:
        yield "name.length", f"is longer than {_LONGEST_NAME} characters"
    if normal != normal.lower():
        yield "name.case", "is not in lower case"
    if not all(char.isalnum() or char == "-" for char in normal):
        yield "name.chars", "has characters other than letters, digits and `-`"
    if normal.startswith("-") or normal.endswith("-"):
        yield "name.hyphen-edge", "begins or ends with `-`"
    if "--" in normal:
        yield "name.hyphen-double", "has a double `-`"
    if directory and normal != _nfkc(directory):
        yield "name.dir-mismatch", f"differs from its directory `{directory}`"


def _nfkc(text: str) -> str:
    if text.isascii():
        return text
    import unicodedata  # noqa: PLC0415 - most names do not need its tables

    return unicodedata.normalize("NFKC", text)


def _description(given: Mapping[str, Any], found: Findings) -> str:
    if given.get("description") is None:
        found.add("description.missing", "the field `description` is missing")
        return ""
    raw = as_text(given["description"])
    if not raw.strip():
        found.add("description.empty", "`description` is blank", "description")
    elif len(raw) > _LONGEST_DESCRIPTION:
        found.add(
            "description.length",
            f"`description` is longer than {_LONGEST_DESCRIPTION} characters",
            "description",
        )
    return raw.strip()


# -- trigger and matcher -----------------------------------------------------------------------------------------------


def _trigger(
    given: Mapping[str, Any], table: Table, found: Findings
) -> tuple[str, EventRow | None]:
    native = given.get("trigger")
    if native is None or native == "":
        found.add(
            "trigger.missing",
            "the field `trigger` is missing",
            hint=f"one of {', '.join(table.rows)}",
        )
        return "", None
    row = table.row(native) if isinstance(native, str) else None
    if row is None:
        text = as_text(native)
        hint = (
            did_you_mean(text, (*table.rows, *table.aliases)) or f"one of {', '.join(table.rows)}"
        )
        found.add("trigger.unknown", f"unknown trigger `{text:.80}`", "trigger", hint=hint)
        return text, None
    if native != row.native:
        found.add(
            "trigger.legacy",
            f"`{native}` is the older name of `{row.native}`",
            "trigger",
            hint=f"trigger: {row.native}",
        )
    return str(native), row


def matcher_of(
    given: Mapping[str, Any], row: EventRow | None, found: Findings
) -> tuple[Mapping[str, str], tuple[Condition, ...]]:
    """The expressions of the matcher, and the conditions that they make."""
    matcher = given.get("matcher")
    if matcher is None:
        return {}, ()
    if row is not None and not row.subject:
        found.add(
            "matcher.not-applicable",
            f"`{row.native}` has no tool, so the matcher is ignored",
            "matcher",
        )
        return {}, ()
    if not isinstance(matcher, dict):
        found.add(
            "matcher.type",
            f"`matcher` must be a mapping, not {describe_value(matcher)}",
            "matcher",
            hint="with `tool` and `pattern`",
        )
        return {}, ()
    only(matcher, tuple(_CONDITIONS), "matcher.unknown-field", "matcher", found, "matcher")
    texts = {key: text for key in _CONDITIONS if (text := _expression(matcher, key, found))}
    conditions = (_condition(key, text, found) for key, text in texts.items())
    return texts, tuple(condition for condition in conditions if condition is not None)


def _expression(matcher: Mapping[str, Any], key: str, found: Findings) -> str:
    """The text of an expression; an empty one is none, because over-matching is the safe side for a guard."""
    value = matcher.get(key)
    if value is None:
        return ""
    if not isinstance(value, str | int) or isinstance(value, bool):
        found.add(
            "matcher.type",
            f"`{key}` of the matcher must be text, not {describe_value(value)}",
            "matcher",
            key,
        )
        return ""
    text = str(value)
    if "\b" in text:
        hint = "in double quotes `\\b` is that control character; write the text in single quotes"
        found.add(
            "matcher.control",
            f"`{key}` of the matcher has a backspace in it",
            "matcher",
            key,
            hint=hint,
        )
    return text


def _condition(key: str, text: str, found: Findings) -> Condition | None:
    try:
        return _CONDITIONS[key](text, compile_regex(text))
    except ConfigError as error:
        found.add(
            "matcher.regex",
            f"`{key}` of the matcher: {error.message}",
            "matcher",
            key,
            hint=error.hint,
        )
        return None


# -- the rest ----------------------------------------------------------------------------------------------------------


def timeout_of(given: Mapping[str, Any], found: Findings) -> int:
    """The timeout in milliseconds, within its range; the default where there is none, or none that can be read."""
    return _integer(given, "timeout", TIMEOUT, found, "whole milliseconds, without a unit")


def priority_of(given: Mapping[str, Any], found: Findings) -> int:
    """The priority, within its range; the default where there is none, or none that can be read."""
    return _integer(given, "priority", PRIORITY, found, "a whole number; higher runs first")


def _integer(
    given: Mapping[str, Any], key: str, limits: tuple[int, int, int], found: Findings, hint: str
) -> int:
    default, least, most = limits
    value = given.get(key)
    if value is None:
        return default
    number = _whole(value)
    if number is None:
        found.add(
            f"{key}.type",
            f"`{key}` must be a whole number, not {describe_value(value)}",
            key,
            hint=hint,
        )
        return default
    if not least <= number <= most:
        found.add(f"{key}.range", f"`{key}: {value!s:.40}` is not within {least} and {most}", key)
    return min(max(number, least), most)


def _whole(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and _WHOLE.fullmatch(value.strip()) else None


def detached_of(given: Mapping[str, Any], row: EventRow | None, found: Findings) -> bool:
    """What `async`, or `async_`, says; false where there is neither, or no word for it (docs/formats/agenthooks.md 4)."""
    key = "async" if given.get("async") is not None else "async_"
    value = given.get(key)
    if value is None:
        return False
    word = as_text(value).strip().lower()
    if word not in _TRUE + _FALSE:
        found.add(
            "async.type",
            f"`{key}` must be true or false, not {describe_value(value)}; it counts as false",
            key,
        )
    if word in _TRUE and row is not None and row.decisive:
        hint = "leave `async` out, so that the hook is waited for"
        found.add("async.cannot-block", CANNOT_BLOCK.format(row.native), key, hint=hint)
    return word in _TRUE


def metadata_of(given: Mapping[str, Any], found: Findings) -> Mapping[str, Any]:
    """Return the metadata with the types that the file gives them; only the fail mode is read as text."""
    value = given.get("metadata")
    if value is None:
        return {}
    if not isinstance(value, dict):
        found.add(
            "metadata.type",
            f"`metadata` must be a mapping, not {describe_value(value)}",
            "metadata",
        )
        return {}
    metadata = {str(key): part for key, part in value.items()}
    if FAIL_MODE in metadata:
        metadata[FAIL_MODE] = as_text(metadata[FAIL_MODE])
    if metadata.get(FAIL_MODE, "open") not in ("open", "closed"):
        found.add(
            "metadata.fail-mode",
            f"unknown fail mode `{metadata[FAIL_MODE]:.40}`",
            "metadata",
            FAIL_MODE,
            hint="`closed` or `open`",
        )
    return metadata


def as_text(value: Any) -> str:
    """A value as text: texts as they are, anything else as JSON writes it."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (
        ValueError,
        TypeError,
        RecursionError,
    ):  # a tree that contains itself, or keys that are no texts
        return describe_value(value)
