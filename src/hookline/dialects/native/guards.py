"""Reads the options of a guard and the exceptions of a file (docs/formats/hookline.md 4)."""

from __future__ import annotations

from hookline.dialects.native.fields import EXCEPTION, read_keys
from hookline.errors import did_you_mean
from hookline.guards.exceptions import read_moment
from hookline.guards.finding import UNVERIFIED
from hookline.guards.table import GUARDS, find_rule_owner
from hookline.model.spec import CLONED
from hookline.wire.fields import describe_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookline.wire.fields import Node

_READERS: Mapping[str, Callable[[Node, str], Any]] = {
    "text": lambda node, key: node.text(key),
    "texts": lambda node, key: list(node.texts(key)),
    "flag": lambda node, key: node.flag(key),
    "integer": lambda node, key: node.integer(key),
    "number": lambda node, key: node.number(key),
}


def read_options(
    hook: Node, name: str, exceptions: Sequence[Mapping[str, str]]
) -> Mapping[str, Any]:
    """Return the options of a guard, with the exceptions that concern its rules."""
    guard = GUARDS[name]
    options: dict[str, Any] = {}
    given = hook.value.get("with")
    if given is not None:
        node = hook.child("with")
        if node.is_mapping(f"`with` of `{name}`"):
            node.check_known_keys(guard.options, f"`{name}`")
            for key, option in guard.options.items():
                if node.value.get(key) is None:
                    continue
                if option.choices:
                    options[key] = node.choice(key, option.choices, option.choices[0])
                else:
                    options[key] = _READERS[option.shape](node, key)
    concerned = [dict(each) for each in exceptions if find_rule_owner(each["rule"]) == name]
    return {**options, "exceptions": concerned} if concerned else options


def read_exceptions(root: Node) -> tuple[Mapping[str, str], ...]:
    """Return the exceptions of a file that are written as they must be; report the others."""
    given = root.value.get("exceptions")
    if given is None:
        return ()
    if not isinstance(given, list):
        why = f"`exceptions` must be a list, not {describe_value(given)}"
        root.complain("value.type", why, "exceptions", hint="begin each with `- rule: RULE`")
        return ()
    nodes = root.child("exceptions").children()
    return tuple(found for node in nodes if (found := _read_exception(node)) is not None)


def _read_exception(node: Node) -> Mapping[str, str] | None:
    if not node.is_mapping("an exception"):
        return None
    before = node.mark()
    found = read_keys(node, EXCEPTION, "an exception")
    until = node.value.get("until")
    if until is not None:
        found["until"] = str(until)  # YAML may have made a date of it
    for key in ("rule", "reason", "until"):
        if not found.get(key):
            hint = {"rule": "for example `rule: fs.local`", "reason": "say why it is allowed",
                    "until": "for example `until: 2027-01-31`"}[key]  # fmt: skip
            node.complain("key.missing", f"an exception needs `{key}`", hint=hint)
    _check_rule(node, found.get("rule", ""), has_command="command" in found)
    if found.get("until"):
        try:
            read_moment(found["until"])
        except ValueError:
            why = f"`until` is {describe_value(until)}, which is no day and no moment"
            node.complain("value.type", why, "until", hint="for example `until: 2027-01-31`")
    if "project" in found and node.scope in CLONED:
        why = "an exception of a project's file concerns this project only"
        node.complain("key.misplaced", why, "project", hint="remove `project`")
    return None if node.errors_since(before) else found


def _check_rule(node: Node, rule: str, *, has_command: bool) -> None:
    if not rule or find_rule_owner(rule) or (rule == UNVERIFIED and has_command):
        return
    known = [each for guard in GUARDS.values() for each in guard.rules]
    hint = did_you_mean(rule, known) or "`hookline guard list` shows the rules"
    node.complain("guard.rule", f"no guard has a rule `{rule:.80}`", "rule", hint=hint)
