"""Reads what a hook of Claude Code's family runs, by its `type`: a command, an HTTP call or a model; and its time limit."""

from __future__ import annotations

from hookline.model.frozen import Frozen
from hookline.model.handler import Command
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.core.dialect import EventRow, Source, Table
    from hookline.model.handler import Handler
    from hookline.wire.fields import Node


_LONGEST = 1e9  # seconds; what is longer is a mistake


class TimeLimit(Frozen):
    """How a host's files write a time limit.

    `keys`: where it stands; the first that is there counts. `per_second`: how many of its units are
    one second. `whole`: only whole numbers. `default`: seconds; 0: as the row or the table says.
    `raised`: 0 counts as one second. `doubtful`: a smaller number was probably meant in seconds.
    `seconds_below`: a smaller number is in seconds.
    """

    keys: tuple[str, ...] = ("timeout",)
    per_second: int = 1
    whole: bool = False
    default: float = 0.0
    raised: bool = False
    doubtful: int = 0
    seconds_below: int = 0


class HookFormat(Frozen):
    """How a host declares one hook. A column is one way in which the hosts of the family differ.

    `types`: type -> the keys that belong to it, as words. `common`: the keys of every type, as
    words. `default`: the type of a hook that names none; "" where it must. `needs`: types that
    hookline does not run -> what they need. `limits`: type -> its time limit, "" for all others.
    `shells`: value of `shell` -> the programs that run a script, "" without that key.

    `variables`: a variable of the environment -> what the source calls its value, and the value
    otherwise ("" for none). `substituted`: `${...}` with such a name is replaced in the command
    too. `host_env` and `drop_env`: as in `Command`. `https_only` and `largest`: limits of HTTP
    hooks. `command`: reads a command in a host's own way. `prompt`: the module whose `FORMAT` says
    how a prompt hook is declared; hookline imports it when a hook needs it.
    """

    types: Mapping[str, str]
    common: str
    default: str = ""
    needs: Mapping[str, str] = {}
    limits: Mapping[str, TimeLimit] = {"": TimeLimit()}
    shells: Mapping[str, tuple[str, ...]] = {"": ("sh",)}
    variables: Mapping[str, tuple[str, str]] = {}
    substituted: bool = False
    host_env: Mapping[str, str] = {}
    drop_env: tuple[str, ...] = ()
    https_only: bool = False
    largest: int = 0
    command: Callable[[Node, EventRow, Source], Handler] | None = None
    prompt: str = ""

    def type_of(self, hook: Node) -> str:
        """Return the type that a hook names, or has without naming one."""
        return str(hook.value.get("type") or self.default)

    def keys_of(self, hook: Node) -> tuple[str, ...]:
        """Return the keys that a hook of its type may have."""
        return (*self.common.split(), *self.types.get(self.type_of(hook), "").split())


def read_handler(
    hook: Node, row: EventRow, source: Source, table: Table, form: HookFormat, *, allow_local: bool
) -> Handler | None:
    """Return what a hook runs, and report the keys that do not belong to its type; None where nothing can run."""
    kind = hook.text("type", form.default, required=not form.default)
    if not kind and not isinstance(hook.value.get("type"), str):
        return None
    if kind in form.types:
        severity = table.severity_of_unknown_key("hook", source.mode)
        hook.check_known_keys(form.keys_of(hook), f"a `{kind}` hook", severity=severity)
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
        return _read_http(hook, row, form, allow_local=allow_local)
    if kind == "prompt":
        from hookline.dialects.kit.prompt_hook import read_prompt  # noqa: PLC0415 - few hooks ask a model

        module = __import__(form.prompt, fromlist=["FORMAT"])
        return read_prompt(hook, row, module.FORMAT, allow_local=allow_local)
    if form.command is not None:
        return form.command(hook, row, source)
    return read_command(hook, source, form)


def _read_http(hook: Node, row: EventRow, form: HookFormat, *, allow_local: bool) -> Handler:
    from hookline.wire.http_spec import read_http_spec  # noqa: PLC0415 - few hooks are called

    if not row.takes_http:
        why = f"`{row.native}` takes no `http` hooks"
        hint = "write a command that calls the address"
        hook.complain("key.misplaced", why, "type", hint=hint)
    return read_http_spec(
        hook, allow_local=allow_local, only_https=form.https_only, largest=form.largest
    )


def read_command(hook: Node, source: Source, form: HookFormat) -> Command:
    """Return the command of a hook: a script for a shell, or with `args` a program without one."""
    keys = form.keys_of(hook)
    script = hook.text("command", required=True)
    if not script.strip() and isinstance(hook.value.get("command"), str):
        why = "a command hook needs a non-empty `command`"
        hook.complain("handler.command", why, "command")
    shell = hook.choice("shell", form.shells, "") if "shell" in keys else ""
    env = {
        variable: value
        for variable, (name, otherwise) in form.variables.items()
        if (value := source.names.get(name) or otherwise)
    }
    command = Command(
        env={**env, **(hook.mapping("env") if "env" in keys else {})},
        substitute={f"${{{name}}}": value for name, value in env.items()}
        if form.substituted
        else {},
        host_env=form.host_env,
        drop_env=form.drop_env,
        kill_leftovers=source.mode == "strict",
    )
    if "args" not in keys or hook.value.get("args") is None:
        return command.replace(script=script, shell=form.shells[shell])
    if shell:
        why = "with `args` there is no shell, so hookline ignores `shell`"
        hook.complain("key.ignored", why, "shell", severity="warning")
    return command.replace(argv=(script, *hook.texts("args")))


def read_timeout(hook: Node, row: EventRow, table: Table, form: HookFormat) -> float:
    """Return the time limit of a hook in seconds."""
    limit = form.limits.get(form.type_of(hook), form.limits[""])
    usual = limit.default or row.timeout or table.default_timeout
    key = next((key for key in limit.keys if hook.value.get(key) is not None), limit.keys[-1])
    given = hook.integer(key) if limit.whole else hook.number(key)
    if given is None:
        return usual
    seconds = given / limit.per_second
    if not (given > 0 or (limit.raised and given == 0)) or seconds > _LONGEST:
        unit = "seconds" if limit.per_second == 1 else "milliseconds"
        hint = f"whole {unit}, 1 or more" if limit.whole else f"{unit}, more than 0"
        hook.complain("value.range", f"`{key}: {given}` is no time to wait", key, hint=hint)
        return usual
    why = hint = ""
    if given == 0:
        why, hint = f"`{key}: 0` is taken as 1 second", "write whole seconds, 1 or more"
        seconds = 1.0
    elif given < limit.seconds_below:
        why = f"`{key}: {given}` is {given} seconds; older releases wait {given} milliseconds"
        hint = f"for {given} seconds in every release write {given * limit.per_second}"
        seconds = float(given)
    elif given < limit.doubtful:
        why = f"`{key}: {given}` is {given} milliseconds"
        hint = f"for {given} seconds write {given * limit.per_second}"
    elif row.longest and seconds > row.longest:
        why = f"the host ends a hook of `{row.native}` after {row.longest:g} seconds"
        hint = f"write {row.longest:g} or less"
        seconds = row.longest
    if why:
        hook.complain("value.range", why, key, hint=hint, severity="warning")
    return float(seconds)
