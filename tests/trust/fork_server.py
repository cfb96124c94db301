"""Fork server: loads hookline once and forks for each command, so that a command starts fast.

A child has what a process of its own has: its arguments, environment, folder, standard streams and
caches.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import pkgutil
import select
import subprocess
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# What hookline loads late, and is loaded before the first fork here, with all modules of its own.
_LOADED_LATE = (
    "http.client", "re2", "sqlite3", "tree_sitter_bash", "uvicorn",
    "uvicorn.protocols.http.h11_impl",
)  # fmt: skip
# What no command here needs: a fork of a small process is a fast one.
_LARGE = ("hookline.handlers.model_hook", "hookline.remote.")
HOOKLINE = "from hookline.__main__ import main; main()"


class Done(NamedTuple):
    """What a command wrote, and its exit code."""

    returncode: int
    stdout: str
    stderr: str


class ForkServer:
    """The server, as tests see it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def run(
        self,
        code: str,
        words: tuple[str, ...],
        *,
        folder: Path,
        environ: Mapping[str, str],
        sent: str,
        scratch: Path,
        seconds: float,
    ) -> Done:
        """Run Python code in a process with these arguments, and wait until it ends.

        `scratch`: a folder for its standard streams.

        Raises:
            subprocess.TimeoutExpired: it has not ended within `seconds`.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        (scratch / "stdin").write_text(sent, "utf-8")
        request = {
            "code": code, "words": words, "folder": str(folder), "environ": dict(environ),
            "scratch": str(scratch),
            "seconds": seconds,
        }  # fmt: skip
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        status = json.loads(self._process.stdout.readline())
        if status is None:
            raise subprocess.TimeoutExpired(list(words), seconds)
        out, err = ((scratch / name).read_text("utf-8", "replace") for name in ("stdout", "stderr"))
        return Done(os.waitstatus_to_exitcode(status), out, err)

    def close(self) -> None:
        """End the server."""
        with self._process:
            assert self._process.stdin is not None
            self._process.stdin.close()


def _serve() -> None:
    """Answer requests, one a line, until there are no more."""
    import hookline  # noqa: PLC0415 - in the server only

    own = [
        found.name
        for found in pkgutil.walk_packages(hookline.__path__, "hookline.")
        if not found.name.startswith(_LARGE)
    ]
    for name in (*own, *_LOADED_LATE):
        import_module(name)
    gc.freeze()
    requests, replies = os.dup(0), os.dup(1)
    with os.fdopen(requests, "rb", 0) as lines, os.fdopen(replies, "wb", 0) as statuses:
        for line in lines:
            request = json.loads(line)
            pid = os.fork()
            if not pid:
                os.close(requests)
                os.close(replies)
                _become(request)
            statuses.write(json.dumps(_wait_for(pid, request["seconds"])).encode() + b"\n")


def _wait_for(pid: int, seconds: float) -> int | None:
    """The status of a child; None where it had to be killed."""
    watched = os.pidfd_open(pid)
    in_time = select.select([watched], [], [], seconds)[0]
    os.close(watched)
    if not in_time:
        os.kill(pid, 9)
    status = os.waitpid(pid, 0)[1]
    return status if in_time else None


def _become(request: Mapping[str, Any]) -> None:
    """Run the code of a request in this process, and end."""
    code = 1
    try:
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            flags = os.O_CREAT | os.O_TRUNC | os.O_WRONLY if number else os.O_RDONLY
            opened = os.open(os.path.join(request["scratch"], name), flags, 0o600)
            os.dup2(opened, number)
            os.close(opened)
        sys.stdin, sys.stdout, sys.stderr = (
            # Until it ends.
            open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115
            for number in range(3)
        )
        os.environ.clear()
        os.environ.update(request["environ"])
        os.chdir(request["folder"])
        sys.argv = ["hookline", *request["words"]]
        exec(request["code"], {"__name__": "__main__"})  # noqa: S102 - of the tests
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else bool(ended.code)
    except BaseException:  # noqa: BLE001 - as Python does it
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
