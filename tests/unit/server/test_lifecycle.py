"""A server that is told to stop answers what is running, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.unit.server.support import CALL, PATIENCE, Place
from tests.unit.server.test_disconnects import left

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.process
# It says that it runs, and goes on when it is told to.
SLOW = 'echo there > "$FOLDER/begun"; read line < "$FOLDER/go"; echo "$line" >&2; exit 2'


SOON = 8.0  # seconds in which an idle server ends, on a busy machine


@contextmanager
def hookline_serve(
    folder: Path,
    *words: str,
    hook: str = SLOW,
    event: str = "PreToolUse",
    more: Mapping[str, str] | None = None,
    **fields: object,
) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """`hookline serve` as a process, when it listens, with one hook.

    And the addresses that it prints. `more`: of its environment.
    """
    tree = {"hooks": {event: [{"hooks": [{"type": "command", "command": hook, **fields}]}]}}
    environ = {
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "src"),
        "FOLDER": str(folder),
        **(more or {}),
    }
    for name in ("begun", "go"):
        os.mkfifo(folder / name)
    command = [
        sys.executable,
        "-m",
        "hookline",
        "serve",
        "--dialect",
        "claude-code",
        "-c",
        json.dumps(tree),
        *words,
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ, cwd=folder, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield (
                process,
                [
                    process.stdout.readline().strip()
                    for word in words
                    if word in ("--http", "--unix", "--grpc")
                ],
            )
        finally:
            process.kill()


def told(folder: Path) -> str:
    """What `hookline serve` says on a unix socket: only an approval needs the token."""
    path = folder / ".local/state/hookline/serve.token"
    return f"hookline serve: 1 hook; the token for approvals is in {path}\n"


def test_what_is_running_is_answered_before_the_end(tmp_path: Path) -> None:
    """SIGTERM: the server accepts nothing more, waits for the slow hook, and removes its socket."""
    path = tmp_path / "socket"
    with (
        hookline_serve(tmp_path, "--unix", str(path)) as (process, addresses),
        ThreadPoolExecutor(1) as pool,
    ):
        assert addresses == [f"unix:{path}"]
        asked = pool.submit(Place(str(path)).fire, "PreToolUse", CALL)
        (tmp_path / "begun").read_text(encoding="utf-8")
        process.send_signal(signal.SIGTERM)
        while accepted(path):
            pass
        (tmp_path / "go").write_text("late\n", encoding="utf-8")

        assert (asked.result(PATIENCE).status, asked.result().document["reason"]) == (200, "late")
        assert process.wait(PATIENCE) == 0
        assert not path.exists()
        assert process.stderr is not None
        assert process.stderr.read() == told(tmp_path)


def accepted(path: Path) -> bool:
    """Whether a server still listens there."""
    try:
        Place(str(path)).connected().close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("deaf", ["", "trap '' TERM; "], ids=["", "to SIGTERM"])
def test_what_takes_too_long_is_cut_off(deaf: str, tmp_path: Path) -> None:
    """After `--drain` seconds the server ends the request and its hook, and itself soon after."""
    path = tmp_path / "socket"
    hook = deaf + 'echo $$ > "$FOLDER/begun"; while :; do read line < "$FOLDER/go"; done'
    with (
        hookline_serve(tmp_path, "--unix", str(path), "--drain", "1", hook=hook) as (process, _),
        ThreadPoolExecutor(1) as pool,
    ):
        asked = pool.submit(Place(str(path)).fire, "PreToolUse", CALL)
        pid = int((tmp_path / "begun").read_text(encoding="utf-8"))
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)

        assert process.wait(PATIENCE) == 0
        assert time.monotonic() - began < 1 + SOON
        answer = asked.result(PATIENCE)
        assert (answer.status, answer.document["code"], answer.headers["connection"]) == (
            503,
            "HKL5010",
            "close",
        )
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        (signal.SIGTERM, signal.SIGTERM, 0),
        (signal.SIGINT, signal.SIGINT, 130),
        (signal.SIGTERM, signal.SIGINT, 0),
    ],
)
def test_a_second_signal_ends_it_at_once(
    first: signal.Signals, second: signal.Signals, code: int, tmp_path: Path
) -> None:
    """Running requests get a problem, and their hooks end, detached ones too."""
    path = tmp_path / "socket"
    hook = 'echo $$ > "$FOLDER/begun"; read line < "$FOLDER/go"'
    with (
        hookline_serve(tmp_path, "--unix", str(path), "--drain", "1000", hook=hook) as (process, _),
        ThreadPoolExecutor(1) as pool,
    ):
        asked = pool.submit(Place(str(path)).fire, "PreToolUse", CALL)
        pid = int((tmp_path / "begun").read_text(encoding="utf-8"))
        process.send_signal(first)
        while accepted(path):
            pass
        assert process.poll() is None
        process.send_signal(second)

        assert process.wait(PATIENCE) == code
        assert (asked.result(PATIENCE).status, asked.result().document["code"]) == (503, "HKL5010")
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        assert not path.exists()
        assert process.stderr is not None
        assert process.stderr.read() == told(tmp_path)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_an_idle_server_ends_at_once(number: signal.Signals, code: int, tmp_path: Path) -> None:
    """Also with a client that is connected and says nothing."""
    with hookline_serve(tmp_path, "--http", "127.0.0.1:0") as (process, addresses):
        place = Place(int(addresses[0].rpartition(":")[2]))
        token = (tmp_path / ".local/state/hookline/serve.token").read_text(encoding="ascii").strip()
        assert place.ask("GET", "/v1/metrics", Authorization=f"Bearer {token}").status == 200
        with place.connected():
            process.send_signal(number)

            assert process.wait(PATIENCE) == code


def test_a_second_server_on_a_path_does_not_start(tmp_path: Path) -> None:
    """A socket file that a killed server left does not matter."""
    path = tmp_path / "socket"
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "three").mkdir()
    with hookline_serve(tmp_path / "one", "--unix", str(path)) as (first, _):
        with hookline_serve(tmp_path / "two", "--unix", str(path)) as (second, addresses):
            assert (addresses, second.wait(PATIENCE)) == ([""], 2)
            assert second.stderr is not None
            assert (
                f"HKL5002 cannot listen on `{path}`: another server listens there (end that server"
                in second.stderr.read()
            )
        first.kill()
        first.wait(PATIENCE)
    with hookline_serve(tmp_path / "three", "--unix", str(path)) as (_, addresses):
        assert Place(str(path)).ask("GET", "/v1/health").status == 200


# -- background hooks ------------------------------------------------------------------------------

DONE = {**CALL, "hook_event_name": "PostToolUse", "tool_response": {}}
# It tells its number and that of what it starts, and ends when it is told to, or never.
BEHIND = (
    'sleep 1000 & echo $$ $! > "$FOLDER/begun"; read line < "$FOLDER/go"; '
    'kill $!; echo "$line" > "$FOLDER/done"'
)
# The same, and nothing but SIGKILL ends it.
DEAF = 'trap "" TERM; echo $$ $$ > "$FOLDER/begun"; while :; do read line < "$FOLDER/go"; done'


@contextmanager
def left_behind(
    folder: Path, *words: str, hook: str = BEHIND
) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A server that was told to stop, and accepts nothing more, while a detached hook still runs.

    And the hook's processes.
    """
    path = folder / "socket"
    with hookline_serve(
        folder, "--unix", str(path), *words, hook=hook, event="PostToolUse", **{"async": True}
    ) as (process, _):
        assert Place(str(path)).fire("PostToolUse", DONE).status == 200
        pids = [int(word) for word in (folder / "begun").read_text(encoding="utf-8").split()]
        process.send_signal(signal.SIGTERM)
        while path.exists():
            pass
        yield process, pids


def test_a_detached_hook_is_waited_for(tmp_path: Path) -> None:
    """The server waits until the rest of the drain time is over."""
    with left_behind(tmp_path, "--drain", "1000") as (process, _):
        (tmp_path / "go").write_text("done\n", encoding="utf-8")

        assert process.wait(PATIENCE) == 0
    assert (tmp_path / "done").read_text(encoding="utf-8") == "done\n"


@pytest.mark.parametrize("hook", [BEHIND, DEAF], ids=["", "deaf"])
def test_a_detached_hook_gets_no_time_of_its_own(hook: str, tmp_path: Path) -> None:
    """After `--drain` seconds it ends, with what it started, even if it ignores SIGTERM."""
    with left_behind(tmp_path, "--drain", "1", hook=hook) as (process, pids):
        began = time.monotonic()
        assert process.wait(PATIENCE) == 0
        assert time.monotonic() - began < 1 + SOON
        for pid in pids:
            left(pid)


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_detached_hooks_too(second: signal.Signals, tmp_path: Path) -> None:
    """Also when the server itself has ended already; nothing that they started is left."""
    with left_behind(tmp_path, "--drain", "1000") as (process, pids):
        for pid in pids:
            os.kill(pid, 0)
        process.send_signal(second)

        assert process.wait(PATIENCE) == 0
        for pid in pids:
            left(pid)
    assert not (tmp_path / "done").exists()
