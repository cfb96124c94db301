"""Loads the `hooks` of Hermes' config.yaml: a mapping of events, each a list of entries."""

from __future__ import annotations

import json

from hookline.core.dialect import Loaded
from hookline.dialects.starchild.command_line import read_words
from hookline.dialects.starchild.hermes.table import DEFAULT_TIMEOUT, LONGEST_TIMEOUT
from hookline.dialects.starchild.load import check_type, make_spec, read_timeout
from hookline.errors import ConfigError
from hookline.model.conditions import OneOf, Pattern
from hookline.model.handler import Command
from hookline.model.problem import Problem
from hookline.model.verdict import Stance
from hookline.text.regex import accepts, compile_regex
from hookline.wire.groups import read_entries
from hookline.wire.sources import hook_name, read_tree, refuse_unreadable, strict_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import EventRow, Source, Table
    from hookline.model.conditions import Condition
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node

_KEYS = ("matcher", "command", "timeout", "fail_closed", "failClosed")
_AUTO_ACCEPT = "hooks_auto_accept"
_WEBHOOKS = "outbound"  # it stands beside the events, and Hermes itself calls the addresses in it


def load(
    source: Source, *, facts: Table, accept_hooks: bool = False, exact: bool = False
) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source (docs/formats/hermes.md 1).

    Args:
        source: the file.
        facts: the events.
        accept_hooks: `HERMES_ACCEPT_HOOKS` is set.
        exact: a switch by which Hermes accepts hooks approves them here, too.
    """
    problems: list[Problem] = []
    try:
        root = read_tree(source, problems)
        specs = tuple(_read_hooks(root, source, facts))
    except ConfigError as error:
        return refuse_unreadable(source, facts, error)
    switches = {}
    if specs and accept_hooks:
        switches["HERMES_ACCEPT_HOOKS"] = specs[0].origin
    if specs and root.value.get(_AUTO_ACCEPT) not in (None, False):
        switches[_AUTO_ACCEPT] = root.origin(_AUTO_ACCEPT)
    if exact and switches:
        specs, switches = tuple(spec.replace(trusted=True) for spec in specs), {}
    problems += [
        Problem(
            name="key.ignored",
            message=f"`{switch}` approves no hook in hookline",
            hint="review and approve the hooks yourself: hookline approve",
            severity="warning",
            origin=origin,
            tells_user=True,
        )
        for switch, origin in switches.items()
    ]
    return Loaded(specs=specs, problems=tuple(problems))


def _read_hooks(root: Node, source: Source, table: Table) -> list[HookSpec]:
    """Return what stands under `hooks`; the other keys of the file are Hermes' own.

    Raises:
        ConfigError: the file, or its `hooks`, is something else.
    """
    if root.value is None:
        return []
    check_type(root, dict, "a config.yaml must be a mapping")
    if root.value.get("hooks") is None:
        return []
    hooks = root.child("hooks")
    is_starchild = isinstance(hooks.value, list)
    hint = "a list of entries is a Starchild file: name it with --dialect starchild"
    check_type(hooks, dict, "`hooks` must be a mapping", hint if is_starchild else "")
    if _WEBHOOKS in hooks.value:
        why = "outbound webhooks are Hermes' own, and hookline does not send them"
        hooks.complain("handler.unsupported", why, _WEBHOOKS, severity="warning")
    like = "begin each entry with `- `"
    entries = read_entries(hooks, table.rows, of="entries", like=like, beside=(_WEBHOOKS,))
    return [_read_hook(entry, row, source, table, broken) for row, entry, broken in entries]


def _read_hook(node: Node, row: EventRow, source: Source, table: Table, broken: str) -> HookSpec:
    """Return the hook of an entry. One that cannot be read stays as a broken hook, so that decisions report it."""
    mark, is_strict = node.mark(), source.mode == "strict"
    spec = make_spec(node, row, source, table, depth=2)
    spec = spec.replace(on_failure=strict_failure(row) if is_strict else Stance.SILENT)
    if broken or not node.is_mapping(f"an entry of `{row.native}`", "group.shape"):
        return spec.replace(handler=node.choose_handler(None, broken or node.errors_since(mark)))
    severity = table.severity_of_unknown_key("hook", source.mode)
    node.check_known_keys(_KEYS, f"an entry of `{row.native}`", severity=severity)
    words, home = read_words(node), source.names.get("home", "")
    # At the beginning of a word `~` is the home folder, where hookline knows it.
    argv = [
        home + word[1:] if home and (word == "~" or word.startswith("~/")) else word
        for word in words
    ]
    conditions = _read_conditions(node, row, table.regex_flavour)
    timeout = read_timeout(node, DEFAULT_TIMEOUT, LONGEST_TIMEOUT, wanted=(int, float))
    command = Command(argv=tuple(argv), kill_leftovers=is_strict)
    reason = node.errors_since(mark)
    return spec.replace(
        handler=node.choose_handler(command, reason),
        conditions=conditions,
        timeout=timeout,
        # A bad one is an error, and leaves the hook as it is.
        on_failure=_read_on_failure(node, row, spec.on_failure),
        name=hook_name(str(node.value.get("command") or "")),
        identity=json.dumps([node.value.get("matcher"), node.value.get("command")], default=str),
    )


def _read_on_failure(node: Node, row: EventRow, default: Stance) -> Stance:
    key = "fail_closed" if node.value.get("fail_closed") is not None else "failClosed"
    if node.value.get(key) is None:
        return default
    if not node.flag(key):
        return Stance.SILENT
    if row.ignores_exit or not row.can_block:
        why = f"`{row.native}` cannot block, so it cannot fail closed"
        node.complain("key.misplaced", why, key)
        return Stance.SILENT
    return row.blocks


def _read_conditions(node: Node, row: EventRow, flavour: str) -> tuple[Condition, ...]:
    """Return the matcher: all of the tool's name must match; what is no expression is compared as text."""
    text = node.text("matcher").strip()
    if not text:
        return ()
    if not row.subject:
        why = f"`{row.native}` has no tool, so the matcher is ignored"
        node.complain("matcher.ignored", why, "matcher", severity="warning")
        return ()
    try:
        return (Pattern(field="tool", source=text, regex=compile_regex(text, flavour), full=True),)
    except ConfigError as error:
        if accepts(text, flavour):
            node.complain(error.name, error.message, "matcher", hint=error.hint)
            return ()
        why = f"{error.message}; it is taken as a name"
        node.complain("matcher.regex", why, "matcher", hint=error.hint, severity="warning")
        return (OneOf(field="tool", names=frozenset({text})),)
