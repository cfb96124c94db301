"""Servers: what a decision costs over HTTP and gRPC, beside a server that echoes.

Run it as `python -m bench.server`. Servers are processes of their own, asked over unix sockets by 1
client and by 32 at once. No hook of theirs wants the event, so that all of it is what hookline and
the way there cost.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import math
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hookline
from bench.measure import Case, Goal, Measured, Report, finish, options, rounds_of, wait_for_quiet

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

FLIGHTS = (1, 32)  # questions on their way at once
PAYLOAD = {
    "session_id": "bench",
    "cwd": "/",
    "tool_name": "Bash",
    "tool_input": {"command": "ls -l", "description": "list"},
}
BODY = json.dumps({"event": "PreToolUse", "dialect": "claude-code", "payload": PAYLOAD}).encode()
# A guard of another tool: it is looked at each time, and never asked.
HOOKS = {
    "hooks": {
        "PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "exit 2"}]}]
    }
}
FIRE, STREAM = "/hookline.v1.Hooks/Fire", "/hookline.v1.Hooks/FireStream"
READY = "ready"


def engine() -> hookline.Engine:
    """What every server here asks."""
    return hookline.Engine.from_config(HOOKS, dialect="claude-code", environ={})


# -- the servers -----------------------------------------------------------------------------------


def serve_http(path: str) -> None:
    """Ours, as `hookline serve --unix`."""
    # The extra, here and below: the other cases go without.
    from hookline.server.auth import TokenCheck  # noqa: PLC0415
    from hookline.server.lifecycle import ServerRun, listen_unix_path  # noqa: PLC0415 - as above
    from hookline.server.metrics import Meter  # noqa: PLC0415 - as above
    from hookline.server.service import Service  # noqa: PLC0415 - as above

    service = Service(engine(), meter=Meter(), contract={})
    running = ServerRun(TokenCheck(service.app(), token="-"), [listen_unix_path(path)])  # noqa: S106 - a unix socket needs none
    print(READY, flush=True)
    running.run()


def echo_http(path: str) -> None:
    """What starlette and uvicorn cost."""
    import uvicorn  # noqa: PLC0415 - as above
    from starlette.applications import Starlette  # noqa: PLC0415 - as above
    from starlette.responses import Response  # noqa: PLC0415 - as above
    from starlette.routing import Route  # noqa: PLC0415 - as above

    from hookline.server.lifecycle import listen_unix_path  # noqa: PLC0415 - as above

    async def echo(request: Any) -> Response:
        return Response(await request.body(), media_type="application/json")

    app = Starlette(routes=[Route("/v1/fire", echo, methods=["POST"])])
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
    )
    listening = listen_unix_path(path)
    print(READY, flush=True)
    uvicorn.Server(config).run(sockets=[listening])


def serve_grpc(path: str) -> None:
    """Ours, as `hookline serve --grpc`."""
    from hookline.remote import serve_engine  # noqa: PLC0415 - as above

    with serve_engine(engine(), f"unix:{path}"):
        print(READY, flush=True)
        threading.Event().wait()


def echo_grpc(path: str) -> None:
    """grpc.aio and two methods that return what they get, as the bytes that it is."""
    import grpc  # noqa: PLC0415 - as above

    async def one(asked: bytes, _: Any) -> bytes:
        return asked

    async def many(asked: AsyncIterator[bytes], _: Any) -> AsyncIterator[bytes]:
        async for each in asked:
            yield each

    async def run() -> None:
        server = grpc.aio.server()
        methods = {
            "Fire": grpc.unary_unary_rpc_method_handler(one),
            "FireStream": grpc.stream_stream_rpc_method_handler(many),
        }
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("hookline.v1.Hooks", methods),)
        )
        server.add_insecure_port(f"unix:{path}")
        await server.start()
        print(READY, flush=True)
        await server.wait_for_termination()

    asyncio.run(run())


SERVERS: dict[str, Callable[[str], None]] = {
    "http": serve_http,
    "http-echo": echo_http,
    "grpc": serve_grpc,
    "grpc-echo": echo_grpc,
}


@contextmanager
def server(name: str, folder: Path) -> Iterator[str]:
    """A server as a process of its own, when it listens; its socket.

    Raises:
        RuntimeError: it did not come up; says why.
    """
    path = str(folder / name)
    with subprocess.Popen(
        [sys.executable, "-m", "bench.server", "--serve", name, path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            if process.stdout is None or process.stdout.readline().strip() != READY:
                raise RuntimeError(
                    (
                        process.stderr.read().strip().splitlines()
                        if process.stderr
                        else ["it ended"]
                    )[-1]
                )
            yield path
        finally:
            process.kill()


# -- the clients -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Clients:
    """Questions of one sort, so many on their way at once.

    `seconds` has what each took, in every round.
    """

    loop: asyncio.AbstractEventLoop
    ask: Callable[[int], Awaitable[None]]
    flight: int
    seconds: list[float] = field(default_factory=list)

    def __call__(self, times: int) -> float:
        """A sample, as `measure` wants it: this many questions."""
        return self.loop.run_until_complete(self._all(times))

    async def _all(self, times: int) -> float:
        left = iter(range(times))
        began = time.perf_counter()
        await asyncio.gather(
            *(self._some(number, left) for number in range(min(self.flight, times)))
        )
        return time.perf_counter() - began

    async def _some(self, number: int, left: Iterator[int]) -> None:
        for _ in left:
            began = time.perf_counter()
            await self.ask(number)
            self.seconds.append(time.perf_counter() - began)

    def quantile(self, part: float) -> float:
        """The time, in seconds, that this part of the questions stayed below."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, math.floor(part * len(ordered)))]


async def over_http(path: str) -> Callable[[int], Awaitable[None]]:
    """Each client has a connection of its own, which is kept.

    What comes is read and no more than that.
    """
    asked = (
        b"POST /v1/fire HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n%b"
        % (
            len(BODY),
            BODY,
        )
    )
    connections = [await asyncio.open_unix_connection(path) for _ in range(max(FLIGHTS))]

    async def ask(number: int) -> None:
        reader, writer = connections[number]
        if (
            writer.transport.is_closing() or reader.at_eof()
        ):  # it was idle while others had their turn
            reader, writer = connections[number] = await asyncio.open_unix_connection(path)
        writer.write(asked)
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(head.decode("latin-1"))
        await reader.readexactly(
            int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        )

    return ask


def fire_request(request_id: str) -> bytes:
    """The same question as `BODY`, as gRPC carries it."""
    from hookline.remote.proto import bridge_pb2 as pb  # noqa: PLC0415 - as above

    made = pb.FireRequest(
        request_id=request_id,
        event="PreToolUse",
        dialect="claude-code",
        payload_json=json.dumps(PAYLOAD).encode(),
    )
    return made.SerializeToString()


async def over_unary(path: str) -> Callable[[int], Awaitable[None]]:
    """One channel for all clients; the bytes are made beforehand."""
    import grpc  # noqa: PLC0415 - as above

    call = grpc.aio.insecure_channel(f"unix:{path}").unary_unary(FIRE)
    asked = fire_request("1")

    async def ask(_: int) -> None:
        await call(asked)

    return ask


async def over_stream(path: str) -> Callable[[int], Awaitable[None]]:
    """One stream for all clients: each has one open question, and finds its answer by number."""
    import grpc  # noqa: PLC0415 - as above

    from hookline.remote.proto import bridge_pb2 as pb  # noqa: PLC0415 - as above

    call = grpc.aio.insecure_channel(f"unix:{path}").stream_stream(STREAM)()
    asked = [fire_request(str(number)) for number in range(max(FLIGHTS))]
    waiting: dict[str, asyncio.Future[None]] = {}

    async def read() -> None:
        async for said in call:
            waiting.pop(pb.FireReply.FromString(said).request_id).set_result(None)

    loop = asyncio.get_running_loop()
    reading, writing = loop.create_task(read()), asyncio.Lock()

    async def ask(number: int) -> None:
        if reading.done():
            raise RuntimeError("the stream has ended")
        waiting[str(number)] = answered = loop.create_future()
        async with writing:  # grpc.aio takes one message at a time
            await call.write(asked[number])
        await answered

    return ask


async def in_process(_: str) -> Callable[[int], Awaitable[None]]:
    """The same text in, the same text out, and no way between."""
    asked = engine()

    async def ask(_: int) -> None:
        sent = json.loads(BODY)
        decision = await asked.fire_async(sent["event"], sent["payload"], dialect=sent["dialect"])
        json.dumps(decision.to_dict())

    return ask


async def echo_in_process(_: str) -> Callable[[int], Awaitable[None]]:
    """Text to text, and nothing between."""

    async def ask(_: int) -> None:
        json.dumps(json.loads(BODY))

    return ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A transport: the server of hookline, the server that echoes, and how to ask both."""

    name: str
    server: str = ""
    echo: str = ""
    needs: str = ""
    ours: Callable[[str], Awaitable[Callable[[int], Awaitable[None]]]]
    floor: Callable[[str], Awaitable[Callable[[int], Awaitable[None]]]]


WAYS = (
    Way(
        name="http",
        server="http",
        echo="http-echo",
        needs="uvicorn",
        ours=over_http,
        floor=over_http,
    ),
    Way(
        name="grpc unary",
        server="grpc",
        echo="grpc-echo",
        needs="grpc",
        ours=over_unary,
        floor=over_unary,
    ),
    Way(
        name="grpc stream",
        server="grpc",
        echo="grpc-echo",
        needs="grpc",
        ours=over_stream,
        floor=over_stream,
    ),
    Way(name="in process", ours=in_process, floor=echo_in_process),
)

# -- the run ---------------------------------------------------------------------------------------


def cases(
    loop: asyncio.AbstractEventLoop, folder: Path, stack: ExitStack, notes: list[str]
) -> tuple[list[Case], dict[str, Clients]]:
    """Every way that can be gone here, with few and with many questions at once.

    For the others a note says why not.
    """
    paths: dict[str, str] = {"": ""}
    made: list[Case] = []
    clients: dict[str, Clients] = {}
    for way in WAYS:
        if way.needs and importlib.util.find_spec(way.needs) is None:
            notes.append(f"{way.name}: `{way.needs}` is not installed")
            continue
        try:
            for name in {way.server, way.echo} - set(paths):
                paths[name] = stack.enter_context(server(name, folder))
            ours, floor = (
                loop.run_until_complete(ask(paths[at]))
                for ask, at in ((way.ours, way.server), (way.floor, way.echo))
            )
        except Exception as error:  # noqa: BLE001 - one way that is closed must not end the benchmark of the others
            notes.append(f"{way.name}: cannot be measured ({type(error).__name__}: {error})")
            continue
        for flight in FLIGHTS:
            echo, mine = f"{way.name} echo, {flight} at once", f"{way.name}, {flight} at once"
            clients[echo], clients[mine] = Clients(loop, floor, flight), Clients(loop, ours, flight)
            made += [
                Case(name=echo, sample=clients[echo], heading=way.name),
                Case(name=mine, sample=clients[mine], floor=echo, heading=way.name),
            ]
    return made, clients


def rates(results: dict[str, Measured], clients: dict[str, Clients]) -> list[list[str]]:
    """How many a second, and how long each waited: rows for the report."""
    rows = [["", "a second", "p50 us", "p99 us", "p99 x floor"]]
    for name, found in results.items():
        asked, floor = clients[name], clients.get(found.case.floor)
        beside = f"{asked.quantile(0.99) / floor.quantile(0.99):.2f}x" if floor else "floor"
        rows.append(
            [
                name,
                f"{1 / found.median:,.0f}",
                f"{asked.quantile(0.5) * 1e6:,.0f}",
                f"{asked.quantile(0.99) * 1e6:,.0f}",
                beside,
            ]
        )
    return rows


def slowest(results: dict[str, Measured], clients: dict[str, Clients]) -> dict[str, Measured]:
    """The p99 of single questions, of one client alone: what 32 wait for is the cores."""
    return {
        f"{name}, p99": Measured(
            case=Case(
                name=f"{name}, p99",
                sample=clients[name],
                floor=f"{found.case.floor}, p99" if found.case.floor else "",
                heading=f"{found.case.heading}, the slowest of a hundred",
            ),
            rounds=(clients[name].quantile(0.99),),
        )
        for name, found in results.items()
        if clients[name].flight == 1
    }


def goals(present: set[str]) -> tuple[Goal, ...]:
    """What is to be reached, as far as it is here."""
    wanted = [
        Goal(
            text=f"{way.name}: {flight} at once, beside an echo",
            case=f"{way.name}, {flight} at once",
            against=f"{way.name} echo, {flight} at once",
            target=2.0,
            bound=3.0,
        )
        for way in WAYS
        for flight in FLIGHTS
    ] + [
        Goal(
            text=f"{way.name}: p99 of 1 at once, beside an echo's",
            case=f"{way.name}, 1 at once, p99",
            against=f"{way.name} echo, 1 at once, p99",
            target=2.0,
            bound=4.0,
        )
        for way in WAYS
    ]
    return tuple(goal for goal in wanted if {goal.case, goal.against} <= present)


def main() -> int:
    """Measure, print, and return the exit code."""
    made = options("Decisions over HTTP and gRPC.", rounds=8)
    made.add_argument("--serve", nargs=2, metavar=("NAME", "PATH"), help=argparse.SUPPRESS)
    given = made.parse_args()
    if given.serve:
        SERVERS[given.serve[0]](given.serve[1])
        return 0
    busy = wait_for_quiet(given.wait)
    notes: list[str] = []
    loop = asyncio.new_event_loop()
    with tempfile.TemporaryDirectory(prefix="hookline-bench-") as folder, ExitStack() as stack:
        measured, clients = cases(loop, Path(folder), stack, notes)
        for asked in clients.values():
            asked.seconds.clear()
        results = rounds_of(measured, rounds=given.rounds, batch=0.15)
        loop.run_until_complete(_let_go())
    loop.close()
    details = rates(results, clients)
    results |= slowest(results, clients)
    report = Report(
        name="server",
        unit="us",
        results=results,
        goals=goals(set(results)),
        notes=notes,
        details=details,
    )
    return finish(report, given, busy)


async def _let_go() -> None:
    """End what reads from streams."""
    here = asyncio.current_task()
    ending = [task for task in asyncio.all_tasks() if task is not here]
    for task in ending:
        task.cancel()
    await asyncio.gather(*ending, return_exceptions=True)


if __name__ == "__main__":
    sys.exit(main())
