r"""hookline.remote: hooks and agents in other processes, over gRPC (docs/formats/a3s.md 10).

handlers = Handlers("policy")

@handlers.on("pre_tool_use", command=r"rm\s+-rf", priority=5)
def guard(event):
    return HookResponse.block("no")

handlers.run("unix:/run/user/1000/hookline/bridge.sock")
"""

from __future__ import annotations

import os
from importlib import import_module

from hookline.errors import ConfigError
from hookline.installation import install_command

# The handlers of grpc at a fork crash a child that another thread forks to start a hook. A program
# that forks with grpc on purpose sets the variable itself.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # the end of an engine is no line on stderr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.remote.client import Client, SyncClient
    from hookline.remote.engine_server import Opened, serve_engine
    from hookline.remote.handlers import Handlers

_HOMES = {
    "Client": "client",
    "Handlers": "handlers",
    "Opened": "engine_server",
    "SyncClient": "client",
    "serve_engine": "engine_server",
}

__all__ = ["Client", "Handlers", "Opened", "SyncClient", "serve_engine"]


def __getattr__(name: str) -> Any:
    """Load a public name from its home (PEP 562).

    Raises:
        ConfigError: the extra is not installed.
    """
    if name not in _HOMES:
        raise AttributeError(f"module `hookline.remote` has no attribute `{name}`")
    try:
        return getattr(import_module(f"hookline.remote.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("google", "grpc"):
            raise
        hint = install_command(extra="grpc")
        words = f"the bridge needs `{error.name}`"
        raise ConfigError(words, name="remote.missing", hint=hint) from error
