"""Reads when a hook of `hookline.yaml` runs: `tool`, `command`, `path`, `rule` and `when`."""

from __future__ import annotations

import re

from hookline.core.rules import parse_rule
from hookline.dialects.native.fields import COMMAND, PATTERN, read_keys, read_words
from hookline.errors import did_you_mean
from hookline.model.spec import Flattened, Glob, Leaves, Never, OneOf, Pattern, ShellCommand
from hookline.model.tools import families, find_broader_kind, known_families
from hookline.wire.fields import describe_value
from hookline.wire.sources import read_conditions, read_regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hookline.core.dialect import EventRow
    from hookline.model.spec import Condition
    from hookline.text.re2_regex import Regex
    from hookline.wire.fields import Node

_INPUT = "input"
_MCP = "mcp"
# Keys that an event without a tool has nothing for.
_OF_TOOLS = ("tool", "command", "path", "rule")


def read_matcher(hook: Node, row: EventRow) -> tuple[Condition, ...]:
    """Return the conditions of a hook on an event, all of which must hold; report what is wrong."""
    found: list[Condition] = []
    for key, read in _READERS.items():
        if hook.value.get(key) is None:
            continue
        if key in _OF_TOOLS and not (row.subject or find_broader_kind(row.kind)):
            why = f"`{row.native}` is about no tool, so the hook never runs"
            hook.complain("matcher.not-applicable", why, key, hint=f"remove `{key}`")
            found.append(Never(reason=why))
        else:
            found += read(hook, row)
    return tuple(found)


def _read_tool(hook: Node, _row: EventRow) -> Iterator[Condition]:
    if isinstance(hook.value["tool"], dict):
        if regex := _read_pattern(hook.child("tool")):
            yield Pattern(field="tool", source=regex.source, regex=regex)
        return
    names = read_words(hook, "tool")
    for name in names:
        _check_tool(hook, name)
    if any("*" in name for name in names):
        source = "|".join(re.escape(name).replace(r"\*", ".*") for name in names)
        if regex := read_regex(hook, "tool", source, "`tool`"):
            yield Pattern(field="tool", source=source, regex=regex, full=True)
    elif names:
        yield OneOf(field="tool", names=frozenset(names))


def _check_tool(hook: Node, name: str) -> None:
    """Warn about a name that no host has, and that is nearly a kind of tools."""
    if name == _MCP:
        hint = "write a glob such as `mcp__github__*`, or the event `mcp.before`"
        hook.complain("matcher.may-miss", "`mcp` is no name of a tool", "tool", hint=hint)
    elif not families(name) and (near := did_you_mean(name, known_families())):
        why = f"no host that hookline knows has a tool `{name:.80}`"
        hook.warn("matcher.may-miss", why, "tool", hint=near)


def _read_command(hook: Node, _row: EventRow) -> Iterator[Condition]:
    given = hook.value["command"]
    if isinstance(given, str):
        if regex := read_regex(hook, "command", given, "`command`"):
            yield Pattern(field="command", source=given, regex=regex)
        return
    node = hook.child("command")
    if not node.is_mapping("`command`"):
        return
    read = read_keys(node, COMMAND, "`command`")
    flags = tuple(
        "|".join(spelling.strip().lstrip("-") for spelling in flag.split("|"))
        for flag in read.get("flags", ())
    )
    if names := frozenset(read.get("name", ())) - {""}:
        yield ShellCommand(names=names, flags=flags, paths=read.get("paths", ()))
    else:
        hint = "for example `{name: rm, flags: [r, f]}`"
        node.complain("key.missing", "the key `name` is missing", hint=hint)


def _read_path(hook: Node, _row: EventRow) -> Iterator[Condition]:
    yield Glob(patterns=read_words(hook, "path"))


def _read_rule(hook: Node, _row: EventRow) -> Iterator[Condition]:
    source = hook.text("rule")
    yield from read_conditions(hook, lambda: (parse_rule(source),), "rule") or ()


def _read_when(hook: Node, row: EventRow) -> Iterator[Condition]:
    """Yield a condition for each field; a text or a list is exact, `regex` is searched.

    An expression looks into every text of a fact, and `input` is every value of a tool's input.
    """
    node = hook.child("when")
    if not node.is_mapping("`when`"):
        return
    known = ["session_id", *(field.fact for field in row.fields)]
    for key, value in node.value.items():
        inside = key.startswith(f"{_INPUT}.") and row.subject
        if key not in known and not inside:
            hint = did_you_mean(key, known) or f"its fields: {', '.join(known)}"
            why = f"`{row.native}` has no field `{key}`"
            node.complain("matcher.unknown-field", why, key, hint=hint)
        elif isinstance(value, dict):
            regex = _read_pattern(node.child(key))
            if regex is not None:
                yield _find_text(key, regex, plain=bool(inside) or key == "session_id")
        else:
            values = value if isinstance(value, list) else [value]
            if all(isinstance(each, str) for each in values):
                yield OneOf(field=key, names=frozenset(values))
            else:
                why = f"`{key}` must be a text, a list of texts or `{{regex: ...}}`"
                node.complain("value.type", f"{why}, not {describe_value(value)}", key)


def _find_text(key: str, regex: Regex, *, plain: bool) -> Condition:
    """Return the condition that an expression is found under a key."""
    if key == _INPUT:
        return Leaves(source=regex.source, regex=regex)
    if plain:
        return Pattern(field=key, source=regex.source, regex=regex)
    return Flattened(facts=(key,), source=regex.source, regex=regex)


def _read_pattern(node: Node) -> Regex | None:
    """Return the expression of `{regex: ...}`; None and a problem if it is not one."""
    what = f"`{node.path[-1]}`"
    source = read_keys(node, PATTERN, what).get("regex")
    if source is None:
        node.complain("key.missing", "the key `regex` is missing", hint="`{regex: ...}`")
        return None
    return read_regex(node, "regex", source, what)


_READERS: dict[str, Callable[[Node, EventRow], Iterator[Condition]]] = {
    "tool": _read_tool,
    "command": _read_command,
    "path": _read_path,
    "rule": _read_rule,
    "when": _read_when,
}
