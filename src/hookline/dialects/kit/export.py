"""Writes hooks as a file of Claude Code's family, by the columns by which `kit.load` reads it."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.dialects.kit.load import can_close
from hookline.wire.writers import (
    group_by_matcher,
    list_by_event,
    list_lost_denials,
    round_timeout,
    to_full_pattern,
    to_json,
    to_search_pattern,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import Declaration
    from hookline.dialects.kit.load import FileFormat

_LONGEST = 10**9  # seconds
_SEPARATORS = " ,|"
_NONE: Mapping[int, str] = {}


def export_groups(
    declarations: tuple[Declaration, ...], form: FileFormat, left_out: Mapping[int, str] = _NONE
) -> Written:
    """Return the hooks as one file of matcher groups, or of flat hooks.

    A hook keeps that its failure denies where the host has a key for that, and the event can be
    refused, or where every failure denies.

    Args:
        declarations: the hooks.
        form: how the host writes hooks.
        left_out: the positions of hooks that the file cannot hold -> why.
    """
    key, closed = form.closes

    def write_hook(declaration: Declaration) -> dict[str, Any]:
        named = declaration.name and "name" in form.hook.common.split()
        hook: dict[str, Any] = {"name": declaration.name} if named else {}
        hook |= {
            "type": "command",
            form.named_by[0]: declaration.command,
            form.hook.limits[""].keys[0]: _write_timeout(declaration, form),
        }
        closes = key and declaration.closed and can_close(declaration.row)
        return hook | ({key: closed} if closes else {})

    def keeps_denial(declaration: Declaration) -> bool:
        return bool(key and can_close(declaration.row)) or bool(declaration.row.fails)

    write = list_by_event if form.flat else group_by_matcher
    kept = tuple(given for at, given in enumerate(declarations) if at not in left_out)
    tree = {"hooks": write(kept, write_hook, lambda each: _write_matcher(each, form))}
    lost = list_lost_denials(declarations, where=lambda each: not keeps_denial(each))
    text = to_json({"version": 1, **tree} if "version" in form.keys else tree)
    return Written(files={form.file: text}, lost=tuple(lost), left_out=left_out)


def _write_timeout(declaration: Declaration, form: FileFormat) -> float:
    limit = form.hook.limits[""]
    if limit.whole:
        return round_timeout(declaration, _LONGEST)
    if limit.per_second == 1:
        return declaration.timeout
    return max(limit.seconds_below, round(declaration.timeout * limit.per_second))


def _write_matcher(declaration: Declaration, form: FileFormat) -> str:
    """Return a list of names where the host reads one, else an expression that it does not take for a list."""
    alphabet = form.matcher.alphabet
    if form.matcher.full:
        return to_full_pattern(declaration)
    of_names = alphabet.difference(_SEPARATORS)
    if alphabet and declaration.tools and all(map(of_names.issuperset, declaration.tools)):
        return "|".join(declaration.tools)
    text = to_search_pattern(declaration)
    return f"(?:{text})" if text and alphabet.issuperset(text) else text
