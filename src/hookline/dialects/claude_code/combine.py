"""What several settings files become together: the switches that count, and the budget of `SessionEnd`."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.claude_code.table import NAME, SESSION_END_BUDGET
from hookline.model.handler import Broken, Http
from hookline.model.spec import MANAGED, nearness
from hookline.wire.disable_flags import (
    drop_flags,
    is_from_unapproved_project,
    make_disable_flag,
    remove_hooks,
    report_disabled_hooks,
    select_project_flags,
    select_trusted_flags,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Source
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node

# Nothing outside policy turns managed hooks off, and `allowManagedHooksOnly` is heard in policy only (docs/formats/claude-code.md 1).
_ALL_OFF = "disableAllHooks"
_MANAGED_ONLY = "allowManagedHooksOnly"
_SWITCHES = (_ALL_OFF, _MANAGED_ONLY)
# What settings let HTTP hooks do; the lists of all files add up.
_URLS = "allowedHttpHookUrls"
_VARIABLES = "httpHookAllowedEnvVars"
_LISTS = (_URLS, _VARIABLES)
_SESSION_END = "SessionEnd"
_LONGEST_BUDGET = 60.0


def read_flags(root: Node, source: Source) -> Iterator[HookSpec]:
    """Yield the switches of a file."""
    for key in _SWITCHES:
        if key in root.value and isinstance(root.value[key], bool):
            yield make_disable_flag(source, NAME, key, root.origin(key), {"on": root.value[key]})
        elif key in root.value:
            root.flag(key)
    for key in _LISTS:
        if root.value.get(key) is not None:
            yield make_disable_flag(
                source, NAME, key, root.origin(key), {"allowed": root.texts(key)}
            )


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """The hooks that are left when the switches are applied, each `SessionEnd` hook within the common budget."""
    hooks, thrown, at_home = (
        drop_flags(specs),
        select_trusted_flags(specs),
        select_project_flags(specs),
    )
    problems: list[Problem] = []
    for counts in (_all_off(thrown), _managed_only(thrown), _all_off(at_home)):
        if counts is not None:
            gone = [spec for spec in hooks if _reaches(counts, spec)]
            problems += report_disabled_hooks(
                counts.origin,
                f"`{counts.native_event}`",
                gone,
                at_home=is_from_unapproved_project(counts),
            )
            hooks = remove_hooks(hooks, gone)
    return Loaded(specs=_within_budget(_allowed(hooks, thrown)), problems=tuple(problems))


def _allowed(hooks: list[HookSpec], thrown: list[HookSpec]) -> list[HookSpec]:
    """HTTP hooks with the variables that they may know; one whose address is on no list is broken, to be missed aloud (docs/formats/claude-code.md 1)."""
    of_all = [_listed(thrown, key) for key in _LISTS]
    if of_all == [None, None]:
        return hooks
    # Nobody's list but policy's own takes a hook of policy away.
    of_policy = [
        _listed([spec for spec in thrown if spec.origin.scope == MANAGED], key) for key in _LISTS
    ]
    return [
        spec.replace(
            handler=_bounded(
                spec.handler,
                spec.origin.place,
                *(of_policy if spec.origin.scope == MANAGED else of_all),
            )
        )
        if type(spec.handler) is Http
        else spec
        for spec in hooks
    ]


def _listed(thrown: list[HookSpec], key: str) -> frozenset[str] | None:
    """What the files list together; None where none of them has such a list."""
    given = [spec.facts["allowed"] for spec in thrown if spec.native_event == key]
    return frozenset().union(*given) if given else None


def _bounded(
    call: Http, place: str, urls: frozenset[str] | None, variables: frozenset[str] | None
) -> Handler:
    if urls is not None and not any(_covers(pattern, call.url) for pattern in urls):
        why = f"`{_URLS}` does not list its address (add it there)"
        return Broken(reason=f"{place}: {why}" if place else why, url=call.url)
    return (
        call
        if variables is None
        else call.replace(env=tuple(name for name in call.env if name in variables))
    )


def _covers(pattern: str, url: str) -> bool:
    """Whether a pattern, in which `*` stands for any text, is the address."""
    first, *rest = pattern.split("*")
    if not rest or not url.startswith(first):
        return pattern == url
    *between, last = rest
    at = len(first)
    for part in between:
        found = url.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return len(url) - at >= len(last) and url.endswith(last)


def _managed_only(thrown: list[HookSpec]) -> HookSpec | None:
    given = [
        spec
        for spec in thrown
        if spec.native_event == _MANAGED_ONLY and spec.origin.scope == MANAGED
    ]
    return given[-1] if given and given[-1].facts["on"] else None


def _all_off(thrown: list[HookSpec]) -> HookSpec | None:
    """The `disableAllHooks` that counts, if it is on: policy's before anybody's, else that of the nearest file."""
    given = [spec for spec in thrown if spec.native_event == _ALL_OFF]
    counts = max(given, key=lambda spec: nearness(spec.origin.scope), default=None)
    return counts if counts is not None and counts.facts["on"] else None


def _reaches(thrown: HookSpec, spec: HookSpec) -> bool:
    if is_from_unapproved_project(thrown):
        return is_from_unapproved_project(spec)
    if spec.origin.scope != MANAGED:
        return True
    return thrown.origin.scope == MANAGED and thrown.native_event == _ALL_OFF


def _within_budget(specs: list[HookSpec]) -> tuple[HookSpec, ...]:
    """`SessionEnd` hooks share 1.5 s, raised to the largest timeout that one of them names, at most 60 s (docs/formats/claude-code.md 5).

    A plugin's timeouts do not raise it. The hooks run at once, so the budget is each hook's own bound.
    """
    ending = [spec for spec in specs if spec.native_event == _SESSION_END]
    if not ending:
        return tuple(specs)
    named = [
        float(spec.facts["timeout"])
        for spec in ending
        if "timeout" in spec.facts and "plugin" not in spec.facts
    ]
    budget = max(SESSION_END_BUDGET, min(_LONGEST_BUDGET, max(named, default=0.0)))
    return tuple(
        spec.replace(timeout=min(float(spec.facts.get("timeout", budget)), budget))
        if spec.native_event == _SESSION_END
        else spec
        for spec in specs
    )
