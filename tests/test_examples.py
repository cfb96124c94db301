"""Every example that the demonstration runs decides as it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.process
def test_the_demonstration_is_as_expected() -> None:
    """All of its verdicts, on the real engine."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "demo.py")],
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    count = done.stdout.strip().splitlines()[-1].split()
    assert count[0] == count[2]
