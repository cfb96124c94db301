"""Templates: the prompt of a model hook, filled in from the payload, and never longer than the hook allows."""

from __future__ import annotations

import json
import re

from hookline.errors import HandlerError
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.model.handler import Model

TEMPLATE, ARGUMENTS = "template", "arguments"
# A dollar sign that is meant as it stands, or the payload (harnesses.md 2.4).
_PLACE = re.compile(r"\\\$|\$ARGUMENTS\b")
_CUT = "\n\n[This text was longer than {most:,} characters, and the rest of it was cut off. Do not approve what you cannot see.]"
_MISSING = "templates need jinja2, which is not installed"
INSTALL = "pip install 'hookline[model]'"


class Faults(Frozen):
    """What is wrong with a template: `error` in words, with a `hint`; `fields` of the payload that it names."""

    error: str = ""
    hint: str = ""
    fields: tuple[str, ...] = ()


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
        return cut(_with_arguments(model.prompt, payload.strip()), model.most_prompt)
    try:
        from hookline.wire.sandbox import filled  # noqa: PLC0415 - as above
    except ImportError:
        raise HandlerError(_MISSING, hint=INSTALL) from None
    return cut(filled(model.prompt, _object(payload), most=model.most_prompt, late=late), model.most_prompt)


def cut(text: str, most: int) -> str:
    """A text of at most so many characters, which says so itself where something is missing."""
    return text if len(text) <= most else text[:most] + _CUT.format(most=most)


def _with_arguments(prompt: str, payload: str) -> str:
    r"""A prompt with the payload where `$ARGUMENTS` stands, or else at its end; `\$` is a dollar sign."""
    places = [found[0] for found in _PLACE.finditer(prompt)]
    text = _PLACE.sub(lambda found: "$" if found[0].startswith("\\") else payload, prompt)
    return text if "$ARGUMENTS" in places else f"{text}\n\n{payload}"


def _object(payload: str) -> dict[str, Any]:
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise HandlerError(f"the payload is no JSON: {error}") from None
    return value if isinstance(value, dict) else {}
