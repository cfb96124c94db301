"""Program: what is to be run, for whom, within which limits, and the switch that ends it."""

from __future__ import annotations

import contextlib
import os

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.model.outcome import Outcome
    from hookline.model.sight import Sealed


class Limits(Frozen):
    """Bounds of a run. Seconds and bytes.

    `grace`: from SIGTERM to SIGKILL. `drain`: how long a finished program's pipes are still read when somebody else holds
    them. `last`: how long a killed program is waited for. `kept`: of each stream. `flood`: output that ends a program.
    `until`: a time of `time.monotonic` by which everything that is waited for is over; infinity sets no end.
    `detached`: the longest that a hook which nobody waits for may run, whatever it says itself. `detached_at_once` and
    `detached_queued`: how many of these run, and how many wait until they may; one more is refused.
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
    """What to run: `argv` with an absolute or findable program, `stdin` already serialised, `timeout` in seconds.

    `cookie` is a value of the environment by which everything that the program starts can be recognised. `sealed`: the bytes
    that `argv` refers to; `may_leave`: its first line of output can send it to the background. `copies`: the folder for those of them that need a file.
    """

    argv: tuple[str, ...]
    stdin: bytes
    cwd: str | None
    env: Mapping[str, str]
    timeout: float
    cookie: str = ""
    kill_leftovers: bool = False
    may_leave: bool = False
    sealed: Sealed | None = None
    copies: str = ""


class Errand(Frozen):
    """A program that is run for a hook, and how the program's outcome becomes the hook's; None: as it is."""

    program: Program
    read: Callable[[Outcome], Outcome] | None = None


class Cancel:
    """A switch that ends all programs of a `run_all`, from any thread. Once set it stays set."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self.is_set = False
        self._wakers: list[Callable[[], object]] = []

    def wake(self, waker: Callable[[], object]) -> None:
        """Have somebody woken who does not wait for `reader`; at once where the switch is set already."""
        self._wakers.append(waker)
        if self.is_set:
            waker()

    def set(self) -> None:
        self.is_set = True
        for waker in self._wakers:
            waker()
        with contextlib.suppress(BlockingIOError):  # set so often that nothing more fits in
            os.write(self._writer, b"!")

    def close(self) -> None:
        os.close(self.reader)
        os.close(self._writer)
