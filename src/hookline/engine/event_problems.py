"""The errors in files of hooks that concern one event."""

from __future__ import annotations

from itertools import pairwise

from hookline.core.match import find_facets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Table
    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.problem import Problem


def list_errors(engine: Engine, event: Event) -> Iterator[Problem]:
    """The errors of all files, without those that stand below another event of their file."""
    tables = {
        shelved.source.file: shelved.dialect.table
        for shelved in engine.snapshot.sources
        if shelved.source.file
    }
    for problem in engine.problems:
        table = tables.get(problem.origin.file)
        if problem.severity == "error" and (
            table is None or not _is_elsewhere(problem, table, event)
        ):
            yield problem


def _is_elsewhere(problem: Problem, table: Table, event: Event) -> bool:
    """Whether a problem stands below an event that this one is not."""
    steps = problem.origin.pointer.split(".")
    native = next((after for step, after in pairwise(steps) if step == "hooks"), "")
    row = table.row(native)
    if row is None:
        return False
    if event.dialect == table.name and event.native_name:
        return row.native not in table.selects(event.native_name)
    return row.kind != event.kind and row.kind not in find_facets(event)
