"""Conditions: what must hold for an event before a hook runs, as data."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from hookline.text.re2_regex import Regex

    Condition: TypeAlias = (
        "OneOf | Pattern | Leaves | Flattened | Glob | PathPattern | Rule | Never"
    )


class OneOf(Frozen):
    """The field's text is exactly one of these names.

    A field is a canonical fact, `command`, `session_id`, or `input.<key>`: the text under a key of
    the tool's input. A missing text matches no name.
    """

    field: str
    names: frozenset[str]


class Pattern(Frozen):
    """A compiled expression matches somewhere in the field's text; with `full`, all of it."""

    field: str
    source: str
    regex: Regex
    full: bool = False


class Leaves(Frozen):
    """A compiled expression matches somewhere in at least one leaf value of the tool's input."""

    source: str
    regex: Regex


class Flattened(Frozen):
    """A compiled expression matches in a text of these facts, at any depth.

    A list of texts also counts as one line.
    """

    facts: tuple[str, ...]
    source: str
    regex: Regex


class Glob(Frozen):
    """A path of the tool's input matches one of these patterns, relative to cwd or absolute."""

    patterns: tuple[str, ...]


class PathPattern(Frozen):
    """A compiled expression matches the path under the first of these keys whose value is text.

    The path is tried absolute and relative to cwd; with `climbs`, also relative through `..`.
    """

    keys: tuple[str, ...]
    source: str
    regex: Regex
    climbs: bool = False


class Rule(Frozen):
    """A permission rule such as `Bash(git commit:*)`: tools, and a pattern for command or path.

    `pattern` is the text between the brackets; None covers every call of the tools.
    """

    source: str
    tools: frozenset[str]
    pattern: str | None = None


class Never(Frozen):
    """Holds for no event; `reason` says why the hook can never run."""

    reason: str
