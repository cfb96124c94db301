#!/usr/bin/env python3
"""Sends the agent back to work while a command fails, if it edited files since the last success.

After an edit it leaves a mark for the session. When the agent wants to stop, it runs the command
that its arguments are. It is a script and no guard of hookline, so that an approval covers it and
the line that names the command.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

MOST_REDOS = 2  # of a turn; then the user gets a note
LONGEST = 3_000  # characters of the command's output


def main(command: list[str]) -> int:
    """Answer one event; return the exit code, of which 2 sends the agent back."""
    payload = json.load(sys.stdin)
    mark = find_mark(payload)
    if payload["event"] == "tool.after":
        mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        mark.touch(mode=0o600)
        return 0
    if not mark.exists():
        return 0
    marked = mark.stat().st_mtime_ns
    done = subprocess.run(
        command,
        cwd=payload.get("cwd") or None,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    line = " ".join(command)
    if done.returncode == 0:
        if mark.stat().st_mtime_ns == marked:  # nothing was edited while it ran
            mark.unlink()
        return 0
    if payload.get("stop_block_count", 0) >= MOST_REDOS:
        print(json.dumps({"for_user": f"`{line}` still fails; the agent has given up"}))
        return 0
    tail = done.stdout.decode(errors="replace")[-LONGEST:]
    print(f"`{line}` failed. Mend it before you stop. Its output ends:\n{tail}", file=sys.stderr)
    return 2


def find_mark(payload: dict[str, str]) -> Path:
    """Return the file that exists while edits of the session are not checked."""
    session = payload.get("session_id") or payload.get("cwd") or ""
    state = os.environ.get("XDG_STATE_HOME", "")
    base = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
    name = hashlib.sha256(session.encode(errors="replace")).hexdigest()[:24]
    return base / "hookline" / "completion_gate" / name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
