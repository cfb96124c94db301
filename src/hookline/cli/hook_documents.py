"""Hooks as JSON documents: what `list` and `show` print about them, and their states."""

from __future__ import annotations

import json

from hookline.cli.output import first_line
from hookline.core.condition_descriptions import describe_matcher
from hookline.core.failure import explain_file_switch
from hookline.core.plan import sort_hooks
from hookline.engine.approval_service import HookStatus, find_statuses, find_store_problem
from hookline.engine.detached import find_time_limit
from hookline.engine.hook_lookup import describe_run, make_hook_summary
from hookline.engine.host_integrations import list_integrated_hosts
from hookline.engine.loader import explain_absence, list_hooks
from hookline.model.spec import MANAGED, Broken, Builtin, HookSpec, InProcess, Model, Problem
from hookline.text.digest import sha256
from hookline.text.urls import describe_url
from hookline.trust.state import APPROVED, NEW
from hookline.wire.providers import list_key_variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from hookline.cli.output import Document
    from hookline.engine.engine import Engine
    from hookline.model.spec import Handler

READY, BROKEN, INCOMPLETE, OFF = "ready", "broken", "incomplete", "off"


def make_hooks_document(
    engine: Engine, wanted: Callable[[HookSpec], bool], also: Iterable[Problem] = ()
) -> Document:
    """Return the `hookline.hooks/1` document: the wanted hooks by event, in firing order.

    `also`: problems that the engine does not list.
    """
    specs = [spec for spec in list_in_order(engine) if wanted(spec)]
    unreadable = find_store_fault(engine, specs)
    problems = [*engine.problems, *((unreadable,) if unreadable else ()), *also]
    return {
        "schema": "hookline.hooks/1",
        "hooks": _summarize_hooks(engine, specs),
        "left_to_hosts": sorted(list_integrated_hosts(engine)),
        "problems": [problem.to_dict() for problem in problems],
    }


def find_store_fault(engine: Engine, specs: Sequence[HookSpec]) -> Problem | None:
    """Return why the approvals of these hooks cannot be read, if any needs one."""
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


def _summarize_hooks(engine: Engine, specs: list[HookSpec]) -> list[Document]:
    has_gate = engine.runtime.gate is not None and specs
    statuses = find_statuses(engine, specs) if has_gate else {}
    return [_summarize_hook(engine, spec, statuses.get(spec.id)) for spec in specs]


def _summarize_hook(engine: Engine, spec: HookSpec, status: HookStatus | None) -> Document:
    state, why = _find_state(engine, spec, status)
    is_trusted = spec.trusted
    if status is not None:
        is_trusted = status.trust.state == APPROVED or (spec.trusted and status.runs)
    return make_hook_summary(spec) | {
        "matcher": describe_matcher(spec),
        "runs": describe_handler(spec),
        "timeout": spec.timeout,
        "priority": spec.rank,
        "async": spec.detached,
        "on_failure": spec.on_failure.name.lower(),
        "column": spec.origin.column,
        "managed": status is not None and spec.origin.scope == MANAGED and not status.trust.column,
        "trusted": is_trusted,
        "standing": status.trust.state if status else "",
        "state": state,
        "why": why,
        "flags": [flag for flag in ("detached", "shadow", "once") if getattr(spec, flag)],
    }


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


def find_state_word(hook: Document) -> str:
    """Return the state of a hook's document in one word: of its approval, if it may run."""
    if hook["state"] != READY:
        return str(hook["state"])
    standing = hook["standing"] or (APPROVED if hook["trusted"] else NEW)
    words = {APPROVED: MANAGED if hook["managed"] else APPROVED, NEW: READY}
    return str(words.get(standing, standing))


def describe_state(hook: Document) -> str:
    """Describe the state of a hook's document: the word, whether it runs, and why."""
    word, why = find_state_word(hook), hook["why"]
    if hook["state"] in (BROKEN, INCOMPLETE, OFF):
        word += f": {why}"
    elif word not in (APPROVED, MANAGED):
        does = "runs" if hook["state"] == READY else "does not run"
        word += f": {does}" if why in _PLAIN_REASONS else f": {does}, {why}"
    return ", ".join((word, *hook["flags"]))


# Reasons that only repeat the state.
_PLAIN_REASONS = ("", "you have not approved it", "you revoked its approval")


def make_hook_document(engine: Engine, spec: HookSpec) -> Document:
    """Return the `hookline.hook/1` document: one hook with every effective field.

    Of its environment only the names.
    """
    limit = spec.timeout
    if spec.detached:
        longest = engine.runtime.limits.detached
        limit = find_time_limit(spec, engine.host(spec.dialect), longest)
    return {
        "schema": "hookline.hook/1",
        **_summarize_hooks(engine, [spec])[0],
        "handler": _handler_fields(spec.handler),
        "time_limit": limit,
        "rank": spec.rank,
        "strict": spec.strict,
        "pointer": spec.origin.pointer,
        "identity": sha256(spec.identity.encode("utf-8", "surrogatepass")) if spec.identity else "",
        "facts": {name: _to_json(value) for name, value in spec.facts.items()},
    }


def describe_handler(spec: HookSpec) -> str:
    """Describe what a hook runs; of a command or a prompt only the first line."""
    match spec.handler:
        case Model(names=names, base_url=url, prompt=prompt):
            place = f" at {describe_url(url)}" if url else ""  # of which the rest may be a secret
            return f"model {', or '.join(names)}{place}: {first_line(prompt.strip())}"
        case Builtin(args=args):
            return " ".join(("builtin", describe_run(spec), *args))
        case InProcess(name=name):
            return f"python {name}"
        case Broken(reason=reason):
            return f"nothing: {reason}"
    return first_line(describe_run(spec).strip())


# Fields of handlers that no document has: functions, and what may be a secret.
_HIDDEN = frozenset(("call", "body", "substitute", "host_env"))


def _handler_fields(handler: Handler) -> Document:
    """Return the fields of a handler; of mappings only the keys, for values may be secrets."""
    fields: Document = {"type": type(handler).__name__.lower()}
    for name in type(handler).__fields__:
        value = getattr(handler, name)
        if name not in _HIDDEN:
            fields[name] = sorted(value) if name in ("env", "headers") else _to_json(value)
    if isinstance(handler, Model):
        fields["keys"] = list(list_key_variables(handler))
    return fields


def _to_json(value: Any) -> Any:
    return json.loads(json.dumps(value, default=_to_plain))


def _to_plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset | set) else str(value)
