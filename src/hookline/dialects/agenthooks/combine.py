"""Combining: hooks of one name from several levels become one, and a copy that cannot be used replaces nothing."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.agenthooks.table import SETTINGS
from hookline.model.handler import Broken
from hookline.model.problem import Problem
from hookline.model.spec import SCOPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.core.dialect import Table
    from hookline.model.spec import HookSpec

_LEVELS = {scope: level for level, scope in enumerate(SCOPES)}


def combine(specs: tuple[HookSpec, ...], table: Table) -> Loaded:
    """The hooks that remain, by level and directory, and why the others do not (docs/formats/agenthooks.md 3).

    The key is the name in the front matter. Nothing replaces a managed hook, and an untrusted hook replaces nothing: it
    stays listed beside the one that it would have replaced.
    """
    ordered = in_load_order(spec for spec in specs if spec.native_event != SETTINGS)
    problems: list[Problem] = []
    replaced: set[int] = set()
    for shadow in (False, True):  # what is only observed replaces nothing that counts
        for copies in _by_name(spec for spec in ordered if spec.trusted and spec.shadow is shadow):
            replaced |= _settle(copies, problems, table)
    for copies in _by_name(spec for spec in ordered if not spec.trusted):
        replaced |= _settle(copies, problems, table)
        problems += _powerless(copies[-1], ordered)
    left = [spec for spec in ordered if id(spec) not in replaced]
    problems += [_skipped(spec) for spec in left if "refused" in spec.facts]
    hooks = tuple(spec for spec in left if table.row(spec.native_event))
    files = [spec for spec in specs if spec.native_event == SETTINGS]
    if not files:
        return Loaded(specs=hooks, problems=tuple(problems))
    from hookline.dialects.agenthooks.settings_rules import applied  # noqa: PLC0415 - few folders have settings

    after = applied(hooks, files, table, [spec.name for spec in ordered])
    return after.replace(problems=(*problems, *after.problems))


def in_load_order(specs: Iterable[HookSpec]) -> list[HookSpec]:
    """Hooks by level, and inside a level by directory."""
    return sorted(
        specs, key=lambda spec: (_LEVELS[spec.origin.scope], str(spec.facts.get("directory", "")))
    )


def _by_name(specs: Iterable[HookSpec]) -> Iterable[list[HookSpec]]:
    named: dict[str, list[HookSpec]] = {}
    for spec in specs:
        if spec.name and spec.origin.scope != "managed":
            named.setdefault(spec.name, []).append(spec)
    return named.values()


def _settle(copies: list[HookSpec], problems: list[Problem], table: Table) -> set[int]:
    """Which copies give way: to the last one that can run, or, when none can, to the last one that has an event."""
    runnable = [spec for spec in copies if not isinstance(spec.handler, Broken)]
    missed = [spec for spec in copies if table.row(spec.native_event)]
    winner = next(iter((*reversed(runnable), *reversed(missed), *reversed(copies))))
    losers = [spec for spec in copies if spec is not winner]
    problems += [_given_way(spec, winner) for spec in losers]
    return {id(spec) for spec in losers}


def _given_way(spec: HookSpec, winner: HookSpec) -> Problem:
    if isinstance(spec.handler, Broken) and not isinstance(winner.handler, Broken):
        message = (
            f"this copy of `{spec.name}` cannot run; the one of {_whose(winner)} stays in force"
        )
        return Problem(
            name="hook.skipped",
            message=message,
            severity="warning",
            origin=spec.origin,
            hook=spec.name,
        )
    name = "hook.duplicate" if spec.origin.scope == winner.origin.scope else "hook.override"
    message = f"`{spec.name}` of {_whose(winner)} replaces the one of {_whose(spec)}"
    return Problem(
        name=name, message=message, severity="warning", origin=winner.origin, hook=spec.name
    )


def _skipped(spec: HookSpec) -> Problem:
    """A word about a hook that cannot be loaded, and that no other copy stands in for."""
    label = spec.name or spec.id.partition("/")[2]
    message = f"`{label}` cannot be loaded, so it is skipped"
    return Problem(
        name="hook.skipped", message=message, severity="warning", origin=spec.origin, hook=label
    )


def _powerless(spec: HookSpec, everything: list[HookSpec]) -> Iterable[Problem]:
    """A word about an untrusted hook that bears the name of a trusted one."""
    for other in everything:
        if other.name == spec.name and other.trusted:
            message = f"`{spec.name}` is not approved, so the hook of that name of {_whose(other)} stays in force"
            yield Problem(
                name="hook.skipped",
                message=message,
                severity="warning",
                origin=spec.origin,
                hook=spec.name,
            )
            return


def _whose(spec: HookSpec) -> str:
    return (
        f"the {spec.origin.scope} level ({spec.origin.file})"
        if spec.origin.file
        else f"the {spec.origin.scope} level"
    )
