"""Approve API: the request by which a program on this machine has hooks approved, whatever else the server answers.

The agent may propose, but a person approves: a request must show the token, which only this user's
files contain, even on a unix socket. `self_approve` gives that up, as the format allows
(docs/formats/starchild.md 6.1).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from hookline.engine.approval_service import approve_hooks, get_gate_for, list_off
from hookline.engine.hook_lookup import find_by_command
from hookline.errors import CodecError, HookError, TrustError
from hookline.server.auth import (
    has_token,
    is_loopback,
    is_unix_socket,
    list_header_values,
    make_token_error,
)
from hookline.server.problems import APPROVE, RequestError, make_document, make_refusal
from hookline.server.request_bodies import read_fields, read_json_body
from hookline.text.terminal_escape import escape_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Scope

    from hookline.engine.approval_service import ApprovalResult
    from hookline.engine.engine import Engine

PATH = APPROVE
_KEYS = ("command", "enable_master")
_LONGEST = 4096  # characters of a command
_MOST_FILES = 5  # the most unreadable files to report
# Headers of a proxy: behind one, the sender is unknown.
_FORWARDED = (b"forwarded", b"x-forwarded-for", b"x-real-ip", b"via")
_BROWSER = (b"origin", b"sec-fetch-site", b"sec-fetch-mode", b"sec-fetch-dest")
# Problems that the sender can fix; all others are problems of this machine.
_THEIRS = frozenset({"trust.unmatched", "trust.ambiguous", "trust.exposed", "trust.missing"})


class ApproveApi:
    """Answers the requests to approve hooks.

    `token`: the token to show ("" = no request passes). `self_approve`: none is needed. `refused`
    receives the code of each refused request.
    """

    def __init__(
        self,
        token: str = "",
        *,
        self_approve: bool = False,
        refused: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._token = token
        self._self_approve = self_approve
        self.refused = refused

    async def answer(
        self, request: Request, make: Callable[[], Engine], refresh: Callable[[], object]
    ) -> Response:
        """Return the answer to one request: what was approved, or a problem.

        Never 404, which means an older runtime.

        `make` returns an engine with all hooks, approved or not. `refresh` reads the hook files
        again, before and after, because the sender has just written one, and an approval takes
        effect at once.
        """
        try:
            how = self.describe_admission(request.scope)
            command, enable = read_request(await read_json_body(request))
            answer = await asyncio.to_thread(_approve, make, refresh, command, how, enable=enable)
        except HookError as error:
            self.refused(error.code)
            return _refusal(error)
        return make_document(answer)

    def describe_admission(self, scope: Scope) -> str:
        """Return how a request was admitted, for the journal.

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

    def check_token(self, scope: Scope) -> None:
        """Check that a request shows the token, whatever `self_approve` says.

        Raises:
            RequestError: as `admitted`.
        """
        _describe_origin(scope)
        if not has_token(scope, self._token):
            raise make_token_error(scope)


def _describe_origin(scope: Scope) -> str:
    """Describe where a request comes from.

    Raises:
        RequestError: 403, it comes from another machine or from a browser, or was forwarded.
    """
    local = is_unix_socket(scope)
    peer = scope.get("client")
    if not local and not is_loopback(peer[0] if peer else ""):
        raise _foreign_error("hooks are approved from this machine only")
    if any(list_header_values(scope, name) for name in _FORWARDED):
        raise _foreign_error("a request that was forwarded may come from anywhere")
    if any(list_header_values(scope, name) for name in _BROWSER):
        raise _foreign_error("web pages may not ask")
    return "a unix socket" if local else peer[0] if peer else ""


def read_request(sent: Any) -> tuple[str, bool]:
    """Return the command to approve, and whether to turn on the master switch, from the body of a request.

    Raises:
        CodecError: it is not an object of these two keys, or a value has the wrong type.
    """
    fields = read_fields(sent, _KEYS, '{"command": "/absolute/path"}')
    command, enable = fields.get("command"), fields.get("enable_master", True)
    if not isinstance(command, str) or not 0 < len(command) <= _LONGEST:
        raise CodecError(
            "`command` must be the command, or the address, of a declared hook",
            hint="as it stands in its file",
        )
    if not isinstance(enable, bool):
        raise CodecError("`enable_master` must be true or false")
    return command, enable


def _approve(
    make: Callable[[], Engine],
    refresh: Callable[[], object],
    command: str,
    how: str,
    *,
    enable: bool,
) -> dict[str, Any]:
    refresh()
    engine = make()
    try:
        specs = find_by_command(engine.hooks, command)
    except TrustError as error:
        if error.name == "trust.unmatched" and (wrong := _list_unreadable_files(engine)):
            raise TrustError(error.message, name=error.name, hint="; ".join(wrong)) from None
        raise
    answer = _describe_result(approve_hooks(engine, specs, who="", how=how, enable=enable), engine)
    refresh()
    return answer


def _list_unreadable_files(engine: Engine) -> list[str]:
    """Return the hook files that cannot be read now, so that their hooks are missing or outdated."""
    return [
        str(each)
        for each in engine.problems
        if each.severity == "error" and each.name.startswith("config.")
    ][:_MOST_FILES]


def _describe_result(done: ApprovalResult, engine: Engine) -> dict[str, Any]:
    """Return what was approved, as the format defines it, with a note about hooks that are not live and unreadable files."""
    why = [f"{off} ({hint})" for off, hint in list_off(get_gate_for(engine))]
    why += [
        *done.left,
        *(status.off for status in done.statuses if status.off and not why),
        *_list_unreadable_files(engine),
    ]
    answer = {"ok": True, "events": done.events, "mounted": done.mounted, "master_enabled": done.on}
    return answer | ({"note": escape_line("; ".join(dict.fromkeys(why)))} if why else {})


def _refusal(error: HookError) -> Response:
    """Return a problem whose status says who can fix it."""
    return make_refusal(
        error, APPROVE, 400 if not isinstance(error, TrustError) or error.name in _THEIRS else 500
    )


def _foreign_error(message: str) -> RequestError:
    return RequestError(
        403,
        "serve.origin",
        message,
        hint="send the request from this machine to 127.0.0.1 or the unix socket",
    )
