"""Bridge: the engine's end of all links to remote handlers: which are attached, which hooks count, and what a loss means."""

from __future__ import annotations

import asyncio
import hmac
import re
import secrets
import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from hookline.dialects.a3s import A3S
from hookline.dialects.a3s.table import NAME, TABLE
from hookline.errors import CODES, ConfigError
from hookline.model.verdict import Failure
from hookline.remote.definitions import make_placeholders, read_hooks
from hookline.remote.event_loop import REMOTE
from hookline.remote.limits import PROTOCOL, Bounds
from hookline.remote.peer import Link, Peer
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.stream import read_frames

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence

    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec
    from hookline.remote.stream import Outbox

_INSTANCE = re.compile(r"[A-Za-z0-9._:-]{1,128}")


class Bridge:
    """Hooks of an engine whose handlers run elsewhere.

    The transport passes its frames to `converse`.

    `others` returns the further engines that get these hooks too; an engine created later gets the
    hooks that the first one has by then. `expected` are instances whose gates stay closed until
    they send their hooks. `token` is demanded from callers that did not use a unix socket of this
    user; `tokens` belong to single instances and prove their identity. `counts`: how often each
    thing happened: late, dropped, refused, resumed, lost. Everything except `forget`, `close` and
    read-only attributes belongs to the event loop of `hookline.remote`.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        others: Callable[[], Iterable[Engine]] = tuple,
        token: str = "",
        tokens: Mapping[str, str] | None = None,
        bounds: Bounds | None = None,
        expected: Iterable[str] = (),
    ) -> None:
        self.engine = engine
        self.bounds = bounds or Bounds()
        self.closed = False
        self._dialect = A3S()
        self.counts: Counter[str] = Counter()
        self.peers: dict[str, Peer] = {}
        self._others = others
        self._token = token
        self._tokens = tokens or {}
        self._links: set[Link] = set()
        self._expected = set(expected)
        for instance in self._expected:
            _check_name(instance)
            self._install(instance, make_placeholders(instance, self._dialect))

    @property
    def attached(self) -> tuple[str, ...]:
        """Return the instances that are attached now and have sent their hooks."""
        return tuple(peer.instance for peer in list(self.peers.values()) if peer.ready)

    # -- streams -----------------------------------------------------------------------------------

    async def converse(
        self,
        incoming: AsyncIterable[pb.HandlerFrame],
        outbox: Outbox[pb.EngineFrame],
        *,
        proven: bool,
    ) -> None:
        """Serve one stream until it ends. Frames that are then in the outbox must still be sent."""
        link = Link(outbox, proven=proven)
        if self.closed:
            link.end("the bridge is closed")
            return
        self._links.add(link)
        asyncio.get_running_loop().call_later(self.bounds.hello, self._refuse_silence, link)
        why = ""
        try:
            why = await read_frames(incoming, outbox, partial(self._take, link))
        finally:
            link.handle_end(why)
            self._links.discard(link)

    def _take(self, link: Link, frame: pb.HandlerFrame) -> Awaitable[None] | None:
        """Handle a frame; the caller awaits the result before the next one."""
        kind, peer = frame.WhichOneof("kind"), link.peer
        try:
            if peer is None and kind == "hello":
                self._greet(link, frame.hello)
            elif peer is None or kind == "hello":
                words = "the first frame must be a Hello, and no other one"
                self._refuse(link, ConfigError(words, name="remote.protocol"))
            elif kind == "result":
                peer.handle_result(frame.result)
            elif kind == "registry":
                peer.count_registry()
                return self._register(link, peer, frame.registry)
            elif kind == "ping":
                link.post(pong=pb.Pong(n=frame.ping.n))
            elif kind == "goaway":
                peer.draining = True
                peer.end_if_done()
        except ConfigError as error:
            self._refuse(link, error)
        return None

    def _refuse(self, link: Link, error: ConfigError) -> None:
        """End a stream because of a fault of the other side."""
        self.counts["refused"] += 1
        link.end(f"{CODES[error.name]}: {error}")

    def _refuse_silence(self, link: Link) -> None:
        """End a stream on which no Hello came."""
        if link.peer is None and not link.outbox.closed.is_set():
            self._refuse(link, ConfigError("no Hello came", name="remote.protocol"))

    def _greet(self, link: Link, hello: pb.Hello) -> None:
        link.peer, resumed = self._admit(link, hello)
        welcome = pb.Welcome(
            protocol=PROTOCOL,
            session_key=link.peer.key,
            max_in_flight=self.bounds.in_flight,
            max_payload_bytes=self.bounds.payload,
            event_types=list(TABLE.rows),
            resumed=resumed,
        )
        link.post(welcome=welcome)

    def _admit(self, link: Link, hello: pb.Hello) -> tuple[Peer, bool]:
        """Return the peer of a link, and whether that instance resumes its former session.

        Raises:
            ConfigError: it does not prove its identity, or there is no room.
        """
        if hello.protocol != PROTOCOL:
            words = f"protocol {hello.protocol} is not supported, {PROTOCOL} is"
            raise ConfigError(words, name="remote.protocol")
        _check_name(hello.instance_id)
        has_own = hello.instance_id in self._tokens
        wanted = self._tokens.get(hello.instance_id, self._token).encode()
        if (has_own or not link.proven) and not (
            wanted and hmac.compare_digest(hello.token, wanted)
        ):
            raise ConfigError("the token is missing or wrong", name="remote.token")
        peer = self.peers.get(hello.instance_id)
        if peer is None:
            self._make_room()
            peer = self.peers[hello.instance_id] = Peer(hello.instance_id, self.bounds, self.counts)
            peer.attach(link)
            return peer, False
        resumed = hmac.compare_digest(hello.resume_id.encode(), peer.key.encode())
        is_held = peer.link is not None or time.monotonic() - peer.lost_at < self.bounds.memory
        if is_held and not resumed and not has_own:
            raise ConfigError(
                f"another process holds `{hello.instance_id}`",
                name="remote.taken",
                hint="or an earlier one of the same program, without its key",
            )
        peer.attach(link)
        if resumed:
            self.counts["resumed"] += 1
        else:
            peer.key = secrets.token_urlsafe(24)
            peer.fail_all("another process took its place")
        return peer, resumed

    def _make_room(self) -> None:
        """Forget lost instances without hooks if there are too many."""
        most = self.bounds.peers
        if len(self.peers) >= most:
            self.peers = {
                name: peer for name, peer in self.peers.items() if peer.link or peer.hooks
            }
        if len(self.peers) >= most:
            raise ConfigError(f"{most} instances are attached or missed", name="remote.bounds")

    # -- hooks -------------------------------------------------------------------------------------

    async def _register(self, link: Link, peer: Peer, registry: pb.Registry) -> None:
        """Take a set of hooks.

        A thread reads it, so that other streams continue; only this stream waits.
        """
        generation = registry.generation
        problem = f"generation {generation} is not newer than {link.generation}"
        found = None
        rejected: Mapping[str, str] = {"": problem}
        if generation > link.generation:
            try:
                found = await asyncio.to_thread(
                    read_hooks, registry.hooks, self._dialect, self.bounds
                )
                rejected = found.rejected
            except ConfigError as error:  # the former set stays
                rejected = {"": str(error)}
        if link.outbox.closed.is_set():
            return
        if found is not None:
            link.generation = generation
            specs = [peer.bind(spec, generation) for spec in found.specs]
            self._expected.discard(peer.instance)
            self._install(peer.instance, specs)
            peer.hooks = frozenset(spec.name for spec in specs)
        wrong = [pb.Rejected(hook_id=hook, problem=problem) for hook, problem in rejected.items()]
        link.post(registry_ack=pb.RegistryAck(generation=generation, rejected=wrong))
        if found is not None:
            peer.handle_registered(generation)

    def _install(self, instance: str, specs: Sequence[HookSpec]) -> None:
        """Install hooks in the first engine, then in the others.

        An engine created meanwhile gets them either way.
        """
        self.engine.loader.enlist(f"remote:{instance}", specs, NAME, self.end_session)
        for engine in self._others():
            engine.loader.enlist(f"remote:{instance}", specs, NAME, self.end_session)

    # -- ending ------------------------------------------------------------------------------------

    def end_session(self, session_id: str) -> None:
        """Cancel invocations for a session that has ended; callable from any thread."""
        REMOTE.call_soon(self._end_session, session_id)

    def _end_session(self, session_id: str) -> None:
        why = "its session has ended"
        for peer in self.peers.values():
            for invocation in peer.invocations.values():
                if invocation.session_id == session_id:
                    peer.withdraw(invocation, why)
                    invocation.fail(Failure.CANCELLED, why)

    def forget(self, instance: str) -> bool:
        """Drop an instance and its hooks, guards included; from any thread except the bridge's own.

        False if there is none.
        """
        return REMOTE.run(self._forget(instance))

    async def _forget(self, instance: str) -> bool:
        peer = self.peers.pop(instance, None)
        if peer is None and instance not in self._expected:
            return False
        self._expected.discard(instance)
        self._install(instance, [])
        if peer is not None:
            peer.fail_all("it was forgotten")
            if peer.link is not None:
                peer.link.end("it was forgotten")
        return True

    def close(self, drain: float = 10.0) -> None:
        """Say goodbye, wait at most `drain` seconds for running invocations, and end every link.

        The hooks stay: a gate without handlers is closed. Callable from any thread except the
        bridge's own.
        """
        REMOTE.run(self.close_async(drain))

    async def close_async(self, drain: float) -> None:
        """Do what `close` does, on the bridge's event loop."""
        self.closed = True
        goaway = pb.Goaway(why="the engine ends", drain_ms=round(drain * 1000))
        for link in self._links:
            link.post(goaway=goaway)
        peers = list(self.peers.values())
        for peer in peers:
            peer.closed = True
        asked = [each.answered for peer in peers for each in peer.invocations.values()]
        if asked and drain > 0:
            await asyncio.wait(asked, timeout=drain)
        for peer in peers:
            for invocation in peer.invocations.values():
                peer.withdraw(invocation, goaway.why)
            peer.fail_all(goaway.why)
        for link in list(self._links):
            link.handle_end(goaway.why)


def _check_name(instance: str) -> None:
    """Raise ConfigError unless this can be the name of an instance."""
    if not _INSTANCE.fullmatch(instance):
        hint = "letters, digits, and `.`, `_`, `:`, `-`; at most 128"
        words = f"{instance!r:.80} is not a name for an instance"
        raise ConfigError(words, name="remote.protocol", hint=hint)
