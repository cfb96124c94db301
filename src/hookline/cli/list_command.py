"""`hookline list` and `hookline show`: list the hooks, and show one hook or one event."""

from __future__ import annotations

import json
import os

from hookline.cli.events import (
    ON_FAILURE,
    find_kind,
    make_kind_document,
    render_kind,
    suggest_event,
)
from hookline.cli.options import EVENT, SHARED, Selection, option, usage_error
from hookline.cli.output import (
    OK,
    USAGE,
    Paint,
    Printer,
    count_things,
    first_line,
    format_columns,
    print_message,
)
from hookline.config.places import list_patterns
from hookline.core.condition_descriptions import describe_matcher
from hookline.core.failure import explain_file_switch
from hookline.core.plan import sort_hooks
from hookline.engine.approval_service import (
    HookStatus,
    find_statuses,
    find_store_problem,
    list_removed_problems,
)
from hookline.engine.detached import find_time_limit
from hookline.engine.hook_lookup import describe_run, make_hook_summary
from hookline.engine.loader import explain_absence, list_hooks
from hookline.errors import ConfigError, HookError
from hookline.model.spec import (
    CLONED,
    MANAGED,
    Broken,
    Builtin,
    HookSpec,
    Http,
    InProcess,
    Model,
    Problem,
)
from hookline.text.digest import sha256
from hookline.text.urls import describe_url
from hookline.trust.state import APPROVED, NEW, STATES
from hookline.wire.providers import list_key_variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hookline.cli.output import Document, Lines
    from hookline.engine.engine import Engine
    from hookline.model.spec import Handler

READY, BROKEN, INCOMPLETE, OFF = "ready", "broken", "incomplete", "off"


def list_all(
    selection: Selection,
    printer: Printer,
    *,
    event: str = EVENT,
    source: str = option("--source WORD", "only hooks of this scope, dialect or part of a path"),
) -> int:
    """Every hook in firing order, event by event.

    A file that cannot be read is an error, because the list is not whole.
    """
    kind = find_kind(event, selection.dialect) if event else ""
    if event and not kind:
        raise ConfigError(
            f"unknown event `{event}`", name="event.unknown", hint=suggest_event(event)
        )
    engine = selection.engine()
    others = [*list_removed_problems(engine)]
    if any(isinstance(spec.handler, Http) for spec in engine.hooks):
        # It loads what calls addresses, which takes as long as all else.
        from hookline.engine.doctor.static_checks import find_unresolved  # noqa: PLC0415

        others += find_unresolved(engine)
    document = make_hooks_document(
        engine,
        lambda spec: (
            kind in ("", spec.kind)
            and (source in (spec.origin.scope, spec.dialect) or source in spec.origin.file)
        ),
        others,
    )
    for problem in (*engine.problems, *others):
        print_message(str(problem))
    unreadable = find_store_fault(engine, engine.hooks)
    if unreadable:
        print_message(f"hookline list: {unreadable}")
    printer.print(document, render_hooks)
    if not document["hooks"]:
        for line in _explain_empty(engine, selection):
            print_message(line)
    has_bad_file = any(
        problem.severity == "error" and problem.name.startswith("config.")
        for problem in engine.problems
    )
    return USAGE if unreadable or has_bad_file else OK


def _explain_empty(engine: Engine, selection: Selection) -> Lines:
    """Yield the message that no hook is listed, and where hookline looked."""
    if count := sum(1 for _ in list_in_order(engine)):
        yield f"{count_things(count, 'hook')} here, and none like that"
    elif selection.configs:
        yield f"no hooks in {', '.join(f'`{config}`' for config in selection.configs)}"
    else:
        yield "no hooks here; these were looked for:"
        home = os.path.expanduser("~/")
        for scope, paths in list_patterns(engine.cwd, engine.runtime.environ).items():
            near = [path.replace(f"{engine.cwd}/", "").replace(home, "~/") for path in paths]
            whose = f"{scope}, in `{engine.cwd}`" if scope in CLONED else scope
            yield f"  {whose}: {', '.join(near)}"


def show(
    selection: Selection,
    printer: Printer,
    *,
    what: str = option(
        "EVENT|HOOK",
        "an event by any of its names, or a hook by its id or name",
        complete="hooks events",
    ),
) -> int:
    """One hook with every field that counts, or one event with all that a hook may do there."""
    engine = selection.engine()
    spec = _find_hook(engine, what)
    if spec is not None:
        if unreadable := find_store_fault(engine, [spec]):
            print_message(f"hookline show: {unreadable}")
        printer.print(make_hook_document(engine, spec), render_hook)
        return USAGE if unreadable else OK
    kind = find_kind(what, selection.dialect)
    if not kind:
        ids = [spec.id for spec in list_in_order(engine)]
        raise ConfigError(
            f"neither an event nor a hook is called `{what}`",
            name="event.unknown",
            hint=suggest_event(what, ids),
        )
    hooks = [spec.id for spec in list_in_order(engine) if spec.kind == kind]
    printer.print(make_kind_document(kind, hooks), render_kind)
    return OK


def _find_hook(engine: Engine, called: str) -> HookSpec | None:
    """Return the hook with that id, else the only one with that name.

    Raises:
        ConfigError: several hooks have that name.
    """
    specs = list(list_in_order(engine))
    found = [spec for spec in specs if spec.id == called]
    found = found or [spec for spec in specs if spec.name == called]
    if len(found) > 1:
        listed = ", ".join(f"`{spec.id}`" for spec in found)
        raise usage_error(f"several hooks are called `{called}`: {listed}", "give the id of one")
    return found[0] if found else None


# -- documents ---


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


def list_ids(given: Mapping[str, Any]) -> list[str]:
    """Return the ids of the hooks that a command line selects, for a shell; none of them runs."""
    selection = Selection(**{name: given[name] for name in SHARED if given.get(name)})
    try:
        selection.enter_folder()
        return [spec.id for spec in list_hooks(selection.engine().snapshot)]
    except (HookError, OSError):  # a prompt is no place for an error
        return []


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
        case Builtin(name=name, args=args):
            return " ".join(("builtin", name, *args))
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


# -- pages --


# Reasons that only repeat the state.
_STATE_REASONS = ("", "you have not approved it", "you revoked its approval")


def render_hooks(document: Document, paint: Paint) -> Lines:
    """Yield the hooks event by event.

    At the end each unreadable file, which counts as a broken hook of many events.
    """
    broken: dict[tuple[Any, ...], list[Document]] = {}
    for hook in document["hooks"]:
        if hook["state"] == BROKEN:
            fault = hook["file"], hook["line"], hook["column"], hook["why"]
            broken.setdefault(fault, []).append(hook)
    files = [same for same in broken.values() if len({hook["kind"] for hook in same}) > 1]
    of_files = {hook["hook"] for same in files for hook in same}
    kind = ""
    for hook in document["hooks"]:
        if hook["hook"] in of_files:
            continue
        if hook["kind"] != kind:
            if kind:
                yield ""
            kind = hook["kind"]
            yield paint("strong", kind)
        when = f", when {' and '.join(hook['when'])}" if hook["when"] else ""
        yield f"  {paint('name', hook['hook'])}  {hook['native_event']}{when}"
        yield f"    {hook['runs']}"
        yield f"    {paint('dim', _format_place(hook))}  {_describe_state(hook, paint)}"
    for first, *others in files:
        if kind:
            yield ""
        kind = f"{first['kind']} and {count_things(len(others), 'other event')}"
        yield paint("strong", kind)
        yield f"  {paint('name', first['name'])}"
        yield "    nothing: the file takes part in each of them as a hook that failed"
        state = _describe_state({**first, "why": "nothing of it counts"}, paint)
        yield f"    {paint('dim', _format_place(first))}  {state}"


def _format_place(hook: Document) -> str:
    return ":".join(str(part) for part in (hook["file"] or "python", hook["line"]) if part)


def _describe_state(hook: Document, paint: Paint) -> str:
    """Describe the state of a hook, its effect, and its unusual flags."""
    state = hook["standing"] or (APPROVED if hook["trusted"] else NEW)
    is_broken = hook["state"] not in (READY, *STATES)
    if state == APPROVED:
        marks = [MANAGED if hook["managed"] else APPROVED]
    else:
        does = "runs" if hook["state"] == READY else "does not run"
        why = "" if hook["why"] in _STATE_REASONS or is_broken else f", {hook['why']}"
        marks = [paint("warning", f"{state}: {does}{why}")]
    marks += hook["flags"]
    if is_broken:
        marks.append(paint("bad", f"{hook['state']}: {hook['why']}"))
    return ", ".join(marks)


def render_hook(hook: Document, paint: Paint) -> Lines:
    """Yield one hook, field by field."""
    yield paint("name", hook["hook"])
    own, limit = hook["timeout"], hook["time_limit"]
    ignored = f", as of every hook in the background; its own of {own:g} s is not enforced"
    shown = {
        "event": f"{hook['native_event']} of {hook['dialect']} ({hook['kind']})",
        "name": hook["name"] if hook["name"] != hook["hook"] else "",
        "when": " and ".join(hook["when"]) or "always",
        **_describe_handler(hook["handler"], hook["runs"]),
        "timeout": f"{limit:g} s{ignored if own != limit else ''}",
        "on failure": f"it {ON_FAILURE[hook['on_failure']]}",
        "rank": f"{hook['rank']} (lower runs first)",
        "mode": "strict" if hook["strict"] else "fidelity",
        "from": f"{_format_place(hook)} {hook['pointer']}".rstrip() + f" ({hook['scope']})",
        "state": _describe_state(hook, paint),
        "identity": hook["identity"][:12],
    }
    yield from format_columns(shown.items())
    facts = ((name, _format_value(value)) for name, value in hook["facts"].items())
    yield from format_columns(("fact", f"{name}: {text}") for name, text in facts)


def _describe_handler(handler: Document, runs: str) -> dict[str, str]:
    """Return what a hook runs, with the whole text of a script or a prompt, and where."""
    shown = {"runs": runs}
    if handler.get("script"):
        shells = ", else ".join(handler["shell"]) or "sh"
        shown["runs"] = f"a script in {shells}\n{handler['script'].strip()}"
    elif handler.get("prompt"):
        keys = ", else ".join(f"${name}" for name in handler["keys"])
        asked = f"the model {', or '.join(handler['names'])}\n{handler['prompt'].strip()}"
        place = handler["base_url"] or "the provider's own, or the one that the environment names"
        shown = {"asks": asked, "address": place, "key": f"in {keys}" if keys else "none"}
    return {
        **shown,
        "env": ", ".join(handler.get("env") or ()),
        "folder": handler.get("working_dir") or "",
    }


def _format_value(value: Any) -> str:
    """Return a field as text; empty if it says nothing."""
    if isinstance(value, str):
        return value.rstrip("\n")
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False)
