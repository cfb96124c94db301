"""Replies: the output and exit code of a command hook, as an HTTP answer.

A host with HTTP hooks reads only the body, so the body is what such a hook answers there. A client
that stands in for a command hook asks for the whole reply: `Accept:
application/vnd.hookline.reply+json`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.responses import Response

from hookline.errors import CodecError
from hookline.server.problems import RequestError, make_document, make_problem
from hookline.wire.hookoutput import encode_text
from hookline.wire.json_reader import read_json

if TYPE_CHECKING:
    from hookline.engine.fallback import Fallback
    from hookline.errors import HookError
    from hookline.model.verdict import Reply

WHOLE = "application/vnd.hookline.reply+json"
_LONGEST = 2000  # characters of stderr in a header; the whole reply contains all of it


def make_whole_reply(reply: Reply) -> Response:
    """Return the whole reply as a document, `hookline.reply/1`."""
    return make_document({"schema": "hookline.reply/1", **to_dict(reply)}, media_type=WHOLE)


def answer_undecided(
    found: Fallback, error: HookError, refusal: Response, *, wants_all: bool
) -> Response:
    """Return the answer to an event without a decision; `refusal` is the problem that describes it.

    Before an action, the answer is the host's own form of a refusal, with status 200, because hosts
    read no other answer. A client that stands in for a command hook (`wants_all`) gets every
    refusal so. Any other answer is the problem, which includes the reply.
    """
    kept = {name: refusal.headers[name] for name in ("connection", "retry-after") if name in refusal.headers}  # fmt: skip
    reply = found.reply
    if found.refuses and (wants_all or (reply.stdout.strip() and not reply.exit_code)):
        answer = make_whole_reply(reply) if wants_all else make_body(reply)
        answer.headers.update({**kept, "Hookline-Problem": error.code})
        return answer
    return make_problem(error, refusal.status_code, {**_words(reply), "reply": to_dict(reply)})


def _words(reply: Reply) -> dict[str, Any]:
    """Return the object that a reply prints; empty if it prints something else."""
    try:
        printed = read_json(reply.stdout)
    except CodecError:
        return {}
    return printed if isinstance(printed, dict) else {}


def to_dict(reply: Reply) -> dict[str, str | int]:
    """Return the whole reply as an object."""
    return {"stdout": reply.stdout, "stderr": reply.stderr, "exit_code": reply.exit_code}


def make_body(reply: Reply) -> Response:
    """Return stdout as the body, with the exit code and percent-encoded stderr as headers.

    Raises:
        RequestError: the reply refuses only by its exit code, which such a host does not read. An
            error status makes the host show the refusal; an empty body would count as consent
            (docs/formats/claude-code.md 4).
    """
    headers = {"Hookline-Exit-Code": str(reply.exit_code)}
    if reply.stderr:
        headers["Hookline-Stderr"] = quote(
            reply.stderr[:_LONGEST], safe=" ", errors="backslashreplace"
        )
    if reply.exit_code and not reply.stdout.strip():
        words = reply.stderr.strip() or "the event is refused"
        raise RequestError(
            403,
            "serve.unsaid",
            words,
            hint=f"a command hook would end with {reply.exit_code}",
            headers=headers,
        )
    printed = reply.stdout.strip()
    is_object = printed.startswith("{") and printed.endswith("}")
    media_type = "application/json" if is_object else "text/plain; charset=utf-8"
    return Response(encode_text(reply.stdout), media_type=media_type, headers=headers)
