"""`hookline validate`: every problem, in file order, in three formats."""

from __future__ import annotations

import os

import pytest

from tests.unit.cli.support import DOCKER, Desk

MISTAKES = """hooks:
  stop:
    - type: command
      command: x
      timeout: -1
  pre_tool_uze: []
"""


def test_problems_stand_in_the_order_of_the_files_and_lines(desk: Desk) -> None:
    """One line each, and a summary on standard error."""
    first, second = desk.file("b.yaml", MISTAKES), desk.file("a.yaml", MISTAKES)

    told = desk.type("validate", first, second)

    assert [line.partition(" ")[0] for line in told.out.splitlines()] == [
        "b.yaml:5:7:",
        "b.yaml:6:3:",
        "a.yaml:5:7:",
        "a.yaml:6:3:",
    ]
    assert told.err == "2 files: 4 errors, 0 warnings\n"


def test_a_missing_path_does_not_hide_the_others(desk: Desk) -> None:
    """It is a line of its own, and the exit code is that of a wrong command line."""
    told = desk.type("validate", "nowhere.yaml", desk.file("a.yaml", MISTAKES))

    assert told.code == 2
    assert told.out.splitlines()[0] == "nowhere.yaml: HKL1002 no such file or folder"
    assert len(told.out.splitlines()) == 3


def test_a_folder_without_hooks_is_said_to_have_none(desk: Desk) -> None:
    """Even when the dialect is named."""
    (desk.folder / "empty").mkdir()

    told = desk.type("validate", "empty", "--dialect", "docker-agent")

    line = "empty: HKL1002 no hook files of docker-agent found in this folder\n"
    assert (told.code, told.out) == (2, line)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("nowhere", "nowhere: HKL1841 no such file or folder\n"),
        (
            "guard/scripts/run.sh",
            (
                "guard/scripts/run.sh: HKL1842 a hook of agenthooks is a folder with a HOOK.md "
                "(name the folder)\n"
            ),
        ),
        ("guard", "guard: HKL1843 no hook files of agenthooks found in this folder\n"),
    ],
)
def test_what_is_no_hook_is_said_in_the_formats_own_codes(desk: Desk, path: str, line: str) -> None:
    """The codes of docs/formats/agenthooks.md 4: no path, no folder, no file."""
    desk.file("guard/scripts/run.sh", "exit 0\n")

    told = desk.type("validate", path, "--dialect", "agenthooks")

    assert (told.code, told.out) == (2, line)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_a_problem(desk: Desk) -> None:
    """The command reports it, without an internal error."""
    (desk.folder / "shut").mkdir(mode=0)

    assert "HKL1003" in desk.type("validate", "shut", "--dialect", "docker-agent").out


def test_github_is_told_in_its_own_words(desk: Desk) -> None:
    """A workflow command for each problem, with what its format would misread escaped."""
    told = desk.type(
        "validate", desk.file("a,b.yaml", "hooks: {'50%': []}"), "--output-format", "github"
    )

    assert told.out.startswith(
        "::error file=a%2Cb.yaml,line=1,col=9,title=HKL1203::unknown event `50%25`"
    )


def test_agenthooks_are_linted(desk: Desk) -> None:
    """What loading tolerates is an error here."""
    desk.file(
        "hooks/my-hook/HOOK.md",
        "---\nname: my--hook\ndescription: ' '\ntrigger: pre-tool-call\n---\n",
    )

    told = desk.type("validate", "hooks", "--json")

    assert told.code == 1
    assert {
        problem["name"] for problem in told.document["problems"] if problem["severity"] == "error"
    } >= {
        "name.hyphen-double",
        "description.empty",
    }


def test_what_the_sources_are_together_is_told_too(desk: Desk) -> None:
    """Two hooks with one name are found, although each file is valid."""
    sheet = "---\nname: guard\ndescription: Guards\ntrigger: pre-tool-call\n---\n"
    desk.file("hooks/a/HOOK.md", sheet)
    desk.file("hooks/b/HOOK.md", sheet)

    assert "hook.duplicate" in {
        problem["name"] for problem in desk.type("validate", "hooks", "--json").document["problems"]
    }


def test_without_a_path_it_looks_at_what_is_found_here(desk: Desk) -> None:
    """The files of the project and of the user."""
    desk.file(".claude/settings.json", '{"hooks": {"PreToolUze": []}}')

    told = desk.type("validate")

    assert told.code == 1
    assert "HKL1203 unknown event `PreToolUze` (did you mean `PreToolUse`?)" in told.out


def test_a_good_file_prints_nothing_to_standard_output(desk: Desk) -> None:
    """Data is empty, the message is on standard error."""
    assert desk.type("validate", DOCKER) == (0, "", "1 file: 0 errors, 0 warnings\n")


def test_no_hook_file_at_all_is_an_error(desk: Desk) -> None:
    """Nothing was checked, so a check that passes would be a lie."""
    told = desk.type("validate")
    empty = desk.type("validate", ".")

    assert (told.code, told.err, empty.code) == (2, "", 2)
    assert f"no hook files found in `{desk.folder}` and in your home" in told.out
    assert empty.out.startswith(".: HKL1002 no hook files found in this folder")


def test_a_tree_on_the_command_line_is_checked(desk: Desk) -> None:
    """As JSON, where other commands take it."""
    tree = '{"hooks": {"PreToolUze": []}}'

    assert "HKL1203" in desk.type("validate", "-c", tree, "--dialect", "claude-code").out
