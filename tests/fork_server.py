"""Fork server: loads hookline once and forks for each command, so that a command starts fast.

A child has what a process of its own has: its arguments, environment, folder, standard streams and
caches.
"""

from __future__ import annotations

import contextlib
import gc
import marshal
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# What hookline loads late, and is loaded before the first fork here, with all modules of its own.
_LOADED_LATE = (
    "http.client", "re2", "rich.console", "sqlite3", "tree_sitter_bash",
    "uvicorn",
    "uvicorn.protocols.http.h11_impl",
)  # fmt: skip
# What no command here needs: a fork of a small process is a fast one.
_LARGE = ("hookline.adapters.", "hookline.handlers.model_hook", "hookline.remote.")
HOOKLINE = "from hookline.__main__ import main; main()"
_LARGEST = 1 << 17  # bytes of a request, of which the environment is most
# A program that has a command run by the server and ends as it does. A server takes signals, so it
# is a process of its own.
_PROGRAM = """#!{python} -IS
import _socket, marshal, posix, sys
words = sys.argv[1:]
if "serve" in words[:1]:
    posix.execv({python!r}, [{python!r}, "-m", "hookline", *words])
environ = {{key.decode(): value.decode() for key, value in posix.environ.items()}}
request = marshal.dumps(({code!r}, words, posix.getcwd(), environ))
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
server.connect({address!r})
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
server.sendmsg([request], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
code = posix.waitstatus_to_exitcode(int(server.recv(16)))
posix._exit(code if code >= 0 else 128 - code)
"""


class Done(NamedTuple):
    """What a command wrote, and its exit code."""

    returncode: int
    stdout: str
    stderr: str


class ForkServer:
    """The server, as tests see it."""

    def __init__(self, folder: Path) -> None:
        self._address = str(folder / "fork")
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(self._address)
            listener.listen()
            number = listener.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-I", __file__, str(number)],
                stdin=subprocess.PIPE, pass_fds=[number], cwd="/"
            )  # fmt: skip

    def hookline(
        self,
        *words: str,
        folder: Path,
        environ: Mapping[str, str],
        sent: bytes | str = b"",
        code: str = HOOKLINE,
        seconds: float = 60,
    ) -> Done:
        """Run hookline, or other Python code, with these arguments, and wait until it ends.

        Raises:
            TimeoutError: it has not ended within `seconds`; it has been killed.
        """
        request = marshal.dumps((code, list(words), str(folder), dict(environ)))
        with contextlib.ExitStack() as opened:
            streams = [opened.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            streams[0].write(sent.encode() if isinstance(sent, str) else sent)
            streams[0].seek(0)
            asked = opened.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
            asked.settimeout(seconds)
            asked.connect(self._address)
            socket.send_fds(asked, [request], [stream.fileno() for stream in streams])
            status = int(asked.recv(16))
            for stream in streams[1:]:
                stream.seek(0)
            out, err = (stream.read().decode("utf-8", "replace") for stream in streams[1:])
        return Done(os.waitstatus_to_exitcode(status), out, err)

    def write_program(self, path: Path) -> None:
        """Write a program that does what `python -m hookline` does."""
        text = _PROGRAM.format(python=sys.executable, code=HOOKLINE, address=self._address)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def close(self) -> None:
        """End the server."""
        with self._process:
            assert self._process.stdin is not None
            self._process.stdin.close()


def _serve(listener: socket.socket) -> None:
    """Answer requests until standard input ends."""
    import hookline  # noqa: PLC0415 - in the server only

    own = [
        found.name
        for found in pkgutil.walk_packages(hookline.__path__, "hookline.")
        if not found.name.startswith(_LARGE)
    ]
    for name in (*own, *_LOADED_LATE):
        import_module(name)
    gc.freeze()
    with selectors.DefaultSelector() as waiting:
        waiting.register(0, selectors.EVENT_READ)
        waiting.register(listener, selectors.EVENT_READ)
        while True:
            for key, _ in waiting.select():
                if key.fileobj == 0:
                    return
                if key.fileobj is listener:
                    _fork(waiting, listener)
                elif waiting.get_map().get(key.fileobj) is key:  # else it has just ended
                    _end(waiting, *key.data)


def _fork(waiting: selectors.BaseSelector, listener: socket.socket) -> None:
    """Run what the next client asks for; watch the child, and whether the client still waits."""
    client, _ = listener.accept()
    request, streams, *_ = socket.recv_fds(client, _LARGEST, 3)
    pid = os.fork()
    if not pid:
        waiting.close()
        for inherited in (listener, client):
            inherited.close()
        _become(streams, *marshal.loads(request))  # noqa: S302 - of the tests
    for stream in streams:
        os.close(stream)
    child = os.pidfd_open(pid)
    for each in (child, client):
        waiting.register(each, selectors.EVENT_READ, (pid, child, client))


def _end(waiting: selectors.BaseSelector, pid: int, child: int, client: socket.socket) -> None:
    """Tell the client how its child ended; kill the child if the client is gone."""
    signal.pidfd_send_signal(child, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    for each in (child, client):
        waiting.unregister(each)
    with contextlib.suppress(OSError):
        client.send(str(status).encode())
    client.close()
    os.close(child)


def _become(
    streams: list[int], code: str, words: list[str], folder: str, environ: dict[str, str]
) -> None:
    """Run code in this process, and end."""
    ended = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        sys.stdin, sys.stdout, sys.stderr = (
            # Until it ends.
            open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115
            for number in range(3)
        )
        os.environ.clear()
        os.environ.update(environ)
        os.chdir(folder)
        sys.argv = ["hookline", *words]
        exec(code, {"__name__": "__main__"})  # noqa: S102 - of the tests
        ended = 0
    except SystemExit as exited:
        ended = exited.code if isinstance(exited.code, int) else bool(exited.code)
    except BaseException:  # noqa: BLE001 - as Python does it
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(ended)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
