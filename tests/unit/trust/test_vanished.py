"""Is a hook whose definition was edited told from one that is new, and is nothing else taken for edited?"""

from __future__ import annotations

import pytest

from hookline.trust import approve, revoke, survey
from hookline.trust.snapshot import Known
from hookline.trust.vanished import Vanished, named_in
from tests.unit.trust.support import World, hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from hookline.model.spec import HookSpec
    from hookline.trust import Gate

pytestmark = pytest.mark.process


class Files:
    """What the files of a project declare; `sought`: the dialects of which all files were looked for."""

    def __init__(self, *hooks: HookSpec, sought: tuple[str, ...] = ("claude-code",)) -> None:
        self.now = hooks
        self.sought = sought

    def hooks(self) -> tuple[HookSpec, ...]:
        return self.now

    def seeks(self, root: str, dialect: str) -> bool:  # noqa: ARG002 - there is one project
        return dialect in self.sought


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A clone with a script."""
    made = World(tmp_path)
    made.script("approved")
    return made


def declared(
    world: World,
    word: str,
    *,
    file: str = "settings.json",
    scope: str = "project",
    **fields: object,
) -> HookSpec:
    return hook("./guard.sh", word, id=word, scope=scope, file=f"{world.project}/{file}", **fields)


def gate_of(world: World, files: Files) -> Gate:
    made = world.gate()
    made.heed(files)
    return made


def states(world: World, files: Files) -> dict[str, str]:
    """How each hook stands that is declared now."""
    return {
        standing.spec.id: standing.state for standing in survey(gate_of(world, files), files.now)
    }


@pytest.mark.parametrize(
    ("before", "now", "stand"),
    [
        ("a", "a", {"a": "trusted"}),
        ("a", "b", {"b": "changed"}),
        ("a", "ab", {"a": "trusted", "b": "unknown"}),
        ("ab", "ba", {"a": "trusted", "b": "trusted"}),
        ("ab", "ac", {"a": "trusted", "c": "changed"}),
        ("ab", "cab", {"a": "trusted", "b": "trusted", "c": "unknown"}),
        ("", "a", {"a": "unknown"}),
    ],
)
def test_what_stands_where_an_approved_hook_is_gone_was_edited(
    world: World, before: str, now: str, stand: dict[str, str]
) -> None:
    """Not what is beside those that were approved."""
    files = Files(*(declared(world, word) for word in before))
    approve(gate_of(world, files), files.now)

    assert states(world, Files(*(declared(world, word) for word in now))) == stand


@pytest.mark.parametrize(
    ("other", "state"),
    [
        ({}, "changed"),
        ({"timeout": 3.0, "rank": 4, "name": "n"}, "changed"),
        ({"file": "settings.local.json"}, "unknown"),
        ({"native_event": "PostToolUse", "kind": "tool.after"}, "unknown"),
        ({"dialect": "codex"}, "unknown"),
        ({"scope": "user", "file": "../home/settings.json"}, "unknown"),
    ],
    ids=[
        "the same place",
        "other limits",
        "another file",
        "another event",
        "another dialect",
        "the user's own",
    ],
)
def test_only_a_hook_of_the_same_place_can_be_what_was_approved(
    world: World, other: dict[str, object], state: str
) -> None:
    """A file, an event of a dialect, and what a clone brought."""
    approve(gate_of(world, Files(declared(world, "a"))), [declared(world, "a")])

    assert states(world, Files(declared(world, "b", **other)))["b"] == state


def test_a_hook_that_moved_to_another_file_is_not_gone(world: World) -> None:
    """Its approval has no file in it, so it stands; what is new in its old file is new."""
    approve(gate_of(world, Files(declared(world, "a"))), [declared(world, "a")])
    moved = Files(declared(world, "a", file="settings.local.json"), declared(world, "b"))

    assert states(world, moved) == {"a": "trusted", "b": "unknown"}


def test_what_is_approved_takes_the_place_of_what_is_gone(world: World) -> None:
    """One for one, by its id; a hook beside it is new then. A journal is told."""
    told: list[dict[str, object]] = []
    old = [declared(world, "a"), declared(world, "b")]
    approve(gate_of(world, Files(*old)), old)
    new = [declared(world, "x").replace(id="b"), declared(world, "y"), declared(world, "z")]
    files = Files(*new)
    gate = gate_of(world, files)
    gate.store.tell = told.append
    approve(gate, [new[0]])

    assert [(each["what"], each["hook"], each["command"]) for each in told[2:]] == [
        ("approved", "b", "./guard.sh x"),
        ("replaced", "b", "./guard.sh b"),
    ]
    assert states(world, files) == {"b": "trusted", "y": "changed", "z": "changed"}

    approve(gate_of(world, files), [new[1]])
    assert states(world, files) == {"b": "trusted", "y": "trusted", "z": "unknown"}


def test_a_branch_that_brings_an_approved_hook_back_asks_nobody(world: World) -> None:
    """Each of two branches has its own guard, both of them approved: no change of branches makes anything unknown, changed or gone."""
    branches = [Files(declared(world, "a")), Files(declared(world, "b"))]
    for branch in branches:
        approve(gate_of(world, branch), branch.now)
    gates = [gate_of(world, branch) for branch in branches]

    assert [states(world, branch) for branch in (*branches, *branches)] == [
        {"a": "trusted"},
        {"b": "trusted"},
    ] * 2
    assert [dict(gate.vanished.unplaced(gate.known(), ())) for gate in gates] == [{}, {}]
    assert states(world, Files(declared(world, "a"), declared(world, "c")))["c"] == "unknown"


def test_whoever_revoked_a_hook_does_not_miss_it(world: World) -> None:
    """What stands in its place is new."""
    old = Files(declared(world, "a"))
    approve(gate_of(world, old), old.now)
    revoke(gate_of(world, old), old.now)

    assert states(world, Files(declared(world, "b"))) == {"b": "unknown"}


@pytest.mark.parametrize(
    ("now", "asked", "sought", "gone"),
    [
        ("", "", ("claude-code",), 1),
        ("", "", ("codex",), 0),
        ("a", "", ("claude-code",), 0),
        ("b", "b", ("claude-code",), 0),
        ("b", "", ("claude-code",), 1),
    ],
    ids=["gone", "not looked for", "there", "edited and in play", "edited and not in play"],
)
def test_what_is_gone_is_what_no_hook_in_play_may_be(
    world: World, now: str, asked: str, sought: tuple[str, ...], gone: int
) -> None:
    """Of files that were looked for."""
    approve(gate_of(world, Files(declared(world, "a"))), [declared(world, "a")])
    gate = gate_of(world, Files(*(declared(world, word) for word in now), sought=sought))

    assert len(gate.vanished.unplaced(gate.known(), asked)) == gone


def test_a_session_is_told_once_what_is_gone_and_nobody_who_switched_hooks_off(
    world: World,
) -> None:
    """In words of ours."""
    approve(
        gate_of(world, Files(declared(world, "a", file=".claude/settings.json"))),
        [declared(world, "a", file=".claude/settings.json")],
    )
    gate = gate_of(world, Files())

    assert [list(gate.missing(session, ())) for session in ("s", "s", "t")] == [
        ["`.claude/settings.json`, PreToolUse"],
        [],
        ["`.claude/settings.json`, PreToolUse"],
    ]
    gate.store.turn(gate.root, "ada", on=False)
    assert list(gate.missing("u", ())) == []


def test_without_somebody_who_tells_what_is_declared_nothing_is_gone() -> None:
    """As for a gate that is asked by itself."""
    known = Known(
        approvals={"i": {}}, declared={("/p", "claude-code", "/p/f", "e"): frozenset({"i"})}
    )
    vanished = Vanished("/p", lambda spec: spec.id)

    assert (vanished.unplaced(known, ()), vanished.edited(hook("x"), known)) == ({}, False)


def test_by_which_link_a_project_is_entered_makes_no_other_file(tmp_path: Path) -> None:
    """But a link in the project does: whoever puts another file there edits."""
    project = tmp_path / "p"
    (project / "a").mkdir(parents=True)
    (project / "b").symlink_to("a")
    (tmp_path / "link").symlink_to("p")
    root = str(project)

    assert named_in(root, f"{tmp_path}/link/a/x") == named_in(root, f"{root}/a/x") == f"{root}/a/x"
    assert named_in(root, f"{tmp_path}/link/b/x") == f"{root}/b/x"
    assert named_in(root, "/elsewhere/x") == "/elsewhere/x"
