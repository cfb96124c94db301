"""`hookline test` compares decisions with what a file expects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.unit.cli.support import Desk

FILE = """version: 1
hooks:
  - on: tool.before
    tool: shell
    command: sudo
    deny: not as root
  - on: session.start
    context: be brief
tests:
"""
CALL = "payload: {tool: shell, input: {command: sudo ls}}"
CASES = {
    "a stance": (f"on: tool.before, {CALL}, expect: deny", ""),
    "another stance": (f"on: tool.before, {CALL}, expect: ask", "expected ask, and it is deny"),
    "a reason": (f"on: tool.before, {CALL}, expect: {{reason: root}}", ""),
    "another reason": (
        f"on: tool.before, {CALL}, expect: {{reason: user}}",
        "`user` is not in reason: not as root",
    ),
    "a text": ("on: session.start, expect: {for_agent: brief}", ""),
    "a rewrite": (
        f"on: tool.before, {CALL}, expect: {{rewrite: {{command: ls}}}}",
        "expected the input {'command': 'ls'}, and it is None",
    ),
    "another host": (
        "on: BeforeTool, host: gemini, expect: deny, payload: {tool_name: run_shell_command, "
        + CALL.removeprefix("payload: {tool: shell, ").replace("input", "tool_input"),
        "",
    ),
    "an unknown event": ("on: tool.befor, expect: deny", "tool.befor"),
}


@pytest.mark.parametrize(("case", "why"), CASES.values(), ids=CASES)
def test_a_difference_is_a_failure(case: str, why: str, desk: Desk) -> None:
    """With what was expected, and what came."""
    desk.file(".hookline.yaml", f"{FILE}  - {{name: a test, {case}}}\n")
    told = desk.type("test", ".hookline.yaml", "--json")
    (result,) = told.document["tests"]

    assert (told.code, result["passed"]) == (int(bool(why)), not why)
    assert why in result["why"]


def test_results_are_a_table(desk: Desk) -> None:
    """Chosen by name; unnamed tests are called by what they expect."""
    cases = (
        f"  - {{on: tool.before, {CALL}, expect: ask}}\n  - {{on: session.start, expect: silent}}\n"
    )
    desk.file("mine.yaml", FILE + cases)
    told = desk.type("test", "mine.yaml")

    assert told.out.splitlines() == [
        "failed  tool.before is ask       expected ask, and it is deny: not as root",
        "passed  session.start is silent",
        "2 tests: 1 failed",
    ]
    assert desk.type("test", "mine.yaml", "--run", "session").code == 0


@pytest.mark.parametrize(
    ("case", "place"),
    [
        ("{name: x, expect: deny}", ":10:5: HKL1102 the test has no `on`"),
        ("{on: stop, expect: yes please}", "HKL1403"),
        ("{on: stop, expect: deny, hots: codex}", "HKL1101"),
        ("7", "HKL"),
    ],
)
def test_a_test_that_is_written_wrongly_is_an_error(case: str, place: str, desk: Desk) -> None:
    """With its place; no test runs."""
    desk.file(".hookline.yaml", f"{FILE}  - {case}\n")
    told = desk.type("test", ".hookline.yaml")

    assert (told.code, place in told.err, told.out) == (2, True, "")


def test_without_a_file(desk: Desk) -> None:
    """The message names the command that writes one."""
    told = desk.type("test")

    assert (told.code, "hookline init" in told.err) == (2, True)


def test_the_hooks_of_a_project_run_only_if_its_file_is_named(desk: Desk) -> None:
    """Without a name it is your own file."""
    desk.file(".hookline.yaml", "version: 1\nhooks: [{on: stop, run: touch ran}]\n")
    told = desk.type("test")
    assert (told.code, f"hookline test {desk.folder}/.hookline.yaml" in told.err) == (2, True)

    assert desk.type("init", "--user").code == 0
    (test, _) = desk.type("test", "--json").document["tests"]
    assert test["file"].endswith("/.config/hookline/hookline.yaml")
