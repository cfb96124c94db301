"""Hooks as documents: what `list` and `show` tell of one, and of the order in which all of them run."""

from __future__ import annotations

import hashlib

from hookline.cli import words
from hookline.core.descriptions import describe_condition as wording
from hookline.core.descriptions import describe_matcher
from hookline.core.failure import explain_file_switch
from hookline.core.plan import sort_hooks
from hookline.engine.approval_service import removed_problems
from hookline.engine.declared_hooks import all_hooks, given_way
from hookline.model.handler import Broken, Builtin, Command, Http, InProcess, Model
from hookline.model.spec import MANAGED
from hookline.trust.policy import APPROVED, NEW
from hookline.wire.providers import list_key_variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hookline.engine.approval_service import HookStatus
    from hookline.engine.engine import Engine
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec

READY, BROKEN, INCOMPLETE, OFF = "ready", "broken", "incomplete", "off"
_LONGEST_FACT = 120


def hooks_document(
    engine: Engine, wanted: Callable[[HookSpec], bool], also: Iterable[Problem] = ()
) -> dict[str, Any]:
    """`hookline.hooks/1`: the wanted hooks, by event, each event's in the order in which they run.

    `also`: further problems, which the engine does not know.
    """
    specs = [spec for spec in in_order(engine) if wanted(spec)]
    stand = _footings(engine, specs)
    problems = [
        *engine.problems,
        *((unreadable,) if (unreadable := store_fault(engine, specs)) else ()),
        *removed_problems(engine),
        *also,
    ]
    return {
        "schema": "hookline.hooks/1",
        "hooks": [_line(engine, spec, stand.get(spec.id)) for spec in specs],
        "problems": [problem.to_dict() for problem in problems],
    }


def store_fault(engine: Engine, specs: Sequence[HookSpec]) -> Problem | None:
    """Why the approvals cannot be read by which these hooks stand; None where they can, or where none is needed."""
    if engine.gate is None or not specs:
        return None
    from hookline.engine.approval_service import find_store_problem  # noqa: PLC0415 - as below

    return find_store_problem(engine)


def in_order(engine: Engine) -> Iterator[HookSpec]:
    """Every hook, by event and in firing order; those that gave way to others stand behind those that did not."""
    declared = list(all_hooks(engine))
    for kind in dict.fromkeys((*engine.registry.kinds, *(spec.kind for spec in declared))):
        entries = engine.registry.of_kind(kind)
        specs = {entry.spec.id: entry.spec for entry in entries}
        # Equal hooks run once an event, but which of them does depends on the event; here all are told.
        yield from (
            specs[spec.id]
            for spec in sort_hooks(
                entry.replace(spec=entry.spec.replace(identity="")) for entry in entries
            )
        )
        yield from (spec for spec in declared if spec.kind == kind and spec.id not in specs)


def _footings(engine: Engine, specs: list[HookSpec]) -> Mapping[str, HookStatus]:
    """How hooks stand that are asked about when they are to run; none where an engine has no gate."""
    if engine.gate is None or not specs:
        return {}
    from hookline.engine.approval_service import find_statuses  # noqa: PLC0415 - what trust needs is not needed to list other hooks

    return find_statuses(engine, specs)


def _line(engine: Engine, spec: HookSpec, status: HookStatus | None) -> dict[str, Any]:
    state, why = _state(engine, spec, status)
    return {
        "hook": spec.id,
        "name": spec.name,
        "dialect": spec.dialect,
        "kind": spec.kind,
        "native_event": spec.native_event,
        "matcher": describe_matcher(spec),
        "when": [wording(condition) for condition in spec.conditions],
        "runs": words.handler(spec.handler),
        "timeout": spec.timeout,
        "priority": spec.rank,
        "async": spec.detached,
        "on_failure": spec.on_failure.name.lower(),
        "file": spec.origin.file,
        "line": spec.origin.line,
        "column": spec.origin.column,
        "scope": spec.origin.scope,
        "managed": status is not None and spec.origin.scope == MANAGED and not status.trust.column,
        "trusted": _is_trusted(spec, status),
        "standing": status.trust.state if status else "",
        "state": state,
        "why": why,
        "flags": [flag for flag in ("detached", "shadow", "once") if getattr(spec, flag)],
    }


def _is_trusted(spec: HookSpec, status: HookStatus | None) -> bool:
    return (
        spec.trusted
        if status is None
        else status.trust.state == APPROVED or (spec.trusted and status.runs)
    )


def _state(engine: Engine, spec: HookSpec, status: HookStatus | None) -> tuple[str, str]:
    gone = given_way(engine, spec) or (status.off if status else explain_file_switch(spec))
    if gone:
        return OFF, gone
    if isinstance(spec.handler, Broken):
        return (INCOMPLETE if spec.handler.absent else BROKEN), spec.handler.reason
    if status is not None and not status.runs:
        return status.trust.state, status.trust.reason
    if status is None and not spec.trusted:
        return NEW, "you have not approved it"
    return READY, status.trust.reason if status and status.trust.state != APPROVED else ""


def hook_document(engine: Engine, spec: HookSpec) -> dict[str, Any]:
    """`hookline.hook/1`: one hook with every effective field; of its environment only the names."""
    return {
        "schema": "hookline.hook/1",
        **_line(engine, spec, _footings(engine, [spec]).get(spec.id)),
        "handler": dict(_handler(spec.handler)),
        "time_limit": _time_limit(engine, spec),
        "rank": spec.rank,
        "strict": spec.strict,
        "pointer": spec.origin.pointer,
        "identity": hashlib.sha256(spec.identity.encode("utf-8", "surrogatepass")).hexdigest()
        if spec.identity
        else "",
        "facts": {name: _plain(value) for name, value in spec.facts.items()},
    }


def _time_limit(engine: Engine, spec: HookSpec) -> float:
    """After how many seconds it is ended, whatever its file says."""
    if not spec.detached:
        return spec.timeout
    from hookline.engine.detached import time_limit  # noqa: PLC0415 - threads, which nothing else here needs
    from hookline.handlers.process_spec import Limits  # noqa: PLC0415 - as above

    return time_limit(spec, engine.host(spec.dialect), (engine.limits or Limits()).detached)


def _handler(given: Handler) -> Iterator[tuple[str, Any]]:
    yield "type", type(given).__name__.lower()
    match given:
        case Command():
            yield "argv", list(given.argv)
            yield "script", given.script
            yield "shell", list(given.shell)
            yield "env", sorted(given.env)
            yield "working_dir", given.working_dir
            yield "kill_leftovers", given.kill_leftovers
        case Http():
            yield "url", given.url
            yield "method", given.method
            yield "headers", sorted(given.headers)
            yield "env", sorted(given.env)
            yield "secret", given.secret
            yield "allow_local", given.allow_local
        case Model():
            yield "names", list(given.names)
            yield "provider", given.provider
            yield "prompt", given.prompt
            yield "shape", given.shape
            yield "base_url", given.base_url
            yield "key", given.key
            yield "keys", list(list_key_variables(given))
            yield "allow_local", given.allow_local
            yield "most_tokens", given.most_tokens
        case Builtin():
            yield "name", given.name
            yield "args", list(given.args)
        case InProcess():
            yield "name", given.name
        case Broken():
            yield "reason", given.reason


def _plain(value: Any) -> Any:
    """A fact as JSON can say it; of a long text the first line."""
    match value:
        case str():
            line = value.partition("\n")[0][:_LONGEST_FACT]
            return line if line == value else f"{line} …"
        case None | bool() | int() | float():
            return value
        case dict():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(inner) for inner in value]
        case _:
            return _plain(str(value))
