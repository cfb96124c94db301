"""`hookline serve`: the decision server, until it is told to stop."""

from __future__ import annotations

import os
import signal
from importlib.util import find_spec
from typing import Annotated

from hookline.cli import flags
from hookline.cli.contracts import contract
from hookline.cli.ending import INTERRUPTED, OK, say, tell
from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

    from hookline.engine.engine import Engine
    from hookline.server.metrics import Meter
    from hookline.server.service import Service

_DEFAULT = "127.0.0.1:8465"
_Http = Annotated[str, flags.option("--http", metavar="HOST:PORT", help=f"listen on TCP; without it and --unix, {_DEFAULT}")]
_Unix = Annotated[str, flags.option("--unix", metavar="PATH", help="listen on a unix socket, for this user only; no token")]
_Token = Annotated[str, flags.option("--token-file", metavar="PATH", help="the token for TCP; made if missing")]
_Remote = Annotated[bool, flags.option("--allow-remote", help="let other machines ask; needs --token-file")]
_Names = Annotated[list[str], flags.option("--host-name", metavar="NAME", help="another name of this server; repeatable")]
_Most = Annotated[int, flags.option("--most", metavar="N", min=1, max=64, help="events at once, at most 64")]
_Seconds = Annotated[float, flags.option("--seconds", metavar="S", min=0.1, help="for all hooks of one event, together")]
_Drain = Annotated[float, flags.option("--drain", metavar="S", min=1.0, help="for what is running, when told to stop")]


@flags.selecting
def serve(
    *,
    selection: flags.Selection,
    http: _Http = "",
    unix: _Unix = "",
    token_file: _Token = "",
    allow_remote: _Remote = False,
    host_name: _Names = [],  # noqa: B006 - only read
    most: _Most = 64,
    seconds: _Seconds = 600.0,
    drain: _Drain = 10.0,
) -> int:
    """The decision server, until SIGTERM or Ctrl-C."""
    _need_extra()
    from hookline.server.border import Border  # noqa: PLC0415 - the extra, here and below
    from hookline.server.metrics import Meter  # noqa: PLC0415 - as above
    from hookline.server.running import Running  # noqa: PLC0415 - as above
    from hookline.server.sockets import name_of  # noqa: PLC0415 - as above
    from hookline.server.tokens import token_in, token_place  # noqa: PLC0415 - as above

    if allow_remote and not token_file:
        raise ConfigError("`--allow-remote` needs `--token-file`", name="serve.address", hint="other machines must be given the token")
    meter = Meter()
    service = _service(selection, meter, most, seconds)
    address = http or ("" if unix else _DEFAULT)
    path = token_file or token_place(os.environ)
    token = token_in(path) if address else ""
    listening = _listening(address, unix, allow_remote=allow_remote)
    running = Running(Border(service.app(), token=token, names=host_name, refused=meter.refused), listening, drain=drain)
    told = f"{len(service.engine.hooks)} hooks{f'; the token for TCP is in {path}' if address else ''}"
    say("".join(f"{name_of(sock)}\n" for sock in listening))
    tell(f"hookline serve: {told}")
    try:
        ended = running.run()
    finally:
        for engine in (service.engine, *service.own.values()):
            engine.close()
    return INTERRUPTED if ended == signal.SIGINT else OK


def _need_extra() -> None:
    for needed in ("starlette", "uvicorn"):
        if find_spec(needed) is None:
            raise ConfigError(f"the server needs `{needed}`", name="serve.missing", hint="pip install 'hookline[server]'")


def _service(selection: flags.Selection, meter: Meter, most: int, seconds: float) -> Service:
    from hookline import __version__  # noqa: PLC0415 - as above
    from hookline.server.callers import callers, without_calls  # noqa: PLC0415 - as above
    from hookline.server.openapi import openapi  # noqa: PLC0415 - as above
    from hookline.server.service import Service  # noqa: PLC0415 - as above

    engine = selection.engine(observe=meter.observe)
    for problem in engine.problems:
        tell(str(problem))
    own: dict[str, Engine] = {}
    # A file that is named is meant, whoever else reads it.
    for host in () if selection.configs else callers(engine):
        own[host] = selection.engine(observe=meter.observe)
        own[host].drop_dialect(host)
        without_calls(own[host])
    document = openapi(__version__, contract("decision"))
    return Service(without_calls(engine), meter=meter, contract=document, own=own, seconds=seconds, most=most, tell=tell)


def _listening(address: str, path: str, *, allow_remote: bool) -> list[socket.socket]:
    """The sockets, all of them or none.

    Raises:
        ConfigError: one of them cannot be listened on.
    """
    from hookline.server.sockets import http_socket, unix_socket  # noqa: PLC0415 - as above

    listening = [http_socket(address, allow_remote=allow_remote)] if address else []
    try:
        return [*listening, unix_socket(path)] if path else listening
    except ConfigError:
        for sock in listening:
            sock.close()
        raise
