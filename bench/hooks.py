"""What the process benchmarks share: engines with command hooks, an event, a C program."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import hookline
from hookline.engine.catalog import make_dialect

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.handlers.process import Limits
    from hookline.model.spec import Command

DIALECT, NATIVE, KIND = "docker-agent", "pre_tool_use", "tool.before"
# Profile d1 starts the hooks of one event at once.
_OPTIONS = {"profile": "d1"}

# A hook as small as one can be: reads its event, has no opinion. Interpreters hide every mistake of
# a runner.
_SOURCE = r"""
#include <unistd.h>
int main(void) {
    char buffer[65536];
    while (read(0, buffer, sizeof buffer) > 0) {}
    return write(1, "{}\n", 3) == 3 ? 0 : 1;
}
"""


def event(size: int = 1000, cwd: str = "/") -> hookline.Event:
    """A shell call whose command has so many characters."""
    body = hookline.ToolCall(tool="shell", input={"command": "x" * size}, call_id="1")
    return hookline.Event(
        kind=KIND, dialect=DIALECT, native_name=NATIVE, session_id="bench", cwd=cwd, body=body
    )


def engine(
    command: Command,
    *,
    times: int = 1,
    timeout: float = 30.0,
    limits: Limits | None = None,
    supervised: bool = False,
) -> hookline.Engine:
    """An engine with so many equal command hooks, as docker-agent's loader would have made them."""
    made = hookline.Engine(cwd="/", limits=limits, supervised=supervised)
    specs = [
        hookline.HookSpec(
            id=f"bench#{at}",
            dialect=DIALECT,
            kind=KIND,
            native_event=NATIVE,
            handler=command,
            timeout=timeout,
        )
        for at in range(times)
    ]
    registry = made.registry.with_(specs, make_dialect(DIALECT, _OPTIONS))
    made.loader.snapshot = made.loader.snapshot.replace(registry=registry)
    return made


def payload(command: Command) -> bytes:
    """The bytes that the engine sends to that hook."""
    spec = hookline.HookSpec(
        id="bench#0", dialect=DIALECT, kind=KIND, native_event=NATIVE, handler=command
    )
    return make_dialect(DIALECT, _OPTIONS).encode_event(event(), spec).encode()


def static_program(folder: Path, notes: list[str]) -> str:
    """The path of the small hook, compiled here and now.

    Without a compiler `/bin/true`, and a note.
    """
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        notes.append(
            "no C compiler: /bin/true replaces the static program, and half of its time is "
            "the dynamic loader"
        )
        return "/bin/true"
    source, program = folder / "hook.c", folder / "hook"
    source.write_text(_SOURCE)
    subprocess.run([compiler, "-static", "-Os", "-s", "-o", str(program), str(source)], check=True)
    return str(program)
