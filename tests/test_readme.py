"""The commands of the README and of the page on several hosts print what the page shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.transcripts.test_transcripts import Block, blocks, matches

if TYPE_CHECKING:
    from tests.fork_server import ForkServer

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[1]
_TYPED = re.compile(r"```console\n(.*?)```", re.DOTALL)
_PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
_TIME = re.compile(r"\b\d+\.\d+ m?s\b")


@pytest.fixture
def checkout(tmp_path: Path, fork_server: ForkServer) -> Path:
    """A copy of the examples, a program called hookline, and an empty home."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "home").mkdir()
    (tmp_path / "bin").mkdir()
    fork_server.write_program(tmp_path / "bin" / "hookline")
    return tmp_path


def run(command: list[str], folder: Path) -> tuple[str, int]:
    """What a command prints on both streams, without durations, and its exit code."""
    environ = {
        "HOME": str(folder / "home"),
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "LANG": "C.UTF-8",
        "COLUMNS": "200",
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
    )
    return _TIME.sub("<TIME>", done.stdout.decode("utf-8").strip("\n")), done.returncode


def printed(block: Block, folder: Path) -> list[str]:
    """What a block's command prints, as lines, with the exit code unless it is 0."""
    text, code = run(["bash", "-c", "\n".join(block.command)], folder)
    return [*text.splitlines(), *([f"[exit {code}]"] if code else [])]


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/several-hosts.md"])
def test_a_page_shows_what_its_commands_print(page: str, checkout: Path) -> None:
    """Each console block, in a copy of the examples."""
    text = _TIME.sub("<TIME>", (ROOT / page).read_text(encoding="utf-8"))
    typed = [block for part in _TYPED.findall(text) for block in blocks(part)]
    other = [
        "\n".join(["$ " + block.command[0], "--- page", *block.printed, "--- printed", *lines])
        for block in typed
        if not matches(lines := printed(block, checkout), block.printed)
    ]

    assert len(typed) > 2
    assert not other, "\n\n".join(other)


def test_the_python_of_the_readme_prints_its_comment(checkout: Path) -> None:
    """The comment behind the last line is what it prints."""
    (program,) = _PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))

    text, code = run([sys.executable, "-c", program], checkout)

    assert (text, code) == (program.rstrip().rpartition("  # ")[2], 0)
