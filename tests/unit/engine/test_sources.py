"""Ways by which hooks come: what each lists now, and how it is read."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from hookline import ConfigError, Engine
from hookline.core.dialect import Source
from hookline.engine.sources import (
    Discovery,
    Named,
    label_file,
    list_sources,
    read_sources,
)
from hookline.model.spec import Broken

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
    """The path of a file that the user named in a folder."""
    return Named(
        place=Source(file=str(file)),
        dialect=engine.loader.dialects.make("claude-code"),
        base=str(base),
    )


def test_what_is_discovered_is_as_trusted_as_its_place(engine: Engine, tmp_path: Path) -> None:
    """And what was dropped is not looked for."""
    (tmp_path / "project/.claude/settings.json").write_text(TEXT, encoding="utf-8")
    way = Discovery(trust="user", mode="fidelity", match_tools="native", dialect="claude-code")
    found = [
        (os.path.basename(place.file), place.scope, place.trusted)
        for place, _, _ in list_sources(engine.loader.search, way)
        if place.scope == "project"
    ]

    assert found == [("settings.json", "project", False)]
    engine.loader.drop_dialect("claude-code")
    assert [
        place for place, _, _ in list_sources(engine.loader.search, way) if place.scope == "project"
    ] == []


def test_a_named_file_is_seen_from_the_folder_in_which_it_was_named(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the process goes afterwards."""
    (tmp_path / "hooks.json").write_text(TEXT, encoding="utf-8")
    way = Named(
        place=Source(file="hooks.json"),
        dialect=engine.loader.dialects.make("claude-code"),
        base=str(tmp_path),
    )
    monkeypatch.chdir(tmp_path / "project")
    (found,) = read_sources(engine.loader.search, way)

    assert found.key == (str(tmp_path / "hooks.json"), "claude-code")
    assert [spec.native_event for spec in found.load().loaded.specs] == ["PreToolUse"]


def test_a_named_file_that_is_gone_is_an_error(engine: Engine, tmp_path: Path) -> None:
    """The error reports the path that the user named."""
    with pytest.raises(ConfigError):
        list(read_sources(engine.loader.search, named(engine, tmp_path / "gone.json")))


def test_a_named_pipe_is_read_once_and_has_no_stamp(engine: Engine) -> None:
    """The user passed it as `<(...)` of a shell."""
    reads, writes = os.pipe()
    os.write(writes, TEXT.encode())
    os.close(writes)
    place = Source(file=f"/proc/self/fd/{reads}", scope="explicit")
    (found,) = read_sources(
        engine.loader.search,
        Named(place=place, dialect=engine.loader.dialects.make("claude-code"), base="/"),
    )
    os.close(reads)

    assert found.stamp == ()
    assert len(found.load().loaded.specs) == 1


def test_a_discovered_pipe_is_refused_unread(engine: Engine, tmp_path: Path) -> None:
    """To open it could take for ever."""
    os.mkfifo(tmp_path / "project/.claude/settings.json")
    way = Discovery(trust="all", mode="fidelity", match_tools="native", dialect="claude-code")
    errors = [
        found.error
        for found in read_sources(engine.loader.search, way)
        if found.source.scope == "project"
    ]

    assert [(error.name, error.message) for error in errors if error] == [
        ("config.unreadable", "is no plain file")
    ]


def test_a_file_that_cannot_be_understood_refuses_everything(
    engine: Engine, tmp_path: Path
) -> None:
    """As hooks that take part as failures, with the line."""
    (tmp_path / "bad.json").write_text('{"hooks": \n[', encoding="utf-8")
    (found,) = read_sources(engine.loader.search, named(engine, tmp_path / "bad.json"))
    loaded = found.load().loaded

    assert loaded.problems
    assert loaded.problems[0].origin.line
    assert loaded.specs


def test_files_beyond_64_in_a_folder_are_broken_hooks(tmp_path: Path) -> None:
    """Hookline loads the first 64 by name and says which one is the first that it does not load."""
    for at in range(70):
        (tmp_path / f"{at:02}").mkdir()
        (tmp_path / f"{at:02}/HOOK.md").write_text(
            f"---\nname: h{at:02}\ndescription: d\ntrigger: pre-tool-call\n---\n"
        )
    engine = Engine.load(tmp_path, dialect="agenthooks")
    (problem,) = [each for each in engine.problems if each.name == "config.too-large"]
    assert "more than 64 files" in problem.message
    assert "`64/HOOK.md`" in problem.message
    broken = {each.kind for each in engine.hooks if isinstance(each.handler, Broken)}
    assert "tool.before" in broken


def test_a_file_whose_expressions_are_too_large_together_is_refused_once(tmp_path: Path) -> None:
    """One problem names the file, and the guards of the file count as broken."""
    groups = [{"matcher": f"x{at}(a?){{500}}", "hooks": []} for at in range(400)]
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"hooks": {"PreToolUse": groups}}))
    engine = Engine.load(file, dialect="claude-code")
    (problem,) = engine.problems
    assert problem.name == "config.too-large"
    assert {type(each.handler) for each in engine.hooks} == {Broken}


def test_a_file_of_more_than_one_mib_is_refused(tmp_path: Path) -> None:
    """Its guards count as broken, with the file and what to do in the reason."""
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"x": "y" * (1 << 20), "hooks": {}}))
    engine = Engine.load(file, dialect="claude-code")
    (problem,) = engine.problems
    assert (problem.name, problem.hint) == ("config.too-large", "keep the hooks in a smaller file")
    assert {type(each.handler) for each in engine.hooks} == {Broken}


@pytest.mark.parametrize(
    ("path", "scope", "project", "label"),
    [
        ("/w/p/.claude/settings.json", "project", "/w/p", ".claude/settings.json"),
        ("/w/p/.claude/settings.json", "local", "/w/p", ".claude/settings.json"),
        ("/home/ann/.claude/settings.json", "user", "/w/p", "~/.claude/settings.json"),
        ("/opt/codex/hooks.json", "user", "/w/p", "/opt/codex/hooks.json"),
        ("/etc/hookline/hooks.d/10-a.yaml", "managed", "/w/p", "/etc/hookline/hooks.d/10-a.yaml"),
        ("/home/ann/.claude/plugins/x/1.2.0/hooks/hooks.json", "user", "/w/p",
            "~/.claude/plugins/x/hooks/hooks.json"),
        ("/home/ann/3d/hooks.yaml", "explicit", "", "3d/hooks.yaml"),
        ("/hooks.yaml", "explicit", "", "/hooks.yaml"),
    ],
)  # fmt: skip
def test_ids_name_a_file_by_its_path_alone(path: str, scope: str, project: str, label: str) -> None:
    """Whatever else is loaded, and wherever a named file is named from."""
    assert label_file(path, scope, project, {"HOME": "/home/ann"}) == label
