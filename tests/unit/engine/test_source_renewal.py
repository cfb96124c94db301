"""Renewal of a source: what a changed file becomes, and which parts stay as they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline import Engine
from hookline.engine.reload import read_stamps, renew_sources
from tests.unit.engine.files import BROKEN, claude, commands, docker, write

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_that_was_named_and_is_gone_keeps_all_of_its_files(tmp_path: Path) -> None:
    """In their order; a file that goes out of a folder that is still there is gone."""
    for name in "abc":
        write(tmp_path / f"hooks/{name}.yaml", docker(name))
    engine = Engine.load(tmp_path / "hooks")
    (tmp_path / "hooks/b.yaml").unlink()
    engine.reload()
    without = commands(engine)
    (tmp_path / "hooks").rename(tmp_path / "elsewhere")
    engine.reload()

    assert (without, commands(engine)) == (["a", "c"], ["a", "c"])
    assert [problem.name for problem in engine.problems] == ["config.gone"] * 2
    (tmp_path / "elsewhere").rename(tmp_path / "hooks")
    engine.reload()
    assert engine.problems == ()


def test_a_hook_that_is_left_out_anyway_does_not_make_a_file_invalid(tmp_path: Path) -> None:
    """A call of ourselves that could not be called is no reason to refuse the guards beside it."""
    file = write(tmp_path / "settings.json", claude("guard"))
    engine = Engine.load(file, dialect="claude-code")
    engine.loader.keep_out(lambda spec: "unwanted" in getattr(spec.handler, "reason", ""))
    write(
        file, claude("guard", "new").replace("]", ', {"type": "http", "url": "ftp://unwanted"}]', 1)
    )
    engine.reload()

    assert commands(engine) == ["guard", "new"]
    assert [problem.name for problem in engine.problems] == ["handler.url"]


def test_a_look_reads_nothing(tmp_path: Path) -> None:
    """Of each file what the file system knows of it; one that is gone is not among them."""
    file = write(tmp_path / "hooks.yaml", docker("a"))
    engine = Engine.load(file)
    key = (str(file), "docker-agent")
    there = read_stamps(engine.loader)
    file.unlink()

    assert there == {each.key: each.stamp for each in engine.snapshot.sources}
    assert there[key][0][3] == len(docker("a"))
    assert read_stamps(engine.loader) == {}


def test_a_renewal_changes_nothing(tmp_path: Path) -> None:
    """It says what is to be on the shelf; what did not change is the very same."""
    good, bad = (
        write(tmp_path / "hooks/a.yaml", docker("a")),
        write(tmp_path / "hooks/b.yaml", docker("b")),
    )
    engine = Engine.load(good.parent)
    before = list(engine.snapshot.sources)
    write(bad, BROKEN)
    renewal = renew_sources(engine.loader)

    assert list(engine.snapshot.sources) == before
    assert renewal.sources[0] == before[0]
    assert renewal.sources[0].loaded is before[0].loaded
    assert renewal.sources[1].loaded is before[1].loaded
    assert [problem.name for problem in renewal.sources[1].newer_problems][-1] == "config.last-good"


def test_a_link_to_nothing_disarms_nothing(tmp_path: Path) -> None:
    """What it led to may be back in a moment."""
    real, folder = write(tmp_path / "real.yaml", docker("guard")), tmp_path / "hooks.d"
    folder.mkdir()
    (folder / "a.yaml").symlink_to(real)
    engine = Engine.load(folder, dialect="docker-agent")
    before = commands(engine)
    real.unlink()
    engine.reload()

    assert commands(engine) == before == ["guard"]
    assert "is a link to nothing" in str(engine.problems[0])
