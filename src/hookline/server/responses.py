"""Responses: documents, problems (RFC 9457), and replies of hosts, as HTTP answers.

A host with HTTP hooks reads only the body, so the body is what such a hook answers there. A client
that stands in for a command hook asks for the whole reply: `Accept:
application/vnd.hookline.reply+json`.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.responses import Response

from hookline.engine.catalog import NAMES
from hookline.errors import HookError
from hookline.text.terminal_escape import escape_line
from hookline.wire.hookoutput import encode_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.engine.fallback import Fallback
    from hookline.model.verdict import Reply

WHOLE = "application/vnd.hookline.reply+json"
# Paths where a person approves hooks; on the first, the format defines its own refusals
# (docs/formats/starchild.md 6.1).
APPROVE = "/internal/runtime/hooks/approve"
CHAT = "/v1/chat"
_PROBLEM = "application/problem+json"
_LONGEST = 2000  # characters of stderr in a header; the whole reply contains all of it


class RequestError(HookError):
    """A request without a decision.

    `status`: of HTTP; `headers`: of the answer; `sent`: the part of the body that was read.
    """

    def __init__(
        self,
        status: int,
        name: str,
        message: str,
        *,
        hint: str = "",
        headers: Mapping[str, str] | None = None,
        sent: bytes = b"",
    ) -> None:
        super().__init__(message, name=name, hint=hint)
        self.status = status
        self.headers = dict(headers or {})
        self.sent = sent


def make_document(
    value: Mapping[str, Any],
    *,
    status: int = 200,
    media_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a JSON document as a response, in ASCII, so that lone surrogates of payloads pass.

    Raises:
        TypeError, ValueError, RecursionError: it contains a value that JSON cannot express.
    """
    text = json.dumps(value, allow_nan=False) + "\n"
    return Response(text, status, headers=headers, media_type=media_type)


def make_problem(
    error: HookError, status: int = 400, *, path: str = "", more: Mapping[str, Any] | None = None
) -> Response:
    """Return a problem document: `type` names the code, `detail` the case, `hint` what to do.

    `path`: of the request; where a format defines refusals, the document has its members too.
    `more`: further members.
    """
    headers: dict[str, str] = {}
    if error.name == "serve.busy":
        status, headers = 503, {"Retry-After": "1"}
    if isinstance(error, RequestError):
        status, headers = error.status, headers | error.headers
    detail = escape_line(error.message)
    document = {
        **(more or {}),
        "type": f"urn:hookline:problem:{error.code}",
        "title": error.name,
        "status": status,
        "detail": detail,
        "code": error.code,
    }
    if error.hint:
        document["hint"] = escape_line(error.hint)
    if path == APPROVE:
        why = "not declared" if error.name == "trust.unmatched" else detail
        document |= {"ok": False, "error": why}
    return make_document(document, status=status, media_type=_PROBLEM, headers=headers)


def make_reply(reply: Reply, *, wants_all: bool) -> Response:
    """Return a host's reply: its stdout as the body, or the whole reply as a document.

    With the body come the exit code and percent-encoded stderr as headers.

    Raises:
        RequestError: the reply refuses only by its exit code, which a host that reads the body does
            not see. An error status makes the host show the refusal; an empty body would count as
            consent (docs/formats/claude-code.md 4).
    """
    if wants_all:
        document = {"schema": "hookline.reply/1", **reply.as_dict()}
        return make_document(document, media_type=WHOLE)
    printed = reply.stdout.strip()
    headers = {"Hookline-Exit-Code": str(reply.exit_code)}
    if reply.stderr:
        text = reply.stderr[:_LONGEST]
        headers["Hookline-Stderr"] = quote(text, safe=" ", errors="backslashreplace")
    if reply.exit_code and not printed:
        why = reply.stderr.strip() or "the event is refused"
        hint = f"a command hook would end with {reply.exit_code}"
        raise RequestError(403, "serve.unsaid", why, hint=hint, headers=headers)
    is_object = printed.startswith("{") and printed.endswith("}")
    media_type = "application/json" if is_object else "text/plain; charset=utf-8"
    return Response(encode_text(reply.stdout), media_type=media_type, headers=headers)


def answer_undecided(
    found: Fallback, error: HookError, problem: Response, *, wants_all: bool
) -> Response:
    """Return the answer to an event without a decision; `problem` describes it.

    Before an action, the answer is the host's own form of a refusal, with status 200, because hosts
    read no other answer. A client that stands in for a command hook (`wants_all`) gets every
    refusal so. Any other answer is the problem, which includes the reply.
    """
    reply = found.reply
    if found.refuses and (wants_all or (reply.stdout.strip() and not reply.exit_code)):
        answer = make_reply(reply, wants_all=wants_all)
        for name in ("connection", "retry-after"):
            if name in problem.headers:
                answer.headers[name] = problem.headers[name]
        answer.headers["Hookline-Problem"] = error.code
        return answer
    try:
        printed = json.loads(reply.stdout)
    except ValueError:
        printed = None
    more = {**(printed if isinstance(printed, dict) else {}), "reply": reply.as_dict()}
    return make_problem(error, problem.status_code, more=more)


def make_openapi(version: str, decision: Mapping[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document; `decision` is the complete schema of a decision."""
    text = (files("hookline.server") / "openapi.json").read_text(encoding="utf-8")
    made: dict[str, Any] = json.loads(text)
    made["info"]["version"] = version
    schemas = made["components"]["schemas"]
    schemas["decision"] = dict(decision)
    schemas["firing"]["properties"]["dialect"]["enum"] = [*NAMES, None]
    made["paths"]["/v1/answer/{dialect}"]["post"]["parameters"][0]["schema"]["enum"] = list(NAMES)
    return made
