"""Finds matchers that fit no tool of the hosts on this machine, and the name that was meant."""

from __future__ import annotations

from difflib import get_close_matches

from hookline.core.match import make_hook_predicate, make_predicate
from hookline.engine.doctor.static_checks import Finding, make_warning
from hookline.model.event import Event, ToolCall
from hookline.model.spec import OneOf, Pattern
from hookline.model.tools import known_families, list_equivalent_names, list_names, mcp_parts
from hookline.text.re2_regex import MatchTimeoutError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hookline.core.tool_aliases import Predicate
    from hookline.model.spec import HookSpec

_NEAR = 0.75  # a slip of two letters in a short name; `TodoWrite` is not nearly `Write`


def find_unmatched_tools(specs: Iterable[HookSpec], hosts: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a warning for each matcher that fits no tool of these hosts, with what to write.

    Hosts have more tools than hookline knows of. So only a matcher counts that fits a tool under
    its name in another host, or nearly fits a name.

    Args:
        specs: the hooks.
        hosts: those that are installed, by name, with the dialects that they speak. One that speaks
            another's dialect asks for its hooks under all names.
    """
    calls = [
        _call(tool, host)
        for host, dialect in sorted(hosts.items())
        for tool in _list_tools(dialect)
    ]
    for spec in specs:
        conditions = [
            each
            for each in spec.conditions
            if isinstance(each, OneOf | Pattern) and each.field == "tool"
        ]
        matchers = [make_hook_predicate(each, spec) for each in conditions]
        if not conditions or any(map(_may_be_mcp, conditions)):
            continue
        if any(_holds(matchers, call) for call in calls):
            continue
        if hint := _find_remedy(conditions, calls):
            where = ", ".join(sorted(hosts))
            message = f"its matcher fits no tool that hookline knows of at {where}"
            yield make_warning(spec, "check.no-tool", message, hint)


def _find_remedy(conditions: list[OneOf | Pattern], calls: list[Event]) -> str:
    """Return which of the tools may be meant; empty if none is like what the matcher says."""
    plain = [make_predicate(each) for each in conditions]
    meant = [
        call.tool
        for call in calls
        if any(
            _holds(plain, _call(name, call.dialect))
            for name in list_equivalent_names(call.tool, call.dialect)
        )
    ]
    if meant:
        return f"write {' or '.join(f'`{name}`' for name in dict.fromkeys(meant))}"
    names = [name for each in conditions if isinstance(each, OneOf) for name in sorted(each.names)]
    known = list(dict.fromkeys(call.tool for call in calls))
    near = (each for name in names for each in get_close_matches(name, known, 1, _NEAR))
    return next((f"did you mean `{each}`?" for each in near), "")


def _may_be_mcp(condition: OneOf | Pattern) -> bool:
    """Return whether a matcher may be for MCP tools, whose names depend on servers."""
    if isinstance(condition, Pattern):
        return "mcp" in condition.source.lower()
    return any(mcp_parts(name) for name in condition.names)


def _holds(matchers: Iterable[Predicate], call: Event) -> bool:
    try:
        return all(matcher(call) for matcher in matchers)
    except MatchTimeoutError:
        return True


def _list_tools(dialect: str) -> list[str]:
    names = (name for family in known_families() for name in list_names(family, dialect))
    return list(dict.fromkeys(names))


def _call(tool: str, host: str) -> Event:
    return Event(kind="tool.before", dialect=host, body=ToolCall(tool=tool))
