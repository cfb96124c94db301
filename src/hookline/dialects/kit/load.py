"""Loads the hook files of Claude Code's family: events, the matcher groups or flat hooks below them, and each hook's keys."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.kit.handlers import HookFormat, read_handler, read_timeout
from hookline.dialects.kit.matcher import MatcherFormat, read_matcher
from hookline.model.frozen import Frozen
from hookline.model.handler import Http
from hookline.model.kinds import kind
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance
from hookline.wire.groups import (
    Group,
    find_hooks_mapping,
    hook_id,
    read_entries,
    read_groups,
)
from hookline.wire.jsonc import without_comments
from hookline.wire.matchers import read_conditions
from hookline.wire.sources import hook_name, read_frame, refuse_source, resolve_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hookline.core.dialect import EventRow, Source, Table
    from hookline.model.conditions import Condition
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem
    from hookline.wire.fields import Node


class Place(Frozen):
    """Where a hook stands: what its group and its file say of it.

    `matcher`: the text of its group's matcher. `matched`: hookline can apply that matcher. `broken`: why the group cannot
    be read. `depth`: how many keys lead to the hook's event, its own included.
    """

    source: Source
    row: EventRow
    matcher: str = ""
    conditions: tuple[Condition, ...] = ()
    matched: bool = True
    in_turn: bool = False
    broken: str = ""
    depth: int = 2


class FileFormat(Frozen):
    """How a host writes hooks into its files. A column is one way in which the hosts of the family differ.

    `what`: the noun for the file. `file`: the name under which hookline writes one. `code`: the problem of a file whose `hooks` is no mapping. `comments`: the JSON may have comments. `keys`: what a file may have at its top; empty
    where the other keys are the host's own. `flat`: an event has a list of hooks, and a matcher stands in the hook.
    `bare`: the events may stand at the top. `group_keys`: what a group may have. `beside`: keys next to the events that
    are no events. `rows`: the rows by every spelling of their events. `groups_in`: whether a flat event takes groups too.

    `named_by`: keys of which the first names the hook. `identity`: the hook's name and its first text are its identity.
    `closes`: the key by which a failure refuses, and its value. `kept`: texts of a hook that become its facts, by key.
    `flags`: reads the switches of a file. `finish`: applies
    the switch of a file to the hooks of that file. `check`: reads what stands beside the hooks, and returns whether the
    host can read the file. `fails_open`: unless in strict mode, what the host cannot read, and an HTTP hook, never refuse.
    `fields`: reads the keys of a hook
    that no column describes; it returns fields of the `HookSpec`, `facts` and `conditions` being added to the others.
    """

    table: Table
    hook: HookFormat
    matcher: MatcherFormat
    what: str = "a settings file"
    file: str = "settings.json"
    code: str = "value.type"
    comments: bool = False
    keys: tuple[str, ...] = ()
    flat: bool = False
    bare: bool = False
    group_keys: tuple[str, ...] = ("matcher", "hooks")
    beside: tuple[str, ...] = ()
    rows: Mapping[str, EventRow] = {}
    groups_in: Callable[[EventRow], bool] | None = None
    named_by: tuple[str, ...] = ("command",)
    identity: bool = False
    closes: tuple[str, object] = ("", None)
    kept: Mapping[str, str] = {}
    flags: Callable[[Node, Source], Iterator[HookSpec]] | None = None
    finish: Callable[[Node, Source, tuple[HookSpec, ...]], tuple[HookSpec, ...]] | None = None
    check: Callable[[Node, Source], bool] | None = None
    fails_open: bool = False
    fields: Callable[[Node, Place], Mapping[str, object]] | None = None


def load_file(source: Source, form: FileFormat, *, allow_local: bool = False) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source.

    `allow_local`: HTTP hooks may be on this machine or in a private network.
    """
    problems: list[Problem] = []
    if form.comments and source.text is not None:
        source = source.replace(text=without_comments(source.text))
    root = read_frame(source, problems, form.what, code=form.code)
    if root is None or not _is_readable(root, source, form):
        return refuse_source(source, _refusing_table(source, form), problems)
    specs = (
        *(form.flags(root, source) if form.flags is not None else ()),
        *_Loader(source, form, allow_local=allow_local).load(root),
    )
    if form.finish is not None:
        specs = form.finish(root, source, specs)
    return Loaded(specs=specs, problems=tuple(problems))


def can_close(row: EventRow) -> bool:
    """Return whether a hook of this event can say that its failure refuses."""
    return row.can_block and not kind(row.kind).redo


def _is_readable(root: Node, source: Source, form: FileFormat) -> bool:
    """Report what is wrong around the hooks, and return whether the host can read the file."""
    rows = form.rows or form.table.rows
    if form.keys and not (form.bare and root.value.get("hooks") is None):
        severity = form.table.severity_of_unknown_key("file", source.mode)
        root.check_known_keys((*form.keys, *rows), form.what, severity=severity)
    return form.check is None or form.check(root, source)


def _refusing_table(source: Source, form: FileFormat) -> Table:
    """Return the table whose rows say what it means that the host cannot read a file."""
    if not form.fails_open or source.mode == "strict":
        return form.table
    rows = {name: row.replace(fails=Stance.SILENT) for name, row in form.table.rows.items()}
    return form.table.replace(rows=rows)


class _Loader:
    """Loads the hooks of one source. A hook that it cannot read stays in its place as a broken one."""

    def __init__(self, source: Source, form: FileFormat, *, allow_local: bool) -> None:
        self.source = source
        self.form = form
        self.allow_local = allow_local
        self.rows = form.rows or form.table.rows

    def load(self, root: Node) -> Iterator[HookSpec]:
        """Yield the hooks below the events of a file."""
        form = self.form
        bare = form.bare and root.value.get("hooks") is None
        events = root if bare else find_hooks_mapping(root, self.rows)
        if events is None:
            return
        depth = 1 if bare else 2
        if form.flat:
            yield from self._entries(events)
            return
        found = read_groups(
            events,
            self.rows,
            keys=form.group_keys,
            beside=form.beside,
            severity=self._severity("group"),
        )
        for row, group in found:
            place = Place(source=self.source, row=row, depth=depth)
            if group.broken:
                yield self._spec(group.node, place.replace(broken=group.broken))
            else:
                yield from self._group(group, place)

    def _group(self, group: Group, place: Place) -> Iterator[HookSpec]:
        node = group.node
        demanded = self._conditions(node, place.row)
        place = place.replace(
            matcher=str(node.value.get("matcher", "")),
            conditions=demanded or (),
            matched=demanded is not None,
            in_turn="sequential" in self.form.group_keys and node.flag("sequential"),
        )
        place = place.replace(broken=node.errors_since(group.mark))
        yield from (self._hook(hook, place) for hook in group.hooks)

    def _entries(self, events: Node) -> Iterator[HookSpec]:
        """Yield the hooks of flat lists; a flat event may also take groups, as Claude Code's files have them."""
        found = read_entries(
            events, self.rows, of="hooks", like='[{"command": "..."}]', known=self.form.table.rows
        )
        for row, entry, broken in found:
            place = Place(source=self.source, row=row)
            if broken:
                yield self._spec(entry, place.replace(broken=broken))
            elif isinstance(entry.value, dict) and "hooks" in entry.value:
                yield from self._nested(entry, place)
            else:
                yield self._flat(entry, place)

    def _flat(self, entry: Node, place: Place) -> HookSpec:
        mark = entry.mark()
        if not isinstance(entry.value, dict):
            return self._hook(entry, place)
        demanded = self._conditions(entry, place.row)
        broken = entry.errors_since(mark)
        return self._hook(entry, place.replace(conditions=demanded or (), broken=broken))

    def _nested(self, entry: Node, place: Place) -> Iterator[HookSpec]:
        mark, row = entry.mark(), place.row
        if self.form.groups_in is None or not self.form.groups_in(row):
            hint = "write flat entries, or the key in PascalCase"
            if self.form.groups_in is None:
                hint = "put `matcher` beside the hook's other keys"
            why = f"`{row.native}` takes a flat list of hooks, not matcher groups"
            entry.complain("group.shape", why, hint=hint)
        elif not isinstance(entry.value["hooks"], list):
            why = f"a group of `{row.native}` needs `hooks`, a list of handlers"
            entry.complain("group.shape", why)
        if broken := entry.errors_since(mark):
            yield self._spec(entry, place.replace(broken=broken))
            return
        entry.check_known_keys(
            self.form.group_keys, f"a group of `{row.native}`", severity=self._severity("group")
        )
        demanded = self._conditions(entry, row)
        place = place.replace(conditions=demanded or (), broken=entry.errors_since(mark))
        for hook in entry.child("hooks").children():
            own = self._conditions(hook, row) if isinstance(hook.value, dict) else ()
            conditions = (*place.conditions, *(own or ()))
            yield self._hook(hook, place.replace(conditions=conditions))

    def _conditions(self, node: Node, row: EventRow) -> tuple[Condition, ...] | None:
        form = self.form.matcher
        return read_conditions(
            node, row, lambda node, row: read_matcher(node, row, form, self.source.mode)
        )

    def _hook(self, hook: Node, place: Place) -> HookSpec:
        form, row, mark = self.form, place.row, hook.mark()
        shape = "group.shape" if form.flat and form.groups_in is None else "value.type"
        if not hook.is_mapping("a hook", shape):
            return self._spec(hook, place.replace(broken=hook.errors_since(mark)))
        handler = read_handler(
            hook, row, self.source, form.table, form.hook, allow_local=self.allow_local
        )
        called = hook.text("name") if "name" in form.hook.keys_of(hook) else ""
        texts = (hook.value.get(key) for key in form.named_by)
        text = next((text for text in texts if isinstance(text, str)), "")
        fields: dict[str, object] = {
            "timeout": read_timeout(hook, row, form.table, form.hook),
            "name": hook_name(called or text),
            "on_failure": self._on_failure(hook, row),
            "facts": {fact: said for key, fact in form.kept.items() if (said := hook.text(key))},
            "conditions": place.conditions,
        }
        if "async" in form.hook.keys_of(hook):
            fields["detached"] = hook.flag("async")
        if form.identity and text:
            fields["identity"] = f"{called}:{text}"
        own = form.fields(hook, place) if form.fields is not None else {}
        fields |= {
            key: fields[key] | value  # type: ignore[operator]  # the facts
            if key == "facts"
            else (*place.conditions, *value)  # type: ignore[misc]
            if key == "conditions"
            else value
            for key, value in own.items()
        }
        broken = place.broken or hook.errors_since(mark)
        return self._spec(hook, place.replace(broken=broken), handler=handler, **fields)

    def _on_failure(self, hook: Node, row: EventRow) -> Stance:
        """Return what a failure means; a hook can say that it refuses, on an event where anything can be refused."""
        stance = resolve_failure(row, self.source.mode)
        key, closed = self.form.closes
        if not key or hook.value.get(key) is None:
            return stance
        if isinstance(closed, bool):
            says = hook.flag(key) is closed
        else:
            says = hook.choice(key, (str(closed), "open"), "open") == closed
        if not says:
            return stance
        if not can_close(row):
            why = f"`{key}` has no effect on `{row.native}`, where hookline can refuse nothing"
            hook.complain("key.ignored", why, key, severity="warning")
            return stance
        return max(stance, row.blocks)

    def _severity(self, place: str) -> str:
        return self.form.table.severity_of_unknown_key(place, self.source.mode)

    def _spec(
        self, node: Node, place: Place, *, handler: Handler | None = None, **fields: object
    ) -> HookSpec:
        row, source = place.row, self.source
        if (
            self.form.fails_open
            and source.mode != "strict"
            and (place.broken or handler is None or type(handler) is Http)
        ):
            fields["on_failure"] = Stance.SILENT
        defaults: dict[str, object] = {
            "timeout": row.timeout or self.form.table.default_timeout,
            "on_failure": resolve_failure(row, source.mode),
            "conditions": place.conditions,
        }
        return HookSpec(
            id=hook_id(source.file, row.native, node, depth=place.depth),
            dialect=self.form.table.name,
            kind=row.kind,
            native_event=row.native,
            handler=node.choose_handler(handler, place.broken),
            in_turn=place.in_turn,
            origin=node.origin(),
            shadow=source.shadow,
            strict=source.mode == "strict",
            trusted=source.trusted,
            **{**defaults, **fields},  # type: ignore[arg-type]  # checked by the constructor
        )


def check_version(root: Node, severity: str) -> bool:
    """Report a file without `version: 1`, and return whether the host reads it; one that names no version it does."""
    if "version" not in root.value:
        why, hint = "the key `version` is missing", 'add `"version": 1`'
        root.complain("key.missing", why, hint=hint, severity="warning")
        return True
    version = root.value["version"]
    if version == 1 and not isinstance(version, bool):
        return True
    why = f"`version: {version}` is not known"
    root.complain(
        "value.choice", why, "version", hint="this format is version 1", severity=severity
    )
    return severity != "error"
