"""Reads a mapping of numbers: the prices of a model, or the tokens of a scripted step."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookline.wire.fields import Node


def read_amounts(
    node: Node, key: str, names: Sequence[str], *, what: str, whole: bool = False
) -> dict[str, Any] | None:
    """Return the numbers under a key by their names, 0 for one that is missing.

    None without the key. `what`: what each number is, for the problem about one below 0.
    """
    if node.value.get(key) is None or not node.child(key).is_mapping(f"`{key}`"):
        return None
    given = node.child(key)
    given.check_known_keys(names, f"`{key}`")
    amounts = {name: (given.integer(name) if whole else given.number(name)) or 0 for name in names}
    for name, amount in amounts.items():
        if amount < 0:
            given.complain("value.range", f"`{name}: {amount}` is no {what}", name)
    return amounts
