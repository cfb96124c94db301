"""`hookline serve`: the decision server, until it is stopped."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack, suppress
from importlib.util import find_spec

from hookline import __version__
from hookline.cli.exit_codes import INTERRUPTED, OK, print_message, print_text
from hookline.cli.options import option
from hookline.cli.schema import read_schema
from hookline.config.agent_hosts import find_agent_marker
from hookline.config.settings import read_settings
from hookline.engine.approval_service import count_waiting, find_self_approve_problem
from hookline.engine.journaling import make_telemetry, open_journal
from hookline.errors import ConfigError
from hookline.remote.addresses import parse_address
from hookline.remote.admission import Admission
from hookline.server.approvals import Approvals
from hookline.server.auth import (
    TokenCheck,
    copy_token_beside,
    default_token_path,
    read_token,
)
from hookline.server.foreign_project import ForeignProjectNotice
from hookline.server.grpc_sidecar import GrpcSidecar
from hookline.server.lifecycle import (
    ServerRun,
    close_sockets,
    describe_socket,
    listen_http,
    listen_unix_path,
)
from hookline.server.metrics import Meter
from hookline.server.reloader import Reloader, exclude_calls, find_integrations
from hookline.server.responses import APPROVE, make_openapi
from hookline.server.service import Service

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

    from hookline.cli.selection import Selection
    from hookline.engine.engine import Engine

_DEFAULT = "127.0.0.1:8465"


def serve(
    selection: Selection,
    *,
    http: str = option(
        "--http", metavar="HOST:PORT", help=f"listen on TCP; with none of the three, {_DEFAULT}"
    ),
    unix: str = option(
        "--unix", metavar="PATH", help="listen on a unix socket, for this user only; no token"
    ),
    grpc: list[str] = option(
        "--grpc",
        metavar="ADDRESS",
        help="listen for gRPC: unix:PATH, 127.0.0.1:PORT or vsock:CID:PORT; repeatable",
        is_repeatable=True,
    ),
    expect: list[str] = option(
        "--expect",
        metavar="NAME",
        help="gates are closed until these handlers attach over gRPC; repeatable",
        is_repeatable=True,
    ),
    token_file: str = option(
        "--token-file", metavar="PATH", help="the token for TCP; made if missing"
    ),
    allow_remote: bool = option(
        "--allow-remote", help="let other machines ask; needs --token-file"
    ),
    host_name: list[str] = option(
        "--host-name",
        metavar="NAME",
        help="another name of this server; repeatable",
        is_repeatable=True,
    ),
    most: int = option(
        "--most",
        metavar="N",
        least=1,
        most=64,
        help="events at once, over HTTP and gRPC together, at most 64",
        kind=int,
        default=64,
    ),
    wait: float = option(
        "--wait",
        metavar="S",
        help="for one more, until it is its turn",
        kind=float,
        default=30.0,
        least=0.0,
    ),
    seconds: float = option(
        "--seconds",
        metavar="S",
        help="for all hooks of one event, together",
        kind=float,
        default=600.0,
        least=0.1,
    ),
    deadline: float = option(
        "--deadline",
        metavar="S",
        help="for one event; default: what the client or its host allows",
        kind=float,
        default=0.0,
        least=0.0,
    ),
    drain: float = option(
        "--drain",
        metavar="S",
        help="for what is running, at the stop; then it is ended",
        kind=float,
        default=10.0,
        least=1.0,
    ),
    no_reload: bool = option("--no-reload", help="take changes of files on SIGHUP only"),
    self_approve: bool = option(
        "--self-approve", help="let programs of this machine approve hooks without the token"
    ),
) -> int:
    """The decision server, until SIGTERM or Ctrl-C."""
    _check_extra()

    if allow_remote and not token_file:
        raise ConfigError(
            "`--allow-remote` needs `--token-file`",
            name="serve.address",
            hint="other machines must be given the token",
        )
    if expect and not grpc:
        raise ConfigError(
            "`--expect` needs `--grpc`", name="serve.address", hint="there they attach"
        )
    meter = Meter()
    free = _approves_without_token(asked=self_approve)
    if problem := find_self_approve_problem({"trust": {"self_approve": free}}):
        print_message(f"hookline serve: {problem}")
    address = http or ("" if unix or grpc else _DEFAULT)
    path = token_file or default_token_path(os.environ)
    token = read_token(path) if address or not _is_guarded_by_mode(grpc) else ""
    path, to_approve = (path, token) if token or free else _read_approval_token(path)
    approving = Approvals(to_approve, self_approve=free, refused=meter.count_refusal)
    service = _make_service(
        selection, meter, Admission(most, patience=wait), (seconds, deadline), approving
    )
    listening = _open_sockets(address, unix, allow_remote=allow_remote)
    beside = _copy_token(unix, to_approve) if not token_file else ""
    path = path if token else beside or path
    open_ = (APPROVE,) if free else ()
    border = TokenCheck(
        service.app(),
        token=token,
        token_file=path,
        names=host_name,
        open_to_all=open_,
        refused=meter.count_refusal,
    )
    summary = f"{len(service.engine.hooks)} hooks{_describe_token(token, to_approve, path)}"
    reloading = _make_reloader(selection, service, watch=not no_reload)
    bridge = _make_sidecar(grpc, service, token, expect)
    running = ServerRun(
        border, listening, drain=drain, refused=meter.count_refusal, beside=bridge.stop
    )
    with running.capture_signals():
        try:
            with close_sockets(listening), bridge, reloading, ExitStack() as marks:
                names = (*map(describe_socket, listening), *bridge.names)
                if beside and beside != default_token_path(os.environ):
                    marks.callback(_remove_file, beside)
                print_text("".join(f"{name}\n" for name in names))
                print_message(f"hookline serve: {summary}")
                running.run()
        finally:
            reloading.close(running.seconds_left, lambda: running.hurried)
    return INTERRUPTED if running.first_signal == signal.SIGINT else OK


def _approves_without_token(*, asked: bool) -> bool:
    """Whether programs may approve hooks without the token, by option or setting.

    Never below an agent.
    """
    try:
        free = asked or find_self_approve_problem(read_settings(os.environ)) is not None
    except ConfigError:  # wrong settings count as the strictest
        free = False
    marker = find_agent_marker(os.environ)
    if free and marker:
        print_message(
            f"hookline serve: an agent started this server (`{marker}` is set), so an approval needs the token;"
            " say to the user: please run `hookline approve` in a terminal of your own"
        )
    return free and not marker


def _check_extra() -> None:
    for needed in ("starlette", "uvicorn"):
        if find_spec(needed) is None:
            raise ConfigError(
                f"the server needs `{needed}`",
                name="serve.missing",
                hint="pip install 'hookline[server]'",
            )


def _make_service(
    selection: Selection,
    meter: Meter,
    turns: Admission,
    seconds: tuple[float, float],
    approving: Approvals | None = None,
) -> Service:

    sessions = selection.sessions()
    made: list[Service] = []  # the engine of the service is another one after each reload
    telemetry = make_telemetry(
        os.environ, print_message, lambda: count_waiting(made[0].engine) if made else 0
    )
    journal = open_journal(os.environ, print_message, telemetry)

    def made_of(*, parses_new: bool = False) -> Engine:
        return selection.engine(
            parses_new=parses_new, observe=meter.observe, sessions=sessions, journal=journal
        )

    engine = made_of()
    try:
        if engine.runtime.gate is not None:
            engine.runtime.gate.get()  # report wrong settings now, and not at the first event
    except ConfigError as error:
        print_message(
            f"hookline serve: {error}; the settings do not count, and hooks go by the strictest rules"
        )
    for problem in engine.problems:
        print_message(str(problem))
    own: dict[str, Engine] = {}
    # A named file counts even if its host reads it too.
    for host, managed in () if selection.configs else find_integrations(engine).items():
        own[host] = made_of()
        own[host].loader.drop_dialect(host, managed=managed)
        exclude_calls(own[host])
    document = make_openapi(__version__, read_schema("decision"))
    service = Service(
        exclude_calls(engine),
        meter=meter,
        contract=document,
        own=own,
        seconds=seconds[0],
        deadline=seconds[1],
        turns=turns,
        approving=approving,
        elsewhere=None
        if selection.configs
        else ForeignProjectNotice(),  # named files count for events of every project
        tell=print_message,
    )
    if not selection.configs:  # files without approvals are parsed only for review
        service.for_people = lambda: made_of(parses_new=True)
    made.append(service)
    return service


def _make_reloader(selection: Selection, service: Service, *, watch: bool) -> Reloader:

    return Reloader(
        service,
        lambda: selection.engine(
            parses_new=False,
            observe=service.meter.observe,
            sessions=selection.sessions(),
            journal=service.engine.runtime.journal,
        ),
        named=bool(selection.configs),
        watch=watch,
        tell=lambda line: print_message(f"hookline serve: {line}"),
    )


def _read_approval_token(path: str) -> tuple[str, str]:
    """Return the path and the text of a token that only approvals need.

    Both empty if there can be none.
    """
    try:
        return path, read_token(path)
    except ConfigError as error:
        print_message(f"hookline serve: {error.code} {error}; no hooks can be approved here")
        return "", ""


def _copy_token(socket: str, token: str) -> str:
    """Copy the token beside a unix socket and return its path; empty if that is not possible."""
    if not socket or not token:
        return ""

    try:
        return copy_token_beside(socket, token, os.environ)
    except ConfigError as error:
        print_message(f"hookline serve: {error.code} {error}; it is not beside the socket")
        return ""


def _remove_file(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _describe_token(token: str, to_approve: str, path: str) -> str:
    """Describe where the token is, and what needs it."""
    return (
        f"; the token{'' if token else ' for approvals'} is in {path}"
        if token or to_approve
        else ""
    )


def _is_guarded_by_mode(addresses: list[str]) -> bool:
    """Whether file modes guard all of these addresses, so that clients need no token."""
    if not addresses:
        return True

    return all(parse_address(address).proven for address in addresses)


def _make_sidecar(
    addresses: list[str], service: Service, token: str, expected: list[str]
) -> GrpcSidecar:

    return GrpcSidecar(
        service,
        addresses,
        token,
        expected=expected,
        tell=lambda line: print_message(f"hookline serve: {line}"),
    )


def _open_sockets(address: str, path: str, *, allow_remote: bool) -> list[socket.socket]:
    """Return the listening sockets, all of them or none.

    Raises:
        ConfigError: one of them cannot be listened on.
    """
    listening = [listen_http(address, allow_remote=allow_remote)] if address else []
    try:
        return [*listening, listen_unix_path(path)] if path else listening
    except ConfigError:
        for sock in listening:
            sock.close()
        raise
