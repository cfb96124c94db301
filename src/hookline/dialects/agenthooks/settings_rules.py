"""Applying settings: what the `hooks.toml` files of all levels, the user's before the project's, make of the hooks."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.core.failure import label
from hookline.dialects.agenthooks.fields import CANNOT_BLOCK
from hookline.dialects.agenthooks.load import on_failure
from hookline.dialects.agenthooks.table import SETTINGS
from hookline.model.problem import Problem
from hookline.model.spec import CLONED, MANAGED, nearness
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hookline.core.dialect import EventRow, Table
    from hookline.dialects.agenthooks.settings import Change
    from hookline.model.problem import Origin
    from hookline.model.spec import HookSpec


def applied(
    hooks: Sequence[HookSpec], files: Iterable[HookSpec], table: Table, names: Iterable[str]
) -> Loaded:
    """The hooks that are left, as changed, and a word about each of them (docs/formats/agenthooks.md 3).

    `files`: the settings, as their carriers. Policy's have the last word, and nobody else's reach a managed hook; those
    that are only observed reach what is only observed. `names`: of all hooks, also of those that gave way.
    """
    ordered = sorted(files, key=lambda file: nearness(file.origin.scope))
    problems = list(_strangers(ordered, tuple(dict.fromkeys(filter(None, names)))))
    left: list[HookSpec] = []
    for spec in hooks:
        reaching = [file for file in ordered if _reaches(file, spec)]
        off = _off(spec, reaching)
        if off is None:
            left.append(_changed(spec, reaching, table, problems))
        else:
            problems.append(
                _told(
                    "hook.never-runs", f"{_whose(spec)} is switched off by {_place(off)}", off, spec
                )
            )
    return Loaded(specs=tuple(left), problems=tuple(problems))


def _reaches(file: HookSpec, spec: HookSpec) -> bool:
    return file.shadow is spec.shadow and (
        spec.origin.scope != MANAGED or file.origin.scope == MANAGED
    )


def _off(spec: HookSpec, files: Sequence[HookSpec]) -> Origin | None:
    """Where a hook is switched off: with all others, by the last file that says so or otherwise, or by its name in any."""
    said = [file for file in files if file.facts["settings"].enabled is not None]
    if said and not said[-1].facts["settings"].enabled:
        return said[-1].origin
    named = (
        change
        for file in files
        for change in file.facts["settings"].disabled
        if spec.name and change.name == spec.name
    )
    return next((change.origin for change in named), None)


def _changed(
    spec: HookSpec, files: Sequence[HookSpec], table: Table, problems: list[Problem]
) -> HookSpec:
    debug = [
        file.facts["settings"].debug for file in files if file.facts["settings"].debug is not None
    ]
    if debug and debug[-1]:
        spec = spec.replace(facts={**spec.facts, "debug": True})
    row = table.row(spec.native_event)
    if "said" not in spec.facts or row is None:  # of which nothing could be read
        return spec
    for change in _changes(spec, files):
        fields = {
            key: value
            for key, value in change.fields.items()
            if change.name or key not in spec.facts["said"]
        }
        before, spec = spec, _with(spec, fields, row)
        problems += _remarks(before, spec, change, fields, row)
    return spec


def _changes(spec: HookSpec, files: Sequence[HookSpec]) -> Iterator[Change]:
    """What is said of a hook, in the order in which it counts: all defaults, then what is said of it by name."""
    for file in files:
        yield from file.facts["settings"].defaults
    for file in files:
        yield from (
            change for change in file.facts["settings"].overrides if change.name == spec.name
        )


def _with(spec: HookSpec, fields: Mapping[str, Any], row: EventRow) -> HookSpec:
    """The hook with these fields instead of its own; metadata are added, key by key."""
    metadata = {**spec.facts["metadata"], **fields.get("metadata", {})}
    matcher, conditions = spec.facts["matcher"], spec.conditions
    if "matcher" in fields and row.subject:
        matcher, conditions = fields["matcher"]
    detached = fields.get("async", spec.detached)
    return spec.replace(
        timeout=fields["timeout"] / 1000 if "timeout" in fields else spec.timeout,
        rank=-fields["priority"] if "priority" in fields else spec.rank,
        detached=detached,
        conditions=conditions,
        on_failure=on_failure(metadata, detached=detached, closes=spec.strict and not row.feedback),
        facts={**spec.facts, "metadata": metadata, "matcher": matcher},
    )


def _remarks(
    before: HookSpec, after: HookSpec, change: Change, fields: Mapping[str, Any], row: EventRow
) -> Iterator[Problem]:
    """What must be said of a change: a project's to a hook of the user, and one that makes no sense."""
    if before != after and before.origin.scope == "user" and change.origin.scope in CLONED:
        listed = ", ".join(f"`{key}`" for key in fields)
        yield _told(
            "hook.override",
            f"{_whose(before)} has another {listed} by {_place(change.origin)}",
            change.origin,
            before,
        )
    if after.detached and not before.detached and row.decisive:
        yield _told("async.cannot-block", CANNOT_BLOCK.format(row.native), change.origin, before)
    if "matcher" in fields and not row.subject:
        message = f"`{row.native}` has no tool, so the matcher is ignored"
        yield _told("matcher.not-applicable", message, change.origin, before)


def _strangers(files: Iterable[HookSpec], names: tuple[str, ...]) -> Iterator[Problem]:
    """A word about each entry that names no hook at all: who misspells a name changes nothing."""
    for file in files:
        for change in (*file.facts["settings"].disabled, *file.facts["settings"].overrides):
            if change.name not in names:
                hint = did_you_mean(change.name, names)
                message = f"no hook is called `{change.name:.80}`"
                yield Problem(
                    name="value.choice",
                    message=message,
                    hint=hint,
                    severity="warning",
                    origin=change.origin,
                    hook=change.name,
                )


def _told(name: str, message: str, origin: Origin, spec: HookSpec) -> Problem:
    return Problem(
        name=name, message=message, severity="warning", origin=origin, hook=spec.name or spec.id
    )


def _whose(spec: HookSpec) -> str:
    return f"`{label(spec)}` of the {spec.origin.scope} level"


def _place(origin: Origin) -> str:
    return f"`{origin.pointer}` in {origin.file or SETTINGS}"
