"""Writes hooks as a file of Claude Code's family, by the columns by which `kit.load` reads it."""

from __future__ import annotations

from hookline.core.dialect import Declaration, Written
from hookline.dialects.kit.load import FileFormat, can_close
from hookline.wire.writers import (
    arrange_hooks,
    list_lost_denials,
    round_timeout,
    to_full_pattern,
    to_json,
    to_search_pattern,
    to_toml,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_LONGEST = 10**9  # seconds
_SEPARATORS = " ,|"


def export_hooks(declarations: tuple[Declaration, ...], form: FileFormat) -> Written:
    """Return the hooks as one file of the host.

    A hook keeps that its failure denies where the host has a key for that, and the event can be
    refused, or where every failure denies.
    """
    limit, (key, closed), common = form.limits[""], form.closes, form.common.split()
    if not form.exports_closed:
        key = ""

    def write_hook(declaration: Declaration) -> dict[str, Any]:
        row = declaration.row
        longest = row.longest or limit.most or _LONGEST
        timeout: float = min(declaration.timeout, longest)
        if limit.whole:
            timeout = round_timeout(declaration, int(longest))
        elif limit.per_second > 1:
            timeout = max(limit.seconds_below, round(timeout * limit.per_second))
        closes = key and declaration.closed and can_close(row)
        hook: dict[str, Any] = {
            "event": row.native if form.array else None,
            "name": declaration.name if "name" in common else None,
            "type": "command" if "type" in common else None,
            form.named_by[0]: declaration.command,
            limit.keys[0]: timeout,
            key: closed if closes else None,
        }
        return {name: value for name, value in hook.items() if value}

    def keeps_denial(declaration: Declaration) -> bool:
        return bool(key and can_close(declaration.row)) or bool(declaration.row.fails)

    left_out, lost = {}, []
    for at, given in enumerate(declarations):
        if form.banned and form.banned in given.command:
            left_out[at] = f"a command with `{form.banned}` in it makes the host drop the file"
        longest = given.row.longest or limit.most
        if longest and given.timeout > longest:
            lost.append((at, f"a timeout of more than {longest:g} s"))
    lost += list_lost_denials(declarations, where=lambda each: not keeps_denial(each))
    kept = tuple(given for at, given in enumerate(declarations) if at not in left_out)
    hooks: Any = arrange_hooks(
        kept, write_hook, lambda each: _write_matcher(each, form), flat=form.flat
    )
    if form.array:
        hooks = [hook for of_event in hooks.values() for hook in of_event]
    tree = {"version": 1, "hooks": hooks} if form.version else {"hooks": hooks}
    newer = form.newer_file and any(given.row.newer for given in kept)
    text = to_toml(tree) if form.array else to_json(tree)
    return Written(
        files={form.newer_file if newer else form.file: text}, lost=tuple(lost), left_out=left_out
    )


def _write_matcher(declaration: Declaration, form: FileFormat) -> str:
    """Return a list of names where the host reads one, else an expression that is none."""
    alphabet = form.matcher.alphabet
    if form.matcher.full:
        return to_full_pattern(declaration)
    of_names = alphabet.difference(_SEPARATORS)
    if alphabet and declaration.tools and all(map(of_names.issuperset, declaration.tools)):
        return "|".join(declaration.tools)
    text = to_search_pattern(declaration)
    return f"(?:{text})" if text and alphabet.issuperset(text) else text
