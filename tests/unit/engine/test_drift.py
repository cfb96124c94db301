"""What is said of a hook that is not what was approved?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline.engine.drift import drift
from hookline.engine.steering import approve_declared, footings, gate_for
from tests.unit.engine.workspaces import Workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    """A workspace with two hooks on one script, and an address."""
    return Workspace(tmp_path)


def drifted(place: Workspace) -> list[str]:
    """What is said of the first hook, without its times and paths."""
    engine = place.engine()
    told = drift(gate_for(engine), next(iter(footings(engine).values())).standing)
    return [line.replace(str(place.root), "").partition(", written on")[0] for line in told]


def test_what_changed_since_is_told_as_far_as_it_is_known(place: Workspace) -> None:
    """When it was approved, by whom, and which file is another now."""
    engine = place.engine()
    assert drifted(place) == []
    approve_declared(engine, engine.hooks, who="bob", how="chat")
    assert drifted(place) == []
    place.write("guard.sh", "other")
    os.utime(
        place.guard, (1.0, 1.0)
    )  # whoever changes a file can set its time; there is no other that it could be

    first, *rest = drifted(place)

    assert first.startswith("approved on 2")
    assert first.endswith(" by bob (chat)")
    assert rest == ["changed: /hooks/guard.sh"]


def test_a_file_that_is_another_one_is_told(place: Workspace) -> None:
    """The one that was run before, and the one that is run now."""
    link = place.root / "hooks/link.sh"
    link.symlink_to(place.guard)
    place.declare({"event": "on_stop", "command": str(link)})
    engine = place.engine()
    approve_declared(engine, engine.hooks, who="bob", how="chat")
    other = place.write("other.sh", "x")
    link.unlink()
    link.symlink_to(other)

    assert drifted(place)[1:] == [
        "no longer run: /hooks/guard.sh",
        "not part of it: /hooks/other.sh",
    ]


def test_another_definition_is_told(place: Workspace) -> None:
    """A hook that was approved with other words is not the same hook."""
    engine = place.engine()
    approve_declared(engine, engine.hooks, who="bob", how="chat")
    place.declare({"event": "pre_tool_call", "command": f"{place.guard} --lax"})

    (told,) = drifted(place)

    assert told.endswith(" by bob (chat), with another definition. It ran `/hooks/guard.sh`.")


def test_of_several_files_the_time_tells_which(place: Workspace) -> None:
    """Where none was written since, it cannot be told, and that is said."""
    other = place.write("other.sh", "x")
    place.declare({"event": "on_stop", "command": f"sh -c '{place.guard}; {other}'"})
    engine = place.engine()
    approve_declared(engine, engine.hooks, who="bob", how="chat")
    place.write("other.sh", "y")
    os.utime(other, (4e9, 4e9))
    assert drifted(place)[1:] == ["changed: /hooks/other.sh"]

    os.utime(other, (1.0, 1.0))
    assert drifted(place)[1:] == ["changed: one of its files, whose times do not tell which"]
