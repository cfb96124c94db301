"""Hooks that are in no file: an owner's set is replaced at once, and owners share no ids."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest

from hookline import ConfigError, Engine, Stance
from hookline.core.dialect import Source
from hookline.dialects.a3s import A3S
from hookline.engine.loader import list_hooks
from hookline.journal.journal import Journal
from hookline.model.spec import InProcess

if TYPE_CHECKING:
    from hookline.model.spec import HookSpec


def hooks(*names: str, says: object = None, **config: object) -> list[HookSpec]:
    """Definitions of a3s on `pre_tool_use`, each of which answers the same."""
    tree = {
        "hooks": [{"id": name, "event_type": "pre_tool_use", "config": config} for name in names]
    }
    loaded = A3S().load(Source(tree=tree, scope="process"))
    return [
        spec.replace(handler=InProcess(call=lambda _: says, name=spec.id, read_by_dialect=True))
        for spec in loaded.specs
    ]


BLOCK = {"action": "Block", "reason": "no"}
CALL = {"session_id": "s", "tool": "Bash", "args": {"command": "ls"}, "working_directory": "/"}


def fire(engine: Engine):
    return engine.fire("pre_tool_use", CALL, dialect="a3s")


def test_an_owners_hooks_are_replaced_as_a_whole() -> None:
    """The set no longer has the old hooks, and their ids are free again."""
    engine = Engine()
    engine.loader.enlist("one", hooks("a", "b", says=BLOCK), "a3s")
    assert fire(engine).stance is Stance.DENY

    named = engine.loader.enlist("one", hooks("b"), "a3s")

    assert [spec.id for spec in named] == ["b"]
    assert [verdict.hook_id for verdict in fire(engine).verdicts] == ["b"]
    assert fire(engine).allowed


def test_no_hooks_forget_the_owner() -> None:
    """An empty set leaves nothing behind."""
    engine = Engine()
    engine.loader.enlist("one", hooks("a"), "a3s")
    engine.loader.enlist("one", [], "a3s")

    assert engine.hooks == ()
    assert engine.snapshot.enlisted == {}


def test_owners_do_not_replace_each_others_hooks() -> None:
    """The same name of another owner is another hook, so it replaces no guard."""
    engine = Engine()
    engine.loader.enlist("policy", hooks("guard", says=BLOCK), "a3s")
    (second,) = engine.loader.enlist("guest", hooks("guard"), "a3s")

    assert second.id == "guard~2"
    assert [spec.id for spec in list_hooks(engine.snapshot)] == ["guard", "guard~2"]
    assert fire(engine).stance is Stance.DENY
    engine.loader.enlist("policy", hooks("guard"), "a3s")
    assert [verdict.hook_id for verdict in fire(engine).verdicts] == ["guard~2", "guard"]


def test_inside_one_set_the_dialects_own_rule_holds() -> None:
    """Of two definitions of an id the later one counts (docs/formats/a3s.md 3)."""
    engine = Engine()
    engine.loader.enlist("one", [*hooks("a", says=BLOCK), *hooks("a")], "a3s")

    assert fire(engine).allowed


def test_enlisted_hooks_outlast_a_source_that_is_added() -> None:
    """The registry is made again from everything there is."""
    engine = Engine()
    engine.loader.enlist("one", hooks("a", says=BLOCK), "a3s")
    engine.add_source({"hooks": {"Stop": []}}, dialect="claude-code")

    assert fire(engine).stance is Stance.DENY


def test_a_host_is_not_guessed_from_what_was_enlisted() -> None:
    """Attached hooks do not change which dialect an event's name belongs to."""
    engine = Engine.from_config({"hooks": {}}, dialect="docker-agent")
    engine.loader.enlist("one", hooks("a", says=BLOCK), "a3s")

    decision = engine.fire(
        "pre_tool_use",
        {"session_id": "s", "cwd": "/", "tool_name": "shell", "tool_input": {"cmd": "ls"}},
    )

    assert decision.dialect == "docker-agent"
    assert decision.stance is Stance.DENY


def test_an_event_under_way_keeps_its_hooks() -> None:
    """A set that is replaced meanwhile counts from the next event on."""
    engine = Engine()
    inside, going = threading.Event(), threading.Event()

    def slow(_: object) -> object:
        inside.set()
        going.wait(10)

    first = [
        spec.replace(handler=InProcess(call=slow, name=spec.id, read_by_dialect=True))
        for spec in hooks("a", priority=1)
    ]
    engine.loader.enlist("one", [*first, *hooks("b", says=BLOCK)], "a3s")
    decisions = []
    firing = threading.Thread(target=lambda: decisions.append(fire(engine)))
    firing.start()
    inside.wait(10)
    engine.loader.enlist("one", [], "a3s")
    going.set()
    firing.join(10)

    assert decisions[0].stance is Stance.DENY
    assert fire(engine).verdicts == ()


def test_an_unknown_dialect_is_refused() -> None:
    """Nothing is changed by it."""
    engine = Engine()
    engine.loader.enlist("one", hooks("a"), "a3s")

    with pytest.raises(ConfigError, match="klingon"):
        engine.loader.enlist("one", [], "klingon")
    assert len(engine.hooks) == 1


SKIP = {"action": "Skip"}
RETRY = {"action": "Retry"}


@pytest.mark.parametrize("says", [SKIP, {"action": "Continue"}], ids=["skip", "continue"])
def test_an_owner_cannot_skip_the_hooks_of_another(says: object) -> None:
    """Nor those of a file: `skip` concerns the hooks of its own owner only."""
    for enlisting in (
        lambda engine: engine.loader.enlist("policy", hooks("guard", says=BLOCK), "a3s"),
        lambda engine: engine.add_source(
            {"hooks": [{"id": "guard", "event_type": "pre_tool_use", "matcher": {"bad": 1}}]},
            dialect="a3s",
        ),
    ):
        engine = Engine()
        enlisting(engine)
        engine.loader.enlist(
            "guest",
            [
                *hooks("first", says=says, priority=-(2**31)),
                *hooks("second", says=BLOCK, priority=-2),
            ],
            "a3s",
        )
        decision = fire(engine)

        assert decision.stance is Stance.DENY
        assert [verdict.hook_id for verdict in decision.verdicts] == (
            ["first", "guard"] if says is SKIP else ["first", "second"]
        )


def test_an_owner_cannot_blind_the_observers_of_another() -> None:
    """Observers of other owners see the event whatever the first owner's hook returns."""
    tree = {"hooks": [{"id": "watch", "event_type": "session_start"}]}
    (watch,) = A3S().load(Source(tree=tree, scope="process")).specs
    engine = Engine()
    for owner, says in (("guest", RETRY), ("policy", None)):
        engine.loader.enlist(
            owner,
            [
                watch.replace(
                    handler=InProcess(call=lambda _, said=says: said, read_by_dialect=True)
                )
            ],
            "a3s",
        )

    assert [
        verdict.hook_id
        for verdict in engine.fire("session_start", {"session_id": "s"}, dialect="a3s").verdicts
    ] == [
        "watch",
        "watch~2",
    ]


def test_the_journal_says_whose_hook_spoke(tmp_path) -> None:
    """By the owner's name, where a file stands for others.

    The id is the one that the owner chose while it was free.
    """
    engine = Engine(journal=Journal.open(str(tmp_path)))
    for owner in ("remote:policy", "remote:guest"):
        engine.loader.enlist(owner, hooks("guard"), "a3s")
    fire(engine)
    engine.close()
    (file,) = tmp_path.glob("*.jsonl")
    runs = [
        record
        for record in map(json.loads, file.read_text().splitlines())
        if record["type"] == "run"
    ]

    assert [(run["hook"], run["source"], run["scope"]) for run in runs] == [
        ("guard", "remote:policy", "process"),
        ("guard~2", "remote:guest", "process"),
    ]


def test_an_owner_is_told_which_session_ended() -> None:
    """Once for all of whom it stands for, also by an engine that was given its hooks.

    And never of none.
    """
    ended: list[str] = []
    engine, other = Engine(), Engine()
    for owner in ("one", "two"):
        engine.loader.enlist(owner, hooks("a"), "a3s", ended.append)
    other.loader.adopt(engine.loader)
    for each in (engine, other):
        each.fire("session_end", {"session_id": "s"}, dialect="a3s")
        each.fire("session_end", {"session_id": ""}, dialect="a3s")
        each.fire("session_start", {"session_id": "t"}, dialect="a3s")

    assert ended == ["s", "s"]
