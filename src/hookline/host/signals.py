"""Signals: what asks this process to end cancels the run, whose events of the end still fire."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_ENDING = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP


def cancel_on_signals(cancel: Callable[[], object], *more: str) -> None:
    """Call `cancel` when a signal asks to end; `more`: names of further signals.

    A signal that the caller ignores stays ignored, as SIGHUP under `nohup`.
    """
    loop = asyncio.get_running_loop()
    for name in (*_ENDING, *more):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            with suppress(NotImplementedError, RuntimeError):  # Windows; not the main thread
                loop.add_signal_handler(number, cancel)
