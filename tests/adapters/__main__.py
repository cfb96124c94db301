"""`python -m tests.adapters`: play every adapter in its framework, oldest and latest release."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.adapters.plays import OWN, PLAYS
from tests.hosts.packages import cache_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[2]
_SECONDS = 900


class Framework(NamedTuple):
    """A driver of `tests/adapters/drivers`, the extra that installs its framework, the pins."""

    driver: str
    extra: str
    oldest: str


FRAMEWORKS = (
    Framework("pydantic_ai", "pydantic-ai", "pydantic-ai-slim==2.62.0"),
    Framework("claude_agent_sdk", "claude-agent-sdk", "claude-agent-sdk==0.2.186"),
    Framework("langchain", "langchain", "langchain==1.4.7"),
    Framework("openai_agents", "openai-agents", "openai-agents==0.24.0"),
)


class Column(NamedTuple):
    """The plays in one release, run in one way: name of a play -> `ok`, `skipped` or `failed`."""

    title: str
    cells: dict[str, str]
    lines: tuple[str, ...]  # faults; `tests/adapters/limits.py` says why a play is skipped


def main(words: Sequence[str] | None = None) -> int:
    """Play the chosen frameworks; return 1 if a play failed, or a release could not be played."""
    parser = argparse.ArgumentParser(prog="python -m tests.adapters", description=__doc__)
    parser.add_argument("drivers", nargs="*", help="names of drivers; default: all")
    given = parser.parse_args(words)
    columns = [
        column
        for framework in FRAMEWORKS
        if not given.drivers or framework.driver in given.drivers
        for pin in (framework.oldest, "")
        for column in play_release(framework, pin)
    ]
    print_table(columns)
    return int(any(not each.cells or "failed" in each.cells.values() for each in columns))


def play_release(framework: Framework, pin: str) -> list[Column]:
    """Play in one release, `pin` or the latest one; return a column for each way to run."""
    title = f"{framework.driver} {pin.partition('==')[2] or 'latest'}"
    print(title, flush=True)
    try:
        python = install_release(framework.extra, pin)
    except (OSError, subprocess.SubprocessError) as error:
        text = getattr(error, "stderr", "") or str(error)
        return [Column(title, {}, (f"not run: {text.strip()[-400:]}",))]
    done = subprocess.run(
        [python, "-m", "tests.adapters.play", framework.driver],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    version, *rows = [
        json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")
    ] or [{}]
    if done.returncode or not rows:
        return [Column(title, {PLAYS[0].name: "failed"}, (done.stderr.strip()[-800:],))]
    return [
        _read_column(f"{framework.driver} {version['version']} {way}", [*played])
        for way, played in groupby(rows, key=itemgetter("way"))
    ]


def _read_column(title: str, rows: Sequence[dict[str, Any]]) -> Column:
    cells, lines = {}, []
    for row in rows:
        cells[row["play"]] = "skipped" if row["skip"] else "failed" if row["faults"] else "ok"
        lines += [f"{row['play']}: {text}" for text in row["faults"]]
    return Column(title, cells, tuple(lines))


def install_release(extra: str, pin: str) -> str:
    """Return the Python of an environment with hookline, an extra, and a pinned release."""
    folder = cache_folder().parent / "agent-frameworks" / (pin or f"{extra}-latest")
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if uv is None:
        raise FileNotFoundError("`uv` is not installed")
    python = str(folder / "bin/python")
    if not Path(python).exists():
        _run(uv, "venv", "--quiet", "--python", sys.executable, str(folder))
    wanted = ["--upgrade-package", pin.partition("==")[0]] if pin else ["--upgrade"]
    packages = ["-e", f"{ROOT}[{extra}]", *([pin] if pin else [])]
    _run(uv, "pip", "install", "--quiet", "--python", python, *wanted, *packages)
    return python


def _run(*words: str) -> None:
    subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS, check=True)


def print_table(columns: Sequence[Column]) -> None:
    """Print a row for each release, and a column for each play."""
    width = max(len(column.title) for column in columns)
    names = [*(play.name for play in PLAYS), OWN]
    for number, name in enumerate(names):
        print(f"{'':{width}} {'|   ' * number}{name}")
    for column in columns:
        marks = {"ok": "ok", "skipped": "--", "failed": "NO", "": ".."}
        cells = "  ".join(marks[column.cells.get(name, "")] for name in names)
        print(f"{column.title:{width}} {cells}")
    for column in columns:
        for line in column.lines:
            print(f"{column.title}: {line}")


if __name__ == "__main__":
    raise SystemExit(main())
