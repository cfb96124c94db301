"""Shielding: does work to its end although its task is cancelled."""

from __future__ import annotations

import asyncio
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any


async def finish(work: Coroutine[Any, Any, None]) -> None:
    """Do work to its end, also while this task is cancelled; it is cancelled afterwards."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
            cancelled = True
    if cancelled:
        with suppress(Exception):
            task.result()
        raise asyncio.CancelledError
    task.result()
