"""Loads the `hooks` of Hermes' config.yaml: a mapping of events, each a list of entries."""

from __future__ import annotations

import json

from hookline.core.dialect import EventRow, Loaded, Source, Table
from hookline.dialects.kit.matcher import MatcherFormat, read_matcher
from hookline.dialects.starchild.command_line import read_words
from hookline.dialects.starchild.hermes.table import DEFAULT_TIMEOUT, LONGEST_TIMEOUT
from hookline.dialects.starchild.load import read_root, read_timeout
from hookline.model.spec import Command, HookSpec, Problem
from hookline.model.verdict import Stance
from hookline.wire.hook_ids import make_hook_id, number_equal
from hookline.wire.sources import (
    hook_name,
    make_spec,
    read_entries,
    refuse_source,
    strict_failure,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.wire.fields import Node

_KEYS = ("matcher", "command", "timeout", "fail_closed", "failClosed")
_MATCHER = MatcherFormat(strips=True, everything=("",), full=True, refused="name")
_AUTO_ACCEPT = "hooks_auto_accept"
_WEBHOOKS = "outbound"  # it stands beside the events, and Hermes itself calls the addresses in it


def load(
    source: Source, *, facts: Table, accept_hooks: bool = False, exact: bool = False
) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source.

    docs/formats/hermes.md 1

    Args:
        source: the file.
        facts: the events.
        accept_hooks: `HERMES_ACCEPT_HOOKS` is set.
        exact: a switch by which Hermes accepts hooks approves them here, too.
    """
    problems: list[Problem] = []
    hint = "a list of entries is a Starchild file: name it with --dialect starchild"
    root = read_root(source, problems, dict, "a config.yaml", hint)
    if root is None:
        return refuse_source(source, facts, problems)
    if root.value.get("hooks") is None:
        return Loaded(problems=tuple(problems))
    hooks = root.child("hooks")
    if _WEBHOOKS in hooks.value:
        why = "outbound webhooks are Hermes' own, and hookline does not send them"
        hooks.warn("handler.unsupported", why, _WEBHOOKS)
    like = "begin each entry with `- `"
    found = read_entries(hooks, facts.rows, of="entries", like=like, beside=(_WEBHOOKS,))
    specs = [_read_hook(entry, row, source, facts, broken) for row, entry, broken in found]
    switches = {}
    if specs and accept_hooks:
        switches["HERMES_ACCEPT_HOOKS"] = specs[0].origin
    if specs and root.value.get(_AUTO_ACCEPT) not in (None, False):
        switches[_AUTO_ACCEPT] = root.origin(_AUTO_ACCEPT)
    if exact and switches:
        specs, switches = [spec.replace(trusted=True) for spec in specs], {}
    for switch, origin in switches.items():
        why = f"`{switch}` approves no hook in hookline"
        root.warn(
            "key.ignored", why, hint="review and approve the hooks yourself: hookline approve"
        )
        problems[-1] = problems[-1].replace(origin=origin, tells_user=True)
    return Loaded(specs=number_equal(specs, set()), problems=tuple(problems))


def _read_hook(node: Node, row: EventRow, source: Source, table: Table, broken: str) -> HookSpec:
    """Return the hook of an entry.

    One that cannot be read stays as a broken hook, so that decisions report it.
    """
    mark, is_strict = node.mark(), source.mode == "strict"
    handler = None
    fields: dict[str, Any] = {
        "id": make_hook_id(source, row.native, node),
        "timeout": table.default_timeout,
        "on_failure": strict_failure(row) if is_strict else Stance.SILENT,
    }
    if not broken and node.is_mapping(f"an entry of `{row.native}`", "group.shape"):
        given = node.value
        severity = table.severity_of_unknown_key("hook", source.mode)
        node.check_known_keys(_KEYS, f"an entry of `{row.native}`", severity=severity)
        # At the beginning of a word `~` is the home folder, where hookline knows it.
        home = source.names.get("home", "")
        argv = [
            home + word[1:] if home and (word == "~" or word.startswith("~/")) else word
            for word in read_words(node)
        ]
        handler = Command(argv=tuple(argv), kill_leftovers=is_strict)
        fields |= {
            "conditions": read_matcher(node, row, table, _MATCHER, source.mode) or (),
            "timeout": read_timeout(node, DEFAULT_TIMEOUT, LONGEST_TIMEOUT, wanted=(int, float)),
            "name": hook_name(str(given.get("command") or "")),
            "identity": json.dumps([given.get("matcher"), given.get("command")], default=str),
        }
        broken = node.errors_since(mark)
        # A wrong `fail_closed` is an error, and leaves the hook as it is.
        key = "fail_closed" if given.get("fail_closed") is not None else "failClosed"
        is_closed, can_close = node.flag(key), row.can_block and not row.ignores_exit
        if is_closed and not can_close:
            why = f"`{row.native}` cannot block, so it cannot fail closed"
            node.complain("key.misplaced", why, key)
        if given.get(key) is not None:
            fields["on_failure"] = row.blocks if is_closed and can_close else Stance.SILENT
    else:
        broken = broken or node.errors_since(mark)
    fields["handler"] = node.choose_handler(handler, broken)
    return make_spec(source, table.name, row, node, **fields)
