"""Loads the hook files of Claude Code's family by the columns of a `FileFormat`."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.kit.handlers import FileFormat, Place, read_handler, read_timeout
from hookline.dialects.kit.matcher import read_matcher
from hookline.errors import ConfigError, did_you_mean
from hookline.model.kinds import kind
from hookline.model.spec import Command
from hookline.model.verdict import Stance
from hookline.wire.fields import describe_value, to_problem
from hookline.wire.json_reader import without_comments
from hookline.wire.sources import (
    hook_id,
    hook_name,
    make_spec,
    read_entries,
    read_tree,
    refuse_source,
    resolve_failure,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow, Source
    from hookline.model.spec import Handler, HookSpec, Problem
    from hookline.wire.fields import Node

# Key of a hook -> the fact that its text becomes, which hookline only shows.
_SHOWN = {
    "description": "description",
    "statusMessage": "status",
    "commandWindows": "command_windows",
}


def load_file(source: Source, form: FileFormat, *, allow_local: bool = False) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source.

    `allow_local`: HTTP hooks may be on this machine or in a private network.
    """
    problems: list[Problem] = []
    if form.comments and source.text is not None:
        source = source.replace(text=without_comments(source.text))
    loader = _Loader(source, form, allow_local=allow_local)
    root = _read_root(source, form, problems)
    if root is not None:
        flags = form.flags(root, source) if form.flags is not None else ()
        specs = (*flags, *loader.load(root))
        errors = [problem for problem in problems if problem.severity == "error"]
        wrong = next((each for each in errors if each.name not in (form.spared or ())), None)
        if form.spared is None or wrong is None:
            return Loaded(specs=specs, problems=tuple(problems))
        return refuse_source(source, form.table, problems, wrong)
    refused = refuse_source(source, form.table, problems)
    if loader.forgives:
        specs = tuple(spec.replace(on_failure=Stance.SILENT) for spec in refused.specs)
        refused = refused.replace(specs=specs)
    return refused


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
        like, hint = "a mapping", ""
        if form.array:
            like, hint = "a list", "begin each entry with `[[hooks]]`"
        why = f"`hooks` must be {like}, not {describe_value(hooks)}"
        root.complain(form.codes[0], why, "hooks", hint=hint)
        return None
    if form.keys and not (form.bare and hooks is None):
        severity = form.table.severity_of_unknown_key("file", source.mode)
        root.check_known_keys((*form.keys, *rows), form.what, severity=severity)
    version = root.value.get("version")
    if not form.version or (version == 1 and not isinstance(version, bool)):
        return root
    if "version" not in root.value:
        why, hint = "the key `version` is missing", 'add `"version": 1`'
        root.complain("key.missing", why, hint=hint, severity="warning")
        return root
    why, hint = f"`version: {version}` is not known", "this format is version 1"
    root.complain("value.choice", why, "version", hint=hint, severity=form.version)
    return root if form.version != "error" else None


class _Loader:
    """Loads the hooks of a source.

    A hook that it cannot read stays in its place as a broken one.
    """

    def __init__(self, source: Source, form: FileFormat, *, allow_local: bool) -> None:
        self.source = source
        self.form = form
        self.allow_local = allow_local
        self.forgives = form.fails_open and source.mode != "strict"
        self.depth = 2  # how many keys lead to a list of hooks

    def load(self, root: Node) -> Iterator[HookSpec]:
        """Yield the hooks of a file."""
        form = self.form
        rows = form.rows or form.table.rows
        hooks = root.value.get("hooks")
        bare = form.bare and hooks is None
        self.depth = 1 if bare or form.array else 2
        for event in [] if bare or form.array else [key for key in root.value if key in rows]:
            why = f"`{event}` stands beside `hooks`"
            root.complain("key.misplaced", why, event, hint="put it below `hooks`")
        if hooks is None and not bare:
            return
        if form.array:
            yield from self._load_array(root.child("hooks"), rows)
            return
        of, like = "matcher groups", "[{matcher, hooks: [...]}]"
        if form.flat:
            of, like = "hooks", '[{"command": "..."}]'
        events = root if bare else root.child("hooks")
        found = read_entries(
            events, rows, of=of, like=like, known=form.table.rows, beside=form.beside
        )
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
            hint = "put `matcher` beside the hook's other keys"
            if row.called:
                hint = "write flat entries, or the key in PascalCase"
            why = f"`{row.native}` takes a flat list of hooks, not matcher groups"
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
            why = f"this group of `{row.native}` has no hooks"
            node.complain("group.empty", why, severity="warning")
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
        handler = read_handler(hook, place, form, allow_local=self.allow_local)
        keys = form.keys_of(hook)
        called = hook.text("name") if "name" in keys else ""
        texts = (hook.value.get(key) for key in form.named_by)
        text = next((text for text in texts if isinstance(text, str)), "")
        facts: dict[str, Any] = {
            fact: value for key, fact in _SHOWN.items() if key in keys and (value := hook.text(key))
        }
        fields: dict[str, Any] = {
            "timeout": read_timeout(hook, row, form),
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
        return self._spec(
            hook, place.replace(conditions=conditions, broken=broken), handler, **fields
        )

    def _on_failure(self, hook: Node, row: EventRow) -> Stance:
        """Return what a failure means.

        A hook can say that it refuses, where anything can be refused.
        """
        stance = resolve_failure(row, self.source.mode)
        key, closed = self.form.closes
        if not key or hook.value.get(key) is None:
            return stance
        words = (str(closed), "open")
        given = hook.flag(key) if closed is True else hook.choice(key, words, "open")
        if given != closed:
            return stance
        if can_close(row):
            return max(stance, row.blocks)
        why = f"`{key}` has no effect on `{row.native}`, where hookline can refuse nothing"
        hook.complain("key.ignored", why, key, severity="warning")
        return stance

    def _spec(
        self, node: Node, place: Place, handler: Handler | None = None, **fields: Any
    ) -> HookSpec:
        source, row, table = self.source, place.row, self.form.table
        handler = node.choose_handler(handler, place.broken)
        usual = {
            "timeout": row.timeout or table.default_timeout,
            "on_failure": resolve_failure(row, source.mode),
        }
        fields = usual | fields
        if self.forgives and not isinstance(handler, Command):
            fields["on_failure"] = Stance.SILENT
        return make_spec(
            source,
            table.name,
            row,
            node,
            id=hook_id(source.file, row.native, node, depth=self.depth),
            handler=handler,
            conditions=place.conditions,
            in_turn=place.in_turn,
            **fields,
        )
