"""Replies: what a command hook would print and end with, as an answer over HTTP.

A host with HTTP hooks of its own reads the body alone, so the body is what such a hook answers there. Whoever stands in for
a command hook asks for the whole reply instead: `Accept: application/vnd.hookline.reply+json`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.responses import Response

from hookline.errors import CodecError
from hookline.server.problems import RequestError, document, problem
from hookline.wire.hookoutput import encode_text
from hookline.wire.json_reader import read_json

if TYPE_CHECKING:
    from hookline.engine.fallback import Fallback
    from hookline.errors import HookError
    from hookline.model.reply import Reply

WHOLE = "application/vnd.hookline.reply+json"
_LONGEST = 2000  # characters of stderr that go into a header; the whole reply has all of them


def whole(reply: Reply) -> Response:
    """The whole reply as a document, `hookline.reply/1`."""
    return document({"schema": "hookline.reply/1", **document_of(reply)}, media_type=WHOLE)


def undecided(found: Fallback, error: HookError, refusal: Response, *, wants_all: bool) -> Response:
    """The answer to an event that could not be decided; `refusal` is the problem that says so.

    A refusal before an action is the host's own word for it, with status 200, because hosts read no other answer. Whoever
    stands in for a command hook (`wants_all`) gets every refusal so. Any other answer is the problem, and in it the reply.
    """
    kept = {name: refusal.headers[name] for name in ("connection", "retry-after") if name in refusal.headers}  # fmt: skip
    reply = found.reply
    if found.refuses and (wants_all or (reply.stdout.strip() and not reply.exit_code)):
        answer = whole(reply) if wants_all else body(reply)
        answer.headers.update({**kept, "Hookline-Problem": error.code})
        return answer
    return problem(error, refusal.status_code, {**_words(reply), "reply": document_of(reply)})


def _words(reply: Reply) -> dict[str, Any]:
    """The one object that a reply prints; empty where it prints something else."""
    try:
        said = read_json(reply.stdout)
    except CodecError:
        return {}
    return said if isinstance(said, dict) else {}


def document_of(reply: Reply) -> dict[str, str | int]:
    """The whole reply as an object."""
    return {"stdout": reply.stdout, "stderr": reply.stderr, "exit_code": reply.exit_code}


def body(reply: Reply) -> Response:
    """The standard output as the body; beside it the exit code, and standard error percent-encoded, as headers.

    Raises:
        RequestError: the reply refuses by its exit code alone, which a host does not read here. It takes the status for an error,
            and shows it, where an empty body would be consent (docs/formats/claude-code.md 4).
    """
    headers = {"Hookline-Exit-Code": str(reply.exit_code)}
    if reply.stderr:
        headers["Hookline-Stderr"] = quote(
            reply.stderr[:_LONGEST], safe=" ", errors="backslashreplace"
        )
    if reply.exit_code and not reply.stdout.strip():
        told = reply.stderr.strip() or "the event is refused"
        raise RequestError(
            403,
            "serve.unsaid",
            told,
            hint=f"a command hook would end with {reply.exit_code}",
            headers=headers,
        )
    said = reply.stdout.strip()
    is_object = said.startswith("{") and said.endswith("}")
    media_type = "application/json" if is_object else "text/plain; charset=utf-8"
    return Response(encode_text(reply.stdout), media_type=media_type, headers=headers)
