"""The shelf: what was loaded from where, under ids that name one hook each."""

from __future__ import annotations

from hookline.core.dialect import Loaded, Source
from hookline.dialects.native import Native
from hookline.engine.shelf import LoadedSources
from hookline.model.problem import Problem
from tests.plays.play import STAGE, Stage, hook

OTHER = Stage(name="other")


class Combining(Stage):
    """A stage whose sources, taken together, have one hook and one problem."""

    def combine(self, specs):
        return Loaded(
            specs=specs[-1:],
            problems=(Problem(name="hook.override", message=f"{len(specs)} hooks"),),
        )


def test_ids_are_made_unique_in_the_order_of_adding() -> None:
    """The first keeps its id, whatever kind of hook it is."""
    shelf = LoadedSources()
    shelf.add(Source(), STAGE, Loaded(specs=(hook("a"), hook("b"))))
    shelf.add(Source(), OTHER, Loaded(specs=(hook("a", stage=OTHER),)))

    assert [spec.id for shelved in shelf.sources for spec in shelved.loaded.specs] == [
        "a",
        "b",
        "a~2",
    ]
    assert shelf.add_own(hook("a")).id == "a~3"


def test_each_dialect_is_told_once() -> None:
    """In the order of its first source."""
    shelf = LoadedSources()
    for stage in (STAGE, OTHER, STAGE):
        shelf.add(Source(), stage, Loaded())

    assert list(shelf.dialects()) == [STAGE, OTHER]


def test_a_dialect_combines_its_sources_by_its_own_rules() -> None:
    """All of them at once, in the order in which they were added; what it finds is a problem of the whole."""
    stage = Combining()
    shelf = LoadedSources()
    for name in "ab":
        shelf.add(Source(), stage, Loaded(specs=(hook(name),)))
    registry, problems = shelf.registry(None, strict=False)

    assert [entry.spec.id for entry in registry.entries()] == ["b"]
    assert [problem.message for problem in problems] == ["2 hooks"]


def test_in_process_hooks_come_last() -> None:
    """They are of hookline's own dialect."""
    shelf = LoadedSources()
    shelf.add_own(hook("own"))
    shelf.add(Source(), STAGE, Loaded(specs=(hook("a"),)))
    registry, _ = shelf.registry(Native(), strict=False)

    assert [(entry.spec.id, entry.dialect.table.name) for entry in registry.entries()] == [
        ("a", "stage"),
        ("own", "hookline"),
    ]
