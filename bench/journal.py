"""The journal: how long questions take of 256 MiB of records, as a ratio to a bare interpreter.

Run it as `python -m bench.journal`. The goal is less than a second for the newest denials.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hookline.journal.log_files import LogFiles

SIZE = 256 << 20
AT = "2026-11-21T10:00:00.000Z"
GOAL = 1.0  # seconds
ROUNDS = 5
QUESTIONS = (
    ("log --stance deny -n 20, all over", ["--stance", "deny", "-n", "20"]),
    ("log --stance halt -n 20, none there", ["--stance", "halt", "-n", "20"]),
    ("log -n 20", ["-n", "20"]),
)


def main() -> None:
    """Write a journal, ask each question, and print the times."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "journal"
        records = _write(journal)
        size = sum(path.stat().st_size for path in journal.iterdir())
        floor = _best([sys.executable, "-c", "pass"])
        print(f"{records} records, {size >> 20} MiB; python -c pass: {floor:.3f} s")
        for name, words in QUESTIONS:
            command = [sys.executable, "-m", "hookline", "log", "--path", str(journal), *words]
            seconds = _best(command)
            told = "ok" if seconds < GOAL else "OVER"
            print(f"{name:40} {seconds:.3f} s  {seconds / floor:5.1f}x  {told}")


def _write(folder: Path) -> int:
    """Write events with a run each until the journal is full; every thousandth denies."""
    trail = LogFiles(str(folder), keep_bytes=0, keep_days=0)
    number = written = 0
    while written < SIZE:
        batch = []
        for _ in range(500):
            number += 1
            stance = "deny" if number % 1000 == 0 else "silent"
            common = {"at": AT, "stance": stance, "reason": "a sentence of usual length " * 4}
            run = {"type": "run", "id": f"{number}.1", "event": str(number), "hook": "s.json#0"}
            event = {"type": "event", "id": str(number), "kind": "tool.before", "tool": "Bash"}
            batch += [run | common | {"source": "x" * 200}, event | common | {"cwd": "/p" * 100}]
        written = sum(path.stat().st_size for path in folder.iterdir()) if folder.is_dir() else 0
        trail.append(batch, at=AT)
    return 2 * number


def _best(command: list[str]) -> float:
    """Return the fastest of some runs, in seconds."""
    found = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        found.append(time.perf_counter() - began)
    return min(found)


if __name__ == "__main__":
    main()
