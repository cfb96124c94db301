"""Disconnects: cancels the work for a client that disconnects."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from hookline.server.problems import RequestError

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from starlette.types import Receive

_T = TypeVar("_T")
GONE = 499  # no client sees this status


async def cancel_on_disconnect(receive: Receive, asked: Coroutine[Any, Any, _T]) -> _T:
    """Return the result of the work; `receive` is that of the request, whose body has been read.

    A host disconnects when its own time limit is over, or its user interrupted it. Its hooks would
    then run for nothing.

    Raises:
        RequestError: the client disconnected first; the work was cancelled, and has ended.
    """
    loop = asyncio.get_running_loop()
    asking, going = loop.create_task(asked), loop.create_task(_wait_for_disconnect(receive))
    both = (asking, going)
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        hung_up = not asking.done()
        for task in both:
            task.cancel()
        await asyncio.wait(both)
    if hung_up:
        raise RequestError(GONE, "serve.gone", "the client hung up before there was an answer")
    return asking.result()


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
