"""Signals: the first SIGTERM or SIGINT stops a server, a further one makes it hurry.

The process itself ends after its hooks.
"""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Signals:
    """Receives the signals of this process within a `with` block.

    Outside the main thread it receives none.

    `first`: the number of the first signal, or 0. `hurried`: there was another one.
    """

    def __init__(self) -> None:
        self.first = 0
        self.hurried = False
        self._stop: Callable[[], object] = lambda: None
        self._before: dict[int, Any] = {}  # the previous handlers, as `signal` returns them

    def call_on_signal(self, stop: Callable[[], object]) -> None:
        """Call `stop` on the first signal; at once if it came already."""
        self._stop = stop
        if self.first:
            stop()

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._catch) for number in _SIGNALS}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _catch(self, number: int, _: object) -> None:
        if self.first:
            self.hurried = True
        else:
            self.first = number
            self._stop()
