"""Reads the fields of a HOOK.md or a `hooks.toml`, and weighs the mistakes in them."""

from __future__ import annotations

import unicodedata

from hookline.dialects.agenthooks.table import NAME, PRIORITY, SETTINGS, TIMEOUT
from hookline.errors import ConfigError, did_you_mean
from hookline.model.frozen import Frozen
from hookline.model.spec import USER, HookSpec, Leaves, Origin, Pattern, Problem
from hookline.model.verdict import Stance
from hookline.wire.disable_flags import make_disable_flag
from hookline.wire.fields import Node, as_text, describe_value
from hookline.wire.sources import read_regex, read_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow, Source, Table
    from hookline.model.spec import Condition

LINT = "lint"  # beside the modes of a source, `fidelity` and `strict`
LEGACY = "trigger.legacy"  # reported by lint only
# The table of docs/formats/agenthooks.md 4. What is in neither set is an error.
WARNINGS = frozenset({
    "description.missing", "name.case", "name.chars", "name.dir-mismatch", LEGACY,
    "matcher.not-applicable", "matcher.control", "async.cannot-block", "async.type",
    "entry.missing", "frontmatter.escape", "trust.untrusted",
})  # fmt: skip
_UNKNOWN = frozenset({"field.unknown", "matcher.unknown-field"})
# Errors in lint only, except that an unknown field is one in strict mode too.
TOLERATED = _UNKNOWN | {
    "description.empty", "description.length", "name.length", "name.hyphen-edge",
    "name.hyphen-double", "timeout.range", "priority.range", "metadata.type",
    "metadata.fail-mode",
}  # fmt: skip
CANNOT_BLOCK = "an asynchronous hook on `{}` can neither block nor rewrite"
_LONGEST_NAME = 64
_LONGEST_DESCRIPTION = 1024
_FAIL_MODE = "fail-mode"
_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")
# Field -> default, least, most, and what to write.
_NUMBERS = {
    "timeout": (*TIMEOUT, "whole milliseconds, without a unit"),
    "priority": (*PRIORITY, "a whole number; higher runs first"),
}
_MATCHER = ("tool", "pattern")


def weigh(node: Node, mark: int, mode: str, hook: str = "") -> str:
    """Give the problems filed since `mark` their severity and the name of their hook.

    Args:
        node: any node of the file.
        mark: from `Node.mark`.
        mode: `lint`, or the mode in which the file is loaded.
        hook: the hook that the problems are about; empty where they name theirs, or none.

    Returns:
        The errors among them as the reason why the hook is broken; empty if there are none.
    """
    found, node.problems[mark:] = node.problems[mark:], []
    refused = {LINT: TOLERATED, "strict": _UNKNOWN}.get(mode, frozenset())
    warnings = WARNINGS | (TOLERATED - refused)
    for problem in found:
        severity = "warning" if problem.name in warnings else problem.severity
        if problem.name != LEGACY or mode == LINT:
            node.problems.append(problem.replace(severity=severity, hook=hook or problem.hook))
    return node.errors_since(mark)


# -- what identifies a hook ------------------------------------------------------------------------


def read_name(node: Node, directory: str) -> str:
    """Return the name of a hook; empty if it is missing."""
    name = _read_text(node, "name", f"name: {directory or 'my-hook'}").strip()
    normal = unicodedata.normalize("NFKC", name)
    is_plain = all(char.isalnum() or char == "-" for char in normal)
    is_other = name and directory and normal != unicodedata.normalize("NFKC", directory)
    for finding, is_wrong, why in (
        ("length", len(normal) > _LONGEST_NAME, f"is longer than {_LONGEST_NAME} characters"),
        ("case", normal != normal.lower(), "is not in lower case"),
        ("chars", not is_plain, "has characters other than letters, digits and `-`"),
        ("hyphen-edge", normal != normal.strip("-"), "begins or ends with `-`"),
        ("hyphen-double", "--" in normal, "has a double `-`"),
        ("dir-mismatch", is_other, f"differs from its directory `{directory}`"),
    ):
        if is_wrong:
            node.complain(f"name.{finding}", f"the name `{name:.80}` {why}", "name")
    return name


def read_description(node: Node) -> str:
    """Return the description of a hook; empty if it is missing."""
    description = _read_text(node, "description")
    if len(description) > _LONGEST_DESCRIPTION:
        why = f"`description` is longer than {_LONGEST_DESCRIPTION} characters"
        node.complain("description.length", why, "description")
    return description.strip()


def _read_text(node: Node, key: str, hint: str = "") -> str:
    given = node.value.get(key)
    if given is None:
        node.complain(f"{key}.missing", f"the field `{key}` is missing", hint=hint)
        return ""
    text = as_text(given)
    if not text.strip():
        node.complain(f"{key}.empty", f"`{key}` is blank", key, hint=hint)
    return text


def read_trigger(node: Node, table: Table) -> tuple[str, EventRow | None]:
    """Return the event of a hook as the file spells it, and its row.

    None for an event that the format does not have.
    """
    native, events = as_text(node.value.get("trigger") or ""), f"one of {', '.join(table.rows)}"
    row = table.row(native)
    if not native:
        node.complain("trigger.missing", "the field `trigger` is missing", hint=events)
    elif row is None:
        hint = did_you_mean(native, (*table.rows, *table.aliases)) or events
        node.complain("trigger.unknown", f"unknown trigger `{native:.80}`", "trigger", hint=hint)
    elif native != row.native:
        why = f"`{native}` is the older name of `{row.native}`"
        node.complain(LEGACY, why, "trigger", hint=f"trigger: {row.native}")
    return native, row


# -- what settings can change, too -----------------------------------------------------------------


def read_options(node: Node, known: Iterable[str], row: EventRow | None = None) -> dict[str, Any]:
    """Return the options that a mapping states, and file what is wrong with them.

    A wrong value counts as the default.

    Args:
        node: the mapping.
        known: the keys that it may have.
        row: the event of the hook; None where it is not known yet.
    """
    options: dict[str, Any] = {}
    for key in known:
        spelled = "async_" if key == "async" and node.value.get(key) is None else key
        if key in _READERS and node.value.get(spelled) is not None:
            options[key] = _READERS[key](node, spelled, row)
    return options


def apply_options(spec: HookSpec, options: Mapping[str, Any], row: EventRow | None) -> HookSpec:
    """Return the hook with these options in place of its own; metadata is added key by key.

    A failure goes on, unless the metadata or strict mode says otherwise. An asynchronous hook never
    decides (docs/formats/agenthooks.md 9).
    """
    metadata = {**spec.facts.get("metadata", {}), **options.get("metadata", {})}
    detached = options.get("async", spec.detached)
    closes = spec.strict and row is not None and not row.feedback
    if metadata.get(_FAIL_MODE) in ("open", "closed"):
        closes = metadata[_FAIL_MODE] == "closed"
    return spec.replace(
        timeout=options["timeout"] / 1000 if "timeout" in options else spec.timeout,
        rank=-options["priority"] if "priority" in options else spec.rank,
        detached=detached,
        conditions=options["matcher"]
        if "matcher" in options and row and row.subject
        else spec.conditions,
        on_failure=Stance.DENY if closes and not detached else Stance.SILENT,
        facts={**spec.facts, "metadata": metadata},
    )


def _read_matcher(node: Node, key: str, row: EventRow | None) -> tuple[Condition, ...]:
    if row is not None and not row.subject:
        why = f"`{row.native}` has no tool, so the matcher is ignored"
        node.complain("matcher.not-applicable", why, key)
        return ()
    matcher = node.child(key)
    if not matcher.is_mapping("`matcher`", "matcher.type"):
        return ()
    matcher.check_known_keys(_MATCHER, "the matcher", name="matcher.unknown-field")
    return tuple(_read_conditions(matcher))


def _read_conditions(matcher: Node) -> Iterator[Condition]:
    for key in _MATCHER:
        value, what = matcher.value.get(key), f"`{key}` of the matcher"
        if value is None or value == "":  # a guard rather matches too much
            continue
        if not isinstance(value, str | int) or isinstance(value, bool):
            matcher.complain(
                "matcher.type", f"{what} must be text, not {describe_value(value)}", key
            )
        elif regex := read_regex(matcher, key, text := str(value), what):
            if key == "tool":
                yield Pattern(field="tool", source=text, regex=regex)
            else:
                yield Leaves(source=text, regex=regex)


def _read_number(node: Node, key: str, _row: EventRow | None) -> int:
    default, least, most, hint = _NUMBERS[key]
    value = node.value[key]
    try:
        number = None if isinstance(value, bool | float) else int(value)
    except (TypeError, ValueError):
        number = None
    if number is None:
        why = f"`{key}` must be a whole number, not {describe_value(value)}"
        node.complain(f"{key}.type", why, key, hint=hint)
        return default
    if not least <= number <= most:
        why = f"`{key}: {value!s:.40}` is not within {least} and {most}"
        node.complain(f"{key}.range", why, key)
    return min(max(number, least), most)


def _read_async(node: Node, key: str, row: EventRow | None) -> bool:
    value = node.value[key]
    word = as_text(value).strip().lower()
    if word not in _TRUE + _FALSE:
        why = f"`{key}` must be true or false, not {describe_value(value)}; it counts as false"
        node.complain("async.type", why, key)
    if word in _TRUE and row is not None and row.decisive:
        hint = "leave `async` out, so that the hook is waited for"
        node.complain("async.cannot-block", CANNOT_BLOCK.format(row.native), key, hint=hint)
    return word in _TRUE


def _read_metadata(node: Node, key: str, _row: EventRow | None) -> Mapping[str, Any]:
    """Return the metadata with the types that the file gives them.

    Only the fail mode is read as text.
    """
    given = node.child(key)
    if not given.is_mapping("`metadata`", "metadata.type"):
        return {}
    metadata = dict(given.value)
    if _FAIL_MODE in metadata:
        word = metadata[_FAIL_MODE] = as_text(metadata[_FAIL_MODE])
        if word not in ("open", "closed"):
            why, hint = f"unknown fail mode `{word:.40}`", "`closed` or `open`"
            given.complain("metadata.fail-mode", why, _FAIL_MODE, hint=hint)
    return metadata


_READERS: Mapping[str, Callable[[Node, str, EventRow | None], Any]] = {
    "matcher": _read_matcher,
    "timeout": _read_number,
    "async": _read_async,
    "priority": _read_number,
    "metadata": _read_metadata,
}
OPTIONS = tuple(_READERS)
DEFAULTABLE = ("timeout", "async")  # what settings may give another default


# -- hooks.toml (docs/formats/agenthooks.md 3) -----------------------------------------------------

_FLAGS = ("enabled", "debug")
# Part of a file -> the keys that it, or each entry of it, may have.
_PARTS: Mapping[str, tuple[str, ...]] = {
    "defaults": (*DEFAULTABLE, "async_"),
    "disable": ("name",),
    "override": ("name", *OPTIONS, "async_"),
}


class Change(Frozen):
    """What one part of a file says of the hook of that name, or, without a name, of every hook.

    `options`: as `read_options` returns them, and `enabled` and `debug`.
    """

    origin: Origin
    name: str = ""
    options: Mapping[str, Any] = {}


def make_id(source: Source, name: str) -> str:
    """Return the id of a hook; one of the user may have the name of a project's."""
    return f"{'~/' if source.scope == USER else ''}{NAME}/{name}"


def read_settings(source: Source, problems: list[Problem]) -> HookSpec:
    """Return the changes of a file as a fact of a hook that never runs, for `combine`.

    A part with an error in it says nothing.

    Raises:
        ConfigError: the file cannot be read at all.
    """
    root = read_tree(source, problems)
    if not isinstance(root.value, dict) or not isinstance(root.value.get("hooks", {}), dict):
        message, place = f"`{SETTINGS}` must hold a table `hooks`", root.origin().place
        raise ConfigError(message, name="config.type", place=place, hint="[hooks]")
    root.check_known_keys(("hooks",), "the settings", name="field.unknown")
    changes: tuple[Change, ...] = ()
    if "hooks" in root.value:
        changes = tuple(_read_changes(root.child("hooks"), source.mode))
    weigh(root, 0, source.mode)
    flag = make_disable_flag(source, NAME, SETTINGS, root.origin(), {"changes": changes})
    return flag.replace(id=make_id(source, SETTINGS))


def _read_changes(hooks: Node, mode: str) -> Iterator[Change]:
    hooks.check_known_keys((*_FLAGS, *_PARTS), "the table `hooks`", name="field.unknown")
    for key in _FLAGS:
        flag = hooks.flag(key)
        if isinstance(hooks.value.get(key), bool):
            yield Change(origin=hooks.origin(key), options={key: flag})
    for key in _PARTS:
        if hooks.value.get(key) is None:
            continue
        part = hooks.child(key)
        if key == "defaults":
            if part.is_mapping("`defaults`"):
                yield from _read_change(part, key, "the defaults", mode)
        elif isinstance(part.value, list):
            for entry in part.children():
                yield from _read_entry(entry, key, mode)
        else:
            why = f"`{key}` must be a list of tables, not {describe_value(part.value)}"
            part.complain("value.type", why, hint=f"[[hooks.{key}]]")


def _read_entry(entry: Node, key: str, mode: str) -> Iterator[Change]:
    """Yield what an entry of `disable` or `override` says of the hook that it names."""
    what = f"an entry of `{key}`"
    if not entry.is_mapping(what):
        return
    name = as_text(entry.value.get("name", "")).strip()
    if name:
        yield from _read_change(entry, key, what, mode, name)
    else:
        why = f"{what} needs the `name` of a hook"
        entry.complain("name.missing", why, hint='name = "my-hook"')


def _read_change(part: Node, key: str, what: str, mode: str, name: str = "") -> Iterator[Change]:
    """Yield the change that one part asks for; nothing if one of its options is wrong."""
    mark = part.mark()
    part.check_known_keys(_PARTS[key], what, name="field.unknown")
    options = {"enabled": False} if key == "disable" else read_options(part, _PARTS[key])
    if not weigh(part, mark, mode, name):
        yield Change(origin=part.origin(), name=name, options=options)
