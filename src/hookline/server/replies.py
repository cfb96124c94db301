"""Replies: what a command hook would print and end with, as an answer over HTTP.

A host with HTTP hooks of its own reads the body alone, so the body is what such a hook answers there. Whoever stands in for
a command hook asks for the whole reply instead: `Accept: application/vnd.hookline.reply+json`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.responses import Response

from hookline.server.problems import RequestError, document
from hookline.wire.hookoutput import encode_text

if TYPE_CHECKING:
    from hookline.model.reply import Reply

WHOLE = "application/vnd.hookline.reply+json"
_LONGEST = 2000  # characters of stderr that go into a header; the whole reply has all of them


def whole(reply: Reply) -> Response:
    """The whole reply as a document, `hookline.reply/1`."""
    said = {
        "schema": "hookline.reply/1",
        "stdout": reply.stdout,
        "stderr": reply.stderr,
        "exit_code": reply.exit_code,
    }
    return document(said, media_type=WHOLE)


def body(reply: Reply) -> Response:
    """The standard output as the body; beside it the exit code, and standard error percent-encoded, as headers.

    Raises:
        RequestError: the reply refuses by its exit code alone, which a host does not read here. It takes the status for an error,
            and shows it, where an empty body would be consent (harnesses.md 2.4).
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
