"""The table of commands: help of all of them, words from elsewhere, and exit codes."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hookline.cli.commands import COMMANDS, ELSEWHERE, GROUPS
from tests.unit.cli.support import AGENTHOOKS, DOCKER, ROOT, SUDO, Desk


def test_alone_it_prints_a_short_help(desk: Desk) -> None:
    """Examples first, then every command in its group."""
    told = desk.type()

    assert (told.code, told.err) == (0, "")
    assert told.out.index("Examples:") < told.out.index("Look:")
    assert all(f"  {name} " in told.out for name in COMMANDS)
    assert {command.group for command in COMMANDS.values()} == set(GROUPS)


@pytest.mark.parametrize("words", [("-h",), ("--help",), ("help",)])
def test_the_whole_help_tells_options_and_exit_codes(words: tuple[str, ...], desk: Desk) -> None:
    """-h, --help and help are the same."""
    told = desk.type(*words)

    assert told.code == 0
    assert "--config" in told.out
    assert "Exit codes:" in told.out


@pytest.mark.parametrize("name", COMMANDS)
def test_each_help_begins_with_examples(name: str, desk: Desk) -> None:
    """Every command has at least one example, before its options, and tells its exit codes."""
    told = desk.type(name, "--help")

    assert told.code == 0
    assert told.out == desk.type(name, "-h").out
    assert told.out.index(f"  hookline {name}") < told.out.index("Options:")
    assert "\nExit codes: " in told.out
    assert len(desk.type("help", name).out) >= len(told.out)


def test_a_topic_without_help_gets_a_suggestion(desk: Desk) -> None:
    """As a command that hookline does not know."""
    assert desk.type("help", "exit-codes").out.startswith("Exit codes:")
    assert desk.type("help", "lst").err == (
        "hookline: HKL1007 no help on `lst` (did you mean `list`?)\n"
    )


@pytest.mark.parametrize("word", ELSEWHERE)
def test_a_word_from_elsewhere_gets_its_suggestion(word: str, desk: Desk) -> None:
    """The usage error names hookline's own command."""
    told = desk.type(word)

    assert told.code == 2
    assert told.err == f"hookline: HKL1007 unknown command `{word}` ({ELSEWHERE[word]})\n"


def test_a_misspelt_command_gets_the_nearest(desk: Desk) -> None:
    """The usage error suggests it."""
    assert "did you mean `validate`?" in desk.type("valdate").err


@pytest.mark.parametrize(
    "example",
    [
        example
        for command in COMMANDS.values()
        for example in command.examples
        # Those of `snapshots` need a repository; its own tests type them.
        if not {"answer", "serve", "snapshots"} & {*example.split()}
    ],
)
def test_every_example_of_the_help_runs(example: str, desk: Desk) -> None:
    """With its files in place, no example is a usage error."""
    desk.file("hooks.yaml", Path(DOCKER).read_text(encoding="utf-8"))
    desk.file(
        ".claude/settings.json",
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true # guard"}]}]}}',
    )
    shutil.copytree(AGENTHOOKS, desk.folder / ".agents" / "hooks")
    desk.file("payload.json", json.dumps(SUDO))
    desk.file(".hookline.yaml", "version: 1\ntests: []\n")
    desk.file("agent.yaml", "agents: {root: {model: scripted/script.yaml, instruction: Help.}}\n")
    desk.file("script.yaml", "steps: [{text: Hello.}]\n")
    desk.type("fire", "pre_tool_use", "-c", DOCKER, stdin=SUDO)
    if example.startswith(("hookline remove", "hookline guard")):
        desk.type("add", "commands")
    desk.file("my-pack/hookline.yaml", "version: 1\nhooks: [{on: stop, context: x}]\n")
    if example.endswith(("pkg:my-pack", "update my-pack --dry-run")):
        desk.type("add", "./my-pack")
    program, *words = shlex.split(example.partition(" < ")[0])

    assert program == "hookline"
    assert desk.type(*words, stdin=SUDO).code in (0, 1)


# Command line and exit code.
CODES = [
    (("list",), 0),
    (("list", "-c", DOCKER), 0),
    (("list", "--nonsense"), 2),
    (("list", "-c", "nowhere.yaml"), 2),
    (("list", "-C", "nowhere"), 2),
    (("list", "--trust", "everything"), 2),
    (("show", "tool.before"), 0),
    (("show", "nothing.of.the.kind"), 2),
    (("show",), 2),
    (("validate", DOCKER), 0),
    (("validate", "bad.yaml"), 1),
    (("validate", "bad.yaml", "--exit-zero"), 0),
    (("validate", AGENTHOOKS), 0),
    (("validate", AGENTHOOKS, "--strict"), 1),
    (("validate", "nowhere.yaml"), 2),
    (("validate", "nowhere.yaml", "--exit-zero"), 2),
    (("explain", "HKL1203"), 0),
    (("explain", "HKL0000"), 2),
    (("explain", "pre_tool_use", "-c", DOCKER, "--no-run"), 0),
    (("schema",), 0),
    (("schema", "decision"), 0),
    (("schema", "nonsense"), 2),
    (("fire", "pre_tool_use", "-c", DOCKER), 1),
    (("fire", "pre_tool_use", "-c", DOCKER, "--exit-zero"), 0),
    (("fire", "stop", "-c", "silent.yaml"), 0),
    (("fire", "stopp", "-c", "silent.yaml"), 2),
    (("fire",), 2),
    (("eval",), 2),
]


@pytest.mark.parametrize(
    ("words", "code"),
    CODES,
    ids=lambda value: (
        " ".join(Path(word).name for word in value) if isinstance(value, tuple) else ""
    ),
)
def test_the_exit_code_is_that_of_the_table(words: tuple[str, ...], code: int, desk: Desk) -> None:
    """0 ok, 1 findings or a denial, 2 usage or configuration."""
    desk.file("bad.yaml", "hooks: {stop: [{type: comand}]}")
    desk.file("silent.yaml", "hooks: {stop: [{type: command, command: 'true'}]}")

    assert desk.type(*words, stdin=SUDO).code == code


@pytest.mark.process
@pytest.mark.parametrize(
    "words",
    [
        (),
        ("list", "-c", DOCKER),
        ("fire", "pre_tool_use", "-c", DOCKER),
        ("list", "--help"),
        ("schema", "event"),
    ],
)
def test_a_reader_that_has_gone_away_is_no_fault(words: tuple[str, ...], tmp_path: Path) -> None:
    """A closed standard output is silent (EPIPE)."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "hookline", *words],
        input=b'{"tool_name": "shell", "tool_input": {}}',
        stdout=writing,
        stderr=subprocess.PIPE,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "src")},
        timeout=60,
        check=False,
    )
    os.close(writing)

    assert done.stderr == b""
