"""Standard input: the payload of an event, as its host sends it."""

from __future__ import annotations

import io
import os
import select
import sys
from time import perf_counter

from hookline.wire.json_reader import is_complete_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST = 256 << 20  # bytes; a device may have no end
_CHUNK = 1 << 20  # bytes
_PAUSE = 0.02  # seconds without more input, after which complete JSON counts as all of it


def read_payload(largest: int = LARGEST) -> bytes:
    """Return what the host sends: up to the end of its input, or one complete JSON object or list.

    A host may keep its end open. So a payload that is complete counts when nothing more comes for a moment. What is larger
    than `largest` is cut off just behind it.
    """
    if sys.stdin is None:
        return b""
    try:
        descriptor = sys.stdin.fileno()
    except (io.UnsupportedOperation, AttributeError):
        return sys.stdin.buffer.read(largest + 1)
    return read_descriptor(descriptor, largest)


def read_descriptor(
    descriptor: int,
    largest: int = LARGEST,
    *,
    is_complete: Callable[[bytes], bool] = is_complete_json,
) -> bytes:
    """Return what can be read of a descriptor, as `read_payload` does of standard input."""
    sent, pause = bytearray(), _PAUSE
    while len(sent) <= largest:
        if sent and sent[-1:] in b"}] \t\r\n" and not _has_more(descriptor, pause):
            began = perf_counter()
            if is_complete(bytes(sent)):
                break
            # Looking takes at most half of the time, however often the host pauses.
            pause = max(_PAUSE, perf_counter() - began)
            _has_more(descriptor, None)
        part = os.read(descriptor, min(_CHUNK, largest + 1 - len(sent)))
        if not part:
            break
        sent += part
    return bytes(sent)


def is_terminal() -> bool:
    """Whether a person types standard input."""
    return sys.stdin is not None and sys.stdin.isatty()


def _has_more(descriptor: int, seconds: float | None) -> bool:
    """Whether there is something to read, or the end, before the time is over."""
    return bool(select.select([descriptor], [], [], seconds)[0])
