"""One command hook through hookline, beside a spawn, subprocess and asyncio.

Run it as `python -m bench.command`. The programs: a static C hook, which shows what the runner
itself costs; shell text; and an interpreter, which hides everything.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import hooks
from bench.measure import (
    Case,
    Goal,
    Report,
    awaits,
    calls,
    finish,
    options,
    rounds_of,
    wait_for_quiet,
)
from hookline.handlers.process import Program, run_all
from hookline.model.spec import Command

if TYPE_CHECKING:
    from collections.abc import Sequence

SHELL_TEXT = "cat >/dev/null; echo '{}'"
NOTHING = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
GAP = 0.004  # hooks start in a process that was idle


def bare_spawn(argv: Sequence[str]) -> None:
    """Start a program without a single pipe, and wait for its end."""
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=NOTHING)
    os.waitpid(pid, 0)


async def through_asyncio(argv: Sequence[str], sent: bytes) -> None:
    pipe = subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*argv, stdin=pipe, stdout=pipe, stderr=pipe)  # noqa: TID251 - it is what we compare with
    await process.communicate(sent)


def cases_of(
    label: str, argv: Sequence[str], command: Command, loop: asyncio.AbstractEventLoop
) -> list[Case]:
    """Every way to run one program, the same bytes sent to each."""
    sent, event, engine = hooks.payload(command), hooks.event(), hooks.engine(command)
    program = Program(argv=tuple(argv), stdin=sent, cwd="/", env=dict(os.environ), timeout=30.0)
    ways = {
        "posix_spawn + waitpid, no pipes": calls(bare_spawn, argv),
        "subprocess.run": calls(
            lambda: subprocess.run(argv, input=sent, capture_output=True, check=False)
        ),
        "asyncio.create_subprocess_exec": awaits(loop, through_asyncio, argv, sent),
        "hookline run_all": calls(run_all, [program]),
        "hookline engine.fire": calls(engine.fire, event),
        "hookline engine.fire_async": awaits(loop, engine.fire_async, event),
    }
    floor = f"{label}: subprocess.run"
    return [
        Case(
            name=f"{label}: {way}",
            sample=sample,
            floor="" if way == "subprocess.run" else floor,
            heading=" ".join(argv),
        )
        for way, sample in ways.items()
    ]


def peers(program: str, loop: asyncio.AbstractEventLoop, notes: list[str]) -> list[Case]:
    """The runners of other Python engines, which take a text for a shell, on the small program."""
    found: dict[str, Any] = {}
    if _installed("kimi_cli", "kimi-cli", notes):
        from kimi_cli.hooks.runner import run_hook  # noqa: PLC0415 - a peer

        found["kimi-cli run_hook"] = awaits(loop, run_hook, program, {"tool_name": "shell"})
    if _installed("openhands", "openhands-sdk", notes):
        os.environ |= {"OPENHANDS_SUPPRESS_BANNER": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        from openhands.sdk.hooks.config import HookDefinition  # noqa: PLC0415 - a peer
        from openhands.sdk.hooks.executor import HookExecutor  # noqa: PLC0415 - a peer
        from openhands.sdk.hooks.types import HookEvent, HookEventType  # noqa: PLC0415 - a peer

        event = HookEvent(event_type=HookEventType.PRE_TOOL_USE, tool_name="shell")
        found["openhands HookExecutor"] = calls(
            HookExecutor(working_dir="/").execute, HookDefinition(command=program), event
        )
    floor = "C: subprocess.run"
    return [
        Case(
            name=f"C: {name}",
            sample=sample,
            floor=floor,
            heading="peers, the small program by a shell",
        )
        for name, sample in found.items()
    ]


def _installed(module: str, pip: str, notes: list[str]) -> bool:
    if importlib.util.find_spec(module) is not None:
        return True
    notes.append(f"{module} is not installed (pip install {pip})")
    return False


def waiting() -> list[Case]:
    """Hooks that do nothing for 50 ms, one and eight of them."""
    heading, command = "sleep 0.05", Command(argv=("sleep", "0.05"))
    one, eight = (calls(hooks.engine(command, times=times).fire, hooks.event()) for times in (1, 8))
    return [
        Case(name="1 waiting hook", sample=one, heading=heading),
        Case(name="8 waiting hooks at once", sample=eight, floor="1 waiting hook", heading=heading),
    ]


GOALS = (
    Goal(
        text="8: engine.fire against subprocess.run, static C",
        case="C: hookline engine.fire",
        against="C: subprocess.run",
        target=1.3,
        bound=2,
    ),
    Goal(
        text="9: engine.fire against posix_spawn, static C",
        case="C: hookline engine.fire",
        against="C: posix_spawn + waitpid, no pipes",
        target=2.2,
        bound=3.5,
    ),
    Goal(
        text="10: engine.fire against subprocess.run, Python",
        case="python: hookline engine.fire",
        against="python: subprocess.run",
        target=1.05,
        bound=1.15,
    ),
    Goal(
        text="15: 8 waiting hooks against 1",
        case="8 waiting hooks at once",
        against="1 waiting hook",
        target=1.25,
        bound=1.6,
    ),
)


def main() -> int:
    """Measure, print, and return the exit code."""
    given = options(
        "One command hook: hookline beside bare spawns of the same program.", rounds=60
    ).parse_args()
    busy = wait_for_quiet(given.wait)
    notes: list[str] = []
    # A hook's shell text is what we measure.
    in_shell = Command(script=SHELL_TEXT, shell=("sh",))  # noqa: S604
    loop = asyncio.new_event_loop()
    with tempfile.TemporaryDirectory(prefix="hookline-bench-") as folder:
        small = hooks.static_program(Path(folder), notes)
        cases = [
            *cases_of("C", (small,), Command(argv=(small,)), loop),
            *cases_of("shell", ("/bin/sh", "-c", SHELL_TEXT), in_shell, loop),
            *cases_of(
                "python",
                (sys.executable, "-c", "pass"),
                Command(argv=(sys.executable, "-c", "pass")),
                loop,
            ),
            *peers(small, loop, notes),
            *waiting(),
        ]
        results = rounds_of(cases, rounds=given.rounds, batch=0, gap=GAP)
    loop.close()
    return finish(
        Report(name="command", unit="ms", results=results, goals=GOALS, notes=notes), given, busy
    )


if __name__ == "__main__":
    sys.exit(main())
