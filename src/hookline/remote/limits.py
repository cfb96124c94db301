"""Limits: how much the bridge accepts from the other side, and how long it waits."""

from __future__ import annotations

from hookline.model.frozen import Frozen

PROTOCOL = 1
_FRAME = 1 << 16  # bytes of a frame besides its payload


class Bounds(Frozen):
    """What an engine allows each of its peers; times are in seconds.

    `payload`: bytes of an event, or of a rewrite. `in_flight`: concurrent invocations of a peer;
    `waiting`: further ones that wait. `hooks` of one peer, and characters of their `patterns`
    together; `peers` that are attached or remembered; `registries` that one of them may send a
    minute. `queue`: bytes that may wait to be written to a peer. `ping`: between two pings of a
    connection, and for the answer; `hello`: for the first frame. `grace`: how long a running
    invocation waits for its peer to come back. `memory`: how long after its loss an instance is
    reserved for the holder of its key.
    """

    payload: int = 4 << 20
    in_flight: int = 64
    waiting: int = 1024
    hooks: int = 1000
    patterns: int = 128 << 10
    peers: int = 64
    registries: int = 120
    queue: int = 32 << 20
    ping: float = 10.0
    hello: float = 10.0
    grace: float = 0.0
    memory: float = 60.0

    @property
    def frame(self) -> int:
        """Return the bytes of a whole frame."""
        return self.payload + _FRAME
