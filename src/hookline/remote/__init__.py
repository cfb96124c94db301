r"""hookline.remote: hooks whose handlers run in another process, and decisions for agents in other processes (docs/formats/a3s.md 10).

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

# The handlers of grpc at a fork crash a child that another thread forks to start a hook. A program
# that forks with grpc on purpose sets the variable itself.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.remote.bridge import Bridge
    from hookline.remote.client import Client, SyncClient
    from hookline.remote.engine_server import GrpcService, Opened, serve_engine
    from hookline.remote.handlers import Handlers
    from hookline.remote.limits import Bounds

_HOMES = {
    "Bounds": "limits",
    "Bridge": "bridge",
    "Client": "client",
    "GrpcService": "engine_server",
    "Handlers": "handlers",
    "Opened": "engine_server",
    "SyncClient": "client",
    "serve_engine": "engine_server",
}

__all__ = ["Bounds", "Bridge", "Client", "GrpcService", "Handlers", "Opened", "SyncClient", "serve_engine"]  # fmt: skip


def __getattr__(name: str) -> object:
    """Load a public name from its home (PEP 562).

    Raises:
        ConfigError: the extra is not installed.
    """
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module `hookline.remote` has no attribute `{name}`")
    try:
        found = getattr(import_module(f"hookline.remote.{home}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("google", "grpc"):
            raise
        raise ConfigError(
            f"the bridge needs `{error.name}`",
            name="remote.missing",
            hint="pip install 'hookline[grpc]'",
        ) from error
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
