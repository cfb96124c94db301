"""Reads what a hook of Claude Code's family runs, by its `type`; and its time limit."""

from __future__ import annotations

from hookline.dialects.kit.matcher import MatcherFormat
from hookline.errors import did_you_mean
from hookline.model.frozen import Frozen
from hookline.model.spec import Command
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow, Source, Table
    from hookline.model.spec import Condition, Handler, HookSpec
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


class Place(Frozen):
    """Where a hook stands: what its group and its file say of it.

    `matcher`: the text of its group's matcher. `least`: what a failure means at least. `broken`:
    why the group cannot be read.
    """

    source: Source
    row: EventRow
    matcher: str = ""
    conditions: tuple[Condition, ...] = ()
    least: Stance = Stance.SILENT
    in_turn: bool = False
    broken: str = ""


class FileFormat(Frozen):
    """How a host writes hooks into its files. A column is one way in which the hosts differ.

    Of files: `what`: the noun for one. `file`: the name under which hookline writes one, and
    `newer_file` if an event of newer releases is in it. `comments`: the JSON may have comments.
    `keys`: what a file may have at its top; empty where the other keys are the host's own. `flat`:
    an event has a list of hooks, and a matcher stands in the hook; rows that are `grouped` take
    groups too. `array`: `hooks` is a list of hooks that name their events. `bare`: the events may
    stand at the top. `group_keys`: what a group may have. `beside`: keys next to the events that
    are no events. `rows`: the rows by every spelling of their events. `version`: the severity of
    another version than 1; "" where files have none. `codes`: the problems of a `hooks` and of a
    hook of the wrong type. `flags`: reads what stands beside the hooks, and yields disable flags.
    `spared`: any other error refuses the whole file; None: an error breaks its own hook only.
    `fails_open`: unless in strict mode, only a command that hookline can run refuses by failing.

    Of hooks: `types`: type -> the keys that belong to it, as words. `common`: the keys of every
    type, as words. `default`: the type of a hook that names none; "" where it must. `needs`: types
    that hookline does not run -> what they need. `named_by`: keys of which the first names the
    hook. `identity`: the hook's name and its first text are its identity. `closes`: the key by
    which a failure refuses, and its value; `exports_closed`: hookline writes it, too. `limits`:
    type -> its time limit, "" for all others. `matcher`: how matchers are read. `fields`: reads the
    keys of a hook that no column describes. It adds facts to its last argument, and returns other
    fields of the `HookSpec`.

    Of what runs: `shells`: value of `shell` -> the programs that run a script, "" without that key.
    `banned`: a text in a command for which the host drops the file. `runs_empty`: an empty command
    is no error. `variables`: a variable of the environment -> what the source calls its value, and
    the value otherwise ("" for none). The row adds `event` and `tool` to the source's words.
    `substituted`: the same for `${...}` in a command. `host_env` and `drop_env`: as in `Command`.
    `https_only` and `largest`: limits of HTTP hooks. `command`: reads a command in a host's own
    way. `prompt`: the module whose `FORMAT` says how a prompt hook is declared; hookline imports it
    when a hook needs it.
    """

    table: Table
    what: str = "a settings file"
    file: str = "settings.json"
    newer_file: str = ""
    comments: bool = False
    keys: tuple[str, ...] = ()
    flat: bool = False
    array: bool = False
    bare: bool = False
    group_keys: tuple[str, ...] = ("matcher", "hooks")
    beside: tuple[str, ...] = ()
    rows: Mapping[str, EventRow] = {}
    version: str = ""
    codes: tuple[str, str] = ("value.type", "value.type")
    flags: Callable[[Node, Source], Iterable[HookSpec]] | None = None
    spared: tuple[str, ...] | None = None
    fails_open: bool = False
    # Hooks.
    types: Mapping[str, str]
    common: str
    default: str = ""
    needs: Mapping[str, str] = {}
    named_by: tuple[str, ...] = ("command",)
    identity: bool = False
    closes: tuple[str, object] = ("", None)
    exports_closed: bool = True
    limits: Mapping[str, TimeLimit] = {"": TimeLimit()}
    matcher: MatcherFormat = MatcherFormat()
    fields: Callable[[Node, Place, dict[str, Any]], Mapping[str, Any]] | None = None
    # What runs.
    shells: Mapping[str, tuple[str, ...]] = {"": ("sh",)}
    banned: str = ""
    runs_empty: bool = False
    variables: Mapping[str, tuple[str, str]] = {}
    substituted: Mapping[str, tuple[str, str]] = {}
    host_env: Mapping[str, str] = {}
    drop_env: tuple[str, ...] = ()
    https_only: bool = False
    largest: int = 0
    command: Callable[[Node, Source], Handler] | None = None
    prompt: str = ""

    def type_of(self, hook: Node) -> str:
        """Return the type that a hook names, or has without naming one."""
        return str(hook.value.get("type") or self.default)

    def keys_of(self, hook: Node) -> tuple[str, ...]:
        """Return the keys that a hook of its type may have."""
        return (*self.common.split(), *self.types.get(self.type_of(hook), "").split())


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
        # Few hooks ask a model.
        from hookline.dialects.kit.prompt_hook import read_prompt  # noqa: PLC0415

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
