"""Options: which hooks a command looks at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hookline.cli.options import Selection, call_command, change_folder
from hookline.cli.selected_engine import parse_options
from hookline.errors import ConfigError
from tests.unit.cli.support import DOCKER, Desk


def test_a_command_is_handed_one_selection(desk: Desk) -> None:
    """It holds all options, and the command runs in the folder that was named."""
    seen: list[Selection] = []

    def command(selection: Selection, *, word: str = "") -> int:
        seen.append(selection)
        return len(word)

    line = "-c a --dialect d --trust all --mode strict --match-tools canonical -o o=1 -C .."
    assert call_command("list", command, line.split(), word="four") == 4
    chosen = seen[0]
    assert (chosen.configs, chosen.dialect, chosen.trust) == (["a"], "d", "all")
    assert (chosen.mode, chosen.match_tools, chosen.options) == ("strict", "canonical", ["o=1"])
    assert os.getcwd() == str(desk.folder.parent)


def test_several_files_compose(desk: Desk) -> None:
    """-c is repeatable."""
    other = desk.file("other.yaml", "hooks: {stop: [{type: command, command: x}]}")

    assert len(desk.type("list", "-c", DOCKER, "-c", other, "--json").document["hooks"]) == 23


def test_options_reach_the_dialect(desk: Desk) -> None:
    """-o profile=d1 selects docker-agent's older profile, which runs tool hooks at once."""
    document = desk.type(
        "explain",
        "pre_tool_use",
        "-c",
        DOCKER,
        "-o",
        "profile=d1",
        "--no-run",
        "--json",
        stdin={"tool_name": "shell"},
    ).document

    assert {hook["how"] for hook in document["hooks"] if hook["selected"]} == {"at once"}


def test_pairs_are_options_of_the_dialect() -> None:
    """`true` and `false` are booleans; all else is text."""
    assert parse_options(["a=true", "b=false", "c=1", "d=x=y"]) == {
        "a": True,
        "b": False,
        "c": "1",
        "d": "x=y",
    }


def test_a_pair_without_its_value_is_refused() -> None:
    """The error has an example."""
    with pytest.raises(ConfigError, match="no NAME=VALUE"):
        parse_options(["profile"])


def test_options_without_a_file_are_refused() -> None:
    """They would have no effect."""
    with pytest.raises(ConfigError, match="need a file"):
        Selection(options=["profile=d1"]).engine()


def test_a_selection_is_an_engine_with_its_hooks() -> None:
    """Naming a file is consent, so its hooks are trusted."""
    hooks = Selection(configs=[DOCKER]).engine().hooks

    assert len(hooks) == 22
    assert all(spec.trusted for spec in hooks)


def test_without_a_file_everything_is_discovered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project's hooks are not trusted."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}'
    )

    assert [spec.trusted for spec in Selection(folder=str(tmp_path)).engine().hooks] == [False]
    assert [
        spec.trusted for spec in Selection(folder=str(tmp_path), trust="all").engine().hooks
    ] == [True]


def test_the_home_that_was_named_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the whole process. A home that is no folder is refused."""
    monkeypatch.setenv("HOME", "/nowhere")

    Selection(home=str(tmp_path)).clean_environ()
    assert os.environ["HOME"] == str(tmp_path)
    with pytest.raises(ConfigError, match="is no folder"):
        Selection(home="/none").clean_environ()


def test_what_the_repository_sets_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command drops it at its start, for the whole process, and says so."""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text('{"env": {"BASH_ENV": "evil.sh"}}')
    monkeypatch.setenv("BASH_ENV", "evil.sh")
    selection = Selection(folder=str(tmp_path))

    assert os.environ["BASH_ENV"] == "evil.sh"
    selection.clean_environ()
    assert "BASH_ENV" not in os.environ
    assert [problem.code for problem in selection.notices] == ["HKL3023"]


def test_a_folder_that_is_not_there_cannot_be_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process stays where it is."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ConfigError, match="cannot start in"):
        change_folder("nowhere")
    change_folder(".")
    assert Path.cwd() == tmp_path
