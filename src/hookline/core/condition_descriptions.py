"""Describes the conditions of a hook in words, and which of them an event does not meet."""

from __future__ import annotations

from hookline.core.match import find_facets, make_hook_predicate, make_predicate, read_field
from hookline.core.tool_aliases import knows_aliases, rename_for_hook
from hookline.model.spec import (
    Flattened,
    Glob,
    HookSpec,
    Leaves,
    Never,
    OneOf,
    PathPattern,
    Pattern,
    Rule,
    ShellCommand,
)
from hookline.text.re2_regex import MatchTimeoutError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.model.event import Event
    from hookline.model.spec import Condition

_QUOTE = r"\x60"


def describe_conditions(spec: HookSpec) -> str:
    """Describe when a hook runs, as the end of a sentence: `, when ...`.

    Empty if it always does.
    """
    return (
        f", when {' and '.join(map(describe_condition, spec.conditions))}"
        if spec.conditions
        else ""
    )


def describe_condition(given: Condition) -> str:
    """Describe a condition."""
    match given:
        case OneOf(field=field, names=names):
            return f"the {field} is {_either(sorted(names))}"
        case Pattern(field=field, source=source, full=full):
            if full and source.replace("_", "").isalnum():
                return f"the {field} is {_quoted(source)}"
            return f"the {field} matches {_quoted(source)}{' as a whole' if full else ''}"
        case Leaves(source=source):
            return f"a value of the input matches {_quoted(source)}"
        case Flattened(facts=facts, source=source):
            return f"a text of {' or '.join(facts)} matches {_quoted(source)}"
        case Glob(patterns=patterns):
            return f"a path of the input matches {_either(patterns)}"
        case PathPattern(source=source) | Rule(source=source):
            is_path = isinstance(given, PathPattern)
            what = (
                "the path of the input is covered by"
                if is_path
                else "the call is covered by the rule"
            )
            return f"{what} {_quoted(source)}"
        case ShellCommand():
            return _describe_command(given)
        case Never(reason=reason):
            return f"never: {reason}"


def explain_mismatch(spec: HookSpec, event: Event) -> str:
    """Return why a hook does not run for an event; empty if it does."""
    if spec.kind != event.kind and spec.kind not in find_facets(event):
        return f"it is declared for `{spec.native_event}`"
    for condition in spec.conditions:
        try:
            holds = make_hook_predicate(condition, spec)(event)
        except MatchTimeoutError:
            continue  # the hook is selected, as one that has failed
        if not holds:
            return _explain_unmet(
                condition, event, alike=spec.match_tools != "native" and knows_aliases(spec, event)
            )
    return ""


def find_alias(spec: HookSpec, event: Event) -> str:
    """Return the name under which a hook knows the event's tool, if it matches by that only."""
    for condition in spec.conditions:
        if isinstance(condition, OneOf | Pattern) and condition.field == "tool":
            try:
                if not make_predicate(condition)(event):
                    return rename_for_hook(spec, event).tool
            except MatchTimeoutError:
                continue
    return ""


def _explain_unmet(condition: Condition, event: Event, *, alike: bool) -> str:
    if isinstance(condition, Never):
        return condition.reason
    wanted = f"it runs only when {describe_condition(condition)}"
    if not isinstance(condition, OneOf | Pattern):
        return wanted
    names = ", and no other host's name for it fits" if alike and condition.field == "tool" else ""
    return f"{wanted}; here it is `{read_field(event, condition.field) or ''}`{names}"


def describe_matcher(spec: HookSpec) -> str:
    """Return the expression or the names by which a hook selects its events.

    Empty if it takes all.
    """
    for given in spec.conditions:
        match given:
            case OneOf(names=names):
                return "|".join(sorted(names))
            case Pattern(source=source) | Flattened(source=source) | Leaves(source=source):
                return source
    return ""


def _describe_command(given: ShellCommand) -> str:
    flags = "".join(f" with flag {_either(flag.split('|'))}" for flag in given.flags)
    paths = f" on {_either(given.paths)}" if given.paths else ""
    return f"a command runs {_either(sorted(given.names))}{flags}{paths}"


def _either(names: Iterable[str]) -> str:
    return " or ".join(map(_quoted, names))


def _quoted(text: str) -> str:
    # A backtick in a matcher could end the quotation and pretend to be the command.
    return f"`{text.replace('`', _QUOTE)}`"
