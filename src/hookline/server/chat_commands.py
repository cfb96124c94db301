"""Chat commands: `/hooks` over HTTP, for chats on this machine that pass on what a person typed.

Such a command can approve hooks, so each request shows the token, even on a unix socket and with
`self_approve`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from hookline.chat import command
from hookline.errors import CodecError, HookError
from hookline.server.problems import CHAT, make_document, make_problem
from hookline.server.request_bodies import read_fields, read_json_body

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from hookline.engine.engine import Engine
    from hookline.server.approve_api import ApproveApi

PATH = CHAT
SCHEMA = "hookline.chat/1"
_KEYS = ("text", "who")
_LONGEST = {"text": 4000, "who": 256}  # characters


async def answer_chat(
    request: Request,
    make: Callable[[], Engine],
    approving: ApproveApi,
    refresh: Callable[[], object],
) -> Response:
    """Return the answer to one request: the text for the chat, or a problem.

    `make` returns an engine with all hooks, approved or not. `approving` checks the sender.
    `refresh` reads the hook files again.
    """
    try:
        approving.check_token(request.scope)
        text, who = read_command(await read_json_body(request))
    except HookError as error:
        approving.refused(error.code)
        return make_problem(error)
    answer = await asyncio.to_thread(_answer, make, refresh, text, who)
    return make_document({"schema": SCHEMA, "text": answer})


def read_command(sent: Any) -> tuple[str, str]:
    """Return the typed text and the name of the person, from the body of a request.

    Raises:
        CodecError: the body is not an object of these two keys, or a value is not text or is too
            long.
    """
    fields = read_fields(sent, _KEYS, '{"text": "/hooks list"}')
    found = {"text": fields.get("text"), "who": fields.get("who", "")}
    for key, value in found.items():
        if (
            not isinstance(value, str)
            or len(value) > _LONGEST[key]
            or (key == "text" and not value)
        ):
            raise CodecError(f"`{key}` must be text of at most {_LONGEST[key]} characters")
    return str(found["text"]), str(found["who"])


def _answer(make: Callable[[], Engine], refresh: Callable[[], object], text: str, who: str) -> str:
    refresh()
    answer = command(text, who=who, engine=make())
    refresh()
    return answer
