"""Bridge: the engine's end of every link to handlers elsewhere: who is there, whose hooks count, and what the losses cost."""

from __future__ import annotations

import asyncio
import hmac
import re
import secrets
import time
from collections import Counter, deque
from itertools import count
from typing import TYPE_CHECKING

from hookline.dialects.a3s import A3S, NAME
from hookline.dialects.a3s.table import TABLE
from hookline.errors import ConfigError
from hookline.model.outcome import Failure
from hookline.remote.bounds import PROTOCOL, Bounds
from hookline.remote.definitions import enrolled, missed
from hookline.remote.link import Link
from hookline.remote.loop import REMOTE
from hookline.remote.peer import Peer, bound
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.talking import talk
from hookline.remote.tracing import traceparent_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence

    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.remote.definitions import Enrolled
    from hookline.remote.outbox import Outbox
    from hookline.remote.talking import Caller

_INSTANCE = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_REMEMBERED = 256


class Bridge:
    """Hooks of an engine whose handlers are elsewhere. Whatever carries the frames gives them to `converse`.

    `others` tells further engines, as they are now, whose hooks these are to be; whoever makes one gives it, when it is told of
    here, the hooks that the first one has by then. `expected` are instances whose gates are closed until they tell their hooks. `token` is asked of whoever did not come by a unix socket of this
    user; `tokens` are those of single instances, which prove which one it is. `clock` and `sleep` count seconds; `trace`
    tells the W3C trace context of what is asked, where it is not the event's own or that of the current span. Everything but `forget`, `close` and what can be looked at belongs to the
    event loop of `hookline.remote`.
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
        self.engine = engine
        self.bounds = bounds or Bounds()
        self.clock = clock
        self.sleep = sleep
        self.trace: Callable[[Event], str] = traceparent_of if trace is None else lambda _: trace()
        self.dialect = A3S()
        self.peers: dict[str, Peer] = {}
        self.warnings: deque[Problem] = deque(maxlen=_REMEMBERED)
        self._others = others
        self._token = token.encode()
        self._tokens = {instance: own.encode() for instance, own in (tokens or {}).items()}
        self._counts: Counter[str] = Counter()
        self._prefix, self._ids = secrets.token_hex(6), count(1)
        self._links: set[Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.closed = False
        self._expected = frozenset(expected)
        for instance in self._expected:
            if not _INSTANCE.fullmatch(instance):
                raise _no_name(instance)
            self._enlist(instance, missed(instance, self.dialect))

    # -- looking ---------------------------------------------------------------------------------------------------

    @property
    def counts(self) -> dict[str, int]:
        """What happened how often: late, dropped, failed, cancelled, resent, refused, rejected, stale, resumed, lost, unknown."""
        return dict(self._counts)

    @property
    def attached(self) -> tuple[str, ...]:
        """The instances that are there now, and whose hooks are known."""
        return tuple(
            peer.instance
            for peer in list(self.peers.values())
            if peer.link is not None and peer.ready
        )

    def count(self, what: str) -> None:
        self._counts[what] += 1

    def next_id(self) -> str:
        """An id that no other invocation has, also of another engine."""
        return f"{self._prefix}-{next(self._ids)}"

    # -- streams ---------------------------------------------------------------------------------------------------

    async def converse(
        self,
        caller: Caller,
        incoming: AsyncIterable[pb.HandlerFrame],
        outbox: Outbox[pb.EngineFrame],
    ) -> None:
        """Talk to whoever is at the other end of a stream, until it ends. What is in the outbox then is still to be sent."""
        link = Link(self, caller, outbox)
        self._links.add(link)
        try:
            if self.closed:
                link.end("the bridge is closed")
            await talk(link, incoming, outbox)
        finally:
            self._links.discard(link)

    def admit(self, link: Link, hello: pb.Hello) -> tuple[Peer, bool]:
        """Whose link it is, and whether that instance goes on where it was.

        Raises:
            ConfigError: it does not prove who it is, or there is no room.
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
                f"`{hello.instance_id}` is held by somebody else",
                name="remote.taken",
                hint="or by one that did not keep its key",
            )
        former, peer.link = peer.link, link
        peer.ready = peer.draining = False
        if former is not None:
            former.end("somebody with its key took its place")
        if resumed:
            self.count("resumed")
        else:
            peer.key = secrets.token_urlsafe(24)
            peer.fail_all("somebody else came in its place")
        return peer, resumed

    def _check(self, caller: Caller, hello: pb.Hello) -> None:
        if hello.protocol != PROTOCOL:
            raise ConfigError(
                f"protocol {hello.protocol} is not spoken here",
                name="remote.protocol",
                hint=f"{PROTOCOL} is",
            )
        if not _INSTANCE.fullmatch(hello.instance_id):
            raise _no_name(hello.instance_id)
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
        """What an instance is told that was let in."""
        return pb.Welcome(
            protocol=PROTOCOL,
            session_key=peer.key,
            max_in_flight=self.bounds.in_flight,
            max_payload_bytes=self.bounds.payload,
            ping_ms=round(self.bounds.ping * 1000),
            event_types=list(TABLE.rows),
            resumed=resumed,
        )

    def enrolled(self, registry: pb.Registry) -> Enrolled:
        """The hooks of a registry, read; on any thread.

        Raises:
            ConfigError: the set cannot be taken.
        """
        return enrolled(registry.hooks, self.dialect, self.bounds)

    def register(self, peer: Peer, found: Enrolled, generation: int) -> list[pb.Rejected]:
        """Put a peer's hooks in the place of its former ones, in every engine; returns those that were rejected."""
        specs = bound(peer, found.specs, generation)
        self._expected -= {peer.instance}
        self._enlist(peer.instance, specs)
        peer.hooks = frozenset(spec.name for spec in specs)
        self.warnings.extend(found.warnings)
        for _ in found.rejected:
            self.count("rejected")
        return [pb.Rejected(hook_id=hook, problem=problem) for hook, problem in found.rejected]

    def _enlist(self, instance: str, specs: Sequence[HookSpec]) -> None:
        """Put hooks in place in the first engine, and only then look for others: one that is made meanwhile has them by either way."""
        self.engine.enlist(f"remote:{instance}", specs, NAME, self.end_session)
        for engine in self._others():
            engine.enlist(f"remote:{instance}", specs, NAME, self.end_session)

    def left(self, link: Link, why: str) -> None:
        """A link was lost. It counts as its peer's loss, unless that has another one by now."""
        peer = link.peer
        if peer is None or peer.link is not link:
            return
        self.count("lost")
        after = peer.left(why)
        if after is not None:
            task = asyncio.get_running_loop().create_task(after)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    # -- ending ----------------------------------------------------------------------------------------------------

    def end_session(self, session_id: str) -> None:
        """Cancel whatever is still asked about events of a session that has ended; from any thread."""
        REMOTE.tell(self._end_session, session_id)

    def _end_session(self, session_id: str) -> None:
        for peer in self.peers.values():
            for invocation in [each for each in peer.under_way() if each.session_id == session_id]:
                peer.withdraw(invocation, "its session has ended")
                invocation.fail(Failure.CANCELLED, "its session has ended")

    def forget(self, instance: str) -> bool:
        """Drop an instance and its hooks, guards included; from any thread but the bridge's own. False if there is none."""
        return REMOTE.run(self._forget(instance))

    async def _forget(self, instance: str) -> bool:
        peer = self.peers.pop(instance, None)
        awaited = instance in self._expected
        self._expected -= {instance}
        if peer is not None or awaited:
            self._enlist(instance, [])
        if peer is None:
            return awaited
        peer.fail_all("it was forgotten")
        if peer.link is not None:
            peer.link.end("it was forgotten")
        return True

    def close(self, drain: float = 10.0) -> None:
        """Tell everybody to go, wait for what is under way, at most so many seconds, and end every link.

        The hooks stay: a gate whose handlers are gone is closed. From any thread but the bridge's own.
        """
        REMOTE.run(self.closing(drain))

    async def closing(self, drain: float) -> None:
        """`close`, on the event loop of the bridge."""
        self.closed = True
        for link in self._links:
            link.post(
                pb.EngineFrame(
                    goaway=pb.Goaway(why="the engine ends", drain_ms=round(drain * 1000))
                )
            )
        asked = [
            invocation.answered for peer in self.peers.values() for invocation in peer.under_way()
        ]
        if asked and drain > 0:
            await asyncio.wait(asked, timeout=drain)
        for peer in self.peers.values():
            for invocation in list(peer.under_way()):
                peer.withdraw(invocation, "the engine ends")
            peer.fail_all("the engine ends")
        for link in list(self._links):
            link.end("the engine ends", said=False)
        for task in self._tasks:
            task.cancel()


def _no_name(instance: str) -> ConfigError:
    hint = "letters, digits, and `.`, `_`, `:`, `-`; at most 128"
    return ConfigError(
        f"{instance!r:.80} is no name of an instance", name="remote.protocol", hint=hint
    )
