"""The registry: an immutable index, with a memory that has a bound."""

from __future__ import annotations

from hookline.core.plan import plan, sort_hooks
from hookline.core.registry import Registry, is_selected
from hookline.model.event import ToolCall
from hookline.model.spec import Glob, OneOf
from tests.plays.play import CALL, STAGE, Stage, hook, row


def test_with_and_without_leave_the_registry_alone() -> None:
    """Each returns a new one; a dispatch that runs keeps what it started with."""
    empty = Registry()
    one = empty.with_([hook("a")], STAGE)
    two = one.with_([hook("b")], STAGE)
    less = two.without(frozenset({"a"}))

    assert [
        [entry.spec.id for entry in registry.entries()] for registry in (empty, one, two, less)
    ] == [[], ["a"], ["a", "b"], ["b"]]


def test_a_kind_without_hooks_is_no_kind_of_the_registry() -> None:
    """The registry drops a kind with its last hook."""
    registry = Registry().with_([hook("a")], STAGE)

    assert registry.kinds == ("tool.before",)
    assert registry.without(frozenset({"a"})).kinds == ()


def test_hooks_of_a_kind_come_in_the_order_of_registration() -> None:
    """Whatever rank they have: ranks are the plan's business."""
    registry = Registry().with_([hook("b", rank=2), hook("a", rank=1)], STAGE)

    assert [entry.spec.id for entry in registry.of_kind("tool.before")] == ["b", "a"]
    assert registry.of_kind("stop") == ()


def test_conditions_on_the_tool_are_answered_by_the_index() -> None:
    """What is left for each event are the conditions on its content."""
    on_tool, on_path = OneOf(field="tool", names=frozenset({"bash"})), Glob(patterns=("*",))
    registry = Registry().with_([hook("a", conditions=(on_tool, on_path))], STAGE)
    (entry,) = registry.entries()

    assert len(entry.content) == 1
    assert not entry.content[0](CALL)
    assert entry.content[0](CALL.replace(body=ToolCall(tool="bash", input={"path": "x.py"})))
    assert registry.find_candidates(CALL, entry.row, entry.dialect.table) == (entry,)
    assert (
        registry.find_candidates(
            CALL.replace(body=ToolCall(tool="write")), entry.row, entry.dialect.table
        )
        == ()
    )


def test_a_plan_is_made_once_for_a_tool() -> None:
    """The second event of a kind, tool and name finds the plan made."""
    registry = Registry().with_([hook("a")], STAGE)
    first = plan(registry, CALL, STAGE)

    assert plan(registry, CALL.replace(session_id="other"), STAGE) is first
    assert plan(registry, CALL.replace(body=ToolCall(tool="write")), STAGE) is not first


def test_a_plan_dies_with_its_registry() -> None:
    """A registry that has one hook more has plans of its own."""
    registry = Registry().with_([hook("a")], STAGE)
    before = plan(registry, CALL, STAGE)
    after = plan(registry.with_([hook("b")], STAGE), CALL, STAGE)

    assert [len(drawn.groups[0].steps) for drawn in (before, after)] == [1, 2]


def test_what_is_remembered_has_a_bound() -> None:
    """Strangers choose tool names, so their number must not fill the memory."""
    registry = Registry().with_([hook("a")], STAGE)
    sizes = set()
    for at in range(2_000):
        plan(registry, CALL.replace(body=ToolCall(tool=f"mcp__server__{at}")), STAGE)
        sizes.add(len(registry.plans))

    assert max(sizes) <= 512


def test_selection_inside_a_dialect_is_by_native_event() -> None:
    """An event selects hooks of its row, of rows that its name covers, and by an alias the same."""
    stage = Stage(
        row("before"),
        row("guard"),
        covers={"before": ("guard", "before")},
        aliases={"pre": "before"},
    )
    registry = Registry().with_(
        [hook("a", stage=stage), hook("g", native="guard", stage=stage)], stage
    )
    chosen = {
        name: [
            entry.spec.id
            for entry in registry.entries()
            if is_selected(CALL.replace(native_name=name), None, entry)
        ]
        for name in ("before", "guard", "pre", "", "unheard")
    }

    assert chosen == {
        "before": ["a", "g"],
        "guard": ["g"],
        "pre": ["a"],
        "": ["a", "g"],
        "unheard": [],
    }


def test_a_moment_selects_hooks_of_other_dialects_once() -> None:
    """A secondary event leaves the hooks of other dialects to the main event."""
    host = Stage(row("transform", secondary=True), row("before"), name="host")
    (entry,) = Registry().with_([hook("a")], STAGE).entries()
    chosen = {
        name: is_selected(
            CALL.replace(dialect="host", native_name=name), host.table.row(name), entry
        )
        for name in ("transform", "before")
    }

    assert chosen == {"transform": False, "before": True}


def test_the_order_of_hooks_is_that_of_a_run() -> None:
    """Listing hooks shows them as they run, detached ones after the others."""
    registry = Registry().with_(
        [hook("log", detached=True, rank=-1), hook("b", rank=2), hook("a", rank=1)], STAGE
    )

    assert [spec.id for spec in sort_hooks(registry.of_kind("tool.before"))] == ["a", "b", "log"]
