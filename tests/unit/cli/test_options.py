"""Options: which hooks a command looks at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hookline.cli.options import (
    Selection,
    change_folder,
    make_parser,
    make_selection,
    parse_options,
    parse_quickly,
)
from hookline.errors import ConfigError
from tests.unit.cli.support import DOCKER

LINES = [
    ["host"],
    ["host", "-c", "a", "--config", "b", "--config=c"],
    ["--dialect", "docker-agent", "host", "--trust=none", "--mode", "strict"],
    ["host", "-o", "a=1", "--option", "b=2", "-C", "dir", "--home", "mine"],
]


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_the_quick_reader_reads_as_the_parser_does(words: list[str]) -> None:
    """Two ways, one result."""
    slow = make_parser("p", "", "")
    slow.add_argument("host")
    given = slow.parse_args(words)

    found = parse_quickly(words)

    assert found is not None
    assert found[0] == [given.host]
    assert vars(found[1]) == vars(make_selection(given))


@pytest.mark.parametrize(
    "words",
    [
        ["-h"],
        ["--help"],
        ["-cfile"],
        ["x", "-c"],
        ["x", "-c", "-o"],
        ["--unknown", "x"],
        ["--trust="],
    ],
    ids=" ".join,
)
def test_the_quick_reader_leaves_the_unusual_to_the_parser(words: list[str]) -> None:
    """Rather than guessing."""
    assert parse_quickly(words) is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["x", "--host", "kimi", "--json"], {"--host": "kimi", "--json": True}),
        (["--host=kimi", "x", "-c", "a"], {"--host": "kimi"}),
        (["x"], {}),
    ],
)
def test_a_commands_own_options_are_read_as_well(words: list[str], said: dict[str, object]) -> None:
    """Those that take a word, and those that do not."""
    found = parse_quickly(words, {"--host": True, "--json": False})

    assert found is not None
    assert (found[0], found[2]) == (["x"], said)


@pytest.mark.parametrize(
    "words",
    [
        ["x", "--host"],
        ["x", "--host="],
        ["x", "--json=1"],
        ["x", "--host", "-c"],
        ["x", "--color", "auto"],
    ],
    ids=" ".join,
)
def test_unusual_options_of_a_command_are_the_parsers(words: list[str]) -> None:
    """As the shared ones are."""
    assert parse_quickly(words, {"--host": True, "--json": False}) is None


def test_what_the_parser_refuses_is_one_line() -> None:
    """As every other error."""
    with pytest.raises(ConfigError, match="no such option `--foo`"):
        make_parser("hookline x", "", "").parse_args(["--foo"])


def test_pairs_are_options_of_the_dialect() -> None:
    """`true` and `false` are booleans; all else is text."""
    assert parse_options(["a=true", "b=false", "c=1", "d=x=y"]) == {
        "a": True,
        "b": False,
        "c": "1",
        "d": "x=y",
    }


def test_a_pair_without_its_value_is_refused() -> None:
    """With an example."""
    with pytest.raises(ConfigError, match="no NAME=VALUE"):
        parse_options(["profile"])


def test_options_without_a_file_are_refused() -> None:
    """They would have no effect."""
    with pytest.raises(ConfigError, match="need a file"):
        Selection(options=["profile=d1"]).engine()


def test_a_selection_is_an_engine_with_its_hooks() -> None:
    """Trusted, because naming a file is consent."""
    hooks = Selection(configs=[DOCKER]).engine().hooks

    assert len(hooks) == 22
    assert all(spec.trusted for spec in hooks)


def test_without_a_file_everything_is_discovered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a project's hooks are not trusted."""
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
    """In the whole process; one that is no folder is refused."""
    monkeypatch.setenv("HOME", "/nowhere")

    Selection(home=str(tmp_path)).clean_environ()
    assert os.environ["HOME"] == str(tmp_path)
    with pytest.raises(ConfigError, match="is no folder"):
        Selection(home="/none").clean_environ()


def test_what_the_repository_sets_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When a command begins, for the whole process, and told."""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text('{"env": {"BASH_ENV": "evil.sh"}}')
    monkeypatch.setenv("BASH_ENV", "evil.sh")
    selection = Selection(folder=str(tmp_path))

    assert os.environ["BASH_ENV"] == "evil.sh"
    selection.clean_environ()
    assert "BASH_ENV" not in os.environ
    assert [problem.code for problem in selection.told] == ["HKL3023"]


def test_a_folder_that_is_not_there_cannot_be_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process stays where it is."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ConfigError, match="cannot start in"):
        change_folder("nowhere")
    change_folder("")
    assert Path.cwd() == tmp_path
