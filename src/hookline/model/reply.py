"""Reply: a decision in a host's own words."""

from __future__ import annotations

from hookline.model.frozen import Frozen


class Reply(Frozen):
    """What a command hook of that host would print, and the exit code it would end with."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0
