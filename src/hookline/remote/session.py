"""Session: the handlers' end of their connection to one engine."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hookline.errors import CODES, ConfigError
from hookline.remote.invocations import Invocations
from hookline.remote.limits import PROTOCOL
from hookline.remote.proto import bridge_pb2 as pb
from hookline.remote.stream import Outbox, read_frames

if TYPE_CHECKING:
    from collections.abc import AsyncIterable
    from typing import Any

    from hookline.remote.handlers import Handlers
    from hookline.remote.invocations import Perform

_NAMES = {code: name for name, code in CODES.items()}
_MINUTE = 60.0


class Session:
    """The handlers of this process at one engine. It outlives its streams, of which there is one at a time.

    `key`: by which they take their place again. `left`: the engine knows that they leave. Of the
    current stream: `refused` is why the engine refused it, `disarmed` why none of our hooks counts
    there, `why` the reason of its end; `sent_generation` is that of our hooks which was sent last,
    `acknowledged` the last one that the engine confirmed.
    """

    def __init__(
        self, handlers: Handlers, address: str, token: str, key: str, perform: Perform
    ) -> None:
        self.handlers = handlers
        self.address = address
        self.token = token
        self.key = key
        self.left = False
        most = handlers.bounds.in_flight * 4
        self.invocations = Invocations(handlers.find, perform, self._post_result, most=most)
        self.outbox: Outbox[pb.HandlerFrame] = Outbox(0)
        self.outbox.close()
        self._resting: asyncio.TimerHandle | None = None
        self._reset()

    def _reset(self) -> None:
        self.greeted = False
        self.sent_generation = self.acknowledged = -1
        self.disarmed: ConfigError | None = None
        self.refused: ConfigError | None = None
        self.why = ""
        self._sent: frozenset[str] = frozenset()

    def begin(self, outbox: Outbox[pb.HandlerFrame]) -> None:
        """Begin a stream, in place of an earlier one."""
        self.outbox.close()
        self.outbox = outbox
        self._reset()
        hello = pb.Hello(
            protocol=PROTOCOL,
            instance_id=self.handlers.name,
            token=self.token.encode(),
            resume_id=self.key,
        )
        self._send(hello=hello)

    async def converse(
        self, incoming: AsyncIterable[pb.EngineFrame], outbox: Outbox[pb.HandlerFrame]
    ) -> None:
        """Serve a stream until it ends. Running invocations continue, because the engine may ask for them again."""
        self.begin(outbox)
        why = ""
        try:
            why = await read_frames(incoming, outbox, self.take)
        finally:
            if self.outbox is outbox:
                self.greeted = False
                self.why = self.why or why

    def _send(self, **frame: Any) -> None:
        """Queue a frame; end the stream if the engine does not read."""
        if not self.outbox.post(pb.HandlerFrame(**frame)):
            self.outbox.close()

    def _post_result(self, result: pb.Result) -> None:
        if self.greeted:
            self._send(result=result)

    def announce(self) -> None:
        """Send our hooks to the engine, unless it has them.

        It waits until the engine has confirmed the previous ones, and keeps to half of the engine's
        limit per minute. So many changes become one message.
        """
        is_free = self.greeted and not self.left and self._resting is None
        if (
            is_free
            and self.acknowledged >= self.sent_generation
            and self.handlers.generation > self.sent_generation
        ):
            pause = 2 * _MINUTE / self.handlers.bounds.registries
            self._resting = asyncio.get_running_loop().call_later(pause, self._announce_next)
            self._send_hooks()

    def _announce_next(self) -> None:
        self._resting = None
        self.announce()

    def _send_hooks(self) -> None:
        registry = self.handlers.registry()
        self.sent_generation = registry.generation
        self._sent = frozenset(hook.id for hook in registry.hooks)
        self._send(registry=registry)

    def leave(self, drain: float, *, withdraw: bool) -> None:
        """Tell the engine to send nothing more; `withdraw`: to forget our hooks too, guards included."""
        self.left = True
        if withdraw and self.greeted:
            self._send(registry=self.handlers.registry(empty=True))
        self._send(goaway=pb.Goaway(why="they leave", drain_ms=round(drain * 1000)))

    # -- what comes in ---------------------------------------------------------------------------------------------

    def take(self, frame: pb.EngineFrame) -> None:
        """Handle a frame of the engine."""
        match frame.WhichOneof("kind"):
            case "invoke" if self.greeted:
                self.invocations.invoke(frame.invoke)
            case "cancel":
                self.invocations.cancel(frame.cancel.invocation_id)
            case "ping":
                self._send(pong=pb.Pong(n=frame.ping.n))
            case "welcome":
                self._handle_welcome(frame.welcome)
            case "registry_ack":
                self._handle_ack(frame.registry_ack)
            case "goaway":
                self._handle_goaway(frame.goaway)

    def _handle_welcome(self, welcome: pb.Welcome) -> None:
        if welcome.protocol != PROTOCOL:
            words = f"the engine speaks protocol {welcome.protocol}, and this library {PROTOCOL}"
            self.refused = ConfigError(words, name="remote.protocol")
            self.outbox.close()
            return
        self.greeted = True
        self.key = welcome.session_key
        self.handlers.keys.store(self.address, self.key)
        self._send_hooks()

    def _handle_ack(self, ack: pb.RegistryAck) -> None:
        self.acknowledged = max(ack.generation, self.acknowledged)
        rejected = {each.hook_id: each.problem for each in ack.rejected}
        if ack.generation == self.sent_generation:
            self.disarmed = self._find_disarmed(rejected)
        self.handlers.handle_rejections(rejected)
        self.announce()

    def _find_disarmed(self, rejected: dict[str, str]) -> ConfigError | None:
        """Return the error to raise if the engine accepted none of our hooks."""
        if not rejected or ("" not in rejected and self._sent - rejected.keys()):
            return None
        each = [f"`{hook}`: {problem}" if hook else problem for hook, problem in rejected.items()]
        words = f"the engine at `{self.address}` took no hook of `{self.handlers.name}`: {'; '.join(each):.800}"
        hint = "what it knew of them before still counts"
        return ConfigError(words, name="remote.rejected", hint=hint)

    def _handle_goaway(self, goaway: pb.Goaway) -> None:
        code, _, words = goaway.why.partition(": ")
        self.why = goaway.why
        if code in _NAMES:
            words = f"the engine at `{self.address}` refuses: {words}"
            self.refused = ConfigError(words, name=_NAMES[code])
            self.outbox.close()
