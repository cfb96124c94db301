"""Sources: the steps that every loader takes with a file before it reads its hooks."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.errors import ConfigError
from hookline.model.handler import Broken
from hookline.model.problem import Origin
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance
from hookline.wire.fields import Node, explain_errors, to_problem
from hookline.wire.parsers import Tree, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookline.core.dialect import EventRow, Source, Table
    from hookline.model.problem import Problem

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
    name = (source.file or "config").rpartition("/")[2]
    specs = [
        HookSpec(
            id=f"{name}#{row.native}",
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
