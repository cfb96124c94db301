"""Problems: faults of requests as documents that the sender can read (RFC 9457)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from hookline.errors import HookError
from hookline.text.terminal_escape import escape_line

if TYPE_CHECKING:
    from collections.abc import Mapping

_TYPE = "application/problem+json"
# Paths where a format defines its own refusals (docs/formats/starchild.md 6.1).
APPROVE = "/internal/runtime/hooks/approve"
CHAT = "/v1/chat"


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
        self.headers = headers or {}
        self.sent = sent


def make_document(
    value: Mapping[str, Any],
    *,
    status: int = 200,
    media_type: str = "application/json",
    **options: Any,
) -> Response:
    """Return a JSON document as a response, in ASCII, so that lone surrogates of payloads pass.

    `options` are those of the response.

    Raises:
        TypeError, ValueError, RecursionError: it contains a value that JSON cannot express.
    """
    return Response(
        json.dumps(value, allow_nan=False) + "\n", status, media_type=media_type, **options
    )


def make_problem(
    error: HookError, status: int = 400, more: Mapping[str, Any] | None = None
) -> Response:
    """Return a problem document: `type` names the code, `detail` the case, `hint` what to do.

    `more`: further members of the document.
    """
    status = error.status if isinstance(error, RequestError) else status
    document = {
        "type": f"urn:hookline:problem:{error.code}",
        "title": error.name,
        "status": status,
        "detail": escape_line(error.message),
        "code": error.code,
    }
    hint = {"hint": escape_line(error.hint)} if error.hint else {}
    headers = dict(error.headers) if isinstance(error, RequestError) else {}
    return make_document(
        dict(more or {}) | document | hint, status=status, media_type=_TYPE, headers=headers
    )


def make_refusal(error: HookError, path: str, status: int = 400) -> Response:
    """Return a problem; on paths where a format defines refusals, with its members too."""
    if path != APPROVE:
        return make_problem(error, status)
    why = "not declared" if error.name == "trust.unmatched" else escape_line(error.message)
    return make_problem(error, status, {"ok": False, "error": why})
