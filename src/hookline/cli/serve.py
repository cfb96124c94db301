"""`hookline serve`: the decision server, until it is stopped."""

from __future__ import annotations

import os
import signal
from importlib.util import find_spec

from hookline import __version__
from hookline.cli.options import Selection, option
from hookline.cli.output import INTERRUPTED, OK, count_things, print_message, print_text
from hookline.cli.schema import read_schema
from hookline.config.agent_hosts import find_agent_marker
from hookline.config.settings import read_settings
from hookline.engine.approval_service import count_waiting, find_self_approve_problem
from hookline.engine.journaling import make_telemetry, open_journal
from hookline.errors import ConfigError
from hookline.installation import install_command
from hookline.remote.addresses import parse_address
from hookline.remote.admission import Admission
from hookline.server.approvals import Approvals
from hookline.server.auth import (
    TokenCheck,
    default_token_path,
    read_token,
)
from hookline.server.foreign_project import ForeignProjectNotice
from hookline.server.grpc_sidecar import serve_grpc
from hookline.server.lifecycle import (
    ServerRun,
    close_sockets,
    describe_socket,
    listen_http,
    listen_unix_path,
)
from hookline.server.metrics import Meter
from hookline.server.reloader import Reloader, exclude_calls
from hookline.server.responses import APPROVE, make_openapi
from hookline.server.service import Service

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_DEFAULT = "127.0.0.1:8465"


def serve(
    selection: Selection,
    *,
    http: str = option(
        "--http HOST:PORT", f"listen on TCP; default without --unix and --grpc: {_DEFAULT}"
    ),
    unix: str = option(
        "--unix PATH", "listen on a unix socket, which only you can use; needs no token"
    ),
    grpc: list[str] = option(
        "--grpc ADDRESS...",
        "listen for gRPC: unix:PATH, 127.0.0.1:PORT or vsock:CID:PORT; repeatable",
    ),
    expect: list[str] = option(
        "--expect NAME...",
        "refuse actions until this handler attaches over gRPC; repeatable",
        is_rare=True,
    ),
    token_file: str = option(
        "--token-file PATH", "the file of the token for TCP; written if it is missing"
    ),
    allow_remote: bool = option("--allow-remote", "accept other machines; needs --token-file"),
    host_name: list[str] = option(
        "--host-name NAME...",
        "accept this name of the server in requests; repeatable",
        is_rare=True,
    ),
    most: int = option(
        "--most N",
        "answer at most N events at once, up to 64",
        is_rare=True,
        least=1,
        most=64,
        default=64,
    ),
    wait: float = option(
        "--wait S",
        "let a further event wait so many seconds",
        is_rare=True,
        default=30.0,
        least=0.0,
    ),
    seconds: float = option(
        "--seconds S",
        "end all hooks of an event after so many seconds",
        is_rare=True,
        default=600.0,
        least=0.1,
    ),
    deadline: float = option(
        "--deadline S",
        "answer within so many seconds; default: as the client or host allows",
        is_rare=True,
        default=0.0,
        least=0.0,
    ),
    drain: float = option(
        "--drain S",
        "at the end, give running hooks so many seconds",
        is_rare=True,
        default=10.0,
        least=1.0,
    ),
    no_reload: bool = option("--no-reload", "read changed files on SIGHUP only", is_rare=True),
    self_approve: bool = option(
        "--self-approve",
        "let programs of this machine approve hooks without the token",
        is_rare=True,
    ),
) -> int:
    """The decision server, until SIGTERM or Ctrl-C."""
    for needed in ("starlette", "uvicorn"):
        if find_spec(needed) is None:
            raise ConfigError(
                f"the server needs `{needed}`",
                name="serve.missing",
                hint=install_command(extra="server"),
            )
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
        _tell(problem)
    address = http or ("" if unix or grpc else _DEFAULT)
    path = token_file or default_token_path(os.environ)
    # File modes guard the other addresses.
    needs_token = address or not all(parse_address(each).proven for each in grpc)
    token = read_token(path) if needs_token else ""
    to_approve = token
    if not token and not free:
        try:
            to_approve = read_token(path)
        except ConfigError as error:
            _tell(f"{error.code} {error}; no hooks can be approved here")
    service, reloading = _make_service(
        selection,
        meter,
        watch=not no_reload,
        turns=Admission(most, patience=wait),
        seconds=seconds,
        deadline=deadline,
        approving=Approvals(to_approve, self_approve=free),
    )
    listening = [listen_http(address, allow_remote=allow_remote)] if address else []
    listening += [listen_unix_path(unix)] if unix else []
    border = TokenCheck(
        service.app(),
        token=token,
        names=host_name,
        open_to_all=(APPROVE,) if free else (),
        refused=meter.count_refusal,
    )
    remote = serve_grpc(service, grpc, token, expected=expect, tell=_tell)
    running = ServerRun(border, listening, drain=drain, refused=meter.count_refusal)
    with running.capture_signals():
        try:
            with close_sockets(listening), reloading, remote as (addresses, running.beside):
                names = (*map(describe_socket, listening), *addresses)
                print_text("".join(f"{name}\n" for name in names))
                use = "" if token else " for approvals"
                told = f"; the token{use} is in {path}" if to_approve else ""
                _tell(f"{count_things(len(service.engine.hooks), 'hook')}{told}")
                running.run()
        finally:
            reloading.close(running.seconds_left, lambda: running.hurried)
    return INTERRUPTED if running.first_signal == signal.SIGINT else OK


def _tell(line: object) -> None:
    print_message(f"hookline serve: {line}")


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
        _tell(
            f"an agent started this server (`{marker}` is set), so an approval needs the token;"
            " say to the user: please run `hookline approve` in a terminal of your own"
        )
    return free and not marker


def _make_service(
    selection: Selection, meter: Meter, *, watch: bool = False, **settings: Any
) -> tuple[Service, Reloader]:
    """Return the service with the selected hooks, and what keeps its engines up to date."""
    made: list[Service] = []  # the engine of the service is another one after each reload
    telemetry = make_telemetry(
        os.environ, print_message, lambda: count_waiting(made[0].engine) if made else 0
    )
    common: dict[str, Any] = {
        "observe": meter.observe,
        "sessions": selection.sessions(),
        "journal": open_journal(os.environ, print_message, telemetry),
    }
    engine = selection.engine(parses_new=False, **common)
    try:
        if engine.runtime.gate is not None:
            engine.runtime.gate.get()  # report wrong settings now, and not at the first event
    except ConfigError as error:
        _tell(f"{error}; the settings do not count, and hooks go by the strictest rules")
    for problem in engine.problems:
        print_message(str(problem))
    service = Service(
        exclude_calls(engine),
        meter=meter,
        contract=make_openapi(__version__, read_schema("decision")),
        # Named files count for events of every project.
        elsewhere=None if selection.configs else ForeignProjectNotice(),
        tell=print_message,
        **settings,
    )
    if not selection.configs:  # files without approvals are parsed only for review
        service.for_people = lambda: selection.engine(**common)
    made.append(service)
    reloading = Reloader(
        service,
        lambda: selection.engine(parses_new=False, **common),
        # A named file counts even if its host reads it too.
        named=bool(selection.configs),
        watch=watch,
        tell=_tell,
    )
    return service, reloading
