"""Hooks start beside grpc, also where a child has to reset signals between fork and exec."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

CODE = """
import signal, threading
from concurrent import futures

signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
import hookline.remote
import grpc
from hookline.handlers.table import perform_all
from hookline.core.dispatch import Run
from hookline.model.event import Event
from hookline.model.spec import Command
from hookline.model.spec import HookSpec

server = grpc.server(futures.ThreadPoolExecutor(2))
server.add_insecure_port("127.0.0.1:0")
server.start()
handler = Command(argv=("true",))
spec = HookSpec(id="h", dialect="native", kind="stop", native_event="stop", handler=handler)
run = Run(spec=spec, event=Event(kind="stop"), payload="{}")
codes = []

def perform():
    codes.extend(perform_all([run])[0].exit_code for _ in range(15))

threads = [threading.Thread(target=perform) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
server.stop(0)
print(sorted(set(codes)), len(codes))
"""


def test_no_hook_dies_of_the_handlers_of_grpc() -> None:
    """They run at a fork, and crash a child that another thread forked."""
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, timeout=60, check=False
    )

    assert done.stdout == "[0] 60\n", done.stderr
    assert "Fatal Python error" not in done.stderr
