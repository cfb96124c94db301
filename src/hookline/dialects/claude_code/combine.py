"""Combines the hooks of Claude Code's files: the settings that count, and the budget of `SessionEnd` (docs/formats/claude-code.md 1, 5)."""

from __future__ import annotations

import re

from hookline.dialects.claude_code.table import NAME, SESSION_END_BUDGET
from hookline.model.spec import MANAGED, Broken, Http
from hookline.text.regex import compile_regex
from hookline.wire.disable_flags import (
    ALL_OFF,
    apply_flags,
    find_all_off,
    make_disable_flag,
    read_switches,
    select_trusted_flags,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Loaded, Source
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node

_MANAGED_ONLY = "allowManagedHooksOnly"
# What settings let HTTP hooks do; the lists of all files add up.
_URLS = "allowedHttpHookUrls"
_VARIABLES = "httpHookAllowedEnvVars"
_SESSION_END = "SessionEnd"
_LONGEST_BUDGET = 60.0  # seconds


def read_flags(root: Node, source: Source) -> Iterator[HookSpec]:
    """Yield the settings of a file that say something about other hooks."""
    yield from read_switches(root, source, NAME, (ALL_OFF, _MANAGED_ONLY))
    for key in (_URLS, _VARIABLES):
        if root.value.get(key) is not None:
            facts = {"allowed": root.texts(key)}
            yield make_disable_flag(source, NAME, key, root.origin(key), facts)


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """Return the hooks that are left: HTTP hooks within the lists, `SessionEnd` hooks within the common budget."""
    settings = select_trusted_flags(specs)
    of_policy = [flag for flag in settings if flag.origin.scope == MANAGED]
    only = [flag for flag in of_policy if flag.native_event == _MANAGED_ONLY][-1:]
    flags = [*find_all_off(specs), *(flag for flag in only if flag.facts["on"])]
    loaded = apply_flags(specs, flags, _reaches)
    # Only policy's own lists reach a hook of policy.
    hooks = [
        _limit_call(spec, of_policy if spec.origin.scope == MANAGED else settings)
        for spec in loaded.specs
    ]
    return loaded.replace(specs=_share_budget(hooks))


def _reaches(flag: HookSpec, spec: HookSpec) -> bool:
    """Return whether a flag disables a hook.

    Only policy's own `disableAllHooks` disables a hook of policy.
    """
    by_policy = flag.origin.scope == MANAGED and flag.native_event == ALL_OFF
    return by_policy or spec.origin.scope != MANAGED


def _limit_call(spec: HookSpec, settings: list[HookSpec]) -> HookSpec:
    """Return a hook with the variables that it may know.

    An HTTP hook whose address is on no list is broken.
    """
    call = spec.handler
    if type(call) is not Http:
        return spec
    urls, variables = (_list_allowed(settings, key) for key in (_URLS, _VARIABLES))
    if urls is not None and not any(_covers(pattern, call.url) for pattern in urls):
        why, place = f"`{_URLS}` does not list its address (add it there)", spec.origin.place
        return spec.replace(
            handler=Broken(reason=f"{place}: {why}" if place else why, url=call.url)
        )
    if variables is None:
        return spec
    return spec.replace(
        handler=call.replace(env=tuple(name for name in call.env if name in variables))
    )


def _list_allowed(settings: list[HookSpec], key: str) -> frozenset[str] | None:
    """Return what the files list together; None where none of them has such a list."""
    given = [flag.facts["allowed"] for flag in settings if flag.native_event == key]
    return frozenset().union(*given) if given else None


def _covers(pattern: str, url: str) -> bool:
    """Return whether a pattern, in which `*` stands for any text, is the address."""
    parts = map(re.escape, pattern.split("*"))
    return compile_regex(f"(?s)^{'.*'.join(parts)}$").has_match_in(url)


def _share_budget(specs: list[HookSpec]) -> tuple[HookSpec, ...]:
    """Return the hooks, those of `SessionEnd` with the budget that they share (docs/formats/claude-code.md 5).

    The largest timeout that one of them names raises it, but not that of a plugin. The hooks run at
    once, so the budget limits each of them.
    """
    named = [
        float(spec.facts["timeout"])
        for spec in specs
        if spec.native_event == _SESSION_END
        and "timeout" in spec.facts
        and "plugin" not in spec.facts
    ]
    budget = max(SESSION_END_BUDGET, min(_LONGEST_BUDGET, max(named, default=0.0)))
    return tuple(
        spec.replace(timeout=min(float(spec.facts.get("timeout", budget)), budget))
        if spec.native_event == _SESSION_END
        else spec
        for spec in specs
    )
