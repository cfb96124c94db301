"""Presence: what a client asked for is given up when the client goes away."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from hookline.server.problems import RequestError

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from starlette.types import Receive

_T = TypeVar("_T")
GONE = 499  # nobody is there to see this status


async def while_there(receive: Receive, asked: Coroutine[Any, Any, _T]) -> _T:
    """What is asked for; `receive` is that of the request, whose body has been read.

    A host hangs up when its own time limit is over, or its user interrupted it: hooks that went on would work for nobody.

    Raises:
        RequestError: the client hung up before; what was asked for has been cancelled, and has ended.
    """
    loop = asyncio.get_running_loop()
    asking, going = loop.create_task(asked), loop.create_task(_hung_up(receive))
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


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
