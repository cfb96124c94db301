"""Reads the entries, matchers and names of a source, and makes its specs, for all dialects."""

from __future__ import annotations

from hookline.core.dialect import EventRow, Loaded, Source, Table
from hookline.errors import ConfigError, did_you_mean
from hookline.model.spec import Broken, HookSpec, Origin, Problem
from hookline.model.verdict import Stance
from hookline.text.regex import compile_regex
from hookline.wire.fields import Node, explain_errors, to_problem
from hookline.wire.hook_ids import name_source
from hookline.wire.parsers import Tree, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hookline.model.spec import Condition
    from hookline.text.re2_regex import Regex


def read_entries(
    events: Node,
    rows: Mapping[str, EventRow],
    *,
    of: str,
    like: str,
    known: Iterable[str] = (),
    beside: Iterable[str] = (),
) -> Iterator[tuple[EventRow, Node, str]]:
    """Yield the entries of each event below `events`, in order, each with why it is broken.

    Where the value is not a list, the event's node stands for it, with the reason.

    `of`: the noun for an entry, for messages.
    `like`: an example of the list, for messages.
    `known`: the events to name in a hint, where `rows` has several spellings of them.
    `beside`: keys next to the events that the caller reads itself.
    """
    apart = frozenset(beside)
    for event in events.children():
        native = str(event.path[-1])
        if native in apart:
            continue
        row = rows.get(native)
        if row is None:
            hint = did_you_mean(native, rows) or f"known events: {', '.join(known or rows)}"
            event.complain("event.unknown", f"unknown event `{native}`", hint=hint)
        elif isinstance(event.value, list):
            yield from ((row, entry, "") for entry in event.children())
        elif event.value is not None:
            before = event.mark()
            event.complain("group.shape", f"`{native}` must be a list of {of}", hint=like)
            yield row, event, event.errors_since(before)


NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
# For hosts where hyphens are part of a name, and commas and blanks may separate names.
NAMES = NAME | frozenset("- ,|")


def read_conditions(
    node: Node, read: Callable[[], tuple[Condition, ...]], key: str
) -> tuple[Condition, ...] | None:
    """Return the conditions that the text under a key demands.

    None and a problem if `read` cannot read it.

    Raises:
        ConfigError: `config.too-large`; the expressions of the file need too much memory.
    """
    try:
        return read()
    except ConfigError as error:
        if error.name == "config.too-large":  # the whole file is then too large
            raise
        node.complain(error.name, error.message, key, hint=error.hint)
        return None


def read_regex(node: Node, key: str, text: str, what: str) -> Regex | None:
    """Return the expression under a key, compiled; None and a problem if it is invalid.

    `what`: the noun for it.
    """
    if "\b" in text:
        hint = "in double quotes `\\b` is that control character; write the text in single quotes"
        why = f"{what} has a backspace in it"
        node.complain("matcher.control", why, key, hint=hint, severity="warning")
    try:
        return compile_regex(text)
    except ConfigError as error:
        node.complain(error.name, f"{what}: {error.message}", key, hint=error.hint)
        return None


def list_exact_names(text: str, alphabet: frozenset[str] = NAMES) -> frozenset[str] | None:
    """Return the exact names that a text of this alphabet lists, between `|` or commas.

    None if it is an expression.
    """
    if not alphabet.issuperset(text):
        return None
    return frozenset(name.strip() for name in text.replace(",", "|").split("|")) - {""}


_SHORT = 60


def read_tree(source: Source, problems: list[Problem]) -> Node:
    """Return the root of a source: its parsed text, or the given tree.

    Raises:
        ConfigError: the text cannot be parsed, or the tree contains itself.
    """
    if source.text is not None:
        root = Node(
            parse(source.text, source.file, placed=source.placed),
            source.file,
            source.scope,
            problems,
        )
        for path in root.tree.repeated:
            message = f"the key `{path[-1]}` stands twice, and only the last one counts"
            root.complain(
                "config.duplicate-key",
                message,
                *path,
                hint="join the two blocks",
                severity="warning",
            )
        return root
    try:
        return Node(Tree(value=_as_parsed(source.tree)), source.file, source.scope, problems)
    except RecursionError:
        raise ConfigError("nested too deeply", name="config.too-large", place=source.file) from None


def _as_parsed(value: Any) -> Any:
    """Return a program's tree as a parser would return it: text keys and JSON values."""
    if isinstance(value, dict):
        return {str(key): _as_parsed(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_as_parsed(part) for part in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)


def make_spec(source: Source, dialect: str, row: EventRow, node: Node, **fields: Any) -> HookSpec:
    """Return a hook of an event, with what its source and its place in that determine.

    `fields` are all others.
    """
    return HookSpec(
        dialect=dialect,
        kind=row.kind,
        native_event=row.native,
        origin=node.origin(),
        shadow=source.shadow,
        strict=source.mode == "strict",
        trusted=source.trusted,
        **fields,
    )


def hook_name(text: str) -> str:
    """Return a text as a hook's name: its first line, shortened, without secrets in URLs."""
    line = text.strip().partition("\n")[0]
    if "://" in line:
        # Few hooks are named by an address.
        from hookline.text.urls import redact_urls  # noqa: PLC0415

        line = redact_urls(line)
    return line if len(line) <= _SHORT else line[: _SHORT - 1] + "…"


def strict_failure(row: EventRow) -> Stance:
    """Return what a failure on a gate means in strict mode: ask if the host can, else deny.

    See docs/architecture.md 4.1.
    """
    if "ask" in row.powers:
        return Stance.ASK
    return row.blocks


def resolve_failure(row: EventRow, mode: str) -> Stance:
    """Return what a failure means: the row's rule, in strict mode at least `strict_failure`."""
    return max(row.fails, strict_failure(row)) if mode == "strict" else row.fails


def refuse_unreadable(source: Source, table: Table, error: ConfigError) -> Loaded:
    """Return a source that cannot be read at all, for one reason."""
    return refuse_source(source, table, (to_problem(error, source.file, source.scope),))


def refuse_source(
    source: Source, table: Table, problems: Sequence[Problem], wrong: Problem | None = None
) -> Loaded:
    """Return an unreadable source: a broken hook for each event that it could have guarded.

    So `list`, `explain` and every decision report the missing guards.

    `wrong`: the problem that is the reason; the first error by default.
    """
    wrong = wrong or next(problem for problem in problems if problem.severity == "error")
    name = source.file.rpartition("/")[2] or "config"
    specs = [
        HookSpec(
            id=f"{name_source(source)}#{row.native}",
            dialect=table.name,
            kind=row.kind,
            native_event=row.native,
            handler=Broken(reason=explain_errors((wrong,))),
            on_failure=resolve_failure(row, source.mode),
            origin=Origin(
                file=source.file,
                line=wrong.origin.line,
                column=wrong.origin.column,
                scope=source.scope,
            ),
            strict=source.mode == "strict",
            shadow=source.shadow,
            name=name,
            trusted=source.trusted,
        )
        for row in table.rows.values()
        if row.blocks is not Stance.SILENT
    ]
    return Loaded(specs=tuple(specs), problems=tuple(problems))
