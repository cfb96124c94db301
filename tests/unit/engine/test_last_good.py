"""The last good version: what a reload does not take, and what stays in force instead."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline import Engine
from hookline.engine.reload import is_stale
from tests.unit.engine.files import (
    BROKEN,
    Machine,
    claude,
    codes,
    commands,
    docker,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A home and a project."""
    return Machine(tmp_path)


@pytest.mark.parametrize(
    "text", [BROKEN, "", "[]", '{"hooks": 1}', claude("a").replace("command", "comand"), "\x00"]
)
def test_an_invalid_change_keeps_the_last_good_version_and_says_so(
    machine: Machine, text: str
) -> None:
    """Also in a project: an unreadable file must not disable a guard."""
    write(machine.own, claude("guard"))
    os.utime(machine.own, (0, 0))
    engine = machine.engine()
    write(machine.own, text)

    done = engine.reload()

    assert commands(engine) == ["guard"]
    assert not done.anything
    assert codes(engine)[-1] == "config.last-good"
    assert len(codes(engine)) >= 2
    assert engine.problems[-1].message == f"the last good version of `{machine.own}` is in force"
    assert done.refused == engine.problems
    assert not is_stale(engine.loader)


def test_what_was_mended_is_taken_and_no_longer_complained_about(machine: Machine) -> None:
    """Whether its content is new or was in force all the time."""
    for mended in ("guard", "other"):
        write(machine.own, claude("guard"))
        engine = machine.engine()
        write(machine.own, BROKEN)
        engine.reload()
        write(machine.own, claude(mended))
        engine.reload()

        assert (commands(engine), engine.problems) == ([mended], ())


def test_the_other_files_are_taken_nevertheless(machine: Machine) -> None:
    """Each file counts separately."""
    write(machine.user, claude("a"))
    write(machine.own, claude("b"))
    engine = machine.engine()
    write(machine.own, BROKEN)
    write(machine.user, claude("new"))
    engine.reload()

    assert commands(engine) == ["new", "b"]


def test_a_file_that_was_never_good_is_as_when_it_is_loaded(machine: Machine) -> None:
    """It has no earlier version; once it is valid, it counts."""
    write(machine.own, BROKEN)
    engine = machine.engine()
    write(machine.own, BROKEN + " ")
    engine.reload()
    still = codes(engine)
    write(machine.own, claude("a"))
    engine.reload()

    assert still == ["config.syntax"]
    assert (commands(engine), engine.problems) == (["a"], ())


def test_a_flawed_file_may_get_better_and_not_worse(machine: Machine) -> None:
    """One error of two mended is taken; a third error is not."""
    flawed = {
        "hooks": {
            "PreToolUse": [
                {"hooks": [{"type": "command", "command": "a"}, {"type": "x"}, {"type": "y"}]}
            ]
        }
    }
    write(machine.own, str(flawed).replace("'", '"'))
    engine = machine.engine()
    errors = len(engine.problems)
    write(machine.own, str(flawed).replace("'", '"').replace('{"type": "x"}, ', ""))
    engine.reload()
    better = len(engine.problems)
    write(machine.own, BROKEN)
    engine.reload()

    assert (errors, better) == (2, 1)
    assert "a" in commands(engine)
    assert codes(engine)[-1] == "config.last-good"


def test_policy_that_vanishes_stays_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A removal does not disable it, and its place stays the same."""
    machine = Machine(tmp_path)
    policy = write(tmp_path / "etc/managed-settings.json", claude("policy"))
    more = write(tmp_path / "etc/managed-settings.d/10.json", claude("more"))
    _policy_is_at(tmp_path / "etc", monkeypatch)
    write(machine.user, claude("mine"))
    engine = machine.engine()
    policy.unlink()
    more.unlink()
    more.parent.rmdir()

    done = engine.reload()

    assert commands(engine) == ["policy", "more", "mine"]
    assert [problem.code for problem in done.refused] == ["HKL1011", "HKL1011"]
    assert "is gone; its last good version is in force" in str(done)
    assert not is_stale(engine.loader)


def test_policy_that_becomes_a_folder_or_a_pipe_stays_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hookline does not even open a pipe, which could block for ever."""
    machine = Machine(tmp_path)
    policy = write(tmp_path / "etc/managed-settings.json", claude("policy"))
    _policy_is_at(tmp_path / "etc", monkeypatch)
    engine = machine.engine()
    policy.unlink()
    policy.mkdir()
    engine.reload()
    folder = commands(engine)
    policy.rmdir()
    os.mkfifo(policy)
    engine.reload()

    assert (folder, commands(engine)) == (["policy"], ["policy"])


def test_a_file_that_was_named_and_is_gone_stays_in_force(tmp_path: Path) -> None:
    """The user named it, and the engine would not have started without it."""
    file = write(tmp_path / "hooks.yaml", docker("guard"))
    engine = Engine.load(file)
    file.unlink()
    engine.reload()

    assert (commands(engine), codes(engine)) == (["guard"], ["config.gone"])
    assert not is_stale(engine.loader)


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_may_no_longer_be_read_stays_in_force(what: str) -> None:
    """The file or its folder lost the permission, so hookline cannot tell whether it exists."""
    import tempfile  # noqa: PLC0415 - the folders above `tmp_path` are closed to others
    from pathlib import Path  # noqa: PLC0415 - as above

    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        machine = Machine(folder)
        write(machine.user, claude("guard"))
        engine = machine.engine()
        closed = machine.user if what == "file" else machine.user.parent
        before = os.geteuid()
        closed.chmod(0)
        try:
            if before == 0:
                os.seteuid(65534)
            done = engine.reload()
        finally:
            os.seteuid(before)
            closed.chmod(0o755)

    assert commands(engine) == ["guard"]
    assert [problem.name for problem in done.refused] == ["config.unreadable", "config.last-good"]


def _policy_is_at(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if `/etc/claude-code` were there."""
    from hookline.config import places  # noqa: PLC0415 - its table is what is changed

    here = [
        (dialect, scope, path.replace("/etc/claude-code", str(folder)))
        for dialect, scope, path in places.PLACES
    ]
    monkeypatch.setattr(places, "PLACES", tuple(here))
