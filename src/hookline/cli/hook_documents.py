"""The JSON documents of hooks for `list` and `show`, in firing order."""

from __future__ import annotations

import hashlib

from hookline.cli.pages import first_line
from hookline.core.descriptions import describe_condition, describe_matcher
from hookline.core.failure import explain_file_switch
from hookline.core.plan import sort_hooks
from hookline.engine.approval_service import (
    find_statuses,
    find_store_problem,
    list_removed_problems,
)
from hookline.engine.detached import find_time_limit
from hookline.engine.hook_lookup import describe_run
from hookline.engine.loader import explain_absence, list_hooks
from hookline.model.spec import MANAGED, Broken, Builtin, Command, Http, InProcess, Model
from hookline.text.urls import describe_url
from hookline.trust.policy import APPROVED, NEW
from hookline.wire.providers import list_key_variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hookline.engine.approval_service import HookStatus
    from hookline.engine.engine import Engine
    from hookline.model.spec import Handler, HookSpec, Problem

READY, BROKEN, INCOMPLETE, OFF = "ready", "broken", "incomplete", "off"
_LONGEST_FACT = 120


def make_hooks_document(
    engine: Engine, wanted: Callable[[HookSpec], bool], also: Iterable[Problem] = ()
) -> dict[str, Any]:
    """Return the `hookline.hooks/1` document: the wanted hooks by event, in firing order.

    `also`: problems that the engine does not list.
    """
    specs = [spec for spec in list_in_order(engine) if wanted(spec)]
    stand = _find_statuses(engine, specs)
    problems = [
        *engine.problems,
        *((unreadable,) if (unreadable := find_store_fault(engine, specs)) else ()),
        *list_removed_problems(engine),
        *also,
    ]
    return {
        "schema": "hookline.hooks/1",
        "hooks": [_summarize_hook(engine, spec, stand.get(spec.id)) for spec in specs],
        "problems": [problem.to_dict() for problem in problems],
    }


def find_store_fault(engine: Engine, specs: Sequence[HookSpec]) -> Problem | None:
    """Return why the approvals of these hooks cannot be read.

    None if they can, or if none is needed.
    """
    return find_store_problem(engine) if engine.runtime.gate is not None and specs else None


def list_in_order(engine: Engine) -> Iterator[HookSpec]:
    """Yield every hook by event and in firing order; overridden hooks come last."""
    declared = list(list_hooks(engine.snapshot))
    for kind in dict.fromkeys((*engine.registry.kinds, *(spec.kind for spec in declared))):
        entries = engine.registry.of_kind(kind)
        specs = {entry.spec.id: entry.spec for entry in entries}
        # Of equal hooks one runs, which depends on the event; here all are listed.
        yield from (
            specs[spec.id]
            for spec in sort_hooks(
                entry.replace(spec=entry.spec.replace(identity="")) for entry in entries
            )
        )
        yield from (spec for spec in declared if spec.kind == kind and spec.id not in specs)


def _find_statuses(engine: Engine, specs: list[HookSpec]) -> Mapping[str, HookStatus]:
    """Return the status of hooks that need an approval; none if the engine has no gate."""
    return find_statuses(engine, specs) if engine.runtime.gate is not None and specs else {}


def _summarize_hook(engine: Engine, spec: HookSpec, status: HookStatus | None) -> dict[str, Any]:
    state, why = _find_state(engine, spec, status)
    return {
        "hook": spec.id,
        "name": spec.name,
        "dialect": spec.dialect,
        "kind": spec.kind,
        "native_event": spec.native_event,
        "matcher": describe_matcher(spec),
        "when": [describe_condition(condition) for condition in spec.conditions],
        "runs": describe_handler(spec),
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


def _find_state(engine: Engine, spec: HookSpec, status: HookStatus | None) -> tuple[str, str]:
    gone = explain_absence(engine.snapshot, spec) or (
        status.off if status else explain_file_switch(spec)
    )
    if gone:
        return OFF, gone
    if isinstance(spec.handler, Broken):
        return (INCOMPLETE if spec.handler.absent else BROKEN), spec.handler.reason
    if status is not None and not status.runs:
        return status.trust.state, status.trust.reason
    if status is None and not spec.trusted:
        return NEW, "you have not approved it"
    return READY, status.trust.reason if status and status.trust.state != APPROVED else ""


def make_hook_document(engine: Engine, spec: HookSpec) -> dict[str, Any]:
    """Return the `hookline.hook/1` document: one hook with every effective field.

    Of its environment only the names.
    """
    return {
        "schema": "hookline.hook/1",
        **_summarize_hook(engine, spec, _find_statuses(engine, [spec]).get(spec.id)),
        "handler": _handler_fields(spec.handler),
        "time_limit": _find_time_limit(engine, spec),
        "rank": spec.rank,
        "strict": spec.strict,
        "pointer": spec.origin.pointer,
        "identity": hashlib.sha256(spec.identity.encode("utf-8", "surrogatepass")).hexdigest()
        if spec.identity
        else "",
        "facts": {name: _to_json(value) for name, value in spec.facts.items()},
    }


def describe_handler(spec: HookSpec) -> str:
    """Describe what a hook runs; of a command or a prompt only the first line."""
    match spec.handler:
        case Model(names=names, base_url=url, prompt=prompt):
            place = f" at {describe_url(url)}" if url else ""  # of which the rest may be a secret
            return f"model {', or '.join(names)}{place}: {first_line(prompt.strip())}"
        case Builtin(name=name, args=args):
            return " ".join(("builtin", name, *args))
        case InProcess(name=name):
            return f"python {name}"
        case Broken(reason=reason):
            return f"nothing: {reason}"
    return first_line(describe_run(spec).strip())


def _find_time_limit(engine: Engine, spec: HookSpec) -> float:
    """Return the seconds after which hookline ends the hook, whatever its file says."""
    if not spec.detached:
        return spec.timeout
    limits = engine.runtime.limits
    return find_time_limit(spec, engine.host(spec.dialect), limits.detached)


# The fields of each handler that its document has; of mappings only the keys, because values may be
# secrets.
_FIELDS: Mapping[type[Handler], tuple[str, ...]] = {
    Command: ("argv", "script", "shell", "env", "working_dir", "kill_leftovers"),
    Http: ("url", "method", "headers", "env", "secret", "allow_local"),
    Model: (
        "names",
        "provider",
        "prompt",
        "shape",
        "base_url",
        "key",
        "allow_local",
        "most_tokens",
    ),
    Builtin: ("name", "args"),
    InProcess: ("name",),
    Broken: ("reason",),
}


def _handler_fields(handler: Handler) -> dict[str, Any]:
    fields: dict[str, Any] = {"type": type(handler).__name__.lower()}
    for name in _FIELDS[type(handler)]:
        value = getattr(handler, name)
        fields[name] = sorted(value) if name in ("env", "headers") else _to_json(value, whole=True)
    if isinstance(handler, Model):
        fields["keys"] = list(list_key_variables(handler))
    return fields


def _to_json(value: Any, *, whole: bool = False) -> Any:
    """Return a fact as a JSON value.

    Of a long text only the first line, unless the `whole` is wanted.
    """
    match value:
        case str() if not whole:
            line = value.partition("\n")[0][:_LONGEST_FACT]
            return line if line == value else f"{line} …"
        case None | bool() | int() | float() | str():
            return value
        case dict():
            return {str(key): _to_json(inner, whole=whole) for key, inner in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_to_json(inner, whole=whole) for inner in value]
        case _:
            return _to_json(str(value))
