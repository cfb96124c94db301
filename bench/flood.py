"""A flood of 1,500 endless requests without a token, while clients ask `hookline serve`.

Run it as `python -m bench.flood`. Every client must be answered, and the flood must not make the
server larger by much.
"""

from __future__ import annotations

import http.client
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from bench.startup import CLAUDE_CODE

CONNECTIONS = 1_500
_HALF = b"POST /v1/answer/claude-code HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
_EVERY = 100  # connections between two questions of each client
_MOST_MEMORY = 64  # MiB that the server may grow by
_PATIENCE = 10.0  # seconds


def connect(at: str | int) -> socket.socket:
    """Return a connection to a port of this machine, or to a unix socket."""
    if isinstance(at, int):
        return socket.create_connection(("127.0.0.1", at), _PATIENCE)
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(_PATIENCE)
    sock.connect(at)
    return sock


def ask(at: str | int, token: str) -> float:
    """Ask for a decision, and return the seconds until it was there.

    Raises:
        RuntimeError: the server did not answer it.
    """
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1")
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    connection.sock = connect(at)
    connection.request(
        "POST", "/v1/answer/claude-code", json.dumps(CLAUDE_CODE.payload).encode(), headers
    )
    status = connection.getresponse().status
    connection.close()
    if status != http.client.OK:
        raise RuntimeError(f"status {status}")
    return time.perf_counter() - began


def memory_of(pid: int) -> float:
    """Return the MiB of memory that a process and its children hold."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    own = int(status.partition("VmRSS:")[2].split()[0]) / 1024
    return own + sum(memory_of(int(child)) for child in children)


def wait_for(at: str | int, token: str) -> None:
    """Wait until the server answers.

    Raises:
        RuntimeError: it does not within some seconds.
    """
    ends = time.monotonic() + _PATIENCE
    while time.monotonic() < ends:
        with suppress(OSError):
            ask(at, token)
            return
        time.sleep(0.05)
    raise RuntimeError("the server does not listen")


def main() -> int:
    """Flood a server, print what its clients got, and return the exit code."""
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(files, min(most, CONNECTIONS + 500)), most))
    with tempfile.TemporaryDirectory(prefix="hookline-bench-") as folder, ExitStack() as stack:
        token, path, port = "x" * 43, f"{folder}/socket", _free_port()
        Path(folder, "token").write_text(token, encoding="ascii")
        Path(folder, "token").chmod(0o600)
        words = [
            *(sys.executable, "-m", "hookline", "serve", "-C", folder, "--unix", path),
            *("--http", f"127.0.0.1:{port}", "--token-file", f"{folder}/token"),
        ]
        home = {**os.environ, "HOME": folder, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder}
        server = subprocess.Popen(
            words, env=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        stack.callback(server.wait)
        stack.callback(server.terminate)
        wait_for(path, token)
        wait_for(port, token)
        before, waits, failures = memory_of(server.pid), [], []
        for number in range(CONNECTIONS):
            sock = stack.enter_context(connect(port))
            with suppress(OSError):  # the server has closed it to make room
                sock.sendall(_HALF)
            for at in (port, path) if number % _EVERY == 0 else ():
                try:
                    waits.append(ask(at, token))
                except (OSError, RuntimeError) as error:
                    failures.append(f"{at}: {error}")
        grown = memory_of(server.pid) - before
    print(f"{CONNECTIONS:,} connections without a token: {len(waits)} questions answered")
    print(f"  longest wait {max(waits, default=0.0) * 1e3:.0f} ms, {grown:.1f} MiB more memory")
    for failure in failures:
        print(f"  not answered: {failure}")
    return 1 if failures or grown > _MOST_MEMORY else 0


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port: int = sock.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main())
