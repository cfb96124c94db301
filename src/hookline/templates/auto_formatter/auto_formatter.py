#!/usr/bin/env python3
"""Formats a file of the project after the agent wrote it, with the formatter of its language.

A formatter that is not installed is left out. Some of them run code of the project, such as
`prettier.config.js`: take their rows out if an agent that you do not trust may write there.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

# Endings -> commands, of which the first that is installed gets the path as its last argument.
FORMATTERS = {
    ".py .pyi": ("ruff format --quiet --force-exclude", "black --quiet"),
    ".js .cjs .mjs .jsx .ts .cts .mts .tsx .css .scss .vue": (
        "prettier --write --log-level=warn",
        "biome format --write",
    ),
    ".go": ("gofmt -w",),
    ".rs": ("rustfmt --edition=2021",),
    ".c .h .cc .cpp .cxx .hh .hpp": ("clang-format -i",),
    ".sh .bash": ("shfmt -w",),
    ".lua": ("stylua",),
    ".zig": ("zig fmt",),
    ".dart": ("dart format",),
    ".swift": ("swiftformat --quiet",),
    ".tf": ("terraform fmt",),
    ".toml": ("taplo fmt",),
}
SECONDS = 20
LONGEST = 1_000  # characters of what a formatter complains about


def main() -> None:
    """Format the file that the call wrote, and tell the agent if that changed it."""
    payload = json.load(sys.stdin)
    file = find_file(payload)
    command = find_formatter(file.suffix) if file else []
    if file is None or not command:
        return
    before = file.read_bytes()
    done = subprocess.run(
        [*command, str(file)],
        cwd=payload.get("cwd") or None,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        tail = done.stdout.decode(errors="replace").strip()[-LONGEST:]
        answer(f"`{command[0]}` cannot format {file.name}: {tail}")
    elif file.read_bytes() != before:
        answer(f"`{command[0]}` formatted {file.name}. Read it again before you edit it.")


def find_file(payload: dict[str, object]) -> Path | None:
    """Return the file that the call wrote; None if it lies outside of the project's folder."""
    given = payload.get("input")
    path = given.get("path") if isinstance(given, dict) else None
    if not isinstance(path, str):
        return None
    project = Path(str(payload.get("cwd") or ".")).resolve()
    file = (project / path).resolve()
    return file if file.is_relative_to(project) and file.is_file() else None


def find_formatter(suffix: str) -> list[str]:
    """Return the command for files with an ending; empty if there is none."""
    for endings, commands in FORMATTERS.items():
        if suffix and suffix in endings.split():
            installed = (line.split() for line in commands if shutil.which(line.split()[0]))
            return next(installed, [])
    return []


def answer(text: str) -> None:
    """Tell the agent something."""
    print(json.dumps({"for_agent": text}))


if __name__ == "__main__":
    main()
