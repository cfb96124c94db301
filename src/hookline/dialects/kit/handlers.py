"""Reads what a hook of Claude Code's family runs, by its `type`; and its time limit."""

from __future__ import annotations

from hookline.model.frozen import Frozen
from hookline.model.handler import Command
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import EventRow
    from hookline.dialects.kit.load import FileFormat, Place
    from hookline.model.handler import Handler
    from hookline.wire.fields import Node


_LONGEST = 1e9  # seconds; what is longer is a mistake
_DOUBTFUL = 100  # milliseconds; a smaller number was probably meant in seconds


class TimeLimit(Frozen):
    """How a host's files write a time limit.

    `keys`: where it stands; the first that is there counts. `per_second`: how many of its units are
    one second. `whole`: only whole numbers. `most`: a greater number is an error; 0: a billion
    seconds. `default`: seconds; 0: as the row or the table says. `raised`: 0 counts as one second.
    `seconds_below`: a smaller number is in seconds.
    """

    keys: tuple[str, ...] = ("timeout",)
    per_second: int = 1
    whole: bool = False
    most: int = 0
    default: float = 0.0
    raised: bool = False
    seconds_below: int = 0


def read_handler(
    hook: Node, place: Place, form: FileFormat, *, allow_local: bool
) -> Handler | None:
    """Return what a hook runs, and report the keys that do not belong to its type.

    None where nothing can run.
    """
    row, kind = place.row, form.default
    if "type" in form.common.split():
        kind = hook.text("type", form.default, required=not form.default)
        if not kind and not isinstance(hook.value.get("type"), str):
            return None
    if kind in form.types:
        what = f"a `{kind}` hook"
        severity = form.table.severity_of_unknown_key("hook", place.source.mode)
        hook.check_known_keys(form.keys_of(hook), what, severity=severity)
    if kind in form.needs:
        why = f"`{kind}` hooks need {form.needs[kind]}, which hookline does not have"
        hook.complain("handler.unsupported", why, "type", hint="write a command")
        return None
    if kind not in form.types:
        known = (*form.types, *form.needs)
        hint = did_you_mean(kind, known) or f"one of {', '.join(f'`{each}`' for each in known)}"
        hook.complain("handler.type", f"unknown hook type `{kind}`", "type", hint=hint)
        return None
    if kind == "http":
        from hookline.wire.http_spec import read_http_spec  # noqa: PLC0415 - few hooks are called

        if not row.takes_http:
            why = f"`{row.native}` takes no `http` hooks"
            hint = "write a command that calls the address"
            hook.complain("key.misplaced", why, "type", hint=hint)
        return read_http_spec(
            hook, allow_local=allow_local, only_https=form.https_only, largest=form.largest
        )
    if kind == "prompt":
        from hookline.dialects.kit.prompt_hook import read_prompt  # noqa: PLC0415 - few hooks ask a model

        module = __import__(form.prompt, fromlist=["FORMAT"])
        return read_prompt(hook, row, module.FORMAT, allow_local=allow_local)
    if form.command is not None:
        return form.command(hook, place.source)
    return _read_command(hook, place, form)


def _read_command(hook: Node, place: Place, form: FileFormat) -> Command:
    """Return the command of a hook: a script for a shell, or with `args` a program without one."""
    keys, strict = form.keys_of(hook), place.source.mode == "strict"
    script = hook.text("command", required=True)
    if not script.strip() and isinstance(hook.value.get("command"), str):
        why = "a command hook needs a non-empty `command`"
        severity = "warning" if form.runs_empty and not strict else "error"
        hook.complain("handler.command", why, "command", severity=severity)
    if form.banned and form.banned in script:
        why = f"`{form.banned}` in a command makes the host drop the whole file"
        hint = "put it into a script"
        hook.complain("hook.never-runs", why, "command", hint=hint, severity="warning")
    shell = hook.choice("shell", form.shells, "") if "shell" in keys else ""
    own = hook.mapping("env") if "env" in keys else {}
    marks = _fill(form.substituted, place)
    command = Command(
        env={**_fill(form.variables, place), **own},
        substitute={f"${{{name}}}": value for name, value in marks.items()},
        host_env=form.host_env,
        drop_env=form.drop_env,
        working_dir=place.source.names.get("working_dir", ""),
        kill_leftovers=strict,
    )
    if "args" not in keys or hook.value.get("args") is None:
        return command.replace(script=script, shell=form.shells[shell])
    if shell:
        why = "with `args` there is no shell, so hookline ignores `shell`"
        hook.complain("key.ignored", why, "shell", severity="warning")
    return command.replace(argv=(script, *hook.texts("args")))


def _fill(variables: Mapping[str, tuple[str, str]], place: Place) -> dict[str, str]:
    """Return those of the variables that have a value."""
    row = place.row
    tool = "${event.tool}" if row.subject == "tool" else ""
    names = {**place.source.names, "event": row.native, "tool": tool}
    return {
        variable: value
        for variable, (name, otherwise) in variables.items()
        if (value := names.get(name) or otherwise)
    }


def read_timeout(hook: Node, row: EventRow, form: FileFormat) -> float:
    """Return the time limit of a hook in seconds."""
    limit = form.limits.get(form.type_of(hook), form.limits[""])
    usual = limit.default or row.timeout or form.table.default_timeout
    key = next((key for key in limit.keys if hook.value.get(key) is not None), limit.keys[-1])
    given = hook.integer(key) if limit.whole else hook.number(key)
    if given is None:
        return usual
    seconds = given / limit.per_second
    is_zero = limit.raised and given == 0
    if not (given > 0 or is_zero) or seconds > (limit.most or _LONGEST):
        unit = "seconds" if limit.per_second == 1 else "milliseconds"
        hint = f"whole {unit}, 1 or more" if limit.whole else f"{unit}, more than 0"
        if limit.most:
            hint = f"whole {unit}, from 1 to {limit.most}"
        hook.complain("value.range", f"`{key}: {given}` is no time to wait", key, hint=hint)
        return usual
    why = hint = ""
    if is_zero:
        why, hint = f"`{key}: 0` is taken as 1 second", "write whole seconds, 1 or more"
        seconds = 1.0
    elif given < limit.seconds_below:
        why = f"`{key}: {given}` is {given} seconds; older releases wait {given} milliseconds"
        hint = f"for {given} seconds in every release write {given * limit.per_second}"
        seconds = float(given)
    elif limit.per_second > 1 and given < _DOUBTFUL:
        why = f"`{key}: {given}` is {given} milliseconds"
        hint = f"for {given} seconds write {given * limit.per_second}"
    elif row.longest and seconds > row.longest:
        why = f"the host ends a hook of `{row.native}` after {row.longest:g} seconds"
        hint = f"write {row.longest:g} or less"
        seconds = row.longest
    if why:
        hook.complain("value.range", why, key, hint=hint, severity="warning")
    return float(seconds)
