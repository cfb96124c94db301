"""The dialect is imported at every tool call of a host, so what it drags along is counted."""

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
}


@pytest.mark.process
def test_importing_the_dialect_loads_nothing_heavy() -> None:
    """`hookline answer codex` must start in under three times an empty Python."""
    code = "import sys; import hookline.dialects.codex; print(' '.join(sys.modules))"
    source = str(Path(hookline.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = [{source!r}]; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert HEAVY & set(done.stdout.split()) == set()
