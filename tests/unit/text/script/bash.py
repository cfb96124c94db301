"""Runs lines in a real bash that finds a few harmless programs only, and the marker `zap`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = (
    "bash", "sh", "env", "nohup", "timeout", "nice", "xargs", "base64", "cat", "rev", "tr", "sed",
    "tee", "basename", "stdbuf", "setsid",
)  # fmt: skip


class Bash:
    """A shell in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mark = folder / "mark"
        programs = folder / "bin"
        programs.mkdir()
        for name in PROGRAMS:
            found = shutil.which(name)
            if found:
                (programs / name).symlink_to(found)
        zap = programs / "zap"
        zap.write_text(f"#!{shutil.which('sh')}\nprintf x >> '{self._mark}'\n")
        zap.chmod(0o755)

    def runs_zap(self, line: str) -> bool:
        """Return whether bash runs `zap` when it runs a line."""
        self._mark.unlink(missing_ok=True)
        (self._folder / "in").write_text("1\n")
        for name in ("o", "s.sh", "nohup.out"):
            (self._folder / name).unlink(missing_ok=True)
        process = subprocess.Popen(
            [str(shutil.which("bash")), "--norc", "--noprofile", "-c", line],
            cwd=self._folder,
            env={"PATH": str(self._folder / "bin"), "HOME": str(self._folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return self._mark.exists()
