"""A whole engine, opened at its addresses.

And handlers in a process of their own, which may die.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hookline import ConfigError, Engine, HookError, Stance, deny
from hookline.installation import install_command
from hookline.remote import Handlers, SyncClient, grpc_transport, serve_engine, vsock
from hookline.remote.addresses import listen_unix
from tests.unit.remote.support import CALL, PATIENCE, TOKEN, TRANSPORTS, addresses, within

ROOT = Path(__file__).parents[3]
# A policy that says that it is ready, and is told an event that it never answers.
POLICY = """
import asyncio, os, sys
from hookline.a3s import HookResponse
from hookline.remote import Handlers

address, token, seen = sys.argv[1:]
handlers = Handlers("policy")

@handlers.on("pre_tool_use", command="^never")
async def stuck(event):
    os.write(os.open(seen, os.O_WRONLY), b"asked\\n")
    await asyncio.Event().wait()

@handlers.on("pre_tool_use", command="^rm", priority=5)
def guard(event):
    return HookResponse.block(f"no {event.payload.args['command']}")

@handlers.on("session_start", observe_only=True)
def watch(event):
    os.write(os.open(seen, os.O_WRONLY), b"told\\n")

async def main():
    async with handlers.attached(address, token=token):
        print("ready", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


class Policy:
    """Handlers in a process of their own."""

    def __init__(self, address: str, token: str, folder: Path) -> None:
        self.seen = folder / "seen"
        os.mkfifo(self.seen)
        self._read = os.open(self.seen, os.O_RDWR)
        environ = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", POLICY, address, token, str(self.seen)],
            env=environ,
            stdout=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"ready\n"

    def saw(self) -> str:
        return os.read(self._read, 100).decode()

    def killed(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()
        os.close(self._read)


@pytest.mark.process
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_gate_is_closed_at_once_when_its_handlers_are_killed(transport: str, tmp_path) -> None:
    """Invocations under way fail at once, and do not wait for their timeout of 30 s."""
    address, token = addresses(tmp_path)[transport]
    engine = Engine()
    with serve_engine(engine, address, token=token) as opened:
        policy = Policy(opened.addresses[0], token, tmp_path)
        assert engine.fire("pre_tool_use", CALL, dialect="a3s").reason == "no rm -rf /"
        assert engine.fire("session_start", {"session_id": "s"}, dialect="a3s").allowed
        assert policy.saw() == "told\n"
        decisions = []
        stuck = {**CALL, "args": {"command": "never"}}
        firing = threading.Thread(
            target=lambda: decisions.append(engine.fire("pre_tool_use", stuck, dialect="a3s"))
        )
        firing.start()
        assert policy.saw() == "asked\n"
        policy.killed()
        firing.join(PATIENCE)

        assert decisions[0].stance is Stance.DENY
        assert (
            decisions[0]
            .verdicts[0]
            .fault.startswith("could not be reached: the handlers `policy` were lost")
        )
        assert engine.fire("pre_tool_use", CALL, dialect="a3s").stance is Stance.DENY
        assert engine.fire("session_start", {"session_id": "s"}, dialect="a3s").allowed
        assert opened.bridge.links == {}


@pytest.mark.process
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_gate_is_closed_when_its_handlers_give_no_sign_of_life(
    transport: str, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dead link that is still open disarms no guard."""
    monkeypatch.setattr(grpc_transport, "_PING", 500)
    address, token = addresses(tmp_path)[transport]
    engine = Engine()
    with serve_engine(engine, address, token=token) as opened:
        policy = Policy(opened.addresses[0], token, tmp_path)
        policy.process.send_signal(signal.SIGSTOP)
        decision = engine.fire("pre_tool_use", CALL, dialect="a3s")
        policy.killed()

    assert decision.stance is Stance.DENY
    assert "the handlers `policy` were lost" in decision.reason


def test_several_addresses_are_one_engine(tmp_path) -> None:
    """Handlers that attach at one address answer events from another."""
    engine = Engine()
    engine.on("tool.before")(lambda _: deny("no"))
    all_of_them = addresses(tmp_path)
    with serve_engine(
        engine, *(address for address, _ in all_of_them.values()), token=TOKEN
    ) as opened:
        assert [address.partition(":")[0] for address in opened.addresses] == [
            "unix",
            "127.0.0.1",
        ]
        for address in opened.addresses:
            with SyncClient(address, token=TOKEN) as client:
                assert client.fire("pre_tool_use", CALL, dialect="a3s").reason == "no"


def test_all_addresses_are_listened_on_or_none(tmp_path) -> None:
    """If one address fails, the server closes those that it opened before."""
    with pytest.raises(ConfigError, match="cannot listen on"):
        serve_engine(Engine(), f"unix:{tmp_path}/a", f"unix:{tmp_path}/missing/b")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("address", ["127.0.0.1:0", "vsock:local:4088"])
def test_what_others_could_reach_needs_a_token(address: str) -> None:
    """The server checks this before it listens."""
    with pytest.raises(ConfigError) as caught:
        serve_engine(Engine(), address)
    assert caught.value.code == "HKL5103"


def test_every_client_may_need_a_token(tmp_path) -> None:
    """A process at the other end of a unix socket may relay for another user."""
    address, _ = addresses(tmp_path)["unix"]
    with serve_engine(Engine(), address, token=TOKEN, token_everywhere=True) as opened:
        with pytest.raises(HookError, match="token"):
            within(Handlers("guest").attach(address))
        with SyncClient(address) as client, pytest.raises(HookError):
            client.fire("tool.before", {"tool": "x"})
        assert opened.bridge.links == {}


def test_engines_of_hosts_are_guarded_too(tmp_path) -> None:
    """A host whose own files would ask us has an engine of its own, with the same remote hooks."""
    main, own = Engine(), Engine()
    main.on("tool.before")(lambda _: deny("main"))
    own.on("tool.before")(lambda _: deny("own"))
    with (
        serve_engine(main, f"unix:{tmp_path}/s", own=lambda: {"a3s": own}) as opened,
        SyncClient(opened.addresses[0]) as client,
    ):
        assert client.fire("pre_tool_use", CALL, dialect="a3s").reason == "own"
        assert client.fire("tool.before", {"tool": "x"}).reason == "main"


@pytest.mark.process
@pytest.mark.parametrize("hidden", ["grpc", "google"])
def test_without_the_extra_it_is_said_what_to_install(hidden: str, tmp_path) -> None:
    """The package itself needs neither gRPC nor protobuf."""
    code = f"""
import sys
sys.modules[{hidden!r}] = None
import hookline, hookline.remote
try:
    hookline.remote.serve_engine(hookline.Engine(), "unix:{tmp_path}/g")
except hookline.ConfigError as error:
    print(error.code, error.hint)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout == f"HKL5101 {install_command(extra='grpc')}\n", done.stderr


def test_vsock_is_reached_by_a_relay(tmp_path, monkeypatch) -> None:
    """At both ends, where gRPC has no vsock of its own.

    A unix socket stands for the two machines' one.
    """
    between = f"{tmp_path}/between"
    monkeypatch.setattr(vsock, "listen", lambda *_: listen_unix(between))
    monkeypatch.setattr(vsock, "dial", lambda *_: asyncio.open_unix_connection(between))
    engine = Engine()
    engine.on("tool.before")(lambda _: deny("no"))
    with serve_engine(engine, "vsock:local:4088", token=TOKEN) as opened:
        assert opened.addresses == ["vsock:local:4088"]
        with SyncClient("vsock:local:4088", token=TOKEN) as client, client.stream() as stream:
            assert client.fire("pre_tool_use", CALL, dialect="a3s").reason == "no"
            assert stream.fire("pre_tool_use", CALL, dialect="a3s").reason == "no"
