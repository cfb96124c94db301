"""Ways by which hooks come: what each lists now, and how it is read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline import ConfigError, Engine
from hookline.core.dialect import Source
from hookline.engine.sources import Discovery, Given, Named, came_by, listed, read

if TYPE_CHECKING:
    from pathlib import Path

TEXT = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}'


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """One that is at home in an empty folder."""
    (tmp_path / "project/.claude").mkdir(parents=True)
    return Engine(
        cwd=tmp_path / "project", environ={"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    )


def named(engine: Engine, file: Path, base: Path | str = "/") -> Named:
    """The way of a file that somebody named in a folder."""
    return Named(
        place=Source(file=str(file)), dialect=engine.speaking.made("claude-code"), base=str(base)
    )


def test_what_is_discovered_is_as_trusted_as_its_place(engine: Engine, tmp_path: Path) -> None:
    """And what was dropped is not looked for."""
    (tmp_path / "project/.claude/settings.json").write_text(TEXT, encoding="utf-8")
    way = Discovery(trust="user", mode="fidelity", match_tools="native", dialect="claude-code")
    found = [
        (os.path.basename(place.file), place.scope, place.trusted)
        for place, _, _ in listed(engine, way)
        if place.scope == "project"
    ]

    assert found == [("settings.json", "project", False)]
    engine.shelf.dropped |= {("claude-code", "project")}
    assert [place for place, _, _ in listed(engine, way) if place.scope == "project"] == []


def test_a_named_file_is_seen_from_the_folder_in_which_it_was_named(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the process goes afterwards."""
    (tmp_path / "hooks.json").write_text(TEXT, encoding="utf-8")
    way = Named(
        place=Source(file="hooks.json"),
        dialect=engine.speaking.made("claude-code"),
        base=str(tmp_path),
    )
    monkeypatch.chdir(tmp_path / "project")
    (found,) = read(engine, way)

    assert found.key == (str(tmp_path / "hooks.json"), "claude-code")
    assert [spec.native_event for spec in found.load().specs] == ["PreToolUse"]


def test_a_named_file_that_is_gone_is_an_error(engine: Engine, tmp_path: Path) -> None:
    """Of whoever named it."""
    with pytest.raises(ConfigError):
        list(read(engine, named(engine, tmp_path / "gone.json")))


def test_a_named_pipe_is_read_once_and_has_no_stamp(engine: Engine) -> None:
    """Somebody handed it over, as `<(...)` in a shell does."""
    reads, writes = os.pipe()
    os.write(writes, TEXT.encode())
    os.close(writes)
    place = Source(file=f"/proc/self/fd/{reads}", scope="explicit")
    (found,) = read(
        engine, Named(place=place, dialect=engine.speaking.made("claude-code"), base="/")
    )
    os.close(reads)

    assert found.stamp == ()
    assert len(found.load().specs) == 1


def test_a_discovered_pipe_is_refused_unread(engine: Engine, tmp_path: Path) -> None:
    """To open it could take for ever."""
    os.mkfifo(tmp_path / "project/.claude/settings.json")
    way = Discovery(trust="all", mode="fidelity", match_tools="native", dialect="claude-code")
    errors = [found.error for found in read(engine, way) if found.source.scope == "project"]

    assert [(error.name, error.message) for error in errors if error] == [
        ("config.unreadable", "is no plain file")
    ]


def test_a_file_that_cannot_be_understood_refuses_everything(
    engine: Engine, tmp_path: Path
) -> None:
    """As hooks that take part as failures, with the line."""
    (tmp_path / "bad.json").write_text('{"hooks": \n[', encoding="utf-8")
    (found,) = read(engine, named(engine, tmp_path / "bad.json"))
    loaded = found.load()

    assert loaded.problems
    assert loaded.problems[0].origin.line
    assert loaded.specs


def test_each_way_tells_whose_it_is(engine: Engine, tmp_path: Path) -> None:
    """So that a policy can do without what others brought."""
    dialect = engine.speaking.made("claude-code")
    given = Given(source=Source(tree={}, scope="user"), dialect=dialect)

    assert came_by(named(engine, tmp_path / "x.json")) == ("claude-code", Source().scope)
    assert came_by(given) == ("claude-code", "user")
