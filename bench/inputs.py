"""Large inputs: `hookline answer` with files of unusual size or shape, beside a bare Python.

Run it as `python -m bench.inputs`. A host waits for the answer before each action and goes on
without it after a limit, so no file may make the answer slow: each input must be answered in less
than one second.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.measure import options, table, wait_for_quiet
from bench.startup import CLAUDE_CODE, FLOOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_LIMIT = 1.0  # seconds an answer may take
_GIVE_UP = 120.0  # seconds after which a run is ended
_LARGEST_FILE = 1 << 20  # bytes of a file of hooks
_FOLDER_NAME = "d"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One call of `hookline answer`: its words, its working folder, and what the host sends."""

    words: Sequence[str]
    cwd: Path
    payload: str = json.dumps(CLAUDE_CODE.payload)


# -- the inputs ------------------------------------------------------------------------------------


def dotted_key(home: Path) -> Iterator[Run]:
    """A Codex configuration with one dotted key of 100,000 parts."""
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text(".".join(["a"] * 100_000) + " = 1\n")
    yield Run(words=["codex"], cwd=home)
    yield Run(words=["codex", "--config", str(file)], cwd=home)


def dotted_keys(home: Path) -> Iterator[Run]:
    """A Codex configuration with 5,000 dotted keys of 100 parts, half of them tables."""
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    deep = ".".join(["a"] * 99)
    tables = [f"[t{at}.{deep}]\nx = 1" for at in range(2_500)]
    file.write_text("\n".join([f"k{at}.{deep} = 1" for at in range(2_500)] + tables) + "\n")
    yield Run(words=["codex"], cwd=home)
    yield Run(words=["codex", "--config", str(file)], cwd=home)


def deep_folder(home: Path) -> Iterator[Run]:
    """A working folder 1,900 levels below the home."""
    file = _settings(home, [{"matcher": "Write", "hooks": [_command("true")]}])
    cwd = home.joinpath(*[_FOLDER_NAME] * 1_900)
    subprocess.run(["mkdir", "-p", str(cwd)], check=True)
    payload = json.dumps({**CLAUDE_CODE.payload, "cwd": str(cwd)})
    yield Run(words=["claude-code"], cwd=cwd, payload=payload)
    yield Run(words=["claude-code", "--config", str(file)], cwd=cwd, payload=payload)


def missing_programs(home: Path) -> Iterator[Run]:
    """3,000 hooks for other tools whose program is missing."""
    groups = [
        {"matcher": f"Tool{at}", "hooks": [_command(f"./missing-{at}.sh --check")]}
        for at in range(3_000)
    ]
    file = _settings(home, groups)
    yield Run(words=["claude-code"], cwd=home)
    yield Run(words=["claude-code", "--config", str(file)], cwd=home)


def hook_folders(home: Path) -> Iterator[Run]:
    """20,000 folders with a HOOK.md."""
    hooks = home / ".config" / "agents" / "hooks"
    for at in range(20_000):
        folder = hooks / f"hook-{at}"
        folder.mkdir(parents=True)
        (folder / "HOOK.md").write_text(
            f"---\nname: hook-{at}\ndescription: one of many\nhooks:\n  - event: tool.pre\n---\n"
        )
    yield Run(words=["claude-code"], cwd=home)
    yield Run(words=["claude-code", "--config", str(hooks), "--dialect", "agenthooks"], cwd=home)


def large_files(home: Path) -> Iterator[Run]:
    """30 files of 3 MB, each with 30,000 hooks for other tools."""
    folder = home / ".copilot" / "hooks"
    folder.mkdir(parents=True)
    entry = {"type": "command", "bash": "true", "matcher": "edit", "comment": "x" * 40}
    text = json.dumps({"version": 1, "hooks": {"preToolUse": [entry] * 31_000}})
    for at in range(30):
        (folder / f"{at}.json").write_text(text)
    yield Run(words=["copilot"], cwd=home, payload=json.dumps(_COPILOT))
    yield Run(words=["copilot", "--config", str(folder)], cwd=home, payload=json.dumps(_COPILOT))


def large_expressions(home: Path) -> Iterator[Run]:
    """About 14,000 matchers, as many as a file may hold, that compile to large programs."""
    groups: list[dict[str, object]] = []
    left = _LARGEST_FILE - 100  # bytes for what stands around the groups
    while left > 0:
        group = {"matcher": f"x{len(groups)}(a?){{500}}", "hooks": [_command("true")]}
        left -= len(json.dumps(group)) + 2
        groups.append(group)
    file = _settings(home, groups[:-1])
    yield Run(words=["claude-code"], cwd=home)
    yield Run(words=["claude-code", "--config", str(file)], cwd=home)


INPUTS: Mapping[str, Callable[[Path], Iterator[Run]]] = {
    "a key of 100,000 parts": dotted_key,
    "5,000 keys of 100 parts": dotted_keys,
    "1,900 folders deep": deep_folder,
    "3,000 missing programs": missing_programs,
    "20,000 HOOK.md": hook_folders,
    "30 files of 3 MB": large_files,
    "14,000 large expressions": large_expressions,
}

_COPILOT = {"sessionId": "s", "timestamp": 1, "cwd": "/", "toolName": "bash", "toolArgs": "{}"}


def _command(line: str) -> dict[str, str]:
    return {"type": "command", "command": line}


def _settings(home: Path, groups: Sequence[Mapping[str, object]]) -> Path:
    """The user's settings of Claude Code with these groups of one event."""
    file = home / CLAUDE_CODE.settings
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"hooks": {CLAUDE_CODE.event: groups}}))
    return file


# -- measuring -------------------------------------------------------------------------------------


def seconds(argv: Sequence[str], run: Run, environ: Mapping[str, str], rounds: int) -> float:
    """The shortest time of a process, from start to end.

    `inf` where it was ended for taking too long.
    """
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        try:
            subprocess.run(
                argv, input=run.payload, text=True, cwd=run.cwd, env=environ, check=False,
                capture_output=True, timeout=_GIVE_UP,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return float("inf")
        taken.append(time.perf_counter() - began)
    return min(taken)


def measured(names: Sequence[str], rounds: int) -> list[list[str]]:
    """A row for each input, with the user's files and with named ones."""
    rows = [["input", "files", "seconds", "x floor", ""]]
    for name in names:
        with _emptied_home() as home:
            environ = {**_without_places(), "HOME": str(home)}
            for run in INPUTS[name](home):
                floor = seconds(
                    [sys.executable, "-c", "pass"], Run(words=[], cwd=home), environ, rounds
                )
                argv = [sys.executable, "-m", "hookline", "answer", *run.words]
                took = seconds(argv, run, environ, rounds)
                rows.append(
                    [
                        name,
                        "named" if "--config" in run.words else "the user's",
                        f"{took:.2f}",
                        f"{took / floor:.1f}x",
                        "met" if took < _LIMIT else "MISSED",
                    ]
                )
    return rows


@contextmanager
def _emptied_home() -> Iterator[Path]:
    """A new home, removed by `rm`, because `shutil.rmtree` calls itself once a level."""
    home = Path(tempfile.mkdtemp(prefix="hookline-bench-"))
    try:
        yield home
    finally:
        subprocess.run(["rm", "-rf", str(home)], check=True)


def _without_places() -> dict[str, str]:
    """The environment without variables that lead to the files of the person who runs this."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("XDG_", "HOOKLINE", "CLAUDE", "CODEX", "COPILOT"))
        and name != "PYTHONDONTWRITEBYTECODE"
    }


def main() -> int:
    """Measure, print, and return the exit code."""
    made = options("Answers to inputs of an unusual size or shape.", rounds=3)
    made.add_argument("names", nargs="*", metavar="INPUT", help=f"of {', '.join(INPUTS)}")
    given = made.parse_args()
    busy = wait_for_quiet(given.wait)
    rows = measured(given.names or list(INPUTS), given.rounds)
    missed = any(row[-1] == "MISSED" for row in rows[1:])
    if given.json:
        head = ("input", "files", "seconds", "ratio", "judged")
        answers = [dict(zip(head, row, strict=True)) for row in rows[1:]]
        print(json.dumps({"benchmark": "inputs", "floor": FLOOR, "cases": answers}, indent=2))
    else:
        print("\n".join((*([f"! {busy}"] if busy else []), *table(rows))))
    return 1 if given.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
