"""Reading the `hooks` of Hermes' config.yaml: a mapping of events, each a list of entries."""

from __future__ import annotations

import json

from hookline.core.dialect import Loaded
from hookline.dialects.starchild.command_line import words
from hookline.dialects.starchild.hermes.consent import accept, approves_nothing
from hookline.dialects.starchild.hermes.table import (
    DEFAULT_TIMEOUT,
    IN_PROCESS,
    LONGEST_TIMEOUT,
    NAME,
)
from hookline.errors import ConfigError
from hookline.model.conditions import OneOf, Pattern
from hookline.model.handler import Command
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance
from hookline.text.regex import accepts, compile_regex
from hookline.text.suggestions import did_you_mean
from hookline.wire.fields import describe_value
from hookline.wire.sources import hook_name, read_tree, refuse_unreadable, strict_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import EventRow, Source, Table
    from hookline.model.conditions import Condition
    from hookline.model.problem import Problem
    from hookline.wire.fields import Node

_KEYS = ("matcher", "command", "timeout", "fail_closed", "failClosed")
_AUTO_ACCEPT = "hooks_auto_accept"
_WEBHOOKS = "outbound"  # beside the events stand addresses that are told of them


def load(source: Source, *, facts: Table, exact: bool = False) -> Loaded:
    """The hooks of a source, in declared order, and every problem that it has (docs/formats/hermes.md 1).

    `exact`: `hooks_auto_accept` accepts them, as it does in Hermes.
    """
    problems: list[Problem] = []
    try:
        root = read_tree(source, problems)
        hooks = _hooks(root)
    except ConfigError as error:
        return refuse_unreadable(source, facts, error)
    reader = _Reader(source, facts, problems)
    specs = [spec for event in (hooks.children() if hooks else ()) for spec in reader.event(event)]
    if specs and root.value.get(_AUTO_ACCEPT) not in (None, False):
        if exact:
            return accept(Loaded(specs=tuple(specs), problems=tuple(problems)))
        problems.append(
            approves_nothing(_AUTO_ACCEPT, tuple(specs)).replace(origin=root.origin(_AUTO_ACCEPT))
        )
    return Loaded(specs=tuple(specs), problems=tuple(problems))


def _hooks(root: Node) -> Node | None:
    """What stands under `hooks`; the other keys are Hermes' own.

    Raises:
        ConfigError: the file, or its `hooks`, is something else.
    """
    if root.value is None:
        return None
    if not isinstance(root.value, dict):
        raise ConfigError(
            f"a config.yaml must be a mapping, not {describe_value(root.value)}",
            name="config.type",
            place=root.origin().place,
        )
    if root.value.get("hooks") is None:
        return None
    hooks = root.child("hooks")
    if isinstance(hooks.value, dict):
        return hooks
    hint = (
        "a list of entries is a Starchild file: name it with --dialect starchild"
        if isinstance(hooks.value, list)
        else ""
    )
    raise ConfigError(
        f"`hooks` must be a mapping, not {describe_value(hooks.value)}",
        name="config.type",
        place=hooks.origin().place,
        hint=hint,
    )


class _Reader:
    """Reads the entries of one source. One that cannot be read stays in its place as a broken hook, to be missed aloud."""

    def __init__(self, source: Source, table: Table, problems: list[Problem]) -> None:
        self.source = source
        self.table = table
        self.problems = problems
        self.strict = source.mode == "strict"

    def event(self, event: Node) -> Iterator[HookSpec]:
        """The hooks of one event."""
        native = str(event.path[-1])
        row = self.table.rows.get(native)
        if row is None:
            self._refuse(event, native)
        elif isinstance(event.value, list):
            yield from (self._hook(entry, row) for entry in event.children())
        elif event.value is not None:
            before = event.mark()
            event.complain(
                "group.shape", f"`{native}` must be a list", hint="begin each entry with `- `"
            )
            yield self._spec(event, row, native, event.errors_since(before))

    def _refuse(self, event: Node, native: str) -> None:
        if native == _WEBHOOKS:
            event.complain(
                "handler.unsupported",
                "outbound webhooks are Hermes' own, and not sent from here",
                severity="warning",
            )
        elif native in IN_PROCESS:
            why = "it counts only inside Hermes' own process, so a shell hook could do nothing"
            event.complain("event.unknown", f"`{native}` is not for shell hooks", hint=why)
        else:
            hint = (
                did_you_mean(native, self.table.rows)
                or f"known events: {', '.join(self.table.rows)}"
            )
            event.complain("event.unknown", f"unknown event `{native}`", hint=hint)

    def _hook(self, entry: Node, row: EventRow) -> HookSpec:
        before, where = entry.mark(), f"{row.native}.{entry.path[-1]}"
        if not entry.is_mapping(f"an entry of `{row.native}`", "group.shape"):
            return self._spec(entry, row, where, entry.errors_since(before))
        entry.check_known_keys(
            _KEYS,
            f"an entry of `{row.native}`",
            severity=self.table.severity_of_unknown_key("hook", self.source.mode),
        )
        argv = self._argv(entry)
        conditions = _conditions(entry, row, self.table.regex_flavour)
        timeout = _timeout(entry)
        broken = entry.errors_since(before)
        return self._spec(entry, row, where, broken, argv).replace(
            conditions=conditions,
            timeout=timeout,
            # After the errors were counted, because a bad one is an error and leaves the hook as it is.
            on_failure=self._on_failure(entry, row),
            name=hook_name(str(entry.value.get("command") or "")),
            identity=json.dumps(
                [entry.value.get("matcher"), entry.value.get("command")], default=str
            ),
        )

    def _spec(
        self, node: Node, row: EventRow, where: str, broken: str, argv: tuple[str, ...] = ()
    ) -> HookSpec:
        return HookSpec(
            id=f"{(self.source.file or 'config').rpartition('/')[2]}#{where}",
            dialect=NAME,
            kind=row.kind,
            native_event=row.native,
            handler=node.choose_handler(
                Command(argv=argv, kill_leftovers=self.strict) if argv else None, broken
            ),
            timeout=float(DEFAULT_TIMEOUT),
            on_failure=strict_failure(row) if self.strict else Stance.SILENT,
            shadow=self.source.shadow,
            strict=self.strict,
            origin=node.origin(),
            trusted=self.source.trusted,
        )

    def _argv(self, entry: Node) -> tuple[str, ...]:
        """The words of the command; at the beginning of one, `~` is the home folder where that is known."""
        home = self.source.names.get("home", "")
        return tuple(
            home + word[1:] if home and (word == "~" or word.startswith("~/")) else word
            for word in words(entry)
        )

    def _on_failure(self, entry: Node, row: EventRow) -> Stance:
        key = "fail_closed" if entry.value.get("fail_closed") is not None else "failClosed"
        if entry.value.get(key) is None:
            return strict_failure(row) if self.strict else Stance.SILENT
        closed = entry.flag(key)
        if closed and (row.ignores_exit or not row.can_block):
            entry.complain(
                "key.misplaced", f"`{row.native}` cannot block, so it cannot fail closed", key
            )
            return Stance.SILENT
        return row.blocks if closed else Stance.SILENT


def _conditions(entry: Node, row: EventRow, flavour: str) -> tuple[Condition, ...]:
    """The matcher: all of the tool's name; where it is no expression, the very name."""
    text = entry.text("matcher").strip()
    if not text:
        return ()
    if not row.subject:
        entry.complain(
            "matcher.ignored",
            f"`{row.native}` has no tool, so the matcher is ignored",
            "matcher",
            severity="warning",
        )
        return ()
    try:
        return (Pattern(field="tool", source=text, regex=compile_regex(text, flavour), full=True),)
    except ConfigError as error:
        if accepts(text, flavour):
            entry.complain(error.name, error.message, "matcher", hint=error.hint)
            return ()
        entry.complain(
            "matcher.regex",
            f"{error.message}; it is taken as a name",
            "matcher",
            hint=error.hint,
            severity="warning",
        )
        return (OneOf(field="tool", names=frozenset({text})),)


def _timeout(entry: Node) -> float:
    """Seconds; what cannot be meant becomes the default, and what is too long the limit, both said aloud."""
    given = entry.value.get("timeout")
    if given is None:
        return float(DEFAULT_TIMEOUT)
    if isinstance(given, bool) or not isinstance(given, int | float):
        return _corrected(
            entry,
            "value.type",
            f"`timeout` must be a number, not {describe_value(given)}",
            DEFAULT_TIMEOUT,
        )
    if not given > 0:
        return _corrected(
            entry, "value.range", f"`timeout: {given}` is no time to wait", DEFAULT_TIMEOUT
        )
    if given > LONGEST_TIMEOUT:
        return _corrected(
            entry, "value.range", f"`timeout: {given!s:.20}` is too long", LONGEST_TIMEOUT
        )
    return float(given)


def _corrected(entry: Node, name: str, message: str, seconds: int) -> float:
    entry.complain(
        name,
        f"{message}; it counts as {seconds}",
        "timeout",
        hint="seconds, at most 300",
        severity="warning",
    )
    return float(seconds)
