"""The page of guards, from their table and the profiles of `commands`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline.guards.commands.profiles import PROFILES, choose_rules
from hookline.guards.table import GUARDS

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEAD = """\
# Guards

Ready-made hooks. `hookline add GUARD` switches one on, `hookline remove GUARD` off;
`hookline add --recommended` adds those marked so. In a `hookline.yaml` a guard is `use: GUARD`,
with its options under `with`. What each promises, and exceptions: [guards](../how-to/guards.md).
"""


def guards_page() -> str:
    """Every guard with its events, its options and its rules."""
    parts = [_HEAD]
    for name, guard in GUARDS.items():
        mark = " (recommended)" if guard.is_recommended else ""
        parts.append(f"## {name}{mark}\n")
        events = ", ".join(f"`{event}`" for event in guard.events)
        parts.append(f"It {guard.summary}. Events: {events}.\n")
        if guard.options:
            parts += ["| option | value | meaning |", "| --- | --- | --- |"]
            parts += [
                f"| `{key}` | {', '.join(option.choices) or option.shape} | {option.meaning} |"
                for key, option in guard.options.items()
            ]
            parts.append("")
        if guard.rules:
            parts += _list_rules(name, guard.rules)
    return "\n".join(parts)


def _list_rules(name: str, rules: Mapping[str, str]) -> list[str]:
    if name != "commands":
        rows = [f"| `{rule}` | {meaning} |" for rule, meaning in rules.items()]
        return ["| rule | about |", "| --- | --- |", *rows, ""]
    levels = {profile: choose_rules(profile, ()) for profile in PROFILES}
    rows = [
        f"| `{rule}` | {meaning} | "
        + " | ".join(level[rule].word if rule in level else "" for level in levels.values())
        + " |"
        for rule, meaning in rules.items()
    ]
    head = " | ".join(PROFILES)
    return [f"| rule | about | {head} |", "| --- | --- | --- | --- | --- |", *rows, ""]
