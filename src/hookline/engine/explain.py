"""Explains one event: its hooks, why each is selected or not, their order, and their verdicts."""

from __future__ import annotations

from hookline.core.condition_descriptions import explain_mismatch, find_alias
from hookline.core.failure import explain_file_switch
from hookline.core.plan import Group, Plan, list_specs, should_run_in_turn
from hookline.engine.approval_service import find_statuses
from hookline.engine.hook_lookup import make_hook_summary
from hookline.engine.host_integrations import list_call_problems
from hookline.engine.loader import explain_absence, list_hooks
from hookline.model.frozen import Frozen
from hookline.model.kinds import kind
from hookline.model.spec import Broken, HookSpec
from hookline.model.verdict import Decision, Stance
from hookline.wire.disable_flags import drop_flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from hookline.engine.engine import Engine
    from hookline.model.event import Event

SCHEMA = "hookline.explanation/1"
AT_ONCE, IN_TURN, DETACHED = "at once", "in turn", "detached"


class _Step(Frozen):
    """A hook's place in the plan: its number, how it runs, and its group."""

    number: int
    how: str
    group: Group


def explain(engine: Engine, event: Event, *, run: bool = True) -> dict[str, Any]:
    """Return the `hookline.explanation/1` document of an event.

    With `run` the hooks are asked, as by `fire`.

    The reasons are about the event as the host sent it. Where the run went another way, because a
    hook rewrote the event or ended the matter, `because` says so.
    """
    event = engine.firing.complete(event, engine.snapshot)
    drawn = engine.runtime.make_plan(event, engine.registry)
    specs = list(list_hooks(engine.snapshot))
    reasons = {spec.id: _explain_unselected(engine, spec, event, drawn) for spec in specs}
    steps = _number_steps(drawn, {hook for hook, reason in reasons.items() if not reason})
    stand = _find_states(engine, specs)
    decision = engine.fire(event) if run else None
    return {
        "schema": SCHEMA,
        "event": _describe_event(event),
        "sources": list(_describe_sources(engine)),
        "hooks": [
            _describe_hook(spec, reasons[spec.id], steps.get(spec.id), decision)
            | {"alias": find_alias(spec, event) if spec.id in steps else ""}
            | stand[spec.id]
            for spec in specs
        ],
        "problems": [
            problem.to_dict() for problem in (*list_call_problems(engine), *engine.problems)
        ],
        "decision": decision.to_dict() if decision else None,
    }


def _find_states(engine: Engine, specs: Sequence[HookSpec]) -> dict[str, dict[str, Any]]:
    """Return whether each hook may run, and its state; without a gate, by the scope of its file."""
    if engine.runtime.gate is None:
        return {spec.id: {"trusted": spec.trusted, "standing": ""} for spec in specs}
    return {
        hook_id: {"trusted": status.runs, "standing": status.trust.state}
        for hook_id, status in find_statuses(engine, specs).items()
    }


def _describe_event(event: Event) -> dict[str, Any]:
    return {
        "kind": event.kind,
        "class": kind(event.kind).cls,
        "dialect": event.dialect,
        "native_event": event.native_name or event.kind,
        **event.as_dict("tool", "session_id", "cwd"),
    }


def _describe_sources(engine: Engine) -> Iterator[dict[str, Any]]:
    for shelved in engine.snapshot.sources:
        source = shelved.source
        yield {
            "file": source.file,
            "dialect": shelved.dialect.table.name,
            **source.as_dict("scope", "mode", "trusted", "shadow"),
            "hooks": len(drop_flags(shelved.loaded.specs)),
            "problems": len(shelved.loaded.problems),
        }


def _explain_unselected(engine: Engine, spec: HookSpec, event: Event, drawn: Plan) -> str:
    """Return why a hook is not selected; empty if it is."""
    mismatch = explain_mismatch(spec, event)
    if spec.off is not None and not mismatch:
        return f"it is switched off: {explain_file_switch(spec)}"
    absence = explain_absence(engine.snapshot, spec) if spec.kind == event.kind else ""
    if absence or mismatch:
        return absence or mismatch
    planned = list_specs(drawn)
    if any(other.id == spec.id for other in planned):
        equal = (
            other.id
            for other in planned
            if spec.identity == other.identity and not explain_mismatch(other, event)
        )
        first = next(equal, spec.id) if spec.identity else spec.id
        return f"`{first}` is equal to it, and runs in its place" if first != spec.id else ""
    if spec.dialect == event.dialect:
        return f"it is declared for `{spec.native_event}`"
    return f"hooks of other dialects run once a moment, and not at `{event.native_name}`"


def _number_steps(drawn: Plan, selected: set[str]) -> Mapping[str, _Step]:
    """Return the selected hooks in firing order, detached ones last."""
    rows: list[tuple[HookSpec, str, Group]] = []
    for group in drawn.groups:
        specs = [entry.spec for entry in group.steps if entry.spec.id in selected]
        at_once = group.parallel and len(specs) > 1 and not any(map(should_run_in_turn, specs))
        how = AT_ONCE if at_once else IN_TURN
        rows += [(spec, DETACHED if spec.detached else how, group) for spec in specs]
    for group in drawn.groups:
        specs = [entry.spec for entry in group.detached if entry.spec.id in selected]
        rows += [(spec, DETACHED, group) for spec in specs]
    return {
        spec.id: _Step(number=number, how=how, group=group)
        for number, (spec, how, group) in enumerate(rows, 1)
    }


def _describe_hook(
    spec: HookSpec, reason: str, step: _Step | None, decision: Decision | None
) -> dict[str, Any]:
    asked = None
    if decision is not None:
        ran = (verdict.hook_id for verdict in decision.verdicts if not verdict.late)
        asked = spec.off is None and spec.id in ran
    if decision and step and not asked:
        reason = _explain_unasked(step, decision)
    elif asked and not step:
        reason = f"not as the event came ({reason}), but a hook before it rewrote the event"
    return make_hook_summary(spec) | {
        "broken": spec.handler.reason if isinstance(spec.handler, Broken) else "",
        "shadow": spec.shadow,
        "selected": step is not None,
        "because": reason,
        "order": step.number if step else None,
        "how": step.how if step else "",
        "asked": asked,
    }


def _explain_unasked(step: _Step, decision: Decision) -> str:
    """Return why a selected hook was not asked."""
    detaches = step.group.dialect.table.detached_after_denial
    if step.how == DETACHED and decision.stance >= Stance.DENY and not detaches:
        return "after a denial nothing more is started"
    members = {entry.spec.id for entry in step.group.steps}
    for verdict in decision.verdicts:
        if verdict.ends and verdict.hook_id in members:
            return f"`{verdict.hook_id}` had settled the matter before its turn"
    return "a hook before it rewrote the event, and its condition no longer holds"
