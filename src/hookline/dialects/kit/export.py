"""Writes hooks as a file of Claude Code's family, by the columns by which `kit.load` reads it."""

from __future__ import annotations

from hookline.core.dialect import Written
from hookline.dialects.kit.load import can_close
from hookline.wire.writers import (
    group_by_matcher,
    list_lost_denials,
    round_timeout,
    to_full_pattern,
    to_json,
    to_search_pattern,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Declaration
    from hookline.dialects.kit.load import FileFormat

_LONGEST = 10**9  # seconds
_SEPARATORS = " ,|"


def export_groups(declarations: tuple[Declaration, ...], form: FileFormat) -> Written:
    """Return the hooks as one file of matcher groups.

    A hook keeps that its failure denies where the host has a key for that, and the event can be refused.
    """
    key, closed = form.closes

    def write_hook(declaration: Declaration) -> dict[str, Any]:
        named = declaration.name and "name" in form.hook.common
        hook: dict[str, Any] = {"name": declaration.name} if named else {}
        hook |= {
            "type": "command",
            "command": declaration.command,
            "timeout": _write_timeout(declaration, form),
        }
        return hook | ({key: closed} if declaration.closed and keeps_denial(declaration) else {})

    def keeps_denial(declaration: Declaration) -> bool:
        return bool(key) and can_close(declaration.row)

    groups = group_by_matcher(declarations, write_hook, lambda each: _write_matcher(each, form))
    lost = list_lost_denials(declarations, where=lambda each: not keeps_denial(each))
    return Written(files={form.file: to_json({"hooks": groups})}, lost=tuple(lost))


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
