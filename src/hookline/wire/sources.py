"""Sources: what every loader does with a file before it knows what is in it."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.errors import ConfigError
from hookline.model.handler import Broken
from hookline.model.problem import Origin
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance
from hookline.wire.fields import Node, explain, problem_of
from hookline.wire.trees import Tree, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookline.core.dialect import Row, Source, Table
    from hookline.model.problem import Problem

_SHORT = 60


def read_tree(source: Source, problems: list[Problem]) -> Node:
    """The root of a source: its text parsed, or the tree that was given instead.

    Raises:
        ConfigError: the text cannot be parsed, or the tree holds itself.
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


def read_frame(
    source: Source, problems: list[Problem], what: str, *, hooks: str = "hooks"
) -> Node | None:
    """The root of a file of hooks, where it is a mapping and so is what it may have under `hooks`; else None, and a problem.

    `what` and `hooks`: what the two are called in a complaint.
    """
    try:
        root = read_tree(source, problems)
    except ConfigError as error:
        problems.append(problem_of(error, source.file, source.scope))
        return None
    return (
        root if root.is_mapping(what, "config.type") and has_place_for_hooks(root, hooks) else None
    )


def has_place_for_hooks(root: Node, called: str = "hooks") -> bool:
    """Whether what stands under `hooks`, if anything does, is a mapping; complains if not."""
    return root.value.get("hooks") is None or root.child("hooks").is_mapping(called)


def _as_parsed(value: Any) -> Any:
    """A tree that a program made, as a parser would have read it: keys are texts, and every leaf is one of JSON's."""
    if isinstance(value, dict):
        return {str(key): _as_parsed(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_as_parsed(part) for part in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)


def hook_name(text: str) -> str:
    """A text as a hook's name: its first line, shortened, and without the secrets of addresses, because it is in every message."""
    line = text.strip().partition("\n")[0]
    if "://" in line:
        from hookline.text.urls import redact_urls  # noqa: PLC0415 - few hooks are named by an address

        line = redact_urls(line)
    return line if len(line) <= _SHORT else line[: _SHORT - 1] + "…"


def strict_failure(row: Row) -> Stance:
    """What a failure means on a gate in strict mode: ask where somebody can be asked, else deny (architecture, 6.1)."""
    if "ask" in row.powers:
        return Stance.ASK
    return row.blocks


def failure_of(row: Row, mode: str) -> Stance:
    """What a failure means unless the hook says otherwise: what the row says, in strict mode at least `strict_failure`."""
    return max(row.fails, strict_failure(row)) if mode == "strict" else row.fails


def refusing_everything(source: Source, table: Table, error: ConfigError) -> Loaded:
    """A source that cannot be read at all, for one reason."""
    return refusing(source, table, (problem_of(error, source.file, source.scope),))


def refusing(
    source: Source, table: Table, problems: Sequence[Problem], wrong: Problem | None = None
) -> Loaded:
    """A source that counts as unreadable: one broken hook for each event that it could have guarded.

    So its guards are missed aloud in `list`, in `explain` and in every decision, instead of silently not being there.
    `wrong`: which of the problems is the reason; the first error, if nothing is said.
    """
    wrong = wrong or next(problem for problem in problems if problem.severity == "error")
    name = (source.file or "config").rpartition("/")[2]
    specs = [
        HookSpec(
            id=f"{name}#{row.native}",
            dialect=table.name,
            kind=row.kind,
            native_event=row.native,
            handler=Broken(reason=explain((wrong,))),
            on_failure=failure_of(row, source.mode),
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
