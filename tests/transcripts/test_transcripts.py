"""Every transcript is what a person would see: each command runs, and prints what stands below it.

A transcript is a list of blocks. A line `$ command` begins one, lines `> ...` continue the command;
then comes what it prints, standard error included; `[exit N]` ends it where the code is not 0. `#`
begins a comment. `<TIME>` stands for a duration and `<TMP>` for the temporary folder; a line `...`
stands for any lines. Commands run in bash, in a copy of `examples/`, with an empty home.
UPDATE_TRANSCRIPTS=1 writes down what is printed now.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from tests.fork_server import ForkServer

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
TRANSCRIPTS = sorted(HERE.glob("*.txt"))
_TIME = re.compile(r'\b\d+\.\d+ m?s\b|(?<="seconds": )[0-9.e-]+')

pytestmark = pytest.mark.process


class Block(NamedTuple):
    """One command, and what it printed, its exit code as the last line where it is not 0."""

    before: list[str]
    command: list[str]
    printed: list[str]


def blocks(text: str) -> list[Block]:
    """The blocks of a transcript."""
    found: list[Block] = []
    before: list[str] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Block(before, [line[2:]], []))
            before = []
        elif line.startswith("> ") and found and not found[-1].printed:
            found[-1].command.append(line[2:])
        elif line.startswith("#") or (before and not line):
            before.append(line)
        elif found:
            found[-1].printed.append(line)
    return [block._replace(printed=_stripped(block.printed)) for block in found]


def _stripped(lines: list[str]) -> list[str]:
    return "\n".join(lines).strip("\n").splitlines()


@pytest.fixture
def folder(tmp_path: Path, fork_server: ForkServer) -> Path:
    """A copy of the examples, a program called hookline, and an empty home."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "home").mkdir()
    (tmp_path / "bin").mkdir()
    fork_server.write_program(tmp_path / "bin" / "hookline")
    return tmp_path


def run(command: list[str], folder: Path) -> list[str]:
    """What a command prints, with placeholders, and its exit code unless it is 0."""
    environ = {
        "HOME": str(folder / "home"),
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "LANG": "C.UTF-8",
        "COLUMNS": "100",
    }
    done = subprocess.run(
        ["bash", "-c", "\n".join(command)],  # noqa: S607 - the bash on the user's PATH
        cwd=folder / "examples",
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
    )
    text = done.stdout.decode("utf-8", "backslashreplace").replace(str(folder), "<TMP>")
    lines = _stripped([line.rstrip() for line in _TIME.sub("<TIME>", text).splitlines()])
    return [*lines, f"[exit {done.returncode}]"] if done.returncode else lines


def matches(printed: list[str], expected: list[str]) -> bool:
    """Whether what was printed is what was expected; `...` covers any lines."""
    pattern = "".join(
        "(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in expected
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_transcript_is_what_a_person_sees(path: Path, folder: Path) -> None:
    """Each command prints what the transcript says, and ends as it says."""
    played = [
        (block, run(block.command, folder)) for block in blocks(path.read_text(encoding="utf-8"))
    ]
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        path.write_text(_written(played), encoding="utf-8")

    for block, printed in played:
        if not os.environ.get("UPDATE_TRANSCRIPTS"):
            assert matches(printed, block.printed), _difference(block, printed)


def _written(played: list[tuple[Block, list[str]]]) -> str:
    parts = []
    for block, printed in played:
        kept = block.printed if block.printed and matches(printed, block.printed) else printed
        first, *rest = block.command
        parts.append(
            "\n".join([*block.before, f"$ {first}", *(f"> {line}" for line in rest), *kept]).strip(
                "\n"
            )
            + "\n"
        )
    return "\n".join(parts)


def _difference(block: Block, printed: list[str]) -> str:
    return "\n".join(
        ["$ " + block.command[0], "--- expected", *block.printed, "--- printed", *printed]
    )


def test_every_command_has_a_transcript() -> None:
    """There is at least one transcript for each command of the help."""
    from hookline.cli.commands import COMMANDS  # noqa: PLC0415 - only this test needs it

    typed = "\n".join(
        line
        for path in TRANSCRIPTS
        for block in blocks(path.read_text(encoding="utf-8"))
        for line in block.command
    )

    assert [name for name in COMMANDS if f"hookline {name}" not in typed] == []
