"""Approvals: requests by which a program on this machine has hooks approved or passes on `/hooks`.

The agent may propose, but a person approves: a request must show the token, which only this user's
files contain, even on a unix socket. `self_approve` gives that up for the approve API, as the
format allows (docs/formats/starchild.md 6.1), but not for chats, which pass on what a person typed.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.datastructures import Headers

from hookline.chat import command as run_chat_command
from hookline.engine.approval_service import approve_hooks, get_gate_for, list_off
from hookline.engine.hook_lookup import find_by_command
from hookline.errors import CodecError, HookError, TrustError
from hookline.server.auth import has_token, is_loopback, is_unix_socket, make_token_error
from hookline.server.request_bodies import read_fields, read_json_body
from hookline.server.responses import RequestError, make_document
from hookline.text.terminal_escape import escape_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Scope

    from hookline.engine.engine import Engine

    Run: TypeAlias = Callable[[Callable[[Engine], Any]], Any]

CHAT_SCHEMA = "hookline.chat/1"
_LONGEST_COMMAND = 4096  # characters
_LONGEST_TEXT, _LONGEST_NAME = 4000, 256  # characters of a chat
_MOST_FILES = 5  # the most unreadable files to report
# Headers of proxies, behind which the sender is unknown, and of browsers.
_ELSEWHERE = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
_BROWSER = ("origin", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest")
# Problems of an approval that the sender can fix; all others are problems of this machine.
_THEIRS = frozenset({"trust.unmatched", "trust.ambiguous", "trust.exposed", "trust.missing"})


class Approvals:
    """Answers the requests to approve hooks, and chats.

    `token`: the token to show ("" = no request passes). `self_approve`: the approve API needs none.
    """

    def __init__(self, token: str = "", *, self_approve: bool = False) -> None:
        self._token = token
        self._self_approve = self_approve

    async def approve(self, request: Request, run: Run) -> Response:
        """Return what was approved, as the format defines it.

        `run` calls a function with an engine that has all hooks of the files as they are now,
        approved or not.

        Raises:
            HookError: it was not approved.
        """
        how = self.describe_admission(request.scope)
        command, enable = read_approval(await read_json_body(request))
        work = partial(_approve, command=command, how=how, enable=enable)
        return make_document(await asyncio.to_thread(run, work))

    async def chat(self, request: Request, run: Run) -> Response:
        """Return the text for a chat in which a person typed a `/hooks` command.

        Raises:
            HookError: the request is not one that a chat may send.
        """
        _describe_origin(request.scope)
        if not has_token(request.scope, self._token):
            raise make_token_error(request.scope)
        text, who = read_chat_command(await read_json_body(request))
        answer = await asyncio.to_thread(run, partial(_answer_chat, text=text, who=who))
        return make_document({"schema": CHAT_SCHEMA, "text": answer})

    def describe_admission(self, scope: Scope) -> str:
        """Return how a request to approve hooks was admitted, for the journal.

        Raises:
            RequestError: 403, it comes from elsewhere or from a browser; 401, it shows no token, or
                another one.
        """
        where = _describe_origin(scope)
        if has_token(scope, self._token):
            return f"approve API, the token, from {where}"
        if self._self_approve:
            return f"approve API, no token (self_approve), from {where}"
        raise make_token_error(scope)


def find_status(error: HookError) -> int:
    """Return the status of an error of the approve API; 404 would mean an older runtime."""
    return 500 if isinstance(error, TrustError) and error.name not in _THEIRS else 400


def read_approval(sent: Any) -> tuple[str, bool]:
    """Return the command to approve, and whether to turn on the master switch, from a body.

    Raises:
        CodecError: it is not an object of these two keys, or a value has the wrong type.
    """
    fields = read_fields(sent, '{"command": "/absolute/path"}', command=str, enable_master=bool)
    command = fields.get("command", "")
    if not 0 < len(command) <= _LONGEST_COMMAND:
        message = "`command` must be the command, or the address, of a declared hook"
        raise CodecError(message, hint="as it stands in its file")
    return command, fields.get("enable_master", True)


def read_chat_command(sent: Any) -> tuple[str, str]:
    """Return the typed text and the name of the person, from a body.

    Raises:
        CodecError: it is not an object of these two keys, or a value is not text or too long.
    """
    fields = read_fields(sent, '{"text": "/hooks list"}', text=str, who=str)
    text, who = fields.get("text", ""), fields.get("who", "")
    if not 0 < len(text) <= _LONGEST_TEXT or len(who) > _LONGEST_NAME:
        limits = f"`text` {_LONGEST_TEXT} characters, `who` {_LONGEST_NAME}"
        raise CodecError(f"`text` must be what the person typed; at most: {limits}")
    return text, who


def _describe_origin(scope: Scope) -> str:
    """Describe where a request comes from.

    Raises:
        RequestError: 403, it comes from another machine or from a browser, or was forwarded.
    """
    is_local, peer, headers = is_unix_socket(scope), scope.get("client"), Headers(scope=scope)
    why = ""
    if not is_local and not is_loopback(peer[0] if peer else ""):
        why = "hooks are approved from this machine only"
    elif any(name in headers for name in _ELSEWHERE):
        why = "a request that was forwarded may come from anywhere"
    elif any(name in headers for name in _BROWSER):
        why = "web pages may not ask"
    if why:
        hint = "send the request from this machine to 127.0.0.1 or the unix socket"
        raise RequestError(403, "serve.origin", why, hint=hint)
    return "a unix socket" if is_local else peer[0] if peer else ""


def _approve(engine: Engine, *, command: str, how: str, enable: bool) -> dict[str, Any]:
    """Approve a hook and return what was approved, as the format defines it.

    A note says why hooks are not live, and which files cannot be read.
    """
    unreadable = [
        str(each)
        for each in engine.problems
        if each.severity == "error" and each.name.startswith("config.")
    ][:_MOST_FILES]
    try:
        specs = find_by_command(engine.hooks, command)
    except TrustError as error:
        if error.name == "trust.unmatched" and unreadable:
            raise TrustError(error.message, name=error.name, hint="; ".join(unreadable)) from None
        raise
    done = approve_hooks(engine, specs, who="", how=how, enable=enable)
    why = [f"{off} ({hint})" for off, hint in list_off(get_gate_for(engine))]
    single = [status.off for status in done.statuses if status.off and not why]
    why = [*why, *done.left, *single, *unreadable]
    answer = {"ok": True, "events": done.events, "mounted": done.mounted, "master_enabled": done.on}
    return answer | ({"note": escape_line("; ".join(dict.fromkeys(why)))} if why else {})


def _answer_chat(engine: Engine, *, text: str, who: str) -> str:
    return run_chat_command(text, who=who, engine=engine)
