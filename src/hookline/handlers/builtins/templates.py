"""`add_context`: templates over the payload of an event."""

from __future__ import annotations

import time

from hookline.errors import HandlerError
from hookline.handlers.builtins.call import make_context
from hookline.wire.templates import fill_strictly, find_template_faults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.handlers.builtins.call import BuiltinCall, Output


def add_context(asked: BuiltinCall) -> Output:
    """Handle an event that can add context: each argument filled in, one a line.

    Blank ones are left out.

    Raises:
        HandlerError: an argument is no template, or names a key that the payload does not have.
    """
    until = time.monotonic() + asked.timeout
    payload = asked.payload() if asked.args else ""
    texts = []
    for number, arg in enumerate(asked.args, 1):
        if wrong := find_template_faults(arg).error:
            raise HandlerError(f"add_context: parse arg {number}: {wrong}")
        try:
            text = fill_strictly(arg, payload, late=lambda: time.monotonic() > until)
        except HandlerError as error:
            raise HandlerError(f"add_context: render arg {number}: {error}") from None
        texts.append(text)
    return make_context("\n".join(text for text in texts if text.strip()))
