"""Templates: the prompt of a model hook, filled in from the payload, and no longer than the hook allows.

What its author wrote is always there as a whole: an event that is too long loses of its own values, the longest ones first. So
nobody can push a rule out of a prompt by padding what it is asked about.
"""

from __future__ import annotations

import json
import re

from hookline.errors import HandlerError
from hookline.wire.template_parts import Faults, Inserted, fitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.model.handler import Model

TEMPLATE, ARGUMENTS = "template", "arguments"
# A dollar sign that is meant as it stands, or the payload (harnesses.md 2.4).
_PLACE = re.compile(r"\\\$|\$ARGUMENTS\b")
_MISSING = "templates need jinja2, which is not installed"
INSTALL = "pip install 'hookline[model]'"


def faults(prompt: str) -> Faults:
    """What is wrong with a prompt as a template; nothing where jinja2 is missing, without which it is not run either."""
    try:
        from hookline.wire.sandbox import examined  # noqa: PLC0415 - jinja2, which only files with such a hook load
    except ImportError:
        return Faults()
    return examined(prompt)


def fill(model: Model, payload: str, *, late: Callable[[], bool] = lambda: False) -> str:
    """The prompt about a payload, which is JSON text.

    `late` tells a template that takes too long to stop.

    Raises:
        HandlerError: the template cannot be filled in, or jinja2 is missing.
    """
    if model.language == ARGUMENTS:
        return fitted(_with_arguments(model.prompt, payload.strip()), model.most_prompt)
    try:
        from hookline.wire.sandbox import filled  # noqa: PLC0415 - as above
    except ImportError:
        raise HandlerError(_MISSING, hint=INSTALL) from None
    return fitted(
        filled(model.prompt, _object(payload), most=model.most_prompt, late=late), model.most_prompt
    )


def _with_arguments(prompt: str, payload: str) -> list[str]:
    r"""A prompt with the payload where `$ARGUMENTS` stands, or else at its end; `\$` is a dollar sign."""
    parts: list[str] = []
    end = 0
    for found in _PLACE.finditer(prompt):
        parts += [
            prompt[end : found.start()],
            "$" if found[0].startswith("\\") else Inserted(payload),
        ]
        end = found.end()
    parts.append(prompt[end:])
    return (
        parts
        if any(isinstance(part, Inserted) for part in parts)
        else [*parts, "\n\n", Inserted(payload)]
    )


def _object(payload: str) -> dict[str, Any]:
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise HandlerError(f"the payload is no JSON: {error}") from None
    return value if isinstance(value, dict) else {}
