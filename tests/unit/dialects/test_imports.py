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


@pytest.mark.process
@pytest.mark.parametrize("dialect", ["cline", "openhands", "qwen"])
def test_importing_a_dialect_loads_nothing_heavy(dialect: str) -> None:
    """`hookline answer` must start in under three times an empty Python."""
    code = f"import sys; import hookline.dialects.{dialect}; print(' '.join(sys.modules))"
    source = str(Path(hookline.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = [{source!r}]; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert HEAVY & set(done.stdout.split()) == set()
