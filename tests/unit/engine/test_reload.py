"""Reloading: valid changes count from the next event, and invalid ones disable no hook."""

from __future__ import annotations

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline import Engine, Stance
from hookline.engine.loader import Snapshot
from hookline.engine.reload import is_stale
from tests.unit.engine.files import (
    BROKEN,
    CALL,
    Machine,
    claude,
    codes,
    commands,
    docker,
    renamed_over,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A home and a project."""
    return Machine(tmp_path)


@pytest.mark.parametrize("save", [write, renamed_over], ids=["written", "renamed over"])
def test_a_valid_change_is_taken(machine: Machine, save: Any) -> None:
    """In whatever way the file was saved; the report names the hooks."""
    write(machine.user, claude("a", "b"))
    engine = machine.engine()
    save(machine.user, claude("a", "c"))

    done = engine.reload()

    assert commands(engine) == ["a", "c"]
    assert (done.added, done.removed, done.changed, done.refused) == (
        ("~/.claude/settings.json#PreToolUse.c-bjgfmq",),
        ("~/.claude/settings.json#PreToolUse.b-bmhvmv",),
        (),
        (),
    )
    assert str(done) == "1 added, 1 removed"


def test_a_hook_with_a_name_changes(machine: Machine) -> None:
    """Its id is the author's, whatever it runs."""

    def gemini(command: str) -> str:
        hook = {"type": "command", "name": "mine", "command": command}
        return json.dumps({"hooks": {"BeforeTool": [{"hooks": [hook]}]}})

    path = write(machine.user.parent.parent / ".gemini/settings.json", gemini("a"))
    engine = machine.engine()
    write(path, gemini("b"))

    done = engine.reload()

    assert done.changed == ("~/.gemini/settings.json#BeforeTool.mine",)
    assert str(done) == "1 changed"


def test_a_hook_that_only_moved_did_not_change(machine: Machine) -> None:
    """Its place in the file is no part of its id."""
    write(machine.user, claude("b"))
    engine = machine.engine()
    write(machine.user, claude("a", "b"))

    done = engine.reload()

    assert (len(done.added), done.removed, done.changed) == (1, (), ())


@pytest.mark.parametrize(
    "path", [".claude/settings.local.json", ".codex/hooks.json", ".github/hooks/new.json"]
)
def test_a_file_that_appears_is_taken(machine: Machine, path: str) -> None:
    """In any place of any dialect, also where its folder was not there."""
    engine = machine.engine()
    before = len(engine.hooks)
    text = (
        '{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "new"}]}}'
        if ".github" in path
        else claude("new")
    )
    write(machine.project / path, text)

    assert is_stale(engine.loader)
    assert engine.reload().anything
    assert len(engine.hooks) == before + 1
    assert not is_stale(engine.loader)


def test_a_file_that_vanishes_takes_its_hooks_along(machine: Machine) -> None:
    """Its owner may remove it."""
    write(machine.user, claude("a"))
    write(machine.own, claude("b"))
    engine = machine.engine()
    machine.user.unlink()

    assert engine.reload().removed == ("~/.claude/settings.json#PreToolUse.a-fvqcvj",)
    assert commands(engine) == ["b"]
    assert engine.problems == ()


def test_the_other_hooks_keep_their_ids(machine: Machine) -> None:
    """Whatever else is loaded."""
    write(machine.own, claude("b"))
    engine = machine.engine()
    write(machine.user, claude("a"))
    engine.reload()

    assert {spec.id: spec.handler.script for spec in engine.hooks} == {  # type: ignore[union-attr]
        "~/.claude/settings.json#PreToolUse.a-fvqcvj": "a",
        ".claude/settings.json#PreToolUse.b-bmhvmv": "b",
    }
    assert commands(engine) == ["a", "b"]


def test_an_id_of_a_removed_hook_is_free(machine: Machine) -> None:
    """Otherwise the numbers of a long-running engine would grow for ever."""
    engine = machine.engine()
    for count in range(3):
        write(machine.user, claude("a")) if count % 2 == 0 else machine.user.unlink()
        engine.reload()

    assert [spec.id for spec in engine.hooks] == ["~/.claude/settings.json#PreToolUse.a-fvqcvj"]


def test_folders_of_hooks_come_and_go(machine: Machine) -> None:
    """Of Agent Hooks each is a folder of its own."""

    def hook(name: str, trigger: str = "pre-tool-call") -> Path:
        script = write(machine.project / f".agents/hooks/{name}/scripts/run.sh", "#!/bin/sh\n")
        script.chmod(0o755)
        return write(
            machine.project / f".agents/hooks/{name}/HOOK.md",
            f"---\nname: {name}\ndescription: d\ntrigger: {trigger}\n---\n",
        )

    hook("first")
    engine = machine.engine()
    second = hook("second")
    engine.reload()
    both = [spec.name for spec in engine.hooks]
    second.unlink()
    engine.reload()

    assert both == ["first", "second"]
    assert [spec.name for spec in engine.hooks] == ["first"]


def test_what_lies_beside_a_hook_counts(machine: Machine) -> None:
    """A script that loses its right to be executed is a change."""
    script = write(machine.project / ".agents/hooks/one/scripts/run.sh", "#!/bin/sh\n")
    script.chmod(0o755)
    write(
        machine.project / ".agents/hooks/one/HOOK.md",
        "---\nname: one\ndescription: d\ntrigger: pre-tool-call\n---\n",
    )
    engine = machine.engine()
    before = is_stale(engine.loader)
    script.chmod(0o644)

    assert (before, is_stale(engine.loader)) == (False, True)


def test_a_link_that_is_turned_is_a_change(machine: Machine, tmp_path: Path) -> None:
    """It counts as what it leads to, although neither file was written."""
    old, new = (
        write(tmp_path / "old.json", claude("old")),
        write(tmp_path / "new.json", claude("new")),
    )
    machine.user.parent.mkdir()
    machine.user.symlink_to(old)
    engine = machine.engine()
    machine.user.unlink()
    machine.user.symlink_to(new)

    assert engine.reload_if_changed() is not None
    assert commands(engine) == ["new"]


def test_trees_texts_and_functions_stay(tmp_path: Path) -> None:
    """They are in no file."""
    file = write(tmp_path / "hooks.yaml", docker("a"))
    engine = Engine.load(file).add_source(
        {"hooks": {"pre_tool_use": [{"hooks": [{"type": "command", "command": "tree"}]}]}},
        dialect="docker-agent",
    )
    engine.on("tool.before", name="mine")(lambda _: hookline.deny("no"))
    write(file, docker("b"))
    engine.reload()

    assert commands(engine) == ["b", "tree", ""]
    assert engine.fire(CALL.replace(cwd="/")).stance is Stance.DENY


def test_a_folder_that_was_named_is_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also by a path that is relative to an earlier working folder."""
    write(tmp_path / "hooks/a.yaml", docker("a"))
    monkeypatch.chdir(tmp_path)
    engine = Engine.load("hooks")
    monkeypatch.chdir("/")
    before = is_stale(engine.loader)
    write(tmp_path / "hooks/b.yaml", docker("b"))
    engine.reload()

    assert (before, commands(engine), is_stale(engine.loader)) == (False, ["a", "b"], False)


def test_a_pipe_is_read_once() -> None:
    """A shell hands one over for `<(...)`, and nothing comes out of it again."""
    reading, writing = os.pipe()
    os.write(writing, docker("a").encode())
    os.close(writing)
    try:
        engine = Engine.load(f"/dev/fd/{reading}", dialect="docker-agent")
        assert not is_stale(engine.loader)
        assert not engine.reload().anything
        assert commands(engine) == ["a"]
    finally:
        os.close(reading)


def test_what_a_project_brings_later_is_as_inert_as_before(machine: Machine) -> None:
    """A change has the trust that its place had when the engine was made."""
    write(machine.user, claude("true"))
    engine = machine.engine(trust="user")
    write(machine.own, claude("exit 2"))
    engine.reload()

    assert {spec.handler.script: spec.trusted for spec in engine.hooks} == {
        "true": True,
        "exit 2": False,
    }  # type: ignore[union-attr]
    assert engine.fire(CALL).stance is not Stance.DENY


def test_a_hook_that_ran_once_does_not_run_again(machine: Machine) -> None:
    """Also after a time without it; a changed hook is another one."""
    write(machine.user, claude("echo a >&2; exit 2", once=True))
    engine = machine.engine(mode="strict")
    told = [engine.fire(CALL).reason, engine.fire(CALL).reason]
    for text in (claude(), claude("echo a >&2; exit 2", once=True)):
        write(machine.user, text)
        engine.reload()
    told.append(engine.fire(CALL).reason)
    write(machine.user, claude("echo b >&2; exit 2", once=True))
    engine.reload()
    told.append(engine.fire(CALL).reason)

    assert told == ["a", "", "", "b"]


def test_what_is_left_out_is_left_out_of_what_comes(machine: Machine) -> None:
    """A reload does not rediscover a dropped dialect, nor a removed hook under another id."""
    write(machine.user, claude("a"))
    engine = machine.engine()
    engine.loader.keep_out(lambda spec: getattr(spec.handler, "script", "") == "unwanted")
    engine.loader.drop_dialect("codex")
    write(machine.user, claude("unwanted", "b"))
    write(machine.home / ".codex/hooks.json", claude("codex"))
    engine.reload()

    assert commands(engine) == ["b"]
    assert not is_stale(engine.loader)


def test_an_engine_adopts_what_another_has_in_force(machine: Machine) -> None:
    """The last good version of a file that is broken now included."""
    write(machine.user, claude("guard"))
    first = machine.engine()
    write(machine.user, BROKEN)
    first.reload()
    second = machine.engine()
    second.loader.adopt(first.loader)
    second.loader.drop_dialect("codex")
    second.reload()

    assert (commands(second), codes(second)) == (["guard"], codes(first))
    assert first.loader.search.dropped == frozenset()


def test_an_event_under_way_keeps_the_hooks_that_it_began_with(tmp_path: Path) -> None:
    """The next one has the new ones."""
    file = write(tmp_path / "hooks.yaml", docker("exit 2"))
    engine = Engine.load(file, trust="all")
    asked, go_on = threading.Event(), threading.Event()

    @engine.on("tool.before", rank=-1)
    def slow(_: object) -> None:
        asked.set()
        assert go_on.wait(20)

    with ThreadPoolExecutor(1) as pool:
        under_way = pool.submit(engine.fire, CALL)
        assert asked.wait(20)
        write(file, docker("true"))
        engine.reload()
        go_on.set()
        first = under_way.result(20)

    assert first.stance is Stance.DENY
    assert engine.fire(CALL).stance is not Stance.DENY


def test_no_event_ever_sees_half_a_set(tmp_path: Path) -> None:
    """Events on four threads during fifty reloads: each one sees one whole version."""
    file = write(tmp_path / "hooks.yaml", _pair_in_group(0))
    engine = Engine.load(file)

    def events() -> list[frozenset[str]]:
        return [
            frozenset(
                verdict.hook_id
                for verdict in engine.fire(CALL).verdicts
                if verdict.hook_id.startswith(f"{tmp_path.name}/hooks.yaml#")
            )
            for _ in range(250)
        ]

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(events) for _ in range(4)]
        for count in range(1, 51):
            renamed_over(file, _pair_in_group(count % 5))
            engine.reload()
            if count % 10 == 0:
                engine.on("tool.before", name=f"own{count}")(lambda _: None)
        seen = [ids for each in running for ids in each.result(60)]

    assert len(seen) == 1000
    assert set(seen) <= {
        frozenset(
            f"{tmp_path.name}/hooks.yaml#pre_tool_use.{name}{group}" for name in ("one", "two")
        )
        for group in range(5)
    }
    assert len([spec for spec in engine.hooks if spec.dialect == "hookline"]) == 5


def _pair_in_group(number: int) -> str:
    """Two hooks that take part in every call, behind so many groups that never do.

    Their names, and so their ids, say which version it is.
    """
    other = (
        "    - matcher: never_called\n      hooks:\n        - {type: builtin, command: "
        "add_environment_info}\n"
    )
    pair = "".join(
        f"        - {{type: builtin, command: add_environment_info, name: {name}{number}}}\n"
        for name in ("one", "two")
    )
    return f"hooks:\n  pre_tool_use:\n{other * number}    - hooks:\n{pair}"


def test_what_cannot_be_combined_leaves_everything_as_it_was(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of ours in the middle of a reload is raised, and disarms nothing."""
    write(machine.user, claude("a"))
    engine = machine.engine()
    write(machine.user, claude("b"))
    monkeypatch.setattr(Snapshot, "index", _fail)

    with pytest.raises(ArithmeticError):
        engine.reload()
    assert commands(engine) == ["a"]
    assert is_stale(engine.loader)


def _fail(*_: object, **__: object) -> None:
    raise ArithmeticError
