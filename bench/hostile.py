"""Hostile hooks: the time until the engine returns, surviving processes, and memory.

Run it as `python -m bench.hostile`. Rows 1 to 6 and 12 of docs/explanation/security.md 2, each in a
fresh process, through the engine; row 13 through commands that are killed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import hooks
from bench.measure import machine, options, table, wait_for_quiet
from hookline.handlers.process import Limits
from hookline.model.spec import Command

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT, GRACE, SLACK = 1.0, 1.0, 0.25  # seconds
GROWTH, GROWTH_BOUND, LATE_BOUND = 16.0, 32.0, 1.0  # MB, MB, and seconds instead of SLACK
AT_ONCE = 0.35  # an orphan that holds stdout may cost the drain of 0.1 s and the slack
MARK = "HOOKLINE_BENCH_HOSTILE"
_SETTLE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One hostile hook.

    `script` is shell text; whatever it leaves behind writes its pid into `$PIDS`.

    `ends`: seconds in which the engine must be back. `says`: how the verdict's fault begins; empty
    for no fault. `open`: why something may be left, where nothing can be done about it yet.
    `command`: the command of hookline that asks the hook and is killed while the hook runs, instead
    of the engine in a process of its own.
    """

    number: str
    title: str
    script: str
    ends: float
    says: str = ""
    size: int = 100
    open: str = ""
    command: tuple[str, ...] = ()


# What is started in the background; only when it runs does the hook exit.
_SLEEPER = """#!/bin/sh
echo $$ >> "$PIDS"
exec sleep 60
"""
_UP = 'while [ ! -s "$PIDS" ]; do sleep 0.01; done'
_TIMED_OUT = "timed out"
_KILLED = "the engine was killed"

ROWS = (
    Row(
        number="1",
        title="exits, its grandchild keeps stdout",
        script=f'"$SLEEPER" & {_UP}; echo "{{}}"',
        ends=AT_ONCE,
    ),
    Row(
        number="2",
        title="sleeps",
        script='"$SLEEPER"; echo no',
        ends=LIMIT + SLACK,
        says=_TIMED_OUT,
    ),
    Row(
        number="3",
        title="ignores SIGTERM",
        script="""trap '' TERM; echo $$ >> "$PIDS"; sleep 60; sleep 60; echo no""",
        ends=LIMIT + GRACE + SLACK,
        says=_TIMED_OUT,
    ),
    Row(
        number="4",
        title="its child has a session of its own",
        script='setsid "$SLEEPER" & wait',
        ends=LIMIT + GRACE + SLACK,
        says=_TIMED_OUT,
    ),
    Row(
        number="5",
        title="endless output",
        script="yes",
        ends=LIMIT + GRACE + SLACK,
        says="exceeded",
    ),
    Row(
        number="6",
        title="never reads an event of 5 MB",
        script="exec true",
        ends=AT_ONCE,
        size=5_000_000,
    ),
    Row(
        number="12a", title="setsid, then exits", script=f'setsid "$SLEEPER" & {_UP}', ends=AT_ONCE
    ),
    Row(
        number="12b",
        title="double fork and setsid",
        script=f"""(setsid sh -c '"$SLEEPER" & exit' &); {_UP}""",
        ends=AT_ONCE,
    ),
    Row(number="12c", title="nohup", script=f'nohup "$SLEEPER" & {_UP}', ends=AT_ONCE),
    Row(
        number="12d",
        title="setsid, lets go of every pipe",
        script=f'setsid "$SLEEPER" >/dev/null 2>&1 </dev/null & {_UP}',
        ends=AT_ONCE,
    ),
    Row(
        number="12e",
        title="setsid, empty environment",
        script=f'setsid env -i PIDS="$PIDS" "$SLEEPER" & {_UP}',
        ends=AT_ONCE,
    ),
    Row(
        number="12f",
        title="both of these",
        script=f'setsid env -i PIDS="$PIDS" "$SLEEPER" >/dev/null 2>&1 </dev/null & {_UP}',
        ends=AT_ONCE,
    ),
    Row(
        number="13a",
        title="both of these, SIGKILL of `fire`",
        script=f'setsid env -i PIDS="$PIDS" "$SLEEPER" >/dev/null 2>&1 </dev/null & '
        f"{_UP}; sleep 60",
        ends=LIMIT + GRACE,
        says=_KILLED,
        command=("fire", "PreToolUse"),
    ),
    Row(
        number="13b",
        title="both of these, SIGKILL of `serve`",
        script=f'setsid env -i PIDS="$PIDS" "$SLEEPER" >/dev/null 2>&1 </dev/null & '
        f"{_UP}; sleep 60",
        ends=LIMIT + GRACE,
        says=_KILLED,
        command=("serve", "--unix"),
    ),
)


# -- one row, in a process of its own --------------------------------------------------------------


def perform(row: Row, pids: str, mark: str) -> dict[str, Any]:
    """Fire one event at the row's hook, and tell what that did to this process."""
    limits = Limits(grace=GRACE)
    event = hooks.event(row.size)
    hooks.engine(Command(argv=("true",)), limits=limits).fire(
        hooks.event()
    )  # everything is loaded before memory is looked at
    environment = {"PIDS": pids, "SLEEPER": _sleeper_beside(pids), MARK: mark}
    hook = Command(script=row.script, shell=("sh",), env=environment, kill_leftovers=True)  # noqa: S604 - a hook's shell text
    engine = hooks.engine(hook, timeout=LIMIT, limits=limits, supervised=True)
    before = _forget_peak()
    began = time.perf_counter()
    verdict = engine.fire(event).verdicts[0]
    seconds = time.perf_counter() - began
    return {
        "seconds": seconds,
        "fault": verdict.fault or "",
        "exit_code": verdict.exit_code,
        "growth": _peak() - before,
    }


def _sleeper_beside(pids: str) -> str:
    path = Path(pids).with_name("sleeper")
    path.write_text(_SLEEPER)
    path.chmod(0o755)
    return str(path)


def _forget_peak() -> float:
    Path("/proc/self/clear_refs").write_text("5")  # reset the high-water mark
    return _status("VmRSS")


def _peak() -> float:
    return _status("VmHWM")


def _status(name: str) -> float:
    line = next(
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name)
    )
    return int(line.split()[1]) / 1024


# -- what is left ----------------------------------------------------------------------------------


def left_of(pids: Path, mark: str) -> set[int]:
    """The live processes of a hook: those with its mark, and those that recorded their pid."""
    marked = {
        int(path.name)
        for path in Path("/proc").iterdir()
        if path.name.isdigit() and _has(path / "environ", f"{MARK}={mark}")
    }
    noted = {int(line) for line in pids.read_text().split()} if pids.exists() else set()
    return {pid for pid in marked | noted if _lives(pid)}


def _has(path: Path, text: str) -> bool:
    try:
        return text.encode() in path.read_bytes().split(b"\0")
    except OSError:
        return False


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


# -- the table -------------------------------------------------------------------------------------


def judged(row: Row, found: dict[str, Any]) -> str:
    """Whether a row meets goal 17; if not, why."""
    said = (
        found["fault"].startswith(row.says)
        if row.says
        else not found["fault"] and found["exit_code"] == 0
    )
    faults = {
        f"late by {found['seconds'] - row.ends:.2f} s": found["seconds"] > row.ends,
        f"{found['left']} left": found["left"] > 0,
        f"{found['growth']:.0f} MB": found["growth"] > GROWTH,
        f"said `{found['fault'] or found['exit_code']}`": not said,
    }
    missed = "; ".join(fault for fault, holds in faults.items() if holds)
    return f"open: {missed}, {row.open}" if missed and row.open else missed or "pass"


def beyond_bound(row: Row, found: dict[str, Any]) -> bool:
    """Whether a row misses even the looser limits of CI."""
    return (
        found["seconds"] > row.ends - SLACK + LATE_BOUND
        or (found["left"] > 0 and not row.open)
        or found["growth"] > GROWTH_BOUND
    )


def measured(row: Row, folder: Path) -> dict[str, Any]:
    """Run a row in a fresh interpreter, then look for what lives on, and end that."""
    pids, mark = folder / f"pids-{row.number}", os.urandom(8).hex()
    if row.command:
        return killed(row, folder, pids, mark)
    asked = [sys.executable, "-m", "bench.hostile", "--row", row.number, str(pids), mark]
    done = subprocess.run(
        asked, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=60, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found | {"left": ended(pids, mark)}


def ended(pids: Path, mark: str) -> int:
    """How many processes of a hook live on, after a moment; they are ended."""
    time.sleep(_SETTLE)
    left = left_of(pids, mark)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return len(left)


def killed(row: Row, folder: Path, pids: Path, mark: str) -> dict[str, Any]:
    """Kill a command while its hook runs, then look for processes that live on."""
    environment = {"PIDS": str(pids), "SLEEPER": _sleeper_beside(str(pids)), MARK: mark}
    words = " ".join(f"{name}='{value}'" for name, value in environment.items())
    hook = {"type": "command", "command": f"export {words}; {row.script}", "timeout": 60}
    settings = folder / "settings.json"
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}))
    payload = {"session_id": "s", "cwd": str(folder), "tool_name": "Bash", "tool_input": {}}
    event = folder / "event.json"
    socket = folder / "socket"
    serves = row.command[0] == "serve"
    event.write_text(
        json.dumps(
            {"event": "PreToolUse", "dialect": "claude-code", "payload": payload}
            if serves
            else payload
        )
    )
    own = [str(socket)] if serves else ["--input", str(event)]
    chosen = ["--dialect", "claude-code", "-c", str(settings)]
    quiet = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "hookline", *row.command, *own, *chosen], **quiet
    )
    _wait(lambda: not serves or socket.exists())
    ask = [
        "curl",
        "-s",
        "--unix-socket",
        str(socket),
        "-H",
        "content-type: application/json",
        "-d",
        f"@{event}",
    ]
    client = subprocess.Popen([*ask, "http://x/v1/fire"], **quiet) if serves else None
    _wait(lambda: pids.exists() and pids.read_text().strip())
    began = time.perf_counter()
    process.kill()
    process.wait()
    while left_of(pids, mark) and time.perf_counter() - began < row.ends:
        time.sleep(_SETTLE / 10)
    seconds = time.perf_counter() - began
    if client is not None:
        client.wait()
    return {
        "seconds": seconds,
        "fault": _KILLED,
        "exit_code": None,
        "growth": 0.0,
        "left": ended(pids, mark),
    }


def _wait(holds: Callable[[], object]) -> None:
    until = time.monotonic() + 10
    while not holds() and time.monotonic() < until:
        time.sleep(_SETTLE / 10)


def text(found: dict[Row, dict[str, Any]]) -> list[str]:
    """The rows as a table."""
    rows = [["row", "hook", "back after", "goal", "left", "memory", "outcome", ""]]
    for row, cells in found.items():
        outcome = cells["fault"] or f"exit {cells['exit_code']}"
        figures = [
            f"{cells['seconds']:.2f} s",
            f"<= {row.ends:.2f} s",
            str(cells["left"]),
            f"{cells['growth']:+.1f} MB",
        ]
        rows.append([row.number, row.title, *figures, outcome, judged(row, cells)])
    return table(rows)


def main() -> int:
    """Measure, print, and return the exit code.

    With `--row`, be the process in which one row happens.
    """
    made = options("Hostile hooks: time to return, processes left, memory.", rounds=1)
    made.add_argument(
        "--row", nargs=3, metavar=("NUMBER", "PIDS", "MARK"), help="(internal) perform one row here"
    )
    given = made.parse_args()
    if given.row:
        number, pids, mark = given.row
        print(json.dumps(perform(next(row for row in ROWS if row.number == number), pids, mark)))
        return 0
    busy = wait_for_quiet(given.wait)
    with tempfile.TemporaryDirectory(prefix="hookline-bench-") as folder:
        found = {row: measured(row, Path(folder)) for row in ROWS}
    if given.json:
        rows = [
            {"row": row.number, "hook": row.title, **cells, "judged": judged(row, cells)}
            for row, cells in found.items()
        ]
        print(
            json.dumps(
                {
                    "benchmark": "hostile",
                    "machine": machine(),
                    "notes": [busy] if busy else [],
                    "rows": rows,
                },
                indent=2,
            )
        )
    else:
        print(
            "\n".join(
                [
                    f"hostile: limit {LIMIT:g} s, grace {GRACE:g} s",
                    *([f"! {busy}"] if busy else []),
                    "",
                    *text(found),
                ]
            )
        )
    return 1 if given.check and any(beyond_bound(row, cells) for row, cells in found.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
