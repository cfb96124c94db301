"""Combines the hooks of all levels: one of each name counts, as the settings change it."""

from __future__ import annotations

from hookline.core.dialect import EventRow, Loaded
from hookline.core.failure import label
from hookline.dialects.agenthooks.fields import CANNOT_BLOCK, apply_options
from hookline.dialects.agenthooks.table import SETTINGS, TABLE
from hookline.errors import did_you_mean
from hookline.model.spec import (
    CLONED,
    MANAGED,
    SCOPES,
    USER,
    Broken,
    HookSpec,
    Origin,
    Problem,
    nearness,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """Return the hooks that remain, and why the others do not (docs/formats/agenthooks.md 3)."""
    ordered = sorted(
        (spec for spec in specs if spec.native_event != SETTINGS),
        key=lambda spec: (SCOPES.index(spec.origin.scope), str(spec.facts.get("directory", ""))),
    )
    files = sorted(
        (spec for spec in specs if spec.native_event == SETTINGS),
        key=lambda file: nearness(file.origin.scope),
    )
    problems: list[Problem] = []
    left = _drop_replaced(ordered, problems)
    for spec in left:
        if isinstance(spec.handler, Broken) and not spec.handler.absent:
            why = f"`{_name(spec)}` cannot be loaded, so it is skipped"
            problems.append(_warn("hook.skipped", why, spec.origin, _name(spec)))
    names = [spec.name for spec in ordered]
    for change in [change for file in files for change in file.facts["changes"]]:
        if change.name and change.name not in names:
            why = f"no hook is called `{change.name:.80}`"
            unknown = _warn("value.choice", why, change.origin, change.name)
            problems.append(unknown.replace(hint=did_you_mean(change.name, filter(None, names))))
    kept = [
        changed
        for spec in left
        if (row := TABLE.row(spec.native_event))
        for changed in _apply_settings(spec, row, files, problems)
    ]
    return Loaded(specs=tuple(kept), problems=tuple(problems))


def _drop_replaced(ordered: list[HookSpec], problems: list[Problem]) -> list[HookSpec]:
    """Return the hooks without those that another one of the same name replaces.

    The key is the name in the front matter. Nothing replaces a managed hook. A hook replaces only
    hooks that are approved as it is, and observed as it is: one that you have not approved stays
    beside the one of its name.
    """
    copies: dict[tuple[object, ...], list[HookSpec]] = {}
    for spec in ordered:
        if spec.name and spec.origin.scope != MANAGED:
            key = (spec.name, spec.trusted, spec.trusted and spec.shadow)
            copies.setdefault(key, []).append(spec)
    replaced: set[int] = set()
    for group in copies.values():
        # The last copy that can run; else the last one that has an event; else the last one.
        winner = max(
            reversed(group),
            key=lambda spec: (
                not isinstance(spec.handler, Broken),
                TABLE.row(spec.native_event) is not None,
            ),
        )
        losers = [spec for spec in group if spec is not winner]
        replaced |= set(map(id, losers))
        problems += [_report_replaced(spec, winner) for spec in losers]
        approved = (spec for spec in ordered if spec.name == winner.name and spec.trusted)
        other = next(approved, None)
        if other is not None and not winner.trusted:
            stays = f"the hook of that name of {_level(other)} stays in force"
            why = f"`{winner.name}` is not approved, so {stays}"
            problems.append(_warn("hook.skipped", why, winner.origin, winner.name))
    return [spec for spec in ordered if id(spec) not in replaced]


def _report_replaced(spec: HookSpec, winner: HookSpec) -> Problem:
    if isinstance(spec.handler, Broken) and not isinstance(winner.handler, Broken):
        why = f"this copy of `{spec.name}` cannot run; the one of {_level(winner)} stays in force"
        return _warn("hook.skipped", why, spec.origin, spec.name)
    is_same_level = spec.origin.scope == winner.origin.scope
    name = "hook.duplicate" if is_same_level else "hook.override"
    why = f"`{spec.name}` of {_level(winner)} replaces the one of {_level(spec)}"
    return _warn(name, why, winner.origin, spec.name)


def _apply_settings(
    spec: HookSpec, row: EventRow, files: list[HookSpec], problems: list[Problem]
) -> Iterator[HookSpec]:
    """Yield the hook as the settings change it; nothing if they switch it off.

    Policy's settings count last, and only they reach a managed hook. Settings that are only
    observed reach only hooks that are. What a file says about a hook by name counts after what any
    file says about all hooks.
    """
    changes = [
        change
        for file in files
        if file.shadow is spec.shadow
        and (spec.origin.scope != MANAGED or file.origin.scope == MANAGED)
        for change in file.facts["changes"]
        if change.name in ("", spec.name)
    ]
    off: Origin | None = None
    reports: list[Problem] = []
    for change in sorted(changes, key=lambda change: bool(change.name)):
        if "enabled" in change.options:
            off = None if change.options["enabled"] else change.origin
        elif "debug" in change.options:
            spec = spec.replace(facts={**spec.facts, **change.options})
        elif "stated" in spec.facts:  # otherwise its file could not be read
            own = () if change.name else spec.facts["stated"]
            options = {key: value for key, value in change.options.items() if key not in own}
            before, spec = spec, apply_options(spec, options, row)
            reports += _report_change(before, spec, change.origin, options, row)
    if off is None:
        problems += reports
        yield spec
    else:
        why = f"{_describe(spec)} is switched off by {_place(off)}"
        problems.append(_warn("hook.never-runs", why, off, _name(spec)))


def _report_change(
    before: HookSpec, after: HookSpec, origin: Origin, options: Iterable[str], row: EventRow
) -> Iterator[Problem]:
    """Yield what a person must know: of a project that changes a user's hook, or in vain."""
    name = _name(before)
    if before != after and before.origin.scope == USER and origin.scope in CLONED:
        listed = ", ".join(f"`{key}`" for key in options)
        why = f"{_describe(before)} has another {listed} by {_place(origin)}"
        yield _warn("hook.override", why, origin, name)
    if after.detached and not before.detached and row.decisive:
        yield _warn("async.cannot-block", CANNOT_BLOCK.format(row.native), origin, name)
    if "matcher" in options and not row.subject:
        why = f"`{row.native}` has no tool, so the matcher is ignored"
        yield _warn("matcher.not-applicable", why, origin, name)


def _warn(name: str, message: str, origin: Origin, hook: str) -> Problem:
    return Problem.warning(name, message, origin=origin, hook=hook)


def _name(spec: HookSpec) -> str:
    return spec.name or spec.id.partition("/")[2]


def _describe(spec: HookSpec) -> str:
    return f"`{label(spec)}` of the {spec.origin.scope} level"


def _level(spec: HookSpec) -> str:
    file = f" ({spec.origin.file})" if spec.origin.file else ""
    return f"the {spec.origin.scope} level{file}"


def _place(origin: Origin) -> str:
    return f"`{origin.pointer}` in {origin.file or SETTINGS}"
