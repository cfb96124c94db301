"""A host imports its dialect at every tool call, so a dialect may import little."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import hookline

HEAVY = {
    "typing",
    "dataclasses",
    "re2",
    "ruamel",
    "wcmatch",
    "tree_sitter",
    "difflib",
    "pathlib",
    "inspect",
    "asyncio",
    "shlex",
}


# Every event of a host needs these files of its dialect; the others wait until a hook ran, or a
# person converts files.
FILES = ("load", "encode_decision")


@pytest.mark.process
@pytest.mark.parametrize(
    "dialect",
    [
        "claude_code",
        "cline",
        "codex",
        "copilot",
        "cursor",
        "gemini",
        "kimi",
        "openhands",
        "qwen",
    ],
)
def test_importing_a_dialect_loads_nothing_heavy(dialect: str) -> None:
    """`hookline answer` must start in under three times an empty Python."""
    folder = Path(hookline.__file__).parent / "dialects" / dialect
    there = [name for name in FILES if (folder / f"{name}.py").exists()]
    modules = ", ".join(f"hookline.dialects.{dialect}.{name}" for name in there)
    code = f"import sys; import {modules}; print(' '.join(sys.modules))"
    source = str(Path(hookline.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = [{source!r}]; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())

    assert HEAVY & loaded == set()
    assert (
        not {f"hookline.dialects.{dialect}.{name}" for name in ("decode_outcome", "export")}
        & loaded
    )
