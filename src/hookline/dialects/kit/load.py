"""Loads the hook files of Claude Code's family by the columns of a `FileFormat`."""

from __future__ import annotations

from hookline.core.dialect import EventRow, Loaded, Source, Table
from hookline.dialects.kit.matcher import MatcherFormat, read_matcher
from hookline.errors import ConfigError, did_you_mean
from hookline.model.frozen import Frozen
from hookline.model.kinds import kind
from hookline.model.spec import Command, HookSpec, Problem
from hookline.model.verdict import Stance
from hookline.wire.fields import Node, describe_value, to_problem
from hookline.wire.hook_ids import make_hook_id, number_equal
from hookline.wire.json_reader import without_comments
from hookline.wire.sources import (
    hook_name,
    make_spec,
    read_entries,
    read_tree,
    refuse_source,
    resolve_failure,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from hookline.model.spec import Condition, Handler

# Key of a hook -> the fact that its text becomes, which hookline only shows.
_SHOWN = {
    "description": "description",
    "statusMessage": "status",
    "commandWindows": "command_windows",
}
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
    """What the group and the file of a hook say of it.

    `least`: what a failure means at least. `broken`: why the group cannot be read.
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
    `keys`: what may stand at its top; empty where that is the host's own. `flat`: an event has a
    list of hooks, each with its matcher; rows that are `grouped` take groups too. `array`: `hooks`
    is a list of hooks that name their events. `bare`: the events may stand at the top.
    `group_keys`: what a group may have. `beside`: keys next to the events. `rows`: the rows by
    every spelling of their events. `version`: the severity of another version than 1. `codes`: the
    problems of a `hooks` and of a hook of the wrong type. `flags`: reads what stands beside the
    hooks, and yields disable flags. `spared`: any other error refuses the whole file; None: an
    error breaks its own hook only. `fails_open`: unless in strict mode, only a command that
    hookline can run refuses by failing.

    Of hooks: `types`: type -> the keys that belong to it, as words. `common`: the keys of every
    type. `default`: the type of a hook that names none. `needs`: types that hookline does not run
    -> what they need. `named_by`: keys of which the first names the hook. `identity`: the hook's
    name and its first text are its identity. `closes`: the key by which a failure refuses, and its
    value; `exports_closed`: hookline writes it, too. `limits`: type -> its time limit, "" for all
    others. `fields`: reads the keys of a hook that no column describes. It adds facts to its last
    argument, and returns other fields of the `HookSpec`.

    Of what runs: `shells`: value of `shell` -> the programs that run a script, "" without that key.
    `banned`: a text in a command for which the host drops the file. `runs_empty`: an empty command
    is no error. `variables`: the variables of the environment, as `NAME=word!otherwise`: what the
    source (or the row: `event`, `tool`) calls the value, and the value without one. `substituted`:
    the same for marks in a command. `host_env` and `drop_env`: as in `Command`. `http`: limits of
    HTTP hooks, as `read_http_spec` takes them. `prompt`: of prompt hooks, as `PromptFormat` has
    them. `allow_local`: HTTP hooks may be on this machine or in a private network. `command`: reads
    a command in a host's own way.
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
    types: Mapping[str, str]
    common: str
    default: str = ""
    needs: Mapping[str, str] = {}
    named_by: tuple[str, ...] = ("command",)
    identity: bool = False
    closes: tuple[str, Any] = ("", None)
    exports_closed: bool = True
    limits: Mapping[str, TimeLimit] = {"": TimeLimit()}
    matcher: MatcherFormat = MatcherFormat()
    fields: Callable[[Node, Place, dict[str, Any]], Mapping[str, Any]] | None = None
    shells: Mapping[str, tuple[str, ...]] = {"": ("sh",)}
    banned: str = ""
    runs_empty: bool = False
    variables: str = ""
    substituted: str = ""
    host_env: Mapping[str, str] = {}
    drop_env: tuple[str, ...] = ()
    http: Mapping[str, Any] = {}
    command: Callable[[Node, Source], Handler] | None = None
    prompt: Mapping[str, Any] = {}
    allow_local: bool = False

    def keys_of(self, hook: Node) -> tuple[str, ...]:
        """Return the keys that a hook of its type may have."""
        name = str(hook.value.get("type") or self.default)
        return (*self.common.split(), *self.types.get(name, "").split())


def load_file(source: Source, form: FileFormat) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source."""
    problems: list[Problem] = []
    if form.comments and source.text is not None:
        source = source.replace(text=without_comments(source.text))
    loader = _Loader(source, form)
    root = _read_root(source, form, problems)
    if root is None:
        refused = refuse_source(source, form.table, problems)
        if not loader.forgives:
            return refused
        specs = tuple(spec.replace(on_failure=Stance.SILENT) for spec in refused.specs)
        return refused.replace(specs=specs)
    flags = form.flags(root, source) if form.flags else ()
    specs = number_equal((*flags, *loader.load(root)), set())
    if form.spared is not None:
        for problem in problems:
            if problem.severity == "error" and problem.name not in form.spared:
                return refuse_source(source, form.table, problems, problem)
    return Loaded(specs=specs, problems=tuple(problems))


def can_close(row: EventRow) -> bool:
    """Return whether a hook of this event can say that its failure refuses."""
    return row.can_block and not kind(row.kind).redo


def _read_root(source: Source, form: FileFormat, problems: list[Problem]) -> Node | None:
    """Return the root of a file that the host can read; else None, and file a problem."""
    try:
        root = read_tree(source, problems)
    except ConfigError as error:
        problems.append(to_problem(error, source.file, source.scope))
        return None
    if not root.is_mapping(form.what, "config.type"):
        return None
    hooks, rows = root.value.get("hooks"), form.rows or form.table.rows
    if hooks is not None and not isinstance(hooks, list if form.array else dict):
        hint = "begin each entry with `[[hooks]]`" if form.array else ""
        like = "list" if form.array else "mapping"
        why = f"`hooks` must be a {like}, not {describe_value(hooks)}"
        root.complain(form.codes[0], why, "hooks", hint=hint)
        return None
    if form.keys and not (form.bare and hooks is None):
        severity = form.table.severity_of_unknown_key("file", source.mode)
        root.check_known_keys((*form.keys, *rows), form.what, severity=severity)
    version = root.value.get("version")
    if not form.version or (version == 1 and not isinstance(version, bool)):
        return root
    if "version" not in root.value:
        root.warn("key.missing", "the key `version` is missing", hint='add `"version": 1`')
        return root
    why, hint = f"`version: {version}` is not known", "this format is version 1"
    root.complain("value.choice", why, "version", hint=hint, severity=form.version)
    return root if form.version != "error" else None


class _Loader:
    """Loads the hooks of a source; one that it cannot read stays in its place as a broken one."""

    def __init__(self, source: Source, form: FileFormat) -> None:
        self.source = source
        self.form = form
        self.forgives = form.fails_open and source.mode != "strict"

    def load(self, root: Node) -> Iterator[HookSpec]:
        """Yield the hooks of a file."""
        form = self.form
        rows = form.rows or form.table.rows
        hooks = root.value.get("hooks")
        bare = form.bare and hooks is None
        for key in root.value:
            if key in rows and not bare and not form.array:
                why = f"`{key}` stands beside `hooks`"
                root.complain("key.misplaced", why, key, hint="put it below `hooks`")
        if hooks is None and not bare:
            return
        if form.array:
            yield from self._load_array(root.child("hooks"), rows)
            return
        of, like = "matcher groups", "[{matcher, hooks: [...]}]"
        if form.flat:
            of, like = "hooks", '[{"command": "..."}]'
        events = root if bare else root.child("hooks")
        known, beside = form.table.rows, form.beside
        found = read_entries(events, rows, of=of, like=like, known=known, beside=beside)
        for row, entry, broken in found:
            place = Place(source=self.source, row=row, broken=broken)
            if broken:
                yield self._spec(entry, place)
            elif form.flat and not (isinstance(entry.value, dict) and "hooks" in entry.value):
                yield self._hook(entry, place)
            else:
                yield from self._group(entry, place)

    def _load_array(self, hooks: Node, rows: Mapping[str, EventRow]) -> Iterator[HookSpec]:
        """Yield the hooks of a list, each of which names its event."""
        for hook in hooks.children():
            if not hook.is_mapping("a hook", self.form.codes[1]):
                continue
            native = hook.text("event", required=True)
            if native in rows:
                yield self._hook(hook, Place(source=self.source, row=rows[native]))
            elif native:
                hint = did_you_mean(native, rows) or f"known events: {', '.join(rows)}"
                if native in self.form.table.rows:
                    hint = f"only newer releases know it, in {self.form.newer_file}"
                hook.complain("event.unknown", f"unknown event `{native}`", "event", hint=hint)

    def _group(self, node: Node, place: Place) -> Iterator[HookSpec]:
        """Yield the hooks of a matcher group; of a flat event's group each may have a matcher."""
        form, row, mark, group = self.form, place.row, node.mark(), node.value
        if form.flat and not row.grouped:
            why = f"`{row.native}` takes a flat list of hooks, not matcher groups"
            hint = "put `matcher` beside the hook's other keys"
            hint = "write flat entries, or the key in PascalCase" if row.called else hint
            node.complain("group.shape", why, hint=hint)
        elif not isinstance(group, dict) or ("hooks" not in group and "type" in group):
            why = f"an entry of `{row.native}` must be a matcher group"
            node.complain("group.shape", why, hint='wrap it: {"hooks": [...]}')
        elif not isinstance(group.get("hooks"), list):
            why = f"a group of `{row.native}` needs `hooks`, a list of handlers"
            node.complain("group.shape", why)
        if broken := node.errors_since(mark):
            yield self._spec(node, place.replace(broken=broken))
            return
        severity = form.table.severity_of_unknown_key("group", self.source.mode)
        node.check_known_keys(form.group_keys, f"a group of `{row.native}`", severity=severity)
        if not group["hooks"]:
            node.warn("group.empty", f"this group of `{row.native}` has no hooks")
        in_turn = "sequential" in form.group_keys and node.flag("sequential")
        place = self._match(node, place.replace(in_turn=in_turn))
        place = place.replace(broken=node.errors_since(mark))
        for hook in node.child("hooks").children():
            yield self._hook(hook, place)

    def _match(self, node: Node, place: Place) -> Place:
        """Return the place with the conditions of a matcher."""
        row, form = place.row, self.form
        own = read_matcher(node, row, form.table, form.matcher, self.source.mode)
        if own is None:
            return place.replace(least=row.unmatched)
        text = str(node.value.get("matcher", ""))
        return place.replace(matcher=text, conditions=(*place.conditions, *own))

    def _hook(self, hook: Node, place: Place) -> HookSpec:
        form, row, mark = self.form, place.row, hook.mark()
        if not hook.is_mapping("a hook", form.codes[1]):
            return self._spec(hook, place.replace(broken=hook.errors_since(mark)))
        if form.flat:
            place = self._match(hook, place)
        handler = _read_handler(hook, place, form)
        keys = form.keys_of(hook)
        called = hook.text("name") if "name" in keys else ""
        text = ""
        for key in reversed(form.named_by):
            text = hook.value[key] if isinstance(hook.value.get(key), str) else text
        facts: dict[str, Any] = {}
        for key, fact in _SHOWN.items():
            if key in keys and (value := hook.text(key)):
                facts[fact] = value
        fields: dict[str, Any] = {
            "timeout": _read_timeout(hook, row, form),
            "name": hook_name(called or text),
            "on_failure": max(self._on_failure(hook, row), place.least),
            "once": "once" in keys and hook.flag("once"),
            "detached": not row.awaited or ("async" in keys and hook.flag("async")),
            "facts": facts,
        }
        if form.identity and text:
            fields["identity"] = f"{called}:{text}" if "name" in keys else text
            facts["called"] = called or text
        if form.fields is not None:
            fields |= form.fields(hook, place, facts)
        conditions = (*place.conditions, *fields.pop("conditions", ()))
        broken = place.broken or hook.errors_since(mark)
        place = place.replace(conditions=conditions, broken=broken)
        return self._spec(hook, place, handler, **fields)

    def _on_failure(self, hook: Node, row: EventRow) -> Stance:
        """Return what a failure means; a hook can say that it refuses, where anything can."""
        stance = resolve_failure(row, self.source.mode)
        key, closed = self.form.closes
        if not key or hook.value.get(key) is None:
            return stance
        given = hook.flag(key) if closed is True else hook.choice(key, (closed, "open"), "open")
        if given != closed:
            return stance
        if can_close(row):
            return max(stance, row.blocks)
        why = f"`{key}` has no effect on `{row.native}`, where hookline can refuse nothing"
        hook.warn("key.ignored", why, key)
        return stance

    def _spec(
        self, node: Node, place: Place, handler: Handler | None = None, **fields: Any
    ) -> HookSpec:
        source, row, table = self.source, place.row, self.form.table
        handler = node.choose_handler(handler, place.broken)
        fields.setdefault("timeout", row.timeout or table.default_timeout)
        fields.setdefault("on_failure", resolve_failure(row, source.mode))
        if self.forgives and not isinstance(handler, Command):
            fields["on_failure"] = Stance.SILENT
        return make_spec(
            source,
            table.name,
            row,
            node,
            id=make_hook_id(source, row.native, node),
            handler=handler,
            conditions=place.conditions,
            in_turn=place.in_turn,
            **fields,
        )


def _read_handler(hook: Node, place: Place, form: FileFormat) -> Handler | None:
    """Return what a hook runs, None for nothing; report the keys that do not belong to its type."""
    kind = form.default
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
    if kind in ("http", "prompt"):
        # Few hooks call an address, or ask a model.
        from hookline.dialects.kit.remote_hook import read_call, read_prompt  # noqa: PLC0415

        if kind == "prompt":
            return read_prompt(hook, place.row, form.prompt, allow_local=form.allow_local)
        return read_call(hook, place.row, form.http, allow_local=form.allow_local)
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
        hook.warn("hook.never-runs", why, "command", hint="put it into a script")
    shell = hook.choice("shell", form.shells, "") if "shell" in keys else ""
    command = Command(
        env={**_fill(form.variables, place), **(hook.mapping("env") if "env" in keys else {})},
        substitute=_fill(form.substituted, place),
        host_env=form.host_env,
        drop_env=form.drop_env,
        working_dir=place.source.names.get("working_dir", ""),
        kill_leftovers=strict,
    )
    if "args" not in keys or hook.value.get("args") is None:
        return command.replace(script=script, shell=form.shells[shell])
    if shell:
        why = "with `args` there is no shell, so hookline ignores `shell`"
        hook.warn("key.ignored", why, "shell")
    return command.replace(argv=(script, *hook.texts("args")))


def _fill(variables: str, place: Place) -> dict[str, str]:
    """Return those of the variables that have a value."""
    tool = "${event.tool}" if place.row.subject == "tool" else ""
    names = {**place.source.names, "event": place.row.native, "tool": tool}
    filled = {}
    for word in variables.split():
        variable, _, value = word.partition("=")
        name, _, otherwise = value.partition("!")
        if value := names.get(name) or otherwise:
            filled[variable] = value
    return filled


def _read_timeout(hook: Node, row: EventRow, form: FileFormat) -> float:
    """Return the time limit of a hook in seconds."""
    limit = form.limits.get(str(hook.value.get("type")), form.limits[""])
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
        hint = f"whole {unit}, from 1 to {limit.most}" if limit.most else hint
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
        hook.warn("value.range", why, key, hint=hint)
    return float(seconds)
