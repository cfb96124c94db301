"""Reads what a hook of `hookline.yaml` runs, or answers."""

from __future__ import annotations

import posixpath
import shlex

from hookline.dialects.kit.remote_hook import read_prompt
from hookline.dialects.native.fields import HANDLERS, read_values
from hookline.dialects.native.guards import read_options
from hookline.errors import did_you_mean
from hookline.guards.table import GUARDS
from hookline.model.builtins import BUILTINS
from hookline.model.spec import CLONED, Builtin, Command
from hookline.wire.http_spec import read_http_spec
from hookline.wire.providers import explain_model_fault
from hookline.wire.templates import find_template_faults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookline.core.dialect import EventRow, Source
    from hookline.model.spec import Handler, Http, Model
    from hookline.wire.fields import Node

# Those that do nothing without arguments, and an example of these.
_NEEDS = {
    "add_context": '"You work in {{ cwd }}."',
    "add_prompt_files": "AGENTS.md",
    "max_iterations": '"50"',
}
# The variable with the folder of the file.
FOLDER = "HOOKLINE_FOLDER"
_PROMPT: Mapping[str, Any] = {
    "names": ("$HOOKLINE_MODEL",),
    "keys": "`ok`, false if the event must not go on, and `reason`, one sentence.",
    "properties": {"ok": {"type": "boolean"}, "reason": {"type": "string"}},
}


def read_handler(
    hook: Node,
    row: EventRow,
    source: Source,
    *,
    exceptions: Sequence[Mapping[str, str]] = (),
    allow_local: bool,
) -> Handler | None:
    """Return what a hook runs; None and a problem if it names nothing, or more than one thing."""
    kind = _choose_kind(hook)
    if not kind:
        return None
    given = read_values(hook, HANDLERS[kind])
    match kind:
        case "run":
            return _read_program(hook, source, given)
        case "use":
            return _read_builtin(hook, row, given, exceptions)
        case "url":
            return _read_address(hook, given, allow_local=allow_local)
        case "prompt":
            return _read_model(hook, row, given, allow_local=allow_local)
    if kind not in row.powers:
        hook.complain("key.misplaced", f"`{row.native}` takes no `{kind}`", kind)
    return Builtin(name=kind, args=(given[kind],))


def _choose_kind(hook: Node) -> str:
    """Return the key that says what runs; empty and a problem if there is none, or another one."""
    there = [key for key in hook.value if hook.value[key] is not None]
    chosen = [key for key in HANDLERS if key in there]
    if len(chosen) != 1:
        words = ", ".join(f"`{key}`" for key in HANDLERS)
        why = "a hook needs exactly one of these keys"
        if chosen:
            why = f"{' and '.join(f'`{key}`' for key in chosen)} exclude each other"
        hook.complain("handler.type", why, *chosen[1:2], hint=f"one of {words}")
        return ""
    (kind,) = chosen
    for key in there:
        owners = [other for other, keys in HANDLERS.items() if key in keys]
        if owners and kind not in owners:
            hint = f"it belongs to `{'` and `'.join(owners)}`"
            hook.complain("key.misplaced", f"`{key}` beside `{kind}`", key, hint=hint)
    return kind


def _read_program(hook: Node, source: Source, given: Mapping[str, Any]) -> Command:
    folder = source.names.get("folder", "")
    words, is_line = given["run"], isinstance(hook.value["run"], str)
    if not "".join(words).strip():
        hook.complain("handler.command", "`run` names no program", "run")
    env = {**({FOLDER: folder} if folder else {}), **given.get("env", {})}
    command = Command(
        env=env,
        drop_env=given.get("drop_env", ()),
        working_dir=given.get("cwd", ""),
        kill_leftovers=True,
    )
    if not is_line:
        return command.replace(
            argv=tuple(_find_beside(word, folder) for word in words[:1]) + words[1:]
        )
    program, space, rest = words[0].lstrip().partition(" ")
    found = _find_beside(program, folder)
    script = words[0] if found == program else f"{shlex.quote(found)}{space}{rest}"
    return command.replace(script=script, shell=given.get("shell") or ("bash", "sh"))


def _find_beside(program: str, folder: str) -> str:
    """Return a program that is named as `./x` or `../x` by its path, from the file's folder."""
    if folder and program.startswith(("./", "../")):
        return posixpath.normpath(posixpath.join(folder, program))
    return program


def _read_builtin(
    hook: Node,
    row: EventRow,
    given: Mapping[str, Any],
    exceptions: Sequence[Mapping[str, str]],
) -> Builtin:
    name = hook.text("use")
    if name in GUARDS:
        return _read_guard(hook, name, row, exceptions)
    if not is_builtin(hook):
        return Builtin(name=name)
    if hook.value.get("with") is not None:
        hook.complain("key.misplaced", f"`{name}` has no options", "with", hint="remove `with`")
    if not BUILTINS[name].is_for_kind(row.kind):
        why = f"the builtin `{name}` does nothing on `{row.native}`"
        hook.complain("hook.never-runs", why, "use", hint=_list_events(name))
    elif name in _NEEDS and not given.get("args"):
        why = f"the builtin `{name}` does nothing without `args`"
        hook.complain("hook.never-runs", why, "use", hint=f"for example `args: [{_NEEDS[name]}]`")
    elif BUILTINS[name].adds_any_context:
        for arg in given.get("args", ()):
            if wrong := find_template_faults(arg).error:
                why = f"an argument of `{name}` is no template: {wrong}"
                hook.complain("handler.template", why, "args")
    return Builtin(
        name=name,
        args=given.get("args", ()),
        env=given.get("env", {}),
        working_dir=given.get("cwd", ""),
    )


def _list_events(name: str) -> str:
    row = BUILTINS[name]
    if row.adds_any_context:
        return "it belongs to the events that can add context"
    return f"it belongs to `{'`, `'.join(row.kinds)}`"


def is_builtin(hook: Node) -> bool:
    """Return whether the builtin that a hook names exists, if it names one; report if not."""
    name = hook.text("use")
    if not name or name in BUILTINS or name in GUARDS:
        return True
    known = [*GUARDS, *BUILTINS]
    hint = did_you_mean(name, known) or f"one of {', '.join(known)}"
    hook.complain("handler.builtin", f"no builtin is called `{name:.80}`", "use", hint=hint)
    return False


def _read_guard(
    hook: Node, name: str, row: EventRow, exceptions: Sequence[Mapping[str, str]]
) -> Builtin:
    events = GUARDS[name].events
    if row.kind not in events:
        why = f"the guard `{name}` does nothing on `{row.native}`"
        hint = f"remove `on`, or choose one of {', '.join(events)}"
        hook.complain("hook.never-runs", why, "on", hint=hint)
    for key in ("args", "env", "cwd"):
        if hook.value.get(key) is not None:
            hook.complain("key.misplaced", f"a guard has no `{key}`", key, hint="use `with`")
    return Builtin(name=name, options=read_options(hook, name, exceptions))


def _read_address(hook: Node, given: Mapping[str, Any], *, allow_local: bool) -> Http:
    call = read_http_spec(hook, allow_local=allow_local)
    return call.replace(
        method=given.get("method", call.method),
        env=given.get("variables", ()),
        secret=given.get("secret", ""),
        body=given.get("body", ""),
    )


def _read_model(hook: Node, row: EventRow, given: Mapping[str, Any], *, allow_local: bool) -> Model:
    """Return the question; a project's file chooses neither an address nor a key."""
    for key in ("base_url", "key"):
        if hook.scope in CLONED and key in given:
            why = f"a project's file cannot choose the `{key}` of a model"
            hook.complain("handler.model", why, key, hint="set it in the environment")
    if given.get("max_tokens", 1) < 1:
        why = f"`max_tokens: {given['max_tokens']}` leaves no room for a reply"
        hook.complain("value.range", why, "max_tokens")
    model = read_prompt(hook, row, _PROMPT, allow_local=allow_local)
    model = model.replace(
        names=(given["model"].strip(),) if "model" in given else model.names,
        base_url=given.get("base_url", "").rstrip("/"),
        key=given.get("key", ""),
        most_tokens=given.get("max_tokens", model.most_tokens),
    )
    why, hint = explain_model_fault(model)
    if why:
        hook.complain("handler.model", why, "model", hint=hint)
    return model
