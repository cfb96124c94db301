"""Approving: the one request by which a program on this machine has hooks approved, whatever others may be asked here.

The agent may propose, a person approves: who asks shows the token, which only this user's files hold, also on a unix socket.
`self_approve` gives that up for the convenience of the format (docs/formats/starchild.md 6.1).
"""

from __future__ import annotations

import asyncio
import hmac
from typing import TYPE_CHECKING, Any

from hookline.engine.approval_service import ON_AGAIN, approve_hooks, list_off
from hookline.engine.meaning import commanded
from hookline.errors import CodecError, HookError, TrustError
from hookline.server.bodies import json_of
from hookline.server.border import headers_of, is_loopback, through_a_file, tokenless
from hookline.server.problems import APPROVE, RequestError, document, refusal
from hookline.text.suggestions import did_you_mean
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
_MOST_FILES = 5  # of which it is told that they cannot be read
# What a proxy adds: then whoever asks is not who connects.
_FORWARDED = (b"forwarded", b"x-forwarded-for", b"x-real-ip", b"via")
_BROWSER = (b"origin", b"sec-fetch-site", b"sec-fetch-mode", b"sec-fetch-dest")
# What of an approval that cannot be given is the asker's to mend; the rest is this machine's.
_THEIRS = frozenset({"trust.unmatched", "trust.ambiguous", "trust.exposed", "trust.missing"})


class Approving:
    """Answers the requests to approve hooks.

    `token`: what has to be shown ("" = nobody can). `self_approve`: nothing has to be shown. `refused` is told the code of
    every request that is refused.
    """

    def __init__(
        self,
        token: str = "",
        *,
        self_approve: bool = False,
        refused: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._token = token.encode("ascii")
        self._self_approve = self_approve
        self.refused = refused

    async def answer(
        self, request: Request, make: Callable[[], Engine], refresh: Callable[[], object]
    ) -> Response:
        """The answer to one request: what was approved, or a problem that says so; never 404, which means an older runtime.

        `make` gives an engine that knows all hooks, approved or not. `refresh` reads the files of hooks anew, before and after,
        because whoever asks has just written one, and what is approved is live at once.
        """
        try:
            how = self.admitted(request.scope)
            command, enable = asked_of(await json_of(request))
            told = await asyncio.to_thread(_approved, make, refresh, command, how, enable=enable)
        except HookError as error:
            self.refused(error.code)
            return _refusal(error)
        return document(told)

    def admitted(self, scope: Scope) -> str:
        """How a request was let in, in words for the journal.

        Raises:
            RequestError: 403, it comes from elsewhere or from a browser; 401, it shows no token, or another one.
        """
        where = _origin_of(scope)
        if self._has_token(scope):
            return f"approve API, the token, from {where}"
        if self._self_approve:
            return f"approve API, no token (self_approve), from {where}"
        raise tokenless(scope)

    def check_token(self, scope: Scope) -> None:
        """Let a request pass that shows the token, whatever `self_approve` says.

        Raises:
            RequestError: as `admitted`.
        """
        _origin_of(scope)
        if not self._has_token(scope):
            raise tokenless(scope)

    def _has_token(self, scope: Scope) -> bool:
        shown = headers_of(scope, b"authorization")
        scheme, _, token = shown[0].partition(" ") if len(shown) == 1 else ("", "", "")
        return (
            scheme.lower() == "bearer"
            and bool(self._token)
            and hmac.compare_digest(token.strip().encode("latin-1"), self._token)
        )


def _origin_of(scope: Scope) -> str:
    """Where a request comes from, in words.

    Raises:
        RequestError: 403, it comes from another machine or from a browser, or was forwarded.
    """
    local = through_a_file(scope)
    peer = scope.get("client")
    if not local and not is_loopback(peer[0] if peer else ""):
        raise _foreign("hooks are approved from this machine only")
    if any(headers_of(scope, name) for name in _FORWARDED):
        raise _foreign("a request that was forwarded may come from anywhere")
    if any(headers_of(scope, name) for name in _BROWSER):
        raise _foreign("web pages may not ask")
    return "a unix socket" if local else peer[0] if peer else ""


def asked_of(sent: Any) -> tuple[str, bool]:
    """The command to approve, and whether the master switch is to be turned on, from the body of a request.

    Raises:
        CodecError: it is no object of these two keys, or one of them is not of its sort.
    """
    if not isinstance(sent, dict):
        raise CodecError("the body must be a JSON object", hint='{"command": "/absolute/path"}')
    for key in sent:
        if key not in _KEYS:
            raise CodecError(
                f"unknown key `{key:.100}`",
                hint=did_you_mean(key, _KEYS) or f"one of {', '.join(_KEYS)}",
            )
    command, enable = sent.get("command"), sent.get("enable_master", True)
    if not isinstance(command, str) or not 0 < len(command) <= _LONGEST:
        raise CodecError(
            "`command` must be the command, or the address, of a declared hook",
            hint="as it stands in its file",
        )
    if not isinstance(enable, bool):
        raise CodecError("`enable_master` must be true or false")
    return command, enable


def _approved(
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
        specs = commanded(engine.hooks, command)
    except TrustError as error:
        if error.name == "trust.unmatched" and (wrong := _unread(engine)):
            raise TrustError(error.message, name=error.name, hint="; ".join(wrong)) from None
        raise
    told = _told(approve_hooks(engine, specs, who="", how=how, enable=enable), engine)
    refresh()
    return told


def _unread(engine: Engine) -> list[str]:
    """The files of hooks that cannot be read as they are now, so that what they declare is not there, or is as it was before."""
    return [
        str(each)
        for each in engine.problems
        if each.severity == "error" and each.name.startswith("config.")
    ][:_MOST_FILES]


def _told(done: ApprovalResult, engine: Engine) -> dict[str, Any]:
    """What was approved, as the format has it; with a word on why less is live than that, and on files that cannot be read."""
    why = [f"{off} ({ON_AGAIN[switch]})" for switch, off in list_off(done.switches)]
    why += [
        *done.left,
        *(status.off for status in done.statuses if status.off and not why),
        *_unread(engine),
    ]
    told = {"ok": True, "events": done.events, "mounted": done.mounted, "master_enabled": done.on}
    return told | ({"note": escape_line("; ".join(dict.fromkeys(why)))} if why else {})


def _refusal(error: HookError) -> Response:
    """A problem whose status says who can mend it."""
    return refusal(
        error, APPROVE, 400 if not isinstance(error, TrustError) or error.name in _THEIRS else 500
    )


def _foreign(message: str) -> RequestError:
    return RequestError(
        403, "serve.origin", message, hint="ask 127.0.0.1 or the unix socket by yourself"
    )
