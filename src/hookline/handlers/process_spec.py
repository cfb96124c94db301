"""Process specification: what to run, within which limits, and the switch that cancels it."""

from __future__ import annotations

import contextlib
import os

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.model.verdict import Outcome


class Limits(Frozen):
    """Limits of a run, in seconds and bytes.

    `grace`: from SIGTERM to SIGKILL. `drain`: how long to read a finished program's pipes that
    other processes still hold. `last`: how long to wait for a killed program. `kept`: bytes to keep
    of each stream. `flood`: output that ends a program. `until`: the time of `time.monotonic` by
    which all waiting ends; infinity sets no end. `detached`: the longest run of a detached hook,
    whatever it asks for. `detached_at_once` and `detached_queued`: how many detached hooks run and
    how many wait; hookline refuses further ones.
    """

    grace: float = 1.0
    drain: float = 0.1
    last: float = 0.2
    kept: int = 1 << 20
    flood: int = 256 << 20
    until: float = float("inf")
    at_once: int = max(8, 4 * (os.cpu_count() or 1))
    detached: float = 3600.0
    detached_at_once: int = 16
    detached_queued: int = 256


class Program(Frozen):
    """What to run.

    `argv`: with an absolute or findable program. `stdin`: already serialised. `timeout`: seconds.
    `cookie`: the environment value that identifies all processes of the program.
    `may_leave`: its first line of output may send it to the background. `undecodable`: what becomes
    of bytes of its standard output that are no UTF-8, as in `bytes.decode`. `read`: turns its
    outcome into that of the hook; None keeps it.
    """

    argv: tuple[str, ...]
    stdin: bytes
    cwd: str | None
    env: Mapping[str, str]
    timeout: float
    cookie: str = ""
    kill_leftovers: bool = False
    may_leave: bool = False
    undecodable: str = "replace"
    read: Callable[[Outcome], Outcome] | None = None


class Cancel:
    """A switch that ends all programs of a `run_all`, from any thread. It cannot be unset."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self.is_set = False
        self._wakers: list[Callable[[], object]] = []

    def wake(self, waker: Callable[[], object]) -> None:
        """Add a function to call when the switch is set, for callers that do not poll `reader`.

        Call it now if it is set.
        """
        self._wakers.append(waker)
        if self.is_set:
            waker()

    def set(self) -> None:
        self.is_set = True
        for waker in self._wakers:
            waker()
        with contextlib.suppress(BlockingIOError):  # the pipe is full already
            os.write(self._writer, b"!")

    def close(self) -> None:
        os.close(self.reader)
        os.close(self._writer)
