"""Bridge: the engine's end of all links to remote handlers: which are attached, which hooks count, and what a loss means."""

from __future__ import annotations

import asyncio
import hmac
import re
import secrets
import time
from collections import deque
from typing import TYPE_CHECKING

from hookline.dialects.a3s import NAME
from hookline.dialects.a3s.table import TABLE
from hookline.errors import ConfigError
from hookline.model.outcome import Failure
from hookline.remote.bridge_state import BridgeState
from hookline.remote.definitions import make_placeholders, read_hooks
from hookline.remote.event_loop import REMOTE
from hookline.remote.limits import PROTOCOL, Bounds
from hookline.remote.link import Link
from hookline.remote.peer import Peer, bind_handlers
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.stream import run_stream

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence

    from hookline.engine.engine import Engine
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.remote.definitions import ReadHooks
    from hookline.remote.outbox import Outbox
    from hookline.remote.stream import Caller

_INSTANCE = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_REMEMBERED = 256


class Bridge(BridgeState):
    """Hooks of an engine whose handlers run elsewhere. The transport passes its frames to `converse`.

    `others` returns the further engines that get these hooks too; an engine created later gets the hooks that the first one has by
    then. `expected` are instances whose gates stay closed until they send their hooks. `token` is demanded from callers that did not
    use a unix socket of this user; `tokens` belong to single instances and prove their identity. `clock` and `sleep` count seconds;
    `trace` returns a W3C trace context to use instead of the event's own or the current span's. Everything except `forget`, `close`
    and read-only attributes belongs to the event loop of `hookline.remote`.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        others: Callable[[], Iterable[Engine]] = tuple,
        token: str = "",
        tokens: Mapping[str, str] | None = None,
        bounds: Bounds | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        trace: Callable[[], str] | None = None,
        expected: Iterable[str] = (),
    ) -> None:
        super().__init__(bounds or Bounds(), clock, sleep, trace)
        self.engine = engine
        self.peers: dict[str, Peer] = {}
        self.warnings: deque[Problem] = deque(maxlen=_REMEMBERED)
        self._others = others
        self._token = token.encode()
        self._tokens = {instance: own.encode() for instance, own in (tokens or {}).items()}
        self._links: set[Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._expected = frozenset(expected)
        for instance in self._expected:
            if not _INSTANCE.fullmatch(instance):
                raise _bad_name_error(instance)
            self._install(instance, make_placeholders(instance, self.dialect))

    # -- looking ---------------------------------------------------------------------------------------------------

    @property
    def attached(self) -> tuple[str, ...]:
        """Return the instances that are attached now and have sent their hooks."""
        return tuple(
            peer.instance
            for peer in list(self.peers.values())
            if peer.link is not None and peer.ready
        )

    # -- streams ---------------------------------------------------------------------------------------------------

    async def converse(
        self,
        caller: Caller,
        incoming: AsyncIterable[pb.HandlerFrame],
        outbox: Outbox[pb.EngineFrame],
    ) -> None:
        """Serve one stream until it ends. Frames that are then in the outbox must still be sent."""
        link = Link(self, caller, outbox)
        self._links.add(link)
        try:
            if self.closed:
                link.end("the bridge is closed")
            await run_stream(link, incoming, outbox)
        finally:
            self._links.discard(link)

    def admit(self, link: Link, hello: pb.Hello) -> tuple[Peer, bool]:
        """Return the peer of a link, and whether that instance resumes its former session.

        Raises:
            ConfigError: it does not prove its identity, or there is no room.
        """
        self._check(link.caller, hello)
        peer = self.peers.get(hello.instance_id)
        if peer is None:
            self._make_room()
            peer = self.peers[hello.instance_id] = Peer(
                self, hello.instance_id, secrets.token_urlsafe(24)
            )
            peer.link = link
            return peer, False
        resumed = bool(hello.resume_id) and hmac.compare_digest(
            hello.resume_id.encode(), peer.key.encode()
        )
        held = peer.link is not None or self.clock() - peer.lost_at < self.bounds.memory
        if held and not resumed and hello.instance_id not in self._tokens:
            raise ConfigError(
                f"another process holds `{hello.instance_id}`",
                name="remote.taken",
                hint="or an earlier one of the same program, without its key",
            )
        former, peer.link = peer.link, link
        peer.ready = peer.draining = False
        if former is not None:
            former.end("another process with its key took its place")
        if resumed:
            self.count("resumed")
        else:
            peer.key = secrets.token_urlsafe(24)
            peer.fail_all("another process took its place")
        return peer, resumed

    def _check(self, caller: Caller, hello: pb.Hello) -> None:
        if hello.protocol != PROTOCOL:
            raise ConfigError(
                f"protocol {hello.protocol} is not supported",
                name="remote.protocol",
                hint=f"{PROTOCOL} is",
            )
        if not _INSTANCE.fullmatch(hello.instance_id):
            raise _bad_name_error(hello.instance_id)
        own = self._tokens.get(hello.instance_id)
        expected = self._token if own is None else own
        if own is None and caller.proven:
            return
        if not expected or not hmac.compare_digest(hello.token, expected):
            raise ConfigError("the token is missing or wrong", name="remote.token")

    def _make_room(self) -> None:
        if len(self.peers) >= self.bounds.peers:
            for instance in [
                each.instance
                for each in self.peers.values()
                if each.link is None and not each.hooks
            ]:
                del self.peers[instance]
        if len(self.peers) >= self.bounds.peers:
            raise ConfigError(
                f"{self.bounds.peers} instances are attached or missed", name="remote.bounds"
            )

    def welcome(self, peer: Peer, *, resumed: bool) -> pb.Welcome:
        """Return the welcome for an admitted instance."""
        return pb.Welcome(
            protocol=PROTOCOL,
            session_key=peer.key,
            max_in_flight=self.bounds.in_flight,
            max_payload_bytes=self.bounds.payload,
            ping_ms=round(self.bounds.ping * 1000),
            event_types=list(TABLE.rows),
            resumed=resumed,
        )

    def read_hooks(self, registry: pb.Registry) -> ReadHooks:
        """Read the hooks of a registry; callable from any thread.

        Raises:
            ConfigError: the set is refused.
        """
        return read_hooks(registry.hooks, self.dialect, self.bounds)

    def register(self, peer: Peer, found: ReadHooks, generation: int) -> list[pb.Rejected]:
        """Replace a peer's hooks in every engine; return those that were rejected."""
        specs = bind_handlers(peer, found.specs, generation)
        self._expected -= {peer.instance}
        self._install(peer.instance, specs)
        peer.hooks = frozenset(spec.name for spec in specs)
        self.warnings.extend(found.warnings)
        for _ in found.rejected:
            self.count("rejected")
        return [pb.Rejected(hook_id=hook, problem=problem) for hook, problem in found.rejected]

    def _install(self, instance: str, specs: Sequence[HookSpec]) -> None:
        """Install hooks in the first engine, then in the others; an engine created meanwhile gets them either way."""
        self.engine.loader.enlist(f"remote:{instance}", specs, NAME, self.end_session)
        for engine in self._others():
            engine.loader.enlist(f"remote:{instance}", specs, NAME, self.end_session)

    def handle_loss(self, link: Link, why: str) -> None:
        """Handle the loss of a link. Its peer is lost too, unless it has another link by now."""
        peer = link.peer
        if peer is None or peer.link is not link:
            return
        self.count("lost")
        after = peer.handle_loss(why)
        if after is not None:
            task = asyncio.get_running_loop().create_task(after)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    # -- ending ----------------------------------------------------------------------------------------------------

    def end_session(self, session_id: str) -> None:
        """Cancel invocations for a session that has ended; callable from any thread."""
        REMOTE.call_soon(self._end_session, session_id)

    def _end_session(self, session_id: str) -> None:
        for peer in self.peers.values():
            for invocation in [
                each for each in peer.iter_invocations() if each.session_id == session_id
            ]:
                peer.withdraw(invocation, "its session has ended")
                invocation.fail(Failure.CANCELLED, "its session has ended")

    def forget(self, instance: str) -> bool:
        """Drop an instance and its hooks, guards included; from any thread except the bridge's own. False if there is none."""
        return REMOTE.run(self._forget(instance))

    async def _forget(self, instance: str) -> bool:
        peer = self.peers.pop(instance, None)
        awaited = instance in self._expected
        self._expected -= {instance}
        if peer is not None or awaited:
            self._install(instance, [])
        if peer is None:
            return awaited
        peer.fail_all("it was forgotten")
        if peer.link is not None:
            peer.link.end("it was forgotten")
        return True

    def close(self, drain: float = 10.0) -> None:
        """Say goodbye, wait at most `drain` seconds for running invocations, and end every link.

        The hooks stay: a gate without handlers is closed. Callable from any thread except the bridge's own.
        """
        REMOTE.run(self.close_async(drain))

    async def close_async(self, drain: float) -> None:
        """Do what `close` does, on the bridge's event loop."""
        self.closed = True
        for link in self._links:
            link.post(
                pb.EngineFrame(
                    goaway=pb.Goaway(why="the engine ends", drain_ms=round(drain * 1000))
                )
            )
        asked = [
            invocation.answered
            for peer in self.peers.values()
            for invocation in peer.iter_invocations()
        ]
        if asked and drain > 0:
            await asyncio.wait(asked, timeout=drain)
        for peer in self.peers.values():
            for invocation in list(peer.iter_invocations()):
                peer.withdraw(invocation, "the engine ends")
            peer.fail_all("the engine ends")
        for link in list(self._links):
            link.end("the engine ends", said=False)
        for task in self._tasks:
            task.cancel()


def _bad_name_error(instance: str) -> ConfigError:
    hint = "letters, digits, and `.`, `_`, `:`, `-`; at most 128"
    return ConfigError(
        f"{instance!r:.80} is not a name for an instance", name="remote.protocol", hint=hint
    )
