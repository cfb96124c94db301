"""Service: the HTTP endpoints for events, approvals and metrics."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from hookline.engine.drive import hooks_seconds, host_deadline
from hookline.engine.fallback import find_fallback
from hookline.engine.notices import add_notices, write_reply
from hookline.errors import CodecError, ConfigError, HookError
from hookline.handlers.recursion_guard import MODEL_CALL_HEADER
from hookline.model.kinds import ACTIONS
from hookline.remote.admission import Admission
from hookline.server.approvals import Approvals, find_status
from hookline.server.lifecycle import cancel_on_disconnect
from hookline.server.metrics import MEDIA_TYPE, Meter
from hookline.server.request_bodies import (
    parse_body,
    read_bytes,
    read_fire_request,
    read_json_body,
    read_seconds,
)
from hookline.server.responses import (
    APPROVE,
    CHAT,
    WHOLE,
    RequestError,
    answer_undecided,
    make_document,
    make_problem,
    make_reply,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request

    from hookline.core.dialect import Dialect
    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.verdict import Decision


# Statuses that mean an event without a decision; the others refuse the sender.
_UNDECIDED = frozenset((400, 408, 413, 415, 422, 500, 503))


class Service:
    """Answers requests with an engine. Everything in it runs on one event loop.

    `own`: engines for hosts whose own files call this server, without these files. `seconds`: the
    limit for all hooks of one event. `deadline`: seconds for one event, its wait for admission
    included; 0: what the client sends in `Hookline-Seconds`, or else the host dialect's default.
    `turns`: limits concurrent events from all entrances. `contract`: the OpenAPI document.
    `approving` answers requests to approve hooks (None: refuses them). `elsewhere` adds notices
    about the event's folder to a decision. `tell` receives a line for each internal fault.
    `refresh` reads the hook files again.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        meter: Meter,
        contract: Mapping[str, Any],
        own: Mapping[str, Engine] | None = None,
        seconds: float = 600.0,
        deadline: float = 0.0,
        turns: Admission | None = None,
        approving: Approvals | None = None,
        elsewhere: Callable[[Engine, Event, Decision], Awaitable[Decision]] | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.engine = engine
        self.own = own or {}
        self.meter = meter
        self.contract = contract
        self.seconds = seconds
        self.deadline = deadline
        self.turns = turns or Admission(64)
        self.approving = approving or Approvals()
        self.elsewhere = elsewhere
        self.tell = tell
        self.refresh: Callable[[], object] = engine.reload_if_changed
        self.for_people: Callable[[], Engine] = lambda: self.engine
        for name, meaning, value in (
            ("fires_running", "events being asked about", lambda: self.turns.running),
            ("fires_waiting", "events that wait for their turn", lambda: self.turns.waiting),
            ("hooks", "hooks that may take part", lambda: len(self.engine.hooks)),
            ("problems", "what is wrong with the hook files", lambda: len(self.engine.problems)),
        ):
            meter.add_gauge(f"hookline_{name}", meaning, value)

    def app(self) -> Starlette:
        """Return the ASGI application, without authentication."""
        table = (
            ("/v1/fire", "POST", self.fire),
            ("/v1/answer/{dialect}", "POST", self.answer),
            ("/v1/health", "GET", self.health),
            ("/v1/metrics", "GET", self.metrics),
            ("/v1/openapi.json", "GET", self.openapi),
            (APPROVE, "POST", self.approve),
            (CHAT, "POST", self.chat),
        )
        routes = [
            Route(path, self._handle_errors(endpoint), methods=[method])
            for path, method, endpoint in table
        ]
        app = Starlette(routes=routes, exception_handlers={HTTPException: self._answer_not_found})
        app.router.redirect_slashes = False  # a redirect would lead to whatever `Host` says
        return app

    # -- the endpoints -----------------------------------------------------------------------------

    async def fire(self, request: Request) -> Response:
        """Answer an event, canonical or native, with its decision document."""
        _refuse_loop(request)
        event, payload, dialect = read_fire_request(await read_json_body(request))
        raised = self.engine.event(event, payload, dialect=dialect)
        asked = self._decide(self._engine_for(raised.dialect), raised, self._limit(request))
        return make_document((await cancel_on_disconnect(request.receive, asked)).to_dict())

    async def answer(self, request: Request) -> Response:
        """Answer a host's payload with the host's own reply."""
        _refuse_loop(request)
        dialect = request.path_params["dialect"]
        engine = self._engine_for(dialect)
        try:
            host = engine.host(dialect)
        except ConfigError as error:
            raise RequestError(404, error.name, error.message, hint=error.hint) from None
        request.state.sent = await read_bytes(request)
        decision, event = await self._ask_hooks(request, engine, host)
        encode, wants_all = host.encode_decision, _wants_all(request)
        if not wants_all:
            encode = getattr(host, "encode_response", encode)
        return make_reply(write_reply(encode, event, decision), wants_all=wants_all)

    async def _ask_hooks(
        self, request: Request, engine: Engine, host: Dialect
    ) -> tuple[Decision, Event]:
        """Return what the hooks decide about a host's payload, and the event that it is.

        Raises:
            RequestError: there is no decision before the host stops waiting.
        """
        began = monotonic()
        event = host.decode_event(parse_body(request.state.sent))
        seconds = self._limit(request) or host_deadline(host.table, event.native_name)
        left = max(seconds - (monotonic() - began), 0.0)
        hooks, _ = hooks_seconds(left)
        try:
            # The hooks have limits within these seconds. This one holds where hookline is busy.
            async with asyncio.timeout(left):
                asked = self._decide(engine, event, hooks)
                decision = await cancel_on_disconnect(request.receive, asked)
        except TimeoutError:
            message = f"no decision within {seconds:g} s, because the server is busy"
            hint = "ask again, or give the server more time: `hookline serve --deadline S`"
            raise RequestError(503, "serve.busy", message, hint=hint) from None
        return add_notices(engine.runtime, event, decision), event

    async def health(self, _: Request) -> Response:
        """Return whether the server runs, and nothing else; open to every sender."""
        return make_document({"schema": "hookline.health/1", "status": "ok"})

    async def metrics(self, _: Request) -> Response:
        """Return counts and times since the start, for Prometheus."""
        return Response(self.meter.page(), headers={"Content-Type": MEDIA_TYPE})

    async def openapi(self, _: Request) -> Response:
        """Return the OpenAPI document."""
        return make_document(self.contract)

    async def approve(self, request: Request) -> Response:
        """Approve a declared hook; it is live at the next event."""
        return await self.approving.approve(request, self._run_for_people)

    async def chat(self, request: Request) -> Response:
        """Answer a `/hooks` command that a person typed, as plain text."""
        return await self.approving.chat(request, self._run_for_people)

    # -- around the endpoints ----------------------------------------------------------------------

    def _run_for_people(self, work: Callable[[Engine], Any]) -> Any:
        """Return what a function makes of an engine with all hooks, approved or not.

        The files are read before, because the sender has just written one, and after, because an
        approval takes effect at once.
        """
        self.refresh()
        result = work(self.for_people())
        self.refresh()
        return result

    def _engine_for(self, host: str) -> Engine:
        return self.own.get(host, self.engine)

    def _limit(self, request: Request) -> float:
        """Return the seconds for an event, by the command line and the client; 0: no limit."""
        given = [seconds for seconds in (self.deadline, read_seconds(request)) if seconds]
        return min(given, default=0.0)

    async def _decide(self, engine: Engine, event: Event, seconds: float = 0.0) -> Decision:
        began = monotonic()
        async with self.turns.admit():
            left = seconds - (monotonic() - began) if seconds else self.seconds
            decision = await engine.fire_async(event, seconds=max(min(left, self.seconds), 0.0))
        return decision if self.elsewhere is None else await self.elsewhere(engine, event, decision)

    def _handle_errors(
        self, endpoint: Callable[[Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Wrap an endpoint: an exception becomes a problem document, never a traceback."""

        async def answering(request: Request) -> Response:
            try:
                return await endpoint(request)
            except asyncio.CancelledError:  # only the end of the server cancels a request here
                message, hint = "the server stopped before this was decided", "ask again later"
                headers = {"Connection": "close"}
                error: HookError = RequestError(
                    503, "serve.ending", message, hint=hint, headers=headers
                )
            except HookError as failure:
                error = failure
            except Exception as failure:  # noqa: BLE001 - the outermost frame
                self.tell(f"HKL9001 internal error: {type(failure).__name__}: {failure}")
                hint = "this is a fault of hookline; please report it"
                error = RequestError(500, "internal", "internal error", hint=hint)
            problem = self._refuse(error, request.url.path)
            if "dialect" not in request.path_params or problem.status_code not in _UNDECIDED:
                return problem
            return self._answer_undecided(request, error, problem)

        return answering

    def _answer_undecided(self, request: Request, error: HookError, problem: Response) -> Response:
        """Answer a host without a decision: with its own reply if the host reads it."""
        dialect = request.path_params["dialect"]
        engine = self._engine_for(dialect)
        sent = getattr(request.state, "sent", b"") or getattr(error, "sent", b"")
        acts = any(entry.spec.kind in ACTIONS for entry in engine.registry.entries())
        found = find_fallback(dialect, sent, str(error), strict=engine.snapshot.strict, acts=acts)
        return answer_undecided(found, error, problem, wants_all=_wants_all(request))

    def _refuse(self, error: HookError, path: str = "") -> Response:
        """Count and return a problem."""
        self.meter.count_refusal(error.code)
        is_unreadable = isinstance(error, CodecError) and error.name != "wire.event"
        status = find_status(error) if path == APPROVE else 400 if is_unreadable else 422
        return make_problem(error, status, path=path)

    async def _answer_not_found(self, request: Request, error: Exception) -> Response:
        """Answer a path or method that the server does not have."""
        assert isinstance(error, HTTPException)  # noqa: S101 - Starlette calls it for these
        message = f"there is no `{request.method} {request.url.path:.200}`"
        hint, headers = "GET /v1/openapi.json says what there is", error.headers
        return self._refuse(
            RequestError(error.status_code, "serve.request", message, hint=hint, headers=headers)
        )


def _wants_all(request: Request) -> bool:
    """Return whether the client stands in for a command hook."""
    return WHOLE in request.headers.get("accept", "")


def _refuse_loop(request: Request) -> None:
    """Refuse requests from inside a model call that a hook started.

    Raises:
        RequestError: the request is one.
    """
    if MODEL_CALL_HEADER in request.headers:
        message = f"`{MODEL_CALL_HEADER}`: this request comes from inside a hook's model call"
        hint = "let the model's provider answer without asking hookline"
        raise RequestError(508, "serve.loop", message, hint=hint)
