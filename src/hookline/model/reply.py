"""Reply: a decision as a host expects it."""

from __future__ import annotations

from hookline.model.frozen import Frozen


class Reply(Frozen):
    """What a command hook of that host would print, and its exit code."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0
