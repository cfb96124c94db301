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
    find_hooks_mapping,
    hook_id,
    read_entries,
    read_group,
)
from hookline.wire.jsonc import without_comments
from hookline.wire.matchers import read_conditions
from hookline.wire.sources import hook_name, read_frame, refuse_source, resolve_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow, Source, Table
    from hookline.model.conditions import Condition
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem
    from hookline.wire.fields import Node


class Place(Frozen):
    """Where a hook stands: what its group and its file say of it.

    `matcher`: the text of its group's matcher. `matched`: hookline can apply that matcher.
    `broken`: why the group cannot be read.
    """

    source: Source
    row: EventRow
    matcher: str = ""
    conditions: tuple[Condition, ...] = ()
    matched: bool = True
    in_turn: bool = False
    broken: str = ""


class FileFormat(Frozen):
    """How a host writes hooks into its files. A column is one way in which the hosts of the family differ.

    `what`: the noun for the file. `file`: the name under which hookline writes one. `code`: the
    problem of a file whose `hooks` is no mapping. `comments`: the JSON may have comments. `keys`:
    what a file may have at its top; empty where the other keys are the host's own. `flat`: an event
    has a list of hooks, and a matcher stands in the hook. `bare`: the events may stand at the top.
    `group_keys`: what a group may have. `beside`: keys next to the events that are no events.
    `rows`: the rows by every spelling of their events. `groups_in`: whether a flat event takes
    groups too.

    `named_by`: keys of which the first names the hook. `identity`: the hook's name and its first
    text are its identity. `closes`: the key by which a failure refuses, and its value. `kept`:
    texts of a hook that become its facts, by key. `flags`: reads the switches of a file. `finish`:
    applies the switch of a file to the hooks of that file. `check`: reads what stands beside the
    hooks, and returns whether the host can read the file. `fails_open`: unless in strict mode, what
    the host cannot read, and an HTTP hook, never refuse. `fields`: reads the keys of a hook that no
    column describes; it returns fields of the `HookSpec`, `facts` and `conditions` being added to
    the others.
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
    fields: Callable[[Node, Place], Mapping[str, Any]] | None = None


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
        self.depth = 2  # how many keys lead to an event, its own included

    def load(self, root: Node) -> Iterator[HookSpec]:
        """Yield the hooks below the events of a file."""
        form = self.form
        rows = form.rows or form.table.rows
        bare = form.bare and root.value.get("hooks") is None
        events = root if bare else find_hooks_mapping(root, rows)
        if events is None:
            return
        self.depth = 1 if bare else 2
        of, like = "matcher groups", "[{matcher, hooks: [...]}]"
        if form.flat:
            of, like = "hooks", '[{"command": "..."}]'
        found = read_entries(
            events, rows, of=of, like=like, known=form.table.rows, beside=form.beside
        )
        for row, entry, broken in found:
            place = Place(source=self.source, row=row, broken=broken)
            if broken:
                yield self._spec(entry, place)
            elif form.flat and not (isinstance(entry.value, dict) and "hooks" in entry.value):
                yield self._hook(entry, self._match(entry, place, entry.mark()))
            else:
                yield from self._group(entry, place)

    def _group(self, node: Node, place: Place) -> Iterator[HookSpec]:
        """Yield the hooks of a matcher group; of a flat event's group each may have a matcher of its own."""
        form, row, mark = self.form, place.row, node.mark()
        hooks = None
        if form.flat and (form.groups_in is None or not form.groups_in(row)):
            hint = "write flat entries, or the key in PascalCase"
            if form.groups_in is None:
                hint = "put `matcher` beside the hook's other keys"
            why = f"`{row.native}` takes a flat list of hooks, not matcher groups"
            node.complain("group.shape", why, hint=hint)
        else:
            hooks = read_group(node, row, form.group_keys, self._severity("group"))
        if hooks is None:
            yield self._spec(node, place.replace(broken=node.errors_since(mark)))
            return
        sequential = "sequential" in form.group_keys and node.flag("sequential")
        place = self._match(node, place, mark).replace(in_turn=sequential)
        for hook in hooks:
            yield self._hook(hook, self._match(hook, place, hook.mark()) if form.flat else place)

    def _match(self, node: Node, place: Place, mark: int) -> Place:
        """Return the place with the conditions of a matcher, and why it is broken since `mark`."""
        if not isinstance(node.value, dict):
            return place
        form, mode = self.form.matcher, self.source.mode
        own = read_conditions(
            node, place.row, lambda node, row: read_matcher(node, row, form, mode)
        )
        return place.replace(
            matcher=str(node.value.get("matcher", "")),
            conditions=(*place.conditions, *(own or ())),
            matched=own is not None,
            broken=place.broken or node.errors_since(mark),
        )

    def _hook(self, hook: Node, place: Place) -> HookSpec:
        form, row, mark = self.form, place.row, hook.mark()
        shape = "group.shape" if form.flat and form.groups_in is None else "value.type"
        if not hook.is_mapping("a hook", shape):
            return self._spec(hook, place.replace(broken=hook.errors_since(mark)))
        handler = read_handler(
            hook, row, self.source, form.table, form.hook, allow_local=self.allow_local
        )
        keys = form.hook.keys_of(hook)
        called = hook.text("name") if "name" in keys else ""
        texts = (hook.value.get(key) for key in form.named_by)
        text = next((text for text in texts if isinstance(text, str)), "")
        fields: dict[str, Any] = {
            "timeout": read_timeout(hook, row, form.table, form.hook),
            "name": hook_name(called or text),
            "on_failure": self._on_failure(hook, row),
            "once": "once" in keys and hook.flag("once"),
            "detached": "async" in keys and hook.flag("async"),
            "identity": f"{called}:{text}" if form.identity and text else "",
        }
        own = {**form.fields(hook, place)} if form.fields is not None else {}
        kept = {fact: value for key, fact in form.kept.items() if (value := hook.text(key))}
        facts = kept | own.pop("facts", {})
        conditions = (*place.conditions, *own.pop("conditions", ()))
        place = place.replace(conditions=conditions, broken=place.broken or hook.errors_since(mark))
        return self._spec(hook, place, handler, facts=facts, **(fields | own))

    def _on_failure(self, hook: Node, row: EventRow) -> Stance:
        """Return what a failure means; a hook can say that it refuses, on an event where anything can be refused."""
        stance = resolve_failure(row, self.source.mode)
        key, closed = self.form.closes
        if not key or hook.value.get(key) is None:
            return stance
        if isinstance(closed, bool):
            refuses = hook.flag(key) is closed
        else:
            refuses = hook.choice(key, (str(closed), "open"), "open") == closed
        if refuses and not can_close(row):
            why = f"`{key}` has no effect on `{row.native}`, where hookline can refuse nothing"
            hook.complain("key.ignored", why, key, severity="warning")
            return stance
        return max(stance, row.blocks) if refuses else stance

    def _severity(self, place: str) -> str:
        return self.form.table.severity_of_unknown_key(place, self.source.mode)

    def _spec(
        self, node: Node, place: Place, handler: Handler | None = None, **fields: Any
    ) -> HookSpec:
        row, source = place.row, self.source
        strict = source.mode == "strict"
        usual = {
            "timeout": row.timeout or self.form.table.default_timeout,
            "on_failure": resolve_failure(row, source.mode),
        }
        fields = usual | fields
        is_forgiven = place.broken or handler is None or type(handler) is Http
        if self.form.fails_open and not strict and is_forgiven:
            fields["on_failure"] = Stance.SILENT
        return HookSpec(
            id=hook_id(source.file, row.native, node, depth=self.depth),
            dialect=self.form.table.name,
            kind=row.kind,
            native_event=row.native,
            handler=node.choose_handler(handler, place.broken),
            conditions=place.conditions,
            in_turn=place.in_turn,
            origin=node.origin(),
            shadow=source.shadow,
            strict=strict,
            trusted=source.trusted,
            **fields,
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
